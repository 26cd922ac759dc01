"""The service's one clock: real, virtual, or so many times as fast as real time."""

import time
from typing import Final, Protocol

MILLISECONDS: Final = 1_000


class Clock(Protocol):
    """What time it is for the service, in milliseconds since the epoch."""

    mode: str

    def now_ms(self) -> int:
        """The time."""

    def seconds_until(self, at_ms: int) -> float | None:
        """How long to wait, in real seconds, until it is `at_ms`; None if waiting does not bring it about."""


class RealClock:
    """The machine's time."""

    mode = "real"

    def now_ms(self) -> int:
        """The time by the machine's clock."""
        return time.time_ns() // 1_000_000

    def seconds_until(self, at_ms: int) -> float | None:
        """Real seconds until then; not below zero."""
        return max(0.0, (at_ms - self.now_ms()) / MILLISECONDS)


class ScaledClock:
    """Goes `factor` times as fast as real time, from where the service stood."""

    def __init__(self, start_ms: int, factor: int) -> None:
        self.mode = f"x{factor}"
        self._factor: Final = factor
        self._start_ms: Final = start_ms
        self._started_ns: Final = time.monotonic_ns()

    def now_ms(self) -> int:
        """The time since the start, multiplied."""
        return self._start_ms + (time.monotonic_ns() - self._started_ns) * self._factor // 1_000_000

    def seconds_until(self, at_ms: int) -> float | None:
        """Real seconds until then; not below zero."""
        return max(0.0, (at_ms - self.now_ms()) / MILLISECONDS / self._factor)


class VirtualClock:
    """Stands still until it is told to advance."""

    mode = "virtual"

    def __init__(self, start_ms: int) -> None:
        self._now_ms = start_ms

    def now_ms(self) -> int:
        """Where it stands."""
        return self._now_ms

    def seconds_until(self, at_ms: int) -> float | None:  # noqa: ARG002 - the protocol's signature
        """None: waiting moves nothing."""
        return None

    def set(self, now_ms: int) -> None:
        """Stand at another moment, once everything due until then has happened."""
        self._now_ms = now_ms


def open_clock(mode: str, stood_at_ms: int) -> RealClock | ScaledClock | VirtualClock:
    """The clock for a setting: `real`, `virtual` or `xN`; the last two go on from where the service stood."""
    if mode == "virtual":
        return VirtualClock(stood_at_ms)
    if mode.startswith("x"):
        return ScaledClock(stood_at_ms, int(mode[1:]))
    return RealClock()
