"""What is known of queues, agents and waiting calls: plain values, rebuilt from rows. Times in milliseconds."""

import msgspec

from dialer.domain.enums import AgentStatus, QueueStrategy


class TierPlan(msgspec.Struct, frozen=True):
    """An agent's place in a queue: lower levels are asked first, and within a level lower positions."""

    agent_id: int
    level: int = 1
    position: int = 1


class QueuePlan(msgspec.Struct, frozen=True):
    """A waiting line, with the meaning that FreeSWITCH's mod_callcenter gives its settings."""

    id: int
    strategy: QueueStrategy = QueueStrategy.AGENT_WITH_LEAST_TALK_TIME
    tiers: tuple[TierPlan, ...] = ()
    """By level, position and agent."""
    scores_from_answer: bool = False
    """`time_base_score` is `system`: a caller's waiting counts from the answer of the call, not from joining."""
    tier_rules_apply: bool = False
    tier_rule_wait_ms: int = 300_000
    tier_rule_wait_multiply_level: bool = True
    tier_rule_no_agent_no_wait: bool = False
    discard_abandoned_after_ms: int = 14_400_000
    abandoned_resume_allowed: bool = True
    max_wait_ms: int = 0
    """0: no limit."""
    max_wait_with_no_agent_ms: int = 120_000
    max_wait_with_no_agent_time_reached_ms: int = 5_000


class AgentPlan(msgspec.Struct, frozen=True):
    """Someone who takes calls."""

    id: int
    user_id: int
    status: AgentStatus = AgentStatus.LOGGED_OUT
    wrap_up_ms: int = 0
    contact: str = ""
    parameters: str = "{}"
    """How the agent behaves in a simulation: JSON text of an object."""


class AgentFigures(msgspec.Struct):
    """What an agent has done so far: what the strategies choose by, and what survives a restart."""

    last_offered_ms: int = 0
    last_bridge_end_ms: int = 0
    talk_ms: int = 0
    calls_answered: int = 0
    free_at_ms: int = 0
    """The end of the wrap-up time, or of the rest after an offer that was not taken."""
    let_ring_ms: int = 0
    """Until when the agent let a call ring without taking it; 0 once they have taken one since."""


class Waiting(msgspec.Struct):
    """A call that waits in a queue."""

    call_id: int
    queue_id: int
    number: str
    joined_ms: int
    score_from_ms: int
    """Since when its waiting counts: the smallest is served first, equals by call."""
    offers: dict[int, int] = {}
    """Agents who are being asked, and since when."""


class LeftEarly(msgspec.Struct, frozen=True):
    """A caller who left a queue without having been served: who comes again in time has their place back."""

    queue_id: int
    number: str
    score_from_ms: int
    left_ms: int
