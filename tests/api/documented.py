"""Requests that schemathesis generates from the OpenAPI document, sent to the application in this process."""

import json
from datetime import datetime
from itertools import count
from typing import Any, TypeAlias

import httpx
import requests
import schemathesis
from hypothesis import strategies as st
from litestar import Litestar
from litestar.testing import TestClient
from litestar.testing.transport import TestClientTransport
from schemathesis import Case
from schemathesis.config import SchemathesisConfig
from schemathesis.core.transport import Response
from schemathesis.schemas import APIOperation
from schemathesis.specs.openapi._auth_retry import INVALID_AUTH_HEADERS
from schemathesis.specs.openapi.schemas import OpenApiSchema
from schemathesis.transport import SerializationContext
from schemathesis.transport.requests import REQUESTS_TRANSPORT, RequestsTransport

from dialer.api.openapi.document import document
from dialer.resources.crud.moments import YEAR_MAX, YEAR_MIN
from tests.api.harness import HOST, PASSWORD

AnyCase: TypeAlias = Case[Any]
AnyOperation: TypeAlias = APIOperation[Any, Any, Any, Any]
ADMIN = ("admin", PASSWORD)
_OF_TRANSPORT = frozenset({"content-length", "host"})
"""Headers that the client sets."""
_MOMENTS = st.datetimes(datetime(YEAR_MIN, 1, 2), datetime(YEAR_MAX, 12, 30))  # noqa: DTZ001 - the zone is added
_numbers = count(1)

# Schemathesis generates any year, and the years of the document's pattern are rare among them.
schemathesis.openapi.format("date-time", _MOMENTS.map(lambda moment: f"{moment.isoformat()}Z"))


def _lines(_: SerializationContext, value: object) -> bytes:
    """Return a generated body of lines, or the description of a browser's sound, as it is sent."""
    if isinstance(value, bytes):
        return value
    return (value if isinstance(value, str) else json.dumps(value)).encode()


for media in ("application/x-ndjson", "application/sdp"):
    schemathesis.serializer(media)(_lines)


class _StrangersTransport(TestClientTransport[TestClient[Litestar]]):
    """A transport whose every request comes from another address, so that wrong passwords are not throttled."""

    def parse_request(self, request: httpx.Request) -> dict[str, Any]:
        number = next(_numbers)
        return {**super().parse_request(request), "client": (f"10.0.{number >> 8}.{number & 255}", 50_000)}


class ClientTransport(RequestsTransport):
    """A transport of schemathesis that sends requests with the test client."""

    def __init__(self, client: TestClient[Litestar]) -> None:
        super().__init__()
        self._copy_serializers_from(REQUESTS_TRANSPORT)
        self._client = client
        self._strangers = httpx.Client(transport=_StrangersTransport(client))  # type: ignore[arg-type] # the framework passes it, too

    def send(self, case: AnyCase, *, auth: tuple[str, str] | None = None, **_: object) -> Response:
        """Send a request with these credentials, or with those of the case."""
        given = requests.Request(**self.serialize_case(case, base_url=f"http://{HOST}")).prepare()
        headers = {name: str(value) for name, value in given.headers.items() if name.lower() not in _OF_TRANSPORT}
        content = given.body.encode() if isinstance(given.body, str) else given.body
        assert content is None or isinstance(content, bytes)
        is_wrong = headers.get("Authorization") in INVALID_AUTH_HEADERS.values()
        client = self._strangers if is_wrong else self._client
        options: dict[str, Any] = {"content": content, "headers": headers}
        return Response.from_any(client.request(str(given.method), str(given.url), **options, auth=auth))


def schema_of(client: TestClient[Litestar]) -> OpenApiSchema:
    """Return the schema of the application's document."""
    return _schema(document(client.app))


def _schema(described: dict[str, Any]) -> OpenApiSchema:
    # NUL is refused in every JSON text, a rule of bodies that no schema can state.
    generation = {"with-security-parameters": False, "allow-x00": False}
    config = SchemathesisConfig.from_dict({"generation": generation})
    return schemathesis.openapi.from_dict(described, config=config)


def without_fields(schema: OpenApiSchema) -> OpenApiSchema:
    """Return a schema of operations without queries and bodies, for tests of paths and methods."""
    paths = {
        path: {method: _without_fields(operation) for method, operation in item.items()}
        for path, item in schema.raw_schema["paths"].items()
    }
    return _schema({**schema.raw_schema, "paths": paths})


def _without_fields(operation: dict[str, Any]) -> dict[str, Any]:
    bare = {name: value for name, value in operation.items() if name != "requestBody"}
    return {**bare, "parameters": [one for one in operation.get("parameters", []) if one["in"] == "path"]}


def prepare(case: AnyCase) -> AnyCase:
    """Return a generated case without what makes valid requests depend on earlier ones."""
    if case.meta is not None and case.meta.generation.mode.is_positive:
        # The ETag of an example is of no record, and a key of an earlier request belongs to its body.
        case.headers.pop("If-Match", None)
        if "Idempotency-Key" in case.headers:
            case.headers["Idempotency-Key"] = f"key {next(_numbers)}"
    return case
