"""Queries of the periods of agents' work: those that are over, and the one that goes on."""

from collections import defaultdict
from typing import Any, Final, NamedTuple

from sqlalchemy import ColumnElement, Connection, func, select
from sqlalchemy.orm import aliased

from dialer.domain.queueing.activity import AgentClock
from dialer.domain.queueing.agent_periods import AgentPeriod, look_began_ms, open_period
from dialer.domain.words.enums import AgentActivity
from dialer.store.tables import Agent
from dialer.store.tables import AgentPeriod as AgentPeriodRow

_CLOCK: Final = [Agent.__table__.c[name] for name in AgentClock.__struct_fields__]
_PERIOD: Final = [AgentPeriodRow.__table__.c[name] for name in AgentPeriod._fields]


class TooManyPeriodsError(Exception):
    """A question would read more periods than one answer may."""


class WorkOfAgent(NamedTuple):
    """An agent, with the periods that touch a time, in their order."""

    id: int
    name: str
    periods: list[AgentPeriod]
    here_until_ms: int
    """The present if the agent is logged in, else 0."""


def read_work(
    connection: Connection, whose: ColumnElement[bool], from_ms: int, to_ms: int, now_ms: int, periods_max: int
) -> list[WorkOfAgent]:
    """Return the work of agents between two moments, by the names of the agents. `whose` is a condition of agents.

    The last period that began before that time is there as well, and the one that begins at its end.

    Raises:
        TooManyPeriodsError: there are more periods than `periods_max`.
    """
    found = _closed(connection, whose, from_ms, to_ms, periods_max)
    agents = select(Agent.id, Agent.name, Agent.preview, *_CLOCK).where(whose).order_by(Agent.name, Agent.id)
    work = []
    for row in connection.execute(agents):
        clock, periods = AgentClock(*row[3:]), found[row.id]
        last = open_period(clock, look_began_ms(row.preview), now_ms)
        if last is not None:
            periods.append(last)
        is_here = clock.activity(now_ms) is not AgentActivity.LOGGED_OUT
        work.append(WorkOfAgent(row.id, row.name, periods, now_ms if is_here else 0))
    return work


def _closed(
    connection: Connection, whose: ColumnElement[bool], from_ms: int, to_ms: int, periods_max: int
) -> defaultdict[int, list[AgentPeriod]]:
    earlier = aliased(AgentPeriodRow)
    last_before = select(func.max(earlier.from_ms)).where(earlier.agent_id == Agent.id, earlier.from_ms < from_ms)
    query = (
        select(AgentPeriodRow.agent_id, *_PERIOD)
        .join(Agent, Agent.id == AgentPeriodRow.agent_id)
        .where(whose, AgentPeriodRow.from_ms <= to_ms)
        .where(AgentPeriodRow.from_ms >= func.coalesce(last_before.correlate(Agent).scalar_subquery(), from_ms))
        .order_by(AgentPeriodRow.agent_id, AgentPeriodRow.from_ms, AgentPeriodRow.id)
        .limit(periods_max + 1)
    )
    rows: list[Any] = list(connection.execute(query))
    if len(rows) > periods_max:
        raise TooManyPeriodsError
    found: defaultdict[int, list[AgentPeriod]] = defaultdict(list)
    for agent_id, *values in rows:
        found[agent_id].append(AgentPeriod(*values))
    return found
