"""The limits of a transfer: whom it may reach, and what for."""

from typing import Final

from dialer.domain.billing.charge import Rate
from dialer.domain.calls.plans import Call, Transfer
from dialer.domain.engine.state import EngineState, OpenCampaign
from dialer.domain.queueing.call_distributor import CallDistributor
from dialer.domain.rules.dial_rules import GATEWAY_RULES, Later, verdict_on
from dialer.domain.words.reasons import NoReason, TransferReason, WaitsFor

_REASONS: Final = {
    WaitsFor.LINE_DOWN: TransferReason.LINE_DOWN,
    WaitsFor.RESTING: TransferReason.RESTING,
    WaitsFor.ASKED_TO_REST: TransferReason.RESTING,
    WaitsFor.GATEWAY_FULL: TransferReason.GATEWAY_FULL,
}
"""The reasons of transfers that wait for a gateway, by that of the rule which puts the call off."""


class TransferLimits:
    """The judge of transfers, by numbers that may be dialled, `max_xfer`, credit and the room on the gateway."""

    def __init__(self, engine_state: EngineState, distributor: CallDistributor) -> None:
        self._state: Final = engine_state
        self._distributor: Final = distributor

    def refusal(self, campaign: OpenCampaign, call: Call, transfer: Transfer, now_ms: int) -> TransferReason | NoReason:
        """Return the reason why nobody can take the call; empty if somebody can, after setting hold and limits."""
        if transfer.queue_id is None and (forbidden := self._forbidden(call, transfer)):
            return forbidden
        if campaign.plan.max_xfer and campaign.legs >= campaign.plan.max_xfer:
            return TransferReason.MAX_XFER
        offer = self._state.accounts[call.plan.user_id].offer_dearest(self._rates(call, transfer), call.talk_limit_ms)
        if offer is None:
            return TransferReason.NO_CREDIT
        if transfer.queue_id is None:
            gateway = self._state.gateways[call.plan.gateway_id]
            starts_ms = gateway.free_at_ms(now_ms)
            if starts_ms >= now_ms + transfer.ring_limit_ms:
                verdict = verdict_on(gateway.facts(now_ms), GATEWAY_RULES)
                return _REASONS[verdict.reason] if isinstance(verdict, Later) else TransferReason.GATEWAY_FULL
            gateway.dialled(starts_ms)
            transfer.gateway_id, transfer.started_ms = gateway.plan.id, starts_ms
        transfer.hold, transfer.talk_limit_ms, transfer.rate = offer.hold, offer.talk_limit_ms, offer.rate
        return ""

    def _forbidden(self, call: Call, transfer: Transfer) -> TransferReason | NoReason:
        """Return the reason why a number is never dialled; empty if it may be. An agent's may be an extension."""
        gateway, number = self._state.gateways[call.plan.gateway_id], transfer.number
        account = self._state.accounts[call.plan.user_id]
        if transfer.for_agent_id is not None and gateway.plan.is_simulated:
            return ""  # No telephone rings.
        if gateway.dials_emergency(number):
            return TransferReason.EMERGENCY
        if transfer.for_agent_id is not None:
            return TransferReason.DESTINATION if account.refuses_agent(number, gateway.plan) else ""
        if gateway.refuses(number):
            return TransferReason.INVALID_NUMBER
        return TransferReason.DESTINATION if account.refuses(number, gateway.plan) else ""

    def _rates(self, call: Call, transfer: Transfer) -> set[Rate]:
        """Return the possible rates of the B-leg: the agent of a queue who will take the call is not known yet."""
        account = self._state.accounts[call.plan.user_id]
        if transfer.queue_id is None:
            is_agent = transfer.for_agent_id is not None
            return {account.rate_for_agent(transfer.number) if is_agent else account.rate_for(transfer.number)}
        agents = self._distributor.serving(transfer.queue_id) if account.card else ()
        return {account.rate_for_agent(agent.number) for agent in agents} or {account.rate}
