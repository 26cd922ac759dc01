"""Event kernel: a heap of future events, one of wake-ups, an engine that decides, a carrier, a store that records.

Events of one millisecond have a fixed order that depends only on the events themselves. First come events within calls,
then the ends of calls (both by call id). Then come B-legs to dial over lines, third persons, agents who take calls,
queues, inbound calls, gateways, campaigns, and the watchdog. So a run that was stopped after any millisecond, and
rebuilt from its records, continues exactly as it would have.
"""

from collections import deque
from collections.abc import Callable
from heapq import heappop, heappush
from itertools import count
from typing import Any, Final, Protocol, get_args

from dialer.carriers.engine_port import CallPlacer, Milestone
from dialer.domain.calls import (
    agent_effects,
    agent_events,
    call_effects,
    call_events,
    campaign_effects,
    campaign_events,
    effects,
    events,
    text_effects,
    text_events,
)
from dialer.domain.calls.plans import Call, GatewayKey
from dialer.domain.engine.engine import Engine
from dialer.domain.queueing.plans import PreviewOrder
from dialer.domain.words.exhaustive import exhaustive
from dialer.runtime.steps.desk_steps import DeskSteps

_FollowUp = tuple[events.Event, ...]


class CampaignStore(Protocol):
    """Store of an engine: it records effects, and finds the subscribers that the engine claims.

    A claim or a count sees every effect recorded before it. A store that buffers effects must write them first.
    """

    def claim_fresh(self, claim: campaign_effects.ClaimFresh) -> campaign_events.FreshClaimed:
        """Return subscribers without a call so far, lowest id first."""

    def claim_retries(self, claim: campaign_effects.ClaimRetries) -> campaign_events.RetriesClaimed:
        """Return subscribers who wait for a retry, in the order of their due times."""

    def claim_again(self, claim: campaign_effects.ClaimAgain) -> campaign_events.SubscriberClaimedAgain:
        """Return the current state of a subscriber who waits for a retry."""

    def claim_offered(self, claim: campaign_effects.ClaimOffered) -> campaign_events.OfferedClaimed:
        """Return the current state of a subscriber whom an agent sees before the call."""

    def count_subscribers(self, request: campaign_effects.CountSubscribers) -> campaign_events.SubscribersCounted:
        """Return whether a campaign has subscribers, and whether any of them are open."""

    def check_number(self, check: campaign_effects.CheckNumber) -> campaign_events.NumberChecked:
        """Return whether a number is on a do-not-call list."""

    def check_text(self, check: text_effects.CheckText) -> text_events.TextChecked:
        """Return whether a text message that waits is still on record, and its number on a do-not-call list."""

    def find_caller(self, request: call_effects.FindCaller) -> call_events.CallerFound:
        """Return the subscriber who is calling in over a line, or a caller whom the campaign does not know."""

    def take_call_back(self, arrived: call_events.CallArrived) -> call_events.CallArrived | None:
        """Stop expecting a callback, and return it with its caller's current state, or None if it was deleted."""

    def record(self, effect: effects.Recorded, now_ms: int) -> None:
        """Store an effect of the engine."""


# Ranks: the order of events within one millisecond.
_IN_CALL: Final = 0
_CALL_ENDED: Final = 1
_LEG_DUE: Final = 2
_THIRD: Final = 3
_AGENT: Final = 4
_FLOOR: Final = 5
_INBOUND: Final = 6
_GATEWAY: Final = 7
_CAMPAIGN: Final = 8
_WATCHDOG: Final = 9
_RANKS: Final = {call_events.CallEnded: _CALL_ENDED, call_events.LegDue: _LEG_DUE}
"""Ranks of the milestones that are not within a call."""
_ENDED: Final = call_events.CallEnded
_WITHOUT_END: Final = 1 << 62
"""More events than any run has."""
_WAKE_UPS: Final = frozenset({_FLOOR, _GATEWAY, _CAMPAIGN, _WATCHDOG})
_DECIDED_BY_THE_ENGINE: Final = frozenset({call_events.TransferReached, call_events.CallerLeft})
"""Events after which a call waits for a reply from the engine. After any other event it continues by itself."""


class Kernel:
    """Driver of an engine through time, up to a given moment."""

    def __init__(self, engine: Engine, carrier: CallPlacer, store: CampaignStore, *, now_ms: int) -> None:
        self._engine: Final = engine
        self._carrier: Final = carrier
        self._store: Final = store
        self._record: Final = store.record
        self._heap: list[tuple[int, int, Any, int, events.Event]] = []
        """Events with their moment, rank and key: keys of one rank are of one type, most of them ids."""
        self._sequence = count()
        self._expected: Final[dict[int, int]] = {}
        """Sequence number of the valid heap entry of each call. Other entries of the call are outdated."""
        self._answers: Final[dict[int, int]] = {}
        """Sequence number of the valid heap entry of each agent: their answer to the last call offered to them."""
        self._desks: Final = DeskSteps(self, carrier)
        self._wakes: Final[list[tuple[int, int, Any]]] = []
        """A heap for wake-ups alone: few are expected, and nearly all are due before the ends of most calls."""
        self._woken: Final[dict[tuple[int, int, Any], events.Event]] = {}
        """The event of each wake-up on that heap. One that is already there is not added again."""
        performers: dict[type, Callable[[Any], _FollowUp] | None] = {
            **dict.fromkeys(get_args(effects.Recorded)),
            **dict.fromkeys(get_args(effects.Question), self._claim),
            call_effects.Dial: self._dial,
            text_effects.SendText: self._send_text,
            call_effects.AnswerCall: self._dial,
            agent_effects.WaitForAgent: self._wait,
            agent_effects.OfferCall: self._offer,
            agent_effects.OfferPerson: self._offer_person,
            agent_effects.WithdrawOffer: self._withdraw,
            call_effects.DialLeg: self._dial_leg,
            agent_effects.BridgeCall: self._bridge,
            call_effects.ResumeCall: self._resume,
            call_effects.HangUp: self._hang_up,
            **self._desks.performers,
            call_effects.GiveUpCall: self._give_up,
            campaign_effects.ExpectCallBack: self._expect_call_back,
            effects.WakeDistributor: self._wake_floor,
            effects.WakeWatchdog: self._wake_watchdog,
            effects.WakeCampaign: self._wake_campaign,
            effects.WakeGateway: self._wake_gateway,
            call_effects.TurnAway: self._turn_away,
        }
        self._performers: Final = exhaustive(effects.Effect, performers)
        """Functions that perform an effect and return the events that follow. None: the effect is only recorded."""
        claims: dict[type, Callable[[Any], events.Event]] = {
            campaign_effects.ClaimFresh: store.claim_fresh,
            campaign_effects.ClaimRetries: store.claim_retries,
            campaign_effects.ClaimAgain: store.claim_again,
            campaign_effects.ClaimOffered: store.claim_offered,
            campaign_effects.CountSubscribers: store.count_subscribers,
            campaign_effects.CheckNumber: store.check_number,
            text_effects.CheckText: store.check_text,
            call_effects.FindCaller: store.find_caller,
        }
        self._claims: Final = exhaustive(effects.Question, claims)
        self.now_ms = now_ms
        """Time up to which everything due was handled."""
        self.at_work: events.Event | effects.Effect | None = None
        """The event or the effect that is being handled, or whose handling has failed; None between two calls."""
        self.last: events.Event | None = None
        """The last event that was passed to the engine, without those that followed from its effects."""

    @property
    def next_due_ms(self) -> int | None:
        """Time of the next event; None if there is none."""
        return min((heap[0][0] for heap in (self._heap, self._wakes) if heap), default=None)

    def apply(self, event: events.Event) -> None:
        """Apply an event at the present time, with all effects."""
        self.at_work = self.last = event
        self._perform(self._engine.handle(self.now_ms, event))
        self.at_work = None

    def restore(self, call: Call, done_until_ms: int) -> None:
        """Restore a call in progress that was placed before this kernel was created.

        Its events up to `done_until_ms` are on record already.
        """
        self.at_work = call_events.CallRestored(call)
        restored, milestone = self._carrier.take_up(call, done_until_ms)
        self._expect_if(call.id, milestone)
        self.apply(restored)

    def expect_call_back(self, at_ms: int, event: call_events.CallArrived) -> None:
        """Restore a callback that was expected before this kernel was created."""
        self._push(at_ms, _INBOUND, event.missed_call_id, event)

    def run(self, until_ms: int, events_max: int = _WITHOUT_END) -> bool:
        """Handle the events that are due until `until_ms`. Return whether all of them were handled.

        With `events_max`, the run stops after about that many events, at the end of a millisecond. The caller can then
        commit before it continues.
        """
        heap, wakes, happen, left = self._heap, self._wakes, self._happen, events_max
        while heap or wakes:
            is_wake = not heap or (bool(wakes) and wakes[0] < heap[0])
            at_ms = wakes[0][0] if is_wake else heap[0][0]
            if at_ms > until_ms:
                break
            if left <= 0 and at_ms > self.now_ms:
                self.at_work = None
                return False
            left -= 1
            if is_wake:
                happen(*(wake := heappop(wakes)), 0, self._woken.pop(wake))
            else:
                happen(*heappop(heap))
        self.at_work = None
        self.now_ms = max(self.now_ms, until_ms)
        return True

    def _happen(self, at_ms: int, rank: int, key: Any, sequence: int, event: events.Event) -> None:  # noqa: ANN401 - as on the heap
        """Pass an event to the engine, unless it is outdated or meant for the carrier."""
        self.at_work = self.last = event
        if at_ms > self.now_ms:  # noqa: PLR1730 - three times as fast as max()
            self.now_ms = at_ms
        if rank <= _CALL_ENDED:
            if self._expected.get(key) != sequence:
                return
            if rank == _CALL_ENDED:
                del self._expected[key]
                self._carrier.forget(key)
            elif type(event) not in _DECIDED_BY_THE_ENGINE:
                # The next milestone is scheduled before the engine handles this one, wherever possible.
                self._expect_if(key, self._carrier.proceed(key))
        due = event if rank <= _CALL_ENDED or rank in _WAKE_UPS else self._rare(key, sequence, event)
        if due is not None:
            self._perform(self._engine.handle(self.now_ms, due))

    def _rare(self, key: Any, sequence: int, event: events.Event) -> events.Event | None:  # noqa: ANN401 - as on the heap
        """Return the event for the engine, or None if it is outdated or meant for the carrier."""
        if isinstance(event, call_events.LegDue):
            self._carrier.dial_leg(event.call_id, event.place)
            return None
        if isinstance(event, call_events.CallArrived):
            return self._store.take_call_back(event)
        if isinstance(event, call_events.ThirdAnswered | call_events.LegEnded):
            return event if self._desks.is_due(event) else None
        if self._answers.get(key) != sequence:
            return None
        del self._answers[key]
        return event

    def _perform(self, to_do: list[effects.Effect]) -> None:
        """Perform effects in order. Events that follow from an effect come after all of them.

        If several follow from one effect, each comes after all that followed from the one before, as if the carrier had
        reported them: what a campaign dials in between must not depend on whether it has to claim subscribers first.
        """
        later: deque[events.Event] | None = None
        performers = self._performers
        while True:
            for effect in to_do:
                self.at_work = effect
                perform = performers[type(effect)]
                if perform is None:
                    self._record(effect, self.now_ms)  # type: ignore[arg-type] # the others have a performer
                    continue
                follow_ups = perform(effect)
                if follow_ups:
                    self.at_work = follow_ups[0]
                    to_do.extend(self._engine.handle(self.now_ms, follow_ups[0]))
                    if len(follow_ups) > 1:
                        later = later or deque()
                        later.extend(follow_ups[1:])
            if not later:
                return
            self.at_work = later.popleft()
            to_do = self._engine.handle(self.now_ms, self.at_work)

    def _claim(self, effect: effects.Effect) -> _FollowUp:
        return (self._claims[type(effect)](effect),)

    def _dial(self, effect: call_effects.Dial | call_effects.AnswerCall) -> _FollowUp:
        """Record a call, and let the carrier place it. A carrier that calls people waits for the commit of the step."""
        self._record(effect, self.now_ms)
        call = effect.call
        milestone = self._carrier.dial(call)
        if milestone is not None and type(milestone.event) is _ENDED:  # As `_expect`, for nearly all calls.
            sequence = self._expected[call.id] = next(self._sequence)
            heappush(self._heap, (milestone.at_ms, _CALL_ENDED, call.id, sequence, milestone.event))
            return ()
        return self._expect_if(call.id, milestone)

    def _send_text(self, effect: text_effects.SendText) -> _FollowUp:
        self._record(effect, self.now_ms)
        return self._expect_if(effect.message.id, self._carrier.dial(effect.message))

    def _wait(self, effect: agent_effects.WaitForAgent) -> _FollowUp:
        return self._expect_if(effect.call_id, self._carrier.wait(effect.call_id))

    def _offer(self, effect: agent_effects.OfferCall) -> _FollowUp:
        call, agent = effect.call, effect.agent
        at_ms = self._carrier.offer(call, agent, effect.offered_ms, effect.dialled)
        if at_ms is None:
            return ()
        answered = agent_events.AgentAnswered(call.id, agent.id, effect.offered_ms)
        self._answers[agent.id] = self._push(at_ms, _AGENT, agent.id, answered)
        return ()

    def _offer_person(self, effect: agent_effects.OfferPerson) -> _FollowUp:
        agent, preview = effect.agent, effect.preview
        decision = self._carrier.preview(effect.gateway_id, agent, preview)
        if decision is None:
            return ()
        order = PreviewOrder(decision.action, preview.campaign_id, preview.subscriber_id, preview.from_ms)
        event = campaign_events.PersonDecided(agent.id, order)
        self._answers[agent.id] = self._push(decision.at_ms, _AGENT, agent.id, event)
        return ()

    def _withdraw(self, effect: agent_effects.WithdrawOffer) -> _FollowUp:
        self._carrier.withdraw(effect.call_id, effect.agent_id)
        return ()

    def _dial_leg(self, effect: call_effects.DialLeg) -> _FollowUp:
        milestone = self._carrier.connect(effect.call.id, effect.transfer, effect.dialled)
        return self._expect_if(effect.call.id, milestone)

    def _bridge(self, effect: agent_effects.BridgeCall) -> _FollowUp:
        return self._expect_if(effect.call.id, self._carrier.connect(effect.call.id, effect.transfer))

    def _resume(self, effect: call_effects.ResumeCall) -> _FollowUp:
        return self._expect_if(effect.call_id, self._carrier.resume(effect.call_id, self.now_ms))

    def _hang_up(self, effect: call_effects.HangUp) -> _FollowUp:
        self._expected.pop(effect.call_id, None)
        hung_up = self._carrier.hang_up(effect.call_id, self.now_ms)
        if hung_up is None:
            return ()
        leg, outcome = hung_up
        ended = call_events.CallEnded(effect.call_id, outcome)
        return (ended,) if leg is None else (call_events.LegEnded(effect.call_id, leg), ended)

    def _give_up(self, effect: call_effects.GiveUpCall) -> _FollowUp:
        """Give up a call. Later reports of the carrier about it are ignored."""
        self._expected.pop(effect.call_id, None)
        self._carrier.forget(effect.call_id)
        ended = call_events.CallEnded(effect.call_id, effect.outcome)
        return (ended,) if effect.leg is None else (call_events.LegEnded(effect.call_id, effect.leg), ended)

    def _turn_away(self, effect: call_effects.TurnAway) -> _FollowUp:
        self._carrier.turn_away(effect.gateway_id, effect.key, effect.cause)
        return ()

    def _expect_call_back(self, effect: campaign_effects.ExpectCallBack) -> _FollowUp:
        self._record(effect, self.now_ms)
        call = effect.call
        arrived = call_events.CallArrived(call.id, call.plan.user_id, call.attempt, call.callerid, call.subscriber)
        self.expect_call_back(effect.at_ms, arrived)
        return ()

    def _wake_floor(self, effect: effects.WakeDistributor) -> _FollowUp:
        return self._wake(effect.at_ms, _FLOOR, 0, events.DistributorWoken())

    def _wake_watchdog(self, effect: effects.WakeWatchdog) -> _FollowUp:
        return self._wake(effect.at_ms, _WATCHDOG, 0, events.WatchdogWoken())

    def _wake_campaign(self, effect: effects.WakeCampaign) -> _FollowUp:
        # As `_wake`, without a call for each dial.
        at_ms, campaign_id = effect.at_ms, effect.campaign_id
        wake = (at_ms, _CAMPAIGN, campaign_id)
        if wake not in self._woken:
            self._woken[wake] = campaign_events.CampaignWoken(campaign_id)
            heappush(self._wakes, wake)
        return ()

    def _wake_gateway(self, effect: effects.WakeGateway) -> _FollowUp:
        return self._wake(effect.at_ms, _GATEWAY, effect.gateway_id, campaign_events.GatewayWoken(effect.gateway_id))

    def _wake(self, at_ms: int, rank: int, key: int | GatewayKey, event: events.Event) -> _FollowUp:
        wake = (at_ms, rank, key)
        if wake not in self._woken:
            self._woken[wake] = event
            heappush(self._wakes, wake)
        return ()

    def expect(self, call_id: int, milestone: Milestone | None) -> None:
        """Schedule the next milestone of a call, in place of the one that was expected; None for none."""
        self._expected.pop(call_id, None)
        self._expect_if(call_id, milestone)

    def expect_third(self, call_id: int, milestone: Milestone) -> None:
        """Schedule a milestone of a third person, beside that of the call."""
        if isinstance(milestone.event, call_events.LegDue):
            self._expect(call_id, milestone)
        else:
            self._push(milestone.at_ms, _THIRD, call_id, milestone.event)

    def _expect_if(self, call_id: int, milestone: Milestone | None) -> _FollowUp:
        """Schedule a milestone. A call has none if it was hung up meanwhile, or if its future is not known."""
        if milestone is not None:
            self._expect(call_id, milestone)
        return ()

    def _expect(self, call_id: int, milestone: Milestone) -> None:
        event, sequence = milestone.event, next(self._sequence)
        rank = _RANKS.get(type(event), _IN_CALL)
        if rank != _LEG_DUE:
            self._expected[call_id] = sequence
        heappush(self._heap, (milestone.at_ms, rank, call_id, sequence, event))

    def _push(self, at_ms: int, rank: int, key: int, event: events.Event) -> int:
        sequence = next(self._sequence)
        heappush(self._heap, (at_ms, rank, key, sequence, event))
        return sequence
