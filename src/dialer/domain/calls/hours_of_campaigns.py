"""The calling hours that hold for a campaign: those of its gateway, unless it calls the telephone of its own user."""

from dialer.domain.calling_times.calendars import Calendar
from dialer.domain.calls.plans import CampaignPlan, GatewayPlan


def hours_of(gateway: GatewayPlan, campaign: CampaignPlan) -> Calendar | None:
    """Return the calling hours that hold for a campaign over its gateway; None if it may call at any hour.

    A campaign with a `trial_of_id` calls whoever wants to hear that other campaign, so it may.
    """
    return gateway.hours if campaign.trial_of_id is None else None
