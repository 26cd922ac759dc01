"""The erasure of subscribers: personal data is erased; calls, costs and counts of answers stay."""

from collections.abc import Collection
from typing import Any, Final

import msgspec
from sqlalchemy import (
    ColumnElement,
    Connection,
    Select,
    String,
    and_,
    bindparam,
    case,
    delete,
    literal,
    literal_column,
    null,
    or_,
    select,
    update,
)
from sqlalchemy import cast as sql_cast

from dialer.app.erasure.answers import DeleteFile, erase_answers
from dialer.app.work.touched_records import known_campaigns
from dialer.app.work.unit import UnitOfWork
from dialer.domain.numbers.spellings import ERASED
from dialer.domain.words.enums import LegType, SubscriberStatus
from dialer.store.database.bulk import Bulk
from dialer.store.queries.in_progress import may_say_a_name
from dialer.store.rows.call_recordings import erase_recordings
from dialer.store.tables import (
    CallBack,
    CallDisposition,
    CallDraft,
    CallRecording,
    CallRequest,
    Campaign,
    Cdr,
    ContactWait,
    LiveLeg,
    SmsMessage,
    Subscriber,
    SurveyResult,
    WaitingText,
)

_erased: ColumnElement[str] = literal_column(f"'{ERASED}'")
_nothing: ColumnElement[str] = literal_column("''")
_ERASED_MESSAGE: Final = {
    "contact_id": null(),
    "phone_number": _erased,
    "dialled_number": _nothing,
    "text_message": _erased,
}
# One by one, because SQLite has no statistics and would otherwise read all messages.
_ERASE_MESSAGES: Final = Bulk(
    update(SmsMessage)
    .where(SmsMessage.subscriber_id == bindparam("person"), SmsMessage.callrequest_id.is_(None))
    .values(_ERASED_MESSAGE),
    ("person",),
)


def erase_people(unit: UnitOfWork, subscriber_ids: Collection[int], delete_file: DeleteFile) -> None:
    """Erase subscribers without a call in progress, and the personal data of their calls.

    Recordings are deleted at once. If the unit of work fails, it is repeated, and the recordings had to be deleted
    anyway.
    """
    connection = unit.connection
    requests = select(CallRequest.id).where(CallRequest.subscriber_id.in_(subscriber_ids))
    erase_answers(connection, SurveyResult.callrequest_id.in_(requests), delete_file)
    _erase_records(connection, requests)
    erase_recordings(connection, CallRecording.callrequest_id.in_(requests), unit.now_ms)
    connection.execute(delete(CallBack).where(CallBack.id.in_(requests)))
    erase_outcomes(connection, requests)
    connection.execute(
        update(CallRequest)
        .where(CallRequest.subscriber_id.in_(subscriber_ids))
        .values(
            contact_id=None,
            phone_number=case((_came_in(), CallRequest.phone_number), else_=ERASED),
            callerid=case((_came_in(), ERASED), else_=CallRequest.callerid),
            dialled_number="",
            heard="",
        )
    )
    connection.execute(update(SmsMessage).where(SmsMessage.callrequest_id.in_(requests)).values(_ERASED_MESSAGE))
    _ERASE_MESSAGES.run(connection, [(subscriber_id,) for subscriber_id in subscriber_ids])
    connection.execute(delete(WaitingText).where(WaitingText.subscriber_id.in_(subscriber_ids)))
    waited = update(ContactWait).where(ContactWait.subscriber_id.in_(subscriber_ids), ContactWait.number != "")
    connection.execute(waited.values(number=ERASED))
    connection.execute(update(Subscriber).where(Subscriber.id.in_(subscriber_ids)).values(_nobody(unit.now_ms)))
    campaigns = select(Subscriber.campaign_id).where(Subscriber.id.in_(subscriber_ids)).distinct()
    unit.note(known_campaigns(connection, Campaign.id.in_(campaigns)))


def erase_examples(connection: Connection) -> None:
    """Erase the names and columns in all trials of campaigns: each may be those of the person who is erased.

    A trial has the number of its user, and does not say as whom it was called. Those that may still speak stay: trials
    of the accounts that know the person are not among them when this is called.
    """
    speaking = select(Campaign.id).where(may_say_a_name())
    trials = select(Campaign.id).where(Campaign.trial_of_id.is_not(None), Campaign.id.not_in(speaking))
    nothing = {"full_name": "", "additional_vars": "{}"}
    has_name = (Subscriber.full_name != "") | (Subscriber.additional_vars != "{}")
    connection.execute(update(Subscriber).where(Subscriber.campaign_id.in_(trials), has_name).values(nothing))
    has_text = SmsMessage.campaign_id.in_(trials), SmsMessage.text_message != ERASED
    connection.execute(update(SmsMessage).where(*has_text).values(text_message=ERASED))
    _erase_orders(connection, trials)


def _erase_orders(connection: Connection, trials: Select[int]) -> None:
    """Erase the texts in the orders to carriers, which are kept until the receipts come."""
    on_their_way = select(SmsMessage.id).where(SmsMessage.campaign_id.in_(trials), SmsMessage.ended_ms.is_(None))
    for leg in connection.execute(select(LiveLeg.id, LiveLeg.dialling).where(LiveLeg.call_id.in_(on_their_way))).all():
        order = {**msgspec.json.decode(leg.dialling), "text": ERASED}
        written = update(LiveLeg).where(LiveLeg.id == leg.id)
        connection.execute(written.values(dialling=msgspec.json.encode(order).decode()))


def erase_callers(unit: UnitOfWork, call_ids: Collection[int], delete_file: DeleteFile) -> None:
    """Erase the personal data of calls, which are over, from callers who were no subscribers."""
    connection = unit.connection
    requests = select(CallRequest.id).where(CallRequest.id.in_(call_ids))
    erase_answers(connection, SurveyResult.callrequest_id.in_(call_ids), delete_file)
    _erase_records(connection, requests)
    erase_recordings(connection, CallRecording.callrequest_id.in_(call_ids), unit.now_ms)
    erase_outcomes(connection, requests)
    connection.execute(update(CallRequest).where(CallRequest.id.in_(call_ids)).values(callerid=ERASED, heard=""))
    connection.execute(update(SmsMessage).where(SmsMessage.callrequest_id.in_(call_ids)).values(_ERASED_MESSAGE))
    connection.execute(delete(WaitingText).where(WaitingText.callrequest_id.in_(call_ids)))


def is_erased() -> ColumnElement[bool]:
    """Return the SQL condition that a subscriber is erased."""
    return Subscriber.duplicate_contact == ERASED


def _came_in() -> ColumnElement[bool]:
    """Return the condition that a call is inbound; the subscriber is then the caller."""
    return CallRequest.attempt < 0


def _nobody(now_ms: int) -> dict[str, Any]:
    """Return the columns of an erased subscriber; a waiting one is aborted."""
    is_open = Subscriber.status.in_((SubscriberStatus.PENDING, SubscriberStatus.PAUSE))
    texts = dict.fromkeys(("zone", "full_name", "gmt_offset", "tz_code", "halt_reason"), "")
    return {
        **texts,
        "contact_id": None,
        "duplicate_contact": ERASED,
        # Numbers are unique in a campaign, so the substitute must be unique, and must not be a number.
        "number": literal("~") + sql_cast(Subscriber.id, String),
        "additional_vars": "{}",
        "status": case((is_open, SubscriberStatus.ABORT), else_=Subscriber.status),
        "status_reason": case((is_open, "erased"), else_=Subscriber.status_reason),
        "due_ms": 0,
        "updated_date": now_ms,
    }


def erase_outcomes(connection: Connection, requests: Select[int]) -> None:
    """Erase the words of agents about calls, and the times that they promised. The outcomes stay."""
    theirs = CallDisposition.callrequest_id.in_(requests)
    connection.execute(update(CallDisposition).where(theirs).values(note="", call_back_ms=None))
    connection.execute(delete(CallDraft).where(CallDraft.callrequest_id.in_(requests)))


def _erase_records(connection: Connection, requests: Select[int]) -> None:
    """Erase the numbers of subscribers in the CDRs of calls to them, of calls from them, and of their transfers."""
    came_in = Cdr.callrequest_id.in_(requests.where(_came_in()))
    is_caller = or_(Cdr.leg_type == LegType.B_LEG, and_(Cdr.leg_type == LegType.A_LEG, came_in))
    connection.execute(
        update(Cdr)
        .where(Cdr.callrequest_id.in_(requests))
        .values(
            contact_id=None,
            phone_number=case((is_caller, Cdr.phone_number), else_=ERASED),
            callerid=case((is_caller, ERASED), else_=Cdr.callerid),
        )
    )
