"""Things on the overview that somebody should look at first."""

from collections.abc import Iterator
from typing import Final, NamedTuple
from zoneinfo import ZoneInfo

from dialer.app.live_overview import CampaignNow
from dialer.app.overview import Overview
from dialer.console.rendering import clock, money
from dialer.domain.enums import CampaignStatus
from dialer.domain.reasons import CampaignReason
from dialer.domain.statistics import percent

THINGS_MAX: Final = 20
ABANDONED_FROM: Final = 20
"""Calls for agents from which the share of abandoned ones means something."""
PERCENT_UNIT: Final = 100_000
LOW: Final = "The free balance of {} is {}, and the calls of this hour and the last one cost {}."


class Thing(NamedTuple):
    """A thing to look at."""

    is_urgent: bool
    text: str
    url: str = ""


def things_to_do(overview: Overview, now_ms: int, zone: ZoneInfo, problem: str | None) -> list[Thing]:
    """Return the things that need attention, urgent ones first. `problem` is that of the dialling, if any."""
    things = [Thing(is_urgent=True, text=f"The service does not dial: {problem}.")] if problem else []
    things += [thing for campaign in overview.situation.campaigns for thing in _of_campaign(campaign)]
    things += [
        Thing(
            is_urgent=True,
            text=f"The gateway {gateway.name} rests until {clock(gateway.rests_until_ms, zone)}: its carrier"
            " failed several times in a row.",
        )
        for gateway in overview.situation.gateways
        if gateway.rests_until_ms > now_ms
    ]
    things += [
        Thing(is_urgent=balance.free <= 0, text=LOW.format(balance.username, money(balance.free), money(balance.spent)))
        for balance in overview.situation.balances
    ]
    return sorted(things, key=lambda thing: not thing.is_urgent)[:THINGS_MAX]


def _of_campaign(campaign_now: CampaignNow) -> Iterator[Thing]:
    campaign, totals = campaign_now.campaign, campaign_now.totals
    if campaign.status_reason == CampaignReason.NO_CREDIT:
        yield Thing(is_urgent=True, text=f"{campaign.name} waits for credit: the balance cannot pay for one more call.")
    elif campaign.status_reason == CampaignReason.INVARIANT:
        yield Thing(
            is_urgent=True, text=f"{campaign.name} was paused, because an internal rule was about to be broken."
        )
    limit = campaign.abandon_rate_max / PERCENT_UNIT
    abandoned = percent(totals.abandoned, totals.for_agents)
    is_dialling = campaign.status == CampaignStatus.START
    if is_dialling and abandoned is not None and totals.for_agents >= ABANDONED_FROM and abandoned > limit:
        text = f"{campaign.name} abandoned {abandoned:.1f} % of its answered calls. The limit is {limit:.1f} %."
        yield Thing(is_urgent=False, text=text)
