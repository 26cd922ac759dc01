"""Streams of events to programs: how many there may be, when each looks for news, and how they end.

A stream is never ahead of its reader: what comes next is read when the last piece has been sent. A reader who takes
none for `SLOW_S` is cut off, so that nothing is kept for them.
"""

from collections.abc import AsyncGenerator
from typing import Final

import anyio
from litestar.types import ASGIApp, Message, Receive, Scope, Send

from dialer.api.http.stream_places import StreamPlaces

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
        self.places: Final = StreamPlaces(
            STREAMS_MAX,
            STREAMS_OF_ACCOUNT_MAX,
            STREAMS_OF_ACCOUNT_MAX,
            "Too many streams of events are open. Close one, or read pages.",
        )
        self._is_over = anyio.Event()

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
    """Middleware that ends a response whose client reads nothing for `SLOW_S`."""

    def __init__(self, app: ASGIApp) -> None:
        self._app: Final = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""

        async def send_in_time(message: Message) -> None:
            with anyio.move_on_after(SLOW_S) as limit:
                await send(message)
            if limit.cancelled_caught:
                raise _SlowReaderError

        try:
            await self._app(scope, receive, send_in_time)
        except BaseExceptionGroup as group:  # Answers are sent in a group of tasks.
            others = group.split(_SlowReaderError)[1]
            if others is not None:
                raise others from None
        except _SlowReaderError:
            pass
