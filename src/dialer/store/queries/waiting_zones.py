"""The zones in which people of campaigns wait, and when the first of each zone is due."""

from collections.abc import Collection
from typing import Any, Final

from sqlalchemy import Connection, Select, bindparam, func, literal, select

from dialer.domain.rules.campaign_activity import WaitingZone
from dialer.domain.words.enums import SubscriberStatus
from dialer.store.tables import Campaign, Subscriber

ZONES_MAX: Final = 50
"""Zones of a campaign that are read, in the order of their keys."""


def waiting_zones(connection: Connection, campaign_ids: Collection[int]) -> dict[int, list[WaitingZone]]:
    """Return the zones of the PENDING subscribers of campaigns, by campaign. Those without such people are left out.

    One statement skips through the index from zone to zone, so its cost does not grow with the people.
    """
    found: dict[int, list[WaitingZone]] = {}
    for campaign_id, zone, due_ms in connection.execute(_ZONES, {"ids": list(campaign_ids)}):
        found.setdefault(campaign_id, []).append(WaitingZone(zone, due_ms or 0))
    return found


def _zones() -> Select[Any]:
    is_pending = Subscriber.status == SubscriberStatus.PENDING
    first = select(func.min(Subscriber.zone)).where(Subscriber.campaign_id == Campaign.id, is_pending)
    asked = Campaign.id.in_(bindparam("ids", expanding=True))
    base = select(
        Campaign.id.label("campaign_id"),
        first.correlate(Campaign).scalar_subquery().label("zone"),
        literal(1).label("place"),
    ).where(asked)
    found = base.cte("found", recursive=True)
    following = (
        select(func.min(Subscriber.zone))
        .where(Subscriber.campaign_id == found.c.campaign_id, is_pending, Subscriber.zone > found.c.zone)
        .correlate(found)
        .scalar_subquery()
    )
    step = select(found.c.campaign_id, following, found.c.place + 1)
    found = found.union_all(step.where(found.c.zone.is_not(None), found.c.place < ZONES_MAX))
    due = (
        select(func.min(Subscriber.due_ms))
        .where(Subscriber.campaign_id == found.c.campaign_id, is_pending, Subscriber.zone == found.c.zone)
        .correlate(found)
        .scalar_subquery()
    )
    return select(found.c.campaign_id, found.c.zone, due).where(found.c.zone.is_not(None))


_ZONES: Final = _zones()
