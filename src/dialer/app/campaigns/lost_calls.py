"""Agents who owe the outcome of a call for nothing, and the figures of agents."""

import msgspec
from msgspec.structs import replace
from sqlalchemy import select, update

from dialer.app.work.unit import UnitOfWork
from dialer.domain.queueing.plans import AgentFigures
from dialer.domain.words.moments import NEVER_MS
from dialer.store.database.touched import Touched
from dialer.store.rows.agent_hours import Activities, read_clock
from dialer.store.tables import Agent, Queue, Transfer


def free_of_needless_outcomes(unit: UnitOfWork, user_id: int) -> None:
    """Let the agents of an account who owe an outcome that nobody asks for any more get the next call.

    Nobody asks for that of a call that was deleted, nor of one whose queues were, or require none any more.
    """
    none = '%"outcome_call_id":0,%'
    documents = select(Agent.id, Agent.figures).where(Agent.user_id == user_id)
    documents = documents.where(Agent.figures != "", Agent.figures.not_like(none))
    owing = {
        agent_id: figures
        for agent_id, document in unit.connection.execute(documents.order_by(Agent.id))
        if (figures := msgspec.json.decode(document, type=AgentFigures)).outcome_call_id
    }
    call_ids = [figures.outcome_call_id for figures in owing.values()]
    asked = (
        select(Transfer.callrequest_id)
        .join(Queue, Queue.id == Transfer.queue_id)
        .where(Transfer.callrequest_id.in_(call_ids), Transfer.answered_ms.is_not(None), Queue.outcome_required)
    )
    left = set(unit.connection.scalars(asked))
    for agent_id, figures in owing.items():
        if figures.outcome_call_id not in left:
            write_figures(unit, agent_id, replace(figures, outcome_call_id=0))


def write_figures(unit: UnitOfWork, agent_id: int, figures: AgentFigures) -> None:
    """Write the figures of an agent, and count the activity that ends with them."""
    clock = read_clock(unit.connection, agent_id)
    if clock is None:
        return
    activities = Activities()
    wraps_until_ms = NEVER_MS if figures.outcome_call_id else max(figures.free_at_ms, unit.now_ms)
    activities.change(agent_id, clock, replace(clock, wraps_until_ms=wraps_until_ms), unit.now_ms)
    activities.write(unit.connection)
    document = msgspec.json.encode(figures).decode()
    unit.connection.execute(update(Agent).where(Agent.id == agent_id).values(figures=document))
    unit.note(Touched(agents=frozenset({agent_id})))
