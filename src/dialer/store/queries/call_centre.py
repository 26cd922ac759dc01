"""Queries of the statistics of agents and of queues. Only calls in progress and counters of hours are read."""

from typing import Any, Final, NamedTuple

from sqlalchemy import ColumnElement, Connection, Select, SQLColumnExpression, case, func, select

from dialer.domain.pacing.inputs import ABANDONED_AFTER_MS
from dialer.domain.words.enums import AgentActivity, TransferStatus
from dialer.store.queries.in_progress import IS_CALLING
from dialer.store.queries.statistics import Hours
from dialer.store.tables import Agent, AgentHour, CallRequest, QueueHour, Transfer

RULE_S: Final = ABANDONED_AFTER_MS // 1_000
"""Seconds after which a call counts as abandoned; one of `domain.statistics.WAITS_S`."""
_UNDER_WAY: Final[Select[Any]] = (
    select().join_from(CallRequest, Transfer, CallRequest.id == Transfer.callrequest_id).where(IS_CALLING)
)


class TimeSpent(NamedTuple):
    """The milliseconds of an agent in one activity, how often it began, and the missed offers."""

    spent_ms: int
    begun: int
    missed: int


class QueueCounts(NamedTuple):
    """Counts of the calls that left a queue, by their outcome."""

    taken: int
    abandoned: int
    timed_out: int
    taken_within: int
    """Calls that were taken before a threshold."""
    taken_wait_ms: int
    longest_ms: int
    taken_late: int
    """Calls that were taken after more than `RULE_S` seconds. The next two are calls that left after more of them."""
    abandoned_late: int
    timed_out_late: int

    @property
    def calls(self) -> int:
        """Return the number of calls that left the queue."""
        return self.taken + self.abandoned + self.timed_out

    @property
    def late(self) -> int:
        """Return the number of calls that waited longer than the rule of abandoned calls allows."""
        return self.taken_late + self.abandoned_late + self.timed_out_late


class QueuePresent(NamedTuple):
    """The calls that wait in a queue at this moment, and those that agents have taken."""

    waiting: int
    talking: int
    """Calls that were taken and go on."""
    oldest_ms: int | None
    """The time at which the first of the waiting calls joined; None if no call waits."""


def count_activities(connection: Connection, agent_id: int, hours: Hours) -> dict[AgentActivity, TimeSpent]:
    """Return the counted time of an agent by activity."""
    activity = AgentHour.activity
    query = _of_agent(activity, agent_id, hours).group_by(activity)
    return {AgentActivity(key): TimeSpent(*sums) for key, *sums in map(tuple, connection.execute(query))}


def count_breaks(
    connection: Connection, agent_id: int, hours: Hours, rows_max: int, first: str
) -> dict[str, TimeSpent]:
    """Return the counted time of an agent's breaks by reason: that of one reason, and then the longest times."""
    reason = AgentHour.reason
    query = _of_agent(reason, agent_id, hours).where(AgentHour.activity == AgentActivity.ON_BREAK)
    longest_first = query.group_by(reason).order_by(
        (reason == first).desc(), func.sum(AgentHour.spent_ms).desc(), reason
    )
    return {key: TimeSpent(*sums) for key, *sums in map(tuple, connection.execute(longest_first.limit(rows_max)))}


def count_time_of_agents(
    connection: Connection, user_id: int | None, hours: Hours, rows_max: int
) -> dict[tuple[int, AgentActivity, str], TimeSpent]:
    """Return the counted time of all agents of a user, or of everybody's, by agent, activity and reason of a break."""
    keys = (AgentHour.agent_id, AgentHour.activity, AgentHour.reason)
    sums = [func.sum(AgentHour.__table__.c[name]) for name in TimeSpent._fields]
    query: Select[*tuple[Any, ...]] = (
        select(*keys, *sums).where(*_in(AgentHour.hour, hours)).group_by(*keys).order_by(*keys)
    )
    if user_id is not None:
        query = query.where(AgentHour.agent_id.in_(select(Agent.id).where(Agent.user_id == user_id)))
    rows = map(tuple, connection.execute(query.limit(rows_max)))
    return {(agent_id, AgentActivity(activity), reason): TimeSpent(*rest) for agent_id, activity, reason, *rest in rows}


def talk_began(connection: Connection, agent_id: int) -> int | None:
    """Return the time at which the agent took the call that goes on; None if there is none."""
    # The sum keeps SQLite from reading all calls that the agent ever took.
    is_theirs = Transfer.agent_id + 0 == agent_id
    query = _UNDER_WAY.add_columns(func.max(Transfer.answered_ms))
    at_ms: int | None = connection.scalar(query.where(is_theirs, Transfer.status == TransferStatus.CONNECTED))
    return at_ms


def count_queue(connection: Connection, queue_id: int, hours: Hours, within_s: int) -> QueueCounts:
    """Return the calls that joined a queue in these hours and have left it."""
    query: Select[*tuple[Any, ...]] = select(*(func.coalesce(one, 0) for one in _sums_of_queue(within_s)))
    found = connection.execute(query.where(QueueHour.queue_id == queue_id, *_in(QueueHour.hour, hours))).one()
    return QueueCounts(*found)


def count_queues(connection: Connection, queue_ids: list[int], hours: Hours, within_s: int) -> dict[int, QueueCounts]:
    """Return the calls that joined queues in these hours and have left them, by queue."""
    query: Select[*tuple[Any, ...]] = select(QueueHour.queue_id, *_sums_of_queue(within_s)).group_by(QueueHour.queue_id)
    rows = connection.execute(query.where(QueueHour.queue_id.in_(queue_ids), *_in(QueueHour.hour, hours)))
    return {row[0]: QueueCounts(*row[1:]) for row in rows}


def _sums_of_queue(within_s: int) -> list[ColumnElement[Any]]:
    is_within = QueueHour.within_s.between(1, within_s)
    is_late = ~QueueHour.within_s.between(1, RULE_S)
    left = (QueueHour.taken, QueueHour.abandoned, QueueHour.timed_out)
    return [
        func.sum(QueueHour.taken),
        func.sum(QueueHour.abandoned),
        func.sum(QueueHour.timed_out),
        func.sum(case((is_within, QueueHour.taken), else_=0)),
        func.sum(QueueHour.taken_wait_ms),
        func.max(QueueHour.longest_ms),
        *(func.sum(case((is_late, one), else_=0)) for one in left),
    ]


def present_in_queue(connection: Connection, queue_id: int) -> QueuePresent:
    """Return the calls in a queue at this moment."""
    is_waiting, is_taken = Transfer.status == TransferStatus.WAITING, Transfer.status == TransferStatus.CONNECTED
    query = _UNDER_WAY.add_columns(
        func.count().filter(is_waiting),
        func.count().filter(is_taken),
        func.min(Transfer.joined_ms).filter(is_waiting),
    ).where(Transfer.queue_id == queue_id, Transfer.ended_ms.is_(None), Transfer.score_from_ms > 0)
    return QueuePresent(*connection.execute(query).one())


def _of_agent(key: SQLColumnExpression[Any], agent_id: int, hours: Hours) -> Select[Any]:
    sums = [func.sum(AgentHour.__table__.c[name]) for name in TimeSpent._fields]
    return select(key, *sums).where(AgentHour.agent_id == agent_id, *_in(AgentHour.hour, hours))


def _in(hour: SQLColumnExpression[int], hours: Hours) -> tuple[ColumnElement[bool], ColumnElement[bool]]:
    return hour >= hours.first, hour < hours.end
