"""Queries of the calls that an agent has taken, the newest first."""

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from sqlalchemy import ColumnElement, Connection, Select, func, select

from dialer.domain.words.enums import CallRequestStatus
from dialer.store.queries.wall_board import NUMBER
from dialer.store.tables import CallDisposition, CallRequest, Campaign, Queue, Transfer

AGENTS_AT_ONCE: Final = 500
"""Agents whose calls one statement reads."""
WAIT_MS_MAX: Final = 86_400_000
"""The longest wait of a call that is found by the time at which an agent took it: a day."""


class TakenCall(NamedTuple):
    """A call that an agent has taken, and that is over for the agent."""

    id: int
    answered_ms: int
    talked_ms: int
    number: str
    campaign_id: int
    campaign: str
    queue_id: int | None
    queue: str | None
    disposition: str
    """Empty if the agent gave no outcome."""
    word: str
    """The campaign's own word for the outcome; empty if it has none."""
    is_over: bool
    """False while the callee goes on without the agent."""


def calls_taken(connection: Connection, agent_id: int, calls_max: int) -> list[TakenCall]:
    """Return the last calls that an agent has taken and that are over for the agent, the newest first."""
    query = _taken(Transfer.agent_id == agent_id).order_by(Transfer.id.desc()).limit(calls_max)
    return [TakenCall._make(row) for row in map(tuple, connection.execute(query))]


def calls_taken_between(
    connection: Connection, agent_id: int, from_ms: int, to_ms: int, calls_max: int
) -> list[TakenCall]:
    """Return the calls that an agent took between two moments and that are over for the agent, the earliest first."""
    # The sum keeps SQLite from reading all calls that the agent ever took.
    is_theirs = Transfer.agent_id + 0 == agent_id
    query = _taken(is_theirs).where(*_answered(from_ms, to_ms)).order_by(Transfer.answered_ms, Transfer.id)
    return [TakenCall._make(row) for row in map(tuple, connection.execute(query.limit(calls_max)))]


def holds_between(
    connection: Connection, from_ms: int, to_ms: int, now_ms: int, agent_ids: Sequence[int]
) -> list[tuple[int, int, int]]:
    """Return the agent, the time of the answer and the time on hold of each call answered between two moments.

    The calls are those that some agents took. Calls without a hold are left out. A hold that goes on counts until now.
    """
    held_ms = Transfer.on_hold_ms + func.coalesce(now_ms - Transfer.on_hold_from_ms, 0)
    query = select(Transfer.agent_id, Transfer.answered_ms, held_ms).where(*_answered(from_ms, to_ms), held_ms > 0)
    found: list[tuple[int, int, int]] = []
    for begin in range(0, len(agent_ids), AGENTS_AT_ONCE):
        # The sum keeps SQLite from reading all calls that the agents ever took.
        rows = connection.execute(query.where((Transfer.agent_id + 0).in_(agent_ids[begin : begin + AGENTS_AT_ONCE])))
        found += [(theirs or 0, answered_ms or 0, held) for theirs, answered_ms, held in rows]
    return found


def _answered(from_ms: int, to_ms: int) -> tuple[ColumnElement[bool], ...]:
    """Return the conditions that a call was answered between two moments, which its index of joins can serve."""
    joined = Transfer.joined_ms.between(from_ms - WAIT_MS_MAX, to_ms)
    return joined, Transfer.answered_ms >= from_ms, Transfer.answered_ms < to_ms


def _taken(is_theirs: ColumnElement[bool]) -> Select[Any]:
    said = (func.coalesce(one, "") for one in (CallDisposition.disposition, CallDisposition.word))
    talked_ms = Transfer.ended_ms - Transfer.answered_ms
    of_call = (CallRequest.id, Transfer.answered_ms, talked_ms, NUMBER, Campaign.id, Campaign.name)
    return (
        select(*of_call, Queue.id, Queue.name, *said, CallRequest.status != CallRequestStatus.CALLING)
        .join_from(Transfer, CallRequest, CallRequest.id == Transfer.callrequest_id)
        .join(Campaign, Campaign.id == CallRequest.campaign_id)
        .outerjoin(Queue, Queue.id == Transfer.queue_id)
        .outerjoin(CallDisposition, CallDisposition.callrequest_id == CallRequest.id)
        .where(is_theirs, Transfer.answered_ms.is_not(None), Transfer.ended_ms.is_not(None))
    )


def time_on_hold(connection: Connection, agent_id: int, since_ms: int, now_ms: int, calls_max: int) -> int:
    """Return the milliseconds for which callees were on hold in the calls that an agent took since a moment.

    Only the last `calls_max` calls of the agent are read.
    """
    columns = (Transfer.answered_ms, Transfer.on_hold_ms, Transfer.on_hold_from_ms)
    last = select(*columns).where(Transfer.agent_id == agent_id).order_by(Transfer.id.desc()).limit(calls_max)
    one = last.subquery()
    goes_on = func.coalesce(now_ms - one.c.on_hold_from_ms, 0)
    total = connection.scalar(select(func.sum(one.c.on_hold_ms + goes_on)).where(one.c.answered_ms >= since_ms))
    return int(total or 0)
