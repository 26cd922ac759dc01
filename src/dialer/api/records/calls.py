"""The results of campaigns: call attempts, call detail records and answers. Clients only read them."""

from typing import Final

from dialer.api.crud.declaration import own, read_only, shapes
from dialer.api.crud.fields import Amount, Choice, Integer, Text
from dialer.api.crud.moments import Timestamp
from dialer.api.crud.references import Identity, Reference
from dialer.api.crud.resource import Resource
from dialer.api.records.agent_views import own_calls, own_cdrs
from dialer.api.records.sections import SectionTypeChoice
from dialer.domain.enums import CallRequestStatus, Cause, LegType
from dialer.store.tables import CallRequest, Cdr, SurveyResult

CALLID_LENGTH: Final = 36
CAUSE_MAX: Final = max(Cause)
ATTEMPT_MAX: Final = 2**31 - 1
"""The largest attempt number. An inbound call has the number of the missed attempt, negated."""

_CALL_REQUEST: Final = shapes(
    "CallRequest",
    {
        **own("callrequest"),
        "callid": read_only(Text(CALLID_LENGTH)),
        "campaign": read_only(Reference("campaigns")),
        "subscriber": read_only(Reference("subscriber-list")),
        "user": read_only(Reference("users")),
        "gateway_id": read_only(Identity()),
        "attempt": read_only(Integer(-ATTEMPT_MAX, ATTEMPT_MAX)),
        "did": read_only(Reference("did"), nullable=True),
        "phone_number": read_only(Text()),
        "dialled_number": read_only(Text()),
        "callerid": read_only(Text()),
        "status": read_only(Choice(CallRequestStatus)),
        "status_reason": read_only(Text()),
        "starting_date": read_only(Timestamp(column="started_ms")),
        "ending_date": read_only(Timestamp(column="ended_ms"), nullable=True),
        "hangup_cause_q850": read_only(Integer(0, CAUSE_MAX), nullable=True),
    },
    read_doc="One attempt to call one subscriber, or one call from a subscriber.",
)

_CDR: Final = shapes(
    "Cdr",
    {
        **own("cdr"),
        "callid": read_only(Text(CALLID_LENGTH)),
        "callerid": read_only(Text()),
        "phone_number": read_only(Text()),
        "starting_date": read_only(Timestamp()),
        "duration": read_only(Integer(), description="Seconds."),
        "billsec": read_only(Integer(), description="Seconds."),
        "call_cost": read_only(Amount()),
        "billed_duration": read_only(Integer(), description="Seconds."),
        "hangup_cause_q850": read_only(Integer(0, CAUSE_MAX)),
        "leg_type": read_only(Choice(LegType)),
        "amd_status": read_only(Integer(0, 3)),
        "callrequest": read_only(Reference("callrequest"), nullable=True),
        "campaign": read_only(Reference("campaigns"), nullable=True),
        "subscriber_id": read_only(Identity()),
        "contact_id": read_only(Identity(), nullable=True),
    },
    read_doc="A call detail record: one leg of a call that has ended.",
)

_SURVEY_RESULT: Final = shapes(
    "SurveyResult",
    {
        **own("survey-result"),
        "campaign": read_only(Reference("campaigns"), nullable=True),
        "callrequest": read_only(Reference("callrequest"), nullable=True),
        "section_id": read_only(Identity()),
        "section_type": read_only(SectionTypeChoice()),
        "question": read_only(Text()),
        "response": read_only(Text()),
        "record_file": read_only(Text()),
        "recording_duration": read_only(Integer(), nullable=True, description="Seconds."),
        "created_date": read_only(Timestamp()),
        "callid": read_only(Text(CALLID_LENGTH)),
    },
    read_doc="A callee's answer to one section in one call, kept when its campaign is deleted. `callid` names its CDR.",
)


CALLREQUESTS = Resource(
    path="callrequest",
    model=CallRequest,
    shapes=_CALL_REQUEST,
    agents_see=own_calls,
    filters=("callid", "phone_number", "status", "attempt", "hangup_cause_q850", "gateway_id"),
    orderings=("starting_date", "phone_number"),
    numbers=("phone_number",),
    is_large=True,
)
CDRS = Resource(
    path="cdr",
    model=Cdr,
    shapes=_CDR,
    agents_see=own_cdrs,
    filters=(
        "callid",
        "callerid",
        "phone_number",
        "hangup_cause_q850",
        "leg_type",
        "amd_status",
        "subscriber_id",
        "contact_id",
    ),
    orderings=("starting_date", "phone_number", "call_cost", "duration"),
    numbers=("phone_number",),
    is_large=True,
    exported=True,
)
SURVEY_RESULTS = Resource(
    path="survey-result",
    model=SurveyResult,
    shapes=_SURVEY_RESULT,
    filters=("callid", "section_id", "section_type", "response"),
    orderings=("created_date",),
    is_large=True,
    exported=True,
)
