"""Orders about the recordings of calls that go on, for the engine."""

from collections.abc import Collection
from typing import Final

import msgspec
from sqlalchemy import Connection, select

from dialer.domain.calls.call_events import RecordingOrdered
from dialer.domain.calls.call_recording import BY_CAMPAIGN, NO_ORDERS, RecordingOrders
from dialer.store.queries.in_progress import IS_CALLING
from dialer.store.queries.readable_rows import Unreadable, readable
from dialer.store.queries.selection import Selection, Shards
from dialer.store.tables import CallRequest, Queue

_COLUMNS: Final = ("id", "recording_orders")
_ORDERED: Final = Selection(
    select(*(CallRequest.__table__.c[name] for name in _COLUMNS))
    .where(IS_CALLING, CallRequest.recording_orders.is_not(None))
    .order_by(CallRequest.id),
    CallRequest.id,
    CallRequest.user_id,
)


def ordered_recordings(
    connection: Connection, among: Collection[int] | None, shards: Shards, unreadable: Unreadable
) -> list[RecordingOrdered]:
    """Return the orders about the calls in progress that have any; of those in `among`, or of all."""
    rows = _ORDERED.rows(connection, among, shards)
    return readable(
        rows,
        CallRequest.__table__,
        lambda row: RecordingOrdered(row["id"], orders_in(row["recording_orders"])),
        unreadable,
    )


def orders_in(text: str | None) -> RecordingOrders:
    """Return the orders of a row of a call request."""
    return msgspec.json.decode(text, type=RecordingOrders) if text else NO_ORDERS


def recorded_queues(connection: Connection, user_id: int) -> frozenset[int]:
    """Return the queues of an account that want all calls recorded which their agents take."""
    query = select(Queue.id).where(Queue.user_id == user_id, Queue.record != BY_CAMPAIGN)
    return frozenset(connection.scalars(query))
