"""The guard's checks of B-legs: the second legs of transfers, to a number or to the telephones of agents."""

from typing import Final

from dialer.domain.calls import call_effects
from dialer.domain.calls.plans import Call, Transfer
from dialer.domain.numbers.agent_contacts import agent_in_browser, is_extension
from dialer.domain.rules.invariants import Rule
from dialer.domain.words.enums import TransferStatus
from dialer.runtime.steps.guard_books import GuardBooks
from dialer.runtime.steps.guard_checks import broken
from dialer.runtime.steps.guard_dials import GuardedDials
from dialer.runtime.steps.guard_money import GuardedMoney

_OVER: Final = TransferStatus.OVER
"""A constant for the checks of every transfer, where a lookup in an enumeration is slow."""


class GuardedLegs:
    """The B-legs that begin and end in a step."""

    def __init__(self, books: GuardBooks, money: GuardedMoney, dials: GuardedDials) -> None:
        self._books: Final = books
        self._money: Final = money
        self._dials: Final = dials

    def finish(self, effect: call_effects.FinishLeg, _now_ms: int) -> None:
        """Check that a B-leg ends once, and costs no more than its hold."""
        call, transfer = effect.call, effect.transfer
        hold = self._books.legs.get(transfer.callid)
        if hold is None or transfer.callid in self._books.legs_ended:
            broken(Rule.ENDED_ONCE, call, "its B-leg has ended already")
        self._money.charge(call, effect.bill.cost, hold)
        self._books.ended.append((transfer.callid, call))
        self._books.legs_ended.add(transfer.callid)

    def keep(self, effect: call_effects.KeepTransfer, _now_ms: int) -> None:
        """Open the B-leg of a transfer in the books, or close it."""
        call, transfer = effect.call, effect.transfer
        is_open = transfer.status is not _OVER
        if is_open and transfer.callid not in self._books.legs:
            self._open_leg(call, transfer)
        elif not is_open and transfer.callid in self._books.legs:
            self._close_leg(call, transfer)

    def _open_leg(self, call: Call, transfer: Transfer) -> None:
        campaign = self._books.campaign(call.plan)
        campaign.legs += 1
        self._books.touched.add(call.plan.id)
        self._books.legs[transfer.callid] = transfer.hold
        if 0 < campaign.plan.max_xfer < campaign.legs:
            broken(Rule.LIMITS, call, "it exceeds max_xfer")
        if transfer.gateway_id:
            # Any extension of a switch may be called to reach an agent, and the agent's own browser.
            is_own = agent_in_browser(transfer.number) == transfer.for_agent_id or is_extension(transfer.number)
            if transfer.for_agent_id is None or not is_own:
                self._dials.check_destination(call, transfer.number, transfer.gateway_id)
            self._dials.place(call, transfer.gateway_id, transfer.started_ms or 0)
        self._money.hold(call, transfer.hold)

    def _close_leg(self, call: Call, transfer: Transfer) -> None:
        if transfer.answered_ms is not None and transfer.callid not in self._books.legs_ended:
            broken(Rule.CDRS, call, "its B-leg was answered, but has no CDR")
        self._books.campaign(call.plan).legs -= 1
        self._books.touched.add(call.plan.id)
        if transfer.gateway_id:
            self._books.gateway(transfer.gateway_id).in_progress -= 1
        self._books.accounts[call.plan.user_id].held -= self._books.legs.pop(transfer.callid)
        self._books.spending.add(call.plan.user_id)
