"""A staffing plan played call by call over many weeks: the shares of each half hour, and how far chance moves them."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import zip_longest
from math import ceil, sqrt
from typing import Final, NamedTuple

from dialer.domain.pacing.inputs import ABANDONED_AFTER_MS
from dialer.domain.queueing.staffing import HALF_HOUR_MS, StaffingGoal
from dialer.sim.staffed_week import HalfHourCalls, OfferedHalfHour, calls_of_shift, waits_of_shift
from dialer.sim.student import quantile_within

SIMULATED_CALLS: Final = 200_000
"""Calls that are simulated at first, in as many weeks as they fill."""
SIMULATED_CALLS_MAX: Final = 600_000
"""Calls up to which shifts in doubt are simulated for more weeks."""
SIMULATED_HALF_HOURS: Final = 40_000
"""Half hours that are simulated at first and at most, over all weeks, if few calls come."""
SIMULATED_HALF_HOURS_MAX: Final = 120_000
"""Half hours up to which shifts in doubt are simulated for more weeks."""
WEEKS_MIN: Final = 10
"""The fewest weeks. Fewer do not tell how far one week is from another."""
WEEKS_MAX: Final = 1_000
"""The most weeks at first."""
JUDGED_CALLS_MIN: Final = 30
"""Simulated calls of a half hour, or of those like it, from which on their shares have a margin."""
LEVEL: Final = 0.95
"""The share of simulations whose result is within the margin."""
_ALL: Final = 100
_PLACES: Final = 1
_SETTLED: Final = 4
"""Handling times until an earlier half hour is forgotten: so few calls last longer that they do not count."""
_REMEMBERED_MIN: Final = 2


class PlayedShare(NamedTuple):
    """A simulated percentage."""

    percent: float
    margin: float | None
    """The percentage points by which chance moves it, either way; None: too few calls tell."""

    def is_open(self, goal: float) -> bool:
        """Return whether chance decides on which side of that it is."""
        return self.margin is not None and abs(self.percent - goal) <= self.margin

    def is_below(self, least: float) -> bool:
        """Return whether it is less than that by more than chance."""
        return self.margin is not None and round(self.percent + self.margin, _PLACES) < least

    def is_above(self, most: float) -> bool:
        """Return whether it is more than that by more than chance."""
        return self.margin is not None and round(self.percent - self.margin, _PLACES) > most


class PlayedHalfHour(NamedTuple):
    """A half hour of the plan in the simulation: its shares."""

    in_time: PlayedShare
    """The calls that agents took in time."""
    late: PlayedShare
    """The calls that no agent took within two seconds."""
    busy: PlayedShare
    """The agents' time with calls that came in the half hour."""

    def short_of(self, goal: StaffingGoal) -> tuple[str, ...]:
        """Return the fields of the goal that are missed by more than chance."""
        missed = {
            "service_level": self.in_time.is_below(goal.service_level),
            "abandoned": goal.abandoned is not None and self.late.is_above(goal.abandoned),
            "busy": self.busy.is_above(goal.busy),
        }
        return tuple(name for name, is_missed in missed.items() if is_missed)

    def is_in_doubt(self, goal: StaffingGoal) -> bool:
        """Return whether a limit of waits is missed, but perhaps by chance."""
        in_time, late = self.in_time, self.late
        if in_time.percent < goal.service_level and in_time.is_open(goal.service_level):
            return True
        return goal.abandoned is not None and late.percent > goal.abandoned and late.is_open(goal.abandoned)


UNTRIED: Final = PlayedHalfHour(PlayedShare(_ALL, None), PlayedShare(0, None), PlayedShare(0, None))
"""A half hour without calls."""


class StaffingTrial:
    """The simulated calls of a queue, which several numbers of agents can serve.

    Half hours before which the same came, in the same order, are alike. They are counted together, so chance cannot
    tell one from another.
    """

    def __init__(self, offered: Mapping[int, OfferedHalfHour], goal: StaffingGoal, seed: int) -> None:
        """Simulate the calls of half hours with agents, by their place in the week."""
        self.weeks: Final = weeks_for(list(offered.values()))
        self._goal: Final = goal
        self._shifts: Final = [_Shift(shift, self.weeks, seed) for shift in _shifts(offered)]
        self._alike: Final = _alike(offered)
        self._calls = sum(shift.calls for shift in self._shifts)
        self._half_hours = sum(shift.half_hours for shift in self._shifts)

    def play(self, agents: Mapping[int, int]) -> dict[int, PlayedHalfHour]:
        """Return what becomes of the half hours with these agents, who serve the same calls each time."""
        counted: dict[int, list[_Count]] = {}
        for shift in self._shifts:
            counted |= shift.count([agents[place] for place in shift.places], self._goal)
        found: dict[int, PlayedHalfHour] = {}
        for places in self._alike:
            several = zip_longest(*(counted[place] for place in places), fillvalue=_NO_COUNT)
            found |= dict.fromkeys(places, _trial(list(map(_sum, several))))
        return found

    def look_closer(self, found: Mapping[int, PlayedHalfHour]) -> bool:
        """Simulate twice the weeks of shifts with half hours in doubt; return whether that was possible."""
        is_more = False
        for shift in self._shifts:
            is_in_doubt = any(found[place].is_in_doubt(self._goal) for place in shift.places)
            if is_in_doubt and self._has_room_for(shift):
                self._calls += shift.calls
                self._half_hours += shift.half_hours
                shift.double()
                is_more = True
        return is_more

    def _has_room_for(self, shift: "_Shift") -> bool:
        half_hours = self._half_hours + shift.half_hours
        return self._calls + shift.calls <= SIMULATED_CALLS_MAX and half_hours <= SIMULATED_HALF_HOURS_MAX


class _Count(NamedTuple):
    """The calls of a half hour in one week."""

    calls: int
    in_time: int
    late: int
    busy_ms: int
    staffed_ms: int
    """The time of all agents."""


_NO_COUNT: Final = _Count(0, 0, 0, 0, 0)


class _Shift:
    """Half hours without a break, and their calls in all weeks. People of another shift are other people."""

    def __init__(self, offered: Mapping[int, OfferedHalfHour], weeks: int, seed: int) -> None:
        self.places: Final = list(offered)
        self.calls = 0
        """The calls of all weeks."""
        self._offered: Final = list(offered.values())
        self._seed: Final = seed
        self._weeks: Final[list[list[HalfHourCalls]]] = []
        self._agents: list[int] = []
        self._counted: dict[int, list[_Count]] = {}
        self._add(weeks)

    @property
    def half_hours(self) -> int:
        """The half hours of all weeks."""
        return len(self._weeks) * len(self.places)

    def double(self) -> None:
        """Simulate as many weeks again."""
        self._add(len(self._weeks))

    def _add(self, weeks: int) -> None:
        for _ in range(weeks):
            week = calls_of_shift(self._offered, self.places[0], self._seed + len(self._weeks))
            self._weeks.append(week)
            self.calls += sum(len(one.came_ms) for one in week)
        self._agents = []

    def count(self, agents: list[int], goal: StaffingGoal) -> Mapping[int, list[_Count]]:
        """Return the counts of each half hour, week by week. They are kept until agents or weeks change."""
        if agents != self._agents:
            weeks = [list(self._of_week(week, agents, goal)) for week in self._weeks]
            self._counted = dict(zip(self.places, map(list, zip(*weeks, strict=True)), strict=True))
            self._agents = agents
        return self._counted

    def _of_week(self, week: Sequence[HalfHourCalls], agents: Sequence[int], goal: StaffingGoal) -> Iterator[_Count]:
        for offered, calls, count, waits in zip(self._offered, week, agents, waits_of_shift(week, agents), strict=True):
            within_ms, late_ms = goal.within_ms - offered.ring_ms, ABANDONED_AFTER_MS - offered.ring_ms
            in_time = sum([1 for wait_ms in waits if wait_ms <= within_ms])
            late = sum([1 for wait_ms in waits if wait_ms > late_ms])
            yield _Count(len(waits), in_time, late, sum(calls.busy_ms), count * HALF_HOUR_MS)


def weeks_for(offered: Collection[OfferedHalfHour]) -> int:
    """Return the weeks to simulate: the more, the fewer calls come."""
    calls = sum(one.calls for one in offered)
    most = min(WEEKS_MAX, int(SIMULATED_CALLS / calls), SIMULATED_HALF_HOURS // len(offered)) if calls else 0
    return max(WEEKS_MIN, most)


def _shifts(offered: Mapping[int, OfferedHalfHour]) -> Iterator[dict[int, OfferedHalfHour]]:
    """Yield the half hours that follow each other without a break."""
    shift: dict[int, OfferedHalfHour] = {}
    for place in sorted(offered):
        if shift and place - 1 not in shift:
            yield shift
            shift = {}
        shift[place] = offered[place]
    if shift:
        yield shift


def _alike(offered: Mapping[int, OfferedHalfHour]) -> list[list[int]]:
    """Return the half hours in groups whose waits have the same distribution, as long as they have equal agents.

    Earlier half hours count until their calls are over. The next one counts as well: its agents take callers who wait.
    """
    longest_ms = max((one.ring_ms + one.talk_ms + one.wrap_up_ms for one in offered.values()), default=0)
    remembered = _REMEMBERED_MIN + ceil(_SETTLED * longest_ms / HALF_HOUR_MS)
    groups: defaultdict[tuple[OfferedHalfHour | None, ...], list[int]] = defaultdict(list)
    for place in offered:
        groups[tuple(map(offered.get, range(place - remembered, place + 2)))].append(place)
    return list(groups.values())


def _sum(several: Sequence[_Count]) -> _Count:
    return several[0] if len(several) == 1 else _Count(*map(sum, zip(*several, strict=True)))


def _trial(weeks: Sequence[_Count]) -> PlayedHalfHour:
    calls, in_time, late, busy_ms, staffed_ms = (list(column) for column in zip(*weeks, strict=True))
    total = sum(calls)
    return PlayedHalfHour(
        _share(in_time, calls, total, none=_ALL),
        _share(late, calls, total, none=0),
        _share(busy_ms, staffed_ms, total, none=0),
    )


def _share(parts: Sequence[int], wholes: Sequence[int], calls: int, none: float) -> PlayedShare:
    """Return the share over all weeks, with the margin of a ratio: how far it strays from week to week.

    The margin is never that of less than a call: a few weeks may be equal by chance.
    """
    whole = sum(wholes)
    if not whole:
        return PlayedShare(none, None)
    share = sum(parts) / whole
    percent = round(min(_ALL, _ALL * share), _PLACES)
    if calls < JUDGED_CALLS_MIN:
        return PlayedShare(percent, None)
    weeks = len(parts)
    strayed = sum((part - share * of) ** 2 for part, of in zip(parts, wholes, strict=True))
    spread = sqrt(strayed * weeks / (weeks - 1)) / whole
    t = quantile_within(LEVEL, weeks - 1)
    return PlayedShare(percent, round(_ALL * max(t * spread, 1 / calls), _PLACES))
