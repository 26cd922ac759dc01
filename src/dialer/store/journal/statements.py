"""The statements with which the journal writes, each for many rows at once."""

from typing import Final

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Integer,
    String,
    bindparam,
    case,
    func,
    literal_column,
    null,
    true,
    update,
)

from dialer.domain.words.enums import CallRequestStatus, SubscriberStatus
from dialer.store.database.bulk import Bulk, KeyedBulk, bulk_insert
from dialer.store.journal.request_rows import RequestEnd, RequestRow
from dialer.store.journal.rows import (
    CampaignGrowth,
    CdrRow,
    RefusalRow,
    ResultRow,
    SubscriberRow,
)
from dialer.store.journal.said_call_backs import SaidCallBackRow
from dialer.store.tables import CallBack, CallDisposition, CallRequest, Campaign, Cdr, Consent, Subscriber, SurveyResult

INSERT_REQUESTS: Final = bulk_insert(CallRequest.__table__, *RequestRow._fields)
_calling: ColumnElement[int] = literal_column(str(int(CallRequestStatus.CALLING)))
FINISH_REQUESTS: Final = KeyedBulk(
    update(CallRequest)
    .where(CallRequest.id == bindparam("request_id"), CallRequest.status == _calling)
    .values(
        hold=bindparam("hold"),
        status=bindparam("status"),
        status_reason=bindparam("status_reason"),
        ended_ms=bindparam("ended_ms"),
        hangup_cause_q850=bindparam("hangup_cause_q850"),
        heard=bindparam("heard"),
        parameters=null(),
    ),
    RequestEnd._fields,
)
"""Ends the given calls if they are in progress."""
INSERT_CDRS: Final = bulk_insert(Cdr.__table__, *CdrRow._fields)
INSERT_RESULTS: Final = bulk_insert(SurveyResult.__table__, *ResultRow._fields)
_pending: ColumnElement[int] = literal_column(str(int(SubscriberStatus.PENDING)))
_abort: ColumnElement[int] = literal_column(str(int(SubscriberStatus.ABORT)))
_known: Final[list[ColumnElement[int]]] = [literal_column(str(int(status))) for status in SubscriberStatus]
# Unknown statuses cannot be verified, so they are accepted.
_is_expected = (Subscriber.status == bindparam("was_status")) | Subscriber.status.not_in(_known)
_status: Final = bindparam("new_status", type_=Integer())
_is_halted = (Subscriber.halt_reason != literal_column("''")) & (_status == _pending)
UPDATE_SUBSCRIBERS: Final = KeyedBulk(
    update(Subscriber)
    .where(Subscriber.id == bindparam("subscriber_id"))
    .where(_is_expected, Subscriber.count_attempt == bindparam("had_attempts"))
    .values(
        status=case((_is_halted, _abort), else_=_status),
        status_reason=case((_is_halted, Subscriber.halt_reason), else_=bindparam("new_reason", type_=String())),
        count_attempt=bindparam("attempts"),
        failure_count=bindparam("failures"),
        completion_count=bindparam("completions"),
        abandoned_count=bindparam("abandoned"),
        last_attempt=bindparam("dialled_ms"),
        due_ms=bindparam("due_ms"),
        updated_date=bindparam("changed_ms"),
    ),
    SubscriberRow._fields,
)
"""Changes the given subscribers if they are in the expected state."""
PROMISE_CALL_BACKS: Final = Bulk(
    update(Subscriber)
    .where(Subscriber.id == bindparam("said_subscriber_id"))
    .values(
        promised_agent_id=bindparam("promised_agent_id", type_=BigInteger()),
        promised_until_ms=bindparam("promised_until_ms"),
    ),
    SaidCallBackRow._fields,
)
"""Says who takes the call-backs that were promised during calls."""
NOTE_COMPLETED: Final = Bulk(
    update(CallDisposition).where(CallDisposition.callrequest_id == bindparam("call")).values(was_completed=true()),
    ("call",),
)
"""Notes that the subscribers of calls have completed the survey, although they are called back."""
REFUSE_SUBSCRIBERS: Final = KeyedBulk(
    update(Subscriber)
    .where(Subscriber.id == bindparam("subscriber_id"), Subscriber.status == _pending)
    .values(
        status=bindparam("new_status"),
        status_reason=bindparam("new_reason"),
        due_ms=bindparam("due_ms"),
        updated_date=bindparam("changed_ms"),
    ),
    RefusalRow._fields,
)
COUNT_CAMPAIGNS: Final = KeyedBulk(
    update(Campaign)
    .where(Campaign.id == bindparam("campaign_id"))
    .values(
        calls=Campaign.calls + bindparam("calls"),
        answered=Campaign.answered + bindparam("answered"),
        completed=Campaign.completed + bindparam("completed"),
        cost=Campaign.cost + bindparam("cost"),
        live_answered=Campaign.live_answered + bindparam("live_answered"),
        abandoned=Campaign.abandoned + bindparam("abandoned"),
        next_dial_us=func.coalesce(bindparam("next_dial_us", type_=BigInteger()), Campaign.next_dial_us),
    ),
    CampaignGrowth._fields,
)
USE_CONSENTS: Final = Bulk(
    update(Consent).where(Consent.id == bindparam("consent")).values(last_used_date=bindparam("used_ms")),
    ("used_ms", "consent"),
)
"""Notes when consents have allowed a dial."""
EXPECT_CALL_BACKS: Final = bulk_insert(CallBack.__table__, "id", "user_id", "due_ms")
