"""The fewest agents with whom the callers of a queue are served as promised, by Erlang C."""

from math import ceil, floor
from typing import Final, NamedTuple

from dialer.domain.pacing.inputs import ABANDONED_AFTER_MS
from dialer.domain.queueing.erlang_c import share_within

HALF_HOUR_MS: Final = 1_800_000
AGENTS_MAX: Final = 1_000
"""The most agents that are counted for one half hour."""
_ALL: Final = 100


class StaffingGoal(NamedTuple):
    """The promises that the agents of a queue have to keep, in per cent."""

    service_level: int = 80
    """The least share of callers whom an agent takes within `within_ms`."""
    within_ms: int = 20_000
    abandoned: int | None = None
    """The largest share of callers whom no agent takes within two seconds; None: any."""
    busy: int = 85
    """The largest share of their time in which agents have a call or its wrap-up time."""
    shrinkage: int = 30
    """The share of paid time in which people are not at work: breaks, training, illness, holidays."""

    @property
    def shortest_ms(self) -> int:
        """The shortest wait that the goal limits."""
        return self.within_ms if self.abandoned is None else min(self.within_ms, ABANDONED_AFTER_MS)


class CallLoad(NamedTuple):
    """The calls of a half hour, and the time that each takes."""

    calls: float
    handling_ms: float
    """The mean time for which a call keeps an agent: ringing, talk and wrap-up time."""
    ring_ms: float = 0
    """The mean time for which the telephone of an agent rings, while the caller waits."""

    @property
    def erlangs(self) -> float:
        """The calls that arrive while one is handled."""
        return self.calls * self.handling_ms / HALF_HOUR_MS

    def served_within(self, agents: int, wait_ms: float) -> float:
        """Return the percentage of callers who talk to one of these agents after this wait at the latest."""
        if wait_ms < self.ring_ms:
            return 0.0
        return _ALL * share_within(agents, self.erlangs, self.handling_ms, wait_ms - self.ring_ms)

    def busy(self, agents: int) -> float:
        """Return the percentage of their time in which these agents are busy."""
        return min(_ALL, _ALL * self.erlangs / agents) if agents else 0.0


def agents_needed(load: CallLoad, goal: StaffingGoal) -> int | None:
    """Return the fewest agents who keep a goal; None if `AGENTS_MAX` do not, or telephones ring for too long."""
    if load.calls <= 0:
        return 0
    if load.ring_ms > goal.shortest_ms:
        return None
    least = max(floor(load.erlangs) + 1, ceil(load.erlangs * _ALL / goal.busy))
    return next((agents for agents in range(least, AGENTS_MAX + 1) if _keeps(load, goal, agents)), None)


def people_to_roster(agents: int, shrinkage: int) -> int:
    """Return how many people must be on the roster so that this many agents are at work."""
    return -(-agents * _ALL // (_ALL - shrinkage))


def _keeps(load: CallLoad, goal: StaffingGoal, agents: int) -> bool:
    if load.served_within(agents, goal.within_ms) < goal.service_level:
        return False
    return goal.abandoned is None or _ALL - load.served_within(agents, ABANDONED_AFTER_MS) <= goal.abandoned
