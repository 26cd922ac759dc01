"""Deliveries of a webhook, newest first."""

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from sqlalchemy import Connection, select

from dialer.store.tables import AccountEvent, WebhookDelivery

DELIVERIES_PER_PAGE_MAX: Final = 1_000


class DeliveriesWanted(NamedTuple):
    """The choice of a page of deliveries: webhook, status, position and length."""

    webhook_id: int
    status: str = ""
    """Empty: any."""
    before_id: int | None = None
    """The id of the last delivery of the page before; None for the first page."""
    limit: int = 100


def read_deliveries(connection: Connection, wanted: DeliveriesWanted) -> Sequence[Any]:
    """Return deliveries with the types and subjects of their events, newest first."""
    columns = (AccountEvent.type, AccountEvent.subject, AccountEvent.created_date.label("event_ms"))
    query = select(WebhookDelivery.__table__, *columns).join(AccountEvent, AccountEvent.id == WebhookDelivery.event_id)
    query = query.where(WebhookDelivery.webhook_id == wanted.webhook_id)
    if wanted.status:
        query = query.where(WebhookDelivery.status == wanted.status)
    if wanted.before_id is not None:
        query = query.where(WebhookDelivery.id < wanted.before_id)
    limit = min(wanted.limit, DELIVERIES_PER_PAGE_MAX)
    return connection.execute(query.order_by(WebhookDelivery.id.desc()).limit(limit)).all()


def read_delivery(connection: Connection, delivery_id: int) -> Any:  # noqa: ANN401 - a row
    """Return a delivery in the form of `read_deliveries`; None if it does not exist."""
    webhook_id = connection.scalar(select(WebhookDelivery.webhook_id).where(WebhookDelivery.id == delivery_id))
    if webhook_id is None:
        return None
    found = read_deliveries(connection, DeliveriesWanted(webhook_id, before_id=delivery_id + 1, limit=1))
    return found[0] if found else None
