"""The agents among whom those of a queue are ticked."""

from typing import NamedTuple

from sqlalchemy import select

from dialer.console.words.record_names import options_of
from dialer.resources.crud.resource import Unit
from dialer.resources.records.queues import AGENTS
from dialer.store.tables import Tier


class TickedAgent(NamedTuple):
    """An agent, and whether they serve the queue."""

    id: int
    name: str
    serves: bool


def agents_of_queue(unit: Unit, queue_id: int) -> tuple[TickedAgent, ...]:
    """Return the agents of the viewer, by name; none if they are too many for a form."""
    serving = set(unit.connection.scalars(select(Tier.agent_id).where(Tier.queue_id == queue_id)))
    return tuple(TickedAgent(*one, one.id in serving) for one in options_of(unit, AGENTS.path) or ())
