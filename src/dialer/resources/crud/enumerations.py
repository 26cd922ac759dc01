"""Enumerations in the OpenAPI document: each value with a name for programs and a meaning for people."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Final

from litestar.openapi.spec import Schema
from litestar.openapi.spec.enums import OpenAPIType

VARNAMES: Final = "x-enum-varnames"
DESCRIPTIONS: Final = "x-enum-descriptions"
NO_VALUE: Final = "NONE"
"""The name of an empty string among the values."""


@dataclass
class EnumSchema(Schema):
    """A schema with the extensions that code generators read: names of the values, and their meanings."""

    varnames: list[str] | None = field(default=None, metadata={"alias": VARNAMES})
    meanings: list[str] | None = field(default=None, metadata={"alias": DESCRIPTIONS})


def enum_schema(members: Iterable[Enum]) -> EnumSchema:
    """Return the schema of some members of one enumeration."""
    members = tuple(members)
    kind = type(members[0])
    values: list[Any] = [member.value for member in members]
    return EnumSchema(
        title=kind.__name__,
        type=OpenAPIType.INTEGER if isinstance(values[0], int) else OpenAPIType.STRING,
        enum=values,
        varnames=[member.name for member in members],
        meanings=[getattr(member, "description", "") for member in members],
    )


def text_schema(values: Iterable[str], meanings: Mapping[str, str], title: str = "") -> EnumSchema:
    """Return the schema of strings: members of an enumeration, perhaps with an empty string, or plain strings."""
    members = [value for value in values if isinstance(value, Enum)]
    schema = enum_schema(members) if members else EnumSchema(title=title or None, type=OpenAPIType.STRING)
    meaning_of = {**meanings, **dict(zip(schema.enum or (), schema.meanings or (), strict=True))}
    names = dict(zip(schema.enum or (), schema.varnames or (), strict=True))
    schema.enum = [str(value) for value in values]
    schema.varnames = [names.get(value) or _varname(value) for value in schema.enum]
    schema.meanings = [meaning_of.get(value, "") for value in schema.enum]
    return schema


def listed(meanings: Mapping[Any, str]) -> str:
    """Return the values of a text that may get further values, each with its meaning, for a description."""
    return "; ".join(f"`{value}`: {meaning}" for value, meaning in meanings.items())


def _varname(value: str) -> str:
    name = value.upper().replace("-", "_").replace(".", "_") or NO_VALUE
    return f"VALUE_{name}" if name[0].isdigit() else name
