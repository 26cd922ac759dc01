"""Use cases of calls in which agents talk. The worker reads an order with the row of its agent."""

from sqlalchemy import Connection, select, update

from dialer.app.errors import ErrorCode, RefusedError
from dialer.app.events import CallHeld, CallHungUp, CallResumed
from dialer.app.unit import UnitOfWork
from dialer.domain.enums import TransferStatus
from dialer.store.queries.in_progress import IS_CALLING
from dialer.store.tables import Agent, CallRequest, Transfer
from dialer.store.touched import Touched


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
            "No agent talks in the call. Only a call that an agent has taken can be hung up or held.",
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


def hold_call(unit: UnitOfWork, callrequest_id: int) -> None:
    """Put the callee on hold with whom an agent talks. The row of the agent keeps the order. A repeated one is none.

    Raises:
        RefusedError: no agent talks in the call.
    """
    agent_id = agent_in_call(unit.connection, callrequest_id)
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
