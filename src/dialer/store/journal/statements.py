"""The statements with which the journal writes, each for many rows at once."""

from typing import Final

from sqlalchemy import ColumnElement, bindparam, case, func, literal_column, null, update

from dialer.domain.enums import CallRequestStatus, SubscriberStatus
from dialer.store.bulk import Bulk, bulk_insert
from dialer.store.journal.rows import (
    CampaignGrowth,
    CdrRow,
    RefusalRow,
    RequestEnd,
    RequestRow,
    ResultRow,
    SubscriberRow,
)
from dialer.store.tables import HALT_COMPLETED, CallBack, CallRequest, Campaign, Cdr, Subscriber, SurveyResult

_campaigns = Campaign.__table__
_subscribers = Subscriber.__table__
_requests = CallRequest.__table__

INSERT_REQUESTS: Final = bulk_insert(_requests, *RequestRow._fields)
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
    RequestEnd._fields,
)
"""Ends the given calls if they are in progress."""
INSERT_CDRS: Final = bulk_insert(Cdr.__table__, *CdrRow._fields)
INSERT_RESULTS: Final = bulk_insert(SurveyResult.__table__, *ResultRow._fields)
_pending: ColumnElement[int] = literal_column(str(int(SubscriberStatus.PENDING)))
_abort: ColumnElement[int] = literal_column(str(int(SubscriberStatus.ABORT)))
_known: Final[list[ColumnElement[int]]] = [literal_column(str(int(status))) for status in SubscriberStatus]
# Unknown statuses cannot be verified, so they are accepted.
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
        due_ms=bindparam("due_ms"),
        updated_date=bindparam("changed_ms"),
    ),
    SubscriberRow._fields,
)
"""Changes the given subscribers if they are in the expected state."""
_is_subscriber = (_subscribers.c.id == bindparam("subscriber")) & (_subscribers.c.campaign_id == bindparam("campaign"))
COMPLETE_SUBSCRIBER: Final = (
    update(_subscribers)
    .where(_is_subscriber, _subscribers.c.status == SubscriberStatus.PENDING)
    .values(
        status=SubscriberStatus.COMPLETED,
        status_reason="",
        halt_reason="",
        due_ms=0,
        updated_date=bindparam("changed_ms"),
    )
)
COMPLETE_LATER: Final = (
    update(_subscribers)
    .where(_is_subscriber, _subscribers.c.status == SubscriberStatus.IN_PROCESS)
    .values(halt_reason=HALT_COMPLETED, updated_date=bindparam("changed_ms"))
)
"""Marks a subscriber with an attempt in progress, so that a restart before its end knows that they have completed."""
REFUSE_SUBSCRIBERS: Final = Bulk(
    update(_subscribers)
    .where(_subscribers.c.id == bindparam("subscriber_id"), _subscribers.c.status == _pending)
    .values(
        status=bindparam("new_status"),
        status_reason=bindparam("new_reason"),
        due_ms=bindparam("due_ms"),
        updated_date=bindparam("changed_ms"),
    ),
    RefusalRow._fields,
)
COUNT_CAMPAIGNS: Final = Bulk(
    update(_campaigns)
    .where(_campaigns.c.id == bindparam("campaign_id"))
    .values(
        calls=_campaigns.c.calls + bindparam("calls"),
        answered=_campaigns.c.answered + bindparam("answered"),
        completed=_campaigns.c.completed + bindparam("completed"),
        cost=_campaigns.c.cost + bindparam("cost"),
        live_answered=_campaigns.c.live_answered + bindparam("live_answered"),
        abandoned=_campaigns.c.abandoned + bindparam("abandoned"),
        next_dial_us=func.coalesce(bindparam("next_dial_us"), _campaigns.c.next_dial_us),
    ),
    CampaignGrowth._fields,
)
EXPECT_CALL_BACKS: Final = bulk_insert(CallBack.__table__, "id", "user_id", "due_ms")
