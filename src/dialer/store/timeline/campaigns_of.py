"""The campaigns that have a number among their people."""

from sqlalchemy import ColumnElement, Connection, select

from dialer.store.tables import Campaign, Subscriber
from dialer.store.timeline.reading import spellings


def campaigns_with(
    connection: Connection,
    number: str,
    region: str | None,
    is_seen: ColumnElement[bool],
    campaigns_max: int,
    skipped: int = 0,
) -> list[int]:
    """Return the ids of campaigns with a number, in any spelling, the newest first. `is_seen` selects campaigns.

    The newest `skipped` ones are left out.

    Raises:
        UnknownNumberError: it is not a phone number.
    """
    query = (
        select(Campaign.id)
        .join(Subscriber, Subscriber.campaign_id == Campaign.id)
        .where(Subscriber.number.in_(spellings(number, region)), is_seen)
        .distinct()
        .order_by(Campaign.id.desc())
        .limit(campaigns_max)
        .offset(skipped)
    )
    return list(connection.scalars(query))
