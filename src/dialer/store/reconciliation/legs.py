"""Audit of the legs of real carriers, and of messages that wait: each belongs to something that is in progress."""

from collections.abc import Iterator

from sqlalchemy import Connection, select, true, union_all

from dialer.domain.words.enums import CallRequestStatus
from dialer.store.reconciliation.differences import Difference
from dialer.store.tables import CallRequest, Campaign, LiveLeg, SmsMessage, WaitingText

_IN_PROGRESS = union_all(
    select(CallRequest.id).where(CallRequest.status == CallRequestStatus.CALLING),
    select(SmsMessage.id).where(SmsMessage.ended_ms.is_(None)),
)


def audit_legs(connection: Connection) -> Iterator[Difference]:
    """Yield the legs whose call or message is over or missing, but for those that have been told to end."""
    is_left = LiveLeg.call_id.not_in(_IN_PROGRESS) & (LiveLeg.is_leaving != true())
    left = select(LiveLeg.id, LiveLeg.call_id).where(is_left).order_by(LiveLeg.id)
    for row in connection.execute(left):
        yield Difference(f"live_leg {row.id}", "call_id", str(row.call_id), "a call in progress")


def audit_waiting_texts(connection: Connection) -> Iterator[Difference]:
    """Yield the messages that wait to be sent and were sent already, and those that another account would pay for."""
    sent = select(WaitingText.id, WaitingText.message_id).where(WaitingText.message_id.in_(select(SmsMessage.id)))
    for row in connection.execute(sent.order_by(WaitingText.id)):
        yield Difference(f"waiting_text {row.id}", "message_id", str(row.message_id), "a message that was not sent")
    owned = select(WaitingText.id, WaitingText.user_id, Campaign.user_id.label("owner_id"))
    owned = owned.join(Campaign, Campaign.id == WaitingText.campaign_id)
    strange = owned.where(WaitingText.user_id != Campaign.user_id).order_by(WaitingText.id)
    for row_id, user_id, owner_id in connection.execute(strange):
        yield Difference(f"waiting_text {row_id}", "user_id", str(user_id), str(owner_id))
