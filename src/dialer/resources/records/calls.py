"""The results of campaigns: call attempts, call detail records and answers. Clients only read them."""

from typing import Final

import msgspec
from litestar.openapi.spec import Schema

from dialer.domain.words.enums import AmdStatus, CallRequestStatus, Cause, LegType
from dialer.domain.words.reasons import SUBSCRIBER_REASONS
from dialer.resources.crud.declaration import own, read_only, shapes
from dialer.resources.crud.derived_columns import CURRENCY
from dialer.resources.crud.enumerations import enum_schema, listed
from dialer.resources.crud.fields import Amount, Boolean, Choice, Integer, Text
from dialer.resources.crud.moments import Timestamp
from dialer.resources.crud.references import Identity, Reference
from dialer.resources.crud.resource import ExportedBeside, Resource
from dialer.resources.crud.shapes import Field
from dialer.resources.crud.urls import ID_MAX
from dialer.resources.records.agent_views import own_calls, own_cdrs
from dialer.resources.records.purposes import by_purpose
from dialer.resources.records.sections import SectionTypeChoice
from dialer.resources.records.sound_qualities import SOUND
from dialer.resources.records.tried_campaigns import (
    KEPT_TEST_FIELDS,
    TEST_FIELDS,
    answers_by_test,
    by_test,
    cdrs_by_test,
    tested,
    tested_answers,
    tested_cdrs,
)
from dialer.store.queries.call_names import AnswerNames, CdrNames, names_of_answers, names_of_cdrs
from dialer.store.tables import CallRequest, Cdr, SurveyResult

CALLID_LENGTH: Final = 36
CAUSE_MAX: Final = max(Cause)
ATTEMPT_MAX: Final = 2**31 - 1
"""The largest attempt number. An inbound call has the number of the missed attempt, negated."""

_CAUSES: Final = (
    "The reason for the end of the call, an ITU-T Q.850 cause value; null while the call is in progress. "
    f"{listed({cause.value: cause.description for cause in Cause})}."
)
_REASONS: Final = listed(SUBSCRIBER_REASONS)


class DetectionCode(Integer, frozen=True):
    """The result of answering-machine detection, which lists can be filtered by as by any number."""

    def schema(self) -> Schema:
        """Return the schema: the results, with their names and meanings."""
        return enum_schema(AmdStatus)


def _callid(description: str) -> Field:
    return read_only(Text(CALLID_LENGTH), description, example="5f0c1d9e-8f3b-5a41-9a58-0c6f6f3f8f11")


_CALL_REQUEST: Final = shapes(
    "CallRequest",
    CallRequest,
    {
        **own("callrequest"),
        "callid": _callid("The id of the call, a UUID. The CDR of the A-leg has the same one."),
        "campaign": read_only(Reference("campaigns"), "The campaign that places or answers the call."),
        "subscriber": read_only(
            Reference("subscriber-list"),
            "The subscriber who is called, or who calls; null for a caller who is no subscriber of the campaign.",
            nullable=True,
        ),
        "user": read_only(Reference("users"), "The user who pays for the call.", title="Owner"),
        "gateway_id": read_only(
            Identity(),
            "The id of the gateway over which the call goes. The gateway may have been deleted since.",
            title="Carrier",
        ),
        "attempt": read_only(
            Integer(-ATTEMPT_MAX, ATTEMPT_MAX),
            "The number of the attempt for this subscriber, from 1. It is negative for a call that came in. A"
            " simulated callee who calls back has the number of the missed attempt, negated.",
        ),
        "did": read_only(
            Reference("did"), "The DID that was called; null for a call that the campaign placed.", nullable=True
        ),
        "phone_number": read_only(
            Text(),
            "The number that was called, in normal form: `+` and the country code first, where the country is known."
            " It is the subscriber's, or the DID of a call that came in.",
            example="+12025550100",
            title="Number",
        ),
        "dialled_number": read_only(
            Text(),
            "The number as it was dialled, after the gateway's `removeprefix` and `addprefix`. Of a call that came in,"
            " the DID as the carrier gave it.",
            example="+12025550100",
        ),
        "callerid": read_only(
            Text(),
            "The caller ID that the callee sees. It is empty if a caller withholds it.",
            example="+12025550199",
            title="Caller ID",
        ),
        "status": read_only(Choice(CallRequestStatus), "The state of the call.", example=4, title="State"),
        "status_reason": read_only(
            Text(),
            "The reason why the call reached nobody; empty if it was answered or is in progress. "
            f"Further reasons may be added. {_REASONS}.",
            example="no_answer",
            title="Reason",
        ),
        "starting_date": read_only(Timestamp(column="started_ms"), "The moment at which the call was dialled, in UTC."),
        "ending_date": read_only(
            Timestamp(column="ended_ms"),
            "The moment at which the call ended, in UTC; null while it is in progress.",
            nullable=True,
        ),
        "hangup_cause_q850": read_only(Integer(0, CAUSE_MAX), _CAUSES, nullable=True, example=16),
        **TEST_FIELDS,
    },
    read_doc="One attempt to call one subscriber, or one call that came in.",
)

_CDR: Final = shapes(
    "Cdr",
    Cdr,
    {
        **own("cdr"),
        "callid": _callid("The id of this leg, a UUID. The call request of an A-leg has the same one."),
        "callerid": read_only(
            Text(),
            "The caller ID that the callee saw. It is empty if a caller withheld it.",
            example="+12025550199",
            title="Caller ID",
        ),
        "phone_number": read_only(
            Text(),
            "The number that was called, in normal form. `erased` after the erasure of the person.",
            example="+12025550100",
            title="Number",
        ),
        "starting_date": read_only(Timestamp(), "The moment at which the leg was dialled, in UTC."),
        "duration": read_only(Integer(), "Seconds from the dial to the end, ringing included.", example=18),
        "billsec": read_only(Integer(), "Seconds from the answer to the end; 0 if nobody answered.", example=13),
        "call_cost": read_only(
            Amount(), "The price of the leg with five decimals; 0 if nobody answered.", example="0.02000"
        ),
        "billed_duration": read_only(
            Integer(), "Seconds that were billed: `billsec` rounded up to whole increments of the rate.", example=60
        ),
        "hangup_cause_q850": read_only(Integer(0, CAUSE_MAX), _CAUSES, example=16),
        "leg_type": read_only(Choice(LegType), "The side of the call that the record describes."),
        "amd_status": read_only(
            DetectionCode(0, max(AmdStatus)), "The result of answering-machine detection. 1 also without detection."
        ),
        "callrequest": read_only(
            Reference("callrequest"),
            "The call request to which the leg belongs; null if it was deleted with its campaign.",
            nullable=True,
        ),
        "campaign": read_only(
            Reference("campaigns"), "The campaign that placed the call; null if it was deleted.", nullable=True
        ),
        "subscriber_id": read_only(
            Integer(0, ID_MAX),
            "The id of the subscriber, who may have been deleted since. 0 for a caller who was no subscriber.",
        ),
        "contact_id": read_only(
            Identity(),
            "The id of the subscriber's contact, which may have been deleted since; null for a subscriber without a"
            " contact.",
            nullable=True,
        ),
        "agent_id": read_only(
            Integer(0, ID_MAX),
            "The id of the agent who took the call, of a B-leg. The agent may have been deleted since. 0 for an A-leg"
            " and for a transfer to a number.",
            example=0,
        ),
        "is_abandoned": read_only(
            Boolean(),
            "True if a person answered, and no agent took the call within 2 seconds of joining a queue. The call's"
            " transfers say why, and who took it later. Always false for a B-leg.",
            example=False,
        ),
        "sound": SOUND,
        "currency": CURRENCY,
        **KEPT_TEST_FIELDS,
    },
    read_doc="A call detail record: one leg of a call that has ended.",
)

_SURVEY_RESULT: Final = shapes(
    "SurveyResult",
    SurveyResult,
    {
        **own("survey-result"),
        "campaign": read_only(
            Reference("campaigns"), "The campaign whose survey was played; null if it was deleted.", nullable=True
        ),
        "callrequest": read_only(
            Reference("callrequest"),
            "The call in which the callee answered; null if it was deleted with its campaign.",
            nullable=True,
        ),
        "section_id": read_only(Identity(), "The id of the section template, which may have been deleted since."),
        "section_type": read_only(SectionTypeChoice(), "The type of the section.", example=2),
        "question": read_only(
            Text(),
            "The question of the section, as it was when the campaign started.",
            example="Will you come on Monday?",
            title="Title",
        ),
        "response": read_only(
            Text(),
            "The answer: the label of the pressed key, the digits, the file name of a recording, or the result of a"
            " program that talked (JSON), else the branch that it chose.",
            example="yes",
        ),
        "record_file": read_only(
            Text(),
            "The file name of the recorded answer; empty if the section records nothing.",
            example="5f0c1d9e-8f3b-5a41-9a58-0c6f6f3f8f11-3.wav",
        ),
        "recording_duration": read_only(
            Integer(), "Length of the recorded answer in seconds; null if there is none.", nullable=True, example=7
        ),
        "created_date": read_only(Timestamp(), "The moment of the answer, in UTC.", title="Created"),
        "callid": _callid("The id of the call, a UUID. The CDR of its A-leg has the same one."),
        "summary": read_only(
            Text(),
            "What a program that talked says of the conversation (type 12); empty if it says nothing.",
            example="Wants to be called on Monday.",
        ),
        **KEPT_TEST_FIELDS,
    },
    read_doc="A callee's answer to one section in one call, kept when its campaign is deleted. `callid` names its CDR.",
)

_NAMES: Final = {
    "campaign_name": read_only(Text(), "Name of the campaign; empty if it was deleted.", example="Spring reminders"),
    "phone_number": read_only(Text(), "The number of the call.", example="+12025550100"),
    "contact_number": read_only(Text(), "Number of the subscriber, or of its contact.", example="+12025550100"),
    "disposition": read_only(
        Text(), "The outcome of the call in the words of its agent; empty without one.", example="success"
    ),
    "disposition_note": read_only(Text(), "The agent's note; empty without one.", example="After work."),
    "disposition_word": read_only(
        Text(), "The campaign's own word for the outcome; empty for the usual one.", example="Sold"
    ),
    "contact_name": read_only(Text(), "Name of the subscriber, or of its contact.", example="Ada Byron"),
}
"""Fields that only exports have."""
_CDR_NAMES: Final = ExportedBeside(
    tuple(msgspec.structs.replace(_NAMES[name], name=name) for name in CdrNames._fields),
    lambda unit, ids: list(zip(*names_of_cdrs(unit.connection, ids), strict=True)),
)
_ANSWER_NAMES: Final = ExportedBeside(
    tuple(msgspec.structs.replace(_NAMES[name], name=name) for name in AnswerNames._fields),
    lambda unit, ids: list(zip(*names_of_answers(unit.connection, ids), strict=True)),
)


CALLREQUESTS = Resource(
    path="callrequest",
    shapes=_CALL_REQUEST,
    agents_see=own_calls,
    derived=tested,
    conditions=(by_test(CallRequest.__table__.c.campaign_id),),
    filters=("callid", "phone_number", "status", "attempt", "hangup_cause_q850", "gateway_id"),
    orderings=("starting_date", "phone_number"),
    numbers=("phone_number",),
    is_large=True,
)
CDRS = Resource(
    path="cdr",
    shapes=_CDR,
    agents_see=own_cdrs,
    derived=tested_cdrs,
    conditions=(cdrs_by_test(),),
    filters=(
        "callid",
        "callerid",
        "phone_number",
        "hangup_cause_q850",
        "leg_type",
        "amd_status",
        "subscriber_id",
        "contact_id",
        "agent_id",
        "is_abandoned",
    ),
    asked=(by_purpose(Cdr.__table__.c.campaign_id),),
    orderings=("starting_date", "phone_number", "call_cost", "duration"),
    numbers=("phone_number",),
    is_large=True,
    exported=True,
    exported_beside=_CDR_NAMES,
)
SURVEY_RESULTS = Resource(
    path="survey-result",
    shapes=_SURVEY_RESULT,
    derived=tested_answers,
    conditions=(answers_by_test(),),
    filters=("callid", "section_id", "section_type", "response"),
    orderings=("created_date",),
    is_large=True,
    exported=True,
    exported_beside=_ANSWER_NAMES,
)
