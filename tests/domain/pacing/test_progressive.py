"""Tests of progressive dialling: a fixed number of calls for each idle agent."""

from collections.abc import Sequence

import pytest
from hypothesis import given

from dialer.domain.pacing.inputs import Pace, PacingFigures, PacingInputs, PeriodFigures
from dialer.domain.pacing.progressive import Progressive
from tests.domain.pacing.situations import situations


@pytest.mark.parametrize(
    ("rate", "idle", "calls"),
    [
        (1.0, 7, 4),
        (1.5, 5, 4),  # 7.5 calls are 7, of which 3 are under way
        (0.5, 7, 0),  # 3.5 are 3
        (0.5, 6, 0),
        (0.29, 100, 26),  # 29, although 0.29 x 100 is a little less in binary
        (2.0, 1, 0),
        (2.0, 5, 5),  # Of 10 calls 7 are left, and 5 of them are for agents or within a budget of 3.
        (2.0, 3, 3),
        (1.0, 0, 0),
        (0.0, 9, 0),
    ],
)
def test_calls_in_progress_count_in_every_state(rate: float, idle: int, calls: int) -> None:
    """One call rings, one is greeted and one waits, so three may need an agent. A call with an agent needs none."""
    situation = PacingInputs(
        0, agent_dial_rate=rate, idle=idle, dialling_ms=(0,), greeted_ms=(0,), waiting=1, bridged_ms=(0, 0)
    )
    assert Progressive().pace(situation) == Pace(calls)


@given(situations())
def test_there_are_never_more_calls_than_the_rate_gives_the_idle_agents(situation: PacingInputs) -> None:
    calls = Progressive().pace(situation).calls
    hundredths = round(situation.agent_dial_rate * 100)
    assert calls <= max(0, hundredths * situation.idle // 100 - situation.pending)
    if hundredths <= 100:
        assert calls == max(0, hundredths * situation.idle // 100 - situation.pending)


@given(situations())
def test_more_calls_than_idle_agents_are_within_the_budget(situation: PacingInputs) -> None:
    """The test computes in thousandths. With one call for each idle agent, nobody can be abandoned."""
    calls = Progressive().pace(situation).calls
    share = round(situation.abandon_rate_max * 1_000)
    counted: Sequence[PacingFigures | PeriodFigures] = situation.figures.periods or [situation.figures]
    budget = min(share * max(one.answered, situation.first_answers) // 1_000 - one.abandoned for one in counted)
    assert calls <= max(0, situation.idle + max(0, budget) - situation.pending)
    if situation.agent_dial_rate >= 1:
        assert calls >= situation.idle - situation.pending
