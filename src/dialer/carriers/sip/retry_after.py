"""The time for which the other side wants no more requests (RFC 3261 20.33, 21.5.4)."""

from dialer.carriers.sip.messages import Received
from dialer.domain.circuit_breaker import RETRY_AFTER_MS_MAX


def asked_ms(response: Received) -> int:
    """Return the time in milliseconds that a refusal asks for; 0 if it asks for none."""
    return (response.number_in("Retry-After") or 0) * 1_000


def retry_after_ms(response: Received) -> int:
    """Return the time in milliseconds for which a carrier is left alone: what it asks for, up to an hour."""
    return min(asked_ms(response), RETRY_AFTER_MS_MAX)
