"""A new call, or a text message, to a subscriber."""

from dialer.domain.calls.identity import call_uuid
from dialer.domain.calls.plans import SIMULATED, Call, Subscriber
from dialer.domain.engine.callerid import choose_callerid
from dialer.domain.engine.credit import CreditOffer
from dialer.domain.engine.gateway_load import GatewayLoad
from dialer.domain.engine.state import EngineState, OpenCampaign


def new_call(
    engine_state: EngineState,
    campaign: OpenCampaign,
    gateway: GatewayLoad,
    subscriber: Subscriber,
    offer: CreditOffer,
    now_ms: int,
) -> Call:
    """Add the next attempt of a subscriber to the calls in progress, and return it."""
    plan, number = campaign.plan, subscriber.number
    subscriber.attempts += 1
    call = Call(
        id=engine_state.new_id(),
        callid=call_uuid(engine_state.seed, plan.id, subscriber.id, subscriber.attempts),
        plan=plan,
        subscriber=subscriber,
        attempt=subscriber.attempts,
        started_ms=now_ms,
        ring_limit_ms=plan.ring_limit_ms,
        talk_limit_ms=offer.talk_limit_ms,
        hold=offer.hold,
        rate=offer.rate,
        callerid=choose_callerid(plan, number, campaign.callerid_turns) if plan.callerids else plan.callerid,
        dialled=gateway.number_for_carrier(number),
        amd=plan.amd,
        text=offer.text,
        parts=offer.parts,
        is_simulated=gateway.plan.protocol == SIMULATED,
    )
    engine_state.calls[call.id] = call
    return call
