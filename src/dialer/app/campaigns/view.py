"""The situation of one campaign: people, calls of the moment and of its whole life, outcomes, and the last calls."""

from typing import Any, Final, NamedTuple

from sqlalchemy import Connection, select

from dialer.app.overview.abandoned_counts import count_abandoned, judged_shares, why_exceeded
from dialer.app.overview.overview import People, people_in
from dialer.domain.figures.statistics import Figures, Grouping, SubscriberState
from dialer.domain.rules.abandoned_causes import ExceededShare
from dialer.domain.rules.abandoned_limits import AbandonedCounts, JudgedShare
from dialer.domain.words.enums import AmdStatus, LegType
from dialer.store.queries.statistics import Counted, Present, WhoseCalls, count_calls, present
from dialer.store.queries.waits_in_queues import CallWait, waits_of_calls
from dialer.store.rows.subscriber_counts import subscribers_by_state
from dialer.store.tables import Campaign, Cdr

OUTCOMES_MAX: Final = 30
ZONE_HOURS_MAX: Final = 5_000
"""Rows of hours and zones that a heat map adds up: those of the first hours, if there are more."""
LAST_CALLS_MAX: Final = 10


class LastCall(NamedTuple):
    """A finished call of a campaign, as its page shows it."""

    id: int
    starting_ms: int
    phone_number: str
    cause: int
    billsec: int
    cost: int
    """An integer of 1e-5."""
    is_abandoned: bool
    wait: CallWait | None
    """Its wait for an agent; None if it came to no queue."""
    is_machine: bool = False
    """True if an answering machine answered it."""


class CampaignView(NamedTuple):
    """The figures of a campaign's page at one moment."""

    row: dict[str, Any]
    """The columns of the campaign."""
    present: Present
    totals: Figures
    states: list[SubscriberState]
    people: People
    outcomes: list[Counted]
    zone_hours: list[Counted]
    last_calls: list[LastCall]
    abandoned: AbandonedCounts
    """The abandoned calls of each period."""
    judged: tuple[JudgedShare, ...]
    """The shares that the rules of the called countries count; none without calls for agents."""
    exceeded: ExceededShare | None
    """The share of abandoned calls with its causes, if it is above the limit."""


def view_campaign(connection: Connection, campaign_id: int, now_ms: int) -> CampaignView:
    """Return the situation of a campaign that exists. Its cost does not grow with the number of calls that are over."""
    scope = WhoseCalls(campaign_id=campaign_id)
    row = connection.execute(select(Campaign.__table__).where(Campaign.id == campaign_id)).mappings().one()
    totals = count_calls(connection, scope, Grouping.TOTAL, None, 1, by_hour=False)
    figures = totals[0].figures if totals else Figures()
    states = subscribers_by_state(connection, campaign_id, None)
    counts = count_abandoned(connection, {campaign_id: figures}, now_ms)[campaign_id]
    outcomes = count_calls(connection, scope, Grouping.OUTCOME, None, OUTCOMES_MAX, by_hour=False)
    return CampaignView(
        dict(row),
        present(connection, scope, now_ms),
        figures,
        states,
        people_in(states),
        outcomes,
        count_calls(connection, scope, Grouping.ZONE, None, ZONE_HOURS_MAX, by_hour=True),
        _last_calls(connection, campaign_id),
        counts,
        judged_shares(connection, campaign_id, row["abandon_rate_max"], counts) if figures.for_agents else (),
        why_exceeded(connection, campaign_id, row["abandon_rate_max"], counts),
    )


def _last_calls(connection: Connection, campaign_id: int) -> list[LastCall]:
    columns = (
        Cdr.id,
        Cdr.starting_date,
        Cdr.phone_number,
        Cdr.hangup_cause_q850,
        Cdr.billsec,
        Cdr.call_cost,
        Cdr.is_abandoned,
        (Cdr.billsec > 0) & (Cdr.amd_status == int(AmdStatus.MACHINE)),
    )
    query = select(*columns).where(Cdr.campaign_id == campaign_id, Cdr.leg_type == LegType.A_LEG)
    query = query.order_by(Cdr.id.desc()).limit(LAST_CALLS_MAX)
    rows = connection.execute(query).all()
    waits = waits_of_calls(connection, [row.id for row in rows])
    return [LastCall(*row[:-1], waits.get(row.id), is_machine=bool(row[-1])) for row in rows]
