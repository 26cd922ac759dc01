"""The clock of a made-up machine: time goes by evenly, and somebody puts the wall clock now and then."""

from dialer.runtime.clock import NANOSECONDS, RealClock


class JumpingClock(RealClock):
    """To the worker the machine's clock."""

    def __init__(self, now_ms: int) -> None:
        self._steady_ms = self._wall_ms = now_ms
        super().__init__(lambda: self._wall_ms * NANOSECONDS, lambda: self._steady_ms * NANOSECONDS)

    def reopened(self) -> "JumpingClock":
        """The clock of the next process on the same machine: it begins where the wall clock stands."""
        return JumpingClock(self._wall_ms)

    def go_on(self, pause_ms: int, jump_ms: int) -> None:
        """So much time goes by, and then the wall clock is put by so much."""
        self._steady_ms += pause_ms
        self._wall_ms += pause_ms + jump_ms
