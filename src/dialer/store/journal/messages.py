"""The journal's rows of text messages."""

from typing import Any

from sqlalchemy import Connection, bindparam, insert, null, select, update

from dialer.domain.calls.plans import Call, CallOutcome
from dialer.domain.words.enums import MessageStatus
from dialer.store.database.bulk import Bulk
from dialer.store.tables import Contact, SmsMessage

_COLUMNS = (
    "id",
    "campaign_id",
    "subscriber_id",
    "contact_id",
    "user_id",
    "gateway_id",
    "attempt",
    "message_id",
    "callerid",
    "phone_number",
    "dialled_number",
    "text_message",
    "parts",
    "send_date",
    "status",
    "hold",
    "cost",
    "delivery_date",
    "ended_ms",
    "callrequest_id",
    "sms_campaign_id",
    "is_simulated",
    "consent_id",
)
# A contact may be deleted during the call that sends the message. Its id is then stored as null.
_contact_id = select(Contact.id).where(Contact.id == bindparam("contact_id")).scalar_subquery()
_INSERT = Bulk(
    insert(SmsMessage).values({name: bindparam(name) for name in _COLUMNS} | {"contact_id": _contact_id}), _COLUMNS
)
_FINISH = Bulk(
    update(SmsMessage)
    .where(SmsMessage.id == bindparam("message"))
    .values(
        status=bindparam("new_status"),
        hold=bindparam("rest"),
        cost=bindparam("price"),
        delivery_date=bindparam("delivered_ms"),
        ended_ms=bindparam("over_ms"),
        parameters=null(),
    ),
    ("new_status", "rest", "price", "delivered_ms", "over_ms", "message"),
)


class MessageRows:
    """Text messages that wait to be written, each once, in its latest state."""

    def __init__(self) -> None:
        self._sent: dict[int, Call] = {}
        self._over: list[tuple[Any, ...]] = []
        self._finished: list[tuple[Any, ...]] = []

    def sent(self, call: Call) -> None:
        """Record a message that was handed to the carrier."""
        self._sent[call.id] = call

    def finished(self, message: Call, outcome: CallOutcome, cost: int) -> None:
        """Record the final outcome and the cost of a message."""
        final = (str(outcome.message_status), 0, cost, outcome.delivered_ms, outcome.ended_ms)
        if self._sent.pop(message.id, None) is not None:
            self._over.append((*_sent(message), *final, *_origin(message)))
        else:
            self._finished.append((*final, message.id))

    def write(self, connection: Connection) -> None:
        """Write the recorded messages."""
        on_their_way = [
            (*_sent(call), str(MessageStatus.SENT), call.hold, 0, None, None, *_origin(call))
            for call in self._sent.values()
        ]
        _INSERT.run(connection, on_their_way)
        _INSERT.run(connection, self._over)
        _FINISH.run(connection, self._finished)


def _sent(call: Call) -> tuple[Any, ...]:
    plan, subscriber = call.plan, call.subscriber
    subscriber_id = subscriber.id or None
    whose = (call.id, plan.id, subscriber_id, subscriber.contact_id, plan.user_id, plan.gateway_id.id, call.attempt)
    return (*whose, call.callid, call.callerid, subscriber.number, call.dialled, call.text, call.parts, call.started_ms)


def _origin(message: Call) -> tuple[int | None, int | None, bool, int | None]:
    """Return the id of the call that sent the message, that of its SMS campaign, and whether it is simulated.

    One of the ids is None. The last value is the consent on which the message relied; one within a call needs none.
    """
    if message.parent_id is not None:
        return message.parent_id, None, message.is_simulated, None
    return None, message.plan.id, message.is_simulated, message.consent_id
