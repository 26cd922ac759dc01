"""The time for which the other side wants no more requests (RFC 3261 20.33, 21.5.4)."""

from typing import Final

from dialer.carriers.sip.messages import Received

RETRY_AFTER_MS_MAX: Final = 3_600_000
"""The longest time that is obeyed: an hour. A carrier cannot park a gateway for longer."""


def retry_after_ms(response: Received) -> int:
    """Return the time in milliseconds that a refusal asks for, up to the longest one; 0 if it asks for none."""
    return min((response.number_in("Retry-After") or 0) * 1_000, RETRY_AFTER_MS_MAX)
