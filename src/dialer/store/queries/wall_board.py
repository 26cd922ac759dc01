"""Queries of the wall board: all agents and all queues of one user, or of everybody, at one moment."""

from typing import Final, NamedTuple

from sqlalchemy import ColumnElement, Connection, select, true

from dialer.domain.enums import TransferStatus
from dialer.domain.queueing.activity import AgentClock
from dialer.store.queries.calling import IS_CALLING
from dialer.store.tables import Agent, CallRequest, Queue, QueueHour, Transfer

_agents = Agent.__table__
_queues = Queue.__table__
_queue_hours = QueueHour.__table__
_requests = CallRequest.__table__
_transfers = Transfer.__table__
_CLOCK: Final = [_agents.c[name] for name in AgentClock.__struct_fields__]


class BoardAgent(NamedTuple):
    """An agent with the state from which the activity follows."""

    id: int
    name: str
    clock: AgentClock


class BoardCall(NamedTuple):
    """A call that waits in a queue or that an agent has taken."""

    queue_id: int | None
    agent_id: int | None
    phone_number: str
    joined_ms: int
    answered_ms: int | None
    """None while it waits."""


class BoardQueue(NamedTuple):
    """A queue."""

    id: int
    name: str


def agents_on_board(connection: Connection, user_id: int | None, agents_max: int) -> list[BoardAgent]:
    """Return the agents of a user, or of all, in order of name."""
    query = select(_agents.c.id, _agents.c.name, *_CLOCK).where(_of(_agents.c.user_id, user_id))
    rows = connection.execute(query.order_by(_agents.c.name, _agents.c.id).limit(agents_max))
    return [BoardAgent(row[0], row[1], AgentClock(*row[2:])) for row in rows]


def queues_on_board(connection: Connection, user_id: int | None, queues_max: int) -> list[BoardQueue]:
    """Return the queues of a user, or of all, in order of name."""
    query = select(_queues.c.id, _queues.c.name).where(_of(_queues.c.user_id, user_id))
    rows = connection.execute(query.order_by(_queues.c.name, _queues.c.id).limit(queues_max))
    return [BoardQueue(*row) for row in rows]


def calls_on_board(connection: Connection, user_id: int | None, calls_max: int) -> list[BoardCall]:
    """Return the calls that wait in queues or that agents have taken, those that wait longest first."""
    columns = [_transfers.c[name] for name in ("queue_id", "agent_id")]
    columns += [_requests.c.phone_number, _transfers.c.joined_ms, _transfers.c.answered_ms]
    query = (
        select(*columns)
        .join_from(_requests, _transfers, _requests.c.id == _transfers.c.callrequest_id)
        .where(IS_CALLING, _transfers.c.status != TransferStatus.OVER, _transfers.c.score_from_ms > 0)
        .where(_of(_requests.c.user_id, user_id))
        .order_by(_transfers.c.joined_ms, _transfers.c.id)
        .limit(calls_max)
    )
    return [BoardCall(*row) for row in connection.execute(query)]


def _of(owner: ColumnElement[int], user_id: int | None) -> ColumnElement[bool]:
    return true() if user_id is None else owner == user_id
