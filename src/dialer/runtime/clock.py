"""The service's one clock: real, virtual, or so many times as fast as real time."""

import time
from collections.abc import Callable
from typing import Final, Protocol

MILLISECONDS: Final = 1_000
"""In a second."""
NANOSECONDS: Final = 1_000_000
"""In a millisecond."""


class Clock(Protocol):
    """What time it is for the service, in milliseconds since the epoch."""

    mode: str

    def now_ms(self) -> int:
        """The time."""

    def seconds_until(self, at_ms: int) -> float | None:
        """How long to wait, in real seconds, until it is `at_ms`; None if waiting does not bring it about."""


class RealClock:
    """The machine's time, which goes by as evenly as its monotonic clock.

    It starts where the wall clock stands, and steps to it only by `follow`: a wall clock that is put ends no call. The
    worker asks for jumps before each step, and follows them together with its rows.
    """

    mode = "real"

    def __init__(
        self, wall_ns: Callable[[], int] = time.time_ns, steady_ns: Callable[[], int] = time.monotonic_ns
    ) -> None:
        self._wall_ns: Final = wall_ns
        self._steady_ns: Final = steady_ns
        self._apart_ns = wall_ns() - steady_ns()

    def now_ms(self) -> int:
        """The time."""
        return (self._steady_ns() + self._apart_ns) // NANOSECONDS

    def jumped_ms(self) -> int:
        """Return how far the wall clock is ahead of this one; negative if it is behind."""
        return self._wall_ns() // NANOSECONDS - self.now_ms()

    def follow(self, jumped_ms: int) -> None:
        """Step ahead by so much; what is in progress has been moved by as much."""
        self._apart_ns += jumped_ms * NANOSECONDS

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
        return self._start_ms + (time.monotonic_ns() - self._started_ns) * self._factor // NANOSECONDS

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
