"""Tests of predictive dialling at one moment: the guarantee, the expectation and the result."""

from collections.abc import Sequence
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from dialer.domain.pacing.inputs import PacingFigures, PacingInputs, PeriodFigures
from dialer.domain.pacing.predictive import Predictive, outlook, overflow
from tests.domain.pacing.situations import situations

NOW_MS: Final = 1_000_000
EXPERIENCED: Final = PacingFigures(
    answered=1_000,
    outcomes=[0, 1] * 95,
    ring_ms=[10_000] * 50,
    handling_ms=[60_000] * 99,
)
"""Half of the calls are answered, after 10 s, and every answer keeps an agent busy for a minute."""


def calls(situation: PacingInputs) -> int:
    return Predictive().pace(situation).calls


def busy_for(*seconds: int) -> tuple[int, ...]:
    """Return the times at which agents took their calls, from the seconds since then, the longest first."""
    return tuple(NOW_MS - 1_000 * busy_s for busy_s in seconds)


@pytest.mark.parametrize(
    ("mean", "variance", "callees"),
    [
        (0.0, 1.0, 0.398_942_3),  # f(0)
        (1.0, 1.0, 1.083_315_5),  # F(1) + f(1) = 0.8413447 + 0.2419707
        (-1.0, 1.0, 0.083_315_5),  # - F(-1) + f(1) = - 0.1586553 + 0.2419707
        (2.0, 4.0, 2.166_630_9),  # twice that of (1, 1)
        (2.5, 0.0, 2.5),
        (-2.5, 0.0, 0.0),
    ],
)
def test_the_expected_overflow_of_callees(mean: float, variance: float, callees: float) -> None:
    assert overflow(mean, variance) == pytest.approx(callees, abs=1e-6)


def test_an_expectation_by_hand() -> None:
    """Answers: (95 + 10) of (190 + 10), ten presumed. The horizon: 10 s of ringing, 3 s until the transfer, 2 s more.

    An agent who is busy for 45 s is free by then in 99 of 99 + 1 cases, one for 44 s in none, and 61 s is a case
    without measurements. One of two agents in wrap-up is free by then.
    One callee waits, one is greeted, two may answer.
    """
    situation = PacingInputs(
        NOW_MS,
        agents=6,
        idle=1,
        waiting=1,
        dialling_ms=(1, 2),
        greeted_ms=(3,),
        bridged_ms=busy_for(61, 45, 44),
        wrapping_ms=(NOW_MS + 15_000, NOW_MS + 15_001),
        figures=replace(EXPERIENCED, greeting_ms=[2_000, 4_000]),
    )
    ahead = outlook(situation)
    assert ahead == pytest.approx((0.525, 2 + 2 * 0.525, 1 + 1 + 0.99, 2 * 0.525 * 0.475 + 0.99 * 0.01))


@pytest.mark.parametrize(
    ("busy_s", "abandoned", "placed"),
    [
        # A credit of 30: 0.03 x 30 / 2 = 45 %, so 15 % of the callees. One call: 0.525 callees for 0.99 agents, with
        # a variance of 0.2593: overflow 0.050, of 0.079 allowed. Two calls: 1.050 and 0.5087: 0.316, of 0.158.
        ((50, 40), 0, 1),
        # A credit of 7: 10.5 % of 0.525 callees are 0.055. A credit of 6: 9 % are 0.047, less than 0.050.
        ((50, 40), 23, 1),
        ((50, 40), 24, 0),
        # 2.97 agents. Five calls: 2.625 callees, variance 1.2766: 0.299, of 0.394. Six: 3.150, 1.5260: 0.588, of 0.473.
        ((50, 49, 48), 0, 5),
        ((40, 30), 0, 0),
    ],
)
def test_calls_are_placed_ahead_of_agents_who_are_about_to_be_free(
    busy_s: tuple[int, ...], abandoned: int, placed: int
) -> None:
    """No agent is idle. By hand, with an answer rate of 0.525, and 0.99 for an agent who has been busy long enough."""
    figures = replace(EXPERIENCED, abandoned=abandoned)
    assert calls(PacingInputs(NOW_MS, agents=len(busy_s), bridged_ms=busy_for(*busy_s), figures=figures)) == placed


@pytest.mark.parametrize(("agents", "placed"), [(20, 1), (40, 0)])
def test_a_large_team_keeps_more_of_the_budget(agents: int, placed: int) -> None:
    """To keep 20 agents busy takes 20 x 10 s / 60 s / 0.525 = 6.35 calls in progress, and 40 agents twice as many.

    Of a credit of 30 that makes shares of 0.9 / 6.35 = 14.2 % and 7.1 %: of 0.525 callees 0.074 and 0.037. One call for
    the one agent who will be free has an overflow of 0.050.
    """
    bridged_ms = busy_for(50, *[40] * (agents - 1))
    assert calls(PacingInputs(NOW_MS, agents=agents, bridged_ms=bridged_ms, figures=EXPERIENCED)) == placed


@pytest.mark.parametrize("figures", [PacingFigures(), PacingFigures(dialled=9, answered=3, outcomes=[1, 1, 1])])
@pytest.mark.parametrize("pending", [0, 3, 5, 9])
def test_without_measurements_there_is_one_call_for_each_idle_agent(figures: PacingFigures, pending: int) -> None:
    situation = PacingInputs(
        NOW_MS, agents=20, idle=5, dialling_ms=(NOW_MS,) * pending, bridged_ms=busy_for(*[99] * 15), figures=figures
    )
    assert Predictive().pace(situation).calls == max(0, 5 - pending)


@pytest.mark.parametrize(
    ("answered", "abandoned", "room"),
    [
        (0, 0, 3),  # 3 % of the first hundred
        (99, 2, 1),
        (133, 0, 3),  # 3.99 are 3
        (134, 0, 4),
        (1_000, 29, 1),
        (1_000, 30, 0),
        (1_000, 500, 0),
    ],
)
def test_the_room_is_what_the_budget_has_left(answered: int, abandoned: int, room: int) -> None:
    """All agents will soon be free, and answers are rare, so only the guarantee limits the calls."""
    figures = replace(EXPERIENCED, outcomes=[0] * 200, answered=answered, abandoned=abandoned)
    situation = PacingInputs(NOW_MS, agents=62, idle=2, bridged_ms=busy_for(*[55] * 60), figures=figures)
    assert calls(situation) == 2 + room
    assert calls(replace(situation, dialling_ms=(0,), greeted_ms=(0,), waiting=2)) == max(0, room - 2)


def test_a_budget_that_is_whole_in_decimals_is_whole() -> None:
    """0.29 x 100 is 28.999999999999996 in binary."""
    figures = replace(EXPERIENCED, outcomes=[0] * 200, answered=100)
    situation = PacingInputs(NOW_MS, abandon_rate_max=0.29, agents=60, bridged_ms=busy_for(*[55] * 60), figures=figures)
    assert calls(situation) == 29


@given(situations())
def test_if_everybody_answered_at_once_the_budget_would_hold(situation: PacingInputs) -> None:
    """The test computes in thousandths. Calls in progress cannot be taken back."""
    share = round(situation.abandon_rate_max * 1_000)
    counted: Sequence[PacingFigures | PeriodFigures] = situation.figures.periods or [situation.figures]
    budget = min(share * max(one.answered, situation.first_answers) // 1_000 - one.abandoned for one in counted)
    under_way = situation.pending + calls(situation)
    assert under_way <= max(situation.pending, situation.idle + max(0, budget))


@given(situations())
def test_every_idle_agent_is_given_a_call_despite_abandoned_ones(situation: PacingInputs) -> None:
    assert situation.pending + calls(situation) >= situation.idle


@given(situations(share=st.integers(0, 30)))
def test_with_a_spent_budget_it_dials_as_progressive_does(situation: PacingInputs) -> None:
    """There are never more calls than idle agents, for example if agents take longer than two seconds."""
    counted: list[PacingFigures | PeriodFigures] = [situation.figures, *situation.figures.periods]
    for one in counted:
        one.abandoned = max(4, one.answered)
    assert calls(situation) == max(0, situation.idle - situation.pending)


@given(situations(), st.integers(1, 10))
def test_a_better_record_never_means_fewer_calls(situation: PacingInputs, fewer: int) -> None:
    figures = situation.figures
    periods = [replace(one, abandoned=max(0, one.abandoned - fewer)) for one in figures.periods]
    better = replace(figures, abandoned=max(0, figures.abandoned - fewer), periods=periods)
    assert calls(replace(situation, figures=better)) >= calls(situation)
