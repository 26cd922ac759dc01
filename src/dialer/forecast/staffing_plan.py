"""The staffing plan of a queue: how many agents each half hour of the week needs, and what a simulation makes of it."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Final, NamedTuple

import msgspec

from dialer.domain.pacing.inputs import ABANDONED_AFTER_MS
from dialer.domain.queueing.staffing import (
    AGENTS_MAX,
    HALF_HOUR_MS,
    CallLoad,
    StaffingGoal,
    agents_needed,
    people_to_roster,
)
from dialer.domain.queueing.typed_volumes import DAY_HALF_HOURS
from dialer.domain.words.described import described
from dialer.domain.words.sentences import Sentence
from dialer.forecast.queue_history import WEEK_HALF_HOURS, PlanSource, QueueHistory
from dialer.sim.staffed_week import Served, StaffedHalfHour, serve_week

SIMULATED_CALLS: Final = 20_000
"""Calls of a simulation, in as many weeks as they fill."""
SIMULATED_WEEKS_MAX: Final = 50
SIMULATIONS_MAX: Final = 4
"""Simulations of a plan. After each but the last, half hours that do not keep the goal get one agent more."""
WEEK_CALLS_MAX: Final = 100_000
"""Calls of a week for which a plan is made."""
WEEKDAYS: Final = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_ALL: Final = 100
_HALF: Final = 0.5
_PLACES: Final = 1
_S: Final = 1_000


class StaffingPlanError(Exception):
    """Raised if there is no plan; the message says why, and what would help."""


class PlannedHalfHour(msgspec.Struct, frozen=True):
    """A half hour of the week: its usual calls, the agents for them, and how these serve them."""

    weekday: Annotated[str, described("The day of the week.", "monday")]
    start: Annotated[str, described("The beginning of the half hour, in the time zone of the plan.", "09:30")]
    calls: Annotated[float, described("The calls to expect.", 42.5)]
    handling_time: Annotated[
        float, described("Seconds for which a call keeps an agent: ringing, talk and wrap-up time.", 141.0)
    ]
    agents: Annotated[int, described("The fewest agents at work who keep the goal, by formula and in simulation.", 6)]
    people: Annotated[int, described("The people on the roster for that, as some are not at work.", 9)]
    service_level: Annotated[float, described("Percentage of the calls taken in time, by Erlang C.", 88.1)]
    abandoned: Annotated[float, described("Percentage of the calls not taken within two seconds, by Erlang C.", 24.0)]
    busy: Annotated[float, described("Percentage of the agents' time with a call or wrap-up time.", 55.5)]
    simulated_service_level: Annotated[
        float, described("Percentage of the calls taken in time when the plan is simulated.", 88.6)
    ]
    simulated_abandoned: Annotated[
        float, described("Percentage of the simulated calls not taken within two seconds.", 23.2)
    ]
    simulated_busy: Annotated[float, described("Percentage of the agents' time with a simulated call.", 55.1)]


class StaffingPlan(msgspec.Struct, frozen=True):
    """The agents that a queue needs in each half hour of a usual week. Half hours without calls are left out."""

    queue: Annotated[str, described("URL of the queue.", "https://dialer.example/rest-api/queue/1/")]
    timezone: Annotated[str, described("The time zone of days and half hours.", "Europe/Madrid")]
    first_day: Annotated[str, described("The first day of the calls on which the plan rests.", "2026-10-31")]
    last_day: Annotated[str, described("The last day of these calls: yesterday.", "2026-11-27")]
    past_calls: Annotated[int, described("The calls of the queue on these days; 0 without a past.", 9400)]
    ring_time: Annotated[float, described("Mean seconds for which agents let their telephones ring.", 1.5)]
    talk_time: Annotated[float, described("Mean seconds of a talk.", 120.0)]
    wrap_up_time: Annotated[float, described("Mean seconds of wrap-up time.", 20.0)]
    simulated_weeks: Annotated[int, described("The weeks that were simulated with these agents.", 17)]
    peak_people: Annotated[int, described("The most people on the roster at the same time.", 17)]
    rests_on: Annotated[
        str, described("Where its calls come from: `past`, `volumes` that were given, or a `forecast`.", "past")
    ]
    hours: Annotated[float, described("The hours of all people on the roster in a week.", 402.5)]
    half_hours: Annotated[tuple[PlannedHalfHour, ...], described("The half hours with calls, from Monday 00:00.")]


class Assumptions(NamedTuple):
    """The promises and the expectations of a plan."""

    goal: StaffingGoal
    change: int = 0
    """The per cent by which more calls are expected than came in the past; negative: fewer."""
    seed: int = 0


def plan_of(history: QueueHistory, assumptions: Assumptions, *, queue: str, timezone: str) -> StaffingPlan:
    """Return the plan for a usual week, which is simulated with its agents.

    Raises:
        StaffingPlanError: there are no calls, or no number of agents keeps the goal.
    """
    _check(history, assumptions)
    loads = {place: _load(history, place, assumptions.change) for place in history.usual}
    agents = {place: _agents(place, load, assumptions.goal) for place, load in loads.items()}
    weeks = max(1, min(SIMULATED_WEEKS_MAX, int(SIMULATED_CALLS / sum(load.calls for load in loads.values()))))
    simulated = _simulated(history, loads, agents, assumptions, weeks)
    for _ in range(SIMULATIONS_MAX - 1):
        short = [place for place in loads if not simulated.keeps(place)]
        if not short:
            break
        agents |= {place: agents[place] + 1 for place in short}
        simulated = _simulated(history, loads, agents, assumptions, weeks)
    half_hours = tuple(_half_hours(loads, agents, assumptions.goal, simulated))
    return StaffingPlan(
        queue=queue,
        timezone=timezone,
        first_day=history.first.isoformat(),
        last_day=history.last.isoformat(),
        past_calls=history.calls,
        ring_time=_seconds(history.ring_ms),
        talk_time=_seconds(history.talk_ms),
        wrap_up_time=_seconds(history.wrap_up_ms),
        simulated_weeks=weeks,
        rests_on=history.rests_on.value,
        peak_people=max(one.people for one in half_hours),
        hours=sum(one.people for one in half_hours) * _HALF,
        half_hours=half_hours,
    )


class _Simulated:
    """Simulated calls, counted by half hours."""

    def __init__(self, served: Sequence[Served], goal: StaffingGoal, weeks: int) -> None:
        self._goal: Final = goal
        self._weeks: Final = weeks
        self._calls: Final = Counter(call.half_hour for call in served)
        self._in_time: Final = Counter(call.half_hour for call in served if call.waited_ms <= goal.within_ms)
        self._late: Final = Counter(call.half_hour for call in served if call.waited_ms > ABANDONED_AFTER_MS)
        self._busy_ms: Final[Counter[int]] = Counter()
        for call in served:
            self._busy_ms[call.half_hour] += call.busy_ms

    def in_time(self, place: int) -> float:
        """Return the percentage of the calls of a half hour that agents took in time."""
        return _ALL * self._in_time[place] / self._calls[place] if self._calls[place] else _ALL

    def late(self, place: int) -> float:
        """Return the percentage of the calls of a half hour that no agent took within two seconds."""
        return _ALL * self._late[place] / (self._calls[place] or 1)

    def keeps(self, place: int) -> bool:
        """Return whether the waits of a half hour keep the goal. Agents of the one before may leave too much work."""
        most = _ALL if self._goal.abandoned is None else self._goal.abandoned
        return self.in_time(place) >= self._goal.service_level and self.late(place) <= most

    def busy(self, place: int, agents: int) -> float:
        """Return the share of the agents' time, as far as calls end in the half hour in which they come."""
        return min(_ALL, _ALL * self._busy_ms[place] / (agents * HALF_HOUR_MS * self._weeks))


def _simulated(
    history: QueueHistory,
    loads: Mapping[int, CallLoad],
    agents: Mapping[int, int],
    assumptions: Assumptions,
    weeks: int,
) -> _Simulated:
    slots = list(_slots(history, loads, agents))
    served = [call for week in range(weeks) for call in serve_week(slots, assumptions.seed + week)]
    return _Simulated(served, assumptions.goal, weeks)


def _check(history: QueueHistory, assumptions: Assumptions) -> None:
    ring_ms, goal = history.ring_ms, assumptions.goal
    if history.rests_on is PlanSource.PAST and not history.taken:
        raise StaffingPlanError(
            Sentence(
                "Agents took no call of the queue from %(first)s to %(last)s; today does not count. Give the calls that"
                " you expect, the forecast of a campaign, or more weeks.",
                **_days(history),
            )
        )
    if not history.usual:
        raise StaffingPlanError(Sentence("No calls are expected. Give those of a half hour at least."))
    if ring_ms > goal.shortest_ms:
        raise StaffingPlanError(
            Sentence(
                "Agents answer their telephones after %(ring)s s on average, so no number of agents takes calls within"
                " %(limit)s s. Let telephones answer by themselves, or allow a longer wait.",
                ring=_seconds(ring_ms),
                limit=goal.shortest_ms / _S,
            )
        )
    calls = sum(one.calls for one in history.usual.values()) * (_ALL + assumptions.change) / _ALL
    if calls > WEEK_CALLS_MAX:
        raise StaffingPlanError(
            Sentence(
                "A week would have %(calls)s calls. A plan has at most %(most)s. Expect a smaller change.",
                calls=round(calls),
                most=WEEK_CALLS_MAX,
            )
        )


def _load(history: QueueHistory, place: int, change: int) -> CallLoad:
    usual = history.usual[place]
    handling_ms = usual.ring_ms + usual.talk_ms + history.wrap_up_ms
    return CallLoad(usual.calls * (_ALL + change) / _ALL, handling_ms, history.ring_ms)


def _agents(place: int, load: CallLoad, goal: StaffingGoal) -> int:
    agents = agents_needed(load, goal)
    if agents is None:
        raise StaffingPlanError(
            Sentence(
                "%(most)s agents do not keep the goal on %(weekday)s at %(start)s. Promise less, or expect fewer"
                " calls.",
                most=AGENTS_MAX,
                weekday=Sentence(WEEKDAYS[place // DAY_HALF_HOURS].capitalize()),
                start=_start(place),
            )
        )
    return agents


def _slots(
    history: QueueHistory, loads: Mapping[int, CallLoad], agents: Mapping[int, int]
) -> Iterator[StaffedHalfHour]:
    """Yield all half hours of the week, those without calls too."""
    for place in range(WEEK_HALF_HOURS):
        load = loads.get(place, CallLoad(0, 0))
        talk_ms = history.usual[place].talk_ms if place in loads else 0
        yield StaffedHalfHour(
            agents.get(place, 0), load.calls, round(load.ring_ms), round(talk_ms), round(history.wrap_up_ms)
        )


def _half_hours(
    loads: Mapping[int, CallLoad], agents: Mapping[int, int], goal: StaffingGoal, simulated: _Simulated
) -> Iterator[PlannedHalfHour]:
    for place, load in loads.items():
        count = agents[place]
        yield PlannedHalfHour(
            weekday=WEEKDAYS[place // DAY_HALF_HOURS],
            start=_start(place),
            calls=round(load.calls, _PLACES),
            handling_time=_seconds(load.handling_ms),
            agents=count,
            people=people_to_roster(count, goal.shrinkage),
            service_level=round(load.served_within(count, goal.within_ms), _PLACES),
            abandoned=round(_ALL - load.served_within(count, ABANDONED_AFTER_MS), _PLACES),
            busy=round(load.busy(count), _PLACES),
            simulated_service_level=round(simulated.in_time(place), _PLACES),
            simulated_abandoned=round(simulated.late(place), _PLACES),
            simulated_busy=round(simulated.busy(place, count), _PLACES),
        )


def _days(history: QueueHistory) -> dict[str, str]:
    return {"first": history.first.isoformat(), "last": history.last.isoformat()}


def _start(place: int) -> str:
    of_day = place % DAY_HALF_HOURS
    return f"{of_day // 2:02}:{of_day % 2 * 30:02}"


def _seconds(spent_ms: float) -> float:
    return round(spent_ms / _S, _PLACES)
