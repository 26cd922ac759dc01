"""The agents of a campaign's queues, as its pacing strategy counts them."""

from collections.abc import Iterable
from collections.abc import Set as AbstractSet

import msgspec

from dialer.domain.queueing.agents import AgentState


class Staff(msgspec.Struct, frozen=True):
    """Counts of agents on duty and of callers.

    The fields have the meaning of those in `dialer.domain.pacing.situation`.
    """

    agents: int
    idle: int
    """Agents who are being asked for a call of these queues are included: the call itself counts as waiting."""
    waiting: int
    bridged_ms: tuple[int, ...]
    wrapping_ms: tuple[int, ...]
    """The end of the wrap-up time, or of a rest after an offer that was not taken."""


def staff_of(agents: Iterable[AgentState], calls: AbstractSet[int], now_ms: int) -> Staff:
    """Count the agents of some queues, and the calls that wait in them."""
    on_duty = [agent for agent in agents if agent.is_on_duty]
    ours = {None, *calls}
    silent = [agent for agent in on_duty if agent.talk is None]
    return Staff(
        agents=len(on_duty),
        idle=sum(agent.is_free(now_ms) and agent.asked_call_id in ours for agent in silent),
        waiting=len(calls),
        bridged_ms=tuple(sorted(agent.talk.since_ms for agent in on_duty if agent.talk)),
        wrapping_ms=tuple(sorted(at for agent in silent if (at := agent.figures.free_at_ms) > now_ms)),
    )
