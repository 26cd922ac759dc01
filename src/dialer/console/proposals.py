"""Values that forms propose, where the API's defaults do not suit people who plan by the day."""

from typing import Any, Final

from dialer.api.crud.resource import Values

MINUTE_MS: Final = 60_000
"""The unit of moments in forms."""
WEEK_MS: Final = 7 * 86_400_000
"""The length of a new campaign, so that agents can promise calls on the days after its start."""
SAFE_HOURS: Final = {"daily_start_time": "09:00:00", "daily_stop_time": "20:00:00"}
"""The daily hours of a new campaign. Few people are asleep or at table, and most laws allow calls then."""
_CAMPAIGNS: Final = frozenset({"campaigns", "sms-campaigns"})


def proposed(path: str, computed: Values) -> dict[str, Any]:
    """Return the values of a new record in its form, from those that the API would give it."""
    values = dict(computed)
    if path in _CAMPAIGNS:
        values["startingdate"] -= values["startingdate"] % MINUTE_MS
        values["expirationdate"] = values["startingdate"] + WEEK_MS
        values |= SAFE_HOURS
    return values
