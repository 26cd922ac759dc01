"""The limit `max_aleg`: how many calls of a campaign are in progress at most."""

from dialer.domain.engine.state import OpenCampaign
from dialer.domain.rules.dial_rules import CAMPAIGN_RULES, Later, PlaceFacts, verdict_on


def place_at_ms(campaign: OpenCampaign, now_ms: int) -> int:
    """Return the time at which `max_aleg` may allow the next dial of a campaign, which notes whether it is full."""
    max_aleg = campaign.plan.max_aleg
    campaign.is_full = False
    if max_aleg:
        place = PlaceFacts(now_ms=now_ms, max_aleg=max_aleg, calls=campaign.places_taken)
        verdict = verdict_on(place, CAMPAIGN_RULES)
        if isinstance(verdict, Later):
            campaign.is_full = True
            return verdict.at_ms
    return now_ms
