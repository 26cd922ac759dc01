"""Kinds of field that name records."""

from collections.abc import Sequence
from typing import ClassVar, Final

from litestar.openapi.spec import Schema
from litestar.openapi.spec.enums import OpenAPIFormat, OpenAPIType

from dialer.domain.words.sentences import Sentence
from dialer.resources.crud.fields import Conventions, FieldError, Integer, Json, Kind, Stored
from dialer.resources.crud.urls import ID_MAX, PREFIX, URL_PATHS, Links, parse_id

NO_OBJECT: Final = "Invalid hyperlink - Object does not exist."
REFERENCES_MAX: Final = 1_000
"""The most references in one list, if its field does not say less."""
_ID_DIGITS: Final = "0*[1-9][0-9]{0,18}"


class Reference(Kind, frozen=True):
    """A reference to a record of the resource at `path`: stored as an id, shown as a URL; requests may use either.

    One query checks later that the record exists and that the caller may see it.
    """

    path: str
    column: str = ""
    """The column that holds the id. Empty if the column is called `<field>_id`."""
    shown_as_id: bool = False

    def parse(self, value: Json, conventions: Conventions) -> int:
        """Return the id that a relative or absolute URL, an integer, or a string of digits names."""
        # JSON does not tell 1.0 from 1.
        is_whole = isinstance(value, float) and value.is_integer()
        if isinstance(value, bool) or not (isinstance(value, (int, str)) or is_whole):
            raise FieldError(
                Sentence("Incorrect type. Expected URL string, received %(kind)s.", kind=type(value).__name__)
            )
        text = str(int(value)) if is_whole else str(value)
        record_id = parse_id(text) if text.isdigit() else conventions.links.id_in(text, self.path)
        if record_id is None:
            raise FieldError(NO_OBJECT)
        return record_id

    def show(self, value: Stored, links: Links) -> str:
        """Return the absolute URL, or the id as a string if `shown_as_id`."""
        return str(value) if self.shown_as_id else f"{links.records(self.path)}{value}/"

    def show_all(self, values: Sequence[Stored], links: Links) -> Sequence[Json]:
        """Return the absolute URLs of many records; the part before the ids is made once."""
        if self.shown_as_id or type(self).show is not Reference.show:
            return super().show_all(values, links)
        begin = links.records(self.path)
        return [None if value is None else f"{begin}{value}/" for value in values]

    def schema(self) -> Schema:
        """Return the schema of a URL, or of a string of digits if `shown_as_id`."""
        if self.shown_as_id:
            return Schema(type=OpenAPIType.STRING, pattern="^[1-9][0-9]*$")
        return Schema(type=OpenAPIType.STRING, format=OpenAPIFormat.URI)

    def accepted(self) -> Schema:
        """Return the schema of an id, or of a string: an absolute URL, a path, or the digits of an id."""
        number = Schema(type=OpenAPIType.INTEGER, minimum=1, maximum=ID_MAX)
        paths = "|".join(dict.fromkeys((self.path, URL_PATHS.get(self.path, self.path))))
        pattern = f"^{_ID_DIGITS}$|{PREFIX}/({paths})/{_ID_DIGITS}/?$"
        return Schema(one_of=[number, Schema(type=OpenAPIType.STRING, pattern=pattern)])


class ReferenceList(Reference, frozen=True):
    """References to records of the resource at `path`, given as a list, as one reference, or as ids between commas."""

    most: int = REFERENCES_MAX
    """The most references in the list."""
    blank_is_null: ClassVar[bool] = False

    def parse(self, value: Json, conventions: Conventions) -> Stored:
        """Return the ids in the given order, without repetitions."""
        items = value if isinstance(value, list) else _listed(value)
        if len(items) > self.most:
            raise FieldError(Sentence("Ensure this field has no more than %(most)s elements.", most=self.most))
        parse = super().parse
        return tuple(dict.fromkeys(parse(item, conventions) for item in items))

    def show(self, value: Stored, links: Links) -> Json:
        """Return the absolute URLs of the referenced records."""
        return [links.record(self.path, item) for item in value]

    def schema(self) -> Schema:
        """Return the schema of a list of URLs."""
        return Schema(type=OpenAPIType.ARRAY, items=super().schema())

    def accepted(self) -> Schema:
        """Return the schema of a list of references."""
        return Schema(type=OpenAPIType.ARRAY, items=super().accepted(), max_items=self.most)


def _listed(value: Json) -> list[Json]:
    if not isinstance(value, str):
        return [value]
    return [part.strip() for part in value.split(",")] if value.strip() else []


class OwnUrl(Reference, frozen=True):
    """The URL of the record itself."""

    def schema(self) -> Schema:
        """Return the schema of a URL that only answers have."""
        return Schema(type=OpenAPIType.STRING, format=OpenAPIFormat.URI, read_only=True)


class Identity(Integer, frozen=True):
    """A kind of field: the id of the record itself, or of another record that may have been deleted."""

    minimum: int = 1
    maximum: int = ID_MAX
