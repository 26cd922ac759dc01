"""Audit of the legs of real carriers, and of messages that wait: each belongs to something that is in progress."""

from collections.abc import Iterator

from sqlalchemy import Connection, select, true, union_all

from dialer.domain.enums import CallRequestStatus
from dialer.store.reconciliation.differences import Difference
from dialer.store.tables import CallRequest, Campaign, LiveLeg, SmsMessage, WaitingText

_legs = LiveLeg.__table__
_requests = CallRequest.__table__
_messages = SmsMessage.__table__
_waiting = WaitingText.__table__
_campaigns = Campaign.__table__
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


def audit_waiting_texts(connection: Connection) -> Iterator[Difference]:
    """Yield the messages that wait to be sent and were sent already, and those that another account would pay for."""
    sent = select(_waiting.c.id, _waiting.c.message_id).where(_waiting.c.message_id.in_(select(_messages.c.id)))
    for row in connection.execute(sent.order_by(_waiting.c.id)):
        yield Difference(f"waiting_text {row.id}", "message_id", str(row.message_id), "a message that was not sent")
    owned = select(_waiting.c.id, _waiting.c.user_id, _campaigns.c.user_id.label("owner_id"))
    owned = owned.join(_campaigns, _campaigns.c.id == _waiting.c.campaign_id)
    strange = owned.where(_waiting.c.user_id != _campaigns.c.user_id).order_by(_waiting.c.id)
    for row_id, user_id, owner_id in connection.execute(strange):
        yield Difference(f"waiting_text {row_id}", "user_id", str(user_id), str(owner_id))
