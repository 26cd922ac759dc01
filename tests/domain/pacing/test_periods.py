"""Tests that each period of a campaign keeps its limit of abandoned calls by itself, counted by hand from the calls."""

from collections import Counter
from random import Random
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialer.domain.pacing.inputs import PacingFigures, PeriodFigures, Strategy
from dialer.domain.pacing.measure import Measurements
from dialer.domain.pacing.predictive import Predictive, credit_of
from dialer.domain.pacing.progressive import Progressive
from tests.domain.pacing.bench import Bench, Population

ANSWERS: Final = 400
LASTING_MS: Final = 100_000
"""Longer than any call of the bench waits for an agent."""


class PeriodBench(Bench):
    """A campaign whose periods have a length, as the engine begins them."""

    period_ms = 1_200_000

    def pace(self) -> None:
        if self.figures.periods:
            self.measured.go_on(self.now_ms, self.period_ms, LASTING_MS)
        super().pace()

    def shares(self) -> list[tuple[int, int]]:
        """Return the abandoned and the answered calls that were dialled in each period, counted from the calls."""

        def period_of(call: int) -> int:
            return (self.dialled_ms[call] - self.dialled_ms[1]) // self.period_ms

        answered, abandoned = Counter(map(period_of, self.answered)), Counter(map(period_of, self.abandoned))
        return [(abandoned[period], answered[period]) for period in sorted(answered | abandoned)]


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("strategy", [Predictive(), Progressive()])
def test_every_period_keeps_the_limit_by_itself(strategy: Strategy, seed: int) -> None:
    """Progressive dialling with three calls for each idle agent keeps it as predictive dialling does."""
    random = Random(seed)  # noqa: S311 - not for secrets
    population = Population(
        agents=random.randint(1, 25),
        answer_rate=random.choice([0.15, 0.4, 0.9]),
        greeting=random.choice([(0, 0), (2, 40)]),
        wrap_up=random.choice([0, 10]),
    )
    first_answers, limit = random.choice([0, 100]), random.choice([0.01, 0.03, 0.05])
    campaign = {"abandon_rate_max": limit, "first_answers": first_answers, "agent_dial_rate": 3.0}
    bench = PeriodBench(strategy, population, seed, **campaign)
    bench.run(ANSWERS)
    for abandoned, answered in bench.shares():
        assert abandoned <= limit * max(answered, first_answers) + 1e-9


@pytest.mark.parametrize("strategy", [Predictive(), Progressive()])
def test_the_limit_is_used_and_not_only_kept(strategy: Strategy) -> None:
    """Without such a campaign, dialling for free agents only would pass."""
    people = Population(agents=20, answer_rate=0.4)
    bench = PeriodBench(strategy, people, 1, first_answers=0, agent_dial_rate=3.0)
    bench.run(4 * ANSWERS)
    assert len(bench.shares()) > 1
    assert sum(abandoned for abandoned, _ in bench.shares()) > 0


@given(st.integers(0, 200), st.integers(1, 200))
def test_nobody_of_the_first_thirty_three_may_be_abandoned(answered: int, seed: int) -> None:
    figures = PacingFigures(answered=9_000 + seed, periods=[PeriodFigures(0, answered=answered)])
    assert int(credit_of(0.03, figures, 0) + 1e-9) == 3 * answered // 100
    assert int(credit_of(0.03, figures, 100) + 1e-9) == 3 * max(answered, 100) // 100


def test_periods_follow_each_other_and_a_call_counts_where_it_was_dialled() -> None:
    figures = PacingFigures()
    measured = Measurements(figures)
    measured.dialled(50, 100)
    measured.go_on(149, 100, 30)
    assert figures.periods == [PeriodFigures(50, until_ms=150)]
    measured.go_on(460, 100, 30)
    measured.answered(149, 470, is_live=True)
    measured.abandoned(149)
    measured.answered(450, 470, is_live=True)
    assert figures.periods == [PeriodFigures(50, 1, 1, 150), PeriodFigures(450, 1, until_ms=550)]
    assert credit_of(0.5, figures, 0) == -0.5, "a call of the earlier period may still be abandoned"
    measured.go_on(479, 100, 30)
    assert len(figures.periods) == 2
    measured.go_on(480, 100, 30)
    assert figures.periods == [PeriodFigures(450, 1, until_ms=550)]
    assert credit_of(0.5, figures, 0) == 0.5


def test_a_campaign_from_before_periods_keeps_its_whole_count_until_its_next_dial() -> None:
    figures = PacingFigures(answered=1_000, abandoned=40)
    measured = Measurements(figures)
    measured.abandoned(7)
    assert (credit_of(0.03, figures, 0), figures.periods) == (-11.0, [])
    measured.dialled(500, 100)
    assert credit_of(0.03, figures, 0) == 0.0


def test_a_new_length_applies_from_the_end_of_the_running_period() -> None:
    """A debt is not forgotten by a shorter length, nor by that length and the former one again."""
    figures = PacingFigures()
    measured = Measurements(figures)
    measured.dialled(0, 720)
    measured.answered(0, 1, is_live=True)
    measured.abandoned(0)
    for length in (1, 720):
        measured.go_on(700, length, 30)
        assert figures.periods == [PeriodFigures(0, 1, 1, 720)]
    measured.go_on(725, 3, 30)
    assert figures.periods == [PeriodFigures(0, 1, 1, 720), PeriodFigures(723, until_ms=726)]


def test_a_period_that_was_stored_without_its_end_has_the_present_length() -> None:
    measured = Measurements(PacingFigures(periods=[PeriodFigures(50, 7, 2)]))
    measured.go_on(60, 100, 30)
    assert measured.figures.periods == [PeriodFigures(50, 7, 2, 150)]


def test_a_clock_that_was_set_back_begins_a_period_and_keeps_the_debt_of_the_other() -> None:
    """Its calls may be in progress, so the smaller credit counts."""
    measured = Measurements(PacingFigures(periods=[PeriodFigures(1_000, 100, 7, 1_100)]))
    measured.go_on(400, 100, 30)
    assert measured.figures.periods == [PeriodFigures(1_000, 100, 7, 1_100), PeriodFigures(400, until_ms=500)]
    assert credit_of(0.03, measured.figures, 0) == -4.0
    measured.go_on(430, 100, 30)
    assert measured.figures.periods == [PeriodFigures(400, until_ms=500)]
