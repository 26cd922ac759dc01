"""The engine: who may be called now, and what follows when a call is over.

`Engine.handle(now_ms, event)` takes what happened and returns what is to be done. It performs nothing, and has no
clock, no database and no chance of its own: the server's worker and the simulator drive this same class.
"""

from collections import deque
from collections.abc import Callable
from functools import partial
from typing import Any, Final

import msgspec

from dialer.domain import events
from dialer.domain.agent_pacing import AgentPacing, is_paced_by_agents
from dialer.domain.board import ACTIVE, Board, OpenCampaign
from dialer.domain.callerid import choose_callerid, turns_of
from dialer.domain.capacity import Account, GatewayLoad, Offer
from dialer.domain.effects import (
    AddToDnc,
    ClaimAgain,
    ClaimFresh,
    ClaimRetries,
    CountSubscribers,
    Dial,
    Effect,
    ExpectCallBack,
    FinishCall,
    HangUp,
    MoveCampaign,
    RefuseSubscriber,
    WakeCampaign,
    WakeGateway,
)
from dialer.domain.enums import CampaignStatus, SubscriberStatus
from dialer.domain.hopper import NEVER_MS, Hopper
from dialer.domain.identity import call_uuid
from dialer.domain.inbound import Inbound
from dialer.domain.money import Rate
from dialer.domain.pacing.fixed import due_ms, fixed_rate
from dialer.domain.plans import Call, CallOutcome, Subscriber, Verdict, bill
from dialer.domain.queueing.floor import Floor
from dialer.domain.retry import verdict
from dialer.domain.texts import Texts
from dialer.domain.transfers import Transfers
from dialer.domain.zones import is_zone_key

_MOVES_AGENTS: Final = frozenset(
    {
        events.CallAnswered,
        events.TransferReached,
        events.CallerLeft,
        events.AgentAnswered,
        events.LegEnded,
        events.FloorWoken,
        events.CallEnded,
    }
)
"""What may change whom an agent talks to, or how many calls are on their way to one."""


class Engine:
    """Every open campaign, gateway and account, and every call in progress.

    A driver opens accounts, gateways and campaigns (in this order), answers claims, reports how calls go, and performs
    the effects in the order in which they come. `first_call_id` is the id of the next call request.
    """

    def __init__(self, *, seed: int, first_call_id: int = 1) -> None:
        board = self._board = Board(seed=seed, first_call_id=first_call_id)
        self._campaigns: Final = board.campaigns
        self._gateways: Final = board.gateways
        self._accounts: Final = board.accounts
        self._calls: Final = board.calls
        floor = Floor(seed=seed)
        self._transfers: Final = Transfers(board, floor)
        self._texts: Final = Texts(board)
        self._inbound: Final = Inbound(board)
        self._pacing: Final = AgentPacing(board, floor)
        self._claims_under_way = 0
        self._deferred: deque[Callable[[int], None]] = deque()
        """Decisions that wait in order for the answer to a claim: who dials must not depend on who was at hand."""
        self._handlers: Final[dict[type, Callable[[int, Any], None]]] = {
            events.AccountOpened: self._open_account,
            events.GatewayOpened: self._open_gateway,
            events.CampaignOpened: self._open_campaign,
            events.CampaignClosed: self._close_campaign,
            events.CallRestored: self._restore_call,
            events.CampaignWoken: self._wake_campaign,
            events.GatewayWoken: self._wake_gateway,
            events.FreshClaimed: self._fill_fresh,
            events.RetriesClaimed: self._fill_retries,
            events.SubscriberClaimedAgain: self._fill_one,
            events.SubscribersCounted: self._end_if_completed,
            events.DncReached: self._call_off,
            events.CallAnswered: self._pacing.answered,
            events.TextRequested: self._texts.requested,
            events.TransferReached: self._transfers.reached,
            events.CallerLeft: self._transfers.left,
            events.AgentAnswered: self._transfers.taken,
            events.LegEnded: self._end_leg,
            events.FloorWoken: self._transfers.woken,
            events.QueueOpened: self._transfers.open_queue,
            events.AgentOpened: self._transfers.open_agent,
            events.QueueClosed: self._transfers.close_queue,
            events.AgentClosed: self._transfers.close_agent,
            events.DidsForgotten: self._inbound.forget_dids,
            events.DidOpened: self._inbound.open_did,
            events.CallArrived: self._inbound.arrived,
            events.CallEnded: self._end_call,
        }

    @property
    def calls_in_progress(self) -> int:
        """How many calls are in progress."""
        return len(self._calls)

    @property
    def next_call_id(self) -> int:
        """The id that the next call request will have."""
        return self._board.next_call_id

    def handle(self, now_ms: int, event: events.Event) -> list[Effect]:
        """What is to be done because of `event` at `now_ms`, in order."""
        effects: list[Effect] = []
        self._board.effects = effects
        self._handlers[type(event)](now_ms, event)
        if type(event) in _MOVES_AGENTS:
            self._transfers.settle(now_ms)
            for campaign in self._pacing.paced():
                self._consider(campaign, now_ms)
        return effects

    # --- opening and closing ------------------------------------------------------------------------------------

    def _open_account(self, _now_ms: int, event: events.AccountOpened) -> None:
        known = self._accounts.get(event.user_id)
        account = self._accounts[event.user_id] = Account(event.balance, event.held, event.rate, event.sms_rate)
        if known is not None:
            account.waiting = known.waiting

    def _open_gateway(self, _now_ms: int, event: events.GatewayOpened) -> None:
        gateway = self._gateways.get(event.plan.id)
        if gateway is None:
            gateway = self._gateways[event.plan.id] = GatewayLoad(event.plan)
        gateway.renew(event.plan, event.recent_dials_ms, event.rest)

    def _open_campaign(self, now_ms: int, event: events.CampaignOpened) -> None:
        plan = event.plan
        campaign = self._campaigns.get(plan.id)
        if campaign is None:
            campaign = self._campaigns[plan.id] = OpenCampaign(plan, self._board.windows)
        else:
            self._gateways[campaign.plan.gateway_id].waiting.discard(plan.id)
        campaign.plan = plan
        campaign.status = event.status
        campaign.next_dial_us = event.next_dial_us
        campaign.callerid_turns = turns_of(plan, event.callerid_turns)
        if event.figures is not None:
            campaign.figures = event.figures
        campaign.first_call_id = self._board.next_call_id
        campaign.hopper = Hopper(plan, event.zones, self._board.windows, now_ms)
        if plan.dnc_id is not None:
            self._board.called_off.pop(plan.dnc_id, None)
        # Nobody dials before everything that changed has been told: the wake-up comes after that.
        self._wake_at(campaign, now_ms)

    def _close_campaign(self, _now_ms: int, event: events.CampaignClosed) -> None:
        campaign = self._campaigns.get(event.campaign_id)
        if campaign is None:
            return
        campaign.status = CampaignStatus.ABORD if event.is_aborted else CampaignStatus.END
        self._gateways[campaign.plan.gateway_id].waiting.discard(event.campaign_id)
        if event.is_aborted:
            for call in self._calls.values():
                if call.plan.id == event.campaign_id:
                    call.is_aborted = True
                    self._board.emit(HangUp(call.id))
        self._forget_if_over(campaign)

    def _restore_call(self, now_ms: int, event: events.CallRestored) -> None:
        call = event.call
        self._calls[call.id] = call
        if call.parent_id is not None:
            self._gateways[call.plan.gateway_id].in_progress += 1
            return
        campaign = self._campaigns.setdefault(call.plan.id, OpenCampaign(call.plan, self._board.windows))
        if call.did_id is not None:
            campaign.inbound += 1
        else:
            campaign.in_progress += 1
            self._gateways[call.plan.gateway_id].in_progress += 1
            self._pacing.restore(campaign, event)
        self._transfers.restore(now_ms, call)

    def _forget_if_over(self, campaign: OpenCampaign) -> None:
        if campaign.in_progress == campaign.inbound == 0 and campaign.status not in ACTIVE:
            self._campaigns.pop(campaign.plan.id, None)

    # --- whether a campaign may dial ----------------------------------------------------------------------------

    def _wake_campaign(self, now_ms: int, event: events.CampaignWoken) -> None:
        campaign = self._campaigns.get(event.campaign_id)
        if campaign is None:
            return
        if campaign.wake_ms <= now_ms:
            campaign.wake_ms = NEVER_MS
        self._consider(campaign, now_ms)

    def _wake_gateway(self, now_ms: int, event: events.GatewayWoken) -> None:
        gateway = self._gateways[event.gateway_id]
        if gateway.wake_ms <= now_ms:
            gateway.wake_ms = NEVER_MS
        self._serve(gateway, now_ms)

    def _consider(self, campaign: OpenCampaign, now_ms: int) -> None:
        """Let a campaign dial if it may, else arrange for it to be looked at again when it may."""
        plan = campaign.plan
        if self._waits():
            self._deferred.append(partial(self._consider, campaign))
            return
        if campaign.status not in ACTIVE:
            return
        if now_ms >= plan.expires_ms:
            self._move(campaign, CampaignStatus.END, "expired")
            return
        if campaign.status is CampaignStatus.PAUSE:
            self._wake_at(campaign, plan.expires_ms)
            return
        ready_ms = self._ready_at_ms(campaign, now_ms)
        if ready_ms > now_ms:
            self._wake_at(campaign, min(ready_ms, plan.expires_ms))
            return
        campaign.is_full = bool(plan.max_aleg) and campaign.in_progress >= plan.max_aleg
        if campaign.is_full:
            self._wake_at(campaign, plan.expires_ms)
            return
        gateway = self._gateways[plan.gateway_id]
        gateway.waiting.add(plan.id)
        self._serve(gateway, now_ms)
        if plan.id in gateway.waiting:
            self._wake_at(campaign, plan.expires_ms)

    def _ready_at_ms(self, campaign: OpenCampaign, now_ms: int) -> int:
        """When pacing allows the next dial; `NEVER_MS` if something must happen first."""
        plan = campaign.plan
        if not is_paced_by_agents(plan) or plan.starting_ms > now_ms:
            return max(plan.starting_ms, due_ms(campaign.next_dial_us))
        pace = self._pacing.pace(campaign, now_ms)
        if pace.again_ms is not None:
            self._wake_at(campaign, min(pace.again_ms, plan.expires_ms))
        return now_ms if pace.calls > 0 else NEVER_MS

    def _serve(self, gateway: GatewayLoad, now_ms: int) -> None:
        """Give the gateway's free places to the campaigns that wait for one, each in its turn."""
        if self._waits():
            self._deferred.append(partial(self._serve, gateway))
            return
        while gateway.waiting:
            free_at_ms = gateway.free_at_ms(now_ms)
            if free_at_ms > now_ms:
                if free_at_ms < gateway.wake_ms:
                    gateway.wake_ms = free_at_ms
                    self._board.emit(WakeGateway(free_at_ms, gateway.plan.id))
                return
            campaign = self._next_in_turn(gateway)
            gateway.waiting.discard(campaign.plan.id)
            if self._dial_next(campaign, gateway, now_ms):
                self._consider_again(campaign, gateway, now_ms)
            elif self._waits():
                gateway.waiting.add(campaign.plan.id)
                self._deferred.appendleft(partial(self._serve, gateway))
                return

    def _next_in_turn(self, gateway: GatewayLoad) -> OpenCampaign:
        """Where channels are scarce, the campaign that has the fewest; else the one whose dial has waited longest."""
        if len(gateway.waiting) == 1:
            return self._campaigns[next(iter(gateway.waiting))]
        waiting = [self._campaigns[campaign_id] for campaign_id in gateway.waiting]
        if gateway.plan.max_channels:
            return min(waiting, key=lambda one: (one.in_progress, one.next_dial_us, one.plan.id))
        return min(waiting, key=lambda one: (one.next_dial_us, one.plan.id))

    def _consider_again(self, campaign: OpenCampaign, gateway: GatewayLoad, now_ms: int) -> None:
        """After a dial: wait for the next slot, or for a place at once if that slot has come already."""
        plan = campaign.plan
        ready_ms = self._ready_at_ms(campaign, now_ms)
        if ready_ms > now_ms:
            self._wake_at(campaign, min(ready_ms, plan.expires_ms))
        elif plan.max_aleg and campaign.in_progress >= plan.max_aleg:
            campaign.is_full = True
            self._wake_at(campaign, plan.expires_ms)
        else:
            gateway.waiting.add(plan.id)
            self._wake_at(campaign, plan.expires_ms)

    def _wake_at(self, campaign: OpenCampaign, at_ms: int) -> None:
        if at_ms < campaign.wake_ms:
            campaign.wake_ms = at_ms
            self._board.emit(WakeCampaign(at_ms, campaign.plan.id))

    # --- whom it dials ------------------------------------------------------------------------------------------

    def _dial_next(self, campaign: OpenCampaign, gateway: GatewayLoad, now_ms: int) -> bool:
        """Dial the next subscriber who may be called; whether there was one."""
        if now_ms >= campaign.plan.expires_ms:
            # It expired while it waited for a place on the gateway, which came before its own wake-up.
            self._move(campaign, CampaignStatus.END, "expired")
            return False
        if is_paced_by_agents(campaign.plan) and self._ready_at_ms(campaign, now_ms) > now_ms:
            return False  # Its agents were taken while it waited for a place on the gateway.
        campaign.is_idle = False
        hopper = campaign.hopper
        while True:
            found = hopper.next(now_ms)
            if found is None:
                self._rest(campaign, now_ms)
                return False
            if isinstance(found, (ClaimFresh, ClaimRetries)):
                self._claim(found)
                return False
            refusal = self._refusal(campaign, found)
            if refusal:
                hopper.take()
                self._board.emit(RefuseSubscriber(campaign.plan.id, found, refusal))
                continue
            return self._dial(campaign, gateway, found, now_ms)

    def _refusal(self, campaign: OpenCampaign, subscriber: Subscriber) -> str:
        """Why a subscriber must not be called at all; empty if they may."""
        if not is_zone_key(subscriber.zone):
            return "tz_unknown"
        dnc_id = campaign.plan.dnc_id
        called_off = self._board.called_off.get(dnc_id) if dnc_id is not None else None
        if subscriber.is_on_dnc or (called_off is not None and subscriber.number in called_off):
            return "dnc"
        return ""

    def _dial(self, campaign: OpenCampaign, gateway: GatewayLoad, subscriber: Subscriber, now_ms: int) -> bool:
        plan = campaign.plan
        account = self._accounts[plan.user_id]
        offer = account.offer(plan, subscriber)
        if offer is None:
            self._wait_for_credit(campaign, account)
            return False
        campaign.hopper.take()
        call = self._new_call(campaign, account.rate, subscriber, offer, now_ms)
        account.held += call.hold
        campaign.in_progress += 1
        if is_paced_by_agents(plan):
            self._pacing.dialled(campaign, call)
        else:
            campaign.next_dial_us = fixed_rate(plan.frequency, campaign.next_dial_us, now_ms)
        gateway.dialled(now_ms)
        self._board.emit(Dial(call, campaign.next_dial_us, campaign.callerid_turns))
        return True

    def _new_call(self, campaign: OpenCampaign, rate: Rate, subscriber: Subscriber, offer: Offer, now_ms: int) -> Call:
        plan = campaign.plan
        subscriber.attempts += 1
        call = Call(
            id=self._board.new_id(),
            callid=call_uuid(self._board.seed, plan.id, subscriber.id, subscriber.attempts),
            plan=plan,
            subscriber=subscriber,
            attempt=subscriber.attempts,
            started_ms=now_ms,
            ring_limit_ms=plan.ring_limit_ms,
            talk_limit_ms=offer.talk_limit_ms,
            hold=offer.hold,
            rate=rate,
            callerid=choose_callerid(plan, subscriber.number, campaign.callerid_turns),
            dialled=self._gateways[plan.gateway_id].written(subscriber.number),
            amd=plan.amd,
            text=offer.text,
            parts=offer.parts,
        )
        self._calls[call.id] = call
        return call

    def _wait_for_credit(self, campaign: OpenCampaign, account: Account) -> None:
        """Wait for a call in progress to set money free; with none, nothing but a payment helps."""
        if account.held > 0:
            account.waiting.add(campaign.plan.id)
            self._wake_at(campaign, campaign.plan.expires_ms)
        else:
            self._move(campaign, CampaignStatus.PAUSE, "no_credit")

    def _rest(self, campaign: OpenCampaign, now_ms: int) -> None:
        """Nobody can be called now: wait until somebody can, or find out whether the campaign is done."""
        campaign.is_idle = True
        at_ms = campaign.hopper.changes_at_ms(now_ms)
        self._wake_at(campaign, min(at_ms, campaign.plan.expires_ms))
        if at_ms >= NEVER_MS and campaign.in_progress == 0:
            self._board.emit(CountSubscribers(campaign.plan.id))

    # --- what the driver found ----------------------------------------------------------------------------------

    def _fill_fresh(self, now_ms: int, event: events.FreshClaimed) -> None:
        campaign = self._campaigns[event.campaign_id]
        campaign.hopper.add_fresh(event.zone, event.subscribers, is_last=event.is_last)
        self._resume(now_ms)

    def _fill_retries(self, now_ms: int, event: events.RetriesClaimed) -> None:
        campaign = self._campaigns[event.campaign_id]
        campaign.hopper.add_retries(event.zone, event.subscribers, is_last=event.is_last)
        self._resume(now_ms)

    def _fill_one(self, now_ms: int, event: events.SubscriberClaimedAgain) -> None:
        if event.subscriber is not None:
            self._schedule_retry(self._campaigns[event.campaign_id], event.subscriber, now_ms)
        self._resume(now_ms)

    def _claim(self, claim: ClaimFresh | ClaimRetries | ClaimAgain) -> None:
        self._claims_under_way += 1
        self._board.emit(claim)

    def _waits(self) -> bool:
        """Whether nothing is decided before a claim is answered."""
        return self._claims_under_way > 0

    def _resume(self, now_ms: int) -> None:
        """Go on with the decisions that waited for a claim, until one of them needs another."""
        self._claims_under_way -= 1
        while self._deferred and not self._waits():
            self._deferred.popleft()(now_ms)

    def _end_if_completed(self, _now_ms: int, event: events.SubscribersCounted) -> None:
        campaign = self._campaigns.get(event.campaign_id)
        if campaign is not None and event.has_any and not event.has_open:
            self._move(campaign, CampaignStatus.END, "completed")

    def _move(self, campaign: OpenCampaign, status: CampaignStatus, reason: str) -> None:
        campaign.status = status
        self._gateways[campaign.plan.gateway_id].waiting.discard(campaign.plan.id)
        self._board.emit(MoveCampaign(campaign.plan.id, status, reason))
        if status is CampaignStatus.PAUSE:
            self._wake_at(campaign, campaign.plan.expires_ms)
        self._forget_if_over(campaign)

    # --- calls --------------------------------------------------------------------------------------------------

    def _call_off(self, _now_ms: int, event: events.DncReached) -> None:
        """The callee of a call asked not to be called again."""
        call = self._calls.get(event.call_id)
        campaign = None if call is None else self._campaigns.get(call.plan.id)
        if call is None:
            return
        dnc_id = call.plan.dnc_id if campaign is None else campaign.plan.dnc_id
        if dnc_id is None:
            return
        self._board.called_off.setdefault(dnc_id, set()).add(call.subscriber.number)
        self._board.emit(AddToDnc(dnc_id, call.subscriber.number))

    def _end_leg(self, now_ms: int, event: events.LegEnded) -> None:
        self._transfers.leg_ended(now_ms, event)
        call = self._calls.get(event.call_id)
        if call is not None:
            self._free(call, now_ms)

    def _end_call(self, now_ms: int, event: events.CallEnded) -> None:
        """A second report of the same end finds no call, and changes nothing."""
        call = self._calls.get(event.call_id)
        if call is None:
            return
        self._transfers.call_over(now_ms, call)
        del self._calls[event.call_id]
        if call.parent_id is not None:
            self._texts.finished(call, event.outcome)
        elif call.did_id is not None:
            self._inbound.finished(call, event.outcome)
        else:
            self._finish_call(now_ms, call, event.outcome)
            return
        self._free(call, now_ms)

    def _free(self, call: Call, now_ms: int) -> None:
        """What was taken by a part of a call is free again."""
        campaign = self._campaigns.get(call.plan.id)
        gateway, account = self._gateways[call.plan.gateway_id], self._accounts[call.plan.user_id]
        self._offer_places(gateway, account, now_ms)
        if campaign is not None:
            self._forget_if_over(campaign)

    def _finish_call(self, now_ms: int, call: Call, outcome: CallOutcome) -> None:
        campaign, gateway = self._campaigns[call.plan.id], self._gateways[call.plan.gateway_id]
        account = self._accounts[call.plan.user_id]
        if call.plan is not campaign.plan:
            # What follows from a call is decided by what holds when it ends, as it would be after a restart.
            call.plan = msgspec.structs.replace(campaign.plan, gateway_id=call.plan.gateway_id)
        charge = bill(call, outcome)
        after = verdict(call, outcome)
        self._board.emit(FinishCall(call, outcome, charge, after))
        if is_paced_by_agents(campaign.plan):
            self._pacing.ended(campaign, call, outcome)
        if outcome.calls_back_ms is not None:
            self._board.emit(ExpectCallBack(outcome.calls_back_ms, call))
        campaign.in_progress -= 1
        gateway.in_progress -= 1
        self._board.learn(call.plan.gateway_id, outcome.cause, call.started_ms, now_ms)
        account.held -= call.hold
        account.balance -= charge.cost
        if after.status is SubscriberStatus.PENDING:
            self._await_retry(campaign, call, after, now_ms)
        self._go_on(campaign, gateway, account, now_ms)

    def _await_retry(self, campaign: OpenCampaign, call: Call, after: Verdict, now_ms: int) -> None:
        subscriber = call.subscriber
        subscriber.failures, subscriber.completions = after.failures, after.completions
        subscriber.due_ms = after.due_ms
        if call.id >= campaign.first_call_id:
            self._schedule_retry(campaign, subscriber, now_ms)
        elif campaign.status in ACTIVE:
            self._claim(ClaimAgain(campaign.plan.id, subscriber))

    def _schedule_retry(self, campaign: OpenCampaign, subscriber: Subscriber, now_ms: int) -> None:
        campaign.hopper.schedule_retry(subscriber, now_ms)
        if campaign.is_idle and campaign.status is CampaignStatus.START:
            self._wake_at(campaign, min(max(subscriber.due_ms, now_ms), campaign.plan.expires_ms))

    def _go_on(self, campaign: OpenCampaign, gateway: GatewayLoad, account: Account, now_ms: int) -> None:
        """What the end of a call makes possible: a place on the gateway, money, the end of the campaign."""
        self._offer_places(gateway, account, now_ms)
        if campaign.is_full:
            self._consider(campaign, now_ms)
        if campaign.in_progress == 0 and campaign.status is CampaignStatus.START:
            self._board.emit(CountSubscribers(campaign.plan.id))
        self._forget_if_over(campaign)

    def _offer_places(self, gateway: GatewayLoad, account: Account, now_ms: int) -> None:
        """Let those go on who waited for a channel or for money."""
        if gateway.waiting:
            self._serve(gateway, now_ms)
        if account.waiting:
            waiting, account.waiting = sorted(account.waiting), set()
            for campaign_id in waiting:
                if campaign_id in self._campaigns:
                    self._consider(self._campaigns[campaign_id], now_ms)
