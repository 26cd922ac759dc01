"""Queries of breaks that last longer than a queue of the agent allows."""

from typing import Final, NamedTuple

from sqlalchemy import ColumnElement, Connection, and_, func, select

from dialer.domain.words.enums import AgentStatus
from dialer.store.queries.selection import is_of
from dialer.store.tables import Agent, Queue, Tier

_SECOND_MS: Final = 1_000
BEGAN_MS: Final = func.coalesce(func.nullif(Agent.began_ms, 0), Agent.counted_ms)
"""The time at which an agent's activity began, as `AgentClock.since_ms` says it for breaks."""
BREAK_LIMITS: Final = (
    select(Tier.agent_id, func.min(Queue.max_break_time).label("limit_s"))
    .join(Queue, Queue.id == Tier.queue_id)
    .where(Queue.max_break_time > 0)
    .group_by(Tier.agent_id)
    .subquery("break_limit")
)
"""The longest allowed break of each agent who has a limit. Of several queues, each wants the agent back in time."""


class LongBreak(NamedTuple):
    """A break of an agent that lasts longer than its queue allows."""

    agent_id: int
    name: str
    reason: str
    since_ms: int
    limit_s: int


class OrderedBreak(NamedTuple):
    """A break on which the service has sent an agent."""

    agent_id: int
    name: str
    cause: str
    """A `BreakCause`."""
    since_ms: int
    is_talking: bool = False
    """True if the agent still talks: the break begins after the call."""


def ordered_breaks(connection: Connection, breaks_max: int, user_id: int | None = None) -> list[OrderedBreak]:
    """Return the agents whom the service has sent on a break, the longest break first."""
    query = select(Agent.id, Agent.name, Agent.break_cause, BEGAN_MS, Agent.is_talking)
    query = query.where(Agent.status == AgentStatus.ON_BREAK)
    query = query.where(Agent.break_cause != "", is_of(Agent.user_id, user_id)).order_by(BEGAN_MS, Agent.id)
    return [OrderedBreak._make(row) for row in map(tuple, connection.execute(query.limit(breaks_max)))]


def is_too_long(now_ms: int) -> ColumnElement[bool]:
    """Return the condition that an agent, joined with `BREAK_LIMITS`, is on a break that lasts too long."""
    ends_ms = BEGAN_MS + BREAK_LIMITS.c.limit_s * _SECOND_MS
    return and_(Agent.status == AgentStatus.ON_BREAK, Agent.is_talking.is_(False), ends_ms < now_ms)


def break_limit(connection: Connection, agent_id: int) -> int:
    """Return the longest allowed break of an agent in seconds; 0 without a limit."""
    query = select(BREAK_LIMITS.c.limit_s).where(BREAK_LIMITS.c.agent_id == agent_id)
    return int(connection.scalar(query) or 0)


def long_breaks(
    connection: Connection, now_ms: int, breaks_max: int, *, user_id: int | None = None, queue_id: int | None = None
) -> list[LongBreak]:
    """Return the breaks that last too long, the longest first: of all agents, those of a user or those of a queue."""
    query = select(Agent.id, Agent.name, Agent.break_reason, BEGAN_MS, BREAK_LIMITS.c.limit_s)
    query = query.join(BREAK_LIMITS, BREAK_LIMITS.c.agent_id == Agent.id)
    query = query.where(is_too_long(now_ms), is_of(Agent.user_id, user_id)).order_by(BEGAN_MS, Agent.id)
    if queue_id is not None:
        query = query.where(Agent.id.in_(select(Tier.agent_id).where(Tier.queue_id == queue_id)))
    return [LongBreak._make(row) for row in map(tuple, connection.execute(query.limit(breaks_max)))]


def agents_on_break(connection: Connection, queue_id: int) -> int:
    """Return the number of agents of a queue who are on a break."""
    query = select(func.count()).select_from(Tier).join(Agent, Agent.id == Tier.agent_id)
    query = query.where(Tier.queue_id == queue_id, Agent.status == AgentStatus.ON_BREAK, Agent.is_talking.is_(False))
    return int(connection.scalar(query) or 0)
