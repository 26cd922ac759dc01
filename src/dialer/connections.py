"""Connections: uvicorn's HTTP protocol, with an end to how much and how slowly a client may send.

The application bounds bodies; nothing but the protocol sees headers, and nothing else can tell a client that sends
slowly from one that waits.
"""

import re
from asyncio import AbstractEventLoop, TimerHandle, Transport
from http import HTTPStatus
from typing import Any, Final

import msgspec
from uvicorn import Config
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
from uvicorn.server import ServerState

from dialer.api.http.edge import new_request_id

HEAD_BYTES_MAX: Final = 32 * 1024
"""Request line and headers."""
HEAD_S: Final = 10
"""From the first byte of a request, or from the connection, to the end of its headers."""
BODY_WINDOW_S: Final = 30
BODY_WINDOW_BYTES_MIN: Final = 1024 * 1024
"""A body that is not over after `BODY_WINDOW_S` must have grown by this much in it. So an ordinary request has
that time in all, while a large upload goes on for as long as it really arrives."""
STALLED_S: Final = 60
"""How long a client may leave unread what it has asked for."""

_UPGRADE: Final = re.compile(rb"(?<=\n)upgrade(?=:)", re.IGNORECASE)
"""The name of the header, where its line begins: what a piece begins with may be the end of another one's value."""
_MALFORMED: Final = (HTTPStatus.BAD_REQUEST, "The request is not valid HTTP.")
_TOO_LARGE: Final = (HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, "The headers are too large.")
_TOO_SLOW: Final = (HTTPStatus.REQUEST_TIMEOUT, "The request took too long to arrive.")


def _without_upgrade(data: bytes) -> bytes:
    """The beginning of a request with `Upgrade` under another name.

    We speak no other protocol, so the header is to be ignored (RFC 9110, 7.8). The parser would leave out the body.
    """
    head, end, rest = data.partition(b"\r\n\r\n")
    return _UPGRADE.sub(b"x-upgrade", head) + end + rest


class _HeadTooLargeError(Exception):
    """Ends the parsing of a request whose headers are too large."""


class BoundedProtocol(HttpToolsProtocol):
    """One connection.

    It is always in one of four phases: a request's head arrives, its body arrives, it is being answered, or nothing
    is going on. The first two have a deadline each; for the others uvicorn has its own.
    """

    def __init__(
        self,
        config: Config,
        server_state: ServerState,
        app_state: dict[str, Any],
        _loop: AbstractEventLoop | None = None,
    ) -> None:
        super().__init__(config, server_state, app_state, _loop)
        self._is_in_head = True
        self._is_in_body = False
        self._is_answering = False
        self._head_bytes = 0
        self._body_bytes = 0
        self._refusal = _MALFORMED
        self._deadline: TimerHandle | None = None
        self._stalled: TimerHandle | None = None

    def connection_made(self, transport: Transport) -> None:  # type: ignore[override] # as uvicorn has it
        """A client has connected, and must say something soon."""
        super().connection_made(transport)
        self._set_deadline(HEAD_S)

    def connection_lost(self, exc: Exception | None) -> None:
        """The client has gone."""
        self._set_deadline(None)
        self._go_on_writing()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Something arrived: the beginning of a request unless one is under way."""
        if not self._is_in_body and not self._is_answering:
            self._begin_head()
        if self._is_in_head:
            self._head_bytes += len(data)
            data = _without_upgrade(data)
        super().data_received(data)
        # A head that has ended within `data` was measured when it ended.
        if self._is_in_head and self._head_bytes > HEAD_BYTES_MAX and not self.transport.is_closing():
            self._refuse(_TOO_LARGE)

    def on_message_begin(self) -> None:
        """A request begins, perhaps while the one before it is still being answered."""
        super().on_message_begin()
        self._begin_head()

    def on_headers_complete(self) -> None:
        """The head is there."""
        size = len(self.url) + sum(len(name) + len(value) for name, value in self.headers)
        if size > HEAD_BYTES_MAX:
            self._refusal = _TOO_LARGE
            raise _HeadTooLargeError
        self._is_in_head = False
        self._is_in_body = True
        self._is_answering = True
        self._body_bytes = 0
        self._set_deadline(BODY_WINDOW_S)
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        """A part of the body is there."""
        self._body_bytes += len(body)
        super().on_body(body)

    def on_message_complete(self) -> None:
        """The whole request is there."""
        self._is_in_body = False
        self._set_deadline(None)
        super().on_message_complete()

    def on_response_complete(self) -> None:
        """The answer has been given."""
        self._is_answering = False
        super().on_response_complete()

    def pause_writing(self) -> None:
        """The client reads more slowly than it is answered; it must go on reading."""
        super().pause_writing()
        self._stalled = self.loop.call_later(STALLED_S, self.transport.abort)

    def resume_writing(self) -> None:
        """It has read on."""
        self._go_on_writing()
        super().resume_writing()

    def send_400_response(self, msg: str) -> None:  # noqa: ARG002 - uvicorn's words; ours are in the refusal
        """Answer what cannot be read, and close."""
        self._refuse(self._refusal)

    def _begin_head(self) -> None:
        if not self._is_in_head:
            self._is_in_head = True
            self._head_bytes = 0
            self._set_deadline(HEAD_S)

    def _go_on_writing(self) -> None:
        if self._stalled is not None:
            self._stalled.cancel()
            self._stalled = None

    def _set_deadline(self, seconds: float | None) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
        self._deadline = None if seconds is None else self.loop.call_later(seconds, self._expire)

    def _expire(self) -> None:
        # While reading is paused it is the service that is slow. What comes after an answer is of no use.
        is_growing = self._is_in_body and self._is_answering and self._body_bytes >= BODY_WINDOW_BYTES_MIN
        if self.flow.read_paused or is_growing:
            self._body_bytes = 0
            self._set_deadline(BODY_WINDOW_S)
        elif self._is_in_body:
            # The application has the request already, and may be answering; it learns that the client has gone.
            self.transport.close()
        else:
            self._refuse(_TOO_SLOW)

    def _refuse(self, refusal: tuple[HTTPStatus, str]) -> None:
        status, detail = refusal
        content = msgspec.json.encode({"detail": detail})
        head = (
            f"HTTP/1.1 {status.value} {status.phrase}\r\ncontent-type: application/json\r\n"
            f"content-length: {len(content)}\r\nx-request-id: {new_request_id()}\r\n"
            "connection: close\r\n\r\n"
        )
        self._set_deadline(None)
        self.transport.write(head.encode() + content)
        self.transport.close()
