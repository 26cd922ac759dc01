"""When a gateway rests: a carrier that fails again and again is left alone for a while."""

from typing import Final

import msgspec

from dialer.domain.enums import Cause

FAILURES_MAX: Final = 5
"""Failures in a row that a gateway is allowed; at the last of them it rests."""
REST_MS_MIN: Final = 30_000
REST_MS_MAX: Final = 600_000
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
    """How a gateway has fared lately."""

    failures: int = 0
    """In a row."""
    rest_ms: int = 0
    """How long its rest is, or was; 0 if nothing has failed since the last time that something went well."""
    rests_until_ms: int = 0


CLOSED: Final = CircuitBreaker()
"""How a gateway stands that has carried an attempt, whatever came of that."""


def after_attempt(rest: CircuitBreaker, cause: Cause, started_ms: int, now_ms: int) -> CircuitBreaker:
    """How a gateway stands once an attempt is over that was made at `started_ms`.

    At the fifth failure in a row it rests for 30 s. If what is tried first after a rest fails too, it rests at once,
    twice as long as before, up to 10 minutes. Anything else that comes of an attempt begins all anew. An attempt that
    was made before a rest was over tells nothing of what is after it, and changes nothing.
    """
    if started_ms < rest.rests_until_ms:
        return rest
    if cause not in CARRIER_FAILURES:
        return CLOSED
    failures = rest.failures + 1
    if failures < FAILURES_MAX:
        return CircuitBreaker(failures)
    rest_ms = min(REST_MS_MAX, rest.rest_ms * 2) if rest.rest_ms else REST_MS_MIN
    return CircuitBreaker(failures, rest_ms, now_ms + rest_ms)
