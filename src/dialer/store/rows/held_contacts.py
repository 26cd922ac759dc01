"""People whom contact rules hold back: they are looked at again when rules or the campaign's own words change."""

from sqlalchemy import ColumnElement, Connection, select, update

from dialer.domain.words.enums import CampaignStatus, SubscriberStatus
from dialer.domain.words.reasons import SubscriberReason
from dialer.store.backends.expressions import without_index
from dialer.store.tables import Campaign, Subscriber

_OPEN = (CampaignStatus.START, CampaignStatus.PAUSE)


def look_again(connection: Connection, campaigns: ColumnElement[bool], now_ms: int, number: str | None = None) -> None:
    """Let the people be due now whom rules hold back in the open campaigns that meet a condition.

    With a `number`, only those who have it. At their turn it is decided again whether they may be called.
    """
    ids = connection.scalars(select(Campaign.id).where(campaigns, Campaign.status.in_(_OPEN))).all()
    # A number is in a campaign once, among perhaps many who wait.
    status = Subscriber.status if number is None else without_index(Subscriber.status)
    is_held = (status == SubscriberStatus.PENDING) & (Subscriber.due_ms > now_ms)
    by_rule = Subscriber.status_reason == SubscriberReason.FREQUENCY
    held = update(Subscriber).where(Subscriber.campaign_id.in_(ids), is_held, by_rule)
    if number is not None:
        held = held.where(Subscriber.number == number)
    if ids:
        connection.execute(held.values(due_ms=now_ms))
