"""The document of `dialer top`."""

import msgspec

from dialer.app.overview.live_overview import CampaignNow, LiveOverview
from dialer.domain.billing.money import format_money
from dialer.domain.figures.statistics import percent
from dialer.domain.words.enums import AgentActivity, CampaignStatus
from dialer.resources.crud.moments import show_timestamp
from dialer.store.queries.live_overview import GatewayUse


class TopCampaign(msgspec.Struct, frozen=True):
    """A started or paused campaign in `dialer top`."""

    id: int
    campaign_code: str
    name: str
    username: str
    medium: str
    status: str
    status_reason: str
    calls: int
    """Calls in progress."""
    messages: int
    """Messages on their way."""
    waiting: int
    talking: int
    calls_a_minute: int
    calls_over: int
    answered_percent: float | None
    machine_answered: int
    """Answered calls that detection took for those of machines."""
    abandoned_percent: float | None


class TopGateway(msgspec.Struct, frozen=True):
    """A gateway with its channels in use."""

    medium: str
    id: int
    name: str
    in_use: int
    max_channels: int
    """0 for any number."""
    rests_until: str | None
    """Null if the gateway does not rest."""


class TopBalance(msgspec.Struct, frozen=True):
    """A low balance of an account in `dialer top`."""

    username: str
    free: str
    spent: str
    """Cost of the calls of this hour and the last one."""
    currency: str
    """The currency of both; empty if nobody has said one."""


class Top(msgspec.Struct, frozen=True):
    """The situation of the service."""

    now: str
    calls: int
    waiting: int
    talking: int
    calls_a_minute: int
    agents: dict[str, int]
    campaigns_open: int
    """Campaigns that are started or paused; `campaigns` has the first ones."""
    campaigns: list[TopCampaign]
    gateways: list[TopGateway]
    balances: list[TopBalance]


def top_document(overview: LiveOverview, now_ms: int, currency: str = "") -> Top:
    """Return the figures of `dialer top` as a JSON document; `currency` is that of the service."""
    now = overview.present
    return Top(
        now=show_timestamp(now_ms),
        calls=now.calls,
        waiting=now.waiting,
        talking=now.talking,
        calls_a_minute=now.calls_a_minute,
        agents={activity.name.lower(): now.agents.get(activity.name.lower(), 0) for activity in AgentActivity},
        campaigns_open=overview.campaigns_open,
        campaigns=list(map(_campaign, overview.campaigns)),
        gateways=[_gateway(gateway, now_ms) for gateway in overview.gateways],
        balances=[
            TopBalance(one.username, format_money(one.free), format_money(one.spent), one.currency or currency)
            for one in overview.balances
        ],
    )


def _campaign(campaign_now: CampaignNow) -> TopCampaign:
    campaign, now, totals = campaign_now.campaign, campaign_now.present, campaign_now.totals
    return TopCampaign(
        id=campaign.id,
        campaign_code=campaign.campaign_code,
        name=campaign.name,
        username=campaign.username,
        medium=campaign.medium,
        status=CampaignStatus(campaign.status).name,
        status_reason=campaign.status_reason,
        **now._asdict(),
        messages=campaign_now.messages,
        calls_over=totals.calls,
        answered_percent=percent(totals.answered, totals.calls),
        machine_answered=totals.machines,
        abandoned_percent=percent(totals.abandoned, totals.for_agents),
    )


def _gateway(use: GatewayUse, now_ms: int) -> TopGateway:
    rests = show_timestamp(use.rests_until_ms) if use.rests_until_ms > now_ms else None
    return TopGateway(use.medium, use.id, use.name, use.in_use, use.max_channels, rests)
