"""The OpenAPI document: what the framework makes of the handlers, with what it cannot know put in."""

from collections.abc import Iterator
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final

import msgspec
from litestar import Litestar, MediaType, Response, Router
from litestar.connection import Request
from litestar.openapi.config import OpenAPIConfig
from litestar.openapi.plugins import OpenAPIRenderPlugin
from litestar.openapi.spec import Components, Schema, SecurityScheme
from litestar.openapi.spec.enums import OpenAPIType
from litestar.plugins import OpenAPISchemaPlugin
from litestar.typing import FieldDefinition

from dialer import __version__
from dialer.api.errors import RecordNotFoundError
from dialer.api.fields import Reference
from dialer.api.links import ID_MAX, PREFIX
from dialer.api.listing import PAGE_SIZE, PAGE_SIZE_MAX, filters_of
from dialer.api.resource import Resource
from dialer.api.resources import RESOURCES
from dialer.api.shapes import Field, Shape, fields_of

if TYPE_CHECKING:
    from litestar._openapi.schema_generation import SchemaCreator

SECURITY: Final = "basic"
DESCRIPTION: Final = "Outbound voice and SMS campaigns: phonebooks, surveys, campaigns, calls and what they cost."
_ERRORS: Final = {
    "401": "No valid credentials",
    "403": "Not permitted",
    "404": "No such record, or page",
    "409": "The state of the record forbids it",
    "413": "The body is too large",
    "415": "The body is not JSON",
    "429": "Too many requests",
    "503": "The database is out of reach",
}


class ShapePlugin(OpenAPISchemaPlugin):
    """Describes shapes by the kinds of their fields."""

    def is_plugin_supported_field(self, field_definition: FieldDefinition) -> bool:
        """Whether it is a shape."""
        return not field_definition.is_union and bool(field_definition.is_subclass_of(Shape))

    def to_openapi_schema(self, field_definition: FieldDefinition, schema_creator: "SchemaCreator") -> Schema:
        """The shape as a named component."""
        shape: type[Shape] = field_definition.annotation
        schema: Schema = schema_creator.create_component_schema(
            field_definition, required=sorted(_required(shape)), property_fields={}
        )
        schema.properties = {field.name: _property(field) for field in fields_of(shape)}
        schema.description = shape.__doc__
        return schema


def _required(shape: type[Shape]) -> Iterator[str]:
    return (field.name for field in fields_of(shape) if field.required)


def _property(field: Field) -> Schema:
    schema = field.kind.schema()
    has_default = not field.required and field.default is not None
    if has_default and not isinstance(field.kind, Reference) and schema.type in _PLAIN:
        schema.default = field.default
    if field.nullable:
        return Schema(one_of=[schema, Schema(type=OpenAPIType.NULL)])
    return schema


_PLAIN: Final = (OpenAPIType.BOOLEAN, OpenAPIType.INTEGER)


def openapi_config() -> OpenAPIConfig:
    """The document's configuration: served as JSON alone, as the framework's pages load scripts from elsewhere."""
    router = Router(
        "/schema", route_handlers=[], after_request=_no_page, include_in_schema=False, dto=None, return_dto=None
    )
    return OpenAPIConfig(
        title="dialer",
        version=__version__,
        description=DESCRIPTION,
        components=Components(security_schemes={SECURITY: SecurityScheme(type="http", scheme="basic")}),
        security=[{SECURITY: []}],
        openapi_router=router,
        render_plugins=[_DocumentPlugin(path=("/", "/openapi.json"))],
    )


class _DocumentPlugin(OpenAPIRenderPlugin):
    """Serves the document as JSON."""

    def __init__(self, path: tuple[str, ...]) -> None:
        super().__init__(path=path, media_type=MediaType.JSON)

    def render(self, request: Request[Any, Any, Any], openapi_schema: dict[str, Any]) -> bytes:  # noqa: ARG002
        """The document, complete."""
        return msgspec.json.encode(complete(openapi_schema))


async def _no_page(response: Response[Any]) -> Response[Any]:
    """The framework answers other paths beside the document with a page of HTML; here every error is JSON."""
    if response.status_code == HTTPStatus.NOT_FOUND:
        raise RecordNotFoundError
    return response


def document(app: Litestar) -> dict[str, Any]:
    """The OpenAPI document of an application, as JSON values."""
    return complete(app.openapi_schema.to_schema())


def complete(generated: dict[str, Any]) -> dict[str, Any]:
    """A generated document with what the framework loses: trailing slashes, kinds of ids, filters and errors."""
    lists = {f"{PREFIX}/{resource.path}/": resource for resource in RESOURCES}
    paths = {}
    for path, item in generated["paths"].items():
        full = f"{path}/" if path.startswith(PREFIX) else path
        paths[full] = {
            method: _operation(operation, full, lists.get(full) if method == "get" else None)
            for method, operation in item.items()
        }
    components = generated["components"]
    schemas = {**components.get("schemas", {}), **_ERROR_SCHEMAS}
    return {**generated, "paths": paths, "components": {**components, "schemas": schemas}}


def _operation(operation: dict[str, Any], path: str, listed: Resource | None) -> dict[str, Any]:
    if not path.startswith(PREFIX):
        return operation
    parameters = [_parameter(parameter) for parameter in operation.get("parameters", [])]
    if listed is not None:
        parameters += _list_parameters(listed)
    errors = {status: _error(text, "Error") for status, text in _ERRORS.items()}
    errors["400"] = _error("What is wrong with each field", "FieldErrors")
    responses = {status: _answer(status, found) for status, found in operation["responses"].items()}
    return {**operation, "parameters": parameters, "responses": {**responses, **errors}}


def _answer(status: str, found: dict[str, Any]) -> dict[str, Any]:
    """An answer; that to a change has no body."""
    return {"description": "Changed"} if status == str(HTTPStatus.ACCEPTED.value) else found


def _parameter(parameter: dict[str, Any]) -> dict[str, Any]:
    if parameter["name"] != "record_id":
        return parameter
    return {**parameter, "schema": {"type": "integer", "format": "int64", "minimum": 1, "maximum": ID_MAX}}


def _list_parameters(resource: Resource) -> list[dict[str, Any]]:
    paging = {
        "page": {"type": "integer", "minimum": 1, "default": 1},
        "page_size": {"type": "integer", "minimum": 1, "maximum": PAGE_SIZE_MAX, "default": PAGE_SIZE},
    }
    filters = {name: item.kind.schema().to_schema() for name, item in filters_of(resource).items()}
    return [
        {"name": name, "in": "query", "required": False, "schema": schema}
        for name, schema in {**paging, **filters}.items()
    ]


def _error(description: str, schema: str) -> dict[str, Any]:
    reference = {"$ref": f"#/components/schemas/{schema}"}
    return {"description": description, "content": {"application/json": {"schema": reference}}}


_ERROR_SCHEMAS: Final = {
    "Error": {
        "type": "object",
        "required": ["detail"],
        "properties": {"detail": {"type": "string"}},
    },
    "FieldErrors": {
        "description": "Messages by field, or a `detail` when the body could not be read.",
        "type": "object",
        "additionalProperties": {
            "oneOf": [{"type": "array", "items": {"type": "string"}}, {"type": "string"}],
        },
    },
}
