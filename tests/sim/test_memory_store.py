"""Tests of the store in memory, compared with a simple model that scans all subscribers."""

from typing import Final

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from dialer.domain.billing.charge import Bill, Rate
from dialer.domain.calls import call_effects, campaign_effects, campaign_events, effects
from dialer.domain.calls.disposition import Disposition
from dialer.domain.calls.plans import Call, CallOutcome, CampaignPlan, Subscriber
from dialer.domain.survey.callflow import CallFlow
from dialer.domain.survey.survey import Survey
from dialer.domain.words.enums import CampaignStatus, Cause, SubscriberStatus
from dialer.domain.words.proof import Proof, WishSource
from dialer.domain.words.reasons import CampaignReason, SubscriberReason
from dialer.sim.simulation_store import Closing, SimulationStore
from tests.gateways import FIRST

PLAN: Final = CampaignPlan(1, 1, FIRST, CallFlow(Survey(())), starting_ms=0, expires_ms=10**9, dnc_id=5, dnc_ids=(5,))
ZONES: Final = ("", "Europe/Paris")


def call_to(subscriber: Subscriber, call_id: int) -> Call:
    return Call(call_id, str(call_id), PLAN, subscriber, subscriber.attempts, 0, 45_000, 60_000, 0, Rate(0))


def finish(call: Call, disposition: Disposition, cost: int) -> call_effects.FinishCall:
    """Return the engine's effect at the end of a call, after setting the subscriber's retry time."""
    call.subscriber.due_ms = disposition.due_ms or call.subscriber.due_ms
    return call_effects.FinishCall(call, CallOutcome(1_000, Cause.USER_BUSY), Bill(1, 0, 0, cost), disposition)


class BookMachine(RuleBasedStateMachine):
    """A state machine of calls that are placed, ended and refused, and of claims."""

    def __init__(self) -> None:
        super().__init__()
        self.store = SimulationStore()
        self.everybody: list[Subscriber] = []
        self.standings: dict[int, SubscriberStatus] = {}
        self.calls: list[Call] = []
        self.dnc: set[str] = set()
        self.spent = self.dialled = 0

    @initialize(zones=st.lists(st.sampled_from(ZONES), min_size=1, max_size=12))
    def open(self, zones: list[str]) -> None:
        self.everybody = [Subscriber(index + 1, f"+1{index}", zone) for index, zone in enumerate(zones)]
        self.standings = {one.id: SubscriberStatus.PENDING for one in self.everybody}
        self.store.add_campaign(1, self.everybody, [5])

    def pending(self) -> list[Subscriber]:
        return [one for one in self.everybody if self.standings[one.id] is SubscriberStatus.PENDING]

    @precondition(lambda self: self.pending())
    @rule(data=st.data())
    def dial(self, data: st.DataObject) -> None:
        subscriber = data.draw(st.sampled_from(self.pending()))
        subscriber.attempts += 1
        self.dialled += 1
        call = call_to(subscriber, self.dialled)
        self.calls.append(call)
        self.standings[subscriber.id] = SubscriberStatus.IN_PROCESS
        self.store.record(call_effects.Dial(call, 0), 0)

    @precondition(lambda self: self.calls)
    @rule(due_ms=st.integers(0, 5), cost=st.integers(0, 9))
    def end(self, due_ms: int, cost: int) -> None:
        call = self.calls.pop(0)
        status = SubscriberStatus.PENDING if due_ms else SubscriberStatus.SENT
        self.standings[call.subscriber.id] = status
        self.spent += cost
        self.store.record(finish(call, Disposition(status, "", 0, 0, due_ms), cost), 1_000)

    @precondition(lambda self: self.pending())
    @rule(data=st.data())
    def refuse(self, data: st.DataObject) -> None:
        subscriber = data.draw(st.sampled_from(self.pending()))
        self.standings[subscriber.id] = SubscriberStatus.NOT_AUTHORIZED
        self.store.record(campaign_effects.RefuseSubscriber(1, subscriber, SubscriberReason.DNC), 0)

    @rule(index=st.integers(0, 11))
    def wish(self, index: int) -> None:
        self.dnc.add(f"+1{index}")
        self.store.record(effects.KeepWish(1, 5, f"+1{index}", Proof(WishSource.KEY)), 0)

    @rule(zone=st.sampled_from(ZONES), after_id=st.integers(0, 12), limit=st.integers(1, 5))
    def claim_fresh(self, zone: str, after_id: int, limit: int) -> None:
        if zone not in self.store.zones(1):
            return
        fresh = [one for one in self.pending() if one.zone == zone and one.attempts == 0 and one.id > after_id]
        claimed = self.store.claim_fresh(campaign_effects.ClaimFresh(1, zone, after_id, limit))
        assert claimed == campaign_events.FreshClaimed(1, zone, fresh[:limit], is_last=len(fresh) < limit)
        self.check_marks(claimed.subscribers)

    @rule(
        zone=st.sampled_from(ZONES),
        after=st.tuples(st.integers(0, 5), st.integers(0, 12)),
        limit=st.integers(1, 5),
    )
    def claim_retries(self, zone: str, after: tuple[int, int], limit: int) -> None:
        if zone not in self.store.zones(1):
            return
        waiting = sorted(
            (one for one in self.pending() if one.zone == zone and one.attempts and (one.due_ms, one.id) > after),
            key=lambda one: (one.due_ms, one.id),
        )
        claimed = self.store.claim_retries(campaign_effects.ClaimRetries(1, zone, *after, limit))
        assert claimed == campaign_events.RetriesClaimed(1, zone, waiting[:limit], is_last=len(waiting) < limit)
        self.check_marks(claimed.subscribers)

    def check_marks(self, subscribers: list[Subscriber]) -> None:
        assert [one.is_on_dnc for one in subscribers] == [one.number in self.dnc for one in subscribers]

    @invariant()
    def counts_agree(self) -> None:
        if not self.everybody:
            return
        has_open = any(
            status in {SubscriberStatus.PENDING, SubscriberStatus.IN_PROCESS} for status in self.standings.values()
        )
        counted = self.store.count_subscribers(campaign_effects.CountSubscribers(1))
        assert counted == campaign_events.SubscribersCounted(1, has_any=True, has_open=has_open)
        assert {one.id: self.store.standing(one.id).status for one in self.everybody} == self.standings
        assert self.store.calls_in_progress == len(self.calls)
        assert (self.store.spent[1], len(self.store.cdrs)) == (self.spent, self.dialled - len(self.calls))


TestBook = BookMachine.TestCase
TestBook.settings = settings(max_examples=100, stateful_step_count=40)


def test_the_first_stop_of_a_campaign_is_the_one_that_counts() -> None:
    """The campaign runs out of credit first, and expires later."""
    store = SimulationStore()
    store.record(campaign_effects.MoveCampaign(1, CampaignStatus.PAUSE, CampaignReason.NO_CREDIT), 5)
    store.record(campaign_effects.MoveCampaign(1, CampaignStatus.END, CampaignReason.EXPIRED), 9)
    assert store.closings == {1: Closing(CampaignStatus.PAUSE, "no_credit", 5)}


def test_a_campaign_without_subscribers_has_none() -> None:
    store = SimulationStore()
    store.add_campaign(1, [])
    assert store.count_subscribers(campaign_effects.CountSubscribers(1)) == campaign_events.SubscribersCounted(
        1, has_any=False, has_open=False
    )
