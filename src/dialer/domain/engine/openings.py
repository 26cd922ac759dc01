"""The opening and closing of accounts, gateways with their lines, and campaigns."""

from typing import Final

from dialer.domain.calls import call_events, campaign_events
from dialer.domain.calls.call_effects import HangUp, KeepLine
from dialer.domain.calls.hours_of_campaigns import hours_of
from dialer.domain.engine.call_messages import CallMessages
from dialer.domain.engine.callerid import turns_of
from dialer.domain.engine.credit import Account
from dialer.domain.engine.dialling import CampaignDialling
from dialer.domain.engine.gateway_load import GatewayLoad
from dialer.domain.engine.hopper import Hopper
from dialer.domain.engine.preview_orders import PreviewOrders
from dialer.domain.engine.previews import Previews
from dialer.domain.engine.state import ACTIVE, EngineState, OpenCampaign
from dialer.domain.engine.transfers import Transfers
from dialer.domain.pacing.inputs import PacingFigures
from dialer.domain.words.enums import CampaignStatus


class Openings:
    """The changes of rows that the engine is told of, which it passes on to its parts.

    No campaign dials before all changes of one moment are known: the wake-ups come after them.
    """

    def __init__(
        self,
        engine_state: EngineState,
        dialling: CampaignDialling,
        orders: PreviewOrders,
        previews: Previews,
        transfers: Transfers,
        call_messages: CallMessages,
    ) -> None:
        self._state: Final = engine_state
        self._campaigns: Final = engine_state.campaigns
        self._gateways: Final = engine_state.gateways
        self._accounts: Final = engine_state.accounts
        self._calls: Final = engine_state.calls
        self._dialling: Final = dialling
        self._orders: Final = orders
        self._previews: Final = previews
        self._transfers: Final = transfers
        self._call_messages: Final = call_messages

    def open_account(self, now_ms: int, event: campaign_events.AccountOpened) -> None:
        """Add an account, or replace what is known of it."""
        account = self._accounts.get(event.user_id)
        money = (event.balance, event.held, event.rate, event.sms_rate)
        self._accounts[event.user_id] = Account(*money, event.card, event.destinations, event.region)
        self._previews.judge_again(now_ms)
        if account is not None:
            self._dialling.wake_all(account.waiting, now_ms)

    def open_gateway(self, now_ms: int, event: campaign_events.GatewayOpened) -> None:
        """Add a gateway, or replace its settings and its part of the limits."""
        gateway = self._gateways.get(event.plan.id)
        is_known = event.lent is not None
        if gateway is None:
            gateway = self._gateways[event.plan.id] = GatewayLoad(event.plan)
            is_known = False
        has_new_hours = gateway.plan.hours != event.plan.hours
        if not is_known:
            gateway.renew(event.plan, event.recent_dials_ms, event.breaker)
        if event.lent is not None:
            gateway.limit(event.plan, event.lent)
        if has_new_hours:
            self._limit_hours(gateway, now_ms)
        self._previews.judge_again(now_ms)
        self._dialling.wake_all(gateway.waiting, now_ms)
        self._call_messages.release(now_ms, event.plan.id)

    def wake_gateway(self, now_ms: int, event: campaign_events.GatewayWoken) -> None:
        """Place the calls and send the messages that a gateway may take now, because its scheduled time has come."""
        self._dialling.wake_gateway(now_ms, event)
        self._call_messages.release(now_ms, event.gateway_id)

    def lose_line(self, _now_ms: int, event: call_events.LineLost) -> None:
        """Note that the line of a gateway does not work."""
        gateway = self._gateways.get(event.gateway_id)
        if gateway is not None:
            gateway.is_down = True
            self._state.lost_lines.add(event.gateway_id)
            self._state.emit(KeepLine(event.gateway_id, event.why))

    def find_line(self, now_ms: int, event: call_events.LineFound) -> None:
        """Note that the line of a gateway works again."""
        gateway = self._gateways.get(event.gateway_id)
        if gateway is not None:
            gateway.is_down = False
            self._state.lost_lines.discard(event.gateway_id)
            self._state.emit(KeepLine(event.gateway_id, ""))
            self._dialling.wake_all(gateway.waiting, now_ms)
            self._call_messages.release(now_ms, event.gateway_id)

    def _limit_hours(self, gateway: GatewayLoad, now_ms: int) -> None:
        """Apply the new calling hours of a gateway to its campaigns."""
        for campaign in self._campaigns.values():
            if campaign.plan.gateway_id == gateway.plan.id:
                campaign.hopper.limit(hours_of(gateway.plan, campaign.plan), now_ms)
                self._dialling.wake_at(campaign, now_ms)

    def open_campaign(self, now_ms: int, event: campaign_events.CampaignOpened) -> None:
        """Add a campaign, or read it again: its subscribers are claimed anew."""
        plan = event.plan
        campaign = self._campaigns.get(plan.id)
        if campaign is None:
            campaign = self._campaigns[plan.id] = OpenCampaign(plan, self._state.windows)
        else:
            self._gateways[campaign.plan.gateway_id].waiting.discard(plan.id)
        was_paced = campaign.is_paced
        campaign.renew(plan)
        self._state.contacts.is_followed = self._state.contacts.is_followed or plan.ruled is not None
        if campaign.is_paced:
            self._state.paced.add(plan.id, plan.flow.queue_ids)
        else:
            self._state.paced.discard(plan.id)
        if campaign.is_paced or was_paced:
            self._transfers.wake(now_ms)  # Other campaigns for these agents share its abandon budget.
        campaign.status = event.status
        campaign.dial_next_at(event.next_dial_us)
        campaign.callerid_turns = turns_of(plan, event.callerid_turns)
        if not campaign.has_figures:
            campaign.measure(event.figures or PacingFigures())
        campaign.first_call_id = self._state.next_call_id
        campaign.called_off_before = self._state.called_off.last
        hours = hours_of(self._gateways[plan.gateway_id].plan, plan)
        campaign.hopper = Hopper(plan, event.zones, self._state.windows, now_ms, hours)
        self._orders.campaign_opened(campaign)
        self._dialling.wake_at(campaign, now_ms)

    def close_campaign(self, now_ms: int, event: campaign_events.CampaignClosed) -> None:
        """End a campaign that a user has ended or aborted. The calls of an aborted one are hung up."""
        campaign = self._campaigns.get(event.campaign_id)
        if campaign is None:
            return
        campaign.status = CampaignStatus.ABORT if event.is_aborted else CampaignStatus.END
        self._state.paced.change(event.campaign_id)
        self._previews.touch(campaign, now_ms)
        self._gateways[campaign.plan.gateway_id].waiting.discard(event.campaign_id)
        if event.is_aborted:
            for call in self._calls.values():
                if call.plan.id == event.campaign_id:
                    call.is_aborted = True
                    self._state.emit(HangUp(call.id))
            self._call_messages.abort(campaign)
        if campaign.is_paced:
            self._transfers.wake(now_ms)
        self._state.forget_if_over(campaign)

    def renew_campaign(self, _now_ms: int, event: campaign_events.CampaignRenewed) -> None:
        """Update the settings of a campaign that is over, because they still apply to its calls in progress."""
        campaign = self._campaigns.get(event.plan.id)
        if campaign is not None and campaign.status not in ACTIVE:
            campaign.renew(event.plan)
            if not campaign.has_figures and event.figures is not None:
                campaign.measure(event.figures)
