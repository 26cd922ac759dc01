"""Tests of the choice of the caller ID."""

from collections import Counter, defaultdict
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialer.domain.calls.plan_parts import CallerIdChoice
from dialer.domain.calls.plans import CampaignPlan
from dialer.domain.engine.callerid import Turns, choose_callerid, turns_of
from dialer.domain.survey.callflow import CallFlow
from dialer.domain.survey.survey import Survey
from tests.domain.workers import START_MS, Fleet, plan
from tests.gateways import FIRST

OWN: Final = "+15550000"
NATIONAL: Final = {
    "+12025550100": "2025550100",
    "+12035550100": "2035550100",
    "+442079460000": "2079460000",
    "+33199000000": "199000000",
    "2025550100": "2025550100",
    "911": "911",
}
areacodes = st.sampled_from(["1202", "+1202", "202", "2025", "1", "+44", "20", "*", ""])


def plan_of(*choices: tuple[str, str]) -> CampaignPlan:
    """Return a campaign with a group of (area code, caller ID) pairs."""
    group = tuple(CallerIdChoice(*choice) for choice in choices)
    return CampaignPlan(1, 1, FIRST, CallFlow(Survey(())), 0, 1, callerid=OWN, callerids=group)


@pytest.mark.parametrize(
    ("number", "choices", "expected"),
    [
        ("+12025550100", (), OWN),
        ("+12025550100", (("1202", "A"), ("1", "B"), ("*", "C")), "A"),
        ("+12025550100", (("+1202", "A"), ("1", "B")), "A"),
        ("+12025550100", (("202", "A"), ("12", "B")), "A"),  # The national number begins with 202.
        ("+12125550100", (("202", "A"), ("*", "B")), "B"),
        ("+12125550100", (("202", "A"),), OWN),
        ("+12125550100", (("", "A"), ("*", "B")), "B"),
        ("+12125550100", (("", "A"),), OWN),
        ("2025550100", (("202", "A"), ("1202", "B")), "A"),
    ],
)
def test_the_longest_area_code_wins_then_the_wildcard_then_the_campaigns_own(
    number: str, choices: tuple[tuple[str, str], ...], expected: str
) -> None:
    assert choose_callerid(plan_of(*choices), number, {}) == expected


def test_equals_take_turns() -> None:
    group = plan_of(("1202", "A"), ("1202", "B"), ("1", "C"), ("+1202", "D"))
    turns: Turns = {}
    assert [choose_callerid(group, "+12025550100", turns) for _ in range(5)] == ["A", "B", "D", "A", "B"]
    assert turns == {"1202": 5}


def test_every_area_code_has_turns_of_its_own() -> None:
    """A campaign that alternates between Washington and London shows both caller IDs of each."""
    group = plan_of(("1202", "A"), ("1202", "B"), ("44", "C"), ("44", "D"))
    turns: Turns = {}
    called = ["+12025550100", "+442079460000"] * 4
    assert [choose_callerid(group, number, turns) for number in called] == ["A", "C", "B", "D", "A", "C", "B", "D"]


def test_the_turns_of_removed_area_codes_are_forgotten() -> None:
    group = plan_of(("+1202", "A"), ("2025", "B"), ("*", "C"))
    assert turns_of(group, {"1202": 3, "1202&2025": 1, "*": 2, "44": 9, "1202&44": 1}) == {
        "1202": 3,
        "1202&2025": 1,
        "*": 2,
    }


def equals(codes: list[str], number: str) -> frozenset[int]:
    """Return the area codes that fit a number best, by trying its prefixes, the longest first."""
    ways = (number.lstrip("+"), NATIONAL[number])
    for length in range(15, 0, -1):
        prefixes = {way[:length] for way in ways if len(way) >= length}
        if found := [index for index, code in enumerate(codes) if code.lstrip("+") in prefixes]:
            return frozenset(found)
    return frozenset(index for index, code in enumerate(codes) if code == "*")


@given(st.lists(areacodes, max_size=6), st.lists(st.sampled_from(sorted(NATIONAL)), max_size=60))
def test_among_equals_none_is_shown_more_than_once_more_than_another(codes: list[str], called: list[str]) -> None:
    """This holds for any dials in between. Only caller IDs that fit best are shown."""
    group = plan_of(*((code, str(index)) for index, code in enumerate(codes)))
    turns: Turns = {}
    shown: dict[frozenset[int], Counter[str]] = defaultdict(Counter)
    for number in called:
        best = equals(codes, number)
        callerid = choose_callerid(group, number, turns)
        shown[best][callerid] += 1
        assert callerid in ({str(index) for index in best} or {OWN})
        counts = [shown[best][str(index)] for index in best] or [0]
        assert max(counts) - min(counts) <= 1


def test_a_restart_goes_on_where_it_was() -> None:
    """Five calls come a second apart, with a restart after the second. The third caller ID is next."""
    group = tuple(CallerIdChoice("33", name) for name in "ABC")
    fleet = Fleet(plan(callerids=group), callees=[[(f"+3319900{index:04d}", "") for index in range(5)]])
    fleet.run(START_MS + 1_500)
    fleet.restart()
    fleet.run()
    assert [call.callerid for call in fleet.dials] == ["A", "B", "C", "A", "B"]


def test_a_refreshed_campaign_goes_on_where_it_was() -> None:
    group = tuple(CallerIdChoice("*", name) for name in "AB")
    fleet = Fleet(plan(callerids=group), callees=[[(f"+3319900{index:04d}", "") for index in range(4)]])
    for second in range(4):
        fleet.run(START_MS + second * 1_000)
        fleet.tell_again()
    assert [call.callerid for call in fleet.dials] == ["A", "B", "A", "B"]
