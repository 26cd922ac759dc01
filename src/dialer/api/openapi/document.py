"""The OpenAPI document: the framework generates it from the handlers, and this package completes it."""

from collections.abc import Iterator
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final

import msgspec
from litestar import Litestar, MediaType, Response, Router
from litestar.connection import Request
from litestar.handlers import HTTPRouteHandler
from litestar.openapi.config import OpenAPIConfig
from litestar.openapi.plugins import OpenAPIRenderPlugin
from litestar.openapi.spec import Components, License, Schema, SecurityScheme
from litestar.plugins import OpenAPISchemaPlugin
from litestar.types import Method
from litestar.types.internal_types import PathParameterDefinition
from litestar.typing import FieldDefinition

from dialer import __version__
from dialer.api.openapi.guide import GUIDE
from dialer.api.service import SERVICE, Service
from dialer.resources.crud.declaration import CHANGE
from dialer.resources.crud.properties import property_schema
from dialer.resources.crud.shapes import AnswerShape, Shape, fields_of
from dialer.resources.crud.urls import URL_PATHS
from dialer.resources.words.errors import RecordNotFoundError

if TYPE_CHECKING:
    from litestar._openapi.schema_generation import SchemaCreator

SECURITY: Final = {
    "basic": SecurityScheme(type="http", scheme="basic", description="The user name and the password of a user."),
    "bearer": SecurityScheme(
        type="http",
        scheme="bearer",
        description="An API key, which begins with `dk_`. Its scopes limit the permissions of its user.",
    ),
}
"""The ways to authenticate a request; one is enough."""
_RECORDS: Final = frozenset({"record", "records"})
_SEVERAL: Final = frozenset({"list", "clear"})
"""Verbs of operations on several records."""
_NOUNS: Final = {
    "audio_files": ("audio", "audio_files"),
    "audit_log": ("audit_log_entry", "audit_log"),
    "ledger": ("ledger_entry", "ledger"),
    "subscriber_list": ("subscriber", "subscribers"),
}
"""The words for one record and for several of a path whose words do not differ by an `s`."""


class ShapePlugin(OpenAPISchemaPlugin):
    """A plugin that describes shapes by the kinds of their fields."""

    def is_plugin_supported_field(self, field_definition: FieldDefinition) -> bool:
        """Return whether the field is a shape."""
        return not field_definition.is_union and bool(field_definition.is_subclass_of(Shape))

    def to_openapi_schema(self, field_definition: FieldDefinition, schema_creator: "SchemaCreator") -> Schema:
        """Return the OpenAPI schema of the struct of a request or an answer, as a named component of the document."""
        shape: type[Shape] = field_definition.annotation
        schema: Schema = schema_creator.create_component_schema(
            field_definition, required=sorted(_required(shape)), property_fields={}
        )
        is_request = not issubclass(shape, AnswerShape)
        # A change has no defaults, as it leaves absent fields unchanged.
        has_default = is_request and not shape.__name__.endswith(CHANGE)
        schema.properties = {
            field.name: property_schema(field, is_request=is_request, has_default=has_default)
            for field in fields_of(shape)
        }
        schema.description = shape.__doc__
        return schema


def _required(shape: type[Shape]) -> Iterator[str]:
    return (field.name for field in fields_of(shape) if field.required)


def openapi_config() -> OpenAPIConfig:
    """Return the configuration of the document.

    The page is our own, as the pages of the framework load scripts from other servers.
    """
    router = Router(
        "/schema", route_handlers=[], after_request=_guarded, include_in_schema=False, dto=None, return_dto=None
    )
    return OpenAPIConfig(
        title="dialer",
        version=__version__,
        description=GUIDE,
        license=License(name="MIT", identifier="MIT"),
        components=Components(security_schemes=dict(SECURITY)),
        security=[{name: []} for name in SECURITY],
        use_handler_docstrings=True,
        operation_id_creator=_operation_id,
        openapi_router=router,
        render_plugins=[_PagePlugin(path="/", media_type=MediaType.HTML), _DocumentPlugin(path="/openapi.json")],
    )


def _operation_id(handler: HTTPRouteHandler, method: Method, components: list[str | PathParameterDefinition]) -> str:
    """Return the id of an operation: the action and the record or records, as `create_phonebook`, `list_phonebooks`."""
    verb, _, noun = handler.handler_name.partition("_")
    place = str(components[1] if len(components) > 1 else "").replace("-", "_")
    if noun in _RECORDS:
        one, several = _NOUNS.get(place, (place.removesuffix("s"), f"{place.removesuffix('s')}s"))
        return f"{'put' if method == 'PUT' else verb}_{several if verb in _SEVERAL else one}"
    return f"{handler.handler_name}_{place}" if place in URL_PATHS.values() else handler.handler_name


class _DocumentPlugin(OpenAPIRenderPlugin):
    """A plugin that serves the document as JSON."""

    def __init__(self, path: str) -> None:
        super().__init__(path=path, media_type=MediaType.JSON)

    def render(self, request: Request[Any, Any, Any], openapi_schema: dict[str, Any]) -> bytes:
        """Return the complete document as JSON."""
        from dialer.api.openapi.sharing import shared  # noqa: PLC0415 - as in `_complete`

        return msgspec.json.encode(shared(_complete(openapi_schema, request.app)))


class _PagePlugin(OpenAPIRenderPlugin):
    """A plugin that serves the document as an HTML page."""

    def render(self, request: Request[Any, Any, Any], openapi_schema: dict[str, Any]) -> bytes:
        """Return the complete document as HTML."""
        from dialer.api.openapi.openapi_page import render  # noqa: PLC0415 - as in `_complete`

        return render(_complete(openapi_schema, request.app)).encode()


async def _guarded(response: Response[Any]) -> Response[Any]:
    """Return the response with a Content-Security-Policy.

    Raises:
        RecordNotFoundError: the path is unknown. The framework would respond with HTML, but all our errors are JSON.
    """
    from dialer.api.openapi.openapi_page import CONTENT_SECURITY_POLICY  # noqa: PLC0415 - as in `_complete`

    if response.status_code == HTTPStatus.NOT_FOUND:
        raise RecordNotFoundError
    response.headers["Content-Security-Policy"] = CONTENT_SECURITY_POLICY
    return response


def _complete(openapi_schema: dict[str, Any], app: Litestar) -> dict[str, Any]:
    """Return the document of the framework with all that the API says of itself."""
    from dialer.api.openapi.description import complete  # noqa: PLC0415 - a start need not wait for the document's parts

    service: Service = app.state[SERVICE]
    return complete(openapi_schema, service.resources)


def document(app: Litestar) -> dict[str, Any]:
    """Return the complete OpenAPI document of an application as JSON values."""
    return _complete(app.openapi_schema.to_schema(), app)


def served_document(app: Litestar) -> dict[str, Any]:
    """Return the OpenAPI document of an application as it is served: what it repeats is a component."""
    from dialer.api.openapi.sharing import shared  # noqa: PLC0415 - as in `_complete`

    return shared(document(app))
