"""The outermost layer of every request, with or without a route: its host, request ids, metrics, and HEAD."""

import os
import re
import time
from collections.abc import Collection, Mapping
from http import HTTPStatus
from typing import Final

import msgspec
from litestar.enums import ScopeType
from litestar.types import ASGIApp, Message, Receive, Scope, Send

from dialer.api.http.error_answers import REQUEST_ID_STATE, ErrorBody
from dialer.api.http.hosts import OwnNames
from dialer.api.http.metrics import Metrics
from dialer.resources.words.headers import ADDED_STATE, IS_HEAD_STATE

REQUEST_ID_HEADER: Final = b"x-request-id"
REQUEST_ID_BYTES: Final = 16
"""Random bytes of a generated id, which has twice as many hexadecimal digits."""

PRECAUTIONS: Final = ((b"cache-control", b"no-store"), (b"x-content-type-options", b"nosniff"))
"""Headers of every answer that has no such header of its own."""

_REQUEST_ID: Final = re.compile(r"[A-Za-z0-9._-]{1,64}\Z")


class Edge:
    """Middleware around the whole application. `methods` are those of each route, by its path template."""

    def __init__(self, app: ASGIApp, metrics: Metrics, methods: Mapping[str, Collection[str]], names: OwnNames) -> None:
        self._app: Final = app
        self._names: Final = names
        self._metrics: Final = metrics
        self._methods: Final = methods

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        if scope["type"] != ScopeType.HTTP:
            await self._app(scope, receive, send)
            return
        method: str = scope["method"]
        request_id = _request_id(scope)
        scope.setdefault("state", {})[REQUEST_ID_STATE] = request_id
        if method == "HEAD":
            # Every GET has a HEAD: its answer without the body. The server keeps the original scope, because the
            # announced length is not the length sent.
            scope = {**scope, "method": "GET"}
            scope["state"][IS_HEAD_STATE] = True
        status, started_s = 500, time.perf_counter()

        async def send_marked(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = message["headers"]
                if method == "OPTIONS" or status == HTTPStatus.METHOD_NOT_ALLOWED:
                    headers = [self._allowing(scope, header) for header in headers]
                added = scope["state"].get(ADDED_STATE, ())
                message["headers"] = _with_precautions([*headers, *added, (REQUEST_ID_HEADER, request_id.encode())])
            elif method == "HEAD" and message["type"] == "http.response.body":
                message["body"] = b""
            await send(message)

        try:
            problem = self._names.problem(scope)
            await (_refuse(problem, send_marked) if problem else self._app(scope, receive, send_marked))
        finally:
            template = str(scope.get("path_template") or "none")
            self._metrics.observe(method, template, status, time.perf_counter() - started_s)

    def _allowing(self, scope: Scope, header: tuple[bytes, bytes]) -> tuple[bytes, bytes]:
        """Return a header. `Allow` gets all methods of the route; the framework lists those of one handler only."""
        name, value = header
        if name.lower() != b"allow":
            return header
        methods = self._methods.get(str(scope.get("path_template")), value.decode().split(", "))
        return name, ", ".join(sorted({*methods, *({"HEAD"} if "GET" in methods else ())})).encode()


def _with_precautions(headers: list[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
    missing = dict(PRECAUTIONS)
    for name, _ in headers:
        missing.pop(name.lower(), None)
    headers += missing.items()
    return headers


async def _refuse(detail: str, send: Send) -> None:
    """Answer a request that is not even for this service, and let the server close the connection."""
    body = msgspec.json.encode(ErrorBody(detail))
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(body)).encode()),
        (b"connection", b"close"),
    ]
    await send({"type": "http.response.start", "status": HTTPStatus.BAD_REQUEST, "headers": headers})
    await send({"type": "http.response.body", "body": body, "more_body": False})


def _request_id(scope: Scope) -> str:
    """Return the id that the client sent if it is plain, else a new id."""
    for name, value in scope["headers"]:
        if name == REQUEST_ID_HEADER:
            client_id = value.decode("latin-1")
            return client_id if _REQUEST_ID.match(client_id) else new_request_id()
    return new_request_id()


def new_request_id() -> str:
    """Return a new id for a request: 32 hexadecimal digits."""
    return os.urandom(REQUEST_ID_BYTES).hex()
