"""gzip for answers to clients that accept it (RFC 9110, 12.5.3).

Small answers, sound and archives are sent as they are. So are answers with a strong entity tag, which names their
bytes, and parts of a file. Streams are compressed piece by piece, so a client gets each piece as soon as it is made.
Large pieces are compressed in a thread, so that other requests do not wait.
"""

import re
import zlib
from collections.abc import Iterable
from functools import lru_cache
from http import HTTPStatus
from typing import Final

import anyio.to_thread
from litestar.enums import ScopeType
from litestar.types import ASGIApp, HTTPResponseBodyEvent, HTTPResponseStartEvent, Message, Receive, Scope, Send

from dialer.resources.words.headers import joined_header

COMPRESSED_BYTES_MIN: Final = 1_024
"""Bytes from which an answer is compressed: with fewer, nothing is gained on the wire."""
THREAD_BYTES_MIN: Final = 16_384
"""Bytes from which a piece is compressed in a thread."""
LEVEL: Final = 5
HEADERS_KEPT_MAX: Final = 256
"""Different headers of clients whose meaning is kept in a cache."""
TYPES: Final = frozenset(
    {
        b"application/json",
        b"application/problem+json",
        b"application/x-ndjson",
        b"application/javascript",
        b"image/svg+xml",
        b"text/css",
        b"text/csv",
        b"text/html",
        b"text/javascript",
        b"text/plain",
    }
)
"""Media types that are compressed."""

_GZIP_BITS: Final = 31
"""The window of zlib with the header of gzip."""
_NEVER: Final = frozenset({HTTPStatus.NO_CONTENT, HTTPStatus.PARTIAL_CONTENT, HTTPStatus.NOT_MODIFIED})
_WEIGHT: Final = re.compile(r";\s*q\s*=\s*0(\.0*)?\s*\Z", re.IGNORECASE)
_VARY: Final = b"Accept-Encoding"


class Compression:
    """Middleware that compresses answers for clients that accept gzip."""

    def __init__(self, app: ASGIApp) -> None:
        self._app: Final = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        if scope["type"] == ScopeType.HTTP:
            send = _Answer(scope, send).send
        await self._app(scope, receive, send)


def accepts_gzip(scope: Scope) -> bool:
    """Return whether the client accepts gzip by its name, or else any encoding."""
    text = joined_header(scope, b"accept-encoding")
    return text is not None and _accepts(text)


@lru_cache(maxsize=HEADERS_KEPT_MAX)
def _accepts(text: str) -> bool:
    accepted = {part.partition(";")[0].strip().lower(): _WEIGHT.search(part) is None for part in text.split(",")}
    return accepted.get("gzip", accepted.get("x-gzip", accepted.get("*", False)))


class _Answer:
    """One answer on its way to the client, which may be compressed."""

    def __init__(self, scope: Scope, send: Send) -> None:
        self._scope: Final = scope
        self._send: Final = send
        self._start: HTTPResponseStartEvent | None = None
        """The beginning of an answer that may be compressed, until its first piece tells the size."""
        self._pack: zlib._Compress | None = None

    async def send(self, message: Message) -> None:
        """Send a message of the application."""
        if message["type"] == "http.response.start" and _is_compressible(message):
            self._start = message
        elif message["type"] == "http.response.body" and self._start is not None:
            await self._begin(self._start, message)
            self._start = None
        elif message["type"] == "http.response.body" and self._pack is not None:
            await self._send_packed(self._pack, message)
        else:
            await self._send(message)

    async def _begin(self, start: HTTPResponseStartEvent, message: HTTPResponseBodyEvent) -> None:
        """Send the beginning and the first piece."""
        is_stream = message.get("more_body", False)
        if not is_stream and len(message["body"]) < COMPRESSED_BYTES_MIN:
            await self._send(start)
            await self._send(message)
            return
        start["headers"] = _varying(start["headers"])
        if not accepts_gzip(self._scope):
            await self._send(start)
            await self._send(message)
            return
        pack = self._pack = zlib.compressobj(LEVEL, zlib.DEFLATED, _GZIP_BITS)
        headers = [item for item in start["headers"] if item[0].lower() != b"content-length"]
        headers.append((b"content-encoding", b"gzip"))
        if not is_stream:
            message["body"] = await _packed(pack, message["body"], is_last=True)
            headers.append((b"content-length", str(len(message["body"])).encode()))
        start["headers"] = headers
        await self._send(start)
        await (self._send_packed(pack, message) if is_stream else self._send(message))

    async def _send_packed(self, pack: "zlib._Compress", message: HTTPResponseBodyEvent) -> None:
        message["body"] = await _packed(pack, message["body"], is_last=not message.get("more_body", False))
        await self._send(message)


async def _packed(pack: "zlib._Compress", content: bytes, *, is_last: bool) -> bytes:
    if len(content) < THREAD_BYTES_MIN:
        return _compress(pack, content, is_last)
    return await anyio.to_thread.run_sync(_compress, pack, content, is_last)


def _compress(pack: "zlib._Compress", content: bytes, is_last: bool) -> bytes:  # noqa: FBT001 - private
    """Return everything that the client needs to read the content."""
    return pack.compress(content) + pack.flush(zlib.Z_FINISH if is_last else zlib.Z_SYNC_FLUSH)


def _is_compressible(start: HTTPResponseStartEvent) -> bool:
    """Return whether an answer may be compressed, as far as its headers tell."""
    if start["status"] in _NEVER:
        return False
    is_of_type = False
    for name, value in start["headers"]:
        lowered = name.lower()
        if lowered == b"content-type":
            is_of_type = value.partition(b";")[0].strip().lower() in TYPES
        elif lowered == b"content-encoding" or (lowered == b"etag" and value.startswith(b'"')):
            return False
    return is_of_type


def _varying(headers: Iterable[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
    """Return headers that also tell caches that the encoding depends on the request."""
    varying: list[bytes] = []
    others: list[tuple[bytes, bytes]] = []
    for header in headers:
        if header[0].lower() == b"vary":
            varying.append(header[1])
        else:
            others.append(header)
    others.append((b"vary", b", ".join([*varying, _VARY])))
    return others
