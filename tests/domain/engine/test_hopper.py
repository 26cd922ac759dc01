"""Tests of the hopper, compared with a model that sorts all subscribers each time."""

from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialer.domain.calling_times.calendars import Calendar
from dialer.domain.calling_times.calling_windows import Windows
from dialer.domain.calling_times.zones import UNKNOWN
from dialer.domain.calls.campaign_effects import ClaimFresh, ClaimRetries
from dialer.domain.calls.plans import CampaignPlan, Subscriber
from dialer.domain.engine import hopper as hopper_module
from dialer.domain.engine.hopper import Hopper
from dialer.domain.survey.callflow import CallFlow
from dialer.domain.survey.survey import Survey
from dialer.domain.words.moments import NEVER_MS
from tests.gateways import FIRST

ZONES: Final = ("", "Europe/Paris", "America/New_York")
PLAN: Final = CampaignPlan(1, 1, FIRST, CallFlow(Survey(())), starting_ms=0, expires_ms=NEVER_MS)


class Everybody:
    """The subscribers of a campaign, and a hopper that claims them."""

    def __init__(self, zones: list[str]) -> None:
        self.fresh = {index: Subscriber(index, f"+{index}", zone) for index, zone in enumerate(zones, 1)}
        self.waiting: dict[int, Subscriber] = {}
        self.hopper = Hopper(PLAN, tuple(sorted(set(zones))), Windows(), 0)

    def due(self, now_ms: int) -> list[Subscriber]:
        """Return the retries that are due, in order."""
        due = (one for one in self.waiting.values() if one.due_ms <= now_ms)
        return sorted(due, key=lambda one: (one.due_ms, one.id))

    def expected(self, now_ms: int) -> Subscriber | None:
        due = self.due(now_ms)
        if due:
            return due[0]
        return self.fresh[min(self.fresh)] if self.fresh else None

    def next(self, now_ms: int) -> Subscriber | None:
        """Return the subscriber that the hopper offers, after answering its claims."""
        while True:
            found = self.hopper.next(now_ms)
            match found:
                case ClaimFresh():
                    self.answer_fresh(found)
                case ClaimRetries():
                    self.answer_retries(found)
                case _:
                    return found

    def answer_fresh(self, claim: ClaimFresh) -> None:
        found = [one for _, one in sorted(self.fresh.items()) if one.zone == claim.zone and one.id > claim.after_id]
        self.hopper.add_fresh(claim.zone, found[: claim.limit], is_last=len(found) < claim.limit)

    def answer_retries(self, claim: ClaimRetries) -> None:
        after = (claim.after_due_ms, claim.after_id)
        found = [one for one in self.due(NEVER_MS) if one.zone == claim.zone and (one.due_ms, one.id) > after]
        self.hopper.add_retries(claim.zone, found[: claim.limit], is_last=len(found) < claim.limit)

    def take(self, subscriber: Subscriber) -> None:
        self.hopper.take()
        self.fresh.pop(subscriber.id, None)
        self.waiting.pop(subscriber.id, None)

    def call_again(self, subscriber: Subscriber, due_ms: int, now_ms: int) -> None:
        subscriber.due_ms = due_ms
        self.waiting[subscriber.id] = subscriber
        self.hopper.schedule_retry(subscriber, now_ms)


@pytest.fixture(params=[(32, 1_024, 16_384), (2, 3, 4), (1, 2, 2), (1, 1, 8)])
def bounds(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Use the hopper's own limits, or small ones that make it drop and claim retries again."""
    for name, value in zip(("CLAIM_FIRST", "CLAIM_MAX", "RETRIES_HELD_MAX"), request.param, strict=True):
        monkeypatch.setattr(hopper_module, name, value)


steps = st.lists(
    st.tuples(st.sampled_from(["call", "end", "wait"]), st.integers(0, 12)),
    max_size=120,
)


@pytest.mark.usefixtures("bounds")
@given(st.lists(st.sampled_from(ZONES), min_size=1, max_size=25), steps)
def test_due_retries_come_first_then_the_lowest_id(zones: list[str], actions: list[tuple[str, int]]) -> None:
    """Calls, ends of calls and pauses come in any order. An ended call is due again later."""
    everybody = Everybody(zones)
    in_progress: list[Subscriber] = []
    now_ms = 1
    for action, number in actions:
        if action == "wait":
            now_ms += number
        elif action == "end" and in_progress:
            everybody.call_again(in_progress.pop(number % len(in_progress)), now_ms + number, now_ms)
        elif action == "call":
            found = everybody.next(now_ms)
            assert found is everybody.expected(now_ms)
            if found is not None:
                everybody.take(found)
                in_progress.append(found)
    assert everybody.next(now_ms) is everybody.expected(now_ms)


@pytest.mark.usefixtures("bounds")
@given(
    st.lists(st.sampled_from(ZONES), min_size=1, max_size=25), st.lists(st.integers(1, 40), min_size=25, max_size=25)
)
def test_everybody_is_called_again_when_due_and_nobody_is_forgotten(zones: list[str], dues: list[int]) -> None:
    everybody = Everybody(zones)
    while (found := everybody.next(0)) is not None:
        everybody.take(found)
        everybody.call_again(found, dues[found.id - 1], 0)
    now_ms = 0
    order = []
    while everybody.waiting:
        now_ms = everybody.hopper.changes_at_ms(now_ms)
        while (found := everybody.next(now_ms)) is not None:
            assert found.due_ms <= now_ms
            everybody.take(found)
            order.append((found.due_ms, found.id))
    assert order == sorted((due_ms, index) for index, due_ms in enumerate(dues[: len(zones)], 1))
    assert everybody.hopper.changes_at_ms(now_ms) == NEVER_MS


def test_the_same_one_is_offered_until_it_is_taken() -> None:
    everybody = Everybody(["", ""])
    first = everybody.next(0)
    assert first is not None
    assert everybody.next(0) is first
    everybody.take(first)
    assert everybody.next(0) is everybody.fresh[2]


def test_a_zone_whose_window_is_closed_waits_for_it_to_open() -> None:
    """It is Thursday 1 January 1970. Only zones whose Friday has begun are called: Paris, an hour early."""
    only_fridays = Calendar(weekdays=(False, False, False, False, True, False, False))
    everybody = Everybody(["UTC", "Europe/Paris"])
    plan = CampaignPlan(1, 1, FIRST, CallFlow(Survey(())), 0, NEVER_MS, calendar=only_fridays)
    everybody.hopper = Hopper(plan, ("Europe/Paris", "UTC"), Windows(), 0)
    assert everybody.next(0) is None
    friday_in_paris_ms = everybody.hopper.changes_at_ms(0)
    assert friday_in_paris_ms == 23 * 3_600_000
    parisian = everybody.next(friday_in_paris_ms)
    assert parisian is everybody.fresh[2]
    everybody.take(parisian)
    assert everybody.next(friday_in_paris_ms) is None
    assert everybody.hopper.changes_at_ms(friday_in_paris_ms) == 24 * 3_600_000
    assert everybody.next(24 * 3_600_000) is everybody.fresh[1]


def test_subscribers_of_an_unknown_zone_are_offered_at_once_for_their_refusal() -> None:
    never = Calendar(weekdays=(False,) * 7)
    everybody = Everybody([UNKNOWN])
    everybody.hopper = Hopper(
        CampaignPlan(1, 1, FIRST, PLAN.flow, 0, NEVER_MS, calendar=never), (UNKNOWN,), Windows(), 0
    )
    assert everybody.next(0) is everybody.fresh[1]


def test_without_subscribers_nobody_is_offered() -> None:
    hopper = Hopper(PLAN, (), Windows(), 0)
    assert (hopper.next(0), hopper.changes_at_ms(0)) == (None, NEVER_MS)
