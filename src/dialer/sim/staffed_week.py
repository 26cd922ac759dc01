"""A week of half hours at a queue, call by call: who waits how long for a given number of agents.

Calls come at random, talks have exponential lengths, and nobody gives up: the assumptions of Erlang C. Beyond the
formula, agents come and go: those whose time is over finish the call that they have.
"""

from collections import deque
from collections.abc import Iterator, Sequence
from heapq import heappop, heappush
from typing import Final, NamedTuple

from dialer.domain.queueing.staffing import HALF_HOUR_MS
from dialer.sim.chance import Chance

_TALKS: Final = "talks"


class StaffedHalfHour(NamedTuple):
    """A half hour: the agents at work, the mean number of calls, and the time that each call takes an agent."""

    agents: int
    calls: float
    ring_ms: int
    talk_ms: int
    """The mean of the talks, whose lengths are random. Ringing and wrap-up time are the same for each call."""
    wrap_up_ms: int


class Served(NamedTuple):
    """A simulated call: the half hour in which it came, its wait, and the time for which it kept an agent."""

    half_hour: int
    waited_ms: int
    busy_ms: int


class _Floor:
    """The agents of the week, who are numbers: the first ones stay when others leave."""

    def __init__(self, half_hours: Sequence[StaffedHalfHour], chance: Chance) -> None:
        self._half_hours: Final = half_hours
        self._chance: Final = chance
        self._agents = 0
        self._idle: deque[int] = deque()
        """Idle agents, the longest idle first."""
        self._busy: list[tuple[int, int]] = []
        """The times at which agents become free, with the agents: a heap."""
        self._waiting: deque[tuple[int, int]] = deque()
        """The callers who wait: the time at which each came, and its half hour."""
        self.served: Final[list[Served]] = []

    def staff(self, now_ms: int, agents: int) -> None:
        """Let agents come or go at the beginning of a half hour."""
        self._agents = agents
        here = {agent for _, agent in self._busy}
        stay = [agent for agent in self._idle if agent < agents]
        come = (agent for agent in range(agents) if agent not in here and agent not in set(stay))
        self._idle = deque([*stay, *come])
        while self._waiting and self._idle:
            self._take(now_ms, self._idle.popleft())

    def join(self, now_ms: int, half_hour: int) -> None:
        """Add a caller, whom the longest idle agent takes."""
        self._waiting.append((now_ms, half_hour))
        if self._idle:
            self._take(now_ms, self._idle.popleft())

    def work_until(self, until_ms: int) -> None:
        """Let agents end their calls, and take those who wait. After the last half hour of a day all are served."""
        while self._busy and self._busy[0][0] <= until_ms:
            now_ms, agent = heappop(self._busy)
            if self._waiting and (agent < self._agents or not self._agents):
                self._take(now_ms, agent)
            elif agent < self._agents:
                self._idle.append(agent)

    def finish(self) -> None:
        """Serve everybody who still waits."""
        self._agents = 0
        while self._busy:
            self.work_until(self._busy[0][0])

    def _take(self, now_ms: int, agent: int) -> None:
        came_ms, half_hour = self._waiting.popleft()
        of_call = self._half_hours[half_hour]
        busy_ms = of_call.ring_ms + self._chance.exponential(of_call.talk_ms) + of_call.wrap_up_ms
        heappush(self._busy, (now_ms + busy_ms, agent))
        self.served.append(Served(half_hour, now_ms - came_ms + of_call.ring_ms, busy_ms))


def arrivals_of(seed: int, place: int, calls: float) -> Iterator[int]:
    """Yield the random times in a half hour at which its calls come."""
    if calls <= 0:
        return
    chance, gap_ms = Chance(seed, 0, 0, place), max(1, round(HALF_HOUR_MS / calls))
    at_ms = chance.exponential(gap_ms)
    while at_ms < HALF_HOUR_MS:
        yield at_ms
        at_ms += chance.exponential(gap_ms)


def serve_week(half_hours: Sequence[StaffedHalfHour], seed: int) -> list[Served]:
    """Return the calls of a simulated week, in the order in which agents take them."""
    floor = _Floor(half_hours, Chance(seed, 0, 0, 0, _TALKS))
    for place, half_hour in enumerate(half_hours):
        begin_ms = place * HALF_HOUR_MS
        floor.work_until(begin_ms)
        floor.staff(begin_ms, half_hour.agents)
        for after_ms in arrivals_of(seed, place, half_hour.calls):
            floor.work_until(begin_ms + after_ms)
            floor.join(begin_ms + after_ms, place)
    floor.finish()
    return floor.served
