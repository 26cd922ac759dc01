"""The agents of a campaign's queues, as its pacing strategy counts them."""

from collections.abc import Mapping
from typing import Final

import msgspec

from dialer.domain.queueing.agents import TAKES_CALLS, AgentState
from dialer.domain.queueing.queue_state import QueueState
from dialer.domain.words.moments import NEVER_MS


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


class StaffCounts:
    """The number of agents for sets of queues, counted again when an agent or a queue changes.

    Campaigns that dial for agents ask at every event, and every second.
    """

    def __init__(self, agents: Mapping[int, AgentState], lines: Mapping[int, QueueState]) -> None:
        self._agents: Final = agents
        self._lines: Final = lines
        self._known: Final[dict[frozenset[int], tuple[Staff, int]]] = {}
        """The staff of each set, and the time until which it stays as it is unless something changes."""

    def forget(self) -> None:
        """Count anew from now on, because an agent or a queue changes."""
        self._known.clear()

    def of(self, queue_ids: frozenset[int], now_ms: int) -> Staff:
        """Return the agents who serve these queues, and the number of calls that wait in them."""
        known = self._known.get(queue_ids)
        if known is None or known[1] <= now_ms:
            known = self._known[queue_ids] = self._count(queue_ids, now_ms)
        return known[0]

    def _count(self, queue_ids: frozenset[int], now_ms: int) -> tuple[Staff, int]:
        lines = [line for queue_id in queue_ids if (line := self._lines.get(queue_id))]
        members = set().union(*[line.places for line in lines])
        asked_for = set().union(*[line.callers.asked for line in lines])
        on_duty = idle = 0
        until_ms = NEVER_MS
        bridged_ms: list[int] = []
        wrapping_ms: list[int] = []
        for agent_id in members:
            agent = self._agents.get(agent_id)
            if agent is None or agent.plan.status not in TAKES_CALLS:
                continue
            on_duty += 1
            if agent.talk is not None:
                bridged_ms.append(agent.talk.since_ms)
            elif (free_ms := agent.figures.free_at_ms) > now_ms:
                wrapping_ms.append(free_ms)
                until_ms = min(until_ms, free_ms)
            elif (free_ms := agent.reserved_until_ms) > now_ms:
                until_ms = min(until_ms, free_ms)  # A call for this agent alone is on its way.
            elif agent.kept_for is None and (agent.asked_call_id is None or agent.asked_call_id in asked_for):
                idle += 1
        bridged_ms.sort()
        wrapping_ms.sort()
        waiting = sum([len(line.callers.in_line) for line in lines])
        return Staff(on_duty, idle, waiting, tuple(bridged_ms), tuple(wrapping_ms)), until_ms
