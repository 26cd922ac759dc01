"""The circuit breaker of a gateway: a carrier that fails again and again is left alone for a while."""

from typing import Final

import msgspec

from dialer.domain.enums import Cause

FAILURES_MAX: Final = 5
"""Failures in a row that a gateway is allowed; at the last of them it rests."""
OPEN_MS_MIN: Final = 30_000
OPEN_MS_MAX: Final = 600_000
CARRIER_FAILURES: Final = frozenset(
    {
        Cause.NO_CIRCUIT,
        Cause.NETWORK_OUT_OF_ORDER,
        Cause.TEMPORARY_FAILURE,
        Cause.SWITCH_CONGESTION,
        Cause.TIMER_EXPIRY,
    }
)
"""Causes that tell of the carrier, not of the callee: it refuses, or (timer expiry) it does not answer at all."""


class CircuitBreaker(msgspec.Struct, frozen=True, gc=False):
    """State of a gateway: open while its carrier is left alone."""

    failures: int = 0
    """In a row."""
    open_ms: int = 0
    """Length of the rest; 0 if the gateway has not rested since its last success."""
    open_until_ms: int = 0


CLOSED: Final = CircuitBreaker()
"""State of a gateway that has carried an attempt, with any result."""


def after_attempt(breaker: CircuitBreaker, cause: Cause, started_ms: int, now_ms: int) -> CircuitBreaker:
    """Return the state of a gateway after an attempt that was made at `started_ms`.

    At the fifth failure in a row it rests for 30 s. If what is tried first after a rest fails too, it rests at once,
    twice as long as before, up to 10 minutes. Anything else that comes of an attempt begins all anew. An attempt that
    was made before a rest was over tells nothing of what is after it, and changes nothing.
    """
    if started_ms < breaker.open_until_ms:
        return breaker
    if cause not in CARRIER_FAILURES:
        return CLOSED
    failures = breaker.failures + 1
    if failures < FAILURES_MAX:
        return CircuitBreaker(failures)
    open_ms = min(OPEN_MS_MAX, breaker.open_ms * 2) if breaker.open_ms else OPEN_MS_MIN
    return CircuitBreaker(failures, open_ms, now_ms + open_ms)
