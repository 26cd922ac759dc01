"""B-legs: the second legs of calls. They take places and money when they begin, and give both back at their end."""

from typing import Final

from dialer.domain.billing.charge import bill_leg
from dialer.domain.calls import call_events
from dialer.domain.calls.call_effects import FinishLeg
from dialer.domain.calls.identity import leg_uuid
from dialer.domain.calls.leg_outcome import LegOutcome
from dialer.domain.calls.plans import Call, Transfer
from dialer.domain.engine.state import EngineState
from dialer.domain.engine.transfer_ends import missing_destination
from dialer.domain.engine.transfer_limits import TransferLimits
from dialer.domain.numbers.agent_contacts import agent_in_browser, target_number
from dialer.domain.numbers.normal_form import NumberError
from dialer.domain.queueing.call_distributor import CallDistributor
from dialer.domain.words.reasons import NoReason, TransferReason


class BLegs:
    """The second legs of all calls in progress: those that have the callee, and those of consultations."""

    def __init__(self, engine_state: EngineState, distributor: CallDistributor) -> None:
        self._state: Final = engine_state
        self.refusal: Final = TransferLimits(engine_state, distributor).refusal
        """Return the reason why nobody can take a call; empty if somebody can, after setting hold and limits."""
        self.queue_ids: Final[set[int]] = set()
        """The queues that exist."""

    def region_of(self, user_id: int) -> str | None:
        """Return the country of an account's numbers without one; None if nobody has set it."""
        account = self._state.accounts.get(user_id)
        return None if account is None else account.region

    def new(self, call: Call, event: call_events.TransferReached, now_ms: int) -> Transfer:
        """Return a transfer that begins, as the next one of a call."""
        place = len(call.transfers) + 1
        try:
            number = event.number and self._number(call, event)
        except NumberError:
            number = ""
        transfer = Transfer(
            place=place,
            section_id=event.section_id,
            callid=leg_uuid(self._state.seed, call.plan.id, call.subscriber.id, call.attempt, call.id, place + 1),
            joined_ms=now_ms,
            rate=self._state.accounts[call.plan.user_id].rate,
            queue_id=event.queue_id if event.queue_id in self.queue_ids else None,
            number=number,
            ring_limit_ms=call.ring_limit_ms,
            from_agent_id=event.from_agent_id,
            for_agent_id=event.for_agent_id,
        )
        call.transfers = (*call.transfers, transfer)
        return transfer

    def _number(self, call: Call, event: call_events.TransferReached) -> str:
        """Return the number of a transfer in normal form, an extension, or the browser of an agent who is wanted.

        Raises:
            NumberError: it is none of these.
        """
        is_browser = event.for_agent_id is not None and agent_in_browser(event.number) == event.for_agent_id
        return event.number if is_browser else target_number(event.number, self.region_of(call.plan.user_id))

    def take(
        self, call: Call, event: call_events.TransferReached, transfer: Transfer, now_ms: int
    ) -> TransferReason | NoReason:
        """Take the places and the money of a B-leg. Return the reason against it; empty if there is none."""
        campaign = self._state.campaigns[call.plan.id]
        refused = missing_destination(event, transfer) or self.refusal(campaign, call, transfer, now_ms)
        if not refused:
            campaign.legs += 1
            self._state.accounts[call.plan.user_id].held += transfer.hold
        return refused

    def restore(self, call: Call, transfer: Transfer) -> None:
        """Count the places of a B-leg again, after a restart. Its money is held already."""
        self._state.campaigns[call.plan.id].legs += 1
        if transfer.gateway_id:
            self._state.gateways[transfer.gateway_id].in_progress += 1

    def finish(self, call: Call, transfer: Transfer, outcome: LegOutcome) -> None:
        """Charge a finished B-leg and record its CDR, unless it was never dialled for lack of a gateway place."""
        started_ms = transfer.started_ms
        if started_ms is None or (outcome.ended_ms <= started_ms and outcome.answered_ms is None):
            return
        charge = bill_leg(transfer.rate, started_ms, outcome.answered_ms, outcome.ended_ms)
        self._state.accounts[call.plan.user_id].balance -= charge.cost
        self._state.emit(FinishLeg(call, transfer, outcome, charge))

    def learn(self, transfer: Transfer, outcome: LegOutcome, now_ms: int) -> None:
        """Learn from the end of a B-leg whether its gateway works."""
        if transfer.gateway_id and transfer.started_ms is not None and transfer.started_ms < outcome.ended_ms:
            gateway = self._state.gateways[transfer.gateway_id]
            self._state.learn(gateway, outcome.cause, transfer.started_ms, now_ms, outcome.retry_after_ms)

    def release(self, call: Call, transfer: Transfer) -> None:
        """Release the money and the places of a B-leg."""
        self._state.campaigns[call.plan.id].legs -= 1
        self._state.accounts[call.plan.user_id].held -= transfer.hold
        if transfer.gateway_id:
            self._state.gateways[transfer.gateway_id].in_progress -= 1
