"""The time for which the other side wants no more requests (RFC 3261 20.33, 21.5.4)."""

from typing import Final

from dialer.carriers.sip.messages import Received
from dialer.domain.calls.circuit_breaker import CARRIER_FAILURES, RETRY_AFTER_MS_MAX

_OF_SERVICE: Final = frozenset({500, 503})
"""Refusals whose Retry-After is about the carrier's service. That of any other is about the callee (RFC 3261 20.33)."""


def after_call_ms(refusal: Received, cause: int) -> int:
    """Return the time in milliseconds for which a refused call with a Q.850 cause is not tried again; 0 if none.

    A telephone may blame the carrier in its Reason header. It must not stop the calls to everybody else.
    """
    is_of_carrier = cause in CARRIER_FAILURES
    return 0 if is_of_carrier and refusal.status not in _OF_SERVICE else asked_ms(refusal)


def asked_ms(response: Received) -> int:
    """Return the time in milliseconds that a refusal asks for; 0 if it asks for none."""
    return (response.number_in("Retry-After") or 0) * 1_000


def retry_after_ms(response: Received) -> int:
    """Return the time in milliseconds for which a carrier is left alone: what it asks for, up to an hour."""
    return min(asked_ms(response), RETRY_AFTER_MS_MAX)
