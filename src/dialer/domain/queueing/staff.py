"""The agents of a campaign's queues, as its pacing strategy counts them."""

from collections.abc import Iterable
from collections.abc import Set as AbstractSet

import msgspec

from dialer.domain.queueing.agents import TAKES_CALLS, AgentState


class Staff(msgspec.Struct, frozen=True):
    """Counts of agents on duty and of callers.

    The fields have the meaning of those in `dialer.domain.pacing.inputs`.
    """

    agents: int
    idle: int
    """Agents who are being asked for a call of these queues are included: the call itself counts as waiting.

    Agents who look at a person, or wait for the call that they have placed, are not.
    """
    waiting: int
    bridged_ms: tuple[int, ...]
    wrapping_ms: tuple[int, ...]
    """The end of the wrap-up time, or of a rest after an offer that was not taken."""


def staff_of(agents: Iterable[AgentState], asked_for: AbstractSet[int], waiting: int, now_ms: int) -> Staff:
    """Return the counts of the agents of some queues at a moment.

    `waiting` is the number of calls that wait in these queues. `asked_for` has those that are offered to agents.
    """
    on_duty = idle = 0
    bridged_ms: list[int] = []
    wrapping_ms: list[int] = []
    for agent in agents:  # One pass: campaigns that dial for agents count them at every event.
        if agent.plan.status not in TAKES_CALLS:
            continue
        on_duty += 1
        if agent.talk is not None:
            bridged_ms.append(agent.talk.since_ms)
        elif agent.figures.free_at_ms > now_ms:
            wrapping_ms.append(agent.figures.free_at_ms)
        elif agent.kept_for is None and (agent.asked_call_id is None or agent.asked_call_id in asked_for):
            idle += 1
    bridged_ms.sort()
    wrapping_ms.sort()
    return Staff(
        agents=on_duty, idle=idle, waiting=waiting, bridged_ms=tuple(bridged_ms), wrapping_ms=tuple(wrapping_ms)
    )
