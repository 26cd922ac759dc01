"""Enumerations of the OpenAPI document as named schemas, each described once and referred to everywhere else."""

from typing import Any, Final

from dialer.api.openapi.parts import Json
from dialer.domain.words.enum_descriptions import DescribedInt, DescribedText
from dialer.domain.words.reasons import Reason
from dialer.resources.crud.enumerations import DESCRIPTIONS, VARNAMES, enum_schema

_NAMED: Final = ("title", "type", "enum", VARNAMES, DESCRIPTIONS)
"""The keywords of an enumeration; further keywords beside them belong to the property."""


def with_named_enumerations(document: Json) -> Json:
    """Return the document in which every enumeration that has a title is a component.

    Generated clients then have one type for an enumeration, with the names of its values.
    """
    named_before = document["components"]["schemas"]
    enums = (*DescribedInt.__subclasses__(), *DescribedText.__subclasses__(), *Reason.__subclasses__())
    found = {enum.__name__: enum_schema(enum).to_schema() for enum in enums if enum.__name__ in named_before}
    replaced: Json = _replaced(document, found)
    schemas = replaced["components"]["schemas"]
    named = {name: _told(schema) for name, schema in found.items()}
    return {**replaced, "components": {**replaced["components"], "schemas": {**schemas, **named}}}


def _replaced(node: Any, found: dict[str, Json]) -> Any:  # noqa: ANN401 - JSON values
    """Return a part of the document with references in place of enumerations, which are added to `found`."""
    if isinstance(node, list):
        return [_replaced(item, found) for item in node]
    if not isinstance(node, dict):
        return node
    if VARNAMES not in node or "title" not in node:
        return {name: _replaced(item, found) for name, item in node.items()}
    part = {name: node[name] for name in _NAMED}
    if found.setdefault(node["title"], part) != part:
        # Some values of an enumeration stay where they are: the name belongs to all values.
        return node
    reference = {"$ref": f"#/components/schemas/{node['title']}"}
    others = {name: value for name, value in node.items() if name not in _NAMED}
    return {"allOf": [reference], **others} if others else reference


def _told(schema: Json) -> Json:
    """Return the schema of an enumeration with a description of all its values."""
    lines = [
        f"- `{value}` {name}: {meaning}"
        for value, name, meaning in zip(schema["enum"], schema[VARNAMES], schema[DESCRIPTIONS], strict=True)
    ]
    return {**schema, "description": "\n".join(lines), "examples": [next(value for value in schema["enum"] if value)]}
