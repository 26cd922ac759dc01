"""Inbound calls: simulated callees who call back the number that was shown, and anybody who calls over a line."""

from collections import Counter, defaultdict
from typing import Final

from msgspec import structs

from dialer.domain.billing.charge import Rate
from dialer.domain.calls import call_events
from dialer.domain.calls.call_effects import AnswerCall, FindCaller, FinishInbound, RefuseInbound, TurnAway
from dialer.domain.calls.campaign_effects import CompleteSubscriber, CountSubscribers
from dialer.domain.calls.identity import call_uuid
from dialer.domain.calls.plans import NO_SUBSCRIBER, Call, CallOutcome, CampaignPlan, GatewayKey, Subscriber
from dialer.domain.engine.credit import bill
from dialer.domain.engine.state import EngineState, OpenCampaign
from dialer.domain.numbers.normal_form import digits_meant, digits_of
from dialer.domain.numbers.prefixes import number_given
from dialer.domain.words.enums import CampaignStatus, Cause

FREE: Final = Rate(0)
"""The rate of inbound calls, whose callers pay. The A-leg costs the owner nothing; B-legs have their normal rates."""
CALLS_OF_DID_MAX: Final = 500
"""Inbound calls in progress to one number, over lines. Further ones are busy."""
CALLS_OF_ACCOUNT_MAX: Final = 2_000
"""Inbound calls in progress to all numbers of one account."""
ARRIVAL_MS_MAX: Final = 20_000
"""Time from the arrival of a call at a line to its answer. After that, the line refuses it."""


class Inbound:
    """The inbound numbers, and the calls that arrive at them."""

    def __init__(self, engine_state: EngineState) -> None:
        self._state: Final = engine_state
        self._digits: Final[dict[int, frozenset[str]]] = {}
        """The digits of each known number, as written and in normal form, by its id."""
        self._dids: Final[defaultdict[str, dict[int, call_events.DidOpened]]] = defaultdict(dict)
        """The numbers with equal digits, by these digits and by id."""
        self._of_account: Final[Counter[int]] = Counter()
        """Inbound calls in progress of each account that has any."""
        self._of_did: Final[Counter[int]] = Counter()
        """Inbound calls in progress to each number that has any."""

    def open_did(self, now_ms: int, event: call_events.DidOpened) -> None:
        """Add or update a number and the campaign that answers its calls."""
        self.close_did(now_ms, call_events.DidClosed(event.did_id))
        self._digits[event.did_id] = digits_meant(event.written, event.number)
        for digits in self._digits[event.did_id]:
            self._dids[digits][event.did_id] = event

    def close_did(self, _now_ms: int, event: call_events.DidClosed) -> None:
        """Stop answering a number for incoming calls that was deleted."""
        for digits in self._digits.pop(event.did_id, ()):
            del self._dids[digits][event.did_id]
            if not self._dids[digits]:
                del self._dids[digits]

    def arrived(self, now_ms: int, event: call_events.CallArrived) -> None:
        """Answer an inbound call with its campaign's survey, or refuse it with cause 1.

        Callers are recognised by a call they missed, and only for the owner of that call. Other inbound calls are
        ignored.
        """
        did = self._did(event.did_number)
        if did is None or event.user_id != _answers_for(did):
            return
        if did.plan is None:
            callid = call_uuid(self._state.seed, 0, event.subscriber.id, -event.missed_attempt)
            self._state.emit(RefuseInbound(did.user_id, callid, did.number, event.subscriber))
            return
        self._answer(self._call_back(did, did.plan, event, now_ms))

    def received(self, _now_ms: int, event: call_events.CallReceived) -> None:
        """Look for the caller of a call that came in over a line, or turn the call away."""
        did = self._did(self._normal_form(event.gateway_id, event.called) or event.called)
        number = self._normal_form(event.gateway_id, event.caller)
        if did is None:
            self._state.emit(TurnAway(event.gateway_id, event.key, Cause.UNALLOCATED_NUMBER))
        elif did.plan is None:
            self._refuse(did, event, _stranger(number), Cause.UNALLOCATED_NUMBER)
        else:
            self._state.emit(FindCaller(event, did.did_id, did.plan.id, number))

    def caller_found(self, now_ms: int, event: call_events.CallerFound) -> None:
        """Answer a call that came in over a line with its campaign's survey, unless too many are in progress."""
        received = event.received
        did = self._dids[min(self._digits[event.did_id])][event.did_id]
        if did.plan is None:
            return
        cause = self._full(did, did.plan, received.gateway_id)
        if cause is not None:
            self._refuse(did, received, event.caller, cause)
            return
        plan = structs.replace(did.plan, gateway_id=received.gateway_id)
        call = self._new_call(did, plan, event.caller, event.attempt, received.key, now_ms)
        call.is_over_line, call.ring_limit_ms, call.dialled = True, ARRIVAL_MS_MAX, received.called
        self._state.gateways[received.gateway_id].in_progress += 1
        self._answer(call)

    def _normal_form(self, gateway_id: GatewayKey, number: str) -> str:
        plan = self._state.gateways[gateway_id].plan
        return number_given(number, addprefix=plan.addprefix, removeprefix=plan.removeprefix)

    def _full(self, did: call_events.DidOpened, plan: CampaignPlan, gateway_id: GatewayKey) -> Cause | None:
        """Return the cause with which a call is turned away because of the others; None if there is room for it."""
        gateway = self._state.gateways[gateway_id]
        if gateway.channels <= gateway.in_progress:
            return Cause.NO_CIRCUIT
        of_did, of_account = self._of_did[did.did_id], self._of_account[plan.user_id]
        is_full = of_did >= CALLS_OF_DID_MAX or of_account >= CALLS_OF_ACCOUNT_MAX
        return Cause.USER_BUSY if is_full else None

    def _refuse(
        self, did: call_events.DidOpened, event: call_events.CallReceived, caller: Subscriber, cause: Cause
    ) -> None:
        refusal = RefuseInbound(_answers_for(did), event.key, did.number, caller, cause, event.gateway_id)
        self._state.emit(refusal)
        self._state.emit(TurnAway(event.gateway_id, event.key, cause))

    def _answer(self, call: Call) -> None:
        self.began(self._state.campaign_of(call.plan), call)
        self._state.calls[call.id] = call
        self._state.emit(AnswerCall(call))

    def _did(self, number: str) -> call_events.DidOpened | None:
        """Return the number with these digits; of several, the one with the lowest id."""
        dids_of_number = self._dids.get(digits_of(number))
        return dids_of_number[min(dids_of_number)] if dids_of_number else None

    def began(self, campaign: OpenCampaign, call: Call) -> None:
        """Count an inbound call, new or restored, until it is finished."""
        campaign.inbound += 1
        self._of_account[call.plan.user_id] += 1
        if call.did_id is not None:
            self._of_did[call.did_id] += 1

    def _ended(self, campaign: OpenCampaign, call: Call) -> None:
        campaign.inbound -= 1
        _count_down(self._of_account, call.plan.user_id)
        if call.did_id is not None:
            _count_down(self._of_did, call.did_id)

    def finished(self, call: Call, outcome: CallOutcome) -> None:
        """End a call that came in. A subscriber who has completed the campaign's survey is not called again.

        One whom an agent has promised a call-back in the call waits for that.
        """
        campaign = self._state.campaigns[call.plan.id]
        self._ended(campaign, call)
        if call.is_over_line:
            self._state.gateways[call.plan.gateway_id].in_progress -= 1
        self._state.emit(FinishInbound(call, outcome, bill(call, outcome)))
        self._state.contacted(call)
        if outcome.is_completed and call.subscriber.id != NO_SUBSCRIBER and call.call_back is None:
            self._complete(campaign, call.subscriber)

    def _complete(self, campaign: OpenCampaign, subscriber: Subscriber) -> None:
        """Complete a subscriber of the campaign that answered, and the same person where they are called again.

        For subscribers of other campaigns nothing changes.
        """
        source_id, number = campaign.plan.id, subscriber.number
        copies = [other for other in self._state.campaigns.values() if other.plan.source_campaign_id == source_id]
        campaign.hopper.drop(subscriber)
        for copy in copies:
            copy.hopper.drop_number(number)
        for call in self._state.calls.values():
            is_own = call.subscriber.id == subscriber.id and call.plan.id == source_id
            if is_own or (call.plan.source_campaign_id == source_id and call.subscriber.number == number):
                call.subscriber.has_completed = True
        self._state.emit(CompleteSubscriber(source_id, subscriber.id, number))
        for concerned in (campaign, *copies):
            if concerned.in_progress == 0 and concerned.status is CampaignStatus.START:
                self._state.emit(CountSubscribers(concerned.plan.id))

    def _call_back(
        self, did: call_events.DidOpened, plan: CampaignPlan, event: call_events.CallArrived, now_ms: int
    ) -> Call:
        attempt = -event.missed_attempt
        callid = call_uuid(self._state.seed, plan.id, event.subscriber.id, attempt)
        call = self._new_call(did, plan, structs.replace(event.subscriber), attempt, callid, now_ms)
        gateway = self._state.gateways.get(plan.gateway_id)
        call.is_simulated = gateway is not None and gateway.plan.is_simulated
        return call

    def _new_call(
        self, did: call_events.DidOpened, plan: CampaignPlan, caller: Subscriber, attempt: int, callid: str, now_ms: int
    ) -> Call:
        return Call(
            id=self._state.new_id(),
            callid=callid,
            plan=plan,
            subscriber=caller,
            attempt=attempt,
            started_ms=now_ms,
            ring_limit_ms=plan.ring_limit_ms,
            talk_limit_ms=plan.callmaxduration_s * 1_000,
            hold=0,
            rate=FREE,
            callerid=caller.number,
            did_id=did.did_id,
            did_number=did.number,
        )


def _stranger(number: str) -> Subscriber:
    return Subscriber(NO_SUBSCRIBER, number, "")


def _count_down(counts: Counter[int], key: int) -> None:
    """Subtract one, and keep no zero."""
    counts[key] -= 1
    if not counts[key]:
        del counts[key]


def _answers_for(did: call_events.DidOpened) -> int:
    """Return the id of the user to whom the number's inbound calls belong."""
    return did.user_id if did.plan is None else did.plan.user_id
