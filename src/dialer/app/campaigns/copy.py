"""Copies of campaigns: new campaigns with the settings of others, without their subscribers, calls and counters."""

from collections.abc import Mapping
from typing import Any, Final

from sqlalchemy import Row, insert

from dialer.app.events import CampaignCopied
from dialer.app.unit import UnitOfWork
from dialer.store.tables import Campaign
from dialer.store.touched import NOTHING

COPY_SUFFIX: Final = " (copy)"


def name_of_copy(name: str, length_max: int) -> str:
    """Return the name of a copy, at most `length_max` characters long."""
    return f"{name[: length_max - len(COPY_SUFFIX)]}{COPY_SUFFIX}"


def dates_of_copy(stored: Mapping[str, Any], given: Mapping[str, Any], now_ms: int) -> dict[str, int]:
    """Return the dates of a copy: it starts now, or when given, and is as long as the other campaign."""
    starting_ms = given.get("startingdate", now_ms)
    length_ms = stored["expirationdate"] - stored["startingdate"]
    return {"startingdate": starting_ms, "expirationdate": given.get("expirationdate", starting_ms + length_ms)}


def add_copy(unit: UnitOfWork, campaign_id: int, values: Mapping[str, Any]) -> Row[Any]:
    """Add a copy of a campaign, from the columns of the copy; return its row. The engine hears of it when it starts."""
    row = unit.connection.execute(insert(Campaign).values(values).returning(*Campaign.__table__.c)).one()
    unit.note(NOTHING, CampaignCopied(campaign_id, row.id))
    return row
