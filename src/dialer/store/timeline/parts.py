"""Parts of a story. Times are in UTC, durations in whole seconds, money is decimal text, references are names."""

from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Final

import msgspec

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


def moment(at_ms: int) -> datetime:
    """Return a time of a row, in milliseconds since the epoch, as a datetime in UTC."""
    return _EPOCH + timedelta(milliseconds=at_ms)


def moment_or_none(at_ms: int | None) -> datetime | None:
    """Return a time of a row as a datetime in UTC; None for null or 0, which mean "not yet"."""
    return moment(at_ms) if at_ms else None


class CampaignStory(msgspec.Struct, frozen=True):
    """The campaign in its current state."""

    id: int
    campaign_code: str
    name: str
    medium: str
    user: str
    currency: str
    """The currency of all costs; empty for that of the service."""
    status: str
    status_reason: str
    startingdate: datetime
    expirationdate: datetime
    maxretry: int
    completion_maxretry: int


class ContactStory(msgspec.Struct, frozen=True):
    """A contact with the number in a phonebook of the campaign."""

    id: int
    contact: str
    full_name: str
    phonebook: str
    created_date: datetime


class DncPart(msgspec.Struct, frozen=True):
    """A do-not-call list of the campaign, and the time since when it has the number; None if it does not."""

    name: str
    since: datetime | None
    is_global: bool
    """True if the list holds for every campaign."""
    keeps_wishes_of: str = ""
    """`account` for the account's own list, `service` for that of the service; else empty."""
    source: str = ""
    """Where the wish comes from (`dialer.domain.words.proof.WishSource`); empty if the list lacks the number."""
    campaign_id: int | None = None
    """The campaign to which the wish was said; None for other sources."""
    callrequest_id: int | None = None
    sms_message_id: int | None = None
    said: str = ""
    """The keys or the words."""


class WindowPart(msgspec.Struct, frozen=True):
    """The calling window: times at which the campaign may call the number."""

    zone: str
    """Zone key that decides when the number may be called (`dialer.domain.calling_times.zones`)."""
    zone_from: str
    """Source of the zone, in words."""
    daily_start_time: str
    daily_stop_time: str
    weekdays: list[str]
    calling_hours: str | None
    """The service's calling hours, such as `08:00-21:00`; None if they do not hold for the campaign's gateway."""
    country_hours: list[str]
    """The calling hours of the countries of the number, with their sources; empty where `calling_hours` is None."""
    is_open: bool
    until: datetime | None
    """Time at which `is_open` changes; None if it never changes, or if the zone is unknown."""


class SubscriberPart(msgspec.Struct, frozen=True):
    """The subscriber of the campaign with the number."""

    id: int
    created_date: datetime
    status: str
    status_reason: str
    count_attempt: int
    waits_for: str
    """Reason why a PENDING subscriber is not called now; empty for others."""
    waits_until: datetime | None


class AnswerPart(msgspec.Struct, frozen=True):
    """The answer of the callee to a section."""

    at: datetime
    question: str
    response: str
    recording: int | None = None
    """Id of the survey result, if the answer was recorded."""
    is_transfer: bool = False
    """True if it says where the section transferred the call."""
    summary: str = ""
    """The words about the conversation of a program that talked."""


class VisitedSection(msgspec.Struct, frozen=True):
    """A section that the call came to, and that has no answer."""

    at: datetime
    """Time at which the call came from a question or a transfer, or was answered; messages in between take longer."""
    section: str
    is_question: bool
    """True if the callee was asked, and nothing that they pressed was an answer."""


class TransferPart(msgspec.Struct, frozen=True):
    """A transfer of the call to an agent or another number."""

    at: datetime
    to: str
    """The queue, such as `queue Sales`, or the number."""
    queue: str
    """Name of the queue; empty for a transfer to a number, and for a queue that was deleted."""
    agent: str
    started: datetime | None
    answered: datetime | None
    ended: datetime | None
    reason: str
    """Reason why the transfer reached nobody, or a third person did not get the callee; empty if it reached
    somebody, or is still open."""
    is_abandoned: bool
    """True if no agent took the call within two seconds of joining the queue, even if one took it later."""
    has_queued: bool
    """True if the call joined a queue."""
    waited: float | None
    """Seconds from joining the queue to the agent, or to the end of the wait. None while it lasts, and without a
    queue."""
    billsec: int
    cost: str


class OrderKind(StrEnum):
    """The orders of agents and supervisors during a call."""

    HELD = "held"
    """The callee was on hold."""
    CONSULTED = "consulted"
    """The agent consulted a third person."""
    LISTENED = "listened"
    """A supervisor heard the call."""
    WHISPERED = "whispered"
    """A supervisor heard the call, and spoke to the agent."""
    JOINED_IN = "joined_in"
    """A supervisor spoke with both."""


class OrderPart(msgspec.Struct, frozen=True):
    """A hold, or a supervisor who heard the call."""

    at: datetime
    kind: OrderKind
    who: str
    """The name of the user who wanted it."""
    seconds: int | None
    """The seconds that it lasted; None if it goes on."""


class OutcomePart(msgspec.Struct, frozen=True):
    """The outcome of the call in the words of its agent."""

    at: datetime
    """The time at which it was saved last."""
    disposition: str
    word: str
    """The campaign's own word for it; empty for the usual one."""
    note: str


class MessagePart(msgspec.Struct, frozen=True):
    """A text message."""

    id: int
    at: datetime
    to: str
    text: str
    parts: int
    status: str
    cost: str


class ReceivedPart(msgspec.Struct, frozen=True):
    """A text message that came in from the person."""

    id: int
    at: datetime
    text: str
    understood: str
    """A member of `Understood`."""
    verdict: str
    """The decision of a user about it; empty until somebody has looked."""
    needs_person: bool
    campaign_id: int | None
    """The campaign that wrote to the number last; None if nobody wrote."""
    sms_message_id: int | None = None
    """The message that it answers."""


class AttemptPart(msgspec.Struct, frozen=True, kw_only=True):
    """An attempt: a call, a call that came in, or a text message."""

    id: int = 0
    """Id of the call request or of the text message."""
    attempt: int
    """Number of the attempt; negative for a call that came in. A simulated callee who calls back has the negative
    number of the call that was missed, and no `dialled_number`."""
    at: datetime
    gateway: str
    callerid: str
    dialled_number: str
    status: str
    status_reason: str
    ended: datetime | None = None
    rang: int | None = None
    answered: datetime | None = None
    """Time of the answer, to the second."""
    amd: str = ""
    """Result of answering machine detection; empty if detection did not run."""
    hangup_cause_q850: int | None = None
    billsec: int = 0
    cost: str
    answers: list[AnswerPart] = []
    sections: list[VisitedSection] = []
    transfers: list[TransferPart] = []
    messages: list[MessagePart] = []
    """Messages sent in the call; in a campaign of text messages, the one that is the attempt."""
    orders: list[OrderPart] = []
    """Holds, and supervisors who heard the call."""
    outcomes: list[OutcomePart] = []
    """The outcome that the agent gave, at most one."""
    wishes: list[DncPart] = []
    """The list that has the number because of what was said in this attempt, at most one."""
    received: list[ReceivedPart] = []
    """Texts of the person that answer this attempt, or came in after it."""
    then: str = ""
    """Words that tell if another attempt follows, and why."""

    @property
    def message_ids(self) -> list[int]:
        """Return the ids of the text messages that were sent."""
        return [message.id for message in self.messages]


class CountedContact(msgspec.Struct, frozen=True):
    """A contact that counts for a rule."""

    at: datetime
    campaign: int | None
    """None if the campaign was deleted."""
    medium: str
    callid: str


class RulePart(msgspec.Struct, frozen=True):
    """A contact rule that is for the person."""

    rule: str
    """The path of its record in the API."""
    row: str
    """The id of a row of law; empty for a rule of the account."""
    name: str
    holds: bool
    """True if it holds the next contact back now."""
    until: datetime | None
    """The moment until which it holds; None if it does not, or if a call in progress decides."""
    counted: list[CountedContact]
    """The contacts that count; none if it does not hold, and would not without the call-back."""
    call_back: datetime | None
    """The call-back to which the person agreed, from which on it holds no more; None without one."""


class ConsentPart(msgspec.Struct, frozen=True):
    """A consent of the person that the account has."""

    id: int
    kind: str
    good: bool
    """True if it is good now, and covers the campaign if that needs a consent."""


class Story(msgspec.Struct, frozen=True):
    """A whole story: the campaign, the number, and its attempts in order."""

    now: datetime
    number: str
    campaign: CampaignStory
    contacts: list[ContactStory]
    dnc: DncPart | None
    """The list among `dnc_lists` that has the number, else the first of them. None without lists."""
    dnc_lists: list[DncPart]
    """All do-not-call lists that hold for the campaign."""
    window: WindowPart | None
    subscriber: SubscriberPart | None
    """None if the number is a contact that is not yet a subscriber, or of a caller who is none."""
    attempts: list[AttemptPart]
    received: list[ReceivedPart] = []
    """Texts of the person to the campaign, as long as it has no attempt with them."""
    purpose: str = ""
    """The purpose of the campaign; empty if it is not said."""
    rules: list[RulePart] = []
    """The contact rules that are for the person, while the campaign is started."""
    consents: list[ConsentPart] = []
    """The consents of the number that the account has."""
