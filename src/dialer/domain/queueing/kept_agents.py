"""Agents who are offered no calls because they look at a person, or wait for the call that they have placed."""

from collections.abc import Callable
from collections.abc import Set as AbstractSet
from typing import Final

from dialer.domain.queueing.agents import PREVIEWS, AgentState


class KeptAgents:
    """The agents who are kept, and the calls for which they are. An agent is kept for one call at a time."""

    def __init__(self, changing: Callable[[int], AgentState]) -> None:
        self._changing: Final = changing
        """Return an agent who is about to change."""
        self._calls: Final[dict[int, int]] = {}
        """The agent of each call that an agent has placed, until the call reaches a queue or is over."""

    def keep(self, agent_id: int, call_id: int = PREVIEWS) -> None:
        """Reserve an agent for the call that they placed, or for the person whom they preview."""
        self.let_go(agent_id)
        self._changing(agent_id).kept_for = call_id
        if call_id != PREVIEWS:
            self._calls[call_id] = agent_id

    def let_go(self, agent_id: int) -> None:
        """End the reservation of an agent."""
        agent = self._changing(agent_id)
        self._calls.pop(agent.kept_for or PREVIEWS, None)
        agent.kept_for = None

    def has_kept(self, call_id: int) -> bool:
        """Return whether an agent is kept for a call that has not come to its queue yet."""
        return call_id in self._calls

    def come_for(self, waiting: AbstractSet[int]) -> list[tuple[int, int]]:
        """Return the waiting calls for which an agent is kept, each with its agent, and release these agents."""
        found = [(call_id, self._calls[call_id]) for call_id in sorted(self._calls.keys() & waiting)]
        for _, agent_id in found:
            self.let_go(agent_id)
        return found
