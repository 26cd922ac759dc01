"""What a story is made of. Moments in UTC, times in whole seconds, money as decimal text, references by name."""

from datetime import UTC, datetime, timedelta
from typing import Final

import msgspec

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


def moment(at_ms: int) -> datetime:
    """A moment of a row."""
    return _EPOCH + timedelta(milliseconds=at_ms)


def moment_or_none(at_ms: int | None) -> datetime | None:
    """The same for one that may not have come; 0 stands for none."""
    return moment(at_ms) if at_ms else None


class CampaignPart(msgspec.Struct, frozen=True):
    """The campaign, as it stands."""

    id: int
    campaign_code: str
    name: str
    medium: str
    user: str
    status: str
    status_reason: str
    startingdate: datetime
    expirationdate: datetime
    maxretry: int
    completion_maxretry: int


class ContactPart(msgspec.Struct, frozen=True):
    """A contact with the number, in one of the campaign's phonebooks."""

    id: int
    contact: str
    full_name: str
    phonebook: str
    created_date: datetime


class DncPart(msgspec.Struct, frozen=True):
    """The campaign's do-not-call list, and since when the number is on it, if it is."""

    name: str
    since: datetime | None


class WindowPart(msgspec.Struct, frozen=True):
    """When the campaign may call the number."""

    zone: str
    """The zone key by which it is judged (`dialer.domain.zones`)."""
    zone_from: str
    """What tells the zone."""
    daily_start_time: str
    daily_stop_time: str
    weekdays: list[str]
    is_open: bool
    until: datetime | None
    """When that changes; None if it does not, or nobody knows the zone."""


class SubscriberPart(msgspec.Struct, frozen=True):
    """The number, as the campaign knows it."""

    id: int
    created_date: datetime
    status: str
    status_reason: str
    count_attempt: int
    waits_for: str
    """Why it is not called now, if it is still to be called."""
    waits_until: datetime | None


class AnswerPart(msgspec.Struct, frozen=True):
    """What was answered to a section."""

    at: datetime
    question: str
    response: str


class TransferPart(msgspec.Struct, frozen=True):
    """A way that the call took to somebody else."""

    at: datetime
    to: str
    """The queue, or the number."""
    agent: str
    started: datetime | None
    answered: datetime | None
    ended: datetime | None
    reason: str
    """Why nobody was reached; empty if somebody was, or may still be."""
    is_abandoned: bool
    billsec: int
    cost: str


class MessagePart(msgspec.Struct, frozen=True):
    """A text message."""

    at: datetime
    to: str
    text: str
    parts: int
    status: str
    cost: str


class AttemptPart(msgspec.Struct, frozen=True, kw_only=True):
    """One attempt: a call, one that came in because another was missed, or a text message."""

    attempt: int
    """Below zero for a call that came in: that of the call which was missed."""
    at: datetime
    gateway: str
    callerid: str
    dialled_number: str
    status: str
    status_reason: str
    ended: datetime | None = None
    rang: int | None = None
    answered: datetime | None = None
    """To the second."""
    amd: str = ""
    """What detection took the callee for, if it listened."""
    hangup_cause_q850: int | None = None
    billsec: int = 0
    cost: str
    answers: list[AnswerPart] = []
    transfers: list[TransferPart] = []
    messages: list[MessagePart] = []
    """Sent in the call; or the message itself, where that is the attempt."""
    then: str = ""
    """Whether another attempt follows, and why."""


class Story(msgspec.Struct, frozen=True):
    """All of it, in the order in which it is told."""

    now: datetime
    number: str
    campaign: CampaignPart
    contacts: list[ContactPart]
    dnc: DncPart | None
    window: WindowPart | None
    subscriber: SubscriberPart | None
    """None for a number that the campaign has not taken in yet."""
    attempts: list[AttemptPart]
