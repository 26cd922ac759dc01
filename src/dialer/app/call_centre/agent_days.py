"""Reports of agents' days: log-ins and log-outs, the time in each state, occupancy, and one day with its calls."""

from collections import Counter
from collections.abc import Sequence
from typing import Final, NamedTuple

from sqlalchemy import ColumnElement, Connection

from dialer.app.work.errors import UnknownRecordError
from dialer.domain.queueing.agent_days import Day, WorkDay, day_of_agent
from dialer.store.queries.agent_calls import TakenCall, calls_taken_between, holds_between
from dialer.store.queries.agent_periods import WorkOfAgent, read_work
from dialer.store.tables import Agent

DAYS_MAX: Final = 92
"""Days of one report."""
PERIODS_MAX: Final = 100_000
"""Periods that one report reads: those of 25 agents with 65 calls a day in a month."""
CALLS_MAX: Final = 1_000
"""Calls of one day of one agent."""


class ReportedDay(NamedTuple):
    """A day of an agent."""

    agent_id: int
    name: str
    day: Day
    work: WorkDay
    on_hold_ms: int
    """The part of the time in calls in which the callees were on hold, of the calls that were taken on this day."""


def read_days(
    connection: Connection, whose: ColumnElement[bool], days: Sequence[Day], now_ms: int
) -> list[ReportedDay]:
    """Return the days on which agents were logged in, by agent and day. `whose` is a condition of agents.

    Raises:
        TooManyPeriodsError: the agents did too much in these days for one report.
    """
    from_ms, to_ms = days[0].from_ms, days[-1].to_ms
    work = read_work(connection, whose, from_ms, to_ms, now_ms, PERIODS_MAX)
    holds = _holds(holds_between(connection, from_ms, to_ms, now_ms, [one.id for one in work]), days)
    shown = [_reported(one, day, holds) for one in work for day in days if day.from_ms <= now_ms]
    return [one for one in shown if one.work.spans]


def read_day(connection: Connection, agent_id: int, day: Day, now_ms: int) -> ReportedDay:
    """Return one day of an agent.

    Raises:
        UnknownRecordError: there is no such agent.
        TooManyPeriodsError: the agent did too much for one report.
    """
    found = read_work(connection, Agent.id == agent_id, day.from_ms, day.to_ms, now_ms, PERIODS_MAX)
    if not found:
        raise UnknownRecordError(f"There is no agent {agent_id}.")
    holds = _holds(holds_between(connection, day.from_ms, day.to_ms, now_ms, [agent_id]), [day])
    return _reported(found[0], day, holds)


def read_calls_of_day(connection: Connection, agent_id: int, day: Day) -> list[TakenCall]:
    """Return the calls that an agent took on a day and that are over, in their order."""
    return calls_taken_between(connection, agent_id, day.from_ms, day.to_ms, CALLS_MAX)


def _reported(one: WorkOfAgent, day: Day, holds: Counter[tuple[int, Day]]) -> ReportedDay:
    work = day_of_agent(one.periods, day, one.here_until_ms)
    return ReportedDay(one.id, one.name, day, work, holds[one.id, day])


def _holds(held: list[tuple[int, int, int]], days: Sequence[Day]) -> Counter[tuple[int, Day]]:
    """Return the time on hold by agent and day."""
    found = Counter[tuple[int, Day]]()
    for agent_id, answered_ms, held_ms in held:
        day = next(day for day in days if answered_ms < day.to_ms)
        found[agent_id, day] += held_ms
    return found
