"""Bodies that are too large to read or write whole, and their description in OpenAPI."""

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus

from litestar.openapi.spec import OpenAPIMediaType, OpenAPIResponse, Operation, Parameter, RequestBody, Schema

from dialer.api.http.body import refuse_compressed, told_if_cut_off
from dialer.api.service import ApiRequest
from dialer.resources.words.errors import AnsweredError


def expect_type(request: ApiRequest, media_type: str, *, or_else: str = "") -> dict[str, str]:
    """Return the parameters of the `Content-Type`; answer 415, which ends in `or_else`, for another type."""
    sent_type, parameters = request.content_type
    if sent_type.strip().lower() != media_type:
        raise AnsweredError(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, f"Send the body as {media_type}.{or_else}")
    return {name.lower(): value for name, value in parameters.items()}


async def pieces(request: ApiRequest) -> AsyncIterator[bytes]:
    """Yield the body as it arrives, in pieces that are not empty.

    Answer 415 if it is compressed, and 400 if the client leaves before its end.
    """
    refuse_compressed(request)
    with told_if_cut_off():
        async for piece in request.stream():
            if piece:
                yield piece


def describe_bodies(content: Mapping[str, OpenAPIMediaType], parameters: Sequence[Parameter] = ()) -> type[Operation]:
    """Return the OpenAPI operation of a handler that takes a body of one of several types, and query parameters."""

    @dataclass
    class StreamOperation(Operation):
        def __post_init__(self) -> None:
            self.request_body = RequestBody(content=dict(content), required=True)
            self.parameters = [*(self.parameters or ()), *parameters]

    return StreamOperation


def describe_answer(schemas: Mapping[str, Schema]) -> type[Operation]:
    """Return the OpenAPI operation of a handler whose answer is not JSON, with the schema of each media type."""

    @dataclass
    class FileOperation(Operation):
        def __post_init__(self) -> None:
            content = {media_type: OpenAPIMediaType(schema=schema) for media_type, schema in schemas.items()}
            self.responses = {**(self.responses or {}), "200": OpenAPIResponse(description="Done", content=content)}

    return FileOperation
