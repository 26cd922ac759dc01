"""Property tests of several campaigns with any settings on shared gateways."""

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from datetime import time
from functools import partial
from itertools import pairwise
from typing import Any
from unittest.mock import patch

from hypothesis import given
from hypothesis import strategies as st

from dialer.domain.billing.charge import Rate
from dialer.domain.billing.rates import NO_CARD, RateCard
from dialer.domain.calling_times.calendars import Calendar
from dialer.domain.calls import call_effects, campaign_effects
from dialer.domain.calls.plan_parts import CallerIdChoice
from dialer.domain.calls.plans import Call, GatewayKey, GatewayPlan
from dialer.domain.engine import dialling
from dialer.domain.engine.gateway_load import GatewayLoad
from dialer.domain.engine.state import OpenCampaign
from dialer.domain.engine.turns import turn_of
from dialer.domain.words.enums import AmdStatus, CampaignStatus, Cause, MessageStatus, SubscriberStatus
from dialer.domain.words.reasons import CAMPAIGN_REASONS, SUBSCRIBER_REASONS, SubscriberReason
from tests.domain.calling_times.test_calling_windows import ZONES, calendars, may_call_in_all
from tests.domain.workers import DAY_MS, START_MS, Fleet, numbers, plan
from tests.gateways import FIRST, SECOND

HOUR_MS = 3_600_000
CARD = RateCard({"33199000": Rate(12_000, 30, 6, 500), "331990000": Rate(1, 1)})
settings_of_a_campaign = st.fixed_dictionaries(
    {
        "frequency": st.integers(1, 5) | st.integers(1, 600) | st.just(60_000),
        "max_aleg": st.integers(0, 4),
        "ring_limit_ms": st.integers(1_000, 40_000),
        "callmaxduration_s": st.integers(1, 200),
        "maxretry": st.integers(0, 2),
        "intervalretry_ms": st.sampled_from([0, 1, 5_000, 600_000]),
        "completion_maxretry": st.integers(0, 2),
        "completion_intervalretry_ms": st.sampled_from([0, 1, 5_000, 600_000]),
        "starting_ms": st.sampled_from([START_MS - DAY_MS, START_MS, START_MS + 90_000]),
        "expires_ms": st.sampled_from([START_MS + 100_000, START_MS + HOUR_MS, START_MS + DAY_MS]),
        "calendar": st.sampled_from([Calendar(), Calendar(start=time(9), stop=time(17))]) | calendars,
        "amd": st.integers(0, 3),
        "gateway_id": st.sampled_from([FIRST, FIRST, SECOND]),
        "callerids": st.sampled_from([(), tuple(CallerIdChoice("33", name) for name in "ABC")]),
    }
)
calling_hours = st.sampled_from([None, None, Calendar(start=time(8), stop=time(21)), Calendar(stop=time(2, 30))])
parameters_of_a_gateway = st.fixed_dictionaries(
    {
        "answer": st.sampled_from([0, 0.3, 0.8]),
        "congestion": st.sampled_from([0, 0, 0.05, 1]),
        "post_dial_delay": st.sampled_from([0, 1, [0, 3]]),
        "ring": st.sampled_from([0, 4, [1, 60]]),
        "listen": st.sampled_from([0, 0.5, 1]),
    }
)


def at_most_certain(parameters: dict[str, Any]) -> dict[str, Any]:
    """Set the other chances to 0 if every call meets a congested carrier, so that the total is at most 1."""
    return (
        {**parameters, "answer": 0, "busy": 0, "rejected": 0, "invalid": 0}
        if parameters["congestion"] == 1
        else parameters
    )


@st.composite
def built_twice(draw: st.DrawFn) -> tuple[Fleet, Fleet]:
    """Draw two equal fleets that have not run."""
    build = draw(builders())
    return build(), build()


@st.composite
def builders(draw: st.DrawFn) -> Callable[[], Fleet]:
    settings: list[dict[str, Any]] = draw(st.lists(settings_of_a_campaign, min_size=1, max_size=3))
    zones = draw(
        st.lists(st.sampled_from(["", "UTC", "Europe/Paris", "America/New_York", "?", *ZONES]), min_size=1, max_size=4)
    )
    sizes = draw(st.lists(st.integers(1, 30), min_size=len(settings), max_size=len(settings)))
    return partial(
        Fleet,
        *(plan(index, **one) for index, one in enumerate(settings, 1)),
        callees=[[(number, zones[i % len(zones)]) for i, (number, _) in enumerate(numbers(size))] for size in sizes],
        gateway=GatewayPlan(FIRST, draw(st.integers(0, 5)), draw(st.integers(0, 3)), hours=draw(calling_hours)),
        others=(GatewayPlan(SECOND, draw(st.integers(0, 5)), draw(st.integers(0, 3)), hours=draw(calling_hours)),),
        balance=draw(st.just(10**9) | st.integers(6_000, 200_000)),
        rate=draw(st.sampled_from([Rate(0), Rate(6_000), Rate(59_999, 6, 1, 7)])),
        card=draw(st.sampled_from([NO_CARD, CARD])),
        parameters=draw(parameters_of_a_gateway.map(at_most_certain)),
        seed=draw(st.integers(0, 2**63 - 1)),
    )


def fleets() -> st.SearchStrategy[Fleet]:
    """Draw fleets that have been run to their end."""
    return builders().map(lambda build: build().run())


def check_spread(moments: list[int], most: int, window_ms: int) -> None:
    """Check that every window of this length has at most `most` moments."""
    assert moments == sorted(moments)
    for first, one_too_many in zip(moments, moments[most:], strict=False):
        assert one_too_many - first >= window_ms


def is_of_campaign(campaign_id: int, call: Call) -> bool:
    return call.plan.id == campaign_id


def is_over(gateway_id: GatewayKey, call: Call) -> bool:
    return call.plan.gateway_id == gateway_id


def check_crowd(fleet: Fleet, limit: int, is_counted: Callable[[Call], bool]) -> None:
    """Check that at most `limit` counted calls are in progress at once (0: no limit), and none at the end."""
    in_progress = 0
    for _, effect in fleet.store.entries:
        if isinstance(effect, (call_effects.Dial, call_effects.FinishCall)) and is_counted(effect.call):
            in_progress += 1 if isinstance(effect, call_effects.Dial) else -1
            assert not limit or in_progress <= limit
    assert in_progress == 0


@given(fleets())
def test_every_limit_is_kept(fleet: Fleet) -> None:
    """I8: check each campaign's frequency and max_aleg, and each gateway's max_channels and max_cps."""
    for one in fleet.plans:
        check_spread([call.started_ms for call in fleet.dials if call.plan.id == one.id], one.frequency, 60_000)
        check_crowd(fleet, one.max_aleg, partial(is_of_campaign, one.id))
    for gateway in fleet.gateways:
        check_crowd(fleet, gateway.max_channels, partial(is_over, gateway.id))
        if gateway.max_cps:
            theirs = [call.started_ms for call in fleet.dials if call.plan.gateway_id == gateway.id]
            check_spread(theirs, gateway.max_cps, 1_000)


@given(fleets())
def test_a_gateway_that_rests_is_left_alone(fleet: Fleet) -> None:
    """F8: five failures in a row begin a rest, and no call is placed over the gateway before its end."""
    for gateway in fleet.gateways:
        open_until_ms, row = 0, 0
        for at_ms, effect in fleet.store.entries:
            if isinstance(effect, call_effects.Dial) and effect.call.plan.gateway_id == gateway.id:
                assert at_ms >= open_until_ms
            elif isinstance(effect, call_effects.FinishCall) and effect.call.plan.gateway_id == gateway.id:
                row = row + 1 if effect.outcome.cause is Cause.NO_CIRCUIT else 0
            elif isinstance(effect, campaign_effects.KeepBreaker) and effect.gateway_id == gateway.id:
                if effect.breaker.open_until_ms > at_ms:
                    assert open_until_ms <= at_ms
                    assert row >= 5 or open_until_ms > 0
                    assert effect.breaker.open_until_ms - at_ms in {30_000, 60_000, 120_000, 240_000, 480_000, 600_000}
                open_until_ms = effect.breaker.open_until_ms


@given(fleets())
def test_every_failure_has_a_reason_of_the_table(fleet: Fleet) -> None:
    """Failures, retries, refusals and stopped campaigns have a reason, and nothing else has one."""
    for _, effect in fleet.store.entries:
        if isinstance(effect, call_effects.FinishCall):
            is_done = effect.disposition.status in {SubscriberStatus.SENT, SubscriberStatus.COMPLETED}
            is_by_message = effect.outcome.is_message_left and effect.disposition.status is SubscriberStatus.SENT
            is_unheard = effect.outcome.message_status is MessageStatus.SENT
            of_done = {
                SubscriberReason.MESSAGE_LEFT if is_by_message else SubscriberReason.NO_RECEIPT if is_unheard else ""
            }
            assert effect.disposition.reason in (of_done if is_done else SUBSCRIBER_REASONS)
        elif isinstance(effect, campaign_effects.RefuseSubscriber):
            assert effect.reason in SUBSCRIBER_REASONS
        elif isinstance(effect, campaign_effects.MoveCampaign):
            assert effect.reason in CAMPAIGN_REASONS


@given(fleets())
def test_no_machine_completes_a_survey_or_is_a_person_reached(fleet: Fleet) -> None:
    """A machine's subscriber is tried again, given up, or SENT with the reason that a message was left."""
    for _, effect in fleet.store.entries:
        if isinstance(effect, call_effects.FinishCall) and effect.outcome.amd_status is AmdStatus.MACHINE:
            assert not effect.outcome.is_completed
            assert effect.disposition.status is not SubscriberStatus.COMPLETED or effect.call.subscriber.has_completed
            is_reached = effect.disposition.status is SubscriberStatus.SENT
            assert is_reached == (effect.disposition.reason == SubscriberReason.MESSAGE_LEFT)


@given(fleets())
def test_caller_ids_take_turns_in_every_campaign(fleet: Fleet) -> None:
    """This holds with other campaigns and with retries."""
    for one in fleet.plans:
        shown = Counter(call.callerid for call in fleet.dials if call.plan.id == one.id)
        counts = [shown[choice.callerid_num] for choice in one.callerids] or [0]
        assert max(counts) - min(counts) <= 1


@given(fleets())
def test_nobody_is_called_outside_the_dates_and_the_window(fleet: Fleet) -> None:
    """I6: between the campaign's dates, and in the daily window by the callee's wall clock."""
    for call in fleet.dials:
        calendar, zone = call.plan.calendar, call.subscriber.zone or call.plan.service_zone
        assert call.plan.starting_ms <= call.started_ms < call.plan.expires_ms
        assert zone != "?"
        assert calendar.is_always or may_call_in_all(calendar, zone, call.started_ms)
        hours = next(one.hours for one in fleet.gateways if one.id == call.plan.gateway_id)
        assert hours is None or may_call_in_all(hours, zone, call.started_ms)


@given(fleets())
def test_attempts_are_numbered_without_a_gap_and_no_more_than_allowed(fleet: Fleet) -> None:
    """I1: one live attempt at a time, n at most 1 + maxretry + completion_maxretry, none before it is due."""
    attempts: Counter[int] = Counter()
    due_ms: dict[int, int] = {}
    for _, effect in fleet.store.entries:
        if isinstance(effect, call_effects.Dial):
            call = effect.call
            attempts[call.subscriber.id] += 1
            assert call.attempt == attempts[call.subscriber.id]
            assert call.attempt <= 1 + call.plan.maxretry + call.plan.completion_maxretry
            assert due_ms.pop(call.subscriber.id, 0) <= call.started_ms
            assert call.subscriber.id not in due_ms
            due_ms[call.subscriber.id] = START_MS * 2  # while it is in progress
        elif isinstance(effect, call_effects.FinishCall):
            due_ms[effect.call.subscriber.id] = effect.disposition.due_ms or START_MS * 2


@given(fleets())
def test_the_balance_and_its_holds_are_never_overdrawn(fleet: Fleet) -> None:
    """I3 and I4: every hold covers its charge, and the balance covers all holds."""
    balance, held = fleet.balance, 0
    for _, effect in fleet.store.entries:
        if isinstance(effect, call_effects.Dial):
            held += effect.call.hold
        elif isinstance(effect, call_effects.FinishCall):
            assert effect.bill.cost <= effect.call.hold
            held -= effect.call.hold
            balance -= effect.bill.cost
        assert balance >= held >= 0
    assert (held, balance) == (0, fleet.balance - fleet.store.spent[1])


@given(fleets())
def test_every_campaign_ends_and_says_why(fleet: Fleet) -> None:
    """A completed campaign has no open subscribers. An expired one, or one without credit, dials nothing afterwards."""
    for one in fleet.plans:
        (at_ms, _, status, reason), *later = [move for move in fleet.moves if move[1] == one.id]
        theirs = {fleet.store.standing(call.subscriber.id).status for call in fleet.dials if call.plan.id == one.id}
        assert SubscriberStatus.IN_PROCESS not in theirs
        assert all(call.started_ms <= at_ms + START_MS for call in fleet.dials if call.plan.id == one.id)
        if reason == "completed":
            assert (status, later) == (CampaignStatus.END, [])
            assert SubscriberStatus.PENDING not in theirs
        elif reason == "no_credit":
            assert (status, [move[2:] for move in later]) == (
                CampaignStatus.PAUSE,
                [(CampaignStatus.END, "expired")],
            )
        else:
            assert (at_ms + START_MS, status, reason, later) == (one.expires_ms, CampaignStatus.END, "expired", [])


@given(fleets())
def test_pending_subscribers_are_called_in_the_order_of_their_ids(fleet: Fleet) -> None:
    """This compares the first calls of one campaign to one zone."""
    first_calls: defaultdict[tuple[int, str], list[int]] = defaultdict(list)
    for call in fleet.dials:
        if call.attempt == 1:
            first_calls[call.plan.id, call.subscriber.zone].append(call.subscriber.id)
    for ids in first_calls.values():
        assert all(earlier < later for earlier, later in pairwise(ids))


moments_of_a_day = st.lists(st.integers(0, 150_000) | st.integers(0, DAY_MS), max_size=6).map(sorted)


@given(built_twice(), moments_of_a_day)
def test_a_refresh_of_all_rows_changes_nothing(twins: tuple[Fleet, Fleet], moments: list[int]) -> None:
    """I12: calls, ends and moves are equal, at whatever moments the service refreshes its rows."""
    undisturbed, disturbed = twins
    for moment in moments:
        disturbed.run(START_MS + moment).tell_again()
    assert story(disturbed.run()) == story(undisturbed.run())


@given(built_twice(), moments_of_a_day, st.lists(st.integers(0, 63), min_size=6, max_size=6))
def test_a_refresh_of_some_rows_changes_nothing(
    twins: tuple[Fleet, Fleet], moments: list[int], which: list[int]
) -> None:
    """Kept hoppers give the calls of refilled ones, in their order."""
    undisturbed, disturbed = twins
    for moment, number in zip(moments, which, strict=False):
        disturbed.run(START_MS + moment).tell_some_again(number)
    assert story(disturbed.run()) == story(undisturbed.run())


@given(built_twice(), moments_of_a_day)
def test_a_restart_changes_nothing(twins: tuple[Fleet, Fleet], moments: list[int]) -> None:
    """F1 and I12: the engine, the carrier and the kernel are rebuilt from the store."""
    undisturbed, restarted = twins
    for moment in moments:
        restarted.run(START_MS + moment).restart()
    assert story(restarted.run()) == story(undisturbed.run())


def story(fleet: Fleet) -> list[object]:
    """Return everything that happened, in order."""
    return [fleet.store.cdrs, fleet.moves, [call.callid for call in fleet.dials], dict(fleet.store.spent)]


def search_for_the_next_turn(gateway: GatewayLoad, campaigns: Mapping[int, OpenCampaign]) -> OpenCampaign:
    """Remove the campaign whose turn it is from those that wait for a gateway, after a look at all of them."""
    campaign = min((campaigns[waiting_id] for waiting_id in gateway.waiting), key=lambda one: turn_of(one, gateway))
    gateway.waiting.remove(campaign.plan.id)
    return campaign


@given(built_twice())
def test_campaigns_dial_in_their_turns_as_by_a_full_scan(twins: tuple[Fleet, Fleet]) -> None:
    with patch.object(dialling, "next_in_turn", search_for_the_next_turn):
        thorough = story(twins[0].run())
    assert story(twins[1].run()) == thorough
