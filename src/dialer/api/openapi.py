"""The OpenAPI document: what the framework makes of the handlers, with what it cannot know put in."""

from collections.abc import Iterator
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final

import msgspec
from litestar import Litestar, MediaType, Response, Router
from litestar.connection import Request
from litestar.handlers import HTTPRouteHandler
from litestar.openapi.config import OpenAPIConfig
from litestar.openapi.plugins import OpenAPIRenderPlugin
from litestar.openapi.spec import Components, Schema, SecurityScheme
from litestar.openapi.spec.enums import OpenAPIType
from litestar.plugins import OpenAPISchemaPlugin
from litestar.types import Method
from litestar.types.internal_types import PathParameterDefinition
from litestar.typing import FieldDefinition

from dialer import __version__
from dialer.api.description import complete
from dialer.api.errors import RecordNotFoundError
from dialer.api.fields import Reference
from dialer.api.links import URL_PATHS
from dialer.api.resources import RESOURCES
from dialer.api.shapes import Field, Shape, fields_of

if TYPE_CHECKING:
    from litestar._openapi.schema_generation import SchemaCreator

SECURITY: Final = "basic"
DESCRIPTION: Final = "Outbound voice and SMS campaigns: phonebooks, surveys, campaigns, calls and what they cost."
_RECORDS: Final = frozenset({"record", "records"})


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
        is_request = shape not in _ANSWERS
        schema.properties = {field.name: _property(field, is_request=is_request) for field in fields_of(shape)}
        schema.description = shape.__doc__
        return schema


def _required(shape: type[Shape]) -> Iterator[str]:
    return (field.name for field in fields_of(shape) if field.required)


def _property(field: Field, *, is_request: bool) -> Schema:
    schema = field.kind.accepted() if is_request else field.kind.schema()
    has_default = not field.required and field.default is not None
    if has_default and not isinstance(field.kind, Reference) and schema.type in _PLAIN:
        schema.default = field.default
    if field.nullable:
        return Schema(one_of=[schema, Schema(type=OpenAPIType.NULL)])
    return schema


_ANSWERS: Final = frozenset(resource.read for resource in RESOURCES)
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
        use_handler_docstrings=True,
        operation_id_creator=_operation_id,
        openapi_router=router,
        render_plugins=[_DocumentPlugin(path=("/", "/openapi.json"))],
    )


def _operation_id(handler: HTTPRouteHandler, method: Method, components: list[str | PathParameterDefinition]) -> str:
    """What is done, to which resource: `create_phonebook`."""
    verb, _, what = handler.handler_name.partition("_")
    place = str(components[1] if len(components) > 1 else "").replace("-", "_")
    if what in _RECORDS:
        return f"{'put' if method == 'PUT' else verb}_{place}"
    return f"{handler.handler_name}_{place}" if place in URL_PATHS.values() else handler.handler_name


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
