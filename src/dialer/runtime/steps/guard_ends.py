"""The guard's checks of ends: each call and message ends once, and each leg has one CDR."""

from collections import Counter
from collections.abc import Sequence
from typing import Final

from dialer.domain.calls import call_effects, text_effects
from dialer.domain.calls.plans import Call
from dialer.domain.rules.invariants import BrokenInvariantError, Rule
from dialer.domain.words.enums import SubscriberStatus
from dialer.runtime.steps.guard_books import CampaignBooks, GuardBooks
from dialer.runtime.steps.guard_checks import broken, check_retry
from dialer.runtime.steps.guard_money import GuardedMoney
from dialer.store.journal.rows import CdrRow

_PENDING: Final = SubscriberStatus.PENDING
"""A constant for the checks of every end, where a lookup in an enumeration is slow."""


class GuardedEnds:
    """The calls and messages that end in a step."""

    def __init__(self, books: GuardBooks, money: GuardedMoney) -> None:
        self._books: Final = books
        self._money: Final = money

    def finish(self, effect: call_effects.FinishCall, _now_ms: int) -> None:
        """Check the end of an attempt, and the retry that follows."""
        call, after = effect.call, effect.disposition
        campaign = self._remove(call, effect.bill.cost)
        if not call.parts:
            self._books.ended.append((call.callid, call))
        if after.status is _PENDING:
            check_retry(call, after, campaign.plan)

    def take_back(self, effect: call_effects.TakeBackCall, _now_ms: int) -> None:
        """Remove an attempt that was never made."""
        self._remove(effect.call, 0)

    def _remove(self, call: Call, cost: int) -> CampaignBooks:
        """Remove an attempt from the books, and return those of its campaign."""
        self._end(call, cost)
        self._books.called.discard(call.subscriber.id)
        campaign = self._books.campaigns[call.plan.id]
        campaign.in_progress -= 1
        self._books.touched.add(call.plan.id)
        self._books.gateways[call.plan.gateway_id].in_progress -= 1
        return campaign

    def finish_inbound(self, effect: call_effects.FinishInbound, _now_ms: int) -> None:
        """Check the end of a call that came in."""
        call = effect.call
        self._end(call, effect.bill.cost)
        self._books.touched.add(call.plan.id)
        self._books.gateway(call.plan.gateway_id).in_progress -= int(call.takes_channel)
        self._books.ended.append((call.callid, call))

    def finish_text(self, effect: text_effects.FinishText, _now_ms: int) -> None:
        """Check the end of a text message."""
        message = effect.message
        self._end(message, effect.bill.cost)
        self._books.touched.add(message.plan.id)
        self._books.gateway(message.plan.gateway_id).in_progress -= 1

    def _end(self, call: Call, cost: int) -> None:
        """Close a call or message, and check that it ends once, has no open leg, and costs no more than its hold."""
        hold = self._books.calls.pop(call.id, None)
        if hold is None:
            broken(Rule.ENDED_ONCE, call, "it has ended already")
        if call.transfers and any(transfer.callid in self._books.legs for transfer in call.transfers):
            broken(Rule.CDRS, call, "its B-leg has not ended")
        self._money.charge(call, cost, hold).held -= hold

    def refuse_inbound(self, effect: call_effects.RefuseInbound, _now_ms: int) -> None:
        """Expect the CDR of a call that was turned away."""
        self._books.ended.append((effect.callid, effect))

    def cdrs_written(self, cdrs: Sequence[CdrRow]) -> None:
        """Check that each ended leg has exactly one CDR, in the order of their ends."""
        ended = self._books.ended[:]
        self._books.ended.clear()
        if [row.callid for row in cdrs] == [callid for callid, _ in ended]:
            return
        written = Counter(row.callid for row in cdrs)
        for callid, whose in ended:
            if written.pop(callid, 0) != 1 and isinstance(whose, Call):
                broken(Rule.CDRS, whose, f"its leg {callid} does not have exactly one CDR")
        row = next((row for row in cdrs if row.callid in written), cdrs[0])
        raise BrokenInvariantError(Rule.CDRS, f"CDR {row.callid} belongs to no ended leg", user_id=row.user_id)
