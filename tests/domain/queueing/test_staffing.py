"""Tests of the number of agents that keep a goal, against the sums of Erlang's own formula."""

from fractions import Fraction
from math import ceil, exp

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialer.domain.queueing.erlang_c import mean_wait_ms, share_within, waiting_share
from dialer.domain.queueing.staffing import (
    AGENTS_MAX,
    HALF_HOUR_MS,
    CallLoad,
    StaffingGoal,
    agents_needed,
    people_to_roster,
)

MINUTE_MS = 60_000
calls_of_a_half_hour = st.integers(1, 400).map(float)
handling_times_ms = st.integers(1_000, 600_000).map(float)
goals = st.builds(
    StaffingGoal,
    service_level=st.integers(1, 99),
    within_ms=st.integers(2, 600).map(lambda seconds: seconds * 1_000),
    abandoned=st.none() | st.integers(1, 99),
    busy=st.integers(1, 100),
)


def erlang_c(agents: int, erlangs: Fraction) -> Fraction:
    """Return the share of callers who wait, by the sums of the formula: no recursion, and no rounding."""
    if erlangs >= agents:
        return Fraction(1)
    terms = [Fraction(1)]
    for count in range(1, agents + 1):
        terms.append(terms[-1] * erlangs / count)
    waiting = terms[-1] * agents / (agents - erlangs)
    return waiting / (sum(terms[:-1]) + waiting)


@given(
    agents=st.integers(1, 60), load=st.integers(1, 99), handling_ms=handling_times_ms, wait_ms=st.integers(0, 60_000)
)
def test_waits_are_those_of_the_sums_of_the_formula(agents: int, load: int, handling_ms: float, wait_ms: int) -> None:
    erlangs = Fraction(agents * load, 100)
    expected = float(erlang_c(agents, erlangs))
    assert waiting_share(agents, float(erlangs)) == pytest.approx(expected, rel=1e-9)
    free = float(agents - erlangs)
    assert mean_wait_ms(agents, float(erlangs), handling_ms) == pytest.approx(expected * handling_ms / free, rel=1e-9)
    in_time = 1 - expected * exp(-free * wait_ms / handling_ms)
    assert share_within(agents, float(erlangs), handling_ms, wait_ms) == pytest.approx(in_time, rel=1e-9)


@given(calls=calls_of_a_half_hour, handling_ms=handling_times_ms, goal=goals)
def test_the_agents_keep_the_goal_and_one_fewer_does_not(calls: float, handling_ms: float, goal: StaffingGoal) -> None:
    load = CallLoad(calls, handling_ms)
    erlangs = Fraction(calls * handling_ms) / HALF_HOUR_MS

    def keeps(agents: int) -> bool:
        if agents <= erlangs or 100 * erlangs / agents > goal.busy:
            return False
        late = {
            wait: float(erlang_c(agents, erlangs)) * exp(-float(agents - erlangs) * wait / handling_ms)
            for wait in (goal.within_ms, 2_000)
        }
        in_time = 100 * (1 - late[goal.within_ms]) >= goal.service_level - 1e-7
        return in_time and (goal.abandoned is None or 100 * late[2_000] <= goal.abandoned + 1e-7)

    agents = agents_needed(load, goal)
    if agents is None:
        assert ceil(100 * erlangs / goal.busy) > AGENTS_MAX
    elif agents <= 150:  # The sums of more agents take too long.
        assert keeps(agents)
        assert agents == 1 or not keeps(agents - 1)


def test_no_calls_need_no_agents_and_slow_telephones_cannot_be_helped() -> None:
    goal = StaffingGoal(abandoned=3)
    assert agents_needed(CallLoad(0, 180_000), goal) == 0
    assert agents_needed(CallLoad(1, 180_000, ring_ms=2_001), goal) is None
    assert agents_needed(CallLoad(1, 180_000, ring_ms=2_001), goal._replace(abandoned=None)) is not None
    assert agents_needed(CallLoad(20_000, 180_000), goal) is None


def test_a_textbook_half_hour() -> None:
    """Hundred calls of three minutes in a half hour are ten erlangs: 14 agents take 88.8 % within 20 seconds."""
    load = CallLoad(100, 3 * MINUTE_MS)
    assert load.erlangs == pytest.approx(10)
    assert agents_needed(load, StaffingGoal(busy=100)) == 14
    assert load.served_within(14, 20_000) == pytest.approx(88.8, abs=0.05)
    assert load.busy(14) == pytest.approx(71.4, abs=0.05)


@given(agents=st.integers(0, AGENTS_MAX), shrinkage=st.integers(0, 90))
def test_as_many_people_are_on_the_roster_as_leave_enough_at_work(agents: int, shrinkage: int) -> None:
    people = people_to_roster(agents, shrinkage)
    assert people * (100 - shrinkage) >= agents * 100
    assert agents == 0 or (people - 1) * (100 - shrinkage) < agents * 100
