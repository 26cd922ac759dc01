"""A clock that a hand moves: still, at a speed, to the next event, or further by a time."""

import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final, Protocol

from dialer.local_service.errors import DemoError

TICK_S: Final = 0.25
"""The time between two moves of a clock that runs."""
BEHIND_S_MAX: Final = 5.0
"""The most real time that one move makes up for, so that a laptop that slept does not dial a night at once."""


class Advancing(Protocol):
    """A client that advances the clock of a service."""

    def advance_clock(self, **target: Any) -> str:  # noqa: ANN401 - JSON
        """Advance the clock, and return the time that it shows then."""


class HandClock:
    """The virtual clock of a service, moved from outside."""

    def __init__(self, service: Advancing, now_s: Callable[[], float] = time.monotonic) -> None:
        self._service: Final = service
        self._now_s: Final = now_s
        self._turn: Final = threading.Lock()
        self._is_over: Final = threading.Event()
        self.speed = 0
        """The times as fast as real time at which it runs; 0: it stands still."""
        self._moved_s = now_s()
        self.problem = ""
        """Why the clock stopped by itself; empty if it did not."""

    def run_at(self, speed: int) -> None:
        """Set the speed of the clock; 0 stops it.

        Raises:
            DemoError: the service refuses to stop it.
        """
        with self._turn:
            if self.speed and not speed:
                self._service.advance_clock(seconds=0, speed=0)
            self.speed, self._moved_s, self.problem = speed, self._now_s(), ""

    def move(self, **target: Any) -> str:  # noqa: ANN401 - JSON
        """Advance the clock by hand: `seconds=60`, `next=True`. Return the time that it shows then.

        Raises:
            DemoError: the service refuses it.
        """
        with self._turn:
            shown = self._service.advance_clock(**target)
            self._moved_s = self._now_s()
        return shown

    def tick(self) -> None:
        """Move a running clock by the real time since its last move. A clock that the service refuses to move stops."""
        with self._turn:
            now_s = self._now_s()
            passed_s, self._moved_s = min(BEHIND_S_MAX, now_s - self._moved_s), now_s
            if not self.speed or passed_s <= 0:
                return
            try:
                self._service.advance_clock(seconds=round(passed_s * self.speed, 3), speed=self.speed)
            except DemoError as error:
                self.speed, self.problem = 0, str(error)

    def run(self) -> None:
        """Move the clock until `end`, in a thread of its own."""
        while not self._is_over.wait(TICK_S):
            self.tick()

    def end(self) -> None:
        """End `run`, and stop the clock, if the service is still there."""
        self._is_over.set()
        with suppress(DemoError):
            self.run_at(0)
