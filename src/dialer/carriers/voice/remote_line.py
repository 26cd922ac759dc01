"""A line whose calls are held by a process of its own, as the worker sees it."""

import asyncio
import contextlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from msgspec.structs import replace

from dialer.carriers.line_port import Exchange, Found, LiveLeg, Unplaced
from dialer.carriers.voice.process_frames import (
    FRAME_BYTES_MAX,
    FindLegs,
    FrameError,
    LegsFound,
    LineHeard,
    LineOpened,
    LineSettled,
    LineState,
    OpenLine,
    PerformOrder,
    PlaceLeg,
    ToProcess,
    ToWorker,
    encode_frame,
    read_from_process,
)
from dialer.domain.calls.call_recording import SoundStore
from dialer.domain.sessions.leg_protocol import Leg, Order, Texting

CONNECT_EVERY_S: Final = 0.1
START_EVERY: Final = 50
"""Failures to connect after which the process is started again."""
GONE: Final = "its process is being started"


class RemoteLine:
    """The line of one gateway in the process of the lines, over its socket. It connects by itself."""

    def __init__(
        self,
        opening: OpenLine,
        exchange: Exchange,
        path: Path,
        start: Callable[[], None],
        opened: Callable[[SoundStore], SoundStore | None] = lambda store: store,
    ) -> None:
        """Connect to the socket at `path`. `start` starts the process, and does nothing if it is there.

        `opened` returns the path and the key of a recording from what is stored of it; None if it cannot be read.
        """
        self._opened: Final = opened
        self._opening: Final = opening
        self._exchange, self._path, self._start = exchange, path, start
        self._writer: asyncio.StreamWriter | None = None
        self._instance = ""
        self._base = 0
        self._last = 0
        self._found: asyncio.Future[list[Found]] | None = None
        self._work: Final = asyncio.get_running_loop().create_task(self._live())

    def dial(self, leg: Leg) -> None:
        """Place a leg now, or tell that it cannot be placed."""
        if not self._send(PlaceLeg(self._with_store(leg))):
            self._exchange.heard(self._last, leg.key, Unplaced())

    def perform(self, key: str, order: Order) -> None:
        """Send an order of a leg. Repeat an order that was lost with the connection after `find`."""
        self._send(PerformOrder(key, order))

    async def find(self, legs: Sequence[LiveLeg]) -> Sequence[Found]:
        """Return the state of each leg. Return no states if the connection is lost meanwhile; ask again then."""
        self._found = asyncio.get_running_loop().create_future()
        self._send(FindLegs([replace(leg, order=self._with_store(leg.order)) for leg in legs]))
        return await self._found

    def settled(self, number: int) -> None:
        """Tell the process of the lines that all events up to a number are stored."""
        if number > self._base:
            self._send(LineSettled(number - self._base))

    async def close(self) -> None:
        """Leave the process, and the calls in it, alone."""
        self._work.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await self._work
        self._leave()

    def _with_store(self, order: Leg) -> Leg:
        """Return an order with the place of its recording as the process of the lines takes it."""
        if isinstance(order, Texting) or order.sound_store is None:
            return order
        return replace(order, sound_store=self._opened(order.sound_store))

    def _send(self, frame: ToProcess) -> bool:
        if self._writer is None or self._writer.is_closing():
            return False
        self._writer.write(encode_frame(frame))
        return True

    async def _live(self) -> None:
        failures = 0
        while True:
            if failures % START_EVERY == 0:
                self._start()
            try:
                reader, self._writer = await asyncio.open_unix_connection(self._path, limit=FRAME_BYTES_MAX)
            except OSError:
                failures += 1
            else:
                failures = 0
                await self._listen(reader)
                self._leave()
                self._exchange.is_up(GONE)
            await asyncio.sleep(CONNECT_EVERY_S)

    def _leave(self) -> None:
        if self._writer is not None:
            self._writer.close()
        self._writer = None

    async def _listen(self, reader: asyncio.StreamReader) -> None:
        self._send(self._opening)
        with contextlib.suppress(FrameError, OSError):
            while (frame := await read_from_process(reader)) is not None:
                self._take(frame)

    def _take(self, frame: ToWorker) -> None:
        match frame:
            case LineOpened():
                if frame.instance != self._instance:
                    # Another process counts from 1 again: its numbers follow those of the one before.
                    self._instance, self._base = frame.instance, self._last
            case LineHeard():
                self._last = max(self._last, self._base + frame.number)
                self._exchange.heard(self._base + frame.number, frame.key, frame.heard)
            case LineState():
                self._exchange.is_up(frame.why_not)
            case LegsFound():
                if self._found is not None and not self._found.done():
                    self._found.set_result(list(frame.found))
