"""All records of the day, read from the server at its end, from which every figure is computed again."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from typing import Any, Protocol

import msgspec

from dialer.demo.preparation import Preparation
from dialer.domain.words.enums import CallRequestStatus, Cause
from dialer.domain.words.proof import WishSource
from dialer.local_service.client import Client, Filter, Record


class Counting(Protocol):
    """A source of the API's own counts of records."""

    def count(self, resource: str, **filters: Filter) -> int:
        """Count the records that the filters select."""


class CdrRecord(msgspec.Struct, frozen=True):
    """A call detail record, as the API writes it: times in whole seconds, money as decimal text."""

    id: int
    callid: str
    callerid: str
    phone_number: str
    starting_date: str
    duration: int
    billsec: int
    call_cost: str
    billed_duration: int
    hangup_cause_q850: int
    leg_type: int
    amd_status: int
    subscriber_id: int

    @property
    def is_answered(self) -> bool:
        """True if a person or a machine answered."""
        return self.hangup_cause_q850 == Cause.NORMAL_CLEARING

    @property
    def cost(self) -> Decimal:
        """The charge for the call."""
        return Decimal(self.call_cost)


class AttemptRecord(msgspec.Struct, frozen=True):
    """A call request: one attempt to call one subscriber."""

    callid: str
    attempt: int
    phone_number: str
    status: int
    starting_date: str
    ending_date: str | None

    @property
    def is_answered(self) -> bool:
        """True if it reached a person, or a machine that is played the message."""
        return self.status == CallRequestStatus.SUCCESS


class SubscriberRecord(msgspec.Struct, frozen=True):
    """A number of the campaign, and its state."""

    id: int
    duplicate_contact: str
    status: int
    status_reason: str
    count_attempt: int
    additional_vars: dict[str, Any]


class AnswerRecord(msgspec.Struct, frozen=True):
    """A callee's answer to one section."""

    section_id: int
    section_type: int
    response: str
    created_date: str


class ProgressRecord(msgspec.Struct, frozen=True):
    """The counters of the campaign at a moment of the day."""

    at: str
    calls: int
    answered: int
    cost: Decimal


class Evidence(msgspec.Struct):
    """All data of the report."""

    api: Counting
    prepared: Preparation
    milestones: Sequence[ProgressRecord]
    campaign: Record
    user: Record
    payments: Sequence[Record]
    called_off: Sequence[Record]
    """The entries of do-not-call lists that a pressed key is the proof of, at the end of the day."""
    cdrs: Sequence[CdrRecord]
    cdr_pages: Sequence[Record]
    """The call detail records, read page by page."""
    attempts: Sequence[AttemptRecord]
    subscribers: Sequence[SubscriberRecord]
    answers: Sequence[AnswerRecord]
    statuses: Mapping[int, int]
    """The number of subscribers in each state, as the API filters them."""


def gather(admin: Client, owner: Client, prepared: Preparation, milestones: Sequence[ProgressRecord]) -> Evidence:
    """Read all records of the report: as exports, as pages and as counts."""
    campaign = {"campaign_id": prepared.campaign_id}
    subscribers = owner.export("subscriber-list", SubscriberRecord, **campaign)
    return Evidence(
        api=owner,
        prepared=prepared,
        milestones=milestones,
        campaign=owner.read("campaigns", prepared.campaign_id),
        user=owner.read("users", prepared.user["id"]),
        payments=admin.every_page("payment", user_id=prepared.user["id"]),
        called_off=owner.every_page("dnc-contact", source=WishSource.KEY.value),
        cdrs=owner.export("cdr", CdrRecord, **campaign),
        cdr_pages=owner.every_page("cdr", **campaign),
        attempts=msgspec.convert(owner.every_page("callrequest", **campaign), list[AttemptRecord]),
        subscribers=subscribers,
        answers=owner.export("survey-result", AnswerRecord, **campaign),
        statuses={
            status: len(owner.array("subscriber-list", **campaign, status=status))
            for status in sorted({subscriber.status for subscriber in subscribers})
        },
    )


def moment(text: str) -> datetime:
    """Return a timestamp of the API as a datetime."""
    return datetime.fromisoformat(text)
