"""Previews: an agent sees a person before the call, and nobody is dialled whom no agent wants to call.

Times count from the start in milliseconds. The first campaign is `plan(1)`, and its subscribers have the ids from 1.
"""

from datetime import time
from typing import Any, Final

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from dialer.domain.calling_times.calendars import Calendar
from dialer.domain.calls import agent_effects, call_effects, campaign_effects, effects
from dialer.domain.calls.agent_events import AgentOpened, QueueOpened
from dialer.domain.calls.campaign_events import (
    AccountOpened,
    CampaignOpened,
    GatewayOpened,
    NumberStopped,
    OfferedClaimed,
)
from dialer.domain.calls.plans import CampaignPlan
from dialer.domain.engine.preview_orders import SKIPS_MAX
from dialer.domain.numbers.destinations import Destinations
from dialer.domain.queueing.plans import AgentPlan, DeskAction, Preview, PreviewOrder, QueuePlan, TierPlan
from dialer.domain.survey.callflow import CallFlow
from dialer.domain.survey.survey import Prompt, Section, Survey
from dialer.domain.words.enums import AgentStatus, CampaignStatus, DialMethod, SectionType, SubscriberStatus
from dialer.domain.words.proof import Proof, WishSource
from tests.domain.workers import START_MS, Diary, Fleet, numbers, plan

TO_AGENTS: Final = CallFlow(
    Survey((Section(1, SectionType.CALL_TRANSFER, "Hello", Prompt(audio_ms=1_000), queue_id=1),))
)
ANSWERS: Final = {"answer": 1, "busy": 0, "rejected": 0, "invalid": 0, "machine": 0, "ring": 5, "talk": 30}
"""A population that answers after 5 seconds and talks with the agent for 30 seconds."""
AT_DESK: Final = '{"at_desk": true}'
TALKS: Final = '{"at_desk": true, "answer": 1, "talk": 20}'
AVAILABLE, ON_BREAK = AgentStatus.AVAILABLE, AgentStatus.ON_BREAK
PENDING: Final = SubscriberStatus.PENDING


def previewed(campaign_id: int = 1, **settings: Any) -> CampaignPlan:  # noqa: ANN401 - any field of a plan
    """Return a campaign whose agents of queue 1 have a minute to decide about each person."""
    return plan(campaign_id, **{"flow": TO_AGENTS, "dial_method": DialMethod.PREVIEW} | settings)


class Rows(Diary):
    """A store that reads subscribers by their ids, as the rows of the service do, and keeps the rows of agents."""

    def __init__(self) -> None:
        super().__init__()
        self.agents: dict[int, AgentPlan] = {}
        self.people: dict[int, Any] = {}

    def record(self, effect: effects.Recorded, now_ms: int) -> None:
        if isinstance(effect, agent_effects.KeepPreview):
            document = "" if effect.preview is None else msgspec.json.encode(effect.preview).decode()
            self.agents[effect.agent_id] = replace(self.agents[effect.agent_id], preview=document, preview_order="")
        elif isinstance(effect, agent_effects.KeepAgent) and effect.status is not None:
            self.agents[effect.agent_id] = replace(self.agents[effect.agent_id], status=effect.status)
        super().record(effect, now_ms)

    def claim_offered(self, claim: campaign_effects.ClaimOffered) -> OfferedClaimed:
        one = self.people.get(claim.subscriber.id)
        if one is None or self.standing(one.id).status is not PENDING:
            return OfferedClaimed(claim.campaign_id, claim.agent_id, None)
        return super().claim_offered(replace_subscriber(claim, one))


def replace_subscriber(claim: campaign_effects.ClaimOffered, subscriber: Any) -> campaign_effects.ClaimOffered:  # noqa: ANN401 - a Subscriber
    return campaign_effects.ClaimOffered(claim.campaign_id, claim.agent_id, subscriber)


class Desks(Fleet):
    """Campaigns with agents of queue 1, who decide at their desks unless their parameters say otherwise."""

    store: Rows

    def __init__(self, *plans: CampaignPlan, agents: int = 1, parameters: str = AT_DESK, people: int = 3) -> None:
        self._agents = [AgentPlan(agent_id, 1, AVAILABLE, parameters=parameters) for agent_id in range(1, agents + 1)]
        callees = [numbers(people) for _ in plans]
        super().__init__(*plans, callees=callees, parameters=ANSWERS)

    def _new_store(self) -> Rows:
        rows = Rows()
        rows.agents.update({one.id: one for one in self._agents})
        return rows

    def _open(self, plan_: CampaignPlan, callees: list[tuple[str, str]]) -> None:
        if not self.members:
            self.tell_floor()
        super()._open(plan_, callees)
        self.store.people.update({one.id: one for one in self.members[plan_.id]})

    def _tell(self, calls_to_restore: Any, **told: Any) -> None:  # noqa: ANN401 - the arguments of a fleet
        if calls_to_restore or not self.kernel._engine.engine_state.accounts:  # noqa: SLF001 - a new engine
            self.tell_floor()
        super()._tell(calls_to_restore, **told)

    def tell_floor(self) -> None:
        """Give the engine the rows of all agents and of the queue."""
        for agent in self.store.agents.values():
            self.kernel.apply(AgentOpened(agent))
        tiers = tuple(TierPlan(agent_id) for agent_id in self.store.agents)
        self.kernel.apply(QueueOpened(QueuePlan(1, tiers=tiers)))

    def write(self, agent_id: int, **values: Any) -> None:  # noqa: ANN401 - any column
        """Change the row of an agent, and tell the engine."""
        self.store.agents[agent_id] = replace(self.store.agents[agent_id], **values)
        self.kernel.apply(AgentOpened(self.store.agents[agent_id]))

    def preview(self, agent_id: int = 1) -> Preview | None:
        """Return what an agent sees."""
        document = self.store.agents[agent_id].preview
        return msgspec.json.decode(document, type=Preview) if document else None

    def order(self, action: DeskAction, agent_id: int = 1) -> None:
        """Order something about the person whom an agent sees, as their row says."""
        seen = self.preview(agent_id)
        if seen is not None and seen.call_id is None:
            self.give(agent_id, PreviewOrder(action, seen.campaign_id, seen.subscriber_id, seen.from_ms))

    def give(self, agent_id: int, order: PreviewOrder) -> None:
        self.write(agent_id, preview_order=msgspec.json.encode(order).decode())

    def after(self, ms: int) -> "Desks":
        """Let time pass."""
        self.kernel.run(self.kernel.now_ms + ms)
        return self

    @property
    def dialled(self) -> list[tuple[int, int]]:
        """Return the times of the dials and the ids of the subscribers."""
        return [(call.started_ms - START_MS, call.subscriber.id) for call in self.dials]

    def sees(self, agent_id: int = 1) -> int | None:
        """Return the subscriber whom an agent sees."""
        seen = self.preview(agent_id)
        return None if seen is None else seen.subscriber_id


def test_an_agent_sees_a_person_calls_them_and_talks_with_them() -> None:
    """The callee comes to the queue 7 s after the dial, and the agent takes the call a second later."""
    desks = Desks(previewed()).after(20_000)
    assert (desks.sees(), desks.dialled) == (1, [])
    desks.order(DeskAction.CALL)
    desks.after(8_000)
    (_, transfer), *_ = desks.store.transfers.values()
    assert (desks.dialled, transfer.agent_id, desks.sees()) == ([(20_000, 1)], 1, None)
    assert (transfer.joined_ms - START_MS, transfer.answered_ms) == (27_000, START_MS + 28_000)
    desks.after(60_000)
    assert (desks.sees(), desks.dialled) == (2, [(20_000, 1)])


def test_each_free_agent_sees_somebody_else() -> None:
    desks = Desks(previewed(), agents=4).after(1_000)
    assert [desks.sees(agent_id) for agent_id in (1, 2, 3, 4)] == [1, 2, 3, None]


def test_somebody_skipped_is_seen_again_after_the_interval_and_not_after_the_last_skip() -> None:
    desks = Desks(previewed(intervalretry_ms=120_000), people=1).after(1_000)
    for skips in range(1, SKIPS_MAX + 1):
        assert desks.sees() == 1
        desks.order(DeskAction.SKIP)
        desks.after(119_000)
        assert (desks.sees(), desks.store.people[1].skips) == (None, skips)
        desks.after(2_000)
    standing = desks.store.standing(1)
    assert (standing.status, standing.reason, desks.dialled) == (SubscriberStatus.FAIL, "skipped", [])
    assert desks.moves[-1][2:] == (CampaignStatus.END, "completed")


def test_an_agent_who_does_not_decide_goes_on_a_break_and_another_sees_the_person_later() -> None:
    desks = Desks(previewed(preview_ms=30_000, intervalretry_ms=90_000), people=1).after(29_999)
    assert desks.sees() == 1
    desks.after(1)
    assert (desks.sees(), desks.store.agents[1].status, desks.dialled) == (None, ON_BREAK, [])
    assert (desks.store.standing(1).status, desks.store.people[1].skips) == (PENDING, 0)
    desks.write(1, status=AVAILABLE)
    assert desks.after(89_999).sees() is None
    assert desks.after(1).sees() == 1


def test_the_campaign_can_call_when_the_time_is_over() -> None:
    desks = Desks(previewed(preview_ms=30_000, preview_calls=True), people=1).after(40_000)
    assert (desks.dialled, desks.store.agents[1].status) == ([(30_000, 1)], AVAILABLE)


@pytest.mark.parametrize("status", [ON_BREAK, AgentStatus.LOGGED_OUT])
def test_a_person_is_seen_by_another_agent_once_the_first_one_leaves(status: AgentStatus) -> None:
    desks = Desks(previewed(), agents=2, people=1).after(1_000)
    assert (desks.sees(1), desks.sees(2)) == (1, None)
    desks.write(1, status=status)
    assert (desks.after(1_500).sees(1), desks.sees(2)) == (None, 1)
    desks.order(DeskAction.CALL, 2)
    assert desks.after(1).dialled == [(2_500, 1)]


def test_nobody_sees_anybody_of_a_paused_campaign() -> None:
    desks = Desks(previewed()).after(1_000)
    desks.kernel.apply(CampaignOpened(previewed(), CampaignStatus.PAUSE, 0, ("",)))
    desks.order(DeskAction.CALL)
    assert (desks.after(5_000).sees(), desks.dialled) == (None, [])
    desks.kernel.apply(CampaignOpened(previewed(), CampaignStatus.START, 0, ("",)))
    assert desks.after(5_000).sees() == 1


def test_a_wish_not_to_be_called_ends_the_look() -> None:
    desks = Desks(previewed()).after(1_000)
    desks.kernel.apply(NumberStopped(1, None, desks.members[1][0].number, Proof(WishSource.TEXT)))
    desks.order(DeskAction.CALL)
    desks.after(1)
    assert (desks.dialled, desks.sees()) == ([], 2)
    assert desks.store.standing(1).reason == "dnc"


def test_a_row_that_changed_ends_the_look() -> None:
    """The subscriber is on a list now, or waits no more. Reading the campaign again says so."""
    desks = Desks(previewed(dnc_ids=(7,)), agents=2).after(1_000)
    desks.store.add_dnc(7, [desks.members[1][0].number])
    desks.store.record(campaign_effects.CompleteSubscriber(1, 2, desks.members[1][1].number), desks.kernel.now_ms)
    desks.tell_again()
    assert (desks.after(10).sees(1), desks.sees(2)) == (3, None)
    assert desks.store.standing(1).reason == "dnc"


def test_an_account_that_may_not_call_the_number_any_more_ends_the_look() -> None:
    desks = Desks(previewed(), agents=2).after(1_000)
    assert (desks.sees(1), desks.sees(2)) == (1, 2)
    desks.kernel.apply(AccountOpened(1, 10**9, 0, desks.rate, destinations=Destinations(frozenset({"DE"}))))
    assert (desks.after(10).sees(1), desks.sees(2)) == (None, None)
    assert [desks.store.standing(one).reason for one in (1, 2, 3)] == ["destination"] * 3


def test_a_gateway_that_makes_a_number_impossible_ends_the_look() -> None:
    desks = Desks(previewed())
    desks.members[1][0].number = "+3319900"
    assert desks.after(1_000).sees() == 1
    desks.kernel.apply(GatewayOpened(replace(desks.gateways[0], protocol="trunk")))
    assert desks.after(10).sees() == 2
    assert desks.store.standing(1).reason == "invalid_number"


def test_nobody_is_called_after_the_calling_hours() -> None:
    """The window closes two seconds after the start, and the person is seen again when it opens."""
    hours = Calendar(start=time(9), stop=time(10, 0, 2))
    desks = Desks(previewed(calendar=hours, preview_ms=3_600_000)).after(60_000)
    assert desks.sees() == 1
    desks.order(DeskAction.CALL)
    assert (desks.after(60_000).sees(), desks.dialled) == (None, [])
    assert desks.after(23 * 3_600_000).sees() == 1


def test_an_order_about_another_look_does_nothing() -> None:
    desks = Desks(previewed()).after(1_000)
    seen = desks.preview()
    assert seen is not None
    desks.give(1, PreviewOrder(DeskAction.CALL, 1, seen.subscriber_id, seen.from_ms - 1))
    desks.after(1)
    assert (desks.dialled, desks.sees(), desks.store.agents[1].preview_order) == ([], 1, "")


def test_an_agent_who_looks_gets_no_other_call() -> None:
    """The progressive campaign for the same agents dials only for the one who sees nobody."""
    progressive = plan(2, flow=TO_AGENTS, dial_method=DialMethod.PROGRESSIVE)
    desks = Desks(previewed(), progressive, agents=1, people=2).after(20_000)
    assert (desks.sees(), desks.dialled) == (1, [])


def test_a_caller_who_waits_goes_before_a_look() -> None:
    """Calls of another campaign come to the queue. The person whom the agent saw waits, and is seen after the talk."""
    others = plan(2, flow=TO_AGENTS, frequency=1, starting_ms=START_MS + 10_000)
    desks = Desks(previewed(), others, parameters=TALKS, people=1).after(9_000)
    assert desks.sees() == 1
    desks.after(9_000)
    taken = [one for _, one in desks.store.transfers.values() if one.answered_ms is not None]
    assert (desks.sees(), len(taken)) == (None, 1)
    assert all(not one.is_abandoned for one in taken)
    assert desks.after(60_000).sees() == 1
    desks.order(DeskAction.CALL)
    assert desks.after(30_000).dialled[-1][1] == 1


def test_only_as_many_looks_end_as_callers_wait_and_a_call_that_is_ordered_goes_on() -> None:
    others = plan(2, flow=TO_AGENTS, frequency=1, starting_ms=START_MS + 10_000)
    desks = Desks(previewed(), others, agents=3, parameters=TALKS, people=3).after(9_900)
    first = [desks.sees(agent_id) for agent_id in (1, 2, 3)]
    assert None not in first
    desks.after(8_000)
    assert [desks.sees(agent_id) for agent_id in (1, 2, 3)] == [None, *first[1:]]


def test_a_full_campaign_shows_nobody_further() -> None:
    desks = Desks(previewed(max_aleg=1), agents=2).after(1_000)
    assert (desks.sees(1), desks.sees(2)) == (1, None)
    desks.order(DeskAction.CALL)
    assert (desks.after(1_000).dialled, desks.sees(2)) == ([(1_000, 1)], None)
    assert desks.after(60_000).sees(2) == 2


def test_a_call_that_nobody_answers_lets_its_agent_see_the_next_person() -> None:
    desks = Desks(previewed(ring_limit_ms=2_000)).after(1_000)
    desks.order(DeskAction.CALL)
    assert (desks.after(4_000).sees(), desks.dialled) == (2, [(1_000, 1)])


def test_an_agent_dials_a_person_whom_they_have_chosen() -> None:
    """The person whom the agent saw before waits. Somebody who was called already is not called again."""
    desks = Desks(previewed(), people=3).after(1_000)
    desks.give(1, PreviewOrder(DeskAction.DIAL, 1, 3, START_MS + 1_000))
    assert desks.after(1).dialled == [(1_000, 3)]
    assert desks.after(60_000).sees() == 1
    desks.give(1, PreviewOrder(DeskAction.DIAL, 1, 3, START_MS + 61_000))
    assert (desks.after(2_000).dialled, desks.sees()) == ([(1_000, 3)], 2)


def test_somebody_chosen_outside_of_the_hours_keeps_a_later_time_of_their_own() -> None:
    """The window closes a minute after the start, and the person was skipped for two hours before."""
    hours = Calendar(start=time(9), stop=time(10, 1))
    desks = Desks(previewed(calendar=hours, intervalretry_ms=7_200_000), people=1).after(1_000)
    desks.order(DeskAction.SKIP)
    desks.after(70_000)
    desks.give(1, PreviewOrder(DeskAction.DIAL, 1, 1, START_MS + 71_000))
    assert (desks.after(5_000).sees(), desks.dialled) == (None, [])
    assert desks.store.people[1].due_ms == START_MS + 1_000 + 7_200_000


def test_two_agents_cannot_have_the_same_person() -> None:
    desks = Desks(previewed(), agents=2).after(1_000)
    assert desks.sees(2) == 2
    desks.give(1, PreviewOrder(DeskAction.DIAL, 1, 2, START_MS + 1_000))
    assert (desks.after(1).dialled, desks.sees(2), desks.store.agents[1].preview_order) == ([], 2, "")


def test_a_restart_forgets_neither_what_agents_see_nor_what_they_want() -> None:
    desks = Desks(previewed(), agents=2).after(1_000)
    desks.order(DeskAction.CALL, 2)
    desks.restart()
    desks.after(1_000)
    assert (desks.sees(1), desks.dialled) == (1, [(1_000, 2)])
    desks.restart()
    desks.order(DeskAction.CALL, 1)
    desks.after(9_000)
    assert desks.dialled == [(1_000, 2), (2_000, 1)]
    assert sorted((call.subscriber.id, one.agent_id) for call, one in desks.store.transfers.values()) == [
        (1, 1),
        (2, 2),
    ]


def test_a_chosen_person_is_dialled_though_their_agent_asks_for_another_in_a_restart() -> None:
    desks = Desks(previewed(max_aleg=1, ring_limit_ms=2_000), agents=2, people=4).after(1_000)
    desks.order(DeskAction.CALL)
    desks.give(2, PreviewOrder(DeskAction.DIAL, 1, 3, START_MS + 1_000))
    desks.after(500).give(2, PreviewOrder(DeskAction.DIAL, 1, 4, START_MS + 1_500))
    desks.restart()
    assert desks.after(3_000).dialled == [(1_000, 1), (3_000, 3)]


STEPS: Final = st.lists(
    st.tuples(
        st.sampled_from(
            ["call", "skip", "dial", "break", "work", "pause", "start", "wish", "tell", "restart", "stale", "wait"]
        ),
        st.integers(1, 3),
        st.integers(1, 6),
        st.sampled_from([0, 1, 999, 5_000, 31_000, 100_000]),
    ),
    max_size=25,
)


class Rules:
    """The rules that hold whatever agents, users and processes do."""

    def __init__(self, desks: Desks, *, calls_by_itself: bool) -> None:
        self._desks: Final = desks
        self._calls_by_itself: Final = calls_by_itself
        self._wanted: set[int] = set()
        self._stopped: set[int] = set()
        self._checked = 0

    def take(self, step: str, agent_id: int, subscriber_id: int) -> None:
        desks = self._desks
        seen = desks.sees(agent_id)
        if step in {"call", "skip"} and seen is not None:
            self._wanted |= {seen} if step == "call" else set()
            desks.order(DeskAction(step), agent_id)
        elif step == "dial":
            self._wanted.add(subscriber_id)
            campaign_id = 1 if subscriber_id <= len(desks.members[1]) else 2
            desks.give(agent_id, PreviewOrder(DeskAction.DIAL, campaign_id, subscriber_id, desks.kernel.now_ms))
        elif step in {"break", "work"}:
            desks.write(agent_id, status=ON_BREAK if step == "break" else AVAILABLE)
        elif step in {"pause", "start"}:
            status = CampaignStatus.PAUSE if step == "pause" else CampaignStatus.START
            desks.kernel.apply(CampaignOpened(desks.plans[0], status, 0, ("",)))
        elif step == "wish":
            self._stopped.add(subscriber_id)
            desks.kernel.apply(NumberStopped(1, None, desks.store.people[subscriber_id].number, Proof(WishSource.TEXT)))
        elif step == "stale":
            desks.give(agent_id, PreviewOrder(DeskAction.CALL, 1, subscriber_id, 0))
        elif step in {"tell", "restart"}:
            (desks.tell_again if step == "tell" else desks.restart)()

    def check(self) -> None:
        store = self._desks.store
        in_calls = {call.subscriber.id for call in self._desks.dials} - {
            end.call.subscriber.id for end in self._desks.ends
        }
        for _, effect in store.entries[self._checked :]:
            if isinstance(effect, call_effects.Dial):
                subscriber_id = effect.call.subscriber.id
                assert subscriber_id in self._wanted or self._calls_by_itself, "nobody wanted to call this person"
                assert subscriber_id not in self._stopped, "the person did not want to be called"
        self._checked = len(store.entries)
        seen = [self._desks.preview(agent_id) for agent_id in store.agents]
        looks = [one.subscriber_id for one in seen if one is not None]
        assert len(looks) == len(set(looks)), "two agents see the same person"
        for one in seen:
            if one is not None and one.call_id is None:
                assert store.standing(one.subscriber_id).status is PENDING
                assert one.subscriber_id not in in_calls


@given(STEPS, st.booleans(), st.integers(1, 3))
def test_whatever_happens_nobody_is_dialled_whom_no_agent_wants_and_nobody_is_seen_twice(
    steps: list[tuple[str, int, int, int]],
    calls_by_itself: bool,  # noqa: FBT001 - drawn
    agents: int,
) -> None:
    """Orders, breaks, pauses, wishes, reads of rows, and restarts come in any order."""
    settings: dict[str, Any] = {"preview_ms": 30_000, "preview_calls": calls_by_itself, "intervalretry_ms": 20_000}
    desks = Desks(previewed(1, maxretry=1, **settings), previewed(2, **settings), agents=agents)
    rules = Rules(desks, calls_by_itself=calls_by_itself)
    for step, agent_id, subscriber_id, wait_ms in steps:
        if agent_id <= agents:
            rules.take(step, agent_id, subscriber_id)
        desks.after(wait_ms)
        rules.check()
    assert all(start.attempt == 1 or start.plan.maxretry for start in desks.dials)
