"""Bodies that are too large to be read or written whole, and the description of what they hold."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from http import HTTPStatus

from litestar.openapi.spec import OpenAPIMediaType, OpenAPIResponse, Operation, RequestBody, Schema

from dialer.api.http.body import told_if_cut_off
from dialer.api.http.errors import AnsweredError
from dialer.api.service import ApiRequest


def expect_type(request: ApiRequest, media_type: str) -> dict[str, str]:
    """The parameters of the body's `Content-Type`, which must be `media_type`: else 415."""
    given, parameters = request.content_type
    if given.strip().lower() != media_type:
        raise AnsweredError(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, f"Send the body as {media_type}.")
    return {name.lower(): value for name, value in parameters.items()}


async def pieces(request: ApiRequest) -> AsyncIterator[bytes]:
    """The body as it arrives, never empty pieces; 400 if the client goes before its end."""
    with told_if_cut_off():
        async for piece in request.stream():
            if piece:
                yield piece


def describe_body(media_type: str, schema: Schema) -> type[Operation]:
    """The OpenAPI operation of a handler that reads its body from the stream."""

    @dataclass
    class StreamOperation(Operation):
        def __post_init__(self) -> None:
            self.request_body = RequestBody(content={media_type: OpenAPIMediaType(schema=schema)}, required=True)

    return StreamOperation


def describe_answer(media_type: str, schema: Schema) -> type[Operation]:
    """The OpenAPI operation of a handler whose answer is no JSON."""

    @dataclass
    class FileOperation(Operation):
        def __post_init__(self) -> None:
            content = {media_type: OpenAPIMediaType(schema=schema)}
            self.responses = {**(self.responses or {}), "200": OpenAPIResponse(description="Done", content=content)}

    return FileOperation
