"""Connections: uvicorn's HTTP protocol with limits on the amount and the time of a request.

The application limits bodies. Only the protocol sees headers, and only it can tell a client that sends slowly from one
that waits. Nothing that a client sends, and no way in which it leaves, is an error of the service.
"""

import re
from asyncio import AbstractEventLoop, TimerHandle, Transport
from http import HTTPStatus
from typing import Any, Final, TypeAlias, cast

import msgspec
from uvicorn import Config
from uvicorn._types import ASGI3Application
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle
from uvicorn.server import ServerState

from dialer.api.http.edge import new_request_id

HEAD_BYTES_MAX: Final = 32 * 1024
"""Request line and headers."""
HEAD_S: Final = 10
"""The time from the first byte of a request, or from the connection, to the end of the headers."""
BODY_WINDOW_S: Final = 30
BODY_WINDOW_BYTES_MIN: Final = 1024 * 1024
"""The least growth of a body in each `BODY_WINDOW_S`. A small request therefore has that time in all, and a large
upload goes on for as long as it arrives."""
LINGERING_BYTES_MAX: Final = 8 * 1024 * 1024
"""Bytes of a body that may still arrive after its request is answered. They are thrown away, so that a client which
sends all of its body before it reads finds the answer, and can use the connection again."""
STALLED_S: Final = 60
"""The time in which a client must read some of its answer."""

Refusal: TypeAlias = tuple[HTTPStatus, str]

_UPGRADE: Final = re.compile(rb"(?<=\n)upgrade(?=:)", re.IGNORECASE)
"""The name of the header after a line end. Where data begins, it may be the end of another header's value."""
_MALFORMED: Final = (HTTPStatus.BAD_REQUEST, "The request is not valid HTTP.")
_TOO_LARGE: Final = (HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, "The headers are too large.")
_TOO_SLOW: Final = (HTTPStatus.REQUEST_TIMEOUT, "The request took too long to arrive.")


def _without_upgrade(data: bytes) -> bytes:
    """Rename the header `Upgrade` in the head of a request.

    The service speaks no other protocol, so it must ignore the header (RFC 9110, 7.8). The parser would skip the body.
    """
    head, end, rest = data.partition(b"\r\n\r\n")
    return _UPGRADE.sub(b"x-upgrade", head) + end + rest


class _HeadTooLargeError(Exception):
    """The headers of a request are too large."""


class _ClientTransport:
    """A transport that drops data written after its end. The event loop's own raises RuntimeError for it."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport
        self.is_closing = transport.is_closing
        self.close = transport.close

    def write(self, data: bytes) -> None:
        """Send data to the client, if it is still there."""
        if not self._transport.is_closing():
            self._transport.write(data)

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - every other member of the transport
        return getattr(self._transport, name)


class BoundedProtocol(HttpToolsProtocol):
    """One connection.

    It is in one of four phases: the head of a request arrives, its body arrives, it is answered, or the connection is
    idle. The first two phases have a deadline here; uvicorn has deadlines for the other two.
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
        self._active: RequestResponseCycle | None = None
        """The request that was passed to the application last. `cycle` is the one that was received last."""
        self._head_bytes = 0
        self._body_bytes = 0
        self._lingering_bytes = 0
        self._parse_refusal = _MALFORMED
        self._pending_refusal: Refusal | None = None
        """The answer to give, and to close with, once the requests received before are answered."""
        self._deadline: TimerHandle | None = None
        self._stalled: TimerHandle | None = None

    def connection_made(self, transport: Transport) -> None:  # type: ignore[override] # as uvicorn has it
        """Wait for a request."""
        super().connection_made(cast("Transport", _ClientTransport(transport)))
        self._set_deadline(HEAD_S)

    def connection_lost(self, exc: Exception | None) -> None:
        """Tell the application that the client has gone."""
        self._set_deadline(None)
        self._cancel_stall()
        self._disconnect_active()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Parse data: the beginning of a request, unless one is under way."""
        if self._pending_refusal is not None:
            return
        if not self._is_in_body and not self._is_answering:
            self._begin_head()
        if self._is_in_head:
            self._head_bytes += len(data)
            data = _without_upgrade(data)
        super().data_received(data)
        # A head that ended within `data` was measured at its end.
        if self._is_in_head and self._head_bytes > HEAD_BYTES_MAX and not self.transport.is_closing():
            self._refuse(_TOO_LARGE)

    def on_message_begin(self) -> None:
        """Note that a request begins, perhaps while the one before it is still being answered."""
        super().on_message_begin()
        self._begin_head()

    def on_headers_complete(self) -> None:
        """Limit the size of the head, and expect the body."""
        size = len(self.url) + sum(len(name) + len(value) for name, value in self.headers)
        if size > HEAD_BYTES_MAX:
            self._parse_refusal = _TOO_LARGE
            raise _HeadTooLargeError
        super().on_headers_complete()
        self._is_in_head = False
        self._is_in_body = True
        self._body_bytes = 0
        self._lingering_bytes = 0
        self._set_deadline(BODY_WINDOW_S)

    def on_body(self, body: bytes) -> None:
        """Count the bytes of a body, and close the connection if it goes on for long after its answer."""
        self._body_bytes += len(body)
        if self.cycle.response_complete:
            self._lingering_bytes += len(body)
            if self._lingering_bytes > LINGERING_BYTES_MAX:
                self.transport.close()
        super().on_body(body)

    def on_message_complete(self) -> None:
        """Note the end of a request, which has no deadline any more."""
        self._is_in_body = False
        self._set_deadline(None)
        super().on_message_complete()

    def on_response_complete(self) -> None:
        """Go on with the next request, or give the refusal that was waiting for this answer."""
        super().on_response_complete()
        if self._pending_refusal is not None and not self._is_answering:
            self._hang_up(self._pending_refusal)

    def pause_writing(self) -> None:
        """Stop sending to a client that reads too slowly. Hang up if it has not read on after `STALLED_S` seconds."""
        super().pause_writing()
        self._stalled = self.loop.call_later(STALLED_S, self.transport.abort)

    def resume_writing(self) -> None:
        """Go on writing to a client that has read some of its answer."""
        self._cancel_stall()
        super().resume_writing()

    def send_400_response(self, msg: str) -> None:  # noqa: ARG002 - the refusal has a message of its own
        """Refuse a request that cannot be parsed."""
        self._refuse(self._parse_refusal)

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: ASGI3Application) -> None:
        self._active = cycle
        super()._start_asgi_task(cycle, app)

    @property
    def _is_answering(self) -> bool:
        return self._active is not None and not self._active.response_complete

    def _disconnect_active(self) -> None:
        """Tell the application that the client of the request it works on has gone. uvicorn tells the last one only."""
        if self._active is not None and not self._active.response_complete:
            self._active.disconnected = True
            self._active.message_event.set()

    def _begin_head(self) -> None:
        if not self._is_in_head:
            self._is_in_head = True
            self._head_bytes = 0
            self._set_deadline(HEAD_S)

    def _cancel_stall(self) -> None:
        if self._stalled is not None:
            self._stalled.cancel()
            self._stalled = None

    def _set_deadline(self, seconds: float | None) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
        self._deadline = None if seconds is None else self.loop.call_later(seconds, self._expire)

    def _expire(self) -> None:
        # While reading is paused, the service is the slow one. A body that goes on after its answer is of no use.
        is_growing = self._is_in_body and self._is_answering and self._body_bytes >= BODY_WINDOW_BYTES_MIN
        if self.flow.read_paused or is_growing:
            self._body_bytes = 0
            self._set_deadline(BODY_WINDOW_S)
        elif self._is_in_body:
            # The application has the request already, and may be answering.
            self.transport.close()
        else:
            self._refuse(_TOO_SLOW)

    def _refuse(self, refusal: Refusal) -> None:
        """Give an answer that is an error, after the answers to earlier requests, and close."""
        self._set_deadline(None)
        if not self._is_in_body:
            is_waiting = self._is_answering
        elif is_waiting := bool(self.pipeline):
            # The application does not know of the request yet.
            self.pipeline.popleft()
        if is_waiting:
            self._pending_refusal = refusal
        else:
            self._hang_up(refusal)

    def _hang_up(self, refusal: Refusal) -> None:
        """Answer, unless an answer to this request has begun, and close."""
        is_answered = self._is_in_body and self.cycle.response_started
        self._disconnect_active()
        if not is_answered:
            self._write_refusal(*refusal)
        self.transport.close()

    def _write_refusal(self, status: HTTPStatus, detail: str) -> None:
        content = msgspec.json.encode({"detail": detail})
        head = (
            f"HTTP/1.1 {status.value} {status.phrase}\r\ncontent-type: application/json\r\n"
            f"content-length: {len(content)}\r\nx-request-id: {new_request_id()}\r\n"
            "connection: close\r\n\r\n"
        )
        self.transport.write(head.encode() + content)
