"""People whom contact rules hold back: they are looked at again when rules or the campaign's own words change."""

from sqlalchemy import ColumnElement, Connection, select, update

from dialer.domain.words.enums import CampaignStatus, SubscriberStatus
from dialer.domain.words.reasons import SubscriberReason
from dialer.store.tables import Campaign, Subscriber

_OPEN = (CampaignStatus.START, CampaignStatus.PAUSE)


def look_again(connection: Connection, campaigns: ColumnElement[bool], now_ms: int) -> None:
    """Let the people be due now whom rules hold back in the open campaigns that meet a condition.

    At their turn it is decided again whether they may be called.
    """
    ids = connection.scalars(select(Campaign.id).where(campaigns, Campaign.status.in_(_OPEN))).all()
    is_held = (Subscriber.status == SubscriberStatus.PENDING) & (Subscriber.due_ms > now_ms)
    by_rule = Subscriber.status_reason == SubscriberReason.FREQUENCY
    held = update(Subscriber).where(Subscriber.campaign_id.in_(ids), is_held, by_rule)
    if ids:
        connection.execute(held.values(due_ms=now_ms))
