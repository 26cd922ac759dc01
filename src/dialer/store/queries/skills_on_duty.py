"""The skills of the agents on duty, by queue."""

from collections import defaultdict
from collections.abc import Collection

from sqlalchemy import Connection, select

from dialer.domain.calls.agent_events import AgentOpened
from dialer.domain.queueing.agents import TAKES_CALLS
from dialer.domain.queueing.skills import skills_of
from dialer.domain.rules.awaited_skills import QueueSkills
from dialer.domain.words.enums import TransferStatus
from dialer.store.queries.in_progress import IS_CALLING
from dialer.store.tables import CallRequest, Queue, Tier, Transfer


def skills_on_duty(connection: Connection, agents: Collection[AgentOpened], now_ms: int) -> dict[int, QueueSkills]:
    """Return the skills of those of some agents who are on duty, and of those who are free, by queue."""
    on_duty = {agent.plan.id: skills_of(agent.plan.skills) for agent in agents if agent.plan.status in TAKES_CALLS}
    if not on_duty:
        return {}
    idle = _idle(connection, agents, now_ms)
    places = select(Tier.agent_id, Queue.id, Queue.skills, Queue.skill_field).join(Queue, Queue.id == Tier.queue_id)
    of_queue: defaultdict[tuple[int, str, str], list[int]] = defaultdict(list)
    for agent_id, queue_id, needed, skill_field in connection.execute(places.where(Tier.agent_id.in_(on_duty))):
        of_queue[queue_id, needed, skill_field].append(agent_id)
    return {
        queue_id: QueueSkills(
            skills_of(needed),
            skill_field,
            tuple(on_duty[one] for one in serving),
            tuple(on_duty[one] for one in serving if one in idle),
        )
        for (queue_id, needed, skill_field), serving in of_queue.items()
    }


def _idle(connection: Connection, agents: Collection[AgentOpened], now_ms: int) -> set[int]:
    talking = (
        select(Transfer.agent_id)
        .join(CallRequest, CallRequest.id == Transfer.callrequest_id)
        .where(IS_CALLING, Transfer.status == TransferStatus.CONNECTED)
    )
    busy = set(connection.scalars(talking))
    return {
        agent.plan.id
        for agent in agents
        if agent.plan.id not in busy
        and not agent.plan.preview
        and (agent.figures is None or (agent.figures.free_at_ms <= now_ms and not agent.figures.outcome_call_id))
    }
