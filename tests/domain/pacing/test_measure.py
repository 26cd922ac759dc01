"""Tests of the measurements of a campaign's calls."""

from dialer.domain.pacing.inputs import PacingFigures, PeriodFigures
from dialer.domain.pacing.measure import Measurements


def test_a_call_that_an_agent_takes_is_learned_from_at_each_step() -> None:
    figures = PacingFigures()
    measured = Measurements(figures)
    measured.dialled(500, 100)
    measured.answered(1_000, 9_500, is_live=True)
    measured.transferred(9_500, 12_000)
    measured.handled(12_700, 80_700)
    assert figures == PacingFigures(
        dialled=1,
        answered=1,
        outcomes=[1],
        ring_ms=[8_500],
        greeting_ms=[2_500],
        handling_ms=[68_000],
        periods=[PeriodFigures(500, answered=1, until_ms=600)],
    )


def test_an_unanswered_call_lowers_the_answer_rate() -> None:
    figures = PacingFigures()
    measured = Measurements(figures)
    measured.dialled(500, 100)
    measured.failed()
    assert figures == PacingFigures(dialled=1, outcomes=[0], periods=[PeriodFigures(500, until_ms=600)])


def test_a_machine_counts_once_and_as_nobody() -> None:
    figures = PacingFigures()
    measured = Measurements(figures)
    measured.dialled(500, 100)
    measured.answered(0, 8_000, is_live=False)
    measured.failed()
    assert figures == PacingFigures(dialled=1, outcomes=[0], periods=[PeriodFigures(500, until_ms=600)])


def test_an_abandoned_call_is_still_an_answered_one() -> None:
    figures = PacingFigures()
    measured = Measurements(figures)
    measured.answered(0, 8_000, is_live=True)
    measured.transferred(8_000, 8_000)
    measured.abandoned(0)
    assert figures == PacingFigures(answered=1, abandoned=1, outcomes=[1], ring_ms=[8_000], greeting_ms=[0])


def test_only_the_newest_are_kept() -> None:
    figures = PacingFigures()
    measured = Measurements(figures)
    measured.failed()
    for number in range(1, 1_001):
        measured.answered(0, number, is_live=True)
        measured.transferred(0, number)
        measured.handled(0, number)
    newest = list(range(801, 1_001))
    assert figures == PacingFigures(
        answered=1_000, outcomes=[1] * 200, ring_ms=newest, greeting_ms=newest, handling_ms=newest
    )
