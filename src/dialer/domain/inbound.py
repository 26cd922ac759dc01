"""Inbound calls: callees who missed a call and call back the number that was shown."""

from collections import defaultdict
from typing import Final

from msgspec import structs

from dialer.domain import events
from dialer.domain.billing.charge import bill
from dialer.domain.billing.money import Rate
from dialer.domain.board import Board, OpenCampaign
from dialer.domain.effects import AnswerCall, CompleteSubscriber, CountSubscribers, FinishInbound, RefuseInbound
from dialer.domain.enums import CampaignStatus
from dialer.domain.identity import call_uuid
from dialer.domain.numbers.normal_form import digits_of
from dialer.domain.plans import Call, CallOutcome, CampaignPlan, Subscriber

FREE: Final = Rate(0)
"""The rate of inbound calls, whose callers pay. The A-leg costs the owner nothing; B-legs have their normal rates."""


class Inbound:
    """The inbound numbers, and the calls that arrive at them."""

    def __init__(self, board: Board) -> None:
        self._board: Final = board
        self._digits: Final[dict[int, str]] = {}
        """The digits of each known number, by its id."""
        self._dids: Final[defaultdict[str, dict[int, events.DidOpened]]] = defaultdict(dict)
        """The numbers with equal digits, by these digits and by id."""

    def open_did(self, now_ms: int, event: events.DidOpened) -> None:
        """Add or update a number and the campaign that answers its calls."""
        self.close_did(now_ms, events.DidClosed(event.did_id))
        digits = self._digits[event.did_id] = digits_of(event.number)
        self._dids[digits][event.did_id] = event

    def close_did(self, _now_ms: int, event: events.DidClosed) -> None:
        """Remove a number."""
        digits = self._digits.pop(event.did_id, None)
        if digits is None:
            return
        del self._dids[digits][event.did_id]
        if not self._dids[digits]:
            del self._dids[digits]

    def arrived(self, now_ms: int, event: events.CallArrived) -> None:
        """Answer an inbound call with its campaign's survey, or refuse it with cause 1.

        Callers are recognised by a call they missed, and only for the owner of that call. Other inbound calls are
        ignored.
        """
        did = self._did(event.did_number)
        if did is None or event.user_id != _answers_for(did):
            return
        if did.plan is None:
            callid = call_uuid(self._board.seed, 0, event.subscriber.id, -event.missed_attempt)
            self._board.emit(RefuseInbound(did.user_id, callid, did.number, event.subscriber))
            return
        call = self._new_call(did, did.plan, event, now_ms)
        campaign = self._board.campaigns.get(call.plan.id)
        if campaign is None:
            campaign = self._board.campaigns[call.plan.id] = OpenCampaign(call.plan, self._board.windows)
        campaign.inbound += 1
        self._board.calls[call.id] = call
        self._board.emit(AnswerCall(call))

    def _did(self, number: str) -> events.DidOpened | None:
        """Return the number with these digits; of several, the one with the lowest id."""
        found = self._dids.get(digits_of(number))
        return found[min(found)] if found else None

    def finished(self, call: Call, outcome: CallOutcome) -> None:
        """End a call that came in. A subscriber who has completed the campaign's survey is not called again."""
        campaign = self._board.campaigns[call.plan.id]
        campaign.inbound -= 1
        self._board.emit(FinishInbound(call, outcome, bill(call, outcome)))
        if outcome.is_completed:
            self._complete(campaign, call.subscriber)

    def _complete(self, campaign: OpenCampaign, subscriber: Subscriber) -> None:
        """Complete a subscriber of the campaign that answered; for those of other campaigns nothing changes."""
        campaign.hopper.drop_retry(subscriber)
        for call in self._board.calls.values():
            if call.subscriber.id == subscriber.id and call.plan.id == campaign.plan.id:
                call.subscriber.has_completed = True
        self._board.emit(CompleteSubscriber(campaign.plan.id, subscriber.id))
        if campaign.in_progress == 0 and campaign.status is CampaignStatus.START:
            self._board.emit(CountSubscribers(campaign.plan.id))

    def _new_call(self, did: events.DidOpened, plan: CampaignPlan, event: events.CallArrived, now_ms: int) -> Call:
        subscriber, attempt = structs.replace(event.subscriber), -event.missed_attempt
        return Call(
            id=self._board.new_id(),
            callid=call_uuid(self._board.seed, plan.id, subscriber.id, attempt),
            plan=plan,
            subscriber=subscriber,
            attempt=attempt,
            started_ms=now_ms,
            ring_limit_ms=plan.ring_limit_ms,
            talk_limit_ms=plan.callmaxduration_s * 1_000,
            hold=0,
            rate=FREE,
            callerid=event.subscriber.number,
            did_id=did.did_id,
            did_number=did.number,
        )


def _answers_for(did: events.DidOpened) -> int:
    """Return the id of the user to whom the number's inbound calls belong."""
    return did.user_id if did.plan is None else did.plan.user_id
