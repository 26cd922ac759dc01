"""The campaign day: the virtual clock is advanced step by step to the end of the campaign."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Final

from dialer.demo.evidence import ProgressRecord, moment
from dialer.demo.preparation import EXPIRES, STARTS
from dialer.local_service.client import Client

STEP: Final = timedelta(minutes=30)
LAST_CALLS: Final = timedelta(minutes=10)
"""Time for calls that are in progress when the campaign expires."""


def live_through(
    admin: Client, owner: Client, campaign_id: int, watch: Callable[[ProgressRecord], None]
) -> list[ProgressRecord]:
    """Advance the clock to the end of the campaign; call `watch` with the counters after every step."""
    milestones = []
    at, end = moment(STARTS), moment(EXPIRES) + LAST_CALLS
    while at < end:
        at = min(at + STEP, end)
        admin.advance_to(show(at))
        campaign = owner.read("campaigns", campaign_id)
        milestone = ProgressRecord(show(at), campaign["calls"], campaign["answered"], Decimal(campaign["cost"]))
        milestones.append(milestone)
        watch(milestone)
    return milestones


def show(at: datetime) -> str:
    """Return a time in the format of the API."""
    return at.astimezone(UTC).isoformat().replace("+00:00", "Z")
