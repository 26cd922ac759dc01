"""The agents who may take the calls of queues: those who serve them, and have the skills that all their calls need."""

from collections.abc import Collection

from sqlalchemy import Connection, select

from dialer.domain.queueing.skills import skills_of
from dialer.store.tables import Agent, Queue, Tier


def able_agents(connection: Connection, queue_ids: Collection[int]) -> set[int]:
    """Return the agents who may take calls of at least one of some queues."""
    query = select(Tier.agent_id, Agent.skills, Queue.skills).join(Agent, Agent.id == Tier.agent_id)
    query = query.join(Queue, Queue.id == Tier.queue_id).where(Tier.queue_id.in_(queue_ids))
    return {
        agent_id
        for agent_id, skills, needed in connection.execute(query)
        if not needed or skills_of(needed) <= skills_of(skills)
    }
