"""The agents among whom those of a queue are ticked."""

from typing import Final, NamedTuple

from sqlalchemy import select

from dialer.resources.crud.resource import Unit
from dialer.store.tables import Agent, Queue, Tier

TICKED_MAX: Final = 200
"""Agents among whom a form lets people tick."""


class TickedAgent(NamedTuple):
    """An agent, and whether they serve the queue."""

    id: int
    name: str
    serves: bool
    skills: str = ""


def agents_of_queue(unit: Unit, queue_id: int) -> tuple[TickedAgent, ...] | None:
    """Return the agents of a queue's account, by name; None if they are too many for a form."""
    serving = set(unit.connection.scalars(select(Tier.agent_id).where(Tier.queue_id == queue_id)))
    account = select(Queue.user_id).where(Queue.id == queue_id).scalar_subquery()
    theirs = select(Agent.id, Agent.name, Agent.skills).where(Agent.user_id == account).order_by(Agent.id)
    rows = unit.connection.execute(theirs.limit(TICKED_MAX + 1))
    agents = [TickedAgent(row.id, row.name, row.id in serving, row.skills) for row in rows]
    if len(agents) > TICKED_MAX:
        return None
    return tuple(sorted(agents, key=lambda one: (one.name.casefold(), one.id)))
