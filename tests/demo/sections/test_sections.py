"""Tests of the report's parts, on the small campaign of `tests.demo.example`."""

from collections.abc import Callable
from decimal import Decimal
from typing import Any, Final

import msgspec
import pytest

from dialer.demo.checks import Checks
from dialer.demo.evidence import AnswerRecord, CdrRecord, Evidence, ProgressRecord
from dialer.demo.sections import answers, attempts, bill, fates, journey, outcomes, progress, samples
from dialer.demo.sections.answers import Question
from dialer.demo.sections.attempts import Round
from dialer.demo.sections.bill import BillFigures
from dialer.demo.sections.outcomes import OutcomeRow
from dialer.domain.words.enums import Cause, SectionType
from tests.demo.example import CALLS, SYDNEY, example

PARTS: Final[list[Callable[[Evidence, Checks], object]]] = [
    answers.figures,
    attempts.figures,
    bill.figures,
    outcomes.figures,
    progress.check,
    samples.figures,
]


def figures_of(part: Callable[[Evidence, Checks], Any]) -> object:
    """Return the figures of the example, and check that all agree."""
    checks = Checks()
    found = part(example(), checks)
    assert checks.differences == []
    assert checks.all
    return found


def test_outcomes_tell_people_from_machines() -> None:
    assert figures_of(outcomes.figures) == [
        OutcomeRow("a person answered", Cause.NORMAL_CLEARING, 1),
        OutcomeRow("an answering machine", Cause.NORMAL_CLEARING, 1),
        OutcomeRow("nobody answered", Cause.NO_ANSWER, 2),
        OutcomeRow("busy", Cause.USER_BUSY, 1),
    ]


def test_a_multiple_choice_shows_unchosen_keys_and_digits_only_entered_ones() -> None:
    assert figures_of(answers.figures) == [
        Question(
            "Do you leave as booked?",
            SectionType.MULTI_CHOICE,
            1,
            (("leaves as booked", 1), ("wants another day", 0), ("has cancelled", 0), ("never call again", 0)),
        ),
        Question("How was it to book with us? 1 is very good, 5 is bad", SectionType.RATING, 1, (("5", 1),)),
        Question("How many of you travel?", SectionType.CAPTURE_DIGITS, 0),
        Question("Asked not to be called again", SectionType.DNC, 0),
    ]


def test_attempts_are_counted_by_their_place_among_the_calls_to_one_subscriber() -> None:
    assert figures_of(attempts.figures) == [Round(1, calls=3, answered=1), Round(2, calls=2, answered=1)]


def test_the_bill_is_the_rate_times_the_started_minutes() -> None:
    # 9 s are one minute, 61 s are two: three minutes at 0.045.
    assert figures_of(bill.figures) == BillFigures(
        paid_in=Decimal(250),
        answered=2,
        seconds=70,
        minutes=3,
        rate=Decimal("0.045"),
        cost=Decimal("0.135"),
        balance=Decimal("249.865"),
    )


def test_samples_are_the_first_of_each_kind() -> None:
    found = samples.figures(example(), Checks())
    assert [cdr.id for cdr in found.cdrs] == [3, 2, 1, 4]


def test_milestones_are_found_again_in_the_calls_that_had_begun_or_ended_by_then() -> None:
    checks = Checks()
    progress.check(example(), checks)
    assert checks.differences == []


def recorded(**changes: object) -> list[CdrRecord]:
    """Return the CDRs of the example, with changes in the third."""
    return msgspec.convert([{**call, **(changes if call["id"] == 3 else {})} for call in CALLS], list[CdrRecord])


@pytest.mark.parametrize(
    ("changes", "difference"),
    [
        ({"cdrs": recorded()[:-1]}, "calls: 5 by the API, 4 by the records"),
        ({"cdrs": recorded(call_cost="0.04500")}, "wrongly billed calls: 1 by the API, 0 by the records"),
        ({"cdrs": recorded(billed_duration=61)}, "wrongly billed calls: 1 by the API, 0 by the records"),
        ({"cdrs": recorded(amd_status=2)}, "a person answered: 1 by the API, 0 by the records"),
        ({"cdrs": recorded(subscriber_id=3)}, "calls of attempt 1: 3 by the API, 2 by the records"),
        ({"cdr_pages": []}, "seconds of conversation: 0 by the API, 70 by the records"),
        ({"answers": []}, "answers to 'Do you leave as booked?': 1 by the API, 0 by the records"),
        (
            {"user": {"balance": Decimal("249.86501"), "call_rate": Decimal("0.045")}},
            "balance: 249.86501 by the API, 249.86500 by the records",
        ),
        (
            {"milestones": [ProgressRecord("2026-11-16T09:01:00Z", calls=4, answered=2, cost=Decimal("0.045"))]},
            "answered by 2026-11-16T09:01:00Z: 2 by the API, 1 by the records",
        ),
    ],
)
def test_a_figure_that_the_records_do_not_bear_out_is_a_difference(changes: dict[str, object], difference: str) -> None:
    checks = Checks()
    for part in PARTS:
        part(example(**changes), checks)
    assert difference in [str(check) for check in checks.differences]


@pytest.mark.parametrize(
    ("began", "outside"),
    [
        ("2026-11-16T08:59:59.999000Z", 1),
        ("2026-11-16T09:00:00Z", 0),
        ("2026-11-16T19:59:59.999000Z", 0),
        ("2026-11-16T20:00:00Z", 1),
        ("2026-11-15T12:00:00Z", 1),
    ],
)
def test_a_call_counts_as_outside_the_window_by_the_clock_where_it_rang(began: str, outside: int) -> None:
    """The third call goes to London, which is on UTC in winter. The 15th is a Sunday."""
    checks = Checks()
    journey.figures(example(cdrs=recorded(starting_date=began)), checks)
    (found,) = (check for check in checks.all if check.what == "calls outside the daily window")
    assert found.records == outside


@pytest.mark.parametrize(("asked_at", "calls"), [("2026-11-16T01:15:30Z", 0), ("2026-11-16T00:30:00Z", 1)])
def test_a_call_after_a_do_not_call_request_is_counted(asked_at: str, calls: int) -> None:
    asked = AnswerRecord(section_id=7, section_type=9, response=f"DNC: {SYDNEY}", created_date=asked_at)
    checks = Checks()
    fates.figures(example(answers=[asked]), checks)
    (found,) = (check for check in checks.all if check.what == "calls to them afterwards")
    assert found.records == calls
