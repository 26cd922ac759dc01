"""People who complete a survey by calling in: their subscribers, and those of campaigns that call them again."""

from collections.abc import Iterator
from typing import Final

from sqlalchemy import Connection, bindparam, select, update

from dialer.domain.calls.campaign_effects import CompleteSubscriber
from dialer.domain.words.enums import SubscriberStatus
from dialer.store.tables import HALT_COMPLETED, Campaign, Subscriber

_CALLED_AGAIN: Final = (
    select(Subscriber.campaign_id, Subscriber.id)
    .join(Campaign, Campaign.id == Subscriber.campaign_id)
    .where(Campaign.source_campaign_id == bindparam("campaign"), Subscriber.number == bindparam("number"))
)
"""The subscribers with a number in campaigns that call people of another one again."""
_is_subscriber = (Subscriber.id == bindparam("subscriber")) & (Subscriber.campaign_id == bindparam("campaign"))
_COMPLETE: Final = (
    update(Subscriber)
    .where(_is_subscriber, Subscriber.status == SubscriberStatus.PENDING)
    .values(
        status=SubscriberStatus.COMPLETED,
        status_reason="",
        halt_reason="",
        due_ms=0,
        updated_date=bindparam("changed_ms"),
    )
)
_COMPLETE_LATER: Final = (
    update(Subscriber)
    .where(_is_subscriber, Subscriber.status == SubscriberStatus.IN_PROCESS)
    .values(halt_reason=HALT_COMPLETED, updated_date=bindparam("changed_ms"))
)
"""Marks a subscriber with an attempt in progress, so that a restart before its end knows that they have completed."""


def complete(connection: Connection, effect: CompleteSubscriber, now_ms: int) -> Iterator[int]:
    """Complete PENDING subscribers, and yield their campaigns. If an attempt is in progress, its end completes them."""
    asked = {"campaign": effect.campaign_id, "number": effect.number}
    copies = connection.execute(_CALLED_AGAIN, asked).all()
    for campaign_id, subscriber_id in ((effect.campaign_id, effect.subscriber_id), *copies):
        which = {"campaign": campaign_id, "subscriber": subscriber_id, "changed_ms": now_ms}
        if connection.execute(_COMPLETE, which).rowcount:
            yield campaign_id
        else:
            connection.execute(_COMPLETE_LATER, which)
