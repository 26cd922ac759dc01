"""The steady clock of sound: one tick every 5 ms."""

import asyncio
import time
from collections.abc import Callable
from typing import Final

from dialer.carriers.media.rtp import FRAME_MS
from dialer.carriers.media.sound_router import PHASES

TICK_S: Final = FRAME_MS / PHASES / 1_000
LATE_S_MAX: Final = 0.1
"""A clock that is later than this leaves out the frames whose moments are over: a burst of old packets helps nobody."""

SKIPPED_MAX: Final = 30_000 // FRAME_MS
"""Frames that are left out at once. A process that stood still for longer has other sorrows."""


def steady_ms() -> int:
    """Return the milliseconds of a clock that never goes back."""
    return time.monotonic_ns() // 1_000_000


class SoundClock:
    """Calls a function every 5 ms with the number of the phase, and another one with frames that are left out."""

    def __init__(self, tick: Callable[[int], None], skip: Callable[[int], None]) -> None:
        self._tick: Final = tick
        self._skip: Final = skip
        self._handle: asyncio.TimerHandle | None = None
        self._due_s = 0.0
        self._phase = 0

    def start(self) -> None:
        """Start to tick every 20 ms."""
        if self._handle is None:
            self._due_s = asyncio.get_running_loop().time()
            self._wait()

    def stop(self) -> None:
        """Stop to tick. `start` begins again."""
        if self._handle is not None:
            self._handle.cancel()
        self._handle = None

    def _wait(self) -> None:
        loop = asyncio.get_running_loop()
        self._due_s += TICK_S
        late_s = loop.time() - self._due_s
        if late_s > LATE_S_MAX:
            # Whole frames, so that the phases stay where they are.
            frames = int(late_s / (PHASES * TICK_S))
            self._due_s += frames * PHASES * TICK_S
            self._skip(min(frames, SKIPPED_MAX))
        self._handle = loop.call_at(self._due_s, self._ring)

    def _ring(self) -> None:
        self._phase = (self._phase + 1) % PHASES
        self._wait()
        self._tick(self._phase)
