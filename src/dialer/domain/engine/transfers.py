"""Transfers: the connection of a call to a number, or through a queue to an agent, over a B-leg."""

from typing import Final

from msgspec import structs

from dialer.domain.calls import agent_events, call_events, events
from dialer.domain.calls.agent_effects import BridgeCall, OfferCall, WaitForAgent, WithdrawOffer
from dialer.domain.calls.call_effects import DialLeg, KeepTransfer, ResumeCall, TapeCall
from dialer.domain.calls.call_events import LegEnded
from dialer.domain.calls.effects import WakeDistributor
from dialer.domain.calls.leg_outcome import LegOutcome
from dialer.domain.calls.plans import Call, CallOutcome, Transfer
from dialer.domain.engine.abandonment import Abandonment
from dialer.domain.engine.b_legs import BLegs
from dialer.domain.engine.desk_orders import DeskOrders
from dialer.domain.engine.desk_transfers import promise_of
from dialer.domain.engine.floor_changes import keep_changes
from dialer.domain.engine.gateway_load import SECOND_MS
from dialer.domain.engine.recorded_talks import records_from
from dialer.domain.engine.state import EngineState
from dialer.domain.engine.transfer_ends import missing_destination, open_transfer, outcome_at_call_end, reason_of
from dialer.domain.numbers.emergency import is_emergency_contact
from dialer.domain.queueing.call_distributor import CallDistributor
from dialer.domain.queueing.decisions import AgentOffer, Decision, Unserved, Withdraw
from dialer.domain.queueing.plans import AgentPlan, QueuePlan, Waiting
from dialer.domain.queueing.skills import NO_SKILLS
from dialer.domain.words.enums import AgentStatus, Consulted, TransferStatus
from dialer.domain.words.moments import NEVER_MS
from dialer.domain.words.reasons import TransferReason


class Transfers:
    """All transfers of the calls in progress, and the floor on which agents take them."""

    def __init__(self, engine_state: EngineState, distributor: CallDistributor) -> None:
        self._state: Final = engine_state
        self._distributor: Final = distributor
        self._agents: dict[int, AgentPlan] = {}
        self._abandonment: Final = Abandonment(engine_state, distributor)
        self._legs: Final = BLegs(engine_state, distributor)
        self._desk_orders: Final = DeskOrders(engine_state, distributor, self._legs)
        self.consultations: Final = self._desk_orders.consultations
        self._wake_ms = NEVER_MS
        self.is_touched = False
        """True if the floor may have something to decide, so that `settle` is due."""
        self._unserved_calls: list[Call] = []

    # --- opening, closing and restoring ----------------------------------------------------------------------------

    # Nothing is decided before all changes of one moment are known: the wake-up comes after them.

    def open_queue(self, now_ms: int, event: agent_events.QueueOpened) -> None:
        """Add or update a queue."""
        self._legs.queue_ids.add(event.plan.id)
        self._distributor.open_queue(event.plan, event.last_agent_id, event.left_early, event.no_agent_from_ms)
        self.wake(now_ms)

    def open_agent(self, now_ms: int, event: agent_events.AgentOpened) -> None:
        """Add or update an agent. An agent whose behaviour changes is asked again for the call that rings.

        An agent whose contact is an emergency number counts as logged out.
        """
        plan, agent_before = event.plan, self._agents.get(event.plan.id)
        if is_emergency_contact(plan.number, self._legs.region_of(plan.user_id)):
            plan = structs.replace(plan, status=AgentStatus.LOGGED_OUT)
        self._agents[plan.id] = plan
        self._desk_orders.read(agent_before, plan)
        self._distributor.open_agent(plan, event.figures)
        ringing_for = self._distributor.asked_for(plan.id)
        if agent_before is not None and agent_before.parameters != plan.parameters and ringing_for is not None:
            self._offer(self._state.calls[ringing_for.call_id], plan, ringing_for.offers[plan.id])
        self.wake(now_ms)

    def close_queue(self, now_ms: int, event: agent_events.QueueClosed) -> None:
        """Remove a deleted queue. Its waiting calls leave it, and no further call joins it."""
        self._legs.queue_ids.discard(event.queue_id)
        self._distributor.open_queue(QueuePlan(event.queue_id))
        for call in self._state.calls.values():
            transfer = open_transfer(call)
            was_in_it = transfer is not None and transfer.queue_id == event.queue_id
            # Earlier transfers of the call too: nothing may be counted for a queue that has no row.
            for earlier in call.transfers:
                earlier.queue_id = None if earlier.queue_id == event.queue_id else earlier.queue_id
            if transfer is not None and was_in_it and self._distributor.waiting_of(call.id) is not None:
                self._withdraw(self._distributor.forget_call(call.id))
                self._unserved(call, transfer, TransferReason.NO_QUEUE, now_ms)
        self.wake(now_ms)

    def close_agent(self, now_ms: int, event: agent_events.AgentClosed) -> None:
        """Remove a deleted agent, who takes no more calls. A talk in progress continues, and counts for no agent."""
        agent = self._agents.pop(event.agent_id)
        self._desk_orders.close(agent.id)
        self._distributor.open_agent(structs.replace(agent, status=AgentStatus.LOGGED_OUT))
        for call in self._state.calls.values():
            transfer = open_transfer(call)
            if transfer is not None and transfer.agent_id == event.agent_id:
                transfer.agent_id = None
                self._distributor.forget_call(call.id)
        self.wake(now_ms)

    def restore(self, now_ms: int, call: Call) -> None:
        """Restore the open transfer of a call that was in progress before a restart."""
        self._desk_orders.consultations.restore(call)
        transfer = open_transfer(call)
        if transfer is None:
            return
        self._legs.restore(call, transfer)
        if not transfer.has_queued:
            return
        if transfer.answered_ms is not None:
            if transfer.agent_id is not None:
                self._distributor.restore_talk(call.id, transfer.agent_id, transfer.answered_ms)
            self._desk_orders.restore(call, transfer)
            return
        if transfer.queue_id is None:
            self._unserved(call, transfer, TransferReason.NO_QUEUE, now_ms)
            return
        number, offers, promise = call.subscriber.number, dict(transfer.offers), promise_of(call, transfer)
        skills = self._distributor.skills.needed(transfer.queue_id, call.subscriber.additional_vars)
        place = (call.id, transfer.queue_id, number, transfer.joined_ms, transfer.score_from_ms)
        self._distributor.restore_waiting(Waiting(*place, offers, promise, call.is_over_line, skills))
        if not transfer.is_abandoned and transfer.from_agent_id is None:
            self._abandonment.restored(call, transfer.joined_ms)
        for agent_id, offered_ms in offers.items():
            agent = self._agents.get(agent_id)
            if agent is not None and not is_emergency_contact(agent.number, self._legs.region_of(agent.user_id)):
                self._offer(call, agent, offered_ms)
        self.wake(now_ms)

    # --- events ----------------------------------------------------------------------------------------------------

    def reached(self, now_ms: int, event: call_events.TransferReached) -> None:
        """Start a transfer: dial its B-leg, or let the call wait for an agent, or record the reason against it."""
        call = self._state.calls.get(event.call_id)
        if call is None:
            return
        campaign = self._state.campaigns[call.plan.id]
        self.unreserve(call)
        answered_ms = campaign.greeted.pop(call.id, None)
        self._state.paced.change(campaign.plan.id)
        if answered_ms is not None and campaign.is_paced:
            campaign.measured.transferred(answered_ms, now_ms)
            self._state.keep_figures(campaign)
        transfer = self._legs.new(call, event, now_ms)
        transfer.reason = missing_destination(event, transfer) or self._legs.refusal(campaign, call, transfer, now_ms)
        if transfer.reason:
            self._close(call, transfer, now_ms)
            self._state.emit(ResumeCall(call.id))
            return
        campaign.legs += 1
        self._state.accounts[call.plan.user_id].held += transfer.hold
        if transfer.queue_id is None:
            self._dial(call, transfer)
        else:
            self._wait(call, transfer, event.answered_ms, now_ms)

    def left(self, now_ms: int, event: call_events.CallerLeft) -> None:
        """Record that a caller left the queue, and continue the call."""
        call = self._state.calls.get(event.call_id)
        transfer = None if call is None else open_transfer(call)
        if call is not None and transfer is not None:
            self._abandonment.count(now_ms)
            self._withdraw(self._distributor.leave(now_ms, call.id))
            self._unserved(call, transfer, TransferReason.GAVE_UP, now_ms)

    def is_asked(self, event: agent_events.AgentAnswered | agent_events.AgentMissed) -> bool:
        """Return whether the call still waits for the agent who answered, or did not."""
        waiting = self._distributor.waiting_of(event.call_id)
        return waiting is not None and waiting.offers.get(event.agent_id) == event.offered_ms

    def taken(self, now_ms: int, event: agent_events.AgentAnswered) -> None:
        """Connect a waiting call with the agent who took it."""
        self._abandonment.count(now_ms)
        others = self._distributor.taken(now_ms, event.call_id, event.agent_id)
        if others is None:
            return
        self._withdraw(others)
        call = self._state.calls[event.call_id]
        transfer, agent = call.transfers[-1], self._agents[event.agent_id]
        transfer.status = TransferStatus.CONNECTED
        transfer.agent_id, transfer.parameters = agent.id, agent.parameters
        number = agent.number
        transfer.number = number or f"agent {agent.id}"
        rate = self._state.accounts[call.plan.user_id].rate_for_agent(number)
        if rate.price(transfer.talk_limit_ms // SECOND_MS) <= transfer.hold:
            transfer.rate = rate  # Otherwise an agent or the card changed after the hold.
        transfer.started_ms, transfer.answered_ms = event.offered_ms, now_ms
        transfer.offers = {}
        is_news = records_from(call, transfer, now_ms)
        self._state.emit(KeepTransfer(call, transfer))
        self._state.emit(BridgeCall(call, transfer))
        if is_news:
            self._state.emit(TapeCall(call.id))
        self._touch()

    def missed(self, now_ms: int, event: agent_events.AgentMissed) -> None:
        """Offer a call to other agents, as the agent's telephone did not take it."""
        has_rung = not event.is_carriers_fault
        self._distributor.missed(now_ms, event.call_id, event.agent_id, has_rung=has_rung)
        self._touch()

    def supervision_over(self, _now_ms: int, event: agent_events.SupervisionEnded) -> None:
        """Note that a supervisor's telephone has hung up or did not answer."""
        self._desk_orders.supervision_over(event.agent_id, event.turn)

    def leg_ended(self, now_ms: int, event: call_events.LegEnded, *, goes_on: bool = False) -> None:
        """Record and charge a B-leg that is over. Its agent is idle after the wrap-up time.

        With `goes_on`, the call goes on to another agent: whoever talks last says its outcome. Nor is there anything
        to say for a third person who has hung up before they got the callee, who comes back to the agent then.
        """
        if event.place is not None:
            self._desk_orders.consultations.leg_ended(now_ms, event)
            self._touch()  # An agent who was consulted is free for the calls that wait.
            return
        call = self._state.calls.get(event.call_id)
        transfer = None if call is None else open_transfer(call)
        if call is None or transfer is None:
            return
        outcome = event.outcome
        if not outcome.is_connected:
            transfer.reason = reason_of(transfer, outcome)
            goes_on = goes_on or transfer.consulted is Consulted.HANDED_OVER
        transfer.answered_ms = outcome.answered_ms
        self._finish(call, transfer, outcome)
        if transfer.gateway_id:
            self._legs.learn(transfer, outcome, now_ms)
        self._legs.release(call, transfer)
        # The transfer ends when its leg ended, even if the report is late. A leg cannot end before its planned start.
        self._close(call, transfer, max(transfer.started_ms or 0, outcome.ended_ms))
        if transfer.has_queued:
            self._free_agent(call, transfer, outcome, now_ms, goes_on=goes_on)

    def call_over(self, now_ms: int, call: Call, outcome: CallOutcome) -> None:
        """End the transfer of a call that ended while waiting, or whose B-leg's end was not reported."""
        transfer = open_transfer(call)
        if transfer is not None and transfer.started_ms is not None:
            self.leg_ended(now_ms, LegEnded(call.id, outcome_at_call_end(transfer, outcome)))
        elif transfer is not None:
            self._abandonment.count(now_ms)
            self._withdraw(self._distributor.leave(now_ms, call.id))
            transfer.reason = TransferReason.HUNG_UP
            self._legs.release(call, transfer)
            self._close(call, transfer, now_ms)
            self._touch()
        if self._desk_orders.consultations.open:
            self._desk_orders.consultations.call_over(now_ms, call, outcome)
            self._touch()
        if call.transfers[-1].answered_ms is None and not call.has_outcome:
            self._charge_last(call)

    def _charge_last(self, call: Call) -> None:
        """Let the last agent of a call owe its outcome, as whoever was to talk with its callee next never did."""
        last = next((one for one in reversed(call.transfers) if one.has_queued and one.answered_ms is not None), None)
        if last is not None and last.agent_id is not None and self._is_outcome_required(call):
            self._distributor.charge(last.agent_id, call.id)
            self._touch()

    def _is_outcome_required(self, call: Call) -> bool:
        """Return whether any queue of the call requires an outcome in which an agent has talked with its callee."""
        talked_in = {one.queue_id for one in call.transfers if one.has_queued and one.answered_ms is not None}
        return any(map(self._distributor.requires_outcome, talked_in))

    def third_answered(self, _now_ms: int, event: call_events.ThirdAnswered) -> None:
        """Note that a third person, whom an agent consults, has answered."""
        self._desk_orders.consultations.third_answered(event)

    def handed_over(self, now_ms: int, event: call_events.CalleeHandedOver) -> None:
        """End the leg of an agent who has handed the callee over to a third person."""
        consultations, call = self._desk_orders.consultations, self._state.calls.get(event.call_id)
        third = None if call is None else consultations.take_over(event.call_id, event.place)
        talk = None if call is None else open_transfer(call)
        if call is not None and third is not None and talk is not None:
            goes_on = consultations.agent_who_takes(third) is not None
            self.leg_ended(now_ms, LegEnded(call.id, event.outcome), goes_on=goes_on)
            consultations.hand_over(now_ms, call, talk, third)
            self._touch()

    def hand_over_refused(self, _now_ms: int, event: call_events.HandOverRefused) -> None:
        """Note that a callee stays with the agent who wanted to hand them over."""
        self._desk_orders.consultations.hand_over_refused(event)

    def woken(self, now_ms: int, _event: events.DistributorWoken) -> None:
        """Perform the orders of desks and the decisions of queues that are due now."""
        self._wake_ms = NEVER_MS
        self._desk_orders.perform(now_ms)
        self._touch()

    def settle(self, now_ms: int) -> None:
        """Perform the decisions of queues that follow from the last events."""
        self.is_touched = False
        self._abandonment.count(now_ms)
        unheard = self._unheard() if self._state.lost_lines else frozenset()
        for decision in self._distributor.decide(now_ms, unheard):
            self._perform(decision, now_ms)
        keep_changes(self._state, self._distributor)
        is_dialled_for = bool(self._state.paced.queue_ids or self._state.awaiting.queue_ids)
        wakes_at_ms = self._distributor.wakes_at_ms(now_ms, is_dialled_for=is_dialled_for)
        self.wake(min(self._abandonment.next_ms or NEVER_MS, wakes_at_ms, self._desk_orders.next_ms))

    def unserved(self) -> list[Call]:
        """Return the calls that have left a queue since the last request; the holds for their B-legs are released."""
        calls, self._unserved_calls = self._unserved_calls, []
        return calls

    # --- steps -----------------------------------------------------------------------------------------------------

    def _dial(self, call: Call, transfer: Transfer) -> None:
        dialled = self._state.gateways[call.plan.gateway_id].number_for_carrier(transfer.number)
        self._state.emit(KeepTransfer(call, transfer))
        self._state.emit(DialLeg(call, transfer, dialled))

    def _wait(self, call: Call, transfer: Transfer, answered_ms: int, now_ms: int) -> None:
        queue_id = transfer.queue_id or 0
        number, promise = call.subscriber.number, promise_of(call, transfer)
        place, skills = (call.id, queue_id, number, answered_ms, promise), NO_SKILLS
        if queue_id in self._distributor.skills.fields:
            skills = self._distributor.skills.needed(queue_id, call.subscriber.additional_vars)
        waiting = self._distributor.join(now_ms, *place, skills=skills, is_over_line=call.is_over_line)
        transfer.score_from_ms = waiting.score_from_ms
        self._state.emit(KeepTransfer(call, transfer))
        self._state.emit(WaitForAgent(call.id))
        if transfer.from_agent_id is None:
            self._abandonment.joined(call, now_ms)
        else:
            self._distributor.forgive(transfer.from_agent_id, call.id)
        self._touch()

    def _perform(self, decision: Decision, now_ms: int) -> None:
        if isinstance(decision, AgentOffer):
            self._offer(self._state.calls[decision.call_id], self._agents[decision.agent_id], now_ms)
        elif isinstance(decision, Unserved):
            call = self._state.calls[decision.call_id]
            self._unserved(call, call.transfers[-1], decision.reason, now_ms)
        else:
            self._withdraw([decision])

    def _unheard(self) -> frozenset[int]:
        """Return the calls over lines that do not work, so that nobody knows whether telephones ring for them."""
        lost, calls = self._state.lost_lines, self._state.calls.values()
        return frozenset(call.id for call in calls if call.plan.gateway_id in lost)

    def _offer(self, call: Call, agent: AgentPlan, offered_ms: int) -> None:
        account = self._state.accounts[call.plan.user_id]
        gateway = self._state.gateways[call.plan.gateway_id]
        called = agent.called
        dialled = "" if account.refuses_agent(called, gateway.plan) else gateway.number_of_agent(called)
        self._state.emit(OfferCall(call, agent, offered_ms, dialled))

    def _withdraw(self, decisions: list[Decision]) -> None:
        for decision in decisions:
            if isinstance(decision, Withdraw):
                self._state.emit(WithdrawOffer(decision.call_id, decision.agent_id))

    def _unserved(self, call: Call, transfer: Transfer, reason: TransferReason, now_ms: int) -> None:
        transfer.reason = reason
        self._legs.release(call, transfer)
        self._close(call, transfer, now_ms)
        self._state.emit(ResumeCall(call.id))
        self._unserved_calls.append(call)
        self._touch()

    def _finish(self, call: Call, transfer: Transfer, outcome: LegOutcome) -> None:
        self._legs.finish(call, transfer, outcome)

    def _close(self, call: Call, transfer: Transfer, now_ms: int) -> None:
        transfer.status, transfer.ended_ms, transfer.offers = TransferStatus.OVER, now_ms, {}
        self._desk_orders.ended(now_ms, call, transfer)
        self._state.emit(KeepTransfer(call, transfer))

    def _free_agent(self, call: Call, transfer: Transfer, outcome: LegOutcome, now_ms: int, *, goes_on: bool) -> None:
        agent = self._agents.get(transfer.agent_id or 0)
        rest_ms = outcome.rest_ms(0 if agent is None else agent.wrap_up_ms)
        is_open = not goes_on and not call.has_outcome
        owes_outcome = is_open and self._distributor.requires_outcome(transfer.queue_id)
        if is_open and not owes_outcome and len(call.transfers) > 1:
            # The last agent says it, though only the queue of an agent before them may require it.
            owes_outcome = self._is_outcome_required(call)
        agent_id = self._distributor.released(now_ms, call.id, rest_ms, owes_outcome=owes_outcome)
        campaign = self._state.campaigns[call.plan.id]
        if agent_id is not None and transfer.answered_ms is not None and campaign.is_paced:
            campaign.measured.handled(transfer.answered_ms, now_ms + rest_ms)
            self._state.keep_figures(campaign)
        self._touch()

    def unreserve(self, call: Call) -> None:
        """Free the agent who was reserved for a call."""
        if call.subscriber.promised_agent_id is not None and self._distributor.unreserve(call.id):
            self._touch()

    def _touch(self) -> None:
        self.is_touched = True

    def wake(self, at_ms: int) -> None:
        """Schedule a check of waiting calls, idle agents and agent-paced campaigns, unless one is due earlier."""
        if at_ms < self._wake_ms:
            self._wake_ms = at_ms
            self._state.emit(WakeDistributor(at_ms))
