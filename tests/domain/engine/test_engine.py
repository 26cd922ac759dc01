"""Tests of the engine, one rule each. Times count from the start in milliseconds."""

from datetime import time
from typing import Final

import pytest

from dialer.domain.billing.charge import Rate
from dialer.domain.calling_times.calendars import Calendar
from dialer.domain.calling_times.zones import UNKNOWN
from dialer.domain.calls import call_effects, effects
from dialer.domain.calls.call_events import CallEnded, DidOpened, DncReached
from dialer.domain.calls.campaign_events import CampaignClosed, CampaignOpened
from dialer.domain.calls.events import Event
from dialer.domain.calls.plan_parts import SectionResult
from dialer.domain.calls.plans import CallOutcome, GatewayPlan
from dialer.domain.survey.callflow import CallFlow
from dialer.domain.survey.heard import LEFT, HeardInput
from dialer.domain.survey.survey import Prompt, Section, Survey
from dialer.domain.words.enums import CampaignStatus, Cause, SectionType, SubscriberStatus
from dialer.domain.words.proof import Proof, WishSource
from tests.domain.workers import DAY_MS, START_MS, Fleet, numbers, plan
from tests.gateways import FIRST

BUSY: Final = "+12025550111"
LISTENS: Final = "+12025550100"
"""A callee who answers after 5 s, hears 3 s, and presses no key for 5 s, so the call ends after 13 s."""
RINGS_ON: Final = {"answer": 0, "busy": 0, "rejected": 0, "invalid": 0}
"""A population that never answers."""
WISH: Final = CallFlow(Survey((Section(1, SectionType.DNC, "Never again", Prompt(audio_ms=2_000)),)))
NINE, SIX = time(9), time(18)
SENT: Final = (SubscriberStatus.SENT, "")
WAITING: Final = (SubscriberStatus.PENDING, "")


def dialled(fleet: Fleet, campaign_id: int | None = None) -> list[tuple[int, int]]:
    """Return the times of the dials and the ids of the subscribers."""
    return [
        (call.started_ms - START_MS, call.subscriber.id) for call in fleet.dials if campaign_id in {None, call.plan.id}
    ]


def standings(fleet: Fleet) -> list[tuple[SubscriberStatus, str]]:
    everybody = [one.id for members in fleet.members.values() for one in members]
    found = [fleet.store.standing(subscriber_id) for subscriber_id in everybody]
    return [(standing.status, standing.reason) for standing in found]


def callees(*called: str, zone: str = "") -> list[tuple[str, str]]:
    return [(number, zone) for number in called]


class TestPace:
    def test_dials_are_spread_evenly(self) -> None:
        fleet = Fleet(plan(frequency=7), callees=[numbers(3)]).run()
        assert [at_ms for at_ms, _ in dialled(fleet)][:3] == [0, 8_571, 17_142]

    def test_it_begins_at_the_startingdate(self) -> None:
        fleet = Fleet(plan(starting_ms=START_MS + 90_500), callees=[numbers(2)]).run()
        assert dialled(fleet) == [(90_500, 1), (91_500, 2)]

    def test_dials_delayed_by_max_aleg_are_not_caught_up(self) -> None:
        """Two calls at once ring for 10 s each, so each place is free after 10 s."""
        fleet = Fleet(plan(max_aleg=2, ring_limit_ms=10_000), callees=[numbers(5)], parameters=RINGS_ON).run()
        assert dialled(fleet) == [(0, 1), (1_000, 2), (10_000, 3), (11_000, 4), (20_000, 5)]

    def test_a_gateway_takes_so_many_calls_a_second(self) -> None:
        fleet = Fleet(plan(frequency=60_000), callees=[numbers(7)], gateway=GatewayPlan(FIRST, max_cps=3)).run()
        assert dialled(fleet) == [(0, 1), (1, 2), (2, 3), (1_000, 4), (1_001, 5), (1_002, 6), (2_000, 7)]

    def test_scarce_channels_are_shared_fairly(self) -> None:
        """Two campaigns share two channels, and every call rings for 10 s. Each campaign always has one channel."""
        fleet = Fleet(
            plan(1, frequency=600, ring_limit_ms=10_000),
            plan(2, frequency=600, ring_limit_ms=10_000),
            callees=[numbers(3), numbers(3)],
            gateway=GatewayPlan(FIRST, max_channels=2),
            parameters=RINGS_ON,
        ).run()
        assert dialled(fleet, 1) == [(0, 1), (10_000, 2), (20_000, 3)]
        assert dialled(fleet, 2) == [(0, 4), (10_000, 5), (20_000, 6)]

    def test_a_campaign_that_was_slow_takes_no_place_from_others(self) -> None:
        """One campaign dials once a minute, the other once a second. Neither waits for the other."""
        fleet = Fleet(plan(1, frequency=1), plan(2), callees=[numbers(2), numbers(3)]).run()
        assert (dialled(fleet, 1), dialled(fleet, 2)) == ([(0, 1), (60_000, 2)], [(0, 3), (1_000, 4), (2_000, 5)])


class TestWhom:
    def test_retries_that_are_due_come_before_those_never_called(self) -> None:
        """The first is busy and due again after 2 s, before three other subscribers."""
        fleet = Fleet(
            plan(maxretry=1, intervalretry_ms=2_000), callees=[[*callees(BUSY), *numbers(4)]], parameters=RINGS_ON
        ).run(START_MS + 5_000)
        assert dialled(fleet) == [(0, 1), (1_000, 2), (2_000, 3), (3_000, 1), (4_000, 4), (5_000, 5)]

    def test_nobody_is_called_outside_their_window_and_others_are_not_held_up(self) -> None:
        """At 10:00 in London it is 05:00 in New York, four hours before 09:00."""
        fleet = Fleet(
            plan(calendar=Calendar(start=NINE, stop=SIX)),
            callees=[[*callees(BUSY, zone="America/New_York"), *callees(LISTENS, zone="Europe/London")]],
        ).run()
        assert dialled(fleet) == [(0, 2), (4 * 3_600_000, 1)]

    def test_a_subscriber_of_an_unknown_zone_is_refused(self) -> None:
        fleet = Fleet(plan(), callees=[[*callees(BUSY, zone=UNKNOWN), *callees(LISTENS)]]).run()
        assert (dialled(fleet), standings(fleet)[0]) == ([(0, 2)], (SubscriberStatus.NOT_AUTHORIZED, "tz_unknown"))

    @pytest.mark.parametrize("text_message", [None, "Hello"])
    def test_an_emergency_number_that_is_stored_is_refused_by_call_and_by_text(self, text_message: str | None) -> None:
        fleet = Fleet(plan(text_message=text_message), callees=[callees("911", "+1911", "+33112", LISTENS)]).run()
        assert [subscriber_id for _, subscriber_id in dialled(fleet)] == [4]
        assert standings(fleet)[:3] == [(SubscriberStatus.NOT_AUTHORIZED, "emergency")] * 3

    @pytest.mark.parametrize(
        ("number", "prefixes"),
        [
            ("+4930112", {"removeprefix": "+4930"}),
            ("+12025550112", {"removeprefix": "+1,+1202555"}),
            ("+12025550112", {"removeprefix": "+1202555", "addprefix": "9"}),
            ("444", {"addprefix": "1"}),
        ],
    )
    def test_a_number_that_the_gateway_makes_an_emergency_number_is_refused(
        self, number: str, prefixes: dict[str, str]
    ) -> None:
        fleet = Fleet(plan(), callees=[callees(number)], gateway=GatewayPlan(FIRST, **prefixes)).run()  # type: ignore[arg-type]
        assert (dialled(fleet), standings(fleet)) == ([], [(SubscriberStatus.NOT_AUTHORIZED, "emergency")])

    def test_a_refusal_costs_no_time(self) -> None:
        fleet = Fleet(plan(), callees=[[*callees(*[BUSY] * 50, zone=UNKNOWN), *callees(LISTENS)]]).run()
        assert dialled(fleet) == [(0, 51)]

    def test_a_wish_not_to_be_called_counts_at_once_and_in_every_campaign_of_the_account(self) -> None:
        """The request comes at the first answer, after 5 s. The others' calls would be at 6 s."""
        fleet = Fleet(
            plan(1, flow=WISH, dnc_id=7, dnc_ids=(7,)),
            plan(2, dnc_id=7, dnc_ids=(7,), starting_ms=START_MS + 6_000),
            plan(3, dnc_id=8, dnc_ids=(8,), starting_ms=START_MS + 6_000),
            callees=[callees(LISTENS), callees(LISTENS), callees(LISTENS)],
        ).run()
        assert (dialled(fleet, 2), dialled(fleet, 3)) == ([], [])
        called_off = (SubscriberStatus.NOT_AUTHORIZED, "dnc")
        assert standings(fleet) == [SENT, called_off, called_off]

    def test_a_wish_during_a_call_of_another_campaign_forbids_its_retry_but_does_not_cut_it(self) -> None:
        fleet = Fleet(
            plan(1, flow=WISH, dnc_id=7, dnc_ids=(7,)),
            plan(2, dnc_id=7, dnc_ids=(7,), completion_maxretry=1, completion_intervalretry_ms=1_000),
            callees=[callees(LISTENS), callees(LISTENS)],
        ).run()
        assert [cdr.duration for cdr in fleet.store.cdrs] == [7, 13]
        assert standings(fleet) == [SENT, (SubscriberStatus.NOT_AUTHORIZED, "dnc")]


class TestStates:
    def test_a_campaign_is_completed_when_everybody_is_final(self) -> None:
        fleet = Fleet(plan(), callees=[callees(LISTENS)]).run()
        assert fleet.moves == [(13_000, 1, CampaignStatus.END, "completed")]

    def test_a_campaign_without_subscribers_goes_on_until_it_expires(self) -> None:
        fleet = Fleet(plan(), callees=[[]]).run()
        assert fleet.moves == [(DAY_MS, 1, CampaignStatus.END, "expired")]

    def test_an_expired_campaign_finishes_its_calls_and_dials_no_more(self) -> None:
        fleet = Fleet(plan(expires_ms=START_MS + 2_500), callees=[callees(*[LISTENS] * 5)]).run()
        assert (dialled(fleet), fleet.moves) == (
            [(0, 1), (1_000, 2), (2_000, 3)],
            [(2_500, 1, CampaignStatus.END, "expired")],
        )
        assert standings(fleet) == [SENT] * 3 + [WAITING] * 2

    def test_a_place_that_comes_free_in_the_instant_of_the_expiry_is_not_used(self) -> None:
        """The only channel is free after 10 s, at the moment of the expiry."""
        fleet = Fleet(
            plan(expires_ms=START_MS + 10_000, ring_limit_ms=10_000),
            callees=[numbers(2)],
            gateway=GatewayPlan(FIRST, max_channels=1),
            parameters=RINGS_ON,
        ).run()
        assert (dialled(fleet), fleet.moves) == ([(0, 1)], [(10_000, 1, CampaignStatus.END, "expired")])

    def test_a_paused_campaign_finishes_its_calls_and_goes_on_when_started_again(self) -> None:
        fleet = Fleet(plan(), callees=[callees(*[LISTENS] * 4)]).run(START_MS + 1_500)
        opened = plan()
        fleet.kernel.apply(CampaignOpened(opened, CampaignStatus.PAUSE, 0, ("",)))
        fleet.run(START_MS + 60_000)
        assert (dialled(fleet), standings(fleet)) == ([(0, 1), (1_000, 2)], [SENT] * 2 + [WAITING] * 2)
        fleet.kernel.apply(CampaignOpened(opened, CampaignStatus.START, 0, ("",)))
        assert dialled(fleet.run())[2:] == [(60_000, 3), (61_000, 4)]

    def test_an_ended_campaign_finishes_its_calls_and_dials_no_more(self) -> None:
        fleet = Fleet(plan(), callees=[callees(*[LISTENS] * 4)]).run(START_MS + 1_500)
        fleet.kernel.apply(CampaignClosed(1))
        assert standings(fleet.run()) == [SENT] * 2 + [WAITING] * 2

    def test_an_aborted_campaign_hangs_up_at_once(self) -> None:
        """The first call has talked for 5 s, and the second has rung for 1 s. Neither is retried."""
        fleet = Fleet(plan(frequency=12, maxretry=5, completion_maxretry=5), callees=[callees(*[LISTENS] * 4)])
        fleet.run(START_MS + 9_000)
        fleet.kernel.apply(CampaignClosed(1, is_aborted=True))
        fleet.run()
        assert [(cdr.duration, cdr.billsec, cdr.hangup_cause_q850) for cdr in fleet.store.cdrs] == [
            (9, 4, 16),
            (4, 0, 16),
        ]
        aborted = (SubscriberStatus.ABORT, "aborted")
        assert standings(fleet) == [aborted] * 2 + [WAITING] * 2


class TestMoney:
    def test_a_call_is_cut_to_what_the_balance_can_pay_for(self) -> None:
        """The balance pays for three minutes at 0.06, and the campaign allows ten."""
        fleet = Fleet(
            plan(callmaxduration_s=600), callees=[callees("+12025550121")], balance=20_000, rate=Rate(6_000)
        ).run()
        assert [(cdr.billsec, cdr.call_cost) for cdr in fleet.store.cdrs] == [(180, 18_000)]

    def test_campaigns_that_share_the_last_money_call_exactly_as_often_as_it_pays_for(self) -> None:
        """Five campaigns with three callees each share the money for seven calls of a minute."""
        plans = [plan(index, callmaxduration_s=60) for index in range(1, 6)]
        fleet = Fleet(*plans, callees=[callees(*[LISTENS] * 3)] * 5, balance=7 * 6_000 + 5_999, rate=Rate(6_000)).run()
        assert (len(fleet.dials), fleet.balance - fleet.store.spent[1]) == (7, 5_999)
        assert {move[1:] for move in fleet.moves if move[2] is CampaignStatus.PAUSE} == {
            (index, CampaignStatus.PAUSE, "no_credit") for index in range(1, 6)
        }

    def test_money_that_a_call_did_not_use_is_there_for_the_next(self) -> None:
        """The balance pays for one minute. The busy call needs none of it, so the other call follows after 1 s."""
        fleet = Fleet(
            plan(callmaxduration_s=60, frequency=600), callees=[callees(BUSY, LISTENS)], balance=6_000, rate=Rate(6_000)
        ).run()
        assert (dialled(fleet), fleet.store.spent[1]) == ([(0, 1), (1_000, 2)], 6_000)

    def test_a_balance_below_one_increment_pauses_the_campaign(self) -> None:
        fleet = Fleet(plan(), callees=[callees(LISTENS)], balance=5_999, rate=Rate(6_000)).run(START_MS)
        assert (dialled(fleet), fleet.moves) == ([], [(0, 1, CampaignStatus.PAUSE, "no_credit")])


class TestReports:
    def test_an_end_that_is_reported_twice_counts_once(self) -> None:
        fleet = Fleet(plan(), callees=[callees(BUSY, LISTENS)], rate=Rate(6_000)).run()
        recorded = len(fleet.store.entries)
        for end in fleet.ends:
            fleet.kernel.apply(CallEnded(end.call.id, end.outcome))
        assert len(fleet.store.entries) == recorded

    def test_a_report_of_an_unknown_call_changes_nothing(self) -> None:
        fleet = Fleet(plan(dnc_id=7, dnc_ids=(7,)), callees=[callees(LISTENS)]).run()
        recorded = len(fleet.store.entries)
        fleet.kernel.apply(CallEnded(99, CallOutcome(START_MS, Cause.USER_BUSY)))
        fleet.kernel.apply(DncReached(99))
        assert len(fleet.store.entries) == recorded

    @pytest.mark.parametrize("closing", [(), (CampaignClosed(1),)])
    def test_a_wish_whose_report_was_lost_is_kept_at_the_end_of_its_call(self, closing: tuple[Event, ...]) -> None:
        """So it is where the campaign was aborted meanwhile. The other campaign would dial at 6 s."""
        fleet = Fleet(
            plan(1, flow=WISH),
            plan(2, starting_ms=START_MS + 6_000),
            callees=[callees(LISTENS), callees(LISTENS)],
        ).run(START_MS + 4_000)
        answer = SectionResult(1, SectionType.DNC, "Never again", f"DNC: {LISTENS}", START_MS + 3_000)
        keys = (HeardInput(1_000, 4, "9"), HeardInput(2_000, 1, LEFT))
        outcome = CallOutcome(START_MS + 4_000, Cause.NORMAL_CLEARING, START_MS, results=(answer,), heard=keys)
        for event in (*closing, CallEnded(1, outcome)):
            fleet.kernel.apply(event)
        proof = Proof(WishSource.KEY, campaign_id=1, callrequest_id=1, section_id=4, said="9")
        wish = effects.KeepWish(1, None, LISTENS, proof, is_simulated=fleet.dials[0].is_simulated)
        assert list(fleet.effects(effects.KeepWish)) == [wish]
        assert dialled(fleet.run(), 2) == []

    def test_a_wish_that_was_reported_is_kept_once(self) -> None:
        fleet = Fleet(plan(flow=WISH), callees=[callees(LISTENS)]).run()
        assert [wish.number for wish in fleet.effects(effects.KeepWish)] == [LISTENS]

    @pytest.mark.parametrize("event", [CampaignClosed(99), CampaignClosed(99, is_aborted=True)])
    def test_an_unknown_campaign_can_be_closed(self, event: CampaignClosed) -> None:
        fleet = Fleet(plan(), callees=[callees(LISTENS)])
        fleet.kernel.apply(event)
        assert standings(fleet.run()) == [SENT]

    def test_every_call_is_on_record_before_it_ends(self) -> None:
        fleet = Fleet(plan(), callees=[callees(BUSY, LISTENS)]).run()
        kinds = [(type(effect), effect.call.id) for _, effect in fleet.store.entries if hasattr(effect, "call")]
        assert kinds == [
            (call_effects.Dial, 1),
            (call_effects.FinishCall, 1),
            (call_effects.Dial, 2),
            (call_effects.FinishCall, 2),
        ]


def test_a_campaign_ends_once_though_an_inbound_call_goes_on() -> None:
    """The first callee calls back at 25 s and talks until 31 s. The campaign's last call ends at 28 s."""
    shown = "+33199009999"
    missed = {"outcome": "no_answer", "call_back_after": 5}
    heard = {"outcome": "answer", "ring": 1, "hang_up_after": 7}
    (first, _), (second, _) = callees = numbers(2)
    one = plan(callerid=shown, ring_limit_ms=20_000)
    fleet = Fleet(
        one,
        callees=[callees],
        gateway=GatewayPlan(FIRST, max_channels=1),
        parameters={"listen": 1, "post_dial_delay": 0, "numbers": {first: missed, second: heard}},
    )
    fleet.kernel.apply(DidOpened(1, 1, shown, one))
    fleet.run()
    ((came_in_until_ms, _),) = (
        entry for entry in fleet.store.entries if isinstance(entry[1], call_effects.FinishInbound)
    )
    assert came_in_until_ms > START_MS + 28_000
    assert fleet.moves == [(28_000, 1, CampaignStatus.END, "completed")]
