"""What the engine is told about campaigns, gateways, accounts and subscribers: plain values, rebuilt from rows."""

from typing import Final

import msgspec

from dialer.domain.callflow import CallFlow
from dialer.domain.enums import AmdBehavior, AmdStatus, Cause, MessageStatus, SubscriberStatus
from dialer.domain.money import Rate
from dialer.domain.survey import Prompt
from dialer.domain.windows import Calendar

MESSAGES_OUT: Final = frozenset({MessageStatus.SENT, MessageStatus.DELIVERED})
"""What a message is that has left: it is paid for, and needs no further attempt."""
NO_AMD: Final = 0
"""`amd` of a campaign that does not detect answering machines."""


class CallerIdChoice(msgspec.Struct, frozen=True):
    """A caller ID of a group, and the numbers it is for: a prefix of digits, or `*` for any."""

    areacode: str
    callerid_num: str


class CampaignPlan(msgspec.Struct, frozen=True, gc=False):
    """The settings by which a campaign dials. Times in milliseconds, unless the name says seconds."""

    id: int
    user_id: int
    gateway_id: int
    flow: CallFlow
    starting_ms: int
    expires_ms: int
    calendar: Calendar = Calendar()
    service_zone: str = "UTC"
    """Where the clock of a subscriber stands whose zone nothing tells."""
    frequency: int = 10
    """Dials a minute, evenly spaced."""
    max_aleg: int = 0
    """A-legs in progress at once; 0: no limit."""
    ring_limit_ms: int = 45_000
    callmaxduration_s: int = 1_800
    maxretry: int = 0
    intervalretry_ms: int = 300_000
    completion_maxretry: int = 0
    completion_intervalretry_ms: int = 900_000
    callerid: str = ""
    callerids: tuple[CallerIdChoice, ...] = ()
    """The caller-ID group to choose from; where it has none that fits, `callerid` is shown."""
    amd: int = NO_AMD
    """An `AmdBehavior`, or `NO_AMD`."""
    voicemail_prompt: Prompt | None = None
    dnc_id: int | None = None
    text_message: str | None = None
    """What a campaign of text messages sends; None for one that calls."""


class GatewayPlan(msgspec.Struct, frozen=True):
    """What a gateway may carry, over all campaigns; 0: no limit."""

    id: int
    max_channels: int = 0
    max_cps: int = 0


class Subscriber(msgspec.Struct, gc=False):
    """A number that a campaign may call, and what came of it so far."""

    id: int
    number: str
    """Normal form."""
    zone: str
    """A zone key (`dialer.domain.zones`)."""
    contact_id: int | None = None
    attempts: int = 0
    failures: int = 0
    completions: int = 0
    due_ms: int = 0
    """When its retry is due; 0 before the first attempt."""
    is_on_dnc: bool = False
    """Whether it stood on the campaign's do-not-call list when it was claimed."""
    full_name: str = ""
    additional_vars: str = ""
    """JSON text of an object, or empty."""


class Call(msgspec.Struct, gc=False):
    """One attempt in progress, with all that decides what happens in it: a call, or a text message on its way."""

    id: int
    """The call request's id, or the message's."""
    callid: str
    plan: CampaignPlan
    subscriber: Subscriber
    attempt: int
    started_ms: int
    ring_limit_ms: int
    talk_limit_ms: int
    hold: int
    rate: Rate
    """The owner's at the dial: the hold covers the charge, whatever becomes of the owner's rate meanwhile."""
    callerid: str = ""
    amd: int = NO_AMD
    parameters: str | None = None
    """The gateway's parameters at the dial, where they have been changed since."""
    text: str = ""
    """The message as it is sent."""
    parts: int = 0
    """How many parts the message takes; 0 for a call."""
    is_aborted: bool = False


class SectionResult(msgspec.Struct, frozen=True, gc=False):
    """What the callee answered to one section; the last answer of a call counts."""

    section_id: int
    section_type: int
    question: str
    response: str
    at_ms: int


class CallOutcome(msgspec.Struct, frozen=True, gc=False):
    """How a call went, once it is over."""

    ended_ms: int
    cause: Cause
    answered_ms: int | None = None
    amd_status: AmdStatus = AmdStatus.PERSON
    is_refused_machine: bool = False
    """A machine that the campaign does not want to talk to: it counts as not answered."""
    is_completed: bool = False
    """A section marked `completed` was reached."""
    results: tuple[SectionResult, ...] = ()
    message_status: MessageStatus | None = None
    """What became of a text message; None for a call."""
    delivered_ms: int | None = None


class Verdict(msgspec.Struct, frozen=True, gc=False):
    """What becomes of a subscriber after an attempt; `due_ms` is 0 unless they are called again."""

    status: SubscriberStatus
    reason: str
    failures: int
    completions: int
    due_ms: int = 0


class Bill(msgspec.Struct, frozen=True, gc=False):
    """The figures of a CDR: whole seconds, a started one counting; money in integers of 1e-5."""

    duration: int
    billsec: int
    billed_duration: int
    cost: int


def amd_of(*, voicemail: bool, amd_behavior: AmdBehavior) -> int:
    """The `amd` of a plan, from the two fields of a campaign that say it."""
    return int(amd_behavior) if voicemail else NO_AMD


def bill(call: Call, outcome: CallOutcome) -> Bill:
    """What a call comes to. A message costs what was held for it, unless it never went out."""
    if outcome.message_status is not None:
        return Bill(0, 0, 0, call.hold if outcome.message_status in MESSAGES_OUT else 0)
    duration = -(-(outcome.ended_ms - call.started_ms) // 1_000)
    if outcome.answered_ms is None:
        return Bill(duration, 0, 0, 0)
    billsec = -(-(outcome.ended_ms - outcome.answered_ms) // 1_000)
    billed_duration = call.rate.billed_duration(billsec)
    return Bill(duration, billsec, billed_duration, call.rate.cost(billed_duration))
