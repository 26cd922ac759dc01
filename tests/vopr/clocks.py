"""The clock of a simulated machine: its steady clock is even, and its wall clock may jump."""

from typing import Final

from dialer.runtime.steps.clock import NANOSECONDS, RealClock

IDLE_MS_MAX: Final = 1_000
"""A worker rests no longer than this."""


class JumpingClock(RealClock):
    """A machine clock whose wall clock can jump."""

    def __init__(self, now_ms: int) -> None:
        self._steady_ms = self._wall_ms = now_ms
        super().__init__(lambda: self._wall_ms * NANOSECONDS, lambda: self._steady_ms * NANOSECONDS)

    def reopened(self) -> "JumpingClock":
        """Return the clock of the next process on this machine, which begins at the current wall clock."""
        return JumpingClock(self._wall_ms)

    def go_on(self, pause_ms: int, jump_ms: int) -> None:
        """Let `pause_ms` pass, then set the wall clock forward by `jump_ms`, or back if it is negative."""
        self._steady_ms += pause_ms
        self._wall_ms += pause_ms + jump_ms


class PatientClock(JumpingClock):
    """A machine clock on which a wait is over at once, and takes up to `IDLE_MS_MAX`, while it `waits`."""

    waits = True
    _awaited_ms = 0

    def reopened(self) -> "PatientClock":
        """Return the clock of the next process on this machine."""
        return PatientClock(self._wall_ms)

    def seconds_until(self, at_ms: int) -> float | None:
        """Wait until a moment."""
        self._awaited_ms = at_ms
        if self.waits:
            self.catch_up()
        return 0.0

    def catch_up(self) -> None:
        """Let the time pass that was waited for last."""
        self.go_on(min(max(0, self._awaited_ms - self.now_ms()), IDLE_MS_MAX), 0)
