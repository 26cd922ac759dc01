"""Statistics of one agent and of one queue. The counters hold the past; the rest goes on now."""

from typing import Final, NamedTuple

from sqlalchemy import Connection

from dialer.app.work.errors import UnknownRecordError
from dialer.domain.figures.statistics import HOUR_MS
from dialer.domain.queueing.activity import AgentClock
from dialer.domain.words.enums import AgentActivity
from dialer.store.queries.breaks import LongBreak, agents_on_break, break_limit, long_breaks
from dialer.store.queries.call_centre import (
    QueueCounts,
    QueuePresent,
    TimeSpent,
    count_activities,
    count_breaks,
    count_queue,
    present_in_queue,
    talk_began,
)
from dialer.store.queries.statistics import Hours
from dialer.store.rows.agent_hours import read_clock

LONG_BREAKS_MAX: Final = 100
"""Breaks that last too long, in one answer: the longest ones."""
BREAKS_MAX: Final = 100
"""Reasons of breaks in one answer: those with the longest times."""
_NOTHING: Final = TimeSpent(0, 0, 0)


class AgentStatistics(NamedTuple):
    """The statistics of one agent."""

    clock: AgentClock
    activity: AgentActivity
    since_ms: int
    spent: dict[AgentActivity, TimeSpent]
    breaks: list[tuple[str, TimeSpent]]
    """The time of breaks by reason, the longest one first."""
    break_limit_s: int
    """The longest break that the queues of the agent allow; 0 without a limit."""


class QueueStatistics(NamedTuple):
    """The statistics of one queue."""

    present: QueuePresent
    counts: QueueCounts
    on_break: int
    """Agents of the queue who are on a break."""
    long_breaks: list[LongBreak]
    """Breaks of these that last too long, the longest first."""


def read_agent_statistics(connection: Connection, agent_id: int, hours: Hours, now_ms: int) -> AgentStatistics:
    """Return the statistics of an agent. The activity that goes on counts until now.

    Raises:
        UnknownRecordError: there is no such agent.
    """
    clock = read_clock(connection, agent_id)
    if clock is None:
        raise UnknownRecordError(f"There is no agent {agent_id}.")
    spent = count_activities(connection, agent_id, hours)
    breaks = count_breaks(connection, agent_id, hours, BREAKS_MAX, clock.break_reason)
    for span in clock.spans(now_ms):
        spent_ms = span.within_ms(hours.first * HOUR_MS, hours.end * HOUR_MS)
        spent[span.activity] = _longer(spent.get(span.activity), spent_ms)
        if span.activity is AgentActivity.ON_BREAK and spent_ms:
            breaks[span.reason] = _longer(breaks.get(span.reason), spent_ms)
    longest_first = sorted(breaks.items(), key=lambda item: (-item[1].spent_ms, item[0]))
    activity = clock.activity(now_ms)
    began_ms = talk_began(connection, agent_id) if activity is AgentActivity.TALKING else None
    since_ms = clock.since_ms(now_ms) if began_ms is None else began_ms
    limit_s = break_limit(connection, agent_id)
    return AgentStatistics(clock, activity, since_ms, spent, longest_first[:BREAKS_MAX], limit_s)


def read_queue_statistics(
    connection: Connection, queue_id: int, hours: Hours, within_s: int, now_ms: int
) -> QueueStatistics:
    """Return the statistics of a queue, with the calls that were taken within one of `domain.statistics.WAITS_S`."""
    return QueueStatistics(
        present_in_queue(connection, queue_id),
        count_queue(connection, queue_id, hours, within_s),
        agents_on_break(connection, queue_id),
        long_breaks(connection, now_ms, LONG_BREAKS_MAX, queue_id=queue_id),
    )


def _longer(counted: TimeSpent | None, spent_ms: int) -> TimeSpent:
    counted = counted or _NOTHING
    return counted._replace(spent_ms=counted.spent_ms + spent_ms)
