"""What must be stored of a floor so that it can be rebuilt, and goes on as if nothing had happened."""

import msgspec

from dialer.domain.enums import AgentStatus
from dialer.domain.queueing.plans import AgentFigures, Waiting


class Changes(msgspec.Struct):
    """What is different since it was asked for last, as it is now. All by id."""

    agents: dict[int, AgentFigures] = {}
    statuses: dict[int, AgentStatus] = {}
    """Agents whose status the floor itself has changed."""
    queues: dict[int, int] = {}
    """The agent whom each queue asked last."""
    no_agent_from_ms: dict[int, int] = {}
    """Since when the callers of each queue have had nobody to wait for; 0 once there is somebody again."""
    waiting: list[Waiting] = []
    """Calls that wait, by id. Those that wait no longer are not among them: their end was an event or a decision."""


class Notes:
    """Collects changes. A value is noted in place of the older one, so what is held grows with the floor only."""

    __slots__ = ("agents", "no_agent_from_ms", "queues", "statuses", "waiting")

    def __init__(self) -> None:
        self.agents: dict[int, AgentFigures] = {}
        self.statuses: dict[int, AgentStatus] = {}
        self.queues: dict[int, int] = {}
        self.no_agent_from_ms: dict[int, int] = {}
        self.waiting: dict[int, Waiting] = {}

    def changes(self) -> Changes:
        """All that was noted."""
        calls = [self.waiting[call_id] for call_id in sorted(self.waiting)]
        return Changes(self.agents, self.statuses, self.queues, self.no_agent_from_ms, calls)
