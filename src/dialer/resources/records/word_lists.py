"""Kinds of field for several words of a few, and for a day."""

from datetime import date

from litestar.openapi.spec import Schema
from litestar.openapi.spec.enums import OpenAPIFormat, OpenAPIType

from dialer.domain.words.sentences import Listed, Sentence
from dialer.resources.crud.enumerations import text_schema
from dialer.resources.crud.fields import Conventions, FieldError, Json, Kind, Stored, echo
from dialer.resources.crud.urls import Links


class WordList(Kind, frozen=True):
    """Some of a few words, given as a list or as a text with commas or blanks; stored with blanks between them."""

    words: tuple[str, ...]
    least: int = 0
    """The fewest words that may be given."""

    def parse(self, value: Json, conventions: Conventions) -> str:  # noqa: ARG002 - words are words anywhere
        """Return the words in the order of their declaration."""
        items = value if isinstance(value, list) else str(value).replace(",", " ").split()
        unknown = [item for item in items if item not in self.words]
        if unknown:
            raise FieldError(
                Sentence(
                    '"%(unknown)s" is none of these: %(words)s.', unknown=echo(unknown[0]), words=Listed(self.words)
                )
            )
        if len(items) < self.least:
            raise FieldError(Sentence("Give at least one of these: %(words)s.", words=Listed(self.words)))
        return " ".join(word for word in self.words if word in items)

    def show(self, value: Stored, links: Links) -> Json:  # noqa: ARG002 - has no URL
        """Return the words as a list."""
        return value.split()

    def schema(self) -> Schema:
        """Return the schema of a list of words."""
        return Schema(type=OpenAPIType.ARRAY, items=text_schema(self.words, {}), min_items=self.least)


class DayText(Kind, frozen=True):
    """A day of the calendar, such as `2027-01-31`, stored as it is written."""

    def parse(self, value: Json, conventions: Conventions) -> str:  # noqa: ARG002 - a day is a day anywhere
        """Return the day as ISO 8601 writes it."""
        try:
            day = date.fromisoformat(value) if isinstance(value, str) else None
        except ValueError:
            day = None
        if day is None or day.isoformat() != value:
            raise FieldError("Date has wrong format. Use YYYY-MM-DD, such as 2027-01-31.")
        return day.isoformat()

    def schema(self) -> Schema:
        """Return the schema of a date."""
        return Schema(type=OpenAPIType.STRING, format=OpenAPIFormat.DATE)
