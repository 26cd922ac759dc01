"""The wall board of a call centre: who talks and since when, who waits and how long, and how well it goes today."""

from collections import Counter, defaultdict
from collections.abc import Mapping
from typing import Final, NamedTuple

from sqlalchemy import Connection

from dialer.app.call_centre.previews import preview_of
from dialer.app.call_centre.wrap_ups import figures_in
from dialer.domain.calls.plans import SIP
from dialer.domain.figures.statistics import HOUR_MS, NO_FIGURES, Figures, Grouping, unrounded_percent
from dialer.domain.queueing.agents import TAKES_CALLS
from dialer.domain.queueing.plans import Preview
from dialer.domain.rules.awaited_skills import has_any
from dialer.domain.words.enums import AgentActivity, SupervisionMode
from dialer.store.queries.call_centre import QueueCounts, count_queues
from dialer.store.queries.callers_of_agent import offers_in
from dialer.store.queries.missed_calls import MISSED_FEW, MissedCalls, missed_since_ms
from dialer.store.queries.statistics import Hours, WhoseCalls, count_calls
from dialer.store.queries.wall_board import (
    AgentDay,
    BoardAgent,
    BoardCall,
    BoardConsultation,
    BoardQueue,
    Member,
    activities_of,
    agents_on_board,
    calls_on_board,
    consultations_on_board,
    days_of_agents,
    members_of_queues,
    needs_of_callers,
    queues_on_board,
)

AGENTS_MAX: Final = 500
QUEUES_MAX: Final = 100
CALLS_MAX: Final = 2_000
TIERS_MAX: Final = 20_000
LEVEL_WITHIN_S: Final = 20
"""Seconds within which a call must be taken to count for the service level; one of `domain.statistics.WAITS_S`."""
_NO_DAY: Final = AgentDay(0, 0, 0)
_NONE: Final = QueueCounts(*[0] * len(QueueCounts._fields))


class AgentOnBoard(NamedTuple):
    """An agent, the present activity, and the figures of today."""

    id: int
    name: str
    activity: AgentActivity
    after_call: AgentActivity | None
    """The activity that was ordered during the call, and begins when it is over; None without such an order."""
    since_ms: int
    break_reason: str
    break_limit_s: int
    """The longest allowed break; 0 without a limit."""
    exceeded_ms: int
    """The time by which the break exceeds that; 0 if it does not."""
    preview: Preview | None
    """The person whom the agent sees before the call, or calls; None if the agent sees nobody, or talks."""
    break_cause: str
    """The `BreakCause` of a break that the service has ordered; empty for another one."""
    rings_since_ms: int | None
    """The time since which the agent's telephone rings; None while it does not."""
    talk: BoardCall | None
    """The call in which the agent talks."""
    listening: SupervisionMode | None
    """The people who hear the supervisor of that call; None if nobody supervises it."""
    taken: int
    """Calls that the agent has taken today, the present one included."""
    missed: int
    """Calls that the agent was offered today, and did not take."""
    breaks_ms: int
    """The time on breaks today, the present one included."""
    consults: str = ""
    """The third person whom the agent consults, or calls for that; empty for none."""
    consulted_by: str = ""
    """The agent who consults this one; empty for none."""
    owed_call_id: int = 0
    """The call whose outcome keeps the agent from the next one, though the time after it is over; 0 for none."""
    missed_of_late: MissedCalls | None = None
    """The calls missed of late by an agent who is on duty; None if they are few."""

    @property
    def can_be_heard(self) -> bool:
        """Return whether a supervisor can listen to the agent now."""
        return self.talk is not None and self.talk.protocol == SIP


class QueueOnBoard(NamedTuple):
    """A queue, its calls now, and its calls today."""

    id: int
    name: str
    waiting: int
    talking: int
    agents: frozenset[int]
    """The agents who serve it."""
    available: int
    """Those of them who can take a call now."""
    waiting_since_ms: int | None
    """The moment when the call joined that waits longest; None if none waits."""
    unskilled: int
    """Calls that wait for skills which no agent on duty has."""
    counts: QueueCounts
    level: float | None
    """The service level: the share of calls taken within `LEVEL_WITHIN_S`, of all that left the queue, in per cent."""
    level_of_rule: float | None
    """The share of calls taken within `RULE_S`, after which a call counts as abandoned."""


class WallBoard(NamedTuple):
    """The figures of the wall board at one moment."""

    agents: list[AgentOnBoard]
    """The first `AGENTS_MAX` of them."""
    activities: Counter[AgentActivity]
    """The number of agents in each activity, of those who are not shown, too."""
    queues: list[QueueOnBoard]
    today: Figures
    """The figures of today's calls, those of abandoned calls among them."""


def read_wall_board(
    connection: Connection, now_ms: int, user_id: int | None, today: Hours, queue_id: int | None = None
) -> WallBoard:
    """Return the wall board of a user, or of all, with all agents or those of a queue."""
    calls = calls_on_board(connection, user_id, CALLS_MAX)
    queues = queues_on_board(connection, user_id, QUEUES_MAX)
    counts = count_queues(connection, [queue.id for queue in queues], today, LEVEL_WITHIN_S)
    of_queue: defaultdict[int | None, list[BoardCall]] = defaultdict(list)
    for call in calls:
        of_queue[call.queue_id].append(call)
    found = count_calls(connection, WhoseCalls(user_id=user_id), Grouping.TOTAL, today, 1, by_hour=False)
    shown = agents_on_board(connection, user_id, now_ms, AGENTS_MAX, queue_id)
    agents = _agents(connection, shown, calls, now_ms, today)
    consultations = consultations_on_board(connection, user_id, CALLS_MAX)
    activities = Counter(agent.activity for agent in agents)
    if len(agents) >= AGENTS_MAX:
        activities = activities_of(connection, user_id, now_ms, queue_id)
    members = members_of_queues(connection, queues, now_ms, TIERS_MAX)
    unskilled = _unskilled(connection, now_ms, queues, of_queue, members)
    return WallBoard(
        _consulting(agents, consultations) if consultations else agents,
        activities,
        [
            _queue(
                queue, of_queue[queue.id], unskilled.get(queue.id, 0), members[queue.id], counts.get(queue.id, _NONE)
            )
            for queue in queues
        ],
        found[0].figures if found else NO_FIGURES,
    )


def _agents(
    connection: Connection, agents: list[BoardAgent], calls: list[BoardCall], now_ms: int, today: Hours
) -> list[AgentOnBoard]:
    talks = {call.agent_id: call for call in calls if call.answered_ms is not None and call.agent_id is not None}
    rings = {
        agent: since for call in calls if call.answered_ms is None for agent, since in offers_in(call.offers).items()
    }
    days = days_of_agents(connection, [agent.id for agent in agents], today, missed_since_ms(now_ms) // HOUR_MS)
    found = [
        _agent(agent, talks.get(agent.id), rings.get(agent.id), days.get(agent.id, _NO_DAY), now_ms, today)
        for agent in agents
    ]
    return sorted(found, key=_need_of_attention)


def _need_of_attention(agent: AgentOnBoard) -> tuple[int, int, str, int]:
    """Return the place of an agent: long breaks, outcomes that are missing, then those logged in by name."""
    if agent.exceeded_ms:
        return 0, agent.since_ms, "", agent.id
    if agent.owed_call_id:
        return 1, 0, agent.name, agent.id
    return 2, agent.activity is AgentActivity.LOGGED_OUT, agent.name, agent.id


def _agent(
    agent: BoardAgent, talk: BoardCall | None, rings_since_ms: int | None, day: AgentDay, now_ms: int, today: Hours
) -> AgentOnBoard:
    clock = agent.clock
    activity = clock.activity(now_ms)
    talk = talk if activity is AgentActivity.TALKING else None
    is_heard = talk is not None and talk.protocol == SIP and agent.supervised_call_id == talk.id
    goes_on_ms = sum(
        span.within_ms(today.first * HOUR_MS, today.end * HOUR_MS)
        for span in clock.spans(now_ms)
        if span.activity is AgentActivity.ON_BREAK
    )
    return AgentOnBoard(
        agent.id,
        agent.name,
        activity,
        clock.after_call(),
        clock.since_ms(now_ms) if talk is None or talk.answered_ms is None else talk.answered_ms,
        clock.break_reason,
        agent.break_limit_s,
        clock.break_exceeded_ms(agent.break_limit_s, now_ms),
        preview_of(agent.preview) if activity is AgentActivity.AVAILABLE else None,
        agent.break_cause,
        rings_since_ms,
        talk,
        SupervisionMode(agent.supervision_mode) if is_heard else None,
        day.taken,
        day.missed,
        day.breaks_ms + goes_on_ms,
        owed_call_id=_owed_call(agent.figures, now_ms) if activity is AgentActivity.WRAPPING_UP else 0,
        missed_of_late=_missed_of_late(agent, day, now_ms, today),
    )


def _missed_of_late(agent: BoardAgent, day: AgentDay, now_ms: int, today: Hours) -> MissedCalls | None:
    if agent.clock.status not in TAKES_CALLS or day.missed_of_late < MISSED_FEW:
        return None
    since_ms = max(missed_since_ms(now_ms), today.first * HOUR_MS)
    return MissedCalls(agent.id, agent.name, day.missed_of_late, since_ms)


def _owed_call(document: str, now_ms: int) -> int:
    figures = figures_in(document)
    return figures.outcome_call_id if figures.free_at_ms <= now_ms else 0


def _consulting(agents: list[AgentOnBoard], consultations: list[BoardConsultation]) -> list[AgentOnBoard]:
    """Return agents with the word of those who consult, or are consulted."""
    asking = {one.from_agent_id: one for one in consultations}
    asked = {one.agent_id: one for one in consultations if one.agent_id is not None}
    return [_with_third(agent, asking.get(agent.id), asked.get(agent.id)) for agent in agents]


def _with_third(
    agent: AgentOnBoard, asks: BoardConsultation | None, is_asked: BoardConsultation | None
) -> AgentOnBoard:
    if asks is not None:
        return agent._replace(consults=asks.third)
    if is_asked is None:
        return agent
    rings_since_ms = is_asked.rings_from_ms if is_asked.answered_ms is None else None
    return agent._replace(consulted_by=is_asked.from_agent, rings_since_ms=rings_since_ms)


def _unskilled(
    connection: Connection,
    now_ms: int,
    queues: list[BoardQueue],
    calls: Mapping[int | None, list[BoardCall]],
    members: Mapping[int, Mapping[int, Member]],
) -> dict[int, int]:
    """Return how many calls wait for skills that no agent on duty has, by queue."""
    picky = [queue for queue in queues if (queue.skills or queue.skill_field) and _waiting(calls[queue.id])]
    if not picky:
        return {}
    found: dict[int, int] = {}
    for queue_id, needs in needs_of_callers(connection, now_ms, picky, CALLS_MAX).items():
        of_agents = {agent_id: one.skills for agent_id, one in members[queue_id].items() if one.is_on_duty}
        found[queue_id] = sum(
            bool(call.skills)
            and call.promised_agent_id not in of_agents
            and not has_any(of_agents.values(), call.skills)
            for call in needs
        )
    return found


def _waiting(calls: list[BoardCall]) -> list[int]:
    return [call.joined_ms for call in calls if call.answered_ms is None]


def _queue(
    queue: BoardQueue, calls: list[BoardCall], unskilled: int, members: Mapping[int, Member], counts: QueueCounts
) -> QueueOnBoard:
    waiting = _waiting(calls)
    return QueueOnBoard(
        queue.id,
        queue.name,
        len(waiting),
        len(calls) - len(waiting),
        frozenset(members),
        sum(one.is_available for one in members.values()),
        min(waiting, default=None),
        unskilled,
        counts,
        unrounded_percent(counts.taken_within, counts.calls),
        unrounded_percent(counts.taken - counts.taken_late, counts.calls),
    )
