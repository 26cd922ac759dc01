"""The waits of PENDING subscribers: why each is not called now, and those whose turn comes first."""

from collections.abc import Collection, Mapping
from typing import Any, Final, NamedTuple

from sqlalchemy import Connection, RowMapping, select

from dialer.app.campaigns.activity import activity_from
from dialer.domain.calling_times.calling_hours import CallingHours
from dialer.domain.rules.campaign_activity import CampaignActivity, WaitingZone
from dialer.domain.rules.why_waiting import Circumstances, Wait, why_not_now
from dialer.domain.words.enums import SubscriberStatus
from dialer.domain.words.reasons import WaitsFor
from dialer.store.queries.load_engine import pending_zones
from dialer.store.queries.why_waiting import FACTS_ARE_IN, circumstances_of, people_facts
from dialer.store.tables import Subscriber

NEXT_PEOPLE_MAX: Final = 8
ZONES_READ_MAX: Final = 50
"""Time zones of a campaign whose first people are read."""
_REFUSED: Final = frozenset(
    {
        WaitsFor.EMERGENCY,
        WaitsFor.INVALID_NUMBER,
        WaitsFor.DESTINATION,
        WaitsFor.TZ_UNKNOWN,
        WaitsFor.DNC,
        WaitsFor.HELD,
        WaitsFor.NO_CONSENT,
    }
)
"""The waits of people whose turn comes, but who are refused then."""
_TIMED: Final = frozenset({WaitsFor.STARTING, WaitsFor.RETRY, WaitsFor.FREQUENCY, WaitsFor.WINDOW})
_NEXT: Final = tuple(Subscriber.__table__.c[name] for name in (*FACTS_ARE_IN, "full_name", "count_attempt"))


class NextPerson(NamedTuple):
    """A PENDING subscriber, and why they are not called now."""

    number: str
    full_name: str
    attempts: int
    wait: Wait


class WaitingView(NamedTuple):
    """The activity of a campaign, and the people whose turn comes first."""

    activity: CampaignActivity
    people: list[NextPerson]


def waits_of(
    connection: Connection, pending: Collection[RowMapping], now_ms: int, service_zone: str, hours: CallingHours
) -> dict[int, Wait]:
    """Return the waits of PENDING subscribers by their ids, from their rows, but not those of unreadable campaigns.

    Each campaign is read once.
    """
    ids = {row["campaign_id"] for row in pending}
    return _waits(connection, pending, circumstances_of(connection, ids, now_ms, service_zone, hours))


def view_waiting(
    connection: Connection, campaign: Mapping[str, Any], now_ms: int, service_zone: str, hours: CallingHours
) -> WaitingView:
    """Return what a campaign does now, and its people whose turn comes first, at most `NEXT_PEOPLE_MAX`.

    Its cost grows with the time zones of the campaign, and not with its people.
    """
    campaign_id = campaign["id"]
    rows = [
        row
        for zone in pending_zones(connection, campaign_id, ZONES_READ_MAX)
        for row in _first(connection, campaign_id, zone)
    ]
    known = circumstances_of(connection, {campaign_id}, now_ms, service_zone, hours)
    waits = _waits(connection, rows, known)
    waiting = [row for row in rows if row["id"] in waits]
    waiting.sort(key=lambda row: (_begins_ms(waits[row["id"]], now_ms), row["due_ms"], row["id"]))
    people = [
        NextPerson(row["number"], row["full_name"], row["count_attempt"], waits[row["id"]])
        for row in waiting[:NEXT_PEOPLE_MAX]
    ]
    due: dict[str, int] = {}
    for row in rows:
        due.setdefault(row["zone"], row["due_ms"])
    zones = [WaitingZone(zone, due_ms) for zone, due_ms in due.items()]
    return WaitingView(activity_from(connection, campaign, known.get(campaign_id), zones), people)


def _waits(
    connection: Connection, pending: Collection[RowMapping], campaigns: Mapping[int, Circumstances]
) -> dict[int, Wait]:
    people = people_facts(connection, pending, campaigns)
    return {
        row["id"]: why_not_now(campaigns[row["campaign_id"]], people[row["id"]])
        for row in pending
        if row["id"] in people
    }


def _first(connection: Connection, campaign_id: int, zone: str) -> list[RowMapping]:
    query = (
        select(*_NEXT)
        .where(Subscriber.campaign_id == campaign_id, Subscriber.status == SubscriberStatus.PENDING)
        .where(Subscriber.zone == zone)
        .order_by(Subscriber.due_ms, Subscriber.id)
        .limit(NEXT_PEOPLE_MAX)
    )
    return list(connection.execute(query).mappings())


def _begins_ms(wait: Wait, now_ms: int) -> float:
    """Return the end of a wait, as far as it is known; infinity for people who will not be called."""
    if wait.until_ms is not None:
        return wait.until_ms
    return float("inf") if wait.reason in _REFUSED | _TIMED else now_ms
