"""Deletion of attempts that were recorded before they were made, and never were."""

from sqlalchemy import Connection, delete, func, select

from dialer.domain.calls.plans import Call
from dialer.store.rows.invariants import ended_before
from dialer.store.tables import CallRequest, SmsMessage


def delete_attempt(connection: Connection, call: Call) -> int | None:
    """Delete the row of an attempt, and return the time of the subscriber's attempt before it; None if it has none.

    Raises:
        BrokenInvariantError: the attempt has no row in progress.
    """
    table, started = (
        (SmsMessage.__table__, SmsMessage.send_date) if call.parts else (CallRequest.__table__, CallRequest.started_ms)
    )
    gone = connection.execute(delete(table).where(table.c.id == call.id, table.c.ended_ms.is_(None)))
    if not gone.rowcount:
        raise ended_before(connection, [(call, call.started_ms)])
    earlier = select(func.max(started)).where(table.c.subscriber_id == call.subscriber.id)
    last_ms: int | None = connection.scalar(earlier)
    return last_ms
