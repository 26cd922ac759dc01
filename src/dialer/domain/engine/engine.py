"""The engine: decides who may be called now, and what follows from the end of a call.

`Engine.handle(now_ms, event)` takes an event and returns the resulting effects. The engine performs nothing, and has no
clock, database or randomness of its own. The server's worker and the simulator drive this one class.
"""

from collections import deque
from collections.abc import Callable
from typing import Any, Final, get_args

import msgspec

from dialer.domain.calls import agent_events, call_events, campaign_events, events, text_events
from dialer.domain.calls.call_effects import FinishCall, TakeBackCall, TapeCall
from dialer.domain.calls.campaign_effects import ClaimAgain, CountSubscribers, ExpectCallBack
from dialer.domain.calls.circuit_breaker import CARRIER_FAILURES, CLOSED
from dialer.domain.calls.disposition import Disposition
from dialer.domain.calls.effects import Effect, KeepWish
from dialer.domain.calls.plans import Call, CallOutcome
from dialer.domain.engine.agent_pacing import AgentPacing
from dialer.domain.engine.call_messages import CallMessages
from dialer.domain.engine.called_off import wish_among_results, wish_in
from dialer.domain.engine.claims import Claims
from dialer.domain.engine.credit import Account, bill
from dialer.domain.engine.desks import Desks
from dialer.domain.engine.dialling import CampaignDialling
from dialer.domain.engine.gateway_load import GatewayLoad
from dialer.domain.engine.inbound import Inbound
from dialer.domain.engine.openings import Openings
from dialer.domain.engine.preview_orders import PreviewOrders
from dialer.domain.engine.previews import Previews
from dialer.domain.engine.retry import disposition, never_made
from dialer.domain.engine.state import ACTIVE, EngineState, OpenCampaign
from dialer.domain.engine.transfers import Transfers
from dialer.domain.engine.watchdog import Watchdog
from dialer.domain.queueing.call_distributor import CallDistributor
from dialer.domain.words.enums import CampaignStatus, SubscriberStatus
from dialer.domain.words.exhaustive import exhaustive

_AGENT_EVENTS: Final = frozenset(
    {
        call_events.CallAnswered,
        call_events.TransferReached,
        call_events.CallerLeft,
        agent_events.AgentAnswered,
        agent_events.AgentMissed,
        call_events.LegEnded,
        call_events.CallMoved,
        call_events.CalleeHandedOver,
        events.DistributorWoken,
        campaign_events.PersonDecided,
        call_events.CallEnded,
    }
)
"""Events that may change the agents' talks, or the number of calls on their way to an agent."""
_PENDING: Final = SubscriberStatus.PENDING
KEPT_ASIDE_MAX: Final = 100
"""Number of reports without effect that are kept for inspection."""
_REPORTS: Final = frozenset(get_args(events.Report))
_ABOUT_OFFERS: Final = frozenset({agent_events.AgentAnswered, agent_events.AgentMissed})


class Engine:
    """The state and the decisions for all open campaigns, gateways and accounts, and all calls in progress.

    A driver opens accounts, gateways and campaigns (in this order), answers claims, reports the progress of calls, and
    performs the effects in order. `first_call_id` is the id of the next call request.
    """

    def __init__(self, *, seed: int, first_call_id: int = 1) -> None:
        engine_state = self._state = EngineState(seed=seed, first_call_id=first_call_id)
        self.reports_ignored = 0
        """Number of reports of a carrier that changed nothing."""
        self.kept_aside: Final[deque[events.Report]] = deque(maxlen=KEPT_ASIDE_MAX)
        """The last of the reports that changed nothing."""
        self._campaigns: Final = engine_state.campaigns
        self._gateways: Final = engine_state.gateways
        self._accounts: Final = engine_state.accounts
        self._calls: Final = engine_state.calls
        self._met: Final = engine_state.contacts.met
        distributor = CallDistributor(seed=seed)
        self._transfers: Final = Transfers(engine_state, distributor)
        self._call_messages: Final = CallMessages(engine_state)
        self._inbound: Final = Inbound(engine_state)
        self._pacing: Final = AgentPacing(engine_state, distributor)
        self._previews: Final = Previews(engine_state, distributor, self._transfers.wake)
        self._claims: Final = Claims(engine_state)
        wake_floor = self._transfers.wake
        self._dialling: Final = CampaignDialling(engine_state, self._claims, self._pacing, self._previews, wake_floor)
        self._orders: Final = PreviewOrders(engine_state, distributor, self._previews, self._claims, self._dialling)
        self._desks: Final = Desks(self._transfers, self._previews, self._orders)
        self._watchdog: Final = Watchdog(engine_state)
        self._openings: Final = Openings(
            engine_state, self._dialling, self._orders, self._previews, self._transfers, self._call_messages
        )
        self._handlers: Final = exhaustive(events.EngineEvent, self._handlers_of_all())

    def _handlers_of_all(self) -> dict[type, Callable[[int, Any], None]]:
        return {
            campaign_events.AccountOpened: self._openings.open_account,
            campaign_events.GatewayOpened: self._openings.open_gateway,
            campaign_events.CampaignOpened: self._openings.open_campaign,
            campaign_events.CampaignClosed: self._openings.close_campaign,
            campaign_events.CampaignRenewed: self._openings.renew_campaign,
            call_events.CallRestored: self._restore_call,
            campaign_events.CampaignWoken: self._dialling.wake_campaign,
            campaign_events.GatewayWoken: self._openings.wake_gateway,
            campaign_events.FreshClaimed: self._claims.fill_fresh,
            campaign_events.RetriesClaimed: self._claims.fill_retries,
            campaign_events.SubscriberClaimedAgain: self._dialling.fill_one,
            campaign_events.OfferedClaimed: self._orders.claimed,
            campaign_events.PersonDecided: self._orders.decided,
            campaign_events.SubscribersCounted: self._dialling.end_if_completed,
            call_events.DncReached: self._add_to_dnc,
            campaign_events.NumberStopped: self._stop_number,
            call_events.CallAnswered: self._pacing.answered,
            text_events.TextRequested: self._call_messages.requested,
            campaign_events.NumberChecked: self._call_messages.checked,
            text_events.TextRestored: self._call_messages.restore,
            text_events.TextChecked: self._call_messages.confirmed,
            call_events.TransferReached: self._desks.reached,
            call_events.CallerLeft: self._transfers.left,
            agent_events.AgentAnswered: self._transfers.taken,
            agent_events.AgentMissed: self._transfers.missed,
            agent_events.SupervisionEnded: self._transfers.supervision_over,
            call_events.LegEnded: self._end_leg,
            call_events.CallMoved: self._move_call,
            call_events.ThirdAnswered: self._transfers.third_answered,
            call_events.CalleeHandedOver: self._hand_over,
            call_events.HandOverRefused: self._transfers.hand_over_refused,
            events.DistributorWoken: self._desks.woken,
            events.WatchdogWoken: self._watchdog.woken,
            agent_events.QueueOpened: self._desks.open_queue,
            agent_events.AgentOpened: self._desks.open_agent,
            agent_events.QueueClosed: self._transfers.close_queue,
            agent_events.AgentClosed: self._desks.close_agent,
            call_events.DidOpened: self._inbound.open_did,
            call_events.DidClosed: self._inbound.close_did,
            call_events.CallArrived: self._inbound.arrived,
            call_events.CallReceived: self._inbound.received,
            call_events.CallerFound: self._inbound.caller_found,
            call_events.OutcomeSaid: self._say_outcome,
            call_events.RecordingOrdered: self._order_recording,
            call_events.CallEnded: self._end_call,
            call_events.CallTakenBack: self._take_back,
            call_events.LineLost: self._openings.lose_line,
            call_events.LineFound: self._openings.find_line,
        }

    @property
    def engine_state(self) -> EngineState:
        """The engine's state, for a driver that compares it with its own."""
        return self._state

    @property
    def calls_in_progress(self) -> int:
        """The number of calls in progress."""
        return len(self._calls)

    @property
    def next_call_id(self) -> int:
        """The id of the next call request."""
        return self._state.next_call_id

    def handle(self, now_ms: int, event: events.Event) -> list[Effect]:
        """Return the effects of `event` at `now_ms`, in order.

        A carrier's report that is a repeat, is late, or concerns an unknown call changes nothing. Nor does an agent's
        answer to a call that does not wait for that agent.
        """
        effects: list[Effect] = []
        self._state.emit = effects.append
        kind = type(event)
        if kind in _REPORTS:
            call, seq = self._calls.get(event.call_id), event.seq  # type: ignore[union-attr] # its type was looked up
            if call is None or 0 < seq <= call.last_seq:  # It concerns no call in progress, or is a repeat.
                self.reports_ignored += 1
                self.kept_aside.append(event)  # type: ignore[arg-type] # as above
                return effects
            if seq:
                call.last_seq = seq
        elif kind in _ABOUT_OFFERS and not self._transfers.is_asked(event):  # type: ignore[arg-type] # kind is its type
            return effects
        self._handlers[kind](now_ms, event)
        if kind in _AGENT_EVENTS and (self._transfers.is_touched or self._state.paced.queue_ids):
            self._let_agents_act(now_ms)
        if self._met:
            self._orders.contacted()
        if not self._watchdog.is_awake and self._calls:
            self._watchdog.wake(now_ms)
        return effects

    def _let_agents_act(self, now_ms: int) -> None:
        """Let the floor act, and the campaigns that dial for agents."""
        if self._transfers.is_touched:
            self._transfers.settle(now_ms)
            if self._previews.offers and self._orders.give_way(now_ms):
                self._transfers.settle(now_ms)
            for call in self._transfers.unserved():
                self._free(call, now_ms)
        for campaign in self._pacing.concerned(now_ms):
            self._dialling.consider(campaign, now_ms)

    # --- calls --------------------------------------------------------------------------------------------------

    def _restore_call(self, now_ms: int, event: call_events.CallRestored) -> None:
        call = event.call
        call.is_restored = True
        self._calls[call.id] = call
        self._watchdog.restored(now_ms, call)
        if call.parent_id is not None:
            self._gateways[call.plan.gateway_id].in_progress += 1
            return
        campaign = self._state.campaign_of(call.plan)
        if call.takes_channel:
            self._gateways[call.plan.gateway_id].in_progress += 1
        if call.is_inbound:
            self._inbound.began(campaign, call)
        else:
            campaign.in_progress += 1
            self._pacing.restore(campaign, event)
        self._transfers.restore(now_ms, call)
        self._previews.restore_call(call)

    def _add_to_dnc(self, now_ms: int, event: call_events.DncReached) -> None:
        """Keep the wish of the other end of a call not to be called again. Anonymous callers have no number."""
        call = self._calls.get(event.call_id)
        if call is not None and call.subscriber.number:
            call.has_kept_wish = True
            campaign = self._campaigns.get(call.plan.id)
            plan = call.plan if campaign is None else campaign.plan
            self._keep_wish(now_ms, wish_in(call, plan, event))

    def _stop_number(self, now_ms: int, event: campaign_events.NumberStopped) -> None:
        kinds = {"is_held": event.is_held, "is_simulated": event.is_simulated}
        self._keep_wish(now_ms, KeepWish(event.user_id, event.dnc_id, event.number, event.proof, **kinds))

    def _keep_wish(self, now_ms: int, wish: KeepWish) -> None:
        """Keep a wish not to be called. Subscribers who were claimed before are not called either."""
        called_off = self._state.called_off
        if called_off.is_forgetting_due:
            called_off.forget(
                min((campaign.called_off_before for campaign in self._campaigns.values()), default=called_off.last)
            )
        called_off.add(wish)
        self._state.emit(wish)
        self._orders.number_stopped(now_ms, wish.number)

    def _end_leg(self, now_ms: int, event: call_events.LegEnded) -> None:
        self._transfers.leg_ended(now_ms, event)
        call = self._calls.get(event.call_id)
        if call is not None:
            self._free(call, now_ms)

    def _move_call(self, now_ms: int, event: call_events.CallMoved) -> None:
        self._desks.moved(now_ms, event)
        self._free(self._calls[event.call_id], now_ms)

    def _hand_over(self, now_ms: int, event: call_events.CalleeHandedOver) -> None:
        self._transfers.handed_over(now_ms, event)
        self._free(self._calls[event.call_id], now_ms)

    def _order_recording(self, _now_ms: int, event: call_events.RecordingOrdered) -> None:
        call = self._calls.get(event.call_id)
        if call is not None and call.recording_orders != event.orders:
            call.recording_orders = event.orders
            self._state.emit(TapeCall(call.id))

    def _say_outcome(self, _now_ms: int, event: call_events.OutcomeSaid) -> None:
        """Note that a call has an outcome, and whether its callee is called back. The end of the call acts on it."""
        call = self._calls.get(event.call_id)
        if call is not None:
            call.has_outcome, call.call_back = True, event.call_back

    def _end_call(self, now_ms: int, event: call_events.CallEnded) -> None:
        call = self._calls[event.call_id]
        if event.outcome.results and not call.has_kept_wish:
            # Only the results may hold a wish: its own report was lost, or came too late.
            wish = wish_among_results(call, event.outcome)
            if wish is not None:
                self._add_to_dnc(now_ms, wish)
        if call.subscriber.promised_agent_id is not None:
            self._transfers.unreserve(call)
        if call.transfers:
            self._transfers.call_over(now_ms, call, event.outcome)
        del self._calls[event.call_id]
        if self._previews.calls:
            self._previews.call_over(call.id, now_ms)
        if call.attempt >= 0 and call.parent_id is None:
            self._finish_call(now_ms, call, event.outcome)
            return
        if call.parent_id is not None:
            self._call_messages.finished(call, event.outcome)
        else:
            self._inbound.finished(call, event.outcome)
        self._free(call, now_ms)

    def _free(self, call: Call, now_ms: int) -> None:
        """Let others use the places and the money that a part of a call has released."""
        campaign = self._campaigns.get(call.plan.id)
        gateway, account = self._gateways[call.plan.gateway_id], self._accounts[call.plan.user_id]
        self._dialling.serve_waiting(gateway, account, now_ms)
        if campaign is not None:
            self._state.forget_if_over(campaign)

    def _finish_call(self, now_ms: int, call: Call, outcome: CallOutcome) -> None:
        plan = call.plan
        campaign, account = self._campaigns[plan.id], self._accounts[plan.user_id]
        gateway = home = self._gateways[plan.gateway_id]
        if plan is not campaign.plan:
            home = self._gateways[campaign.plan.gateway_id]
            # The settings at the end of a call decide its consequences, as they would after a restart. The choice
            # of the calls that are recorded was made at the dial.
            recording = msgspec.structs.replace(
                campaign.plan.recording, share=plan.recording.share, queue_ids=plan.recording.queue_ids
            )
            call.plan = msgspec.structs.replace(campaign.plan, gateway_id=plan.gateway_id, recording=recording)
        charge = bill(call, outcome)
        after = disposition(call, outcome)
        self._state.emit(FinishCall(call, outcome, charge, after))
        if self._state.contacts.is_followed:
            self._state.contacted(call)
        if campaign.is_paced or campaign.dialling or campaign.greeted or campaign.machines:
            self._pacing.ended(campaign, call, outcome)
        if outcome.calls_back_ms is not None:
            self._state.emit(ExpectCallBack(outcome.calls_back_ms, call))
        campaign.in_progress -= 1
        gateway.in_progress -= 1
        if home.waiting:
            home.newcomers.add(plan.id)  # Its turn may have come nearer.
        if outcome.cause in CARRIER_FAILURES or gateway.breaker is not CLOSED:
            self._state.learn(gateway, outcome.cause, call.started_ms, now_ms, outcome.retry_after_ms)
        account.held -= call.hold
        account.balance -= charge.cost
        if after.status is _PENDING:
            self._await_retry(campaign, call, after, now_ms)
        if gateway.waiting or account.waiting or campaign.is_full or campaign.in_progress == 0:
            self._use_freed_places(campaign, gateway, account, now_ms)

    def _take_back(self, now_ms: int, event: call_events.CallTakenBack) -> None:
        """Undo an attempt that was never made. Its subscriber is due at once, before those who were never called."""
        call = self._calls.pop(event.call_id, None)
        if call is None:
            return
        campaign, gateway = self._campaigns[call.plan.id], self._gateways[call.plan.gateway_id]
        account, subscriber = self._accounts[call.plan.user_id], call.subscriber
        campaign.in_progress -= 1
        gateway.in_progress -= 1
        self._gateways[campaign.plan.gateway_id].newcomers.add(campaign.plan.id)  # Its turn may have come nearer.
        account.held -= call.hold
        subscriber.attempts -= 1
        if call.subscriber.promised_agent_id is not None:
            self._transfers.unreserve(call)
        self._transfers.wake(now_ms)
        after = never_made(call, now_ms)
        subscriber.due_ms = after.due_ms
        self._pacing.taken_back(campaign, call)
        if self._previews.calls:
            self._previews.call_over(call.id, now_ms)
        self._state.emit(TakeBackCall(call, after))
        self._state.contacted(call)
        if after.status is _PENDING and campaign.status in ACTIVE:
            self._claims.make(ClaimAgain(campaign.plan.id, subscriber))
        self._use_freed_places(campaign, gateway, account, now_ms)

    def _await_retry(self, campaign: OpenCampaign, call: Call, after: Disposition, now_ms: int) -> None:
        subscriber = call.subscriber
        subscriber.failures, subscriber.completions = after.failures, after.completions
        subscriber.abandoned = after.abandoned
        subscriber.due_ms = after.due_ms
        if call.call_back is not None:
            agent_id, until_ms = call.call_back.promise or (None, 0)
            subscriber.promised_agent_id, subscriber.promised_until_ms = agent_id, until_ms
        if call.id >= campaign.first_call_id and not call.is_restored:
            self._dialling.schedule_retry(campaign, subscriber, now_ms)
        elif campaign.status in ACTIVE:
            self._claims.make(ClaimAgain(campaign.plan.id, subscriber))

    def _use_freed_places(self, campaign: OpenCampaign, gateway: GatewayLoad, account: Account, now_ms: int) -> None:
        """Use what the end of a call makes possible: a place on the gateway, money, or the end of the campaign."""
        if gateway.waiting or account.waiting:
            self._dialling.serve_waiting(gateway, account, now_ms)
        if campaign.is_full:
            self._dialling.consider(campaign, now_ms)
        if campaign.in_progress == 0:
            if campaign.status is CampaignStatus.START:
                self._state.emit(CountSubscribers(campaign.plan.id))
            self._state.forget_if_over(campaign)
