"""The activities of campaigns, read from the rows. The number of statements does not grow with the campaigns."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from msgspec.structs import replace
from sqlalchemy import Connection, select

from dialer.app.campaigns.people_by_zone import people_by_zone
from dialer.domain.calling_times.calling_hours import CallingHours
from dialer.domain.rules.campaign_activity import (
    UNREADABLE,
    CampaignActivity,
    WaitingZone,
    activity_of,
    settled_activity,
)
from dialer.domain.rules.dial_rules import PlaceFacts
from dialer.domain.rules.why_waiting import Circumstances
from dialer.domain.words.enums import CampaignStatus
from dialer.store.queries.waiting_zones import waiting_zones
from dialer.store.queries.why_waiting import circumstances_of
from dialer.store.rows.joining.contact_collection import campaigns_collecting
from dialer.store.tables import CampaignPhonebook


def activities_of(
    connection: Connection,
    campaigns: Iterable[Mapping[Any, Any]],
    now_ms: int,
    service_zone: str,
    hours: CallingHours,
) -> dict[int, CampaignActivity]:
    """Return what each of the campaigns does, by id, from its `id`, `status` and `status_reason`.

    Only those that are started are read any further.
    """
    rows = list(campaigns)
    started = {row["id"] for row in rows if row["status"] == CampaignStatus.START}
    known = circumstances_of(connection, started, now_ms, service_zone, hours) if started else {}
    zones = waiting_zones(connection, started) if started else {}
    idle = known.keys() - zones.keys()
    joining = campaigns_collecting(connection, idle) if idle else set()
    return {
        row["id"]: _activity(row, known.get(row["id"]), zones.get(row["id"], []), is_joining=row["id"] in joining)
        for row in rows
    }


def activity_if_started(
    connection: Connection, campaign_id: int, now_ms: int, service_zone: str, hours: CallingHours
) -> CampaignActivity | None:
    """Return the activity of a campaign if it were started now, with room for its calls; None without people."""
    query = select(CampaignPhonebook.phonebook_id).where(CampaignPhonebook.campaign_id == campaign_id)
    people, _ = people_by_zone(connection, campaign_id, list(connection.scalars(query)))
    found = circumstances_of(connection, {campaign_id}, now_ms, service_zone, hours).get(campaign_id)
    if not people or found is None:
        return None
    started = replace(found, status=CampaignStatus.START, status_reason="", place=PlaceFacts(now_ms=now_ms))
    return activity_of(started, [WaitingZone(one.zone, 0) for one in people], is_joining=False)


def activity_from(
    connection: Connection,
    campaign: Mapping[Any, Any],
    circumstances: Circumstances | None,
    zones: Sequence[WaitingZone],
) -> CampaignActivity:
    """Return what a campaign does from its row, circumstances and people that have been read already."""
    is_joining = not zones and campaign["status"] == CampaignStatus.START
    is_joining = is_joining and bool(campaigns_collecting(connection, {campaign["id"]}))
    return _activity(campaign, circumstances, zones, is_joining=is_joining)


def _activity(
    row: Mapping[Any, Any], circumstances: Circumstances | None, zones: Sequence[WaitingZone], *, is_joining: bool
) -> CampaignActivity:
    if row["status"] != CampaignStatus.START:
        return settled_activity(row["status"], row["status_reason"])
    return UNREADABLE if circumstances is None else activity_of(circumstances, zones, is_joining=is_joining)
