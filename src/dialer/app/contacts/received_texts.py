"""Use cases of text messages that came in: somebody looks at one, and decides."""

from typing import Final

from sqlalchemy import Row, select, update

from dialer.app.work.errors import UnknownRecordError
from dialer.app.work.events import CampaignStarted, NumberAllowed, NumberCalledOff
from dialer.app.work.touched_records import touched_campaigns, users_of_dnc
from dialer.app.work.unit import UnitOfWork
from dialer.domain.messages.understanding import Understood
from dialer.domain.words.enum_descriptions import DescribedText
from dialer.domain.words.enums import CampaignStatus
from dialer.domain.words.proof import Proof, WishSource
from dialer.domain.words.reasons import CampaignReason
from dialer.store.database.touched import NOTHING
from dialer.store.rows.texts.received_texts import held_entries, is_held_by_others, release
from dialer.store.rows.wishes import call_off, list_of_wish
from dialer.store.tables import Campaign, SmsReceived


class Verdict(DescribedText):
    """The decision about a text message that came in."""

    DO_NOT_CALL = "do_not_call", "The person wants no more calls and messages: the number is on the account's list."
    NOTHING = "nothing", "There is nothing to do. The person may be called and written to."


_DECIDED: Final = ("user_id", "number", "understood", "campaign_id", "sms_message_id", "said", "is_simulated")


def look_at(unit: UnitOfWork, text_id: int, verdict: str, user_id: int) -> None:
    """Store a user's verdict about a text message, and apply it.

    `do_not_call` puts the number on the account's own do-not-call list. `nothing` releases a number that is held,
    unless another message of it still waits: people whose turn came meanwhile wait again, and campaigns that ended
    because nobody was left go on. A wish that was understood, or decided before, is not taken back.

    Raises:
        UnknownRecordError: there is no such message.
    """
    query = select(*(getattr(SmsReceived, name) for name in _DECIDED)).where(SmsReceived.id == text_id)
    row = unit.connection.execute(query).first()
    if row is None:
        raise UnknownRecordError(f"There is no message {text_id}.")
    looked = {"verdict": verdict, "looked_at_ms": unit.now_ms, "looked_at_by_id": user_id, "updated_date": unit.now_ms}
    of_text = update(SmsReceived).where(SmsReceived.id == text_id)
    unit.connection.execute(of_text.values(**looked, needs_person=False))
    unit.note(NOTHING)
    if verdict == Verdict.DO_NOT_CALL and row.number:
        _call_off(unit, row)
    others = is_held_by_others(unit.connection, row.user_id, row.number, text_id)
    if row.understood == Understood.PERHAPS and not others:
        answered_id = None if verdict == Verdict.DO_NOT_CALL else row.sms_message_id
        _release(unit, row.user_id, row.number, answered_id)


def _call_off(unit: UnitOfWork, row: Row[tuple[object, ...]]) -> None:
    own = list_of_wish(unit.connection, row.user_id, unit.now_ms, is_simulated=row.is_simulated)
    proof = Proof(WishSource.TEXT, row.campaign_id, sms_message_id=row.sms_message_id, said=row.said)
    for dnc_id, entry_id in call_off(unit.connection, (own,), row.number, proof, unit.now_ms):
        unit.note(users_of_dnc(unit.connection, dnc_id), NumberCalledOff(dnc_id, entry_id))


def _release(unit: UnitOfWork, user_id: int, number: str, message_id: int | None) -> None:
    entries = held_entries(unit.connection, user_id, number, message_id)
    touched = NOTHING
    for dnc_id, _ in entries:
        touched |= users_of_dnc(unit.connection, dnc_id)
    campaign_ids = release(unit.connection, user_id, number, [entry_id for _, entry_id in entries], unit.now_ms)
    unit.note(touched | touched_campaigns(*campaign_ids), *(NumberAllowed(*entry) for entry in entries))
    reopened = (
        update(Campaign)
        .where(Campaign.id.in_(campaign_ids), Campaign.status == CampaignStatus.END)
        .where(Campaign.status_reason == CampaignReason.COMPLETED, Campaign.expirationdate > unit.now_ms)
        .values(status=CampaignStatus.START, status_reason="", updated_date=unit.now_ms)
        .returning(Campaign.id)
    )
    for campaign_id in unit.connection.scalars(reopened).all():
        unit.note(touched_campaigns(campaign_id), CampaignStarted(campaign_id))
