"""The wall clock of a made-up service that is not virtual: it stands wherever it is put, backwards too."""

from dialer.worker.clock import RealClock


class JumpingClock(RealClock):
    """To the worker the machine's clock."""

    def __init__(self, now_ms: int) -> None:
        self.at_ms = now_ms

    def now_ms(self) -> int:
        """Where it was put."""
        return self.at_ms

    def seconds_until(self, at_ms: int) -> float | None:
        """As if time went by as ever."""
        return max(0.0, (at_ms - self.at_ms) / 1_000)
