"""The circuit breaker of a gateway: a carrier that fails repeatedly is not used for a while."""

from typing import Final

import msgspec

from dialer.domain.enums import Cause

FAILURES_MAX: Final = 5
"""Number of consecutive failures after which a gateway rests."""
OPEN_MS_MIN: Final = 30_000
OPEN_MS_MAX: Final = 600_000
RETRY_AFTER_MS_MAX: Final = 3_600_000
"""The longest rest that a carrier may ask for: it cannot park a gateway for longer."""
CARRIER_FAILURES: Final = frozenset(
    {
        Cause.NO_ROUTE_TO_TRANSIT_NETWORK,
        Cause.EXCHANGE_ROUTING_ERROR,
        Cause.NO_CIRCUIT,
        Cause.NETWORK_OUT_OF_ORDER,
        Cause.TEMPORARY_FAILURE,
        Cause.SWITCH_CONGESTION,
        Cause.CIRCUIT_UNAVAILABLE,
        Cause.RESOURCE_UNAVAILABLE,
        Cause.TIMER_EXPIRY,
    }
)
"""Causes that indicate a fault of the carrier, not of the callee. Timer expiry means that the carrier did not answer.
"""


class CircuitBreaker(msgspec.Struct, frozen=True, gc=False):
    """The state of a gateway's circuit breaker. An open breaker stops the use of the carrier."""

    failures: int = 0
    """Number of consecutive failures."""
    open_ms: int = 0
    """Length of the rest in milliseconds; 0 if the gateway has not rested since its last success."""
    open_until_ms: int = 0


CLOSED: Final = CircuitBreaker()
"""The state of a gateway whose last attempt did not fail because of the carrier."""


def after_attempt(
    breaker: CircuitBreaker, cause: Cause, started_ms: int, now_ms: int, retry_after_ms: int = 0
) -> CircuitBreaker:
    """Return the state of a gateway's circuit breaker after an attempt that was made at `started_ms`.

    At the fifth consecutive failure the gateway rests for 30 s. If the first attempt after a rest fails too, the
    gateway rests again at once, twice as long as before, up to 10 minutes. Any other result resets the breaker. An
    attempt from before the end of a rest changes nothing, because it tells nothing about the carrier after the rest.

    A carrier that wants no calls for `retry_after_ms` gets none, up to an hour, though it failed only once.
    """
    asked_ms = now_ms + min(retry_after_ms, RETRY_AFTER_MS_MAX) if retry_after_ms and cause in CARRIER_FAILURES else 0
    if started_ms < breaker.open_until_ms:
        if asked_ms <= breaker.open_until_ms:
            return breaker
        return CircuitBreaker(breaker.failures, breaker.open_ms, asked_ms)
    if cause not in CARRIER_FAILURES:
        return CLOSED
    failures = breaker.failures + 1
    if failures < FAILURES_MAX:
        return CircuitBreaker(failures, 0, asked_ms)
    open_ms = min(OPEN_MS_MAX, breaker.open_ms * 2) if breaker.open_ms else OPEN_MS_MIN
    return CircuitBreaker(failures, open_ms, max(now_ms + open_ms, asked_ms))
