"""Shapes: the structs of requests and answers, how requests are parsed, and how answers are made.

A shape names the fields of a body, each with its kind (`dialer.resources.crud.fields`). One declaration of the fields
of a resource makes its shapes (`dialer.resources.crud.declaration`).
"""

from collections.abc import Iterable, Mapping, Sequence
from enum import Enum
from typing import Any, ClassVar, Final, NamedTuple

import msgspec
from msgspec import NODEFAULT

from dialer.domain.words.sentences import message_of
from dialer.resources.crud.fields import Conventions, FieldError, Json, Kind, Stored
from dialer.resources.crud.forms import FormLayout
from dialer.resources.crud.urls import Links
from dialer.resources.words.errors import Errors
from dialer.resources.words.ignored import unknown_errors
from dialer.store.tables import Row

REQUIRED: Final = "This field is required."
UNKNOWN: Final = "This field is unknown or read-only."
NOT_NULL: Final = "This field may not be null."


class Access(Enum):
    """The right to set a field: at any time, at creation only, or never."""

    WRITABLE = "writable"
    WRITE_ONCE = "write once"
    WRITE_ONLY = "write only"
    """At any time, and no answer shows it."""
    READ_ONLY = "read only"
    DERIVED = "derived"


class Field(msgspec.Struct, frozen=True):
    """One field of a record, of a request or of an answer."""

    kind: Kind
    nullable: bool = False
    required: bool = True
    """True if a request must give the field. Answers always have it."""
    default: Any = None
    """The value of a field that a request leaves out, if the field is not required."""
    access: Access = Access.WRITABLE
    description: str = ""
    """The description of the field in the OpenAPI document: its meaning, its unit, and the meaning of null."""
    example: Any = None
    """A value for the OpenAPI document, as answers show it. If it is None, the document has the kind's usual value."""
    title: str = ""
    """The title of the field on pages. Empty: its name, with blanks."""
    hint: str | None = None
    """The hint in forms, if it says more or less than the description. Empty: no hint."""
    name: str = ""
    """The name of the field, set when the field becomes part of a shape."""
    null_in_answers: bool = False
    """True if answers have null where requests may not give it."""


class Shape(msgspec.Struct):
    """The base of every struct of a request or an answer that holds a record."""

    shape_fields: ClassVar[tuple[Field, ...]] = ()


class AnswerShape(Shape):
    """The base of every struct of an answer that holds a record."""


class Shapes(NamedTuple):
    """The shapes of a resource: of answers, and of creations and changes if clients write it."""

    model: type[Row]
    """The table that holds the records."""
    read: type[Shape]
    write: type[Shape] | None
    change: type[Shape] | None
    fixed: tuple[str, ...]
    """The fields that a request may give only at creation."""
    derived: tuple[str, ...]
    """The fields of answers that no column holds."""
    form: FormLayout = FormLayout()
    """The form of the resource on pages."""


class Given(msgspec.Struct, frozen=True):
    """The members of the JSON object of a request, before they are validated."""

    members: dict[str, Any]


class Parsed(msgspec.Struct, frozen=True):
    """A validated request: the values to store, the errors by field, and the names of unknown fields."""

    values: dict[str, Any]
    errors: Errors
    ignored: tuple[str, ...]


def make_shape(name: str, fields: Iterable[Field], doc: str, base: type[Shape] = Shape) -> type[Shape]:
    """Make the struct with the given fields, in their order."""
    fields = tuple(fields)
    members = [(field.name, Any, NODEFAULT if field.required else field.default) for field in fields]
    namespace = {"__doc__": doc, "shape_fields": fields}
    return msgspec.defstruct(name, members, bases=(base,), namespace=namespace, kw_only=base is Shape)  # type: ignore[return-value]


def request_shape(name: str, fields: Mapping[str, Field], doc: str) -> type[Shape]:
    """Make the struct of a request that is not a record."""
    return make_shape(name, [msgspec.structs.replace(field, name=key) for key, field in fields.items()], doc)


def fields_of(shape: type[Shape]) -> tuple[Field, ...]:
    """Return the fields of a shape, in their order."""
    return shape.shape_fields


def parse_given(shape: type[Shape], body: Given, conventions: Conventions) -> Parsed:
    """Parse the fields that a request gives, each by itself."""
    fields = {field.name: field for field in fields_of(shape)}
    values: dict[str, Any] = {}
    errors: Errors = {}
    for name, value in body.members.items():
        if name in fields:
            try:
                values[name] = _parse(fields[name], value, conventions)
            except FieldError as error:
                errors[name] = [message_of(error)]
    unknown = tuple(name for name in body.members if name not in fields)
    if conventions.is_strict:
        return Parsed(values, {**errors, **unknown_errors(unknown, UNKNOWN, fields)}, ())
    return Parsed(values, errors, unknown)


def _parse(field: Field, value: Json, conventions: Conventions) -> Stored:
    if field.nullable and (value is None or (value == "" and field.kind.blank_is_null)):
        return None
    if value is None:
        raise FieldError(NOT_NULL)
    return field.kind.parse(value, conventions)


def parse_whole(shape: type[Shape], body: Given, conventions: Conventions) -> Parsed:
    """Parse a request that is not a record, with defaults and with errors for missing fields."""
    parsed = parse_given(shape, body, conventions)
    defaults = {field.name: field.default for field in fields_of(shape) if not field.required}
    errors = {**parsed.errors, **missing(shape, body.members)}
    return Parsed({**defaults, **parsed.values}, errors, parsed.ignored)


def missing(shape: type[Shape], names: Iterable[str]) -> Errors:
    """Return an error for each required field that is not given."""
    return {field.name: [REQUIRED] for field in fields_of(shape) if field.required and field.name not in names}


Columns = Sequence[Sequence[Json]]
"""The values of many answers, field by field; each field has its values in the order of the answers."""


def show_all(shape: type[Shape], stored: Mapping[str, Sequence[Any]], links: Links) -> Columns:
    """Return the values of answers from the stored values of each field."""
    return [field.kind.show_all(stored[field.name], links) for field in fields_of(shape)]


def shapes_of(shape: type[Shape], columns: Columns) -> list[Shape]:
    """Return one struct for each record, from the columns of values in the order of the struct's fields."""
    return list(map(shape, *columns))
