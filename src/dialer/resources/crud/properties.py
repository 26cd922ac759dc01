"""Fields as properties in the OpenAPI document: schema, description, example and default."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import msgspec
from litestar.openapi.spec import OpenAPIMediaType, Operation, Reference, RequestBody, Schema
from litestar.openapi.spec.enums import OpenAPIType

from dialer.resources.crud import references
from dialer.resources.crud.fields import (
    Amount,
    Boolean,
    Choice,
    Integer,
    JsonObject,
    Kind,
    PhoneNumber,
    Stored,
    Text,
    TextChoice,
)
from dialer.resources.crud.moments import TimeOfDay, Timestamp
from dialer.resources.crud.references import ReferenceList
from dialer.resources.crud.shapes import Access, Field, Shape, fields_of
from dialer.resources.crud.urls import PREFIX, Links

MOMENT_MS: Final = 1_795_000_000_000
NUMBER: Final = "+12025550100"
JSON: Final = "application/json"

_LINKS: Final = Links(base="https://dialer.example", hosts=frozenset())
_NEVER_WRITTEN: Final = frozenset({Access.READ_ONLY, Access.DERIVED})
_WITH_DEFAULT: Final = (Boolean, Integer, Choice, TextChoice, Text, TimeOfDay)
"""The kinds whose default is one value, known before the request. The description has the default of other kinds."""


def property_schema(field: Field, *, is_request: bool, has_default: bool) -> Schema:
    """Return the schema of a field in a request or in an answer."""
    schema = field.kind.accepted() if is_request else field.kind.schema()
    described = Schema(one_of=[schema, Schema(type=OpenAPIType.NULL)]) if field.nullable else schema
    example = example_in_request(field) if is_request else answered(field)
    described.description = field.description or None
    described.examples = None if example == "" else [example]
    described.read_only = True if field.access in _NEVER_WRITTEN and not is_request else None
    if has_default and not field.required and field.default is not None and isinstance(field.kind, _WITH_DEFAULT):
        described.default = field.kind.show(field.default, _LINKS)
    return described


def describe_request(shape: type[Shape], *, is_required: bool) -> type[Operation]:
    """Return the OpenAPI operation of a handler that reads its JSON body by itself."""

    @dataclass
    class ShapeOperation(Operation):
        def __post_init__(self) -> None:
            content = {JSON: OpenAPIMediaType(schema=_body(shape))}
            self.request_body = RequestBody(content=content, required=is_required)

    return ShapeOperation


def _body(shape: type[Shape]) -> Schema:
    fields = fields_of(shape)
    properties: Mapping[str, Reference | Schema] = {
        field.name: property_schema(field, is_request=True, has_default=True) for field in fields
    }
    return Schema(
        type=OpenAPIType.OBJECT,
        description=shape.__doc__,
        properties=dict(properties),
        required=[field.name for field in fields if field.required] or None,
    )


def answered(field: Field) -> Any:  # noqa: ANN401 - a JSON value
    """Return an example of a field in a response, as a JSON value that is not null; empty if none is declared."""
    if field.example is not None:
        return field.example
    shown = field.kind.show(_usual(field.kind), _LINKS)
    return msgspec.json.decode(msgspec.json.encode(shown))


def example_in_request(field: Field) -> Any:  # noqa: ANN401 - a JSON value
    """Return an example of a field in a request: references are paths."""
    kind = field.kind
    if isinstance(kind, ReferenceList):
        return [f"{PREFIX}/{kind.path}/1/"]
    if isinstance(kind, references.Reference):
        return "1" if kind.shown_as_id else f"{PREFIX}/{kind.path}/1/"
    return answered(field)


def _usual(kind: Kind) -> Stored:
    """Return the usual stored value of a kind of field."""
    if isinstance(kind, Choice):
        return min(item.value for item in kind.values if item.value > 0)
    if isinstance(kind, Integer):
        return max(kind.minimum, 1)
    if isinstance(kind, TextChoice):
        return next(value for value in kind.values if value)
    return next((value for kind_class, value in _USUAL if isinstance(kind, kind_class)), "")


_USUAL: Final[tuple[tuple[type[Kind], Stored], ...]] = (
    (ReferenceList, (1,)),
    (references.Reference, 1),
    (Boolean, True),
    (Amount, 1_000_000),
    (Timestamp, MOMENT_MS),
    (TimeOfDay, "09:00:00"),
    (JsonObject, '{"city":"Boston"}'),
    (PhoneNumber, NUMBER),
)
