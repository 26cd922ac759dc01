"""Kinds of field: how each is parsed from a request, shown in an answer, and described in the OpenAPI document.

Dates and times are in `dialer.resources.crud.moments`, references to records in `dialer.resources.crud.references`.
"""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import tzinfo
from enum import IntEnum
from itertools import islice
from math import inf
from typing import Any, ClassVar, Final, TypeAlias, cast

import msgspec
from litestar.openapi.spec import Schema
from litestar.openapi.spec.enums import OpenAPIFormat, OpenAPIType

from dialer.domain.billing.money import MONEY_LIMIT, MONEY_SCALE, MoneyError, format_money, parse_money
from dialer.domain.calling_times.calling_hours import CallingHours
from dialer.domain.credentials.gateway_secrets import without_secrets
from dialer.domain.numbers.normal_form import NUMBER_INPUT_MAX, NUMBER_PATTERN, NumberError, normalise
from dialer.domain.numbers.several_numbers import read_kindly
from dialer.domain.pacing.inputs import ABANDON_HOURS
from dialer.domain.words.sentences import Sentence, message_of
from dialer.resources.crud.enumerations import enum_schema, text_schema
from dialer.resources.crud.urls import ID_MAX, Links
from dialer.resources.words.strict_json import StrictJsonError, read_object

TEXT_MAX: Final = 16_000
ESCAPE_LENGTH_MAX: Final = 12
"""The most characters that JSON needs for one character of a text: two escapes of six."""
INT32_MAX: Final = 2**31 - 1
NOT_BLANK: Final = r"\S"
"""The regular expression of a text with a character that is no blank."""

_ECHO_MAX: Final = 60
"""Characters of a client's value that an error message repeats."""
_CHOICES_MAX: Final = 20
"""Choices that the message about a wrong one names."""
_INFINITE: Final = (inf, -inf)
"""The values to which the JSON parser turns a number that is too large for a float."""
_INTEGER: Final = re.compile(r"[+-]?[0-9]{1,20}(\.0{1,10})?\Z", re.ASCII)
_DECIMAL: Final = cast("OpenAPIFormat", "decimal")
"""A format of the OpenAPI registry that the framework does not list."""
_OBJECT_TEXT: Final = r"^\s*\{[\s\S]*\}\s*$"
_BOOLEANS: Final = {"true": True, "1": True, "false": False, "0": False}


Json: TypeAlias = Any
"""A value of the JSON of a request or of an answer."""
Stored: TypeAlias = Any
"""A value in the form in which its column holds it."""


class FieldError(ValueError):
    """An error for a value that a field does not accept; its message is for the author of the request."""


class Conventions(msgspec.Struct, frozen=True):
    """The defaults for values of one request.

    `zone` is for timestamps without an offset, `region` for phone numbers without a country code, and `links` for URLs.
    """

    zone: tzinfo
    region: str | None
    links: Links
    hours: CallingHours = CallingHours()
    """The calling hours of the service."""
    webhook_networks: tuple[str, ...] = ()
    """Networks besides the public internet to which events may be sent."""
    currency: str = ""
    """The currency of accounts that have none of their own; empty if the service has none either."""
    abandon_hours: int = ABANDON_HOURS
    """The hours of each period with a budget of abandoned calls, for campaigns that do not say."""
    is_strict: bool = False
    """True if the client asked for an error instead of a guess (`Prefer: handling=strict`)."""


class Kind(msgspec.Struct, frozen=True):
    """The base of all kinds of field; by itself, a value that only answers have, shown as it is stored."""

    blank_is_null: ClassVar[bool] = True
    """True if `""` means null in a field that may be null."""

    def parse(self, value: Json, conventions: Conventions) -> Stored:
        """Return the form to store of a value that is not null.

        Raises:
            FieldError: the field does not accept the value.
        """
        raise NotImplementedError

    def show(self, value: Stored, links: Links) -> Json:  # noqa: ARG002 - the kinds that write URLs need it
        """Return a stored value that is not null, as answers show it."""
        return value

    def show_all(self, values: Sequence[Stored], links: Links) -> Sequence[Json]:
        """Return many stored values as answers show them; None stays None."""
        if type(self).show is Kind.show:
            return values
        show = self.show
        return [None if value is None else show(value, links) for value in values]

    def in_answers(self) -> "Kind":
        """Return the kind for answers, without the limits that apply only to requests."""
        return self

    def schema(self) -> Schema:
        """Return the OpenAPI schema of the field in answers."""
        return Schema()

    def accepted(self) -> Schema:
        """Return the OpenAPI schema of the field in requests, which may accept more spellings."""
        return self.schema()


class Text(Kind, frozen=True):
    """A string, kept byte for byte."""

    blank_is_null: ClassVar[bool] = False

    max_length: int = 255
    min_length: int = 0
    column: str = ""
    """The column that holds the value. Empty if the column has the name of the field."""
    pattern: str = ""
    """The regular expression (ECMA 262) for texts in requests in the OpenAPI document. Another rule enforces it."""

    def parse(self, value: Json, conventions: Conventions) -> str:  # noqa: ARG002 - a text is a text anywhere
        """Return the string; a number becomes its digits."""
        if isinstance(value, bool) or not isinstance(value, (str, int, float)) or value in _INFINITE:
            raise FieldError("Not a valid string.")
        text = str(value)
        if "\x00" in text:
            raise FieldError("Null characters are not allowed.")
        if self.min_length and not text.strip():
            raise FieldError("This field may not be blank.")
        if len(text) > self.max_length:
            raise FieldError(Sentence("Ensure this field has no more than %(most)s characters.", most=self.max_length))
        return text

    def in_answers(self) -> Kind:
        """Return the kind without the limits of requests."""
        return msgspec.structs.replace(self, min_length=0, pattern="")

    def schema(self) -> Schema:
        """Return the schema of a string, with its shortest and longest length."""
        return Schema(type=OpenAPIType.STRING, max_length=self.max_length, min_length=self.min_length or None)

    def accepted(self) -> Schema:
        """Return the schema of a string that is not blank if it has a minimum length, with its pattern."""
        schema = self.schema()
        schema.pattern = self.pattern or (NOT_BLANK if self.min_length else None)
        return schema


class Label(Text, frozen=True):
    """A text that may be absent: an empty string is null."""

    blank_is_null: ClassVar[bool] = True


class Integer(Kind, frozen=True):
    """A whole number within bounds, or a string that holds one."""

    minimum: int = 0
    maximum: int = INT32_MAX
    column: str = ""
    """The column that holds the value. Empty if the column has the name of the field."""

    def parse(self, value: Json, conventions: Conventions) -> int:  # noqa: ARG002 - a number is a number anywhere
        """Return the integer, if it is within the bounds of the field."""
        number = whole_number(value)
        if number < self.minimum:
            raise FieldError(Sentence("Ensure this value is greater than or equal to %(least)s.", least=self.minimum))
        if number > self.maximum:
            raise FieldError(Sentence("Ensure this value is less than or equal to %(most)s.", most=self.maximum))
        return number

    def schema(self) -> Schema:
        """Return the schema of an integer, with its bounds."""
        return Schema(type=OpenAPIType.INTEGER, minimum=self.minimum, maximum=self.maximum)


def whole_number(value: Json) -> int:
    """Return the integer that is given as an integer, as a float without a fraction, or as a string.

    Raises:
        FieldError: the value is not a whole number.
    """
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
        """Return the value as a plain integer."""
        try:
            return self.values(whole_number(value)).value
        except ValueError:
            raise wrong_choice(value, map(numbered, self.values)) from None

    def schema(self) -> Schema:
        """Return the schema: the values, with their names and meanings."""
        return enum_schema(self.values)


class TextChoice(Kind, frozen=True):
    """One of a few strings."""

    values: tuple[str, ...]
    meanings: Mapping[str, str] = {}
    """The meaning of each string that is no member of an enumeration, for the OpenAPI document."""
    title: str = ""
    """The name of the strings together, if they are no enumeration."""

    def parse(self, value: Json, conventions: Conventions) -> str:  # noqa: ARG002 - a choice is a choice anywhere
        """Return the string, if it is one of the choices."""
        if not isinstance(value, str) or value not in self.values:
            raise wrong_choice(value, filter(None, self.values))
        return value

    def schema(self) -> Schema:
        """Return the schema: the strings that are allowed, with their meanings."""
        return text_schema(self.values, self.meanings, self.title)


def wrong_choice(value: Json, choices: Iterable[str]) -> FieldError:
    """Return the error of a value that is none of the choices, which the message names."""
    named = list(islice(choices, _CHOICES_MAX + 1))
    shown = ", ".join([*named[:_CHOICES_MAX], *("…" for _ in named[_CHOICES_MAX:])])
    return FieldError(
        Sentence('"%(value)s" is not a valid choice. Use one of: %(choices)s.', value=echo(value), choices=shown)
    )


def numbered(member: IntEnum) -> str:
    """Return a choice as messages name it: its number and its word, such as `2 (multi_choice)`."""
    return f"{member.value} ({member.name.lower()})"


def echo(value: Json) -> str:
    """Return the start of a client's value for an error message, or the type of a value that is an object or a list."""
    return str(value)[:_ECHO_MAX] if isinstance(value, (str, int, float)) else type(value).__name__


class Boolean(Kind, frozen=True):
    """True or false, given as a boolean, as a string, or as 1 or 0."""

    def parse(self, value: Json, conventions: Conventions) -> bool:  # noqa: ARG002 - true is true anywhere
        """Return the value as a Boolean."""
        boolean = _BOOLEANS.get(str(value).lower()) if isinstance(value, (bool, int, str)) else None
        if boolean is None:
            raise FieldError("Must be a valid boolean.")
        return boolean

    def schema(self) -> Schema:
        """Return the schema of a boolean."""
        return Schema(type=OpenAPIType.BOOLEAN)


class Amount(Kind, frozen=True):
    """An amount of money with at most five decimal places, stored as an integer of 1e-5 and shown as a string."""

    minimum: int | None = None
    """The smallest amount allowed, an integer of 1e-5."""

    def parse(self, value: Json, conventions: Conventions) -> int:  # noqa: ARG002 - money is money anywhere
        """Return the amount as an integer in units of 0.00001 of the currency: 150000 for `"1.5"`."""
        try:
            amount = parse_money(value)
        except MoneyError as error:
            raise FieldError(message_of(error)) from None
        if self.minimum is not None and amount < self.minimum:
            raise FieldError(
                Sentence("Ensure this value is greater than or equal to %(least)s.", least=format_money(self.minimum))
            )
        return amount

    def show(self, value: Stored, links: Links) -> Json:  # noqa: ARG002 - has no URL
        """Return the amount as a string with five decimal places."""
        return format_money(value)

    def show_all(self, values: Sequence[Stored], links: Links) -> Sequence[Json]:
        """Return many amounts as strings, and format each different amount once."""
        shown = {value: self.show(value, links) for value in set(values) if value is not None}
        return [shown.get(value) for value in values]

    def schema(self) -> Schema:
        """Return the schema of a string with five decimal places."""
        return Schema(type=OpenAPIType.STRING, format=_DECIMAL, pattern=r"^-?[0-9]+\.[0-9]{5}$")

    def accepted(self) -> Schema:
        """Return the schema of a number or of a decimal string."""
        least = None if self.minimum is None else self.minimum / MONEY_SCALE
        number = Schema(
            type=OpenAPIType.NUMBER,
            minimum=least,
            exclusive_minimum=-MONEY_LIMIT if least is None else None,
            exclusive_maximum=MONEY_LIMIT,
        )
        return Schema(one_of=[number, self.as_text()])

    def as_text(self) -> Schema:
        """Return the schema of a decimal string."""
        sign = "-?" if self.minimum is None else r"(?!0+(\.0+)?$)" if self.minimum else ""
        return Schema(type=OpenAPIType.STRING, pattern=rf"^{sign}[0-9]{{1,7}}(\.[0-9]{{1,5}})?$")


class AmountNumber(Amount, frozen=True):
    """An amount of money that answers show as a JSON number with five decimal places."""

    def show(self, value: Stored, links: Links) -> msgspec.Raw:  # noqa: ARG002 - has no URL
        """Return the amount as raw JSON digits."""
        return msgspec.Raw(format_money(value))

    def schema(self) -> Schema:
        """Return the schema of a number."""
        return Schema(type=OpenAPIType.NUMBER)


class PhoneNumber(Kind, frozen=True):
    """A phone number, kept as the client spelled it. The resource stores the normal form in a column of its own."""

    def parse(self, value: Json, conventions: Conventions) -> str:
        """Return the phone number as the client spelled it."""
        if isinstance(value, bool) or not isinstance(value, (str, int)):
            raise FieldError("Not a valid string.")
        try:
            self.normal_form(str(value)[: NUMBER_INPUT_MAX + 1], conventions)
        except NumberError as error:
            raise FieldError(message_of(error)) from None
        return str(value)

    def normal_form(self, text: str, conventions: Conventions) -> str:
        """Return the normal form of a number as a client spells it; raise NumberError if it is none."""
        return normalise(text, conventions.region)

    def schema(self) -> Schema:
        """Return the schema of a phone number."""
        return Schema(type=OpenAPIType.STRING, max_length=NUMBER_INPUT_MAX)

    def accepted(self) -> Schema:
        """Return the OpenAPI schema of a phone number in requests.

        The pattern allows digits, one leading `+`, blanks, dots, dashes, parentheses and square brackets.
        """
        return Schema(type=OpenAPIType.STRING, max_length=NUMBER_INPUT_MAX, pattern=NUMBER_PATTERN)


class ListedNumber(PhoneNumber, frozen=True):
    """A phone number on a do-not-call list, or several: they are read kindly, without extensions and remarks."""

    def normal_form(self, text: str, conventions: Conventions) -> str:
        """Return the normal form of the first number; raise NumberError if there is none."""
        if len(text) > NUMBER_INPUT_MAX:
            return normalise(text, conventions.region)
        return read_kindly(text, conventions.region).numbers[0].number


class JsonObject(Kind, frozen=True):
    """A JSON object, or a string that holds one; stored as text and shown as an object."""

    blank_is_null: ClassVar[bool] = False

    max_length: int = TEXT_MAX

    def parse(self, value: Json, conventions: Conventions) -> str:  # noqa: ARG002 - JSON is JSON anywhere
        """Return the object as compact JSON text."""
        members = _read_text(value, self.max_length) if isinstance(value, str) else value
        if not isinstance(members, dict):
            raise FieldError(Sentence("Value must be a JSON object, not %(kind)s.", kind=type(members).__name__))
        try:
            text = json.dumps(members, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        except ValueError:
            raise FieldError("Value must be valid JSON.") from None
        if len(text) > self.max_length:
            raise FieldError(Sentence("Ensure this field has no more than %(most)s characters.", most=self.max_length))
        return text

    def show(self, value: Stored, links: Links) -> Json:  # noqa: ARG002 - has no URL
        """Return the stored text as raw JSON."""
        return msgspec.Raw(value or "{}")

    def schema(self) -> Schema:
        """Return the schema of an object."""
        return Schema(type=OpenAPIType.OBJECT)

    def accepted(self) -> Schema:
        """Return the schema of an object, or of a string that holds one."""
        text = Schema(type=OpenAPIType.STRING, content_media_type="application/json", pattern=_OBJECT_TEXT)
        return Schema(one_of=[Schema(type=OpenAPIType.OBJECT), text])


def _read_text(text: str, length_max: int) -> dict[str, Json]:
    if len(text) > ESCAPE_LENGTH_MAX * length_max:
        raise FieldError(Sentence("Ensure this field has no more than %(most)s characters.", most=length_max))
    try:
        return read_object(text.encode())
    except (StrictJsonError, UnicodeError) as error:
        raise FieldError(str(error) if isinstance(error, StrictJsonError) else "Value must be valid JSON.") from None


class CarrierParameters(JsonObject, frozen=True):
    """The parameters of a gateway as a JSON object. Answers leave its secrets out."""

    def show(self, value: Stored, links: Links) -> Json:  # noqa: ARG002 - has no URL
        """Return the stored text as raw JSON, without secrets."""
        return msgspec.Raw(without_secrets(value or "{}"))


class JsonText(JsonObject, frozen=True):
    """A kind of field: a JSON object that answers show as text."""

    def show(self, value: Stored, links: Links) -> str:  # noqa: ARG002 - has no URL
        """Return the stored JSON text."""
        return value or "{}"

    def schema(self) -> Schema:
        """Return the schema of a string that holds JSON."""
        return Schema(type=OpenAPIType.STRING, content_media_type="application/json")
