"""Queries of the wall board: all agents and all queues of one user, or of everybody, at one moment."""

from typing import Final, NamedTuple

from sqlalchemy import Connection, select

from dialer.domain.enums import TransferStatus
from dialer.domain.plans import VOICE
from dialer.domain.queueing.activity import AgentClock
from dialer.store.queries.in_progress import IS_CALLING
from dialer.store.queries.selection import is_of
from dialer.store.tables import Agent, CallRequest, Gateway, Queue, Transfer

_CLOCK: Final = [Agent.__table__.c[name] for name in AgentClock.__struct_fields__]


class BoardAgent(NamedTuple):
    """An agent with the state from which the activity follows."""

    id: int
    name: str
    supervised_call_id: int | None
    """The call that a supervisor hears, or is about to; None if nobody does."""
    supervision_mode: str
    clock: AgentClock


class BoardCall(NamedTuple):
    """A call that waits in a queue or that an agent has taken."""

    id: int
    protocol: str | None
    """The protocol of its gateway; None if the gateway is gone."""
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
    columns = (Agent.id, Agent.name, Agent.supervised_call_id, Agent.supervision_mode)
    query = select(*columns, *_CLOCK).where(is_of(Agent.user_id, user_id))
    rows = connection.execute(query.order_by(Agent.name, Agent.id).limit(agents_max))
    return [BoardAgent(row[0], row[1], row[2], row[3], AgentClock(*row[4:])) for row in rows]


def queues_on_board(connection: Connection, user_id: int | None, queues_max: int) -> list[BoardQueue]:
    """Return the queues of a user, or of all, in order of name."""
    query = select(Queue.id, Queue.name).where(is_of(Queue.user_id, user_id))
    rows = connection.execute(query.order_by(Queue.name, Queue.id).limit(queues_max))
    return [BoardQueue(*row) for row in rows]


def calls_on_board(connection: Connection, user_id: int | None, calls_max: int) -> list[BoardCall]:
    """Return the calls that wait in queues or that agents have taken, those that wait longest first."""
    of_call = (CallRequest.id, Gateway.protocol, Transfer.queue_id, Transfer.agent_id, CallRequest.phone_number)
    query = (
        select(*of_call, Transfer.joined_ms, Transfer.answered_ms)
        .join_from(CallRequest, Transfer, CallRequest.id == Transfer.callrequest_id)
        .outerjoin(Gateway, (Gateway.id == CallRequest.gateway_id) & (Gateway.medium == VOICE))
        .where(IS_CALLING, Transfer.status != TransferStatus.OVER, Transfer.score_from_ms > 0)
        .where(is_of(CallRequest.user_id, user_id))
        .order_by(Transfer.joined_ms, Transfer.id)
        .limit(calls_max)
    )
    return [BoardCall(*row) for row in connection.execute(query)]
