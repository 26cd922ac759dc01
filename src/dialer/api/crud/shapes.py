"""Shapes: the structs of requests and answers, and how one becomes the other's opposite.

A shape names the fields of a body; each field's kind (`dialer.api.crud.fields`) is in its annotation. A field without a
default must be given when a record is created.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from types import UnionType
from typing import Annotated, Any, Final, Union, get_args, get_origin, get_type_hints

import msgspec

from dialer.api.crud.fields import Conventions, FieldError, Json, Kind, Stored
from dialer.api.crud.urls import Links
from dialer.api.http.errors import Errors
from dialer.api.http.ignored import unknown_errors

REQUIRED: Final = "This field is required."
UNKNOWN: Final = "This field is unknown or read-only."
NOT_NULL: Final = "This field may not be null."


class Shape(msgspec.Struct):
    """The base of every struct that is a record in a request or in an answer."""


class Field(msgspec.Struct, frozen=True):
    """One field of a shape."""

    name: str
    kind: Kind
    nullable: bool
    required: bool
    default: Any = None


class Given(msgspec.Struct, frozen=True):
    """What a request's object holds, before anything is known about its fields."""

    members: dict[str, Any]


class Parsed(msgspec.Struct, frozen=True):
    """The fields of a request as they would be stored, what is wrong with the others, and what was not asked for."""

    values: dict[str, Any]
    errors: Errors
    ignored: tuple[str, ...]


@lru_cache(maxsize=256)
def fields_of(shape: type[Shape]) -> tuple[Field, ...]:
    """The fields of a shape, in their order."""
    hints = get_type_hints(shape, include_extras=True)
    return tuple(_field(item, hints[item.name]) for item in msgspec.structs.fields(shape))


def _field(item: msgspec.structs.FieldInfo, hint: object) -> Field:
    branches = get_args(hint) if get_origin(hint) in {Union, UnionType} else (hint,)
    kinds = [
        extra
        for branch in branches
        if get_origin(branch) is Annotated
        for extra in branch.__metadata__
        if isinstance(extra, Kind)
    ]
    return Field(
        name=item.name,
        kind=kinds[0] if kinds else Kind(),
        nullable=type(None) in branches,
        required=item.required,
        default=None if item.required else item.default,
    )


def parse_given(shape: type[Shape], given: Given, conventions: Conventions) -> Parsed:
    """The fields that a request gives, each judged by itself."""
    fields = {field.name: field for field in fields_of(shape)}
    values: dict[str, Any] = {}
    errors: Errors = {}
    for name, value in given.members.items():
        if name in fields:
            try:
                values[name] = _parse(fields[name], value, conventions)
            except FieldError as error:
                errors[name] = [str(error)]
    unknown = tuple(name for name in given.members if name not in fields)
    if conventions.is_strict:
        return Parsed(values, {**errors, **unknown_errors(unknown, UNKNOWN)}, ())
    return Parsed(values, errors, unknown)


def _parse(field: Field, value: Json, conventions: Conventions) -> Stored:
    if field.nullable and (value is None or (value == "" and field.kind.blank_is_null)):
        return None
    if value is None:
        raise FieldError(NOT_NULL)
    return field.kind.parse(value, conventions)


def parse_whole(shape: type[Shape], given: Given, conventions: Conventions) -> Parsed:
    """The same for a request that is no record: with defaults, and with errors for what is missing."""
    parsed = parse_given(shape, given, conventions)
    defaults = {field.name: field.default for field in fields_of(shape) if not field.required}
    errors = {**parsed.errors, **missing(shape, given.members)}
    return Parsed({**defaults, **parsed.values}, errors, parsed.ignored)


def missing(shape: type[Shape], given: Iterable[str]) -> Errors:
    """An error for every required field that is not given."""
    return {field.name: [REQUIRED] for field in fields_of(shape) if field.required and field.name not in given}


Columns = Sequence[Sequence[Json]]
"""The values of many answers, field by field, each field's in the same order."""


def show_all(shape: type[Shape], stored: Mapping[str, Sequence[Any]], links: Links) -> Columns:
    """The values of answers, from the stored ones of each field by its name."""
    return [field.kind.show_all(stored[field.name], links) for field in fields_of(shape)]


def shapes_of(shape: type[Shape], columns: Columns) -> list[Shape]:
    """Answers, from their values."""
    return list(map(shape, *columns))
