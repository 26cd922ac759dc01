"""A campaign that abandons too many calls: its share, and why."""

from collections.abc import Collection
from statistics import median
from typing import Final

from sqlalchemy import Connection, func, select

from dialer.domain.abandoned_share import TELEPHONES_SEEN, AbandonedFacts, ExceededShare, causes_of, exceeded_share
from dialer.domain.billing.money import MONEY_SCALE
from dialer.domain.enums import AgentStatus
from dialer.domain.statistics import Figures
from dialer.domain.survey.sections.table import queue_ids_of
from dialer.store.sealed_surveys import sealed_survey
from dialer.store.tables import Agent, Campaign, Tier, Transfer

TRANSFERS_READ: Final = 500
"""The last calls of a queue among which those that agents took are looked for: nobody may have taken any for long."""
_AVAILABLE: Final = frozenset({AgentStatus.AVAILABLE, AgentStatus.AVAILABLE_ON_DEMAND})


def why_exceeded(connection: Connection, campaign_id: int, own_limit: int, totals: Figures) -> ExceededShare | None:
    """Return the share of abandoned calls of a campaign with the causes, if it is too high; None if it is not.

    `own_limit` is the campaign's `abandon_rate_max`. Nothing is read unless the share is too high.
    """
    exceeded = exceeded_share(totals.abandoned, totals.for_agents, own_limit / MONEY_SCALE)
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
    serves = Agent.id.in_(select(Tier.agent_id).where(Tier.queue_id.in_(queue_ids)))
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
