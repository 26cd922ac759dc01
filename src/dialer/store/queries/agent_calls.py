"""Queries of the calls that an agent has taken, the newest first."""

from typing import NamedTuple

from sqlalchemy import Connection, func, select

from dialer.domain.words.enums import CallRequestStatus
from dialer.store.queries.wall_board import NUMBER
from dialer.store.tables import CallDisposition, CallRequest, Campaign, Queue, Transfer


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
    said = (func.coalesce(one, "") for one in (CallDisposition.disposition, CallDisposition.word))
    talked_ms = Transfer.ended_ms - Transfer.answered_ms
    of_call = (CallRequest.id, Transfer.answered_ms, talked_ms, NUMBER, Campaign.id, Campaign.name)
    query = (
        select(*of_call, Queue.id, Queue.name, *said, CallRequest.status != CallRequestStatus.CALLING)
        .join_from(Transfer, CallRequest, CallRequest.id == Transfer.callrequest_id)
        .join(Campaign, Campaign.id == CallRequest.campaign_id)
        .outerjoin(Queue, Queue.id == Transfer.queue_id)
        .outerjoin(CallDisposition, CallDisposition.callrequest_id == CallRequest.id)
        .where(Transfer.agent_id == agent_id, Transfer.answered_ms.is_not(None), Transfer.ended_ms.is_not(None))
        .order_by(Transfer.id.desc())
        .limit(calls_max)
    )
    return [TakenCall._make(row) for row in map(tuple, connection.execute(query))]


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
