"""The circuit breaker of a gateway: a carrier that fails repeatedly is not used for a while."""

from typing import Final

import msgspec

from dialer.domain.words.enums import Cause

FAILURES_MAX: Final = 5
"""Number of consecutive failures after which a gateway rests."""
OPEN_MS_MIN: Final = 30_000
OPEN_MS_MAX: Final = 600_000
FIRST_RETRY_AFTER_MS_MAX: Final = 300_000
"""The longest rest that a single refusal may ask for. The calls after it show whether the carrier means it."""
RETRY_AFTER_MS_MAX: Final = 3_600_000
"""The longest rest that a carrier may ask for if it refuses the first call after a rest, too."""
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
    """Length of the rest after failures in a row, in milliseconds; 0 if there is none, or the carrier asked for it."""
    open_until_ms: int = 0

    @property
    def is_asked_for(self) -> bool:
        """True if the carrier asked for the rest. False if the rest follows failures in a row."""
        return self.open_until_ms > 0 and not self.open_ms


CLOSED: Final = CircuitBreaker()
"""The state of a gateway whose last attempt did not fail because of the carrier."""


def after_attempt(
    breaker: CircuitBreaker, cause: Cause, started_ms: int, now_ms: int, retry_after_ms: int = 0
) -> CircuitBreaker:
    """Return the state of a gateway's circuit breaker after an attempt that was made at `started_ms`.

    At the fifth consecutive failure the gateway rests for 30 s. If the first attempt after a rest fails too, the
    gateway rests again at once, twice as long as before, up to 10 minutes. Any other result resets the breaker. An
    attempt from before the end of a rest changes nothing, because it tells nothing about the carrier after the rest.

    A carrier that wants no calls for `retry_after_ms` gets none for five minutes at most, though it failed only once.
    If it refuses the first attempt after a rest, too, it gets none for as long as it asks, up to an hour.
    """
    is_failure = cause in CARRIER_FAILURES
    if started_ms < breaker.open_until_ms:
        asked_ms = now_ms + min(retry_after_ms, FIRST_RETRY_AFTER_MS_MAX) if is_failure and retry_after_ms else 0
        return breaker if asked_ms <= breaker.open_until_ms else CircuitBreaker(breaker.failures, 0, asked_ms)
    if not is_failure:
        return CLOSED
    failures = breaker.failures + 1
    open_ms = _own_rest_ms(breaker, failures)
    longest_ms = RETRY_AFTER_MS_MAX if breaker.open_until_ms else FIRST_RETRY_AFTER_MS_MAX
    asked_ms = min(retry_after_ms, longest_ms)
    if asked_ms > open_ms:
        return CircuitBreaker(failures, 0, now_ms + asked_ms)
    return CircuitBreaker(failures, open_ms, now_ms + open_ms if open_ms else 0)


def _own_rest_ms(breaker: CircuitBreaker, failures: int) -> int:
    """Return the length of the rest that begins with this failure; 0 if there are too few failures in a row."""
    if failures < FAILURES_MAX:
        return 0
    return min(OPEN_MS_MAX, breaker.open_ms * 2) if breaker.open_ms else OPEN_MS_MIN
