"""Tests of the dial rules: the first rule that speaks against a call gives the verdict, and dialling obeys it."""

from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialer.domain.engine.person_verdicts import PersonVerdicts
from dialer.domain.rules.dial_rules import (
    ALLOWED,
    GATEWAY_RULES,
    ORDINARY,
    PERSON_RULES,
    PLACE_RULES,
    Allowed,
    Later,
    Never,
    PersonFacts,
    PlaceFacts,
    Verdict,
    room_at_ms,
    verdict_on,
)
from dialer.domain.words.moments import NEVER_MS
from dialer.domain.words.reasons import SubscriberReason, WaitsFor
from tests.domain.workers import START_MS, Fleet, numbers, plan

NOW_MS: Final = 1_000
LATER_MS: Final = 61_000
AGAINST_A_PERSON: Final[dict[SubscriberReason, dict[str, Any]]] = {
    SubscriberReason.EMERGENCY: {"is_emergency": True},
    SubscriberReason.INVALID_NUMBER: {"is_impossible": True},
    SubscriberReason.DESTINATION: {"is_forbidden": True},
    SubscriberReason.TZ_UNKNOWN: {"has_unknown_zone": True},
    SubscriberReason.DNC: {"is_on_dnc": True},
    SubscriberReason.NO_TEXT: {"is_without_text": True},
}
AGAINST_A_PLACE: Final[dict[WaitsFor, dict[str, Any]]] = {
    WaitsFor.NO_AGENT: {"agents_at_ms": NEVER_MS},
    WaitsFor.MAX_ALEG: {"max_aleg": 2, "calls": 2},
    WaitsFor.LINE_DOWN: {"is_line_down": True},
    WaitsFor.RESTING: {"rests_until_ms": LATER_MS},
    WaitsFor.GATEWAY_FULL: {"free_channels": 0},
    WaitsFor.NO_CREDIT: {"lacks_credit": True},
}


def facts_of(table: dict[Any, dict[str, Any]], reasons: set[Any]) -> dict[str, Any]:
    """Return the facts that speak against a call for these reasons."""
    return {name: value for reason in reasons for name, value in table[reason].items()}


@given(st.sets(st.sampled_from(list(AGAINST_A_PERSON))), st.booleans())
def test_of_all_that_forbids_a_call_the_first_is_told_whatever_the_time(
    reasons: set[SubscriberReason],
    is_closed: bool,  # noqa: FBT001 - hypothesis gives it by its name
) -> None:
    times: dict[str, Any] = {"now_ms": NOW_MS, "closed_until_ms": LATER_MS * is_closed, "ready_ms": LATER_MS}
    first = next((Never(reason) for reason in AGAINST_A_PERSON if reason in reasons), None)
    in_time: Verdict = Later(LATER_MS, WaitsFor.WINDOW) if is_closed else ALLOWED
    person = PersonFacts(**facts_of(AGAINST_A_PERSON, reasons), **times)
    assert verdict_on(person, PERSON_RULES) == (first or in_time)


@given(st.sets(st.sampled_from(list(AGAINST_A_PLACE))))
def test_of_all_that_delays_a_call_the_first_is_told(reasons: set[WaitsFor]) -> None:
    place = PlaceFacts(now_ms=NOW_MS, **facts_of(AGAINST_A_PLACE, reasons))
    verdict = verdict_on(place, PLACE_RULES)
    told = verdict.reason if isinstance(verdict, Later) else None
    assert told == next((reason for reason in AGAINST_A_PLACE if reason in reasons), None)


@given(st.sets(st.sampled_from([WaitsFor.LINE_DOWN, WaitsFor.RESTING, WaitsFor.GATEWAY_FULL])))
def test_a_gateway_has_room_when_no_rule_delays_the_call_any_more(reasons: set[WaitsFor]) -> None:
    at_ms = room_at_ms(PlaceFacts(now_ms=NOW_MS, **facts_of(AGAINST_A_PLACE, reasons)), GATEWAY_RULES)
    assert at_ms == (LATER_MS if reasons == {WaitsFor.RESTING} else NEVER_MS if reasons else NOW_MS)


def test_a_held_number_is_told_apart_from_one_on_a_list() -> None:
    assert verdict_on(PersonFacts(is_on_dnc=True, is_held=True), PERSON_RULES) == Never(SubscriberReason.HELD)


def test_nothing_speaks_against_an_ordinary_person_and_a_free_place() -> None:
    """Dialling relies on it, and consults no rule for such a person."""
    assert isinstance(verdict_on(ORDINARY, PERSON_RULES), Allowed)
    assert isinstance(verdict_on(PlaceFacts(), PLACE_RULES), Allowed)


def test_a_person_for_whom_a_rule_says_later_is_put_back_and_called_then(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first person's turn comes first, and is given to the second one."""
    judge = PersonVerdicts.of

    def judged(self: PersonVerdicts, campaign: Any, person: Any, *rest: Any) -> Verdict:  # noqa: ANN401 - as `of`
        is_early = person.id == 1 and person.due_ms == 0
        return Later(START_MS + LATER_MS, WaitsFor.TURN) if is_early else judge(self, campaign, person, *rest)

    monkeypatch.setattr(PersonVerdicts, "of", judged)
    fleet = Fleet(plan(frequency=60), callees=[numbers(2)])
    assert [(call.subscriber.id, call.started_ms - START_MS) for call in fleet.run().dials] == [(2, 0), (1, LATER_MS)]
