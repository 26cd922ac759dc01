"""The wall board of a call centre: who talks and since when, who waits and how long, and how well it goes today."""

from collections import defaultdict
from typing import Final, NamedTuple

from sqlalchemy import Connection

from dialer.domain.enums import AgentActivity, SupervisionMode
from dialer.domain.plans import SIP
from dialer.domain.statistics import NO_FIGURES, Figures, Grouping, percent
from dialer.store.queries.call_centre import QueueCounts, count_queues
from dialer.store.queries.statistics import Hours, WhoseCalls, count_calls
from dialer.store.queries.wall_board import (
    BoardAgent,
    BoardCall,
    BoardQueue,
    agents_on_board,
    calls_on_board,
    queues_on_board,
)

AGENTS_MAX: Final = 500
QUEUES_MAX: Final = 100
CALLS_MAX: Final = 2_000
LEVEL_WITHIN_S: Final = 20
"""Seconds within which a call must be taken to count for the service level; one of `domain.statistics.WAITS_S`."""
_NONE: Final = QueueCounts(*[0] * len(QueueCounts._fields))


class AgentOnBoard(NamedTuple):
    """An agent, what they do, and since when."""

    id: int
    name: str
    activity: AgentActivity
    since_ms: int
    detail: str
    """The number of the callee while the agent talks, and the reason of a break."""
    call_id: int | None = None
    """The call in which the agent talks, if a supervisor can hear it."""
    listening: SupervisionMode | None = None
    """The people who hear the supervisor of that call; None if nobody supervises it."""


class QueueOnBoard(NamedTuple):
    """A queue, its calls now, and its calls today."""

    id: int
    name: str
    waiting: int
    talking: int
    waiting_since_ms: int | None
    """The moment when the call joined that waits longest; None if none waits."""
    counts: QueueCounts
    level: float | None
    """The service level: the share of calls taken within `LEVEL_WITHIN_S`, of all that left the queue, in per cent."""
    level_of_rule: float | None
    """The share of calls taken within `RULE_S`, after which a call counts as abandoned."""


class WallBoard(NamedTuple):
    """The wall board at one moment."""

    agents: list[AgentOnBoard]
    queues: list[QueueOnBoard]
    today: Figures
    """The figures of today's calls, those of abandoned calls among them."""


def read_wall_board(connection: Connection, now_ms: int, user_id: int | None, today: Hours) -> WallBoard:
    """Return the wall board of a user, or of all."""
    calls = calls_on_board(connection, user_id, CALLS_MAX)
    talks = {call.agent_id: call for call in calls if call.answered_ms is not None and call.agent_id is not None}
    agents = [_agent(agent, talks.get(agent.id), now_ms) for agent in agents_on_board(connection, user_id, AGENTS_MAX)]
    queues = queues_on_board(connection, user_id, QUEUES_MAX)
    counts = count_queues(connection, [queue.id for queue in queues], today, LEVEL_WITHIN_S)
    of_queue: defaultdict[int | None, list[BoardCall]] = defaultdict(list)
    for call in calls:
        of_queue[call.queue_id].append(call)
    found = count_calls(connection, WhoseCalls(user_id=user_id), Grouping.TOTAL, today, 1, by_hour=False)
    return WallBoard(
        agents,
        [_queue(queue, of_queue[queue.id], counts.get(queue.id, _NONE)) for queue in queues],
        found[0].figures if found else NO_FIGURES,
    )


def _agent(agent: BoardAgent, talk: BoardCall | None, now_ms: int) -> AgentOnBoard:
    activity = agent.clock.activity(now_ms)
    if activity is AgentActivity.TALKING and talk is not None and talk.answered_ms is not None:
        can_be_heard = talk.protocol == SIP
        is_heard = can_be_heard and agent.supervised_call_id == talk.id
        return AgentOnBoard(
            agent.id,
            agent.name,
            activity,
            talk.answered_ms,
            talk.phone_number,
            talk.id if can_be_heard else None,
            SupervisionMode(agent.supervision_mode) if is_heard else None,
        )
    return AgentOnBoard(agent.id, agent.name, activity, agent.clock.since_ms(now_ms), agent.clock.break_reason)


def _queue(queue: BoardQueue, calls: list[BoardCall], counts: QueueCounts) -> QueueOnBoard:
    waiting = [call.joined_ms for call in calls if call.answered_ms is None]
    return QueueOnBoard(
        queue.id,
        queue.name,
        len(waiting),
        len(calls) - len(waiting),
        min(waiting, default=None),
        counts,
        percent(counts.taken_within, counts.calls),
        percent(counts.taken - counts.taken_late, counts.calls),
    )
