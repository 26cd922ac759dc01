"""Use of the gateways that have limits, as an engine sees it: for the shares of workers, and for the metrics."""

from collections import Counter

from dialer.domain.calls.plans import GatewayKey
from dialer.domain.engine.gateway_load import SECOND_MS
from dialer.domain.engine.state import EngineState
from dialer.domain.words.enums import CampaignStatus
from dialer.runtime.steps.process_health import GatewayShare
from dialer.store.fleet.slices import Demand, GatewayLimits


def demands(engine_state: EngineState, now_ms: int) -> list[Demand]:
    """Return the demand for each gateway that has limits."""
    running: Counter[GatewayKey] = Counter()
    for one in engine_state.campaigns.values():
        # Calls may transfer, and send messages.
        if one.status is CampaignStatus.START or one.in_progress or one.texts:
            running.update({one.plan.gateway_id, one.plan.sms_gateway_id or one.plan.gateway_id})
    return [
        Demand(
            GatewayLimits(gateway_id, gateway.plan.max_channels, gateway.plan.max_cps),
            in_use=gateway.in_progress,
            recent=sum(at_ms > now_ms - SECOND_MS for at_ms in gateway.recent_dials_ms),
            waiting=len(gateway.waiting) + gateway.texts_waiting,
            campaigns=running[gateway_id],
            last_dial_ms=gateway.recent_dials_ms[-1] if gateway.recent_dials_ms else 0,
        )
        for gateway_id, gateway in sorted(engine_state.gateways.items())
        if gateway.plan.max_channels or gateway.plan.max_cps
    ]


def gateways_in_use(engine_state: EngineState, now_ms: int) -> tuple[GatewayShare, ...]:
    """Return the use of each gateway that has limits."""
    found = []
    for one in demands(engine_state, now_ms):
        gateway = engine_state.gateways[one.limits.id]
        channels = gateway.channels if one.limits.channels else None
        cps = gateway.cps if one.limits.cps else None
        found.append(GatewayShare(one.limits.id, channels, one.in_use, cps, one.recent))
    return tuple(found)
