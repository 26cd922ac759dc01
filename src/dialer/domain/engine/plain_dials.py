"""Plain dials: those of campaigns without agents to people whom nothing speaks against, as nearly all dials are."""

from typing import Final

from dialer.domain.calls.call_effects import Dial
from dialer.domain.calls.plans import Subscriber
from dialer.domain.engine.gateway_load import GatewayLoad
from dialer.domain.engine.new_call import new_call
from dialer.domain.engine.person_verdicts import PersonVerdicts
from dialer.domain.engine.state import EngineState, OpenCampaign
from dialer.domain.pacing.fixed import fixed_rate
from dialer.domain.rules.dial_rules import ALLOWED


class PlainDials:
    """The short way to a dial. It asks what `CampaignDialling` asks, and leaves to that whatever is not plain."""

    def __init__(self, engine_state: EngineState, verdicts: PersonVerdicts) -> None:
        self._state: Final = engine_state
        self._accounts: Final = engine_state.accounts
        self._verdicts: Final = verdicts

    def dial(self, campaign: OpenCampaign, gateway: GatewayLoad, now_ms: int) -> bool | None:
        """Dial the next subscriber of a campaign without agents that may dial now, and return True.

        Else change nothing. Return None if there is nobody to call now, and False if something has to be decided first.
        """
        plan, hopper, state = campaign.plan, campaign.hopper, self._state
        if now_ms >= plan.expires_ms or campaign.offered:
            return False
        subscriber = hopper.next(now_ms)
        if subscriber is None:
            return None
        if type(subscriber) is not Subscriber or self._verdicts.of(campaign, subscriber, now_ms) is not ALLOWED:
            return False
        if plan.ruled is not None and state.contacts.outdate(plan.ruled, subscriber):
            return False
        account = self._accounts[plan.user_id]
        offer = account.offer(plan, subscriber)
        if offer is None:
            return False
        campaign.is_idle = False
        call = new_call(state, campaign, gateway, account, subscriber, offer, now_ms)
        campaign.dial_next_at(fixed_rate(plan.frequency, campaign.next_dial_us, now_ms))
        state.emit(Dial(call, campaign.next_dial_us, campaign.callerid_turns))
        hopper.take()
        return True
