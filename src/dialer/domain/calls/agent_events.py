"""Events of agents and queues."""

import msgspec

from dialer.domain.queueing.plans import AgentFigures, AgentPlan, LeftEarly, QueuePlan


class AgentAnswered(msgspec.Struct, frozen=True, gc=False):
    """An agent took the call that they were asked to take at `offered_ms`."""

    call_id: int
    agent_id: int
    offered_ms: int


class AgentMissed(msgspec.Struct, frozen=True, gc=False):
    """The telephone of an agent, who was asked at `offered_ms`, does not take the call: busy, refused or not placed."""

    call_id: int
    agent_id: int
    offered_ms: int
    is_carriers_fault: bool = False
    """True if the carrier has failed, so that the telephone may never have rung."""


class SupervisionEnded(msgspec.Struct, frozen=True, gc=False):
    """The leg of a supervisor is over: it has hung up, or was not reached."""

    call_id: int
    agent_id: int
    turn: int
    """The number of the supervision of this agent."""


class QueueOpened(msgspec.Struct, frozen=True):
    """A queue was read, for the first time or because its data may have changed."""

    plan: QueuePlan
    last_agent_id: int = 0
    left_early: tuple[LeftEarly, ...] = ()
    no_agent_from_ms: int = 0


class AgentOpened(msgspec.Struct, frozen=True):
    """An agent was read, for the first time or because their data may have changed.

    `figures` are None if the engine already has them.
    """

    plan: AgentPlan
    figures: AgentFigures | None = None


class QueueClosed(msgspec.Struct, frozen=True):
    """A queue was deleted. No agent can take the calls that wait in the queue."""

    queue_id: int


class AgentClosed(msgspec.Struct, frozen=True):
    """An agent was deleted."""

    agent_id: int
