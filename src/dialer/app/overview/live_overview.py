"""The situation at one moment, of all users or of one."""

from typing import Final, NamedTuple

from sqlalchemy import Connection

from dialer.app.overview.abandoned_counts import count_abandoned, why_exceeded
from dialer.domain.figures.statistics import Figures
from dialer.domain.rules.abandoned_causes import ExceededShare
from dialer.domain.rules.abandoned_limits import AbandonedCounts
from dialer.domain.words.enums import CampaignStatus
from dialer.store.queries.breaks import LongBreak, OrderedBreak, long_breaks, ordered_breaks
from dialer.store.queries.campaign_figures import CallsNow, calls_now, totals_of_campaigns
from dialer.store.queries.live_overview import (
    CampaignInProgress,
    GatewayUse,
    SpentBalance,
    count_open_campaigns,
    gateways_in_use,
    low_balances,
    messages_on_their_way,
    open_campaigns,
    unpaid_transfers,
)
from dialer.store.queries.missed_calls import MissedCalls, missed_of_late
from dialer.store.queries.statistics import Present, WhoseCalls, present
from dialer.store.rows.texts.received_texts import texts_needing_person
from dialer.store.rows.webhooks import StoppedWebhook, stopped_webhooks

CAMPAIGNS_MAX: Final = 50
GATEWAYS_MAX: Final = 50
BALANCES_MAX: Final = 20
WEBHOOKS_MAX: Final = 20
BREAKS_MAX: Final = 10
TEXTS_MAX: Final = 1_000


class CampaignNow(NamedTuple):
    """A campaign in progress, its situation, and the figures of all its calls."""

    campaign: CampaignInProgress
    present: CallsNow
    messages: int
    """Messages on their way."""
    totals: Figures
    exceeded: ExceededShare | None = None
    """The share of abandoned calls with its causes, if the campaign dials and the share is above the limit."""
    unpaid: int = 0
    """Callees whom the campaign could not connect in the last ten minutes, as the balance did not pay for it."""


class LiveOverview(NamedTuple):
    """The situation at one moment."""

    present: Present
    campaigns: list[CampaignNow]
    campaigns_open: int
    """All campaigns that are started or paused, those beyond `CAMPAIGNS_MAX` included."""
    gateways: list[GatewayUse]
    balances: list[SpentBalance]
    webhooks: list[StoppedWebhook]
    """Webhooks that the service has switched off."""
    breaks: list[LongBreak]
    """Breaks of agents that last too long, the longest first."""
    ordered_breaks: list[OrderedBreak]
    """Breaks on which the service has sent agents."""
    missed: list[MissedCalls]
    """Agents on duty whose telephones ring in vain, the worst first."""
    texts_needing_person: int
    """Text messages that came in and wait for somebody to look at them, counted up to `TEXTS_MAX`."""


def read_live_overview(connection: Connection, now_ms: int, user_id: int | None = None) -> LiveOverview:
    """Return the calls, campaigns and agents of a user at this moment, or of all users."""
    return LiveOverview(
        present(connection, WhoseCalls(user_id=user_id), now_ms),
        _campaigns(connection, open_campaigns(connection, CAMPAIGNS_MAX, user_id), now_ms),
        count_open_campaigns(connection, user_id),
        gateways_in_use(connection, GATEWAYS_MAX, user_id),
        low_balances(connection, now_ms, BALANCES_MAX, user_id),
        stopped_webhooks(connection, WEBHOOKS_MAX, user_id),
        long_breaks(connection, now_ms, BREAKS_MAX, user_id=user_id),
        ordered_breaks(connection, BREAKS_MAX, user_id),
        missed_of_late(connection, now_ms, BREAKS_MAX, user_id),
        texts_needing_person(connection, TEXTS_MAX, user_id),
    )


def _campaigns(connection: Connection, in_progress: list[CampaignInProgress], now_ms: int) -> list[CampaignNow]:
    if not in_progress:
        return []
    ids = [campaign.id for campaign in in_progress]
    now, totals = calls_now(connection, ids, now_ms), totals_of_campaigns(connection, ids)
    texts, unpaid = messages_on_their_way(connection), unpaid_transfers(connection, ids, now_ms)
    found = [(campaign, totals.get(campaign.id, Figures())) for campaign in in_progress]
    counts = count_abandoned(connection, {campaign.id: figures for campaign, figures in found}, now_ms)
    return [
        CampaignNow(
            campaign,
            now[campaign.id],
            texts.get(campaign.id, 0),
            figures,
            _exceeded(connection, campaign, counts[campaign.id]),
            unpaid.get(campaign.id, 0),
        )
        for campaign, figures in found
    ]


def _exceeded(connection: Connection, campaign: CampaignInProgress, counts: AbandonedCounts) -> ExceededShare | None:
    if campaign.status != CampaignStatus.START:
        return None
    return why_exceeded(connection, campaign.id, campaign.abandon_rate_max, counts)
