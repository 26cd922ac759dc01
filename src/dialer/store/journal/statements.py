"""The statements by which the journal writes, each for many rows at once."""

from typing import Final

from sqlalchemy import ColumnElement, bindparam, case, func, literal_column, null, update

from dialer.domain.enums import CallRequestStatus, SubscriberStatus
from dialer.store.bulk import Bulk, bulk_insert
from dialer.store.queries.rates import RATE_COLUMNS
from dialer.store.tables import CallBack, CallRequest, Campaign, Cdr, Subscriber, SurveyResult

_campaigns = Campaign.__table__
_subscribers = Subscriber.__table__
_requests = CallRequest.__table__

_REQUEST_COLUMNS: Final = (
    "id",
    "campaign_id",
    "subscriber_id",
    "contact_id",
    "user_id",
    "gateway_id",
    "attempt",
    "callid",
    "phone_number",
    "callerid",
    "started_ms",
    "ring_limit_ms",
    "talk_limit_ms",
    *RATE_COLUMNS,
    "amd",
    "parameters",
    "did_id",
    "dialled_number",
    "hold",
    "status",
    "status_reason",
    "ended_ms",
    "hangup_cause_q850",
)
INSERT_REQUESTS: Final = bulk_insert(_requests, *_REQUEST_COLUMNS)
_calling: ColumnElement[int] = literal_column(str(int(CallRequestStatus.CALLING)))
FINISH_REQUESTS: Final = Bulk(
    update(_requests)
    .where(_requests.c.id == bindparam("request_id"), _requests.c.status == _calling)
    .values(
        hold=bindparam("hold"),
        status=bindparam("status"),
        status_reason=bindparam("status_reason"),
        ended_ms=bindparam("ended_ms"),
        hangup_cause_q850=bindparam("hangup_cause_q850"),
        parameters=null(),
    ),
    ("hold", "status", "status_reason", "ended_ms", "hangup_cause_q850", "request_id"),
)
"""Ends calls in progress, and touches no other."""
INSERT_CDRS: Final = bulk_insert(
    Cdr.__table__,
    "id",
    "user_id",
    "callid",
    "callerid",
    "phone_number",
    "starting_date",
    "duration",
    "billsec",
    "call_cost",
    "billed_duration",
    *RATE_COLUMNS,
    "hangup_cause_q850",
    "leg_type",
    "amd_status",
    "callrequest_id",
    "campaign_id",
    "subscriber_id",
    "contact_id",
)
INSERT_RESULTS: Final = bulk_insert(
    SurveyResult.__table__,
    "user_id",
    "callid",
    "campaign_id",
    "callrequest_id",
    "section_id",
    "section_type",
    "question",
    "response",
    "created_date",
    "record_file",
    "recording_duration",
)
_pending: ColumnElement[int] = literal_column(str(int(SubscriberStatus.PENDING)))
_abort: ColumnElement[int] = literal_column(str(int(SubscriberStatus.ABORT)))
_known: Final[list[ColumnElement[int]]] = [literal_column(str(int(status))) for status in SubscriberStatus]
# Whoever is in a state that nobody knows may have been in this one: there is nothing that it can be compared with.
_is_expected = (_subscribers.c.status == bindparam("was_status")) | _subscribers.c.status.not_in(_known)
_is_halted = (_subscribers.c.halt_reason != literal_column("''")) & (bindparam("new_status") == _pending)
UPDATE_SUBSCRIBERS: Final = Bulk(
    update(_subscribers)
    .where(_subscribers.c.id == bindparam("subscriber_id"))
    .where(_is_expected, _subscribers.c.count_attempt == bindparam("had_attempts"))
    .values(
        status=case((_is_halted, _abort), else_=bindparam("new_status")),
        status_reason=case((_is_halted, _subscribers.c.halt_reason), else_=bindparam("new_reason")),
        count_attempt=bindparam("attempts"),
        failure_count=bindparam("failures"),
        completion_count=bindparam("completions"),
        last_attempt=bindparam("dialled_ms"),
        due_ms=bindparam("due"),
        updated_date=bindparam("changed_ms"),
    ),
    (
        "new_status",
        "new_reason",
        "attempts",
        "failures",
        "completions",
        "dialled_ms",
        "due",
        "changed_ms",
        "subscriber_id",
        "was_status",
        "had_attempts",
    ),
)
"""Changes those who are in the state that they were taken to be in, and no others."""
REFUSE_SUBSCRIBERS: Final = Bulk(
    update(_subscribers)
    .where(_subscribers.c.id == bindparam("subscriber_id"), _subscribers.c.status == _pending)
    .values(
        status=bindparam("new_status"),
        status_reason=bindparam("new_reason"),
        due_ms=bindparam("due"),
        updated_date=bindparam("changed_ms"),
    ),
    ("new_status", "new_reason", "due", "changed_ms", "subscriber_id"),
)
COUNT_CAMPAIGNS: Final = Bulk(
    update(_campaigns)
    .where(_campaigns.c.id == bindparam("campaign_id"))
    .values(
        calls=_campaigns.c.calls + bindparam("more_calls"),
        answered=_campaigns.c.answered + bindparam("more_answered"),
        completed=_campaigns.c.completed + bindparam("more_completed"),
        cost=_campaigns.c.cost + bindparam("more_cost"),
        live_answered=_campaigns.c.live_answered + bindparam("more_live"),
        abandoned=_campaigns.c.abandoned + bindparam("more_abandoned"),
        next_dial_us=func.coalesce(bindparam("next_us"), _campaigns.c.next_dial_us),
    ),
    (
        "more_calls",
        "more_answered",
        "more_completed",
        "more_cost",
        "more_live",
        "more_abandoned",
        "next_us",
        "campaign_id",
    ),
)
EXPECT_CALL_BACKS: Final = bulk_insert(CallBack.__table__, "id", "due_ms")
