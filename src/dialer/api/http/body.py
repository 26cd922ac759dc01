"""Bodies of writes: strict JSON objects, read whole within the limit, and described by the resource's shape."""

import asyncio
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final

from litestar import Request
from litestar.dto import AbstractDTO, DTOConfig, DTOFieldDefinition
from litestar.exceptions import InternalServerException
from litestar.openapi.spec import Reference, Schema
from litestar.typing import FieldDefinition

from dialer.resources.crud.shapes import Given
from dialer.resources.words.errors import AnsweredError, MalformedError
from dialer.resources.words.headers import header
from dialer.resources.words.strict_json import StrictJsonError, read_object

if TYPE_CHECKING:
    from litestar._openapi.schema_generation import SchemaCreator

BODY_BYTES_MAX: Final = 1_048_576
BODY_SECONDS_MAX: Final = 30
"""The time that a client has to send a body."""
IDENTITY: Final = "identity"
"""The content coding of a body that is not compressed."""
CODING_SHOWN_MAX: Final = 40
"""Characters of a wrong content coding that an error repeats."""

_NOT_JSON: Final = "Send the body as application/json."
_WRITES: Final = frozenset({"POST", "PUT", "PATCH"})


async def expect_json(request: Request[Any, Any, Any]) -> None:
    """Refuse a body that is not JSON, does not arrive, or is empty."""
    if request.method not in _WRITES:
        return
    if request.content_type[0].strip().lower() != "application/json":
        raise AnsweredError(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, _NOT_JSON)
    if not await read_whole(request):
        raise MalformedError("JSON parse error - the body is empty.")


async def read_if_any(request: Request[Any, Any, Any]) -> Given:
    """Return the members of an optional body."""
    body = await read_whole(request)
    if not body:
        return Given({})
    if request.content_type[0].strip().lower() != "application/json":
        raise AnsweredError(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, _NOT_JSON)
    return _members(body)


@contextmanager
def told_if_cut_off() -> Iterator[None]:
    """Answer 400 if the client leaves before the end of the body. The framework would answer 500."""
    try:
        yield
    except InternalServerException:
        raise MalformedError("The body ends before it should.") from None


def refuse_compressed(request: Request[Any, Any, Any]) -> None:
    """Answer 415 for a body with a `Content-Encoding`, which would be read as damaged text (RFC 9110, 12.5.3)."""
    coding = header(request.scope, b"content-encoding")
    if coding is not None and coding.strip().lower() != IDENTITY:
        detail = f"{coding[:CODING_SHOWN_MAX]!r} is not an accepted Content-Encoding. Send the body uncompressed."
        raise AnsweredError(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, detail, {"Accept-Encoding": IDENTITY})


async def read_whole(request: Request[Any, Any, Any]) -> bytes:
    """Return the body. Answer 415 if it is compressed, 408 if it does not arrive in time, and 400 if it is cut off."""
    refuse_compressed(request)
    try:
        # The server runs on asyncio, whose timeout costs less than a cancel scope.
        async with asyncio.timeout(BODY_SECONDS_MAX):
            with told_if_cut_off():
                return await request.body()
    except TimeoutError:
        raise AnsweredError(HTTPStatus.REQUEST_TIMEOUT, "The body did not arrive in time.") from None


def _members(body: bytes) -> Given:
    try:
        return Given(read_object(body))
    except StrictJsonError as error:
        raise MalformedError(str(error)) from None


class StrictBody(AbstractDTO[Any]):
    """A decoder that gives a handler the members of the JSON object of a request, not validated, as a `Given`.

    The annotated type of the handler only describes the fields in the OpenAPI document.

    The unit of work checks the fields, because it has the record and the references, and reports all errors at once.
    """

    config = DTOConfig()

    def decode_bytes(self, value: bytes) -> Given:
        """Return the members of the JSON object that a request has as its body."""
        return _members(value)

    @classmethod
    def create_for_field_definition(
        cls, field_definition: FieldDefinition, handler_id: str, backend_cls: object = None
    ) -> None:
        """Generate nothing, because the shapes know their fields."""

    @classmethod
    def create_openapi_schema(
        cls,
        field_definition: FieldDefinition,
        handler_id: str,  # noqa: ARG003 - the framework's signature
        schema_creator: "SchemaCreator",
    ) -> Reference | Schema:
        """Return the schema of the annotated shape."""
        described: Reference | Schema = schema_creator.for_field_definition(
            FieldDefinition.from_annotation(field_definition.annotation)
        )
        return described

    @classmethod
    def generate_field_definitions(
        cls,
        model_type: type[Any],  # noqa: ARG003 - the framework's signature
    ) -> Generator[DTOFieldDefinition, None, None]:
        """Yield nothing; see `create_for_field_definition`."""
        yield from ()

    @classmethod
    def detect_nested_field(
        cls,
        field_definition: FieldDefinition,  # noqa: ARG003 - the framework's signature
    ) -> bool:
        """Return False: no field of a shape is a shape."""
        return False
