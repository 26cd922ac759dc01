"""The changes of a floor that must be stored, so that a floor rebuilt from them continues without a difference."""

import msgspec

from dialer.domain.queueing.plans import AgentFigures, Waiting
from dialer.domain.words.enums import AgentStatus
from dialer.domain.words.reasons import BreakCause, NoReason


class Changes(msgspec.Struct):
    """The changes since the last request, with the current values. All are keyed by id."""

    agents: dict[int, AgentFigures] = {}
    statuses: dict[int, AgentStatus] = {}
    """Agents whose status was changed by the floor itself."""
    queues: dict[int, int] = {}
    """The agent whom each queue asked last."""
    no_agent_from_ms: dict[int, int] = {}
    """The time since which callers of each queue have had no agent on duty; 0 once there is an agent again."""
    waiting: list[Waiting] = []
    """Waiting calls, by id. Calls that left a queue are not included: their end was an event or a decision."""
    break_causes: dict[int, BreakCause | NoReason] = {}
    """The reasons why agents were sent on a break, of those in `statuses`."""
    owing: frozenset[int] = frozenset()
    """Agents who owe the outcome of a call no more, or owe it although their talk was over before."""


class Notes:
    """A collector of changes. A newer value replaces the older one, so the memory grows with the floor only."""

    __slots__ = ("agents", "break_causes", "no_agent_from_ms", "owing", "queues", "statuses", "waiting")

    def __init__(self) -> None:
        self.agents: dict[int, AgentFigures] = {}
        self.statuses: dict[int, AgentStatus] = {}
        self.break_causes: dict[int, BreakCause | NoReason] = {}
        self.owing: set[int] = set()
        self.queues: dict[int, int] = {}
        self.no_agent_from_ms: dict[int, int] = {}
        self.waiting: dict[int, Waiting] = {}

    def changes(self) -> Changes:
        """Return the noted changes of agents, queues and calls, for the rows."""
        calls = [self.waiting[call_id] for call_id in sorted(self.waiting)]
        changed = (self.agents, self.statuses, self.queues, self.no_agent_from_ms, calls, self.break_causes)
        return Changes(*changed, frozenset(self.owing))
