"""A small campaign in the form of API responses: three callees, five calls, two answers."""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any, Final

import msgspec

from dialer.demo.evidence import AnswerRecord, AttemptRecord, CdrRecord, Evidence, ProgressRecord, SubscriberRecord
from dialer.demo.preparation import Preparation
from dialer.demo.survey import DemoSurvey
from dialer.local_service.client import Filter, Record

LONDON: Final = "+442079460140"
SYDNEY: Final = "+61255501200"
BERLIN: Final = "+493023125120"
SURVEY: Final = DemoSurvey(
    id=1,
    sections={"welcome": 1, "departure": 2, "rating": 3, "travellers": 4, "thanks": 5, "cancelled": 6, "called off": 7},
    branches=11,
)


def _call(
    call_id: int, number: str, began: str, ended: str, *, cause: int, billsec: int = 0, detected: int = 1
) -> Mapping[str, Any]:
    """Return a CDR together with its call request; `began` and `ended` are times of day."""
    minutes = -(-billsec // 60)
    return {
        "id": call_id,
        "callid": f"call-{call_id}",
        "callerid": "+442079460000",
        "phone_number": number,
        "starting_date": f"2026-11-16T{began}Z",
        "ending_date": f"2026-11-16T{ended}Z",
        "duration": billsec + 10,
        "billsec": billsec,
        "call_cost": f"{Decimal('0.045') * minutes:.5f}",
        "billed_duration": 60 * minutes,
        "hangup_cause_q850": cause,
        "leg_type": 1,
        "amd_status": detected,
        "status": 4 if cause == 16 else 2,
        "campaign_id": 1,
    }


CALLS: Final = (
    {**_call(1, SYDNEY, "00:00:00", "00:00:25", cause=19), "subscriber_id": 2, "attempt": 1},
    {**_call(2, SYDNEY, "01:15:25", "01:15:44", cause=16, billsec=9, detected=2), "subscriber_id": 2, "attempt": 2},
    {**_call(3, LONDON, "09:00:00", "09:01:15", cause=16, billsec=61), "subscriber_id": 1, "attempt": 1},
    {**_call(4, BERLIN, "09:00:06", "09:00:09", cause=17), "subscriber_id": 3, "attempt": 1},
    {**_call(5, BERLIN, "10:15:09", "10:15:34", cause=19), "subscriber_id": 3, "attempt": 2},
)
ANSWERS: Final = (
    {
        "campaign_id": 1,
        "section_id": 2,
        "section_type": 2,
        "response": "leaves as booked",
        "created_date": "2026-11-16T09:00:31Z",
    },
    {
        "campaign_id": 1,
        "section_id": 3,
        "section_type": 3,
        "response": "5",
        "created_date": "2026-11-16T09:00:42Z",
    },
)
SUBSCRIBERS: Final = (
    {"id": 1, "duplicate_contact": LONDON, "status": 8, "status_reason": "", "count_attempt": 1},
    {"id": 2, "duplicate_contact": SYDNEY, "status": 5, "status_reason": "", "count_attempt": 2},
    {"id": 3, "duplicate_contact": BERLIN, "status": 1, "status_reason": "no_answer", "count_attempt": 2},
)
COUNTRIES: Final = {LONDON: "United Kingdom", SYDNEY: "Australia", BERLIN: "Germany"}


class FakeApi:
    """A fake API that counts the records of the example. It compares timestamps as text, because all have one form."""

    def __init__(self, resources: Mapping[str, Sequence[Mapping[str, Any]]]) -> None:
        self._resources = resources

    def count(self, resource: str, **filters: Filter) -> int:
        """Return the number of records that the filters select."""
        return sum(
            all(_selects(record, name, value) for name, value in filters.items())
            for record in self._resources[resource]
        )


def _selects(record: Mapping[str, Any], name: str, value: Filter) -> bool:
    if name.endswith("_after"):
        return bool(record[name.removesuffix("_after")] >= value)
    if name.endswith("_before"):
        return bool(record[name.removesuffix("_before")] <= value)
    return bool(record[name] == value)


def example(**changes: object) -> Evidence:
    """Return the evidence of the example, with some of it replaced."""
    subscribers = [
        {**one, "additional_vars": {"country": COUNTRIES[str(one["duplicate_contact"])], "city": ""}}
        for one in SUBSCRIBERS
    ]
    evidence = Evidence(
        api=FakeApi({"cdr": CALLS, "callrequest": CALLS, "survey-result": ANSWERS}),
        prepared=_prepared(),
        milestones=[
            ProgressRecord("2026-11-16T09:01:00Z", calls=4, answered=1, cost=Decimal("0.045")),
            ProgressRecord("2026-11-16T22:10:00Z", calls=5, answered=2, cost=Decimal("0.135")),
        ],
        campaign={
            "calls": 5,
            "answered": 2,
            "completed": 1,
            "totalcontact": 3,
            "cost": "0.13500",
            "status": 4,
            "status_reason": "expired",
        },
        user={"balance": Decimal("249.86500"), "call_rate": Decimal("0.04500")},
        payments=[{"amount": "250.00000"}],
        called_off=[],
        cdrs=msgspec.convert(CALLS, list[CdrRecord]),
        cdr_pages=[dict(call) for call in CALLS],
        attempts=msgspec.convert(CALLS, list[AttemptRecord]),
        subscribers=msgspec.convert(subscribers, list[SubscriberRecord]),
        answers=msgspec.convert(ANSWERS, list[AnswerRecord]),
        statuses={1: 1, 5: 1, 8: 1},
    )
    return msgspec.structs.replace(evidence, **changes)


def _prepared() -> Preparation:
    report: Record = {"imported": 0, "duplicates": 0, "rejected": 0, "errors": []}
    return Preparation(
        user={"id": 2},
        payment={},
        gateway={},
        campaign={"id": 1},
        phonebook_id=1,
        dnc_id=1,
        survey=SURVEY,
        contacts=report,
        called_off=report,
    )
