"""A campaign that abandons too many calls: its share, and why."""

from collections.abc import Collection, Mapping
from statistics import median
from typing import Final, NamedTuple

from sqlalchemy import Connection, func, select

from dialer.domain.billing.money import MONEY_SCALE
from dialer.domain.figures.statistics import HOUR_MS, NO_FIGURES, Figures
from dialer.domain.rules.abandoned_causes import TELEPHONES_SEEN, AbandonedFacts, ExceededShare, causes_of, worst_of
from dialer.domain.rules.abandoned_limits import (
    PERIOD_HOURS,
    AbandonedCount,
    AbandonedCounts,
    JudgedShare,
    Period,
    judge,
    may_exceed,
)
from dialer.domain.survey.sections.table import queue_ids_of
from dialer.domain.words.enums import AgentStatus
from dialer.store.database.count_cache import count_once
from dialer.store.queries.able_agents import able_agents
from dialer.store.queries.area_codes import area_codes_of, phonebooks_of
from dialer.store.queries.called_countries import called_countries
from dialer.store.queries.campaign_figures import abandoned_since, totals_of_campaigns
from dialer.store.queries.sealed_surveys import sealed_survey
from dialer.store.tables import Agent, Campaign, Transfer

TRANSFERS_READ: Final = 500
"""The last calls of a queue among which those that agents took are looked for: nobody may have taken any for long."""
_AVAILABLE: Final = frozenset({AgentStatus.AVAILABLE, AgentStatus.AVAILABLE_ON_DEMAND})


def count_abandoned(
    connection: Connection, totals: Mapping[int, Figures], now_ms: int
) -> Mapping[int, dict[Period, AbandonedCount]]:
    """Return the abandoned calls of campaigns over each period, from the counters of hours.

    A period begins with a whole hour. `totals` are the figures of all their calls.
    """
    found = {
        one: {Period.CAMPAIGN: AbandonedCount(figures.abandoned, figures.for_agents)} for one, figures in totals.items()
    }
    with_agents = [one for one, figures in totals.items() if figures.for_agents]
    for period, hours in PERIOD_HOURS.items() if with_agents else ():
        counts = abandoned_since(connection, with_agents, now_ms // HOUR_MS - hours)
        for one, of_campaign in found.items():
            of_campaign[period] = AbandonedCount(*counts.get(one, (0, 0)))
    return found


class AbandonedShares(NamedTuple):
    """The abandoned calls of a campaign over each period, and what the rules of the called countries say of them."""

    counts: AbandonedCounts
    judged: tuple[JudgedShare, ...]


def read_abandoned(connection: Connection, campaign_id: int, now_ms: int) -> AbandonedShares:
    """Return the abandoned calls of a campaign; no rule without calls for agents. The connection must only read."""
    totals = totals_of_campaigns(connection, [campaign_id]).get(campaign_id, NO_FIGURES)
    counts = count_abandoned(connection, {campaign_id: totals}, now_ms)[campaign_id]
    query = select(Campaign.abandon_rate_max).where(Campaign.id == campaign_id)
    own_limit = connection.scalar(query) if totals.for_agents else None
    judged = () if own_limit is None else judged_shares(connection, campaign_id, own_limit, counts)
    return AbandonedShares(counts, judged)


def judged_shares(
    connection: Connection, campaign_id: int, own_limit: int, counts: AbandonedCounts
) -> tuple[JudgedShare, ...]:
    """Return the shares that the rules of the called countries count. `own_limit` is its `abandon_rate_max`.

    The connection must only read.
    """
    # Steps of the worker add nobody to a list.
    countries = count_once(
        connection,
        ("called countries", campaign_id),
        lambda: called_countries(
            connection, area_codes_of(connection, campaign_id, phonebooks_of(connection, campaign_id))
        ),
        users_alone_change_it=True,
    )
    return judge(counts, countries, own_limit / MONEY_SCALE)


def why_exceeded(
    connection: Connection, campaign_id: int, own_limit: int, counts: AbandonedCounts
) -> ExceededShare | None:
    """Return the share of abandoned calls of a campaign with the causes, if it is too high; None if it is not.

    `own_limit` is the campaign's `abandon_rate_max`. Nothing is read unless a share is too high. The connection must
    only read.
    """
    if not may_exceed(counts, own_limit / MONEY_SCALE):
        return None
    exceeded = worst_of(judged_shares(connection, campaign_id, own_limit, counts))
    if exceeded is None:
        return None
    query = select(Campaign.dial_method, Campaign.agent_dial_rate).where(Campaign.id == campaign_id)
    campaign = connection.execute(query).first()
    survey = sealed_survey(connection, campaign_id)
    if campaign is None or survey is None:
        return exceeded
    queue_ids = set(queue_ids_of(survey))
    staff = _agents_by_status(connection, queue_ids)
    facts = AbandonedFacts(
        limit=own_limit / MONEY_SCALE,
        dial_method=campaign.dial_method,
        agent_dial_rate=campaign.agent_dial_rate / MONEY_SCALE,
        available=sum(staff.get(status, 0) for status in _AVAILABLE),
        on_break=staff.get(AgentStatus.ON_BREAK, 0),
        logged_out=staff.get(AgentStatus.LOGGED_OUT, 0),
        ring_ms=_ring_ms(connection, queue_ids),
    )
    return exceeded._replace(causes=causes_of(facts))


def _agents_by_status(connection: Connection, queue_ids: Collection[int]) -> dict[int, int]:
    serves = Agent.id.in_(able_agents(connection, queue_ids))
    query = select(Agent.status, func.count()).where(serves).group_by(Agent.status)
    return {row[0]: row[1] for row in connection.execute(query)}


def _ring_ms(connection: Connection, queue_ids: Collection[int]) -> int | None:
    """Return the median time from the offer of a call to an agent to its answer, over the last calls of the queues."""
    rung: list[int] = []
    for queue_id in sorted(queue_ids):
        last = (
            select(Transfer.answered_ms - Transfer.started_ms)
            .where(Transfer.queue_id == queue_id, Transfer.ended_ms.is_not(None))
            .order_by(Transfer.ended_ms.desc())
            .limit(TRANSFERS_READ)
        )
        taken = [int(ring_ms) for ring_ms in connection.scalars(last) if ring_ms is not None]
        rung += taken[:TELEPHONES_SEEN]
    return round(median(rung)) if rung else None
