"""Structs of answers in the OpenAPI document, with their docstrings and the descriptions of all their fields."""

import inspect
from typing import TYPE_CHECKING, Annotated, Any, get_args, get_origin, get_type_hints

import msgspec
from litestar._openapi.schema_generation.plugins.struct import StructSchemaPlugin
from litestar.openapi.spec import Reference, Schema
from litestar.typing import FieldDefinition

from dialer.resources.crud.shapes import Shape

if TYPE_CHECKING:
    from litestar._openapi.schema_generation import SchemaCreator


class DescribedStructPlugin(StructSchemaPlugin):
    """A plugin that keeps what the framework drops: docstrings, and the descriptions of fields that are structs."""

    def is_plugin_supported_field(self, field_definition: FieldDefinition) -> bool:
        """Return whether the field is a struct, but not a shape."""
        return super().is_plugin_supported_field(field_definition) and not field_definition.is_subclass_of(Shape)

    def to_openapi_schema(self, field_definition: FieldDefinition, schema_creator: "SchemaCreator") -> Schema:
        """Return the schema of a struct as a named component."""
        schema = super().to_openapi_schema(field_definition, schema_creator)
        struct = field_definition.annotation
        schema.description = inspect.cleandoc(struct.__doc__) if struct.__doc__ else None
        for name, hint in get_type_hints(struct, include_extras=True).items():
            found = (schema.properties or {}).get(name)
            if isinstance(found, Reference) and schema.properties is not None:
                schema.properties[name] = Schema(all_of=[found], description=_description(hint))
        return schema


def _description(hint: Any) -> str | None:  # noqa: ANN401 - a type
    """Return the description in the metadata of a type."""
    if get_origin(hint) is not Annotated:
        return None
    return next((meta.description for meta in get_args(hint) if isinstance(meta, msgspec.Meta)), None)
