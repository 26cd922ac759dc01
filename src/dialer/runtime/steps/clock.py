"""Clock of the service: real, virtual, or a multiple of real time."""

import time
from collections.abc import Callable
from typing import Final, Protocol

MILLISECONDS: Final = 1_000
"""Milliseconds in a second."""
NANOSECONDS: Final = 1_000_000
"""Nanoseconds in a millisecond."""


class Clock(Protocol):
    """Time of the service, in milliseconds since the epoch."""

    mode: str

    def now_ms(self) -> int:
        """Return the time, in milliseconds since the epoch."""

    def seconds_until(self, at_ms: int) -> float | None:
        """Return real seconds until the clock shows `at_ms`, or None if waiting does not advance this clock."""


class RealClock:
    """Clock of the machine, which advances with its monotonic clock.

    It starts at the wall clock's time, and `follow` is the only way to adjust it. So a change of the wall clock ends no
    call. The worker checks for such jumps before each step, and moves the clock and the database rows together.
    """

    mode = "real"

    def __init__(
        self, wall_ns: Callable[[], int] = time.time_ns, steady_ns: Callable[[], int] = time.monotonic_ns
    ) -> None:
        self._wall_ns: Final = wall_ns
        self._steady_ns: Final = steady_ns
        self._apart_ns = wall_ns() - steady_ns()

    def now_ms(self) -> int:
        """Return the time, in milliseconds since the epoch."""
        return (self._steady_ns() + self._apart_ns) // NANOSECONDS

    def jumped_ms(self) -> int:
        """Return the milliseconds by which the wall clock is ahead of this clock; negative if it is behind."""
        return self._wall_ns() // NANOSECONDS - self.now_ms()

    def follow(self, jumped_ms: int) -> None:
        """Step the clock by `jumped_ms`, after the calls in progress were moved by the same time."""
        self._apart_ns += jumped_ms * NANOSECONDS

    def seconds_until(self, at_ms: int) -> float | None:
        """Return real seconds until the clock shows `at_ms`; not below zero."""
        return max(0.0, (at_ms - self.now_ms()) / MILLISECONDS)


class ScaledClock:
    """Clock that runs `factor` times as fast as real time, from `start_ms`."""

    def __init__(self, start_ms: int, factor: int) -> None:
        self.mode = f"x{factor}"
        self._factor: Final = factor
        self._start_ms: Final = start_ms
        self._started_ns: Final = time.monotonic_ns()

    def now_ms(self) -> int:
        """Return the time: the start plus the real time since then, multiplied by the factor."""
        return self._start_ms + (time.monotonic_ns() - self._started_ns) * self._factor // NANOSECONDS

    def seconds_until(self, at_ms: int) -> float | None:
        """Return real seconds until the clock shows `at_ms`; not below zero."""
        return max(0.0, (at_ms - self.now_ms()) / MILLISECONDS / self._factor)


class VirtualClock:
    """Clock that stands still until it is set."""

    mode = "virtual"

    def __init__(self, start_ms: int) -> None:
        self._now_ms = start_ms

    def now_ms(self) -> int:
        """Return the time at which the clock was set last."""
        return self._now_ms

    def seconds_until(self, at_ms: int) -> float | None:  # noqa: ARG002 - the protocol's signature
        """Return None: waiting does not advance this clock."""
        return None

    def set(self, now_ms: int) -> None:
        """Set the clock. All events that were due before must be handled."""
        self._now_ms = now_ms


def open_clock(mode: str, stood_at_ms: int) -> RealClock | ScaledClock | VirtualClock:
    """Return the clock for a setting: `real`, `virtual` or `xN`.

    Virtual and `xN` clocks continue from `stood_at_ms`, the last stored time of the service.
    """
    if mode == "virtual":
        return VirtualClock(stood_at_ms)
    if mode.startswith("x"):
        return ScaledClock(stood_at_ms, int(mode[1:]))
    return RealClock()
