"""Extent of a step: how many events share one commit, and how far ahead of the clock simulated ones may be decided.

A commit costs the same for one event and for many. So a step takes what it may without harm to others: units of work
that wait to write, users who wait for an answer, and people whose telephones ring.
"""

from collections.abc import Callable
from typing import Final

from dialer.runtime.steps.clock import MILLISECONDS, Clock, RealClock, VirtualClock
from dialer.runtime.steps.kernel import Kernel

EVENTS_PER_STEP: Final = 4_000
"""Limit of events in one commit. A virtual clock takes as many even while others wait to write."""
PORTIONS_ALONE: Final = 5
"""Number of such portions in one commit of a virtual clock while nobody waits to write. A call that begins and ends
within one commit is written once."""
EVENTS_PER_PORTION: Final = 250
"""Number of events after which a step on any other clock ends if others wait to write: some tens of milliseconds."""
AHEAD_MS: Final = 100
"""Time by which simulated events may be decided before their moment, so that one commit serves those of this time.

If it were longer than `JUMP_MS_MIN`, a restart after a crash would look as if the clock had been set back.
"""
QUIET_MS: Final = 1_000
"""Time after a user's change in which nothing is decided ahead, so that further changes are answered at once."""


class StepExtent:
    """The number of events in a step of one worker. `is_awaited` tells whether a caller waits for the step's end."""

    def __init__(self, clock: Clock, is_awaited: Callable[[], bool]) -> None:
        self._clock: Final = clock
        self._is_awaited: Final = is_awaited
        self._quiet_until_ms = 0
        self._ahead_until_ms = 0

    def run(self, kernel: Kernel, until_ms: int, events_max: int) -> bool:
        """Handle the events that are due until `until_ms`, in portions. Return whether all of them were handled."""
        is_virtual = isinstance(self._clock, VirtualClock)
        portion = events_max if is_virtual else min(events_max, EVENTS_PER_PORTION)
        is_done = kernel.run(until_ms, portion)
        for _ in range(1, PORTIONS_ALONE if is_virtual else events_max // portion):
            if is_done or self._is_awaited():
                break
            is_done = kernel.run(until_ms, portion)
        return is_done

    def changed(self) -> None:
        """Note that a user has changed a record, and may change more soon."""
        self._quiet_until_ms = self._clock.now_ms() + QUIET_MS

    def look_ahead(self, kernel: Kernel, until_ms: int) -> None:
        """Handle the events of the near future at their own times. The kernel's time goes on to the last of them."""
        if not isinstance(self._clock, RealClock) or until_ms < self._quiet_until_ms:
            return
        while (due_ms := kernel.next_due_ms) is not None and due_ms <= until_ms + AHEAD_MS:
            self._ahead_until_ms = due_ms
            if not kernel.run(due_ms, EVENTS_PER_STEP):
                return

    def seconds_ahead(self) -> float:
        """Return the seconds until the clock shows the time up to which events were decided ahead."""
        if not self._ahead_until_ms:
            return 0.0
        return min(AHEAD_MS / MILLISECONDS, self._clock.seconds_until(self._ahead_until_ms) or 0.0)
