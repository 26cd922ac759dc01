"""Tests of the Erlang predictor, worked out by hand from its constants: 0.97, 0.20 and ten samples."""

from typing import Final

import pytest

from dialer.domain.pacing.erlang import Erlang, ended_by
from dialer.domain.pacing.inputs import Pace, PacingFigures, PacingInputs

NOW_MS: Final = 1_000_000
FEW_CALLS: Final = PacingFigures(ring_ms=[20_000] * 10, handling_ms=[100_000] * 10)
"""Calls are answered after 20 s on average, and last 100 s. The share of answers is unknown."""


def answering(successes: int, calls: int) -> PacingFigures:
    """Return figures by which `successes` of `calls` calls were answered."""
    return PacingFigures(outcomes=[1] * successes + [0] * (calls - successes))


@pytest.mark.parametrize(
    ("elapsed_ms", "chance"),
    [
        (0, 0.0),
        (100_000, 0.632_120_6),  # 1 - 1/e
        (350_000, 0.969_802_6),  # 1 - 0.030197
        (351_000, 0.970_103_1),  # 1 - 0.029897
    ],
)
def test_the_chance_that_a_call_of_a_hundred_seconds_on_average_has_ended(elapsed_ms: int, chance: float) -> None:
    assert ended_by(elapsed_ms, 100_000) == pytest.approx(chance, abs=1e-7)


@pytest.mark.parametrize(("busy_s", "calls"), [(330, 2), (331, 3), (500, 3), (0, 2)])
def test_an_agent_counts_whose_call_will_almost_certainly_have_ended_at_the_answer(busy_s: int, calls: int) -> None:
    """Two are idle. -100 s x ln 0.03 = 350.66 s: a call of 330.66 s will have ended in 20 s with a chance of 0.97."""
    situation = PacingInputs(NOW_MS, agents=3, idle=2, bridged_ms=(NOW_MS - 1_000 * busy_s,), figures=FEW_CALLS)
    assert Erlang().pace(situation) == Pace(calls)


@pytest.mark.parametrize("figures", [PacingFigures(ring_ms=[20_000] * 10, handling_ms=[100_000] * 9), PacingFigures()])
def test_nothing_is_predicted_from_fewer_than_ten_calls(figures: PacingFigures) -> None:
    situation = PacingInputs(NOW_MS, agents=3, idle=2, bridged_ms=(0,), figures=figures)
    assert Erlang().pace(situation) == Pace(2)


@pytest.mark.parametrize(
    ("figures", "calls"),
    [
        (answering(5, 10), 8),  # 4 / 0.5
        (answering(9, 20), 9),  # 4 / 0.45 = 8.89
        (answering(16, 20), 5),  # 4 / 0.8
        (answering(20, 20), 4),
        (answering(4, 20), 20),  # 4 / 0.2
        (answering(1, 20), 20),  # 4 / 0.05 would be 80; 0.05 is taken as 0.20
        (answering(0, 20), 4),  # nothing can be said
        (answering(4, 9), 4),  # too few samples
    ],
)
def test_more_calls_are_placed_where_callees_seldom_answer(figures: PacingFigures, calls: int) -> None:
    assert Erlang().pace(PacingInputs(NOW_MS, agents=4, idle=4, figures=figures)) == Pace(calls)
    assert Erlang(overcommit=False).pace(PacingInputs(NOW_MS, agents=4, idle=4, figures=figures)) == Pace(4)


def test_half_a_call_is_a_whole_one() -> None:
    """2 / 0.8 = 2.5."""
    assert Erlang().pace(PacingInputs(NOW_MS, agents=2, idle=2, figures=answering(8, 10))) == Pace(3)


def test_callers_who_wait_take_agents_before_and_calls_under_way_after_the_division() -> None:
    """(5 idle - 2 waiting) / 0.5 = 6, less 3 that ring and 1 that is greeted."""
    situation = PacingInputs(
        NOW_MS, agents=5, idle=5, waiting=2, dialling_ms=(1, 2, 3), greeted_ms=(4,), figures=answering(10, 20)
    )
    assert Erlang().pace(situation) == Pace(2)


def test_more_callers_than_agents_are_no_reason_to_dial_less_than_nothing() -> None:
    assert Erlang().pace(PacingInputs(NOW_MS, agents=5, idle=1, waiting=4)) == Pace(0)
