"""Timers over a time that is given: nothing here asks a clock."""

import heapq
from collections.abc import Callable
from typing import Final

T1_MS: Final = 500
"""Estimate of a round trip (RFC 3261 17.1.1.1). The other timers are multiples of it."""
T2_MS: Final = 4_000
"""Longest pause between two sendings of a request that is no INVITE."""
GIVES_UP_AFTER: Final = 64
"""A transaction without a final response ends after this many times T1: timers B, F and H."""


class Timer:
    """One action that is due at a moment, unless it is cancelled before."""

    def __init__(self, due_ms: int, action: Callable[[], None]) -> None:
        self.due_ms: Final = due_ms
        self.action: Callable[[], None] | None = action

    def cancel(self) -> None:
        """Cancel the timer: its action is not called."""
        self.action = None


class Timers:
    """The timers of one user agent, in the order of their moments."""

    def __init__(self) -> None:
        self._heap: list[tuple[int, int, Timer]] = []
        self._count = 0

    def start(self, due_ms: int, action: Callable[[], None]) -> Timer:
        """Schedule `action` for the time `due_ms`, and return its timer."""
        timer = Timer(due_ms, action)
        self._count += 1
        heapq.heappush(self._heap, (due_ms, self._count, timer))
        return timer

    def take_due(self, now_ms: int) -> Timer | None:
        """Remove and return the next timer that is due; None if none is."""
        while self._heap and (self._heap[0][0] <= now_ms or self._heap[0][2].action is None):
            timer = heapq.heappop(self._heap)[2]
            if timer.action is not None:
                return timer
        return None

    def next_ms(self) -> int | None:
        """Return the moment of the next timer; None if there is none."""
        while self._heap and self._heap[0][2].action is None:
            heapq.heappop(self._heap)
        return self._heap[0][0] if self._heap else None
