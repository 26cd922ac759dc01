"""Dialling: a campaign's permission to dial now, its next subscriber, and the time of its next check."""

from collections.abc import Callable
from functools import partial
from typing import Final, TypeAlias

from dialer.domain.calls import campaign_events
from dialer.domain.calls.call_effects import Dial
from dialer.domain.calls.campaign_effects import (
    ClaimAgain,
    ClaimFresh,
    ClaimOffered,
    ClaimRetries,
    CountSubscribers,
    MoveCampaign,
    PutBack,
    RefuseSubscriber,
)
from dialer.domain.calls.effects import WakeCampaign, WakeGateway
from dialer.domain.calls.plans import Call, Subscriber
from dialer.domain.engine.agent_pacing import AgentPacing
from dialer.domain.engine.claims import Claims
from dialer.domain.engine.credit import Account
from dialer.domain.engine.gateway_load import GatewayLoad
from dialer.domain.engine.max_aleg import place_at_ms
from dialer.domain.engine.new_call import new_call
from dialer.domain.engine.next_people import NextPeople
from dialer.domain.engine.person_verdicts import PersonVerdicts
from dialer.domain.engine.plain_dials import PlainDials
from dialer.domain.engine.previews import Offered, Previews
from dialer.domain.engine.retry import AGAIN_MS
from dialer.domain.engine.state import ACTIVE, EngineState, OpenCampaign
from dialer.domain.engine.turns import next_in_turn
from dialer.domain.pacing.fixed import fixed_rate
from dialer.domain.rules.dial_rules import Allowed, Later, Never
from dialer.domain.words.enums import CampaignStatus
from dialer.domain.words.moments import NEVER_MS
from dialer.domain.words.reasons import CampaignReason, NoReason, SubscriberReason, WaitsFor

_START: Final = CampaignStatus.START
NextPerson: TypeAlias = Subscriber | ClaimFresh | ClaimRetries | None
"""The subscriber to call, the claim to make first, or nobody."""
_Claim: TypeAlias = ClaimFresh | ClaimRetries | ClaimAgain


class CampaignDialling:
    """The dialling of all campaigns, by limits in their order: dates, pace, `max_aleg`, gateway, person, credit."""

    def __init__(
        self,
        engine_state: EngineState,
        claims: Claims,
        pacing: AgentPacing,
        previews: Previews,
        wake_floor: Callable[[int], None],
    ) -> None:
        """`wake_floor` has the agents looked at from a moment on."""
        self._state: Final = engine_state
        self._claims: Final = claims
        self._pacing: Final = pacing
        self._previews: Final = previews
        self._campaigns: Final = engine_state.campaigns
        self._gateways: Final = engine_state.gateways
        self._accounts: Final = engine_state.accounts
        self._verdicts: Final = PersonVerdicts(engine_state)
        self._plain: Final = PlainDials(engine_state, self._verdicts)
        self._people: Final = NextPeople(engine_state, pacing, claims, self.consider, self.wake_at, wake_floor)

    def wake_campaign(self, now_ms: int, event: campaign_events.CampaignWoken) -> None:
        """Check a campaign at its scheduled time."""
        campaign = self._campaigns.get(event.campaign_id)
        if campaign is None:
            return
        if campaign.wake_ms <= now_ms:
            campaign.wake_ms = NEVER_MS
        self.consider(campaign, now_ms)

    def wake_gateway(self, now_ms: int, event: campaign_events.GatewayWoken) -> None:
        """Place the calls that a gateway may place now, because its scheduled time has come."""
        gateway = self._gateways[event.gateway_id]
        if gateway.wake_ms <= now_ms:
            gateway.wake_ms = NEVER_MS
        self._serve(gateway, now_ms)

    def consider(self, campaign: OpenCampaign, now_ms: int) -> None:
        """Dial for a campaign if it may dial now; else schedule its next check."""
        plan = campaign.plan
        if self._claims.under_way:
            self._claims.defer(partial(self.consider, campaign))
            return
        if campaign.status is not _START or now_ms >= plan.expires_ms:
            self._expire_if_due(campaign, now_ms)
            return
        gateway, is_limited = self._gateways[plan.gateway_id], campaign.is_paced or plan.max_aleg
        rests_until_ms = 0
        while True:
            ready_ms = self._room_at_ms(campaign, now_ms) if is_limited else campaign.next_dial_ms
            if ready_ms > now_ms:
                if rests_until_ms > ready_ms:  # It need not look then: nobody is due.
                    ready_ms, campaign.is_idle = rests_until_ms, True
                gateway.waiting.discard(plan.id)  # It has lost its agents since, and its place with them.
                at_ms = ready_ms if ready_ms < plan.expires_ms else plan.expires_ms  # noqa: FURB136 - faster than min()
                self.wake_at(campaign, at_ms)
                return
            if not campaign.is_plain or gateway.waiting or gateway.free_at_ms(now_ms) > now_ms:
                break
            has_dialled = self._plain.dial(campaign, gateway, now_ms)
            if has_dialled is None:
                self._wait_for_subscribers(campaign, now_ms)
                return
            if not has_dialled:
                break
            rests_until_ms = campaign.hopper.rests_until_ms()
        gateway.waiting.add(plan.id)
        gateway.newcomers.add(plan.id)
        self._serve(gateway, now_ms, campaign)
        if plan.id in gateway.waiting:
            self.wake_at(campaign, plan.expires_ms)

    def _expire_if_due(self, campaign: OpenCampaign, now_ms: int) -> None:
        if campaign.status in ACTIVE:
            if now_ms >= campaign.plan.expires_ms:
                self._move(campaign, CampaignStatus.END, CampaignReason.EXPIRED, now_ms)
            else:
                self.wake_at(campaign, campaign.plan.expires_ms)

    def _room_at_ms(self, campaign: OpenCampaign, now_ms: int) -> int:
        """Return the time at which the pace and `max_aleg` of a campaign may allow its next dial."""
        is_paced = campaign.is_paced
        if not is_paced and campaign.next_dial_ms > now_ms:
            return campaign.next_dial_ms
        agents_at_ms = self._paced_at_ms(campaign, now_ms) if is_paced else 0
        if agents_at_ms > now_ms:  # As the rule says that comes first: this is asked at every event of an agent.
            return agents_at_ms
        return place_at_ms(campaign, now_ms)

    def _paced_at_ms(self, campaign: OpenCampaign, now_ms: int) -> int:
        """Return the time at which the agents allow the next dial; `NEVER_MS` if an event must come first."""
        if campaign.plan.starting_ms > now_ms:
            return campaign.next_dial_ms
        if campaign.is_previewed:
            return now_ms if self._previews.may_go_on(campaign, now_ms) else NEVER_MS
        if self._people.pace_allows(campaign, now_ms):
            return now_ms
        has_promised = campaign.hopper.awaits_agents and self._people.next_promised(campaign, now_ms) is not None
        return now_ms if has_promised else NEVER_MS

    def _serve(self, gateway: GatewayLoad, now_ms: int, asked: OpenCampaign | None = None) -> None:
        """Give the gateway's free places to the campaigns that wait for one, each in its turn.

        `asked` is a campaign whose agents have just allowed a dial, so they need not be asked again for it.
        """
        if self._claims.under_way:
            self._claims.defer(partial(self._serve, gateway))
            return
        waiting = gateway.waiting
        while waiting:
            free_at_ms = gateway.free_at_ms(now_ms)
            if free_at_ms > now_ms:
                if free_at_ms < gateway.wake_ms:
                    gateway.wake_ms = free_at_ms
                    self._state.emit(WakeGateway(free_at_ms, gateway.plan.id))
                return
            if len(waiting) == 1:  # Most campaigns wait alone. They need no turn.
                campaign = self._campaigns[waiting.pop()]
                gateway.newcomers.clear()
            else:
                campaign = next_in_turn(gateway, self._campaigns)
            is_allowed, asked = campaign is asked, None
            is_plain = campaign.is_plain and self._plain.dial(campaign, gateway, now_ms)
            if is_plain or self._dial_next(campaign, gateway, now_ms, is_allowed=is_allowed):
                asked = self._consider_again(campaign, gateway, now_ms)
            elif self._claims.are_open():
                waiting.add(campaign.plan.id)
                gateway.newcomers.add(campaign.plan.id)
                self._claims.defer_first(partial(self._serve, gateway))
                return

    def _consider_again(self, campaign: OpenCampaign, gateway: GatewayLoad, now_ms: int) -> OpenCampaign | None:
        """Schedule the next dial of a campaign after a dial: at its next slot, or in its next turn if that is due.

        Return the campaign if its next turn is due.
        """
        plan = campaign.plan
        is_limited = campaign.is_paced or plan.max_aleg
        ready_ms = self._room_at_ms(campaign, now_ms) if is_limited else campaign.next_dial_ms
        if ready_ms > now_ms:
            self.wake_at(campaign, min(ready_ms, plan.expires_ms))
            return None
        self.wake_at(campaign, plan.expires_ms)
        gateway.waiting.add(plan.id)
        gateway.newcomers.add(plan.id)
        return campaign

    def wake_at(self, campaign: OpenCampaign, at_ms: int) -> None:
        """Schedule a check of a campaign, unless an earlier one is scheduled."""
        if at_ms < campaign.wake_ms:
            campaign.wake_ms = at_ms
            self._state.emit(WakeCampaign(at_ms, campaign.plan.id))

    def wake_all(self, campaign_ids: set[int], now_ms: int) -> None:
        """Schedule checks of campaigns that waited for a change, and empty the set."""
        for campaign_id in sorted(campaign_ids):
            if campaign_id in self._campaigns:
                self.wake_at(self._campaigns[campaign_id], now_ms)
        campaign_ids.clear()

    def _dial_next(
        self, campaign: OpenCampaign, gateway: GatewayLoad, now_ms: int, *, is_allowed: bool = False
    ) -> bool:
        """Dial the next subscriber who may be called. Return True after a dial.

        With `is_allowed`, the agents have just allowed the dial.
        """
        has_to_ask = now_ms >= campaign.plan.expires_ms or (campaign.is_paced and not is_allowed)
        if has_to_ask and not self._may_still_dial(campaign, now_ms):
            return False
        wanted = self._previews.wanted(campaign) if campaign.wanted else None
        if wanted is not None:
            return self._dial_wanted(campaign, gateway, wanted, now_ms)
        campaign.is_idle = False
        hopper = campaign.hopper
        while True:
            next_person: NextPerson | ClaimAgain
            next_person = self._people.next(campaign, now_ms) if campaign.reaches_agents else hopper.next(now_ms)
            if campaign.plan.ruled:
                next_person = self._read_anew(campaign, next_person)
            if not isinstance(next_person, Subscriber):
                return self._claim_or_wait(campaign, next_person, now_ms)
            if next_person.id in campaign.offered:
                hopper.take()  # The campaign was read again since an agent looks at them.
                continue
            verdict = self._verdicts.of(campaign, next_person, now_ms)
            if not isinstance(verdict, Allowed):
                hopper.take()
                self.answer(campaign, next_person, verdict, now_ms)
                continue
            if campaign.is_previewed:
                return self._offer(campaign, next_person, now_ms)
            call = self._place(campaign, gateway, next_person, now_ms)
            if call is not None:
                hopper.take()
            return call is not None

    def _read_anew(self, campaign: OpenCampaign, found: NextPerson) -> NextPerson | ClaimAgain:
        """Return what the hopper has found; of somebody with whom a contact was made since their read, a new read."""
        if isinstance(found, Subscriber) and self._state.contacts.outdate(campaign.plan.ruled, found):
            campaign.hopper.take()
            return ClaimAgain(campaign.plan.id, found)
        return found

    def _claim_or_wait(self, campaign: OpenCampaign, claim: _Claim | None, now_ms: int) -> bool:
        """Make the claim that comes before the next dial, or wait for subscribers. Return False: nobody is called."""
        if claim is None:
            self._wait_for_subscribers(campaign, now_ms)
        else:
            self._claims.make(claim)
        return False

    def _may_still_dial(self, campaign: OpenCampaign, now_ms: int) -> bool:
        """Return whether a campaign may dial that may have waited for a place on the gateway."""
        if now_ms >= campaign.plan.expires_ms:  # It expired before its own wake-up.
            self._move(campaign, CampaignStatus.END, CampaignReason.EXPIRED, now_ms)
            return False
        return not campaign.is_paced or self._paced_at_ms(campaign, now_ms) <= now_ms  # Others may have its agents.

    def _offer(self, campaign: OpenCampaign, subscriber: Subscriber, now_ms: int) -> bool:
        """Show a subscriber to an idle agent. Return True after that."""
        account = self._accounts[campaign.plan.user_id]
        if account.offer(campaign.plan, subscriber) is None:
            self._wait_for_credit(campaign, account, now_ms)
            return False
        campaign.hopper.take()
        self._previews.offer(campaign, subscriber, now_ms)
        return True

    def _dial_wanted(self, campaign: OpenCampaign, gateway: GatewayLoad, offered: Offered, now_ms: int) -> bool:
        """Dial the person whom an agent wants to call, if they may still be called."""
        subscriber = offered.subscriber
        if self._state.contacts.outdate(campaign.plan.ruled, subscriber):
            self._claims.make(ClaimOffered(campaign.plan.id, offered.agent_id, subscriber))
            return False
        # The hopper keeps the person until a window is open, whichever hours hold then: it is asked again soon.
        again_ms = 0 if campaign.hopper.is_open(subscriber.zone, now_ms) else now_ms + AGAIN_MS
        verdict = self._verdicts.of(campaign, subscriber, now_ms, again_ms)
        if isinstance(verdict, Allowed):
            call = self._place(campaign, gateway, subscriber, now_ms)
            if call is not None:
                self._previews.dialled(campaign, offered, call)
            return call is not None
        self._previews.end(offered.agent_id)
        self.answer(campaign, subscriber, verdict, now_ms)
        return self._dial_next(campaign, gateway, now_ms)

    def answer(self, campaign: OpenCampaign, subscriber: Subscriber, verdict: Never | Later, now_ms: int) -> None:
        """Refuse a subscriber, or put them back, as the dial rules say."""
        if isinstance(verdict, Never):
            self._state.emit(RefuseSubscriber(campaign.plan.id, subscriber, verdict.reason))
        else:
            # Somebody whom an agent has chosen may have a time of their own, which stays: it ends with no rule.
            has_own_time = subscriber.due_ms > now_ms
            is_held = verdict.reason is WaitsFor.FREQUENCY
            reason: SubscriberReason | NoReason = SubscriberReason.FREQUENCY if is_held and not has_own_time else ""
            at_ms = subscriber.due_ms if is_held and has_own_time else max(verdict.at_ms, subscriber.due_ms)
            self.put_back(campaign, PutBack(campaign.plan.id, subscriber, at_ms, reason, is_held=is_held), now_ms)

    def put_back(self, campaign: OpenCampaign, effect: PutBack, now_ms: int) -> None:
        """Let a subscriber wait whose turn had come, as an effect says."""
        effect.subscriber.due_ms = effect.at_ms
        self._state.emit(effect)
        self.schedule_retry(campaign, effect.subscriber, now_ms)

    def _place(self, campaign: OpenCampaign, gateway: GatewayLoad, subscriber: Subscriber, now_ms: int) -> Call | None:
        """Place a call. Return None if the account cannot pay for it at present."""
        plan = campaign.plan
        account = self._accounts[plan.user_id]
        offer = account.offer(plan, subscriber)
        if offer is None:
            self._wait_for_credit(campaign, account, now_ms)
            return None
        call = new_call(self._state, campaign, gateway, account, subscriber, offer, now_ms)
        if campaign.is_paced or campaign.reaches_agents:
            self._pacing.dialled(campaign, call)
            if subscriber.abandoned:
                self._previews.keep_agent(campaign, call)
        if campaign.is_paced:
            campaign.dial_next_at(now_ms * 1_000)  # Orders it among fixed-rate campaigns on the gateway.
        else:
            campaign.dial_next_at(fixed_rate(plan.frequency, campaign.next_dial_us, now_ms))
        self._state.emit(Dial(call, campaign.next_dial_us, campaign.callerid_turns))
        return call

    def _wait_for_credit(self, campaign: OpenCampaign, account: Account, now_ms: int) -> None:
        """Wait for a call in progress to release money. If no money is held, pause the campaign."""
        if account.held > 0:
            account.waiting.add(campaign.plan.id)
            self.wake_at(campaign, campaign.plan.expires_ms)
        else:
            self._move(campaign, CampaignStatus.PAUSE, CampaignReason.NO_CREDIT, now_ms)

    def _wait_for_subscribers(self, campaign: OpenCampaign, now_ms: int) -> None:
        """Wait until a subscriber can be called, or find out whether the campaign is completed."""
        campaign.is_idle = True
        at_ms = campaign.hopper.changes_at_ms(now_ms)
        self.wake_at(campaign, min(at_ms, campaign.plan.expires_ms))
        aside = campaign.hopper.aside
        if at_ms >= NEVER_MS and campaign.in_progress == 0 and not (aside.people and aside.is_counted):
            aside.is_counted = True
            self._state.emit(CountSubscribers(campaign.plan.id))

    def fill_one(self, now_ms: int, event: campaign_events.SubscriberClaimedAgain) -> None:
        """Schedule the retry of a subscriber who was read again."""
        campaign = self._campaigns.get(event.campaign_id)
        if event.subscriber is not None and campaign is not None:
            event.subscriber.read_at = self._state.contacts.last
            self.schedule_retry(campaign, event.subscriber, now_ms)
        self._claims.answered(now_ms)

    def end_if_completed(self, now_ms: int, event: campaign_events.SubscribersCounted) -> None:
        """End a campaign none of whose subscribers is open, unless it stays open until it expires."""
        campaign = self._campaigns.get(event.campaign_id)
        if campaign is None or not campaign.plan.end_when_done:
            return
        # A campaign that has ended stays known while inbound calls are in progress.
        if campaign.status in ACTIVE and event.has_any and not event.has_open:
            self._move(campaign, CampaignStatus.END, CampaignReason.COMPLETED, now_ms)

    def _move(self, campaign: OpenCampaign, status: CampaignStatus, reason: CampaignReason, now_ms: int) -> None:
        campaign.status = status
        self._gateways[campaign.plan.gateway_id].waiting.discard(campaign.plan.id)
        self._state.emit(MoveCampaign(campaign.plan.id, status, reason))
        if status is CampaignStatus.PAUSE:
            self.wake_at(campaign, campaign.plan.expires_ms)
        for other in self._pacing.sharing_with(campaign):
            self.wake_at(other, now_ms)  # They share its abandon budget.
        self._previews.touch(campaign, now_ms)
        self._state.forget_if_over(campaign)

    def schedule_retry(self, campaign: OpenCampaign, subscriber: Subscriber, now_ms: int) -> None:
        """Schedule the retry of a subscriber at `due_ms`."""
        campaign.hopper.schedule_retry(subscriber, now_ms)
        if campaign.is_idle and campaign.status is _START:
            self.wake_at(campaign, min(max(subscriber.due_ms, now_ms), campaign.plan.expires_ms))

    def serve_waiting(self, gateway: GatewayLoad, account: Account, now_ms: int) -> None:
        """Continue campaigns that waited for a channel or for money."""
        if gateway.waiting:
            self._serve(gateway, now_ms)
        if account.waiting:
            waiting, account.waiting = sorted(account.waiting), set()
            for campaign_id in waiting:
                if campaign_id in self._campaigns:
                    self.consider(self._campaigns[campaign_id], now_ms)
