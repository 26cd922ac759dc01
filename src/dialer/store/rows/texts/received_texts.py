"""Rows of text messages that came in, and of the numbers that are held until somebody has looked at one."""

from collections.abc import Collection
from typing import Final, NamedTuple

from sqlalchemy import Connection, delete, exists, func, insert, select, true, update

from dialer.domain.calls.effects import KeepWish
from dialer.domain.messages.understanding import Understood
from dialer.domain.words.enums import SubscriberStatus
from dialer.domain.words.reasons import SubscriberReason
from dialer.store.tables import HELD, OF_SIMULATED, Campaign, DncContact, DncList, SmsMessage, SmsReceived, Subscriber

NUMBER_MAX: Final = 64
"""Characters that are kept of a sender."""


class ReceivedText(NamedTuple):
    """A text message that a person sent to the service."""

    gateway_id: int
    given: str
    """The sender, as the carrier gave it."""
    said: str
    meaning: Understood


class TextOf(NamedTuple):
    """An account that gets a text message: the sender in normal form, and what was written to it last."""

    user_id: int
    number: str
    campaign_id: int | None = None
    sms_message_id: int | None = None
    is_simulated: bool = False
    """True if a simulated person wrote it."""


def keep_texts(connection: Connection, received: ReceivedText, receivers: Collection[TextOf], now_ms: int) -> None:
    """Keep a text message for each of some accounts."""
    values = {
        "gateway_id": received.gateway_id,
        "phone_number": received.given[:NUMBER_MAX].replace("\0", ""),
        "said": received.said,
        "understood": str(received.meaning),
        "needs_person": received.meaning is Understood.PERHAPS,
        "created_date": now_ms,
        "updated_date": now_ms,
    }
    if receivers:
        connection.execute(insert(SmsReceived), [{**values, **one._asdict()} for one in receivers])


def keep_answer(connection: Connection, wish: KeepWish, now_ms: int) -> None:
    """Keep the text message of a simulated person, whose carrier reports no text messages that come in."""
    message_id = wish.proof.sms_message_id
    gateway_id = connection.scalar(select(SmsMessage.gateway_id).where(SmsMessage.id == message_id))
    if gateway_id is not None and wish.user_id is not None:
        received = ReceivedText(gateway_id, wish.number, wish.proof.said, Understood.STOP)
        receiver = TextOf(wish.user_id, wish.number, wish.proof.campaign_id, message_id, wish.is_simulated)
        keep_texts(connection, received, [receiver], now_ms)


def is_held_by_others(connection: Connection, user_id: int, number: str, but: int) -> bool:
    """Return whether another text message of a number waits for a person's verdict."""
    waits = (SmsReceived.understood == Understood.PERHAPS.value) & (SmsReceived.verdict == "")
    is_other = (SmsReceived.user_id == user_id) & (SmsReceived.number == number) & (SmsReceived.id != but)
    return bool(connection.scalar(select(exists().where(waits, is_other))))


def texts_needing_person(connection: Connection, most: int, user_id: int | None = None) -> int:
    """Return the number of text messages that wait for a person's verdict, counted up to `most`.

    They are those to an account, or to all accounts if it is None. Their senders are neither called nor texted
    meanwhile.
    """
    waiting = select(SmsReceived.id).where(SmsReceived.needs_person == true())
    if user_id is not None:
        waiting = waiting.where(SmsReceived.user_id == user_id)
    return connection.scalar(select(func.count()).select_from(waiting.limit(most).subquery())) or 0


def held_entries(connection: Connection, user_id: int, number: str, message_id: int | None) -> list[tuple[int, int]]:
    """Return the list and the id of each entry that holds a number of an account.

    A simulated person in doubt is on the list of such people, because of their answer to the message `message_id`.
    """
    is_of_answer = (DncContact.sms_message_id == message_id) & (DncContact.sms_message_id.is_not(None))
    holds = (DncList.keeps_wishes_of == HELD) | ((DncList.keeps_wishes_of == OF_SIMULATED) & is_of_answer)
    query = select(DncContact.dnc_id, DncContact.id).join(DncList, DncList.id == DncContact.dnc_id)
    query = query.where(DncList.user_id == user_id, holds, DncContact.number == number)
    return [(row.dnc_id, row.id) for row in connection.execute(query)]


def release(connection: Connection, user_id: int, number: str, entry_ids: Collection[int], now_ms: int) -> list[int]:
    """Release a number, and let its people whose turn came meanwhile wait again. Return their campaigns."""
    connection.execute(delete(DncContact).where(DncContact.id.in_(entry_ids)))
    theirs = select(Campaign.id).where(Campaign.user_id == user_id)
    was_refused = (Subscriber.status == SubscriberStatus.NOT_AUTHORIZED) & (
        Subscriber.status_reason == SubscriberReason.HELD
    )
    is_theirs = Subscriber.campaign_id.in_(theirs) & (Subscriber.number == number)
    values = {"status": SubscriberStatus.PENDING, "status_reason": "", "updated_date": now_ms}
    moved = update(Subscriber).where(is_theirs, was_refused).values(values).returning(Subscriber.campaign_id)
    return sorted(set(connection.scalars(moved)))
