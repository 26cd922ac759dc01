"""Call-backs that agents take themselves: agents who wait for one, and callees who wait for their agent."""

from collections.abc import Iterator, Mapping
from typing import Final

from dialer.domain.queueing.agents import AgentState
from dialer.domain.queueing.callers import in_order
from dialer.domain.queueing.plans import Promise, TierPlan, Waiting


class Promises:
    """The promises of calls that are on their way, or wait in a queue."""

    def __init__(self) -> None:
        self._reserved: Final[dict[int, int]] = {}
        """The agent who waits for each call that has not joined a queue yet."""
        self._waiting: Final[dict[int, Waiting]] = {}
        """The calls that wait in a queue, and that an agent has promised to take."""

    def reserve(self, call_id: int, promise: Promise) -> None:
        """Note the agent who waits for a call."""
        self._reserved[call_id] = promise.agent_id

    def unreserve(self, call_id: int) -> int | None:
        """End the reservation for a call, and return its agent; None without a reservation."""
        return self._reserved.pop(call_id, None)

    def keep(self, waiting: Waiting) -> None:
        """Note a call that waits in a queue, if an agent has promised to take it."""
        if waiting.promise is not None:
            self._waiting[waiting.call_id] = waiting

    def remove(self, call_id: int) -> None:
        """Remove a call that has left its queue."""
        self._waiting.pop(call_id, None)

    def in_line(self) -> list[Waiting]:
        """Return the calls that wait for their agents, in the order of the line."""
        return in_order(self._waiting.values())

    def ends_ms(self, queue_id: int) -> Iterator[int]:
        """Yield the times from which any agent may take the calls of a queue."""
        for waiting in self._waiting.values():
            if waiting.queue_id == queue_id and waiting.promise is not None:
                yield waiting.promise.until_ms


def promised(agent_id: int, due_ms: int, wait_ms: int, left_ms: int) -> Promise:
    """Return the promise of an agent to take a call-back that is due at a moment.

    It waits for them for `wait_ms`, but for at most half of the time that is left then until the campaign ends, so that
    others have time for it.
    """
    return Promise(agent_id, due_ms + min(wait_ms, max(0, left_ms) // 2))


def is_kept(now_ms: int, waiting: Waiting, agents: Mapping[int, AgentState], places: Mapping[int, TierPlan]) -> bool:
    """Return whether only the agent who has promised to take a call may be asked for it.

    `places` are those of the queue. A promise ends early if its agent does not serve the queue, is off duty, or has let
    the call ring: its callee is on the telephone, and must not wait for nobody.
    """
    promise = waiting.promise
    if promise is None or now_ms >= promise.until_ms or promise.agent_id not in places:
        return False
    agent = agents.get(promise.agent_id)
    return agent is not None and agent.is_on_duty and agent.figures.let_ring_ms < waiting.joined_ms
