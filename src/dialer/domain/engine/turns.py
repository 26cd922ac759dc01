"""The turns of campaigns that wait for a place on the same gateway."""

from collections.abc import Mapping
from heapq import heappop, heappush
from typing import Final

from dialer.domain.engine.gateway_load import GatewayLoad
from dialer.domain.engine.state import OpenCampaign

TURNS_OUTDATED_MAX: Final = 64
"""Number of outdated turns on a gateway, beside one for each campaign that waits, from which on they are removed."""


def turn_of(campaign: OpenCampaign, gateway: GatewayLoad) -> tuple[int, int, int]:
    """Return the place of a campaign among those that wait for a gateway; its id comes last."""
    return (campaign.in_progress if gateway.plan.max_channels else 0, campaign.next_dial_us, campaign.plan.id)


def next_in_turn(gateway: GatewayLoad, campaigns: Mapping[int, OpenCampaign]) -> OpenCampaign:
    """Remove a campaign from those that wait for a gateway, and return it.

    It is the one with the fewest calls if channels are limited, else the one with the most overdue dial.
    """
    waiting, turns = gateway.waiting, gateway.turns
    for campaign_id in gateway.newcomers & waiting:
        heappush(turns, turn_of(campaigns[campaign_id], gateway))
    gateway.newcomers.clear()
    if len(turns) > 2 * len(waiting) + TURNS_OUTDATED_MAX:
        turns[:] = sorted(turn_of(campaigns[campaign_id], gateway) for campaign_id in waiting)
    while True:
        turn = heappop(turns)
        campaign_id = turn[-1]
        if campaign_id in waiting and turn == turn_of(campaigns[campaign_id], gateway):
            waiting.remove(campaign_id)
            return campaigns[campaign_id]
