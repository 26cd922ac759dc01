"""Tests of staffing plans: the usual week of a queue, and the agents who hold the service level in it."""

from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Final
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dialer.domain.queueing.staffing import StaffingGoal
from dialer.forecast.queue_history import QueueHistory, UsualLoad, usual_week
from dialer.forecast.staffing_plan import Assumptions, StaffingPlan, StaffingPlanError, plan_of
from dialer.sim.staffed_week import OfferedHalfHour, calls_of_shift, waits_of_shift
from dialer.store.queries.queue_loads import QUARTER_MS, QuarterLoad

MONDAY: Final = date(2026, 11, 23)
MADRID: Final = ZoneInfo("Europe/Madrid")
DAY: Final = (5, 20, 60, 120, 90, 60, 30, 60, 110, 70, 25, 5)
"""Calls that double and halve from one half hour to the next."""


def history(*days: Sequence[float], ring_ms: int = 1_000, talk_ms: int = 160_000) -> QueueHistory:
    """Return a usual week whose first days have these calls in the half hours from 09:00 on."""
    usual = {
        48 * weekday + 18 + place: UsualLoad(calls, ring_ms, talk_ms)
        for weekday, day in enumerate(days)
        for place, calls in enumerate(day)
    }
    calls = round(sum(map(sum, days)))
    return QueueHistory(MONDAY, MONDAY + timedelta(days=6), calls, calls, ring_ms, talk_ms, 15_000, usual)


def plan(past: QueueHistory, *, change: int = 0, seed: int = 0, **goal: int) -> StaffingPlan:
    assumptions = Assumptions(StaffingGoal(**goal), change, seed)
    return plan_of(past, assumptions, queue="Sales", timezone="Europe/Madrid")


def quarter(day: date, clock: str, calls: int, taken: int, ring_s: int = 0, talk_s: int = 0) -> QuarterLoad:
    hour, minute = map(int, clock.split(":"))
    at = datetime(day.year, day.month, day.day, hour, minute, tzinfo=MADRID).astimezone(UTC)
    return QuarterLoad(int(at.timestamp()) * 1_000 // QUARTER_MS, calls, taken, ring_s * 1_000, talk_s * 1_000)


def test_the_usual_week_has_the_means_of_the_days_on_which_calls_came() -> None:
    """Two Mondays, of which one had no calls at nine, a third without any, and a Tuesday with few talks."""
    quarters = [
        quarter(MONDAY, "09:00", 10, 10, ring_s=20, talk_s=1_000),
        quarter(MONDAY, "09:15", 20, 10, ring_s=20, talk_s=2_000),
        quarter(MONDAY - timedelta(days=7), "09:30", 40, 30, ring_s=60, talk_s=3_000),
        quarter(MONDAY + timedelta(days=1), "23:45", 2, 1, ring_s=2, talk_s=120),
    ]
    found = usual_week(quarters, MADRID, MONDAY - timedelta(days=14), MONDAY + timedelta(days=1), 12_000)
    whole = UsualLoad(1, 102_000 / 51, 6_120_000 / 51)
    assert (found.calls, found.taken, found.wrap_up_ms) == (72, 51, 12_000)
    assert found.usual == {
        18: UsualLoad(15, 2_000, 150_000),
        19: UsualLoad(20, 2_000, 100_000),
        48 + 47: whole._replace(calls=2),
    }


def test_a_plan_holds_its_service_level_when_it_is_simulated_anew() -> None:
    """Calls double and halve. Under 60 seeds that the plan has not seen, each half hour keeps 80 % within 20 s."""
    found = plan(history(DAY, DAY), service_level=80, busy=100)
    by_place = {(one.weekday, one.start): one for one in found.half_hours}
    assert [one.start for one in found.half_hours][:2] == ["09:00", "09:30"]
    agents = [by_place["monday", f"{9 + place // 2:02}:{place % 2 * 30:02}"].agents for place in range(len(DAY))]
    shift = [OfferedHalfHour(calls, 1_000, 160_000, 15_000) for calls in DAY]
    weeks = [waits_of_shift(calls_of_shift(shift, 18, seed), agents) for seed in range(10_000, 10_300)]
    for place, half_hour in enumerate(found.half_hours[: len(DAY)]):
        waits = [wait_ms for week in weeks for wait_ms in week[place]]
        in_time = 100 * sum(wait_ms <= 19_000 for wait_ms in waits) / len(waits)
        assert half_hour.service_level_margin is not None
        assert in_time >= 80 - half_hour.service_level_margin, half_hour
        assert in_time == pytest.approx(half_hour.simulated_service_level, abs=2 * half_hour.service_level_margin)
    assert (found.half_hours_short, found.simulated_weeks >= 10) == (0, True)


def test_equal_half_hours_get_equal_agents() -> None:
    """Seven days of a hundred calls in each half hour, under five seeds; the first of a day finds an idle floor."""
    for seed in range(5):
        found = plan(history(*[(100,) * 10] * 7), seed=seed)
        assert {one.agents for one in found.half_hours} == {13}
        assert (found.half_hours_short, found.hours) == (0, 70 * 19 / 2)
        steady = {one.simulated_service_level for one in found.half_hours if "12:00" <= one.start < "13:30"}
        assert len(steady) == 1


def test_half_hours_that_are_nearly_equal_get_equal_agents() -> None:
    """Calls differ by a thousandth, as means of the past do, so each half hour is judged by itself."""
    found = plan(history(*[[100 + (7 * day + place) % 10 / 100 for place in range(10)] for day in range(7)]))
    assert {one.agents for one in found.half_hours} == {13}


@given(
    day=st.lists(st.integers(0, 80), min_size=1, max_size=8).filter(any),
    service_level=st.integers(50, 95),
    abandoned=st.none() | st.integers(3, 50),
    busy=st.integers(40, 100),
    shrinkage=st.integers(0, 60),
)
@settings(max_examples=15)
def test_every_half_hour_keeps_all_that_is_promised(
    day: list[int], service_level: int, abandoned: int | None, busy: int, shrinkage: int
) -> None:
    goal = StaffingGoal(service_level, 20_000, abandoned, busy, shrinkage)
    found = plan_of(history(tuple(day), ring_ms=0), Assumptions(goal), queue="Sales", timezone="UTC")
    for one, calls in zip(found.half_hours, day, strict=True):
        assert one.calls == calls
        if calls:
            assert one.service_level >= service_level - 0.05
            assert one.busy <= busy + 0.05
            assert one.people * (100 - shrinkage) >= one.agents * 100
            assert abandoned is None or one.abandoned <= abandoned + 0.05
            erlangs = calls * one.handling_time / 1_800
            assert one.busy == pytest.approx(100 * erlangs / one.agents, abs=0.1)
    assert found.peak_people == max(one.people for one in found.half_hours)
    assert found.hours == sum(one.people for one in found.half_hours) / 2


def test_more_calls_and_stricter_promises_need_more_people() -> None:
    past = history(DAY)
    hours = [
        plan(past, **others).hours
        for others in ({}, {"change": 30}, {"service_level": 95}, {"abandoned": 3}, {"busy": 60}, {"shrinkage": 50})
    ]
    assert all(more > hours[0] for more in hours[1:])
    assert plan(past) == plan(past)


@pytest.mark.parametrize(
    ("past", "change", "goal", "message"),
    [
        (history()._replace(calls=7), 0, {}, "no call of the queue from 2026-11-23 to 2026-11-29; today does"),
        (history(DAY, ring_ms=2_500), 0, {"abandoned": 3}, "no number of agents takes calls within 2.0 s"),
        (history(DAY, ring_ms=21_000), 0, {}, "Agents answer their telephones after 21.0 s on average"),
        (history((90_000,)), 20, {}, "A week would have 108000 calls. A plan has at most 100000."),
        (history((30_000,)), 0, {}, "1000 agents do not keep the goal on Monday at 09:00."),
    ],
)
def test_without_a_plan_the_message_says_why(
    past: QueueHistory, change: int, goal: dict[str, int], message: str
) -> None:
    with pytest.raises(StaffingPlanError) as caught:
        plan(past, change=change, **goal)
    assert message in str(caught.value)
