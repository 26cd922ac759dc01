"""An agent as a supervisor sees them: the present, the figures of today, and the last calls."""

from typing import Final, NamedTuple

from sqlalchemy import Connection

from dialer.app.call_centre.previews import PreviewedPerson, read_preview
from dialer.app.call_centre.statistics import AgentStatistics, read_agent_statistics
from dialer.domain.figures.statistics import HOUR_MS
from dialer.domain.words.enums import AgentActivity
from dialer.store.queries.agent_calls import TakenCall, calls_taken, time_on_hold
from dialer.store.queries.call_centre import TimeSpent
from dialer.store.queries.statistics import Hours
from dialer.store.queries.wall_board import BoardCall, call_of_agent

CALLS_SHOWN: Final = 20
CALLS_OF_DAY_MAX: Final = 1_000
"""The last calls of an agent whose holds are added up."""
_NOTHING: Final = TimeSpent(0, 0, 0)


class AgentAtWork(NamedTuple):
    """An agent at one moment. Times are in milliseconds; those of today count what goes on."""

    activity: AgentActivity
    since_ms: int
    break_reason: str
    break_limit_s: int
    """The longest allowed break; 0 without a limit."""
    exceeded_ms: int
    """The time by which the break exceeds that; 0 if it does not."""
    preview: PreviewedPerson | None
    """The person whom the agent sees before the call, or calls; None if the agent sees nobody, or talks."""
    talk: BoardCall | None
    taken: int
    missed: int
    talked_ms: int
    on_hold_ms: int
    """The part of it in which the callees were on hold."""
    wrapped_up_ms: int
    breaks_ms: int
    calls: list[TakenCall]
    """The last calls that are over, the newest first."""


def read_agent_at_work(connection: Connection, agent_id: int, today: Hours, now_ms: int) -> AgentAtWork:
    """Return an agent with the figures of today.

    Raises:
        UnknownRecordError: there is no such agent.
    """
    found = read_agent_statistics(connection, agent_id, today, now_ms)
    return AgentAtWork(
        found.activity,
        found.since_ms,
        found.clock.break_reason,
        found.break_limit_s,
        found.clock.break_exceeded_ms(found.break_limit_s, now_ms),
        read_preview(connection, agent_id) if found.activity is AgentActivity.AVAILABLE else None,
        call_of_agent(connection, agent_id) if found.activity is AgentActivity.TALKING else None,
        _spent(found, AgentActivity.TALKING).begun,
        sum(one.missed for one in found.spent.values()),
        _spent(found, AgentActivity.TALKING).spent_ms,
        time_on_hold(connection, agent_id, today.first * HOUR_MS, now_ms, CALLS_OF_DAY_MAX),
        _spent(found, AgentActivity.WRAPPING_UP).spent_ms,
        _spent(found, AgentActivity.ON_BREAK).spent_ms,
        calls_taken(connection, agent_id, CALLS_SHOWN),
    )


def _spent(found: AgentStatistics, activity: AgentActivity) -> TimeSpent:
    return found.spent.get(activity, _NOTHING)
