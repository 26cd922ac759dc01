"""Audit of the legs of real carriers: each belongs to a call or a message in progress."""

from collections.abc import Iterator

from sqlalchemy import Connection, select, true, union_all

from dialer.domain.enums import CallRequestStatus
from dialer.store.audit.differences import Difference
from dialer.store.tables import CallRequest, LiveLeg, SmsMessage

_legs = LiveLeg.__table__
_requests = CallRequest.__table__
_messages = SmsMessage.__table__
_IN_PROGRESS = union_all(
    select(_requests.c.id).where(_requests.c.status == CallRequestStatus.CALLING),
    select(_messages.c.id).where(_messages.c.ended_ms.is_(None)),
)


def audit_legs(connection: Connection) -> Iterator[Difference]:
    """Yield the legs whose call or message is over or missing, but for those that have been told to end."""
    is_left = _legs.c.call_id.not_in(_IN_PROGRESS) & (_legs.c.is_leaving != true())
    left = select(_legs.c.id, _legs.c.call_id).where(is_left).order_by(_legs.c.id)
    for row in connection.execute(left):
        yield Difference(f"live_leg {row.id}", "call_id", str(row.call_id), "a call in progress")
