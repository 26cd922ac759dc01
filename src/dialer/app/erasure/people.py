"""The erasure of subscribers: personal data is erased; calls, costs and counts of answers stay."""

from collections.abc import Collection
from typing import Any, Final

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
from dialer.app.touching import known_campaigns
from dialer.app.unit import UnitOfWork
from dialer.domain.enums import LegType, SubscriberStatus
from dialer.domain.numbers.spellings import ERASED
from dialer.store.bulk import Bulk
from dialer.store.tables import (
    CallBack,
    CallDisposition,
    CallRequest,
    Campaign,
    Cdr,
    SmsMessage,
    Subscriber,
    SurveyResult,
    WaitingText,
)

_subscribers = Subscriber.__table__
_requests = CallRequest.__table__
_messages = SmsMessage.__table__
_waiting = WaitingText.__table__
_results = SurveyResult.__table__
_campaigns = Campaign.__table__
_cdrs = Cdr.__table__
_call_backs = CallBack.__table__
_dispositions = CallDisposition.__table__
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
    update(_messages)
    .where(_messages.c.subscriber_id == bindparam("person"), _messages.c.callrequest_id.is_(None))
    .values(_ERASED_MESSAGE),
    ("person",),
)


def erase_people(unit: UnitOfWork, subscriber_ids: Collection[int], delete_file: DeleteFile) -> None:
    """Erase subscribers without a call in progress, and the personal data of their calls.

    Recordings are deleted at once. If the unit of work fails, it is repeated, and the recordings had to be deleted
    anyway.
    """
    connection = unit.connection
    requests = select(_requests.c.id).where(_requests.c.subscriber_id.in_(subscriber_ids))
    erase_answers(connection, _results.c.callrequest_id.in_(requests), delete_file)
    _erase_records(connection, requests)
    connection.execute(delete(_call_backs).where(_call_backs.c.id.in_(requests)))
    theirs = _dispositions.c.callrequest_id.in_(requests)
    connection.execute(update(_dispositions).where(theirs).values(note="", call_back_ms=None))
    connection.execute(
        update(_requests)
        .where(_requests.c.subscriber_id.in_(subscriber_ids))
        .values(
            contact_id=None,
            phone_number=case((_came_in(), _requests.c.phone_number), else_=ERASED),
            callerid=case((_came_in(), ERASED), else_=_requests.c.callerid),
            dialled_number="",
        )
    )
    connection.execute(update(_messages).where(_messages.c.callrequest_id.in_(requests)).values(_ERASED_MESSAGE))
    _ERASE_MESSAGES.run(connection, [(subscriber_id,) for subscriber_id in subscriber_ids])
    connection.execute(delete(_waiting).where(_waiting.c.subscriber_id.in_(subscriber_ids)))
    connection.execute(update(_subscribers).where(_subscribers.c.id.in_(subscriber_ids)).values(_nobody(unit.now_ms)))
    campaigns = select(_subscribers.c.campaign_id).where(_subscribers.c.id.in_(subscriber_ids)).distinct()
    unit.note(known_campaigns(connection, _campaigns.c.id.in_(campaigns)))


def erase_callers(unit: UnitOfWork, call_ids: Collection[int], delete_file: DeleteFile) -> None:
    """Erase the personal data of calls, which are over, from callers who were no subscribers."""
    connection = unit.connection
    requests = select(_requests.c.id).where(_requests.c.id.in_(call_ids))
    erase_answers(connection, _results.c.callrequest_id.in_(call_ids), delete_file)
    _erase_records(connection, requests)
    connection.execute(update(_requests).where(_requests.c.id.in_(call_ids)).values(callerid=ERASED))
    connection.execute(update(_messages).where(_messages.c.callrequest_id.in_(call_ids)).values(_ERASED_MESSAGE))
    connection.execute(delete(_waiting).where(_waiting.c.callrequest_id.in_(call_ids)))


def is_erased() -> ColumnElement[bool]:
    """Return the condition that a subscriber is erased."""
    return _subscribers.c.duplicate_contact == ERASED


def _came_in() -> ColumnElement[bool]:
    """Return the condition that a call is inbound; the subscriber is then the caller."""
    return _requests.c.attempt < 0


def _nobody(now_ms: int) -> dict[str, Any]:
    """Return the columns of an erased subscriber; a waiting one is aborted."""
    is_open = _subscribers.c.status.in_((SubscriberStatus.PENDING, SubscriberStatus.PAUSE))
    texts = dict.fromkeys(("zone", "full_name", "gmt_offset", "tz_code", "halt_reason"), "")
    return {
        **texts,
        "contact_id": None,
        "duplicate_contact": ERASED,
        # Numbers are unique in a campaign, so the substitute must be unique, and must not be a number.
        "number": literal("~") + sql_cast(_subscribers.c.id, String),
        "additional_vars": "{}",
        "status": case((is_open, SubscriberStatus.ABORT), else_=_subscribers.c.status),
        "status_reason": case((is_open, "erased"), else_=_subscribers.c.status_reason),
        "due_ms": 0,
        "updated_date": now_ms,
    }


def _erase_records(connection: Connection, requests: Select[int]) -> None:
    """Erase the numbers of subscribers in the CDRs of calls to them, of calls from them, and of their transfers."""
    came_in = _cdrs.c.callrequest_id.in_(requests.where(_came_in()))
    is_caller = or_(_cdrs.c.leg_type == LegType.B_LEG, and_(_cdrs.c.leg_type == LegType.A_LEG, came_in))
    connection.execute(
        update(_cdrs)
        .where(_cdrs.c.callrequest_id.in_(requests))
        .values(
            contact_id=None,
            phone_number=case((is_caller, _cdrs.c.phone_number), else_=ERASED),
            callerid=case((is_caller, ERASED), else_=_cdrs.c.callerid),
        )
    )
