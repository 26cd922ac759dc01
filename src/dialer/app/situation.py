"""The situation at one moment, of all users or of one."""

from typing import Final, NamedTuple

from sqlalchemy import Connection

from dialer.domain.statistics import Figures, Grouping
from dialer.store.queries.situation import (
    CampaignInProgress,
    GatewayUse,
    SpentBalance,
    count_open_campaigns,
    gateways_in_use,
    low_balances,
    messages_on_their_way,
    open_campaigns,
)
from dialer.store.queries.statistics import Present, WhoseCalls, count_calls, present

CAMPAIGNS_MAX: Final = 50
GATEWAYS_MAX: Final = 50
BALANCES_MAX: Final = 20


class CampaignNow(NamedTuple):
    """A campaign in progress, its situation, and the figures of all its calls."""

    campaign: CampaignInProgress
    present: Present
    messages: int
    """Messages on their way."""
    totals: Figures


class FloorSituation(NamedTuple):
    """The situation at one moment."""

    present: Present
    campaigns: list[CampaignNow]
    campaigns_open: int
    """All campaigns that are started or paused, those beyond `CAMPAIGNS_MAX` included."""
    gateways: list[GatewayUse]
    balances: list[SpentBalance]


def read_situation(connection: Connection, now_ms: int, user_id: int | None = None) -> FloorSituation:
    """Return the situation of a user, or of all. It reads calls in progress, and counters for calls that are over."""
    texts = messages_on_their_way(connection)
    return FloorSituation(
        present(connection, WhoseCalls(user_id=user_id), now_ms),
        [_campaign(connection, one, texts, now_ms) for one in open_campaigns(connection, CAMPAIGNS_MAX, user_id)],
        count_open_campaigns(connection, user_id),
        gateways_in_use(connection, GATEWAYS_MAX, user_id),
        low_balances(connection, now_ms, BALANCES_MAX, user_id),
    )


def _campaign(connection: Connection, campaign: CampaignInProgress, texts: dict[int, int], now_ms: int) -> CampaignNow:
    scope = WhoseCalls(campaign_id=campaign.id)
    totals = count_calls(connection, scope, Grouping.TOTAL, None, 1, by_hour=False)
    figures = totals[0].figures if totals else Figures()
    return CampaignNow(campaign, present(connection, scope, now_ms), texts.get(campaign.id, 0), figures)
