"""The document of `dialer top`."""

import msgspec

from dialer.api.crud.moments import show_timestamp
from dialer.app.live_overview import CampaignNow, LiveOverview
from dialer.domain.billing.money import format_money
from dialer.domain.enums import AgentActivity, CampaignStatus
from dialer.domain.statistics import percent
from dialer.store.queries.live_overview import GatewayUse


class TopCampaign(msgspec.Struct, frozen=True):
    """A campaign that is started or paused."""

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
    """A balance that runs low."""

    username: str
    free: str
    spent: str
    """Cost of the calls of this hour and the last one."""


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


def top_document(found: LiveOverview, now_ms: int) -> Top:
    """Return the situation as a document."""
    now = found.present
    return Top(
        now=show_timestamp(now_ms),
        calls=now.calls,
        waiting=now.waiting,
        talking=now.talking,
        calls_a_minute=now.calls_a_minute,
        agents={one.name.lower(): now.agents.get(one.name.lower(), 0) for one in AgentActivity},
        campaigns_open=found.campaigns_open,
        campaigns=list(map(_campaign, found.campaigns)),
        gateways=[_gateway(one, now_ms) for one in found.gateways],
        balances=[TopBalance(one.username, format_money(one.free), format_money(one.spent)) for one in found.balances],
    )


def _campaign(one: CampaignNow) -> TopCampaign:
    campaign, now, totals = one.campaign, one.present, one.totals
    return TopCampaign(
        id=campaign.id,
        campaign_code=campaign.campaign_code,
        name=campaign.name,
        username=campaign.username,
        medium=campaign.medium,
        status=CampaignStatus(campaign.status).name,
        status_reason=campaign.status_reason,
        **now._asdict(),
        messages=one.messages,
        calls_over=totals.calls,
        answered_percent=percent(totals.answered, totals.calls),
        abandoned_percent=percent(totals.abandoned, totals.for_agents),
    )


def _gateway(one: GatewayUse, now_ms: int) -> TopGateway:
    rests = show_timestamp(one.rests_until_ms) if one.rests_until_ms > now_ms else None
    return TopGateway(one.medium, one.id, one.name, one.in_use, one.max_channels, rests)
