"""What came of campaigns: attempts, call detail records and answers. All of it is only read."""

from typing import Annotated, Final

from dialer.api.crud.fields import Amount, Choice, Identity, Integer, OwnUrl, Reference, Text, Timestamp
from dialer.api.crud.resource import Resource
from dialer.api.crud.shapes import Shape
from dialer.domain.enums import CallRequestStatus, Cause, LegType, SectionType
from dialer.store.tables import CallRequest, Cdr, SurveyResult

CALLID_LENGTH: Final = 36
CAUSE_MAX: Final = max(Cause)
ATTEMPT_MAX: Final = 2**31 - 1
"""In a call that came in, the attempt that the caller had missed, negative."""


class CallRequestRead(Shape):
    """One attempt to call one subscriber."""

    id: Annotated[int, Identity()]
    url: Annotated[str, OwnUrl("callrequest")]
    callid: Annotated[str, Text(CALLID_LENGTH)]
    campaign: Annotated[str, Reference("campaigns")]
    subscriber: Annotated[str, Reference("subscriber-list")]
    user: Annotated[str, Reference("users")]
    gateway_id: Annotated[int, Identity()]
    attempt: Annotated[int, Integer(-ATTEMPT_MAX, ATTEMPT_MAX)]
    did: Annotated[str, Reference("did")] | None
    phone_number: Annotated[str, Text()]
    dialled_number: Annotated[str, Text()]
    callerid: Annotated[str, Text()]
    status: Annotated[int, Choice(CallRequestStatus)]
    status_reason: Annotated[str, Text()]
    starting_date: Annotated[str, Timestamp(column="started_ms")]
    ending_date: Annotated[str, Timestamp(column="ended_ms")] | None
    hangup_cause_q850: Annotated[int, Integer(0, CAUSE_MAX)] | None


class CdrRead(Shape):
    """One leg of one call that is over; times in seconds."""

    id: Annotated[int, Identity()]
    url: Annotated[str, OwnUrl("cdr")]
    callid: Annotated[str, Text(CALLID_LENGTH)]
    callerid: Annotated[str, Text()]
    phone_number: Annotated[str, Text()]
    starting_date: Annotated[str, Timestamp()]
    duration: Annotated[int, Integer()]
    billsec: Annotated[int, Integer()]
    call_cost: Annotated[str, Amount()]
    billed_duration: Annotated[int, Integer()]
    hangup_cause_q850: Annotated[int, Integer(0, CAUSE_MAX)]
    leg_type: Annotated[int, Choice(LegType)]
    amd_status: Annotated[int, Integer(0, 3)]
    callrequest: Annotated[str, Reference("callrequest")] | None
    campaign: Annotated[str, Reference("campaigns")] | None
    subscriber_id: Annotated[int, Identity()]
    contact_id: Annotated[int, Identity()] | None


class SurveyResultRead(Shape):
    """A callee's answer to one section in one call. It stays when its campaign is deleted; `callid` names its CDR."""

    id: Annotated[int, Identity()]
    url: Annotated[str, OwnUrl("survey-result")]
    callid: Annotated[str, Text(CALLID_LENGTH)]
    campaign: Annotated[str, Reference("campaigns")] | None
    callrequest: Annotated[str, Reference("callrequest")] | None
    section_id: Annotated[int, Identity()]
    section_type: Annotated[int, Choice(SectionType)]
    question: Annotated[str, Text()]
    response: Annotated[str, Text()]
    record_file: Annotated[str, Text()]
    recording_duration: Annotated[int, Integer()] | None
    created_date: Annotated[str, Timestamp()]


CALLREQUESTS = Resource(
    path="callrequest",
    model=CallRequest,
    read=CallRequestRead,
    filters=("callid", "phone_number", "status", "attempt", "hangup_cause_q850", "gateway_id"),
)
CDRS = Resource(
    path="cdr",
    model=Cdr,
    read=CdrRead,
    filters=(
        "callid",
        "callerid",
        "phone_number",
        "hangup_cause_q850",
        "leg_type",
        "amd_status",
        "subscriber_id",
        "contact_id",
        "starting_date_after",
        "starting_date_before",
    ),
    exported=True,
)
SURVEY_RESULTS = Resource(
    path="survey-result",
    model=SurveyResult,
    read=SurveyResultRead,
    filters=("callid", "section_id", "section_type", "response"),
    exported=True,
)
