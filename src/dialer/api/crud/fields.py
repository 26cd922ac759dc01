"""Kinds of field: how each is read from a request, written into an answer, and described.

Dates and times are in `dialer.api.crud.moments`, references to records in `dialer.api.crud.references`.
"""

import json
import re
from collections.abc import Sequence
from datetime import tzinfo
from enum import IntEnum
from math import inf
from typing import Any, ClassVar, Final, TypeAlias

import msgspec
from litestar.openapi.spec import Schema
from litestar.openapi.spec.enums import OpenAPIType

from dialer.api.crud.urls import ID_MAX, Links
from dialer.api.http.strict_json import StrictJsonError, read_object
from dialer.domain.billing.money import MoneyError, format_money, parse_money
from dialer.domain.numbers.normal_form import NUMBER_INPUT_MAX, NumberError, normalise

TEXT_MAX: Final = 16_000
ESCAPE_LENGTH_MAX: Final = 12
"""Characters that may stand for one in JSON: two escapes of six."""
INT32_MAX: Final = 2**31 - 1

_ECHO_MAX: Final = 60
"""Characters of a client's own value that a message repeats."""
_INFINITE: Final = (inf, -inf)
"""What the parser makes of a number that no float is."""
_INTEGER: Final = re.compile(r"[+-]?[0-9]{1,20}(\.0{1,10})?\Z", re.ASCII)
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

    def in_answers(self) -> "Kind":
        """Return the kind without the rules that bind requests alone."""
        return self

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

    def in_answers(self) -> Kind:
        """Return the kind of any text of this length."""
        return msgspec.structs.replace(self, min_length=0)

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
