"""The staffing plan of a queue: how many agents each half hour of the week needs, and what a simulation makes of it."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Annotated, Final, NamedTuple

import msgspec

from dialer.domain.pacing.inputs import ABANDONED_AFTER_MS
from dialer.domain.queueing.staffing import (
    AGENTS_MAX,
    CallLoad,
    StaffingGoal,
    agents_needed,
    people_to_roster,
)
from dialer.domain.queueing.typed_volumes import DAY_HALF_HOURS
from dialer.domain.words.described import described
from dialer.domain.words.sentences import Sentence
from dialer.forecast.queue_history import PlanSource, QueueHistory

if TYPE_CHECKING:
    from dialer.forecast.staffing_trial import PlayedHalfHour
    from dialer.sim.staffed_week import OfferedHalfHour

CORRECTIONS: Final = (1, 1, 2, 4, 8)
"""After a simulation, half hours that fall short by more than chance get so many agents more. Then it is repeated."""
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
    agents: Annotated[int, described("The agents at work: the fewest by formula, or more where it is not enough.", 6)]
    people: Annotated[int, described("The people on the roster for that, as some are not at work.", 9)]
    service_level: Annotated[float, described("Percentage of the calls taken in time, by Erlang C.", 88.1)]
    abandoned: Annotated[float, described("Percentage of the calls not taken within two seconds, by Erlang C.", 24.0)]
    busy: Annotated[float, described("Percentage of the agents' time with a call or wrap-up time.", 55.5)]
    simulated_service_level: Annotated[
        float, described("Percentage of the calls taken in time when the plan is simulated.", 88.6)
    ]
    service_level_margin: Annotated[
        float | None,
        described("Percentage points by which chance moves that, either way, in 95 of 100; null: too few calls.", 1.2),
    ]
    simulated_abandoned: Annotated[
        float, described("Percentage of the simulated calls not taken within two seconds.", 23.2)
    ]
    abandoned_margin: Annotated[float | None, described("The margin of this percentage.", 1.5)]
    simulated_busy: Annotated[float, described("Percentage of the agents' time with a simulated call.", 55.1)]
    busy_margin: Annotated[float | None, described("The margin of this percentage.", 0.6)]
    short_of: Annotated[
        tuple[str, ...],
        described(
            "The goals that the simulation misses by more than the margin: `service_level`, `abandoned`, `busy`.",
            ["service_level"],
        ),
    ]


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
    simulated_weeks: Annotated[
        int, described("The weeks that were simulated; more for days with half hours in doubt.", 17)
    ]
    half_hours_short: Annotated[
        int, described("The half hours that still miss a goal by more than the margin; see `short_of`.", 1)
    ]
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
    fewest = {place: _agents(place, load, assumptions.goal) for place, load in loads.items()}
    weeks, agents, simulated = _simulated(history, loads, fewest, assumptions)
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
        half_hours_short=sum(bool(one.short_of) for one in half_hours),
        rests_on=history.rests_on.value,
        peak_people=max(one.people for one in half_hours),
        hours=sum(one.people for one in half_hours) * _HALF,
        half_hours=half_hours,
    )


def _simulated(
    history: QueueHistory, loads: Mapping[int, CallLoad], agents: dict[int, int], assumptions: Assumptions
) -> tuple[int, Mapping[int, int], "Mapping[int, PlayedHalfHour]"]:
    """Return the weeks that were simulated, the agents after corrections, and what becomes of their half hours.

    Corrections begin with single agents and grow, as very long calls leave the next half hours with nobody.
    """
    from dialer.forecast.staffing_trial import StaffingTrial  # noqa: PLC0415 - a start does without

    offered = {place: _offered(history, place, loads[place]) for place in loads if agents[place]}
    trial, corrections = StaffingTrial(offered, assumptions.goal, assumptions.seed), iter(CORRECTIONS)
    found = trial.play(agents)
    while True:
        short = [place for place in found if found[place].short_of(assumptions.goal) and agents[place] < AGENTS_MAX]
        if short and (more := next(corrections, 0)):
            agents = agents | {place: min(AGENTS_MAX, agents[place] + more) for place in short}
        elif short or not trial.look_closer(found):
            return trial.weeks, agents, found
        found = trial.play(agents)


def _offered(history: QueueHistory, place: int, load: CallLoad) -> "OfferedHalfHour":
    from dialer.sim.staffed_week import OfferedHalfHour  # noqa: PLC0415 - a start does without

    talk_ms = history.usual[place].talk_ms
    return OfferedHalfHour(load.calls, round(load.ring_ms), round(talk_ms), round(history.wrap_up_ms))


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


def _half_hours(
    loads: Mapping[int, CallLoad],
    agents: Mapping[int, int],
    goal: StaffingGoal,
    simulated: "Mapping[int, PlayedHalfHour]",
) -> Iterator[PlannedHalfHour]:
    from dialer.forecast.staffing_trial import UNTRIED  # noqa: PLC0415 - a start does without

    for place, load in loads.items():
        count, trial = agents[place], simulated.get(place, UNTRIED)
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
            simulated_service_level=trial.in_time.percent,
            service_level_margin=trial.in_time.margin,
            simulated_abandoned=trial.late.percent,
            abandoned_margin=trial.late.margin,
            simulated_busy=trial.busy.percent,
            busy_margin=trial.busy.margin,
            short_of=trial.short_of(goal),
        )


def _days(history: QueueHistory) -> dict[str, str]:
    return {"first": history.first.isoformat(), "last": history.last.isoformat()}


def _start(place: int) -> str:
    of_day = place % DAY_HALF_HOURS
    return f"{of_day // 2:02}:{of_day % 2 * 30:02}"


def _seconds(spent_ms: float) -> float:
    return round(spent_ms / _S, _PLACES)
