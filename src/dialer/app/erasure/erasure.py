"""Erasure: of one person, by the number, and of all subscribers whose campaigns ended long ago.

Both keep the bills unchanged, and both can be repeated, which completes an interrupted erasure.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

import msgspec
from sqlalchemy import Connection, delete, exists, func, or_, select, update

from dialer.app.erasure.answers import DeleteFile, erase_answers_before, erase_answers_of_number
from dialer.app.erasure.people import erase_callers, erase_examples, erase_outcomes, erase_people, is_erased
from dialer.app.erasure.personal_data import batches, clear, users_of, whose_number
from dialer.app.telling.audit_log import COMMAND_LINE, Origin
from dialer.app.telling.listeners import tell_listeners
from dialer.app.work.errors import ErrorCode, RefusedError
from dialer.app.work.events import AnswersErased, PersonErased, SubscribersErased
from dialer.app.work.unit import UnitOfWork
from dialer.domain.numbers.spellings import ERASED, Spellings
from dialer.domain.words.enums import CampaignStatus
from dialer.domain.words.sentences import Listed, Sentence
from dialer.store.database.database import Database
from dialer.store.database.touched import NOTHING
from dialer.store.queries.calls_in_progress import BUSY_SUBSCRIBERS
from dialer.store.queries.do_not_call import ensure_key, hashed
from dialer.store.queries.in_progress import IS_CALLING, may_say_a_name
from dialer.store.rows.call_recordings import erase_recordings, is_due_and_held, is_held
from dialer.store.rows.contact_names import count_removed
from dialer.store.rows.texts.text_parts import erase_parts
from dialer.store.tables import (
    AudioFile,
    CallRecording,
    CallRequest,
    Campaign,
    Consent,
    Contact,
    DncContact,
    NumberNote,
    OwnTelephone,
    SmsMessage,
    SmsReceived,
    Subscriber,
    Transfer,
    WaitingText,
)

_NO_PROOF: Final = {"callrequest_id": None, "sms_message_id": None, "said": ""}
"""The proof of an entry without what leads to the person; the source, the campaign and the moment stay."""
_NOBODYS_CONSENT: Final = {
    **dict.fromkeys(("evidence", "evidence_url", "withdrawn_how"), ""),
    **dict.fromkeys(("audio_file_id", "callrequest_id"), None),
}
_HAS_FILE: Final = Consent.audio_file_id.is_not(None)
_NAMING_FILES: Final = tuple(
    column
    for table in AudioFile.metadata.tables.values()
    for column in table.c
    if column.references(AudioFile.__table__.c.id)
)
"""All columns that name audio files."""
PEOPLE_AT_ONCE: Final = 500
"""Subscribers that one unit of work erases."""
_OVER: Final = (CampaignStatus.ABORT, CampaignStatus.END)
_is_on_its_way = SmsMessage.ended_ms.is_(None)


class Erased(msgspec.Struct):
    """The counts of erased records."""

    contacts: int = 0
    subscribers: int = 0
    dnc_contacts: int = 0
    """Entries of do-not-call lists that now hold a hash."""
    recordings: int = 0
    held: int = 0
    """Recordings of whole calls that a legal hold keeps: they are erased when it ends."""
    others: int = 0
    """Further rows, such as CDRs and answers whose campaigns were deleted."""


def erase_number(
    database: Database, number: str, delete_file: DeleteFile, now_ms: int, origin: Origin = COMMAND_LINE
) -> Erased:
    """Erase the personal data of a number, given in normal form, in every spelling; `origin` is for the audit log.

    Raises:
        RefusedError: the configuration uses the number, or a call or message to it is in progress.
        StorageUnavailableError: the database cannot be written now.
    """
    spellings = Spellings(number)
    users = database.read_now(partial(users_of, spellings=spellings))
    if users:
        raise RefusedError(
            Sentence("the number is used by %(users)s: change or delete that first", users=Listed(users)),
            code=ErrorCode.STILL_USED,
        )
    done = Erased()

    def erase(connection: Connection) -> None:
        unit = UnitOfWork(connection=connection, now_ms=now_ms)
        _erase_person(unit, spellings, _counting(delete_file, done), done)
        tell_listeners(unit, origin)

    database.write_now(erase)
    for batch in batches(database, spellings):
        done.others += database.write_now(partial(clear, batch=batch, spellings=spellings))
    return done


def erase_ended(database: Database, ended_before_ms: int, delete_file: DeleteFile, now_ms: int) -> Erased:
    """Erase the subscribers of all campaigns that ended before a moment and were not changed since.

    Erase also callers who were no subscribers, and the older answers whose campaigns were deleted. Contacts and
    do-not-call lists stay, because they belong to no campaign.

    Raises:
        StorageUnavailableError: the database cannot be written now.
    """
    done = Erased()
    delete_file = _counting(delete_file, done)
    last_id = 0

    def erase_some(unit: UnitOfWork) -> int:
        nonlocal last_id
        ids = _ended(unit.connection, ended_before_ms, last_id)
        erase_people(unit, ids, delete_file)
        last_id = ids[-1] if ids else last_id
        return len(ids)

    def erase_some_callers(unit: UnitOfWork) -> int:
        ids = _callers_of_ended(unit.connection, ended_before_ms)
        erase_callers(unit, ids, delete_file)
        return len(ids)

    def erase_some_answers(unit: UnitOfWork) -> int:
        return erase_answers_before(unit.connection, ended_before_ms, delete_file)

    def committed(erase: Callable[[UnitOfWork], int], event: type[SubscribersErased | AnswersErased]) -> int:
        def run(connection: Connection) -> int:
            unit = UnitOfWork(connection=connection, now_ms=now_ms)
            count = erase(unit)
            unit.note(NOTHING, *([event(count)] if count else []))
            tell_listeners(unit, COMMAND_LINE)
            return count

        return database.write_now(run)

    while count := committed(erase_some, SubscribersErased):
        done.subscribers += count
    while count := committed(erase_some_callers, SubscribersErased):
        done.others += count
    while count := committed(erase_some_answers, AnswersErased):
        done.others += count
    held = select(func.count()).where(is_due_and_held(now_ms))
    done.held = database.read_now(lambda connection: connection.scalar(held) or 0)
    return done


def _counting(delete_file: DeleteFile, done: Erased) -> DeleteFile:
    def delete_and_count(name: str) -> None:
        delete_file(name)
        done.recordings += 1

    return delete_and_count


def _erase_person(unit: UnitOfWork, spellings: Spellings, delete_file: DeleteFile, done: Erased) -> None:
    connection = unit.connection
    contact_ids = [row["id"] for row in whose_number(connection, Contact.number, spellings)]
    subscriber_ids = _subscribers_of(connection, spellings, contact_ids)
    _refuse_while_called(connection, spellings, subscriber_ids)
    _refuse_while_tried(connection, contact_ids, subscriber_ids)
    for some in _parts(subscriber_ids):
        erase_people(unit, some, delete_file)
    erase_answers_of_number(connection, spellings, delete_file)
    erase_examples(connection)
    done.held = _erase_recordings(connection, spellings, unit.now_ms)
    _erase_outcomes_of_caller(connection, spellings)
    _drop_waiting_texts(connection, spellings)
    _erase_received(connection, spellings)
    erase_parts(connection, spellings)
    _drop_notes(connection, spellings)
    _drop_telephones(connection, spellings)
    for some in _parts(contact_ids):
        count_removed(connection, select(Contact.id).where(Contact.id.in_(some)))
        connection.execute(delete(Contact).where(Contact.id.in_(some)))
    done.contacts, done.subscribers = len(contact_ids), len(subscriber_ids)
    # A hash replaces the number on do-not-call lists, so that the number is still not called.
    done.dnc_contacts = _hash_entries(connection, spellings, unit.now_ms)
    _hash_consents(connection, spellings, delete_file, unit.now_ms)
    unit.note(NOTHING, PersonErased(len(subscriber_ids)))


def _erase_recordings(connection: Connection, spellings: Spellings, now_ms: int) -> int:
    """Erase the recordings of calls with the number that no subscriber leads to: those of deleted campaigns, too.

    Return the number of those that a legal hold keeps.
    """
    ids = [row["id"] for row in whose_number(connection, CallRecording.phone_number, spellings)]
    for some in _parts(ids):
        erase_recordings(connection, CallRecording.id.in_(some), now_ms)
    counts = (select(func.count()).where(CallRecording.id.in_(some), is_held()) for some in _parts(ids))
    return sum(connection.scalar(count) or 0 for count in counts)


def _erase_outcomes_of_caller(connection: Connection, spellings: Spellings) -> None:
    """Erase the words of agents about calls from the number, whose caller may be no subscriber."""
    ids = [row["id"] for row in whose_number(connection, CallRequest.callerid, spellings) if row["attempt"] < 0]
    for some in _parts(ids):
        erase_outcomes(connection, select(CallRequest.id).where(CallRequest.id.in_(some)))


def _subscribers_of(connection: Connection, spellings: Spellings, contact_ids: Sequence[int]) -> list[int]:
    """Return the ids of subscribers with the number, and of its contacts' subscribers, even with another number."""
    subscriber_ids = {row["id"] for row in whose_number(connection, Subscriber.number, spellings)}
    for some in _parts(contact_ids):
        subscriber_ids.update(connection.scalars(select(Subscriber.id).where(Subscriber.contact_id.in_(some))))
    return sorted(subscriber_ids)


def _refuse_while_called(connection: Connection, spellings: Spellings, subscriber_ids: Sequence[int]) -> None:
    calls = select(CallRequest.subscriber_id, CallRequest.phone_number).where(IS_CALLING)
    callers = select(CallRequest.subscriber_id, CallRequest.callerid).where(IS_CALLING, CallRequest.attempt < 0)
    messages = select(SmsMessage.subscriber_id, SmsMessage.phone_number).where(_is_on_its_way)
    legs = (
        select(CallRequest.subscriber_id, Transfer.phone_number)
        .join(CallRequest, CallRequest.id == Transfer.callrequest_id)
        .where(IS_CALLING)
    )
    called = set(subscriber_ids)
    for query in (calls, callers, messages, legs):
        for subscriber_id, number in connection.execute(query):
            if subscriber_id in called or spellings.is_all_of(number):
                raise RefusedError(
                    "a call or a text message to the number is in progress: try again when it is over",
                    code=ErrorCode.IN_PROGRESS,
                )


def _refuse_while_tried(connection: Connection, contact_ids: Sequence[int], subscriber_ids: Sequence[int]) -> None:
    """Refuse while an account that knows the person has a trial in progress, which may speak or write their name."""
    for table, ids in ((Contact, contact_ids), (Subscriber, subscriber_ids)):
        for some in _parts(ids):
            accounts = select(table.user_id).where(table.id.in_(some))
            trials = select(Campaign.id).where(may_say_a_name(), Campaign.user_id.in_(accounts))
            if connection.scalar(trials.limit(1)) is not None:
                raise RefusedError(
                    "A test of this account is in progress. Wait for its end.", code=ErrorCode.IN_PROGRESS
                )


def _drop_waiting_texts(connection: Connection, spellings: Spellings) -> None:
    """Delete messages that wait and go to the number, or mention it: with a part erased they make no sense."""
    columns = (WaitingText.phone_number, WaitingText.callerid, WaitingText.text_message)
    query = select(WaitingText.id, *columns).where(or_(*(column.like(spellings.like) for column in columns)))
    rows = connection.execute(query.order_by(WaitingText.id)).all()
    text_ids = [row_id for row_id, *texts in rows if any(spellings.without(text) != text for text in texts)]
    for some in _parts(text_ids):
        connection.execute(delete(WaitingText).where(WaitingText.id.in_(some)))


def _erase_received(connection: Connection, spellings: Spellings) -> None:
    """Erase the words and the number of text messages that came from the number. Nobody can look at them any more.

    A number that is held stays so, as a hash.
    """
    ids = [row["id"] for row in whose_number(connection, SmsReceived.number, spellings)]
    values = {"phone_number": ERASED, "number": ERASED, "said": ERASED, "needs_person": False}
    for some in _parts(ids):
        connection.execute(update(SmsReceived).where(SmsReceived.id.in_(some)).values(values))


def _drop_notes(connection: Connection, spellings: Spellings) -> None:
    """Delete what accounts have noted of the number."""
    ids = [row["id"] for row in whose_number(connection, NumberNote.number, spellings)]
    for some in _parts(ids):
        connection.execute(delete(NumberNote).where(NumberNote.id.in_(some)))


def _drop_telephones(connection: Connection, spellings: Spellings) -> None:
    """Forget that the number is the telephone of a user, or that a code for it is awaited."""
    for column in (OwnTelephone.number, OwnTelephone.asked_number):
        ids = [row["id"] for row in whose_number(connection, column, spellings)]
        for some in _parts(ids):
            connection.execute(delete(OwnTelephone).where(OwnTelephone.id.in_(some)))


def _hash_entries(connection: Connection, spellings: Spellings, now_ms: int) -> int:
    """Replace the number on do-not-call lists by hashes; return the count of entries."""
    rows = whose_number(connection, DncContact.number, spellings)
    for row in rows:
        key = ensure_key(connection, now_ms)
        values = {"phone_number": ERASED, "number": hashed(key, row["number"]), **_NO_PROOF}
        connection.execute(update(DncContact).where(DncContact.id == row["id"]).values(values))
    return len(rows)


def _hash_consents(connection: Connection, spellings: Spellings, delete_file: DeleteFile, now_ms: int) -> None:
    """Replace the number of consents by hashes, which cover nobody, and erase what says who gave them.

    The kind, the purposes and the dates of the consent, of its withdrawal and its use stay as a proof.
    """
    file_ids = set[int]()
    for row in whose_number(connection, Consent.number, spellings):
        file_ids.update(connection.scalars(select(Consent.audio_file_id).where(Consent.id == row["id"], _HAS_FILE)))
        number = hashed(ensure_key(connection, now_ms), row["number"])
        values = {"phone_number": ERASED, "number": number, **_NOBODYS_CONSENT}
        connection.execute(update(Consent).where(Consent.id == row["id"]).values(values))
    for some in _parts(sorted(file_ids)):
        _erase_files(connection, some, delete_file)


def _erase_files(connection: Connection, file_ids: Sequence[int], delete_file: DeleteFile) -> None:
    """Delete audio files that nothing names any more: the files of other consents, surveys and campaigns stay."""
    is_named = or_(*(exists().where(column == AudioFile.id) for column in _NAMING_FILES))
    unnamed = delete(AudioFile).where(AudioFile.id.in_(file_ids), ~is_named).returning(AudioFile.audio_file)
    for name in connection.scalars(unnamed).all():
        delete_file(name)


def _ended(connection: Connection, ended_before_ms: int, after_id: int) -> list[int]:
    """Return up to `PEOPLE_AT_ONCE` ids of subscribers of campaigns that are over, which never start again.

    Subscribers in a call are left for the next time, because they may have called a campaign that is not over.
    """
    query = (
        select(Subscriber.id)
        .join(Campaign, Campaign.id == Subscriber.campaign_id)
        .where(Campaign.status.in_(_OVER), Campaign.updated_date < ended_before_ms, ~is_erased())
        .where(Subscriber.id > after_id, Subscriber.id.not_in(BUSY_SUBSCRIBERS))
        .order_by(Subscriber.id)
        .limit(PEOPLE_AT_ONCE)
    )
    return list(connection.scalars(query))


def _callers_of_ended(connection: Connection, ended_before_ms: int) -> list[int]:
    """Return up to `PEOPLE_AT_ONCE` calls of such campaigns from callers who were no subscribers."""
    query = (
        select(CallRequest.id)
        .join(Campaign, Campaign.id == CallRequest.campaign_id)
        .where(Campaign.status.in_(_OVER), Campaign.updated_date < ended_before_ms)
        .where(CallRequest.subscriber_id.is_(None), CallRequest.callerid != ERASED, CallRequest.ended_ms.is_not(None))
        .limit(PEOPLE_AT_ONCE)
    )
    return list(connection.scalars(query))


def _parts(ids: Sequence[int]) -> list[Sequence[int]]:
    return [ids[place : place + PEOPLE_AT_ONCE] for place in range(0, len(ids), PEOPLE_AT_ONCE)]
