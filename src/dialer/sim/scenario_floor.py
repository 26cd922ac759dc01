"""Call centre parts of a scenario: queues, and the agents who serve them."""

from typing import Annotated, Any, Final, Literal

import msgspec
from msgspec import Meta

from dialer.domain.calls.agent_events import AgentOpened, QueueOpened
from dialer.domain.calls.plan_settings import settings_by_name
from dialer.domain.queueing.plans import AgentFigures, AgentPlan, QueuePlan, TierPlan
from dialer.domain.words.enums import AgentStatus, QueueStrategy
from dialer.sim.agent_profile import parse_agent
from dialer.sim.spans import BehaviourError

AGENTS_MAX: Final = 10_000
"""Limit of agents, including those that `count` adds."""
QUEUES_MAX: Final = 100
WAIT_SECONDS_MAX: Final = 31_536_000

_Seconds = Annotated[int, Meta(ge=0, le=WAIT_SECONDS_MAX)]
_Place = Annotated[int, Meta(ge=1, le=1_000)]


class CallCentreError(ValueError):
    """Raised for invalid queues or agents. The message begins with the path of the error."""


class TierPart(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Position of an agent in a queue, or of all agents that `count` adds."""

    agent: int
    level: _Place = 1
    position: _Place = 1


class QueuePart(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Fields of a queue, with the API's defaults. Without `tiers`, all agents serve the queue."""

    id: Annotated[int, Meta(ge=1)]
    strategy: QueueStrategy = QueueStrategy.AGENT_WITH_LEAST_TALK_TIME
    time_base_score: Literal["queue", "system"] = "queue"
    tier_rules_apply: bool = False
    tier_rule_wait_second: _Seconds = 300
    tier_rule_wait_multiply_level: bool = True
    tier_rule_no_agent_no_wait: bool = False
    discard_abandoned_after: _Seconds = 14_400
    abandoned_resume_allowed: bool = True
    max_wait_time: _Seconds = 0
    max_wait_time_with_no_agent: _Seconds = 120
    max_wait_time_with_no_agent_time_reached: _Seconds = 5
    tiers: tuple[TierPart, ...] | None = None
    skills: Annotated[str, Meta(max_length=255)] = ""
    skill_field: Annotated[str, Meta(max_length=64)] = ""


class AgentPart(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Fields of an agent. `count` adds this many identical agents, with consecutive ids from `id`."""

    id: Annotated[int, Meta(ge=1)]
    count: Annotated[int, Meta(ge=1, le=AGENTS_MAX)] = 1
    status: AgentStatus = AgentStatus.AVAILABLE
    wrap_up_time: _Seconds = 0
    contact: Annotated[str, Meta(max_length=255)] = ""
    skills: Annotated[str, Meta(max_length=255)] = ""
    parameters: dict[str, Any] = {}


def check_floor(queues: tuple[QueuePart, ...], agents: tuple[AgentPart, ...]) -> None:
    """Check ids, tiers and parameters.

    Raises:
        FloorError: an id is repeated, a tier's agent does not exist, or parameters are invalid.
    """
    if sum(part.count for part in agents) > AGENTS_MAX:
        raise CallCentreError(f"agents: There are at most {AGENTS_MAX:,} agents.")
    ids = [agent_id for part in agents for agent_id in _ids(part)]
    if len(set(ids)) < len(ids):
        raise CallCentreError("agents: Two agents have the same id.")
    if len({part.id for part in queues}) < len(queues):
        raise CallCentreError("queues: Two queues have the same id.")
    known = {part.id for part in agents}
    for queue in queues:
        for tier in queue.tiers or ():
            if tier.agent not in known:
                raise CallCentreError(f"queues: Queue {queue.id} has a tier of agent {tier.agent}, who does not exist.")
    for part in agents:
        try:
            parse_agent(part.parameters)
        except BehaviourError as error:
            raise CallCentreError(f"agents: Agent {part.id}: parameters.{error}") from None


def open_agents(agents: tuple[AgentPart, ...], user_id: int) -> list[AgentOpened]:
    """Return the events that tell the engine of the agents."""
    return [AgentOpened(_agent(part, agent_id, user_id), AgentFigures()) for part in agents for agent_id in _ids(part)]


def open_queues(queues: tuple[QueuePart, ...], agents: tuple[AgentPart, ...]) -> list[QueueOpened]:
    """Return the events that tell the engine of the queues."""
    by_id = {part.id: part for part in agents}
    everybody = tuple(TierPart(part.id) for part in agents)
    return [
        QueueOpened(_queue(part, _tiers(everybody if part.tiers is None else part.tiers, by_id))) for part in queues
    ]


def _ids(part: AgentPart) -> range:
    return range(part.id, part.id + part.count)


def _agent(part: AgentPart, agent_id: int, user_id: int) -> AgentPlan:
    own = {"id": agent_id, "user_id": user_id, "parameters": msgspec.json.encode(part.parameters).decode()}
    return AgentPlan(**{**settings_by_name(AgentPlan, msgspec.structs.asdict(part)), **own})


def _tiers(tiers: tuple[TierPart, ...], agents: dict[int, AgentPart]) -> tuple[TierPlan, ...]:
    plans = (TierPlan(agent_id, tier.level, tier.position) for tier in tiers for agent_id in _ids(agents[tier.agent]))
    return tuple(sorted(plans, key=lambda plan: (plan.level, plan.position, plan.agent_id)))


def _queue(part: QueuePart, tiers: tuple[TierPlan, ...]) -> QueuePlan:
    settings = settings_by_name(QueuePlan, {**msgspec.structs.asdict(part), "tiers": tiers})
    return QueuePlan(scores_from_answer=part.time_base_score == "system", **settings)
