"""Streams of events to programs: how many there may be, when each looks for news, and how they end.

A stream is never ahead of its reader: what comes next is read when the last piece has been sent. A reader who takes
none for `SLOW_S` is cut off, so that nothing is kept for them.
"""

from collections import Counter
from collections.abc import AsyncGenerator, Iterator
from contextlib import contextmanager, suppress
from http import HTTPStatus
from typing import Final

import anyio
from litestar.types import ASGIApp, Message, Receive, Scope, Send

from dialer.api.http.errors import AnsweredError

EVENT_STREAM: Final = "text/event-stream"
EVERY_S: Final = 0.5
"""The time between two looks for news."""
HEARTBEAT_TICKS: Final = 30
"""Looks without news after which a comment is sent, so that nobody between takes the connection for dead."""
CHECK_TICKS: Final = 20
"""Looks after which the rights of the reader are read again."""
STREAM_TICKS: Final = 7_200
"""Looks after which a stream ends, after an hour; its reader opens the next one where this one ended."""
STREAMS_MAX: Final = 100
STREAMS_OF_ACCOUNT_MAX: Final = 8
SLOW_S: Final = 30.0
"""The time for which a stream waits for a reader."""


class EventStreams:
    """The streams of a process."""

    def __init__(self) -> None:
        self._open: Final[Counter[int]] = Counter()
        self._is_over = anyio.Event()

    def refuse_further(self, account_id: int) -> None:
        """Refuse a further stream of an account if there are too many.

        Raises:
            AnsweredError: 429; close another one, or read pages.
        """
        if self._open.total() >= STREAMS_MAX or self._open[account_id] >= STREAMS_OF_ACCOUNT_MAX:
            raise AnsweredError(
                HTTPStatus.TOO_MANY_REQUESTS, "Too many streams of events are open. Close one, or read pages."
            )

    @contextmanager
    def streaming(self, account_id: int) -> Iterator[None]:
        """Count a stream of an account while the context is entered."""
        self._open[account_id] += 1
        try:
            yield
        finally:
            self._open[account_id] -= 1

    async def ticks(self) -> AsyncGenerator[int]:
        """Yield a number each time a stream is to look for news, until the stream or the service ends."""
        for tick in range(STREAM_TICKS):
            yield tick
            with anyio.move_on_after(EVERY_S):
                await self._is_over.wait()
            if self._is_over.is_set():
                return

    def end(self) -> None:
        """End all streams, because the service ends."""
        self._is_over.set()


class _SlowReaderError(BaseException):
    """The reader takes nothing. It is no Exception, so that nobody answers with an error in the middle of an answer."""


class SlowReadersCutOff:
    """Middleware that ends an answer whose reader takes nothing for `SLOW_S`."""

    def __init__(self, app: ASGIApp) -> None:
        self._app: Final = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""

        async def send_in_time(message: Message) -> None:
            with anyio.move_on_after(SLOW_S) as limit:
                await send(message)
            if limit.cancelled_caught:
                raise _SlowReaderError

        with suppress(_SlowReaderError):
            await self._app(scope, receive, send_in_time)
