"""Kinds of field: how each is read from a request, written into an answer, and described.

A kind is given by an annotation: `name: Annotated[str, Text(255)]`. The same kind serves the struct of a request, where
the annotated type is that of the column, and the struct of an answer, where it is that of the JSON value.
"""

import json
import re
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta, tzinfo
from enum import IntEnum
from functools import lru_cache
from math import inf
from typing import Any, ClassVar, Final, TypeAlias

import msgspec
from litestar.openapi.spec import Schema
from litestar.openapi.spec.enums import OpenAPIFormat, OpenAPIType

from dialer.api.crud.urls import ID_MAX, Links, parse_id
from dialer.api.http.strict_json import StrictJsonError, read_object
from dialer.domain.billing.money import MoneyError, format_money, parse_money
from dialer.domain.numbers.normal_form import NUMBER_INPUT_MAX, NumberError, normalise

NO_OBJECT: Final = "Invalid hyperlink - Object does not exist."
TEXT_MAX: Final = 16_000
ESCAPE_LENGTH_MAX: Final = 12
"""Characters that may stand for one in JSON: two escapes of six."""
REFERENCES_MAX: Final = 1_000
"""References in one list."""
INT32_MAX: Final = 2**31 - 1
YEAR_MIN: Final = 1970
YEAR_MAX: Final = 2200

MINUTES_MAX: Final = 4_096
"""Minutes whose spelling is remembered."""

_ECHO_MAX: Final = 60
_INFINITE: Final = (inf, -inf)
"""What the parser makes of a number that no float is."""
"""Characters of a client's own value that a message repeats."""
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_INTEGER: Final = re.compile(r"[+-]?[0-9]{1,20}(\.0{1,10})?\Z", re.ASCII)
_TIME: Final = re.compile(r"([01][0-9]|2[0-3]):([0-5][0-9])(:[0-5][0-9])?\Z", re.ASCII)
_TIMESTAMP: Final = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}(:[0-9]{2}([.,][0-9]{1,9})?)?(Z|[+-][0-9]{2}:?[0-9]{2})?\Z",
    re.ASCII | re.IGNORECASE,
)
_BOOLEANS: Final = {"true": True, "1": True, "false": False, "0": False}


Json: TypeAlias = Any
"""A value as it stands in the JSON of a request or an answer."""
Stored: TypeAlias = Any
"""A value as its column holds it."""


class FieldError(ValueError):
    """Raised for a value that a field does not take; the message is for the person who sent it."""


class Conventions(msgspec.Struct, frozen=True):
    """What a value may leave unsaid: the zone of a timestamp, the region of a number, the host of a reference."""

    zone: tzinfo
    region: str | None
    links: Links
    is_strict: bool = False
    """Whether the client prefers an error to anything that it may not have meant."""


class Kind(msgspec.Struct, frozen=True):
    """What all kinds have; by itself, a value that is only ever shown, as it is stored."""

    blank_is_null: ClassVar[bool] = True
    """Whether `""` means null where the field may be null."""

    def parse(self, value: Json, conventions: Conventions) -> Stored:
        """The value as it is stored, from one of a request that is not null.

        Raises:
            FieldError: the field does not take it.
        """
        raise NotImplementedError

    def show(self, value: Stored, links: Links) -> Json:  # noqa: ARG002 - the kinds that write URLs need it
        """The value of an answer, from a stored one that is not null."""
        return value

    def show_all(self, values: Sequence[Stored], links: Links) -> Sequence[Json]:
        """The values of many answers, null where nothing is stored."""
        if type(self).show is Kind.show:
            return values
        show = self.show
        return [None if value is None else show(value, links) for value in values]

    def schema(self) -> Schema:
        """What OpenAPI says of it in answers."""
        return Schema()

    def accepted(self) -> Schema:
        """What OpenAPI says of it in requests, which may spell it in more ways."""
        return self.schema()


class Text(Kind, frozen=True):
    """A string, kept byte for byte."""

    blank_is_null: ClassVar[bool] = False

    max_length: int = 255
    min_length: int = 0
    column: str = ""
    """The column that holds it, where that has another name."""

    def parse(self, value: Json, conventions: Conventions) -> str:  # noqa: ARG002 - a text is a text anywhere
        """The string; a number counts as its digits."""
        if isinstance(value, bool) or not isinstance(value, (str, int, float)) or value in _INFINITE:
            raise FieldError("Not a valid string.")
        text = str(value)
        if "\x00" in text:
            raise FieldError("Null characters are not allowed.")
        if self.min_length and not text.strip():
            raise FieldError("This field may not be blank.")
        if len(text) > self.max_length:
            raise FieldError(f"Ensure this field has no more than {self.max_length} characters.")
        return text

    def schema(self) -> Schema:
        """A string with its lengths."""
        return Schema(type=OpenAPIType.STRING, max_length=self.max_length, min_length=self.min_length or None)


class Label(Text, frozen=True):
    """A text that is either there or not: empty is null."""

    blank_is_null: ClassVar[bool] = True


class Integer(Kind, frozen=True):
    """A whole number within bounds, or a string of one."""

    minimum: int = 0
    maximum: int = INT32_MAX
    column: str = ""
    """As for `Text`."""

    def parse(self, value: Json, conventions: Conventions) -> int:  # noqa: ARG002 - a number is a number anywhere
        """The number."""
        number = whole_number(value)
        if number < self.minimum:
            raise FieldError(f"Ensure this value is greater than or equal to {self.minimum}.")
        if number > self.maximum:
            raise FieldError(f"Ensure this value is less than or equal to {self.maximum}.")
        return number

    def schema(self) -> Schema:
        """An integer with its bounds."""
        return Schema(type=OpenAPIType.INTEGER, minimum=self.minimum, maximum=self.maximum)


def whole_number(value: Json) -> int:
    """An integer from itself, a float without a fraction, or a string of one."""
    if isinstance(value, bool):
        raise FieldError("A valid integer is required.")
    if isinstance(value, int):
        return value
    if isinstance(value, float) and value.is_integer() and abs(value) <= ID_MAX:
        return int(value)
    if isinstance(value, str) and _INTEGER.match(value):
        return int(value.partition(".")[0])
    raise FieldError("A valid integer is required.")


class Choice(Kind, frozen=True):
    """One of the values of an enumeration of integers."""

    values: type[IntEnum]

    def parse(self, value: Json, conventions: Conventions) -> int:  # noqa: ARG002 - a choice is a choice anywhere
        """The value, as a plain integer."""
        try:
            return self.values(whole_number(value)).value
        except ValueError:
            raise FieldError(f'"{echo(value)}" is not a valid choice.') from None

    def schema(self) -> Schema:
        """The values, and in the description their names."""
        names = ", ".join(f"{item.value} {item.name}" for item in self.values)
        return Schema(type=OpenAPIType.INTEGER, enum=[item.value for item in self.values], description=names)


class TextChoice(Kind, frozen=True):
    """One of a few strings."""

    values: tuple[str, ...]

    def parse(self, value: Json, conventions: Conventions) -> str:  # noqa: ARG002 - a choice is a choice anywhere
        """The string."""
        if not isinstance(value, str) or value not in self.values:
            raise FieldError(f'"{echo(value)}" is not a valid choice.')
        return value

    def schema(self) -> Schema:
        """The values."""
        return Schema(type=OpenAPIType.STRING, enum=list(self.values))


def echo(value: Json) -> str:
    """The start of a client's value, for a message."""
    return str(value)[:_ECHO_MAX] if isinstance(value, (str, int, float)) else type(value).__name__


class Boolean(Kind, frozen=True):
    """True or false, also as a string or as 1 and 0."""

    def parse(self, value: Json, conventions: Conventions) -> bool:  # noqa: ARG002 - true is true anywhere
        """The truth value."""
        found = _BOOLEANS.get(str(value).lower()) if isinstance(value, (bool, int, str)) else None
        if found is None:
            raise FieldError("Must be a valid boolean.")
        return found

    def schema(self) -> Schema:
        """A boolean."""
        return Schema(type=OpenAPIType.BOOLEAN)


class Amount(Kind, frozen=True):
    """A decimal of at most five places, stored as an integer of 1e-5 and shown as a string."""

    minimum: int | None = None
    """In integers of 1e-5."""

    def parse(self, value: Json, conventions: Conventions) -> int:  # noqa: ARG002 - money is money anywhere
        """The amount in integers of 1e-5."""
        try:
            amount = parse_money(value)
        except MoneyError as error:
            raise FieldError(str(error)) from None
        if self.minimum is not None and amount < self.minimum:
            raise FieldError(f"Ensure this value is greater than or equal to {format_money(self.minimum)}.")
        return amount

    def show(self, value: Stored, links: Links) -> Json:  # noqa: ARG002 - has no URL
        """A string with five decimals."""
        return format_money(value)

    def show_all(self, values: Sequence[Stored], links: Links) -> Sequence[Json]:
        """The same for many, among which there are few different ones."""
        shown = {value: self.show(value, links) for value in set(values) if value is not None}
        return [shown.get(value) for value in values]

    def schema(self) -> Schema:
        """A decimal string."""
        return Schema(type=OpenAPIType.STRING, pattern=r"^-?[0-9]+\.[0-9]{5}$")

    def accepted(self) -> Schema:
        """A number, or a decimal string."""
        text = Schema(type=OpenAPIType.STRING, pattern=r"^-?[0-9]{1,7}(\.[0-9]{1,5})?$")
        return Schema(one_of=[Schema(type=OpenAPIType.NUMBER), text])


class AmountNumber(Amount, frozen=True):
    """The same, shown as a JSON number that has exactly these digits."""

    def show(self, value: Stored, links: Links) -> msgspec.Raw:  # noqa: ARG002 - has no URL
        """The digits, as they go into the answer."""
        return msgspec.Raw(format_money(value))

    def schema(self) -> Schema:
        """A number."""
        return Schema(type=OpenAPIType.NUMBER)


class Timestamp(Kind, frozen=True):
    """A moment, stored in milliseconds since the epoch."""

    column: str = ""
    """The column that holds it, where it is not called as the field."""

    def parse(self, value: Json, conventions: Conventions) -> int:
        """Milliseconds since the epoch, from ISO 8601 with or without a zone."""
        if not isinstance(value, str) or not _TIMESTAMP.match(value):
            raise FieldError("Datetime has wrong format. Use YYYY-MM-DDThh:mm[:ss[.uuuuuu]][+HH:MM|-HH:MM|Z].")
        try:
            moment = datetime.fromisoformat(value.upper().replace(",", "."))
            aware = moment if moment.tzinfo else moment.replace(tzinfo=conventions.zone)
            at_ms = (aware - _EPOCH) // timedelta(milliseconds=1)
        except (ValueError, OverflowError):
            raise FieldError("There is no such date or time.") from None
        if not YEAR_MIN <= moment.year <= YEAR_MAX or at_ms < 0:
            raise FieldError(f"The year must be from {YEAR_MIN} to {YEAR_MAX}.")
        return at_ms

    def show(self, value: Stored, links: Links) -> str:  # noqa: ARG002 - has no URL
        """ISO 8601 in UTC with `Z`."""
        return show_timestamp(value)

    def schema(self) -> Schema:
        """A date-time."""
        return Schema(type=OpenAPIType.STRING, format=OpenAPIFormat.DATE_TIME)


def show_timestamp(at_ms: int) -> str:
    """A moment as the API writes it: `2026-11-20T08:00:00Z`, microseconds when not zero."""
    minute, rest_ms = divmod(at_ms, 60_000)
    second, ms = divmod(rest_ms, 1_000)
    return f"{_show_minute(minute)}:{second:02d}.{ms:03d}000Z" if ms else f"{_show_minute(minute)}:{second:02d}Z"


@lru_cache(maxsize=MINUTES_MAX)
def _show_minute(minute: int) -> str:
    """Many moments are of the same minute, and what is left of them is soon written."""
    return (_EPOCH + timedelta(minutes=minute)).isoformat()[:16]


class TimeOfDay(Kind, frozen=True):
    """A wall time `HH:MM:SS`."""

    def parse(self, value: Json, conventions: Conventions) -> str:  # noqa: ARG002 - judged elsewhere, by callee
        """The time with its seconds."""
        match = _TIME.match(value) if isinstance(value, str) else None
        if match is None:
            raise FieldError("Time has wrong format. Use HH:MM:SS.")
        return value if match[3] else f"{value}:00"

    def schema(self) -> Schema:
        """A time."""
        return Schema(type=OpenAPIType.STRING, pattern="^([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]$")


class PhoneNumber(Kind, frozen=True):
    """A phone number, kept as it was given; whoever stores it keeps the normal form beside it."""

    def parse(self, value: Json, conventions: Conventions) -> str:
        """The number as it was given."""
        if isinstance(value, bool) or not isinstance(value, (str, int)):
            raise FieldError("Not a valid string.")
        try:
            normalise(str(value)[: NUMBER_INPUT_MAX + 1], conventions.region)
        except NumberError as error:
            raise FieldError(str(error)) from None
        return str(value)

    def schema(self) -> Schema:
        """A string of digits and punctuation."""
        return Schema(type=OpenAPIType.STRING, max_length=NUMBER_INPUT_MAX, examples=["+12025550100"])


class JsonObject(Kind, frozen=True):
    """A JSON object, or the text of one; stored as text and shown as an object."""

    blank_is_null: ClassVar[bool] = False

    max_length: int = TEXT_MAX

    def parse(self, value: Json, conventions: Conventions) -> str:  # noqa: ARG002 - JSON is JSON anywhere
        """The object as compact JSON text."""
        found = _read_text(value, self.max_length) if isinstance(value, str) else value
        if not isinstance(found, dict):
            raise FieldError("Value must be a JSON object.")
        try:
            text = json.dumps(found, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        except ValueError:
            raise FieldError("Value must be valid JSON.") from None
        if len(text) > self.max_length:
            raise FieldError(f"Ensure this field has no more than {self.max_length} characters.")
        return text

    def show(self, value: Stored, links: Links) -> Json:  # noqa: ARG002 - has no URL
        """The text, to be written into the answer as it is."""
        return msgspec.Raw(value or "{}")

    def schema(self) -> Schema:
        """An object."""
        return Schema(type=OpenAPIType.OBJECT)

    def accepted(self) -> Schema:
        """An object, or the text of one."""
        text = Schema(type=OpenAPIType.STRING, content_media_type="application/json")
        return Schema(one_of=[Schema(type=OpenAPIType.OBJECT), text])


def _read_text(text: str, length_max: int) -> dict[str, Json]:
    if len(text) > ESCAPE_LENGTH_MAX * length_max:
        raise FieldError(f"Ensure this field has no more than {length_max} characters.")
    try:
        return read_object(text.encode())
    except (StrictJsonError, UnicodeError) as error:
        raise FieldError(str(error) if isinstance(error, StrictJsonError) else "Value must be valid JSON.") from None


class JsonText(JsonObject, frozen=True):
    """The same, shown as text."""

    def show(self, value: Stored, links: Links) -> str:  # noqa: ARG002 - has no URL
        """The text."""
        return value or "{}"

    def schema(self) -> Schema:
        """A string that holds JSON."""
        return Schema(type=OpenAPIType.STRING, content_media_type="application/json")


class Reference(Kind, frozen=True):
    """A record of the resource at `path`: an id in storage, a URL in answers, either in requests.

    Whether there is such a record, and the caller may see it, is asked of the database later, for all at once.
    """

    path: str
    column: str = ""
    """The column that holds it, where it is not called `<field>_id`."""
    shown_as_id: bool = False

    def parse(self, value: Json, conventions: Conventions) -> int:
        """The id, from a relative or absolute URL, an integer, or a string of digits."""
        if isinstance(value, bool) or not isinstance(value, (int, str)):
            raise FieldError(f"Incorrect type. Expected URL string, received {type(value).__name__}.")
        text = str(value)
        found = parse_id(text) if text.isdigit() else conventions.links.id_in(text, self.path)
        if found is None:
            raise FieldError(NO_OBJECT)
        return found

    def show(self, value: Stored, links: Links) -> str:
        """The absolute URL, or the id as a string where clients know it so."""
        return str(value) if self.shown_as_id else f"{links.records(self.path)}{value}/"

    def show_all(self, values: Sequence[Stored], links: Links) -> Sequence[Json]:
        """The same for many, which differ in nothing but their ids."""
        if self.shown_as_id or type(self).show is not Reference.show:
            return super().show_all(values, links)
        begin = links.records(self.path)
        return [None if value is None else f"{begin}{value}/" for value in values]

    def schema(self) -> Schema:
        """A URL, or digits where clients know it so."""
        if self.shown_as_id:
            return Schema(type=OpenAPIType.STRING, pattern="^[1-9][0-9]*$")
        return Schema(type=OpenAPIType.STRING, format=OpenAPIFormat.URI)

    def accepted(self) -> Schema:
        """An id, or a string: an absolute URL, a path or the digits of an id."""
        number = Schema(type=OpenAPIType.INTEGER, minimum=1, maximum=ID_MAX)
        return Schema(one_of=[number, Schema(type=OpenAPIType.STRING)])


class ReferenceList(Reference, frozen=True):
    """Records of the resource at `path`: a list of references, one reference, or ids between commas."""

    blank_is_null: ClassVar[bool] = False

    def parse(self, value: Json, conventions: Conventions) -> Stored:
        """The ids, each once, in their order."""
        items = value if isinstance(value, list) else _listed(value)
        if len(items) > REFERENCES_MAX:
            raise FieldError(f"Ensure this field has no more than {REFERENCES_MAX} elements.")
        parse = super().parse
        return tuple(dict.fromkeys(parse(item, conventions) for item in items))

    def show(self, value: Stored, links: Links) -> Json:
        """The absolute URLs."""
        return [links.record(self.path, item) for item in value]

    def schema(self) -> Schema:
        """A list of URLs."""
        return Schema(type=OpenAPIType.ARRAY, items=super().schema())

    def accepted(self) -> Schema:
        """A list of references."""
        return Schema(type=OpenAPIType.ARRAY, items=super().accepted(), max_items=REFERENCES_MAX)


def _listed(value: Json) -> list[Json]:
    if not isinstance(value, str):
        return [value]
    return [part.strip() for part in value.split(",")] if value.strip() else []


class OwnUrl(Reference, frozen=True):
    """The record's own URL."""

    def schema(self) -> Schema:
        """A URL that only answers have."""
        return Schema(type=OpenAPIType.STRING, format=OpenAPIFormat.URL, read_only=True)


class Identity(Integer, frozen=True):
    """The record's own id, or the id of a record that may have gone."""

    minimum: int = 1
    maximum: int = ID_MAX
