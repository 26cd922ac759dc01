"""Queries of agents on duty whose telephones ring in vain."""

from typing import Final, NamedTuple

from sqlalchemy import Connection, Select, bindparam, func, select

from dialer.domain.figures.statistics import HOUR_MS
from dialer.domain.queueing.agents import TAKES_CALLS
from dialer.store.queries.selection import is_of
from dialer.store.tables import Agent, AgentHour

MISSED_FEW: Final = 3
"""Missed calls from which on an agent is named: once or twice, anybody is away from the telephone."""
_MISSED: Final = func.sum(AgentHour.missed)
_IN_VAIN: Final[Select[int, str, int]] = (
    select(Agent.id, Agent.name, _MISSED)
    .join(AgentHour, AgentHour.agent_id == Agent.id)
    .where(Agent.status.in_([int(status) for status in TAKES_CALLS]), AgentHour.hour >= bindparam("hour"))
    .group_by(Agent.id, Agent.name)
    .having(_MISSED >= MISSED_FEW)
    .order_by(_MISSED.desc(), Agent.id)
    .limit(bindparam("most"))
)


class MissedCalls(NamedTuple):
    """The calls that an agent on duty was offered of late and did not take."""

    agent_id: int
    name: str
    missed: int
    since_ms: int


def missed_since_ms(now_ms: int) -> int:
    """Return the moment from which missed calls are recent: the hour before the present one. Hours are counted."""
    return (now_ms // HOUR_MS - 1) * HOUR_MS


def missed_of_late(
    connection: Connection, now_ms: int, agents_max: int, user_id: int | None = None
) -> list[MissedCalls]:
    """Return the agents on duty of a user, or of all, who missed `MISSED_FEW` calls of late, the worst first."""
    since_ms = missed_since_ms(now_ms)
    query = _IN_VAIN.where(is_of(Agent.user_id, user_id))
    rows = connection.execute(query, {"hour": since_ms // HOUR_MS, "most": agents_max})
    return [MissedCalls(row[0], row[1], int(row[2]), since_ms) for row in rows]
