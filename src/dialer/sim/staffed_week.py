"""A shift of half hours at a queue, call by call: who waits how long for a given number of agents.

Calls come at random, talks have exponential lengths, and nobody gives up: the assumptions of Erlang C. Beyond the
formula, agents come and go: those whose time is over finish the call that they have.
"""

from array import array
from collections import deque
from collections.abc import Iterator, Sequence
from heapq import heapify, heapreplace
from itertools import repeat
from typing import Final, NamedTuple

from dialer.domain.queueing.staffing import AGENTS_MAX, HALF_HOUR_MS
from dialer.sim.chance import Chance

_TALKS: Final = "talks"
_INT64: Final = "q"
_RADIX: Final = AGENTS_MAX + 1
"""An agent of a heap is one integer: the time at which the agent becomes free, times this, plus the agent's number."""


class OfferedHalfHour(NamedTuple):
    """A half hour: the mean number of calls, and the time that each takes an agent."""

    calls: float
    ring_ms: int
    talk_ms: int
    """The mean of the talks, whose lengths are random. Ringing and wrap-up time are the same for each call."""
    wrap_up_ms: int


class HalfHourCalls(NamedTuple):
    """The simulated calls of a half hour: when each comes, since the shift began, and how long it keeps an agent."""

    came_ms: "array[int]"
    busy_ms: "array[int]"


def arrivals_of(seed: int, place: int, calls: float) -> Iterator[int]:
    """Yield the random times in a half hour at which its calls come."""
    if calls <= 0:
        return
    chance, gap_ms = Chance(seed, 0, 0, place), max(1, round(HALF_HOUR_MS / calls))
    at_ms = chance.exponential(gap_ms)
    while at_ms < HALF_HOUR_MS:
        yield at_ms
        at_ms += chance.exponential(gap_ms)


def calls_of_shift(half_hours: Sequence[OfferedHalfHour], first: int, seed: int) -> list[HalfHourCalls]:
    """Return the random calls of a shift, whose first half hour has this place in the week.

    They do not depend on the agents, so the same calls can be served by several numbers of agents.
    """
    chance = Chance(seed, 0, 0, first, _TALKS)
    found = []
    for place, (calls, ring_ms, talk_ms, wrap_up_ms) in enumerate(half_hours):
        begin_ms, fixed_ms = place * HALF_HOUR_MS, ring_ms + wrap_up_ms
        came_ms = array(_INT64, [begin_ms + at_ms for at_ms in arrivals_of(seed, first + place, calls)])
        busy_ms = array(_INT64, [fixed_ms + chance.exponential(talk_ms) for _ in came_ms])
        found.append(HalfHourCalls(came_ms, busy_ms))
    return found


def waits_of_shift(calls: Sequence[HalfHourCalls], agents: Sequence[int]) -> list[list[int]]:
    """Return the milliseconds until an agent is found for each call, by the half hours in which the calls come.

    Agents are numbers: the first ones stay when others leave. The longest idle agent takes the next call.
    """
    waits: list[list[int]] = [[] for _ in calls]
    waiting: deque[tuple[int, int, int]] = deque()
    floor, leaving = list[int](), list[int]()
    for place, (came_ms, busy_ms) in enumerate(calls):
        begin_ms = place * HALF_HOUR_MS
        floor, leaving = _staffed(floor, leaving, begin_ms, agents[place])
        waiting.extend(zip(came_ms, busy_ms, repeat(place), strict=False))
        _serve(waiting, floor, waits, begin_ms + HALF_HOUR_MS)
    floor.extend(_busy(leaving, len(calls) * HALF_HOUR_MS))
    heapify(floor)
    _serve(waiting, floor, waits, None)
    return waits


def _staffed(floor: Sequence[int], leaving: Sequence[int], begin_ms: int, agents: int) -> tuple[list[int], list[int]]:
    """Return the heap of the agents of a half hour, and those whose time is over but not their call."""
    present = [*floor, *_busy(leaving, begin_ms)]
    here = [one for one in present if one % _RADIX < agents]
    known = {one % _RADIX for one in here}
    here.extend(begin_ms * _RADIX + agent for agent in range(agents) if agent not in known)
    heapify(here)
    return here, _busy([one for one in present if one % _RADIX >= agents], begin_ms)


def _busy(agents: Sequence[int], now_ms: int) -> list[int]:
    return [one for one in agents if one // _RADIX > now_ms]


def _serve(
    waiting: deque[tuple[int, int, int]], floor: list[int], waits: Sequence[list[int]], until_ms: int | None
) -> None:
    """Let agents take calls in the order in which they came; those that nobody can take by `until_ms` still wait."""
    if not floor:
        return
    while waiting:
        came_ms, busy_ms, place = waiting[0]
        free_ms, agent = divmod(floor[0], _RADIX)
        taken_ms = max(free_ms, came_ms)
        if until_ms is not None and taken_ms > until_ms:
            return
        heapreplace(floor, (taken_ms + busy_ms) * _RADIX + agent)
        waits[place].append(taken_ms - came_ms)
        waiting.popleft()
