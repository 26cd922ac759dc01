"""Tests of the comparison of pacing strategies, with confidence intervals."""

from collections.abc import Iterator
from math import inf, sqrt
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialer.domain.pacing.strategies import STRATEGIES
from dialer.sim.call_centre import call_centre_of
from dialer.sim.comparison import Compared, Estimate, compare, estimate, render_comparison
from dialer.sim.scenario import Scenario, ScenarioError
from dialer.sim.simulation import Simulation
from tests.sim.scenes import scenario_of

TRANSFER: Final = {"sections": [{"id": 1, "type": 6, "question": "An agent", "queue": 1}]}
NUMBERS: Final = ("+33199000001", "+33199000002")


def one_agent(**parts: Any) -> Scenario:  # noqa: ANN401 - any part of the document
    """Return a scenario of two callees who answer after 4 s, and one agent who talks for 36 s with each."""
    numbers = {number: {"outcome": "answer", "ring": 4} for number in NUMBERS}
    given: dict[str, Any] = {
        "survey": TRANSFER,
        "gateway": {"parameters": {"post_dial_delay": 0, "numbers": numbers}},
        "queues": [{"id": 1}],
        "agents": [{"id": 1, "parameters": {"answer": 0, "talk": 36}}],
    }
    return scenario_of(*NUMBERS, **(given | parts))


def about(value: float) -> Any:  # noqa: ANN401 - a stand-in for a float
    """Return a value to compare with, allowing for rounding."""
    return pytest.approx(value)


def certain(value: float) -> Estimate:
    """Return the estimate of a figure that is equal for all seeds."""
    return Estimate(about(value), 0.0)


def test_every_strategy_is_compared_in_the_order_of_the_list() -> None:
    assert [row.strategy for row in compare(one_agent(), [1])] == list(STRATEGIES)


@pytest.mark.parametrize("dial_method", [1, 2, 3])
def test_one_agent_and_two_callers_by_hand(dial_method: int) -> None:
    """At a fixed rate the second call is a second behind the first, waits from 5 to 40 s, and is abandoned.

    A progressive campaign dials when its agent is idle, at 0 and at 40 s. So no callee waits, and the agent is idle
    twice, for 4 s of ringing. The scenario's own dial method makes no difference.
    """
    fixed, progressive, *_ = compare(one_agent(campaign={"dial_method": dial_method}), [1, 2])
    assert fixed == Compared(
        strategy="fixed",
        utilisation=certain(72 / 76),
        abandon_rate=certain(0.5),
        abandon_rate_worst=0.5,
        mean_wait=certain(17.5),
        hours=certain(76 / 3_600),
    )
    assert progressive == Compared(
        strategy="progressive",
        utilisation=certain(72 / 80),
        abandon_rate=certain(0),
        abandon_rate_worst=0.0,
        mean_wait=certain(0),
        hours=certain(80 / 3_600),
    )


def by_chance(**campaign: Any) -> Scenario:  # noqa: ANN401 - any field of a campaign
    """Return a scenario of two agents, and thirty callees whose answers are random."""
    return one_agent(
        contacts=[],
        gateway={"parameters": {"answer": 0.6, "talk": [10, 200], "patience": [5, 60]}},
        agents=[{"id": 1, "count": 2}],
        population={"size": 30, "patterns": ["+331990xxxxx"]},
        campaign=campaign,
        seed=5,
    )


def test_a_row_is_the_estimate_over_its_seeds_and_the_worst_of_them() -> None:
    seeds = (5, 6, 7)
    alone = [next(compare(by_chance(), [seed])) for seed in seeds]
    together = next(compare(by_chance(), seeds))
    for name in ("utilisation", "abandon_rate", "mean_wait", "hours"):
        values = [getattr(row, name).mean for row in alone]
        assert len(set(values)) == len(seeds)
        assert getattr(together, name) == estimate(values)
        assert all(getattr(row, name).margin is None for row in alone)
    assert together.abandon_rate_worst == max(row.abandon_rate_worst for row in alone)


def test_a_row_equals_the_simulation_of_its_strategy() -> None:
    rows = list(compare(by_chance(), [5]))
    for row in rows:
        dial_method = {"fixed": 1, "progressive": 2}.get(row.strategy, 3)
        simulation = Simulation(by_chance(dial_method=dial_method, strategy=row.strategy))
        simulation.run()
        figures = call_centre_of(simulation)
        assert figures is not None
        assert (row.utilisation.mean, row.abandon_rate.mean, row.mean_wait.mean) == (
            figures.utilisation,
            figures.abandon_rate,
            figures.mean_wait,
        )
    kinds = {row.utilisation.mean for row in rows}
    assert len(kinds) == 4, "with so few calls predictive is progressive, and VICIdial's three are one"


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ({"queues": [], "survey": {"sections": [{"id": 1, "question": "Hello"}]}}, "queues: .* queues and agents."),
        ({"agents": []}, "queues: .* queues and agents."),
        ({"survey": {"sections": [{"id": 1, "question": "Hello"}]}}, "survey: .* a transfer to a queue."),
        (
            {"survey": {"sections": [{"id": 1, "type": 6, "question": "Ann", "phonenumber": "+33199000009"}]}},
            "survey: .* a transfer to a queue.",
        ),
    ],
)
def test_without_agents_to_be_brought_to_there_is_nothing_to_compare(parts: dict[str, Any], message: str) -> None:
    with pytest.raises(ScenarioError, match=f"^{message}$"):
        compare(one_agent(**parts), [1])


@pytest.mark.parametrize(
    ("values", "mean", "margin"),
    [
        ([0.0, 1.0], 0.5, 12.706205 * 0.5),
        ([1.0, 2.0, 3.0], 2.0, 4.302653 * 1 / sqrt(3)),
        ([2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0], 5.0, 2.364624 * sqrt(32 / 7) / sqrt(8)),
        ([-1.0] * 15 + [0.0] + [1.0] * 15, 0.0, 2.042272 * 1 / sqrt(31)),
    ],
)
def test_the_interval_is_that_of_students_t_distribution(values: list[float], mean: float, margin: float) -> None:
    """The quantiles are from a printed table; the deviations are computed by hand."""
    assert estimate(values) == Estimate(about(mean), about(margin))


@pytest.mark.parametrize(("freedom", "quantile"), [(31, 2.040), (40, 2.021), (60, 2.000), (120, 1.980), (999, 1.962)])
def test_beyond_thirty_degrees_of_freedom_the_interval_is_right_as_well(freedom: int, quantile: float) -> None:
    values = [0.0, 1.0] + [0.5] * (freedom - 1)
    deviation = sqrt(0.5 / freedom)
    assert estimate(values).margin == pytest.approx(quantile * deviation / sqrt(freedom + 1), rel=3e-4)


def test_one_value_tells_nothing_about_its_error() -> None:
    assert estimate([0.25]) == Estimate(0.25, None)


@given(st.integers(2, 500))
def test_the_more_seeds_the_narrower_the_interval(count: int) -> None:
    """The deviation is always 1, because of two outlying values."""
    margins = []
    for size in (count, count + 1):
        half = sqrt((size - 1) / 2)
        margins.append(estimate([-half, half] + [0.0] * (size - 2)).margin or inf)
    assert 0 < margins[1] < margins[0]


ROWS: Final = (
    Compared(
        "fixed", Estimate(0.9474, 0.012), Estimate(0.5, 0.0123), 0.625, Estimate(17.54, 0.26), Estimate(1.26, 0.1)
    ),
    Compared("progressive", Estimate(1.0, None), Estimate(0.0, None), 0.0, Estimate(0.0, None), Estimate(23.0, None)),
)


def test_the_table_word_for_word() -> None:
    """With several seeds, a value is followed by half the width of its interval; with one seed, by nothing."""
    assert list(render_comparison(ROWS)) == [
        "strategy             utilisation         abandoned     worst       mean wait    finished after",
        "fixed               94.7 ± 1.2 %    50.00 ± 1.23 %   62.50 %    17.5 ± 0.3 s       1.3 ± 0.1 h",
        "progressive              100.0 %            0.00 %    0.00 %           0.0 s            23.0 h",
    ]


def test_a_line_is_shown_before_the_next_strategy_is_run() -> None:
    def rows() -> Iterator[Compared]:
        yield ROWS[0]
        pytest.fail("the second strategy was run before the first was shown")

    lines = render_comparison(rows())
    assert [next(lines).split()[0], next(lines).split()[0]] == ["strategy", "fixed"]


def test_nothing_compared_is_nothing_shown() -> None:
    assert list(render_comparison([])) == []
