"""The time of agents after a call: they end it, make it longer once, or first have to say the outcome of the call.

The row of an agent has the figures of the engine, which reads them again when they are touched.
"""

from typing import Final

import msgspec
from msgspec.structs import replace
from sqlalchemy import Connection, bindparam, exists, select

from dialer.app.campaigns.lost_calls import write_figures
from dialer.app.work.errors import ErrorCode, RefusedError
from dialer.app.work.unit import UnitOfWork
from dialer.domain.queueing.plans import AgentFigures
from dialer.domain.words.enums import AgentActivity
from dialer.store.rows.agent_hours import read_clock
from dialer.store.tables import Agent, CallDisposition, CallRequest, Queue, Transfer

SECOND_MS: Final = 1_000
_LONGER: Final = (
    select(Queue.longer_wrap_up)
    .join(Transfer, Transfer.queue_id == Queue.id)
    .where(Transfer.agent_id == bindparam("agent"), Transfer.answered_ms.is_not(None))
    .order_by(Transfer.id.desc())
    .limit(1)
)


def end_wrap_up(unit: UnitOfWork, agent_id: int) -> None:
    """End the time of an agent after a call. Outside of such a time it does nothing.

    Raises:
        RefusedError: the agent has to say the outcome of the call first.
    """
    refuse_owing(unit.connection, agent_id)
    figures = figures_of(unit.connection, agent_id)
    if _is_wrapping_up(unit, agent_id):
        free_at_ms = min(figures.free_at_ms, unit.now_ms)
        write_figures(unit, agent_id, replace(figures, free_at_ms=free_at_ms, outcome_call_id=0))


def lengthen_wrap_up(unit: UnitOfWork, agent_id: int) -> None:
    """Make the time of an agent after a call longer, by as much as the queue of the call allows. A repetition is none.

    Raises:
        RefusedError: the agent has no such time now, or the queue does not allow it.
    """
    figures, longer_ms = figures_of(unit.connection, agent_id), longer_wrap_up_ms(unit.connection, agent_id)
    if not longer_ms or not _is_wrapping_up(unit, agent_id):
        raise RefusedError(
            "The time after a call can be made longer while it goes on, if the queue allows it.",
            code=ErrorCode.NOT_WRAPPING_UP,
        )
    if not figures.is_wrap_up_longer:
        free_at_ms = max(figures.free_at_ms, unit.now_ms) + longer_ms
        write_figures(unit, agent_id, replace(figures, free_at_ms=free_at_ms, is_wrap_up_longer=True))


def free_for_next_call(unit: UnitOfWork, callrequest_id: int) -> None:
    """Let the agents of a call, whose outcome is said, get the next one once their time after it is over."""
    talked = select(Transfer.agent_id).where(
        Transfer.callrequest_id == callrequest_id, Transfer.answered_ms.is_not(None)
    )
    agent_ids = {agent_id for agent_id in unit.connection.scalars(talked) if agent_id is not None}
    for agent_id in sorted(agent_ids):
        figures = figures_of(unit.connection, agent_id)
        if figures.outcome_call_id == callrequest_id:
            write_figures(unit, agent_id, replace(figures, outcome_call_id=0))


def figures_of(connection: Connection, agent_id: int) -> AgentFigures:
    """Return the figures of an agent as they are stored."""
    return figures_in(connection.scalar(select(Agent.figures).where(Agent.id == agent_id)))


def figures_in(document: str | None) -> AgentFigures:
    """Return the figures in the row of an agent."""
    return msgspec.json.decode(document, type=AgentFigures) if document else AgentFigures()


def owes_outcome(connection: Connection, figures: AgentFigures) -> bool:
    """Return whether an agent has to say the outcome of a call: of one that still exists, and has none."""
    call_id = figures.outcome_call_id
    if not call_id:
        return False
    said = exists().where(CallDisposition.callrequest_id == CallRequest.id)
    query = select(CallRequest.id).where(CallRequest.id == call_id, ~said)
    return connection.scalar(query) is not None


def refuse_owing(connection: Connection, agent_id: int) -> None:
    """Refuse an agent who has to say the outcome of a call first.

    Raises:
        RefusedError: the agent has.
    """
    if owes_outcome(connection, figures_of(connection, agent_id)):
        raise RefusedError("Save the outcome of the call first.", code=ErrorCode.OUTCOME_MISSING)


def longer_wrap_up_ms(connection: Connection, agent_id: int) -> int:
    """Return by how much the queue of an agent's last call lets them make the time after it longer; 0: not at all."""
    return (connection.scalar(_LONGER, {"agent": agent_id}) or 0) * SECOND_MS


def _is_wrapping_up(unit: UnitOfWork, agent_id: int) -> bool:
    clock = read_clock(unit.connection, agent_id)
    return clock is not None and clock.activity(unit.now_ms) is AgentActivity.WRAPPING_UP
