"""Use cases of calls in which agents talk. The worker reads an order with the row of its agent."""

from typing import Final, NamedTuple

from sqlalchemy import Connection, bindparam, select, update

from dialer.app.call_centre.numbers_by_hand import allowed_number
from dialer.app.work.errors import ErrorCode, InvalidFieldsError, RefusedError
from dialer.app.work.events import CallHeld, CallHungUp, CallResumed, CallTransferred
from dialer.app.work.unit import UnitOfWork
from dialer.domain.engine.desk_transfers import AGENT, QUEUE
from dialer.domain.queueing.activity import AgentClock
from dialer.domain.words.enums import AgentActivity, AgentStatus, TransferStatus
from dialer.store.database.touched import Touched
from dialer.store.queries.in_progress import IS_CALLING
from dialer.store.tables import Agent, CallRequest, Queue, Tier, Transfer

NAMED_MAX: Final = 50
"""Queues, and agents, that a desk offers as targets."""
_account = select(Agent.user_id).where(Agent.id == bindparam("agent")).scalar_subquery()
_SERVED: Final = (
    select(Queue.id, Queue.name)
    .where(Queue.user_id == _account, Queue.id.in_(select(Tier.queue_id)))
    .order_by(Queue.name, Queue.id)
    .limit(NAMED_MAX)
)
_CLOCK: Final = [Agent.__table__.c[name] for name in AgentClock.__struct_fields__]
_AT_WORK: Final = (
    select(Agent.id, Agent.name, Agent.skills, *_CLOCK)
    .where(Agent.user_id == _account, Agent.id != bindparam("agent"))
    .where(Agent.status != AgentStatus.LOGGED_OUT, Agent.id.in_(select(Tier.agent_id)))
    .order_by(Agent.status == AgentStatus.ON_BREAK, Agent.name, Agent.id)
    .limit(NAMED_MAX)
)


def agent_in_call(connection: Connection, callrequest_id: int) -> int:
    """Return the agent who talks in a call.

    Raises:
        RefusedError: no agent talks in the call.
    """
    query = select(Transfer.agent_id).join(CallRequest, CallRequest.id == Transfer.callrequest_id)
    is_theirs = (CallRequest.id == callrequest_id) & (Transfer.status == TransferStatus.CONNECTED)
    agent_id = connection.scalar(query.where(IS_CALLING, is_theirs, Transfer.agent_id.is_not(None)))
    if agent_id is None:
        raise RefusedError(
            "No agent talks in the call. Only a call that an agent has taken can be hung up, held or transferred.",
            code=ErrorCode.NO_AGENT_TALKS,
        )
    return agent_id


def hang_up_call(unit: UnitOfWork, callrequest_id: int) -> None:
    """Hang up the call in which an agent talks: the telephone of the agent, and that of the callee.

    The row of the agent keeps the order, so it outlives the process. A repeated order does nothing more.

    Raises:
        RefusedError: no agent talks in the call.
    """
    agent_id = agent_in_call(unit.connection, callrequest_id)
    agent = update(Agent).where(Agent.id == agent_id)
    unit.connection.execute(agent.values(hang_up_call_id=callrequest_id))
    unit.note(Touched(agents=frozenset({agent_id})), CallHungUp(agent_id, callrequest_id))


class TransferTarget(NamedTuple):
    """Where an agent transfers a call: one of the three."""

    phone_number: str = ""
    queue_id: int | None = None
    agent_id: int | None = None


class NamedAgent(NamedTuple):
    """An agent to whom another one may transfer a call."""

    id: int
    name: str
    activity: AgentActivity
    skills: str


class NamedTargets(NamedTuple):
    """The queues, by id and name, and the agents to whom an agent may transfer, at most `NAMED_MAX` of each."""

    queues: list[tuple[int, str]]
    agents: list[NamedAgent]


def targets_of(connection: Connection, agent_id: int, now_ms: int) -> NamedTargets:
    """Return the queues with agents and the other agents at work of an agent's account: those who are free first."""
    queues, rows = (connection.execute(query, {"agent": agent_id}) for query in (_SERVED, _AT_WORK))
    agents = [NamedAgent(row.id, row.name, AgentClock(*row[3:]).activity(now_ms), row.skills) for row in rows]
    agents.sort(key=lambda one: one.activity is not AgentActivity.AVAILABLE)
    return NamedTargets([(row.id, row.name) for row in queues], agents)


def transfer_call(unit: UnitOfWork, callrequest_id: int, to: TransferTarget) -> None:
    """Transfer the callee with whom an agent talks to a number, a queue or another agent of the account.

    The leg of the agent ends. A callee who reaches nobody comes back to the agent, or to another one of the agent's
    queue. The row of the agent keeps the order, so it outlives the process.

    Raises:
        RefusedError: no agent talks in the call.
        InvalidFieldsError: the target is missing, unknown, or not allowed for the account.
    """
    agent_id = agent_in_call(unit.connection, callrequest_id)
    user_id = unit.connection.scalar(select(CallRequest.user_id).where(CallRequest.id == callrequest_id)) or 0
    target = _target(unit.connection, callrequest_id, user_id, agent_id, to)
    written = {"transfer_call_id": callrequest_id, "transfer_to": target}
    unit.connection.execute(update(Agent).where(Agent.id == agent_id).values(written))
    unit.note(Touched(agents=frozenset({agent_id})), CallTransferred(agent_id, callrequest_id))


def _target(connection: Connection, callrequest_id: int, user_id: int, agent_id: int, to: TransferTarget) -> str:
    """Return where to a call is transferred, as the row of the agent has it."""
    given = [name for name, value in to._asdict().items() if value]
    if len(given) != 1:
        raise InvalidFieldsError({"phone_number": ["Give a phone number, a queue or an agent: one of them."]})
    if to.queue_id is not None:
        query = select(Tier.id).join(Queue, Queue.id == Tier.queue_id).where(Queue.id == to.queue_id)
        if connection.scalar(query.where(Queue.user_id == user_id).limit(1)) is None:
            raise InvalidFieldsError({"queue": ["No agent serves such a queue."]})
        return f"{QUEUE}{to.queue_id}"
    if to.agent_id is not None:
        serves = select(Tier.id).join(Agent, Agent.id == Tier.agent_id).where(Agent.id == to.agent_id)
        if to.agent_id == agent_id or connection.scalar(serves.where(Agent.user_id == user_id).limit(1)) is None:
            raise InvalidFieldsError({"agent": ["No other agent of this account who serves a queue has this id."]})
        return f"{AGENT}{to.agent_id}"
    return allowed_number(connection, callrequest_id, to.phone_number)


def hold_call(unit: UnitOfWork, callrequest_id: int) -> None:
    """Put the callee on hold with whom an agent talks. The row of the agent keeps the order. A repeated one is none.

    Raises:
        RefusedError: no agent talks in the call, or the agent consults a third person.
    """
    agent_id = agent_in_call(unit.connection, callrequest_id)
    consulted = unit.connection.scalar(select(Agent.consulted_call_id).where(Agent.id == agent_id))
    if consulted == callrequest_id:
        raise RefusedError("A third person is in the call. End the consultation first.", code=ErrorCode.IN_PROGRESS)
    is_other = (Agent.hold_call_id != callrequest_id) | Agent.hold_call_id.is_(None)
    agent = update(Agent).where(Agent.id == agent_id, is_other)
    if unit.connection.execute(agent.values(hold_call_id=callrequest_id)).rowcount:
        unit.note(Touched(agents=frozenset({agent_id})), CallHeld(agent_id, callrequest_id))


def resume_call(unit: UnitOfWork, callrequest_id: int) -> None:
    """Connect an agent with the callee who is on hold. An order about a call that is not on hold does nothing.

    Raises:
        RefusedError: no agent talks in the call.
    """
    agent_id = agent_in_call(unit.connection, callrequest_id)
    agent = update(Agent).where(Agent.id == agent_id, Agent.hold_call_id == callrequest_id)
    if unit.connection.execute(agent.values(hold_call_id=None)).rowcount:
        unit.note(Touched(agents=frozenset({agent_id})), CallResumed(agent_id, callrequest_id))
