"""What the engine is told about campaigns, gateways, accounts and subscribers: plain values, rebuilt from rows."""

from typing import Final

import msgspec

from dialer.domain.billing.money import Rate
from dialer.domain.enums import (
    AmdBehavior,
    AmdStatus,
    Cause,
    DialMethod,
    MessageStatus,
    SubscriberStatus,
    TransferStatus,
)
from dialer.domain.reasons import NoReason, SubscriberReason, TransferReason
from dialer.domain.survey.callflow import CallFlow
from dialer.domain.survey.survey import Prompt
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
    sms_gateway_id: int | None = None
    """Over what a section sends a text message during a call."""
    max_xfer: int = 0
    """B-legs in progress at once; 0: no limit."""
    dial_method: DialMethod = DialMethod.FIXED_RATE
    strategy: str = ""
    """The name of the pacing strategy, where it is not the one of `dial_method`."""
    agent_dial_rate: float = 1.0
    """Calls for each idle agent."""
    abandon_rate_max: float = 0.03
    """The share of the calls that persons answered which may find no agent in time."""


class GatewayPlan(msgspec.Struct, frozen=True):
    """What a gateway may carry, over all campaigns; 0: no limit."""

    id: int
    max_channels: int = 0
    max_cps: int = 0
    addprefix: str = ""
    removeprefix: str = ""
    """How numbers are written for its carrier (`dialer.domain.numbers.prefixes`)."""


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
    has_completed: bool = False
    """They completed the survey in a call that came in, while an attempt of ours is in progress."""


class Transfer(msgspec.Struct):
    """A call's way to somebody else, over a B-leg: to a number, or through a queue to an agent."""

    place: int
    """1 for the first transfer of the call."""
    section_id: int
    callid: str
    """Of the B-leg."""
    joined_ms: int
    """When the call came to it."""
    rate: Rate
    queue_id: int | None = None
    number: str = ""
    """Whom the B-leg reaches, or is to reach."""
    gateway_id: int = 0
    """What the B-leg goes out over; 0 for an agent of a queue."""
    hold: int = 0
    ring_limit_ms: int = 0
    talk_limit_ms: int = 0
    status: TransferStatus = TransferStatus.WAITING
    reason: TransferReason | NoReason = ""
    """Why nobody was reached; empty if somebody was, or may still be."""
    agent_id: int | None = None
    parameters: str = ""
    """How the agent behaved in a simulation when they took the call."""
    score_from_ms: int = 0
    """0 unless it came into a queue."""
    offers: dict[int, int] = {}
    started_ms: int | None = None
    """When the B-leg was dialled, or its agent asked; a moment to come while the gateway has no room before."""
    answered_ms: int | None = None
    ended_ms: int | None = None
    is_abandoned: bool = False
    """Nobody took it within `ABANDONED_AFTER_MS`."""

    @property
    def has_queued(self) -> bool:
        """Whether it came into a queue: known even when the queue, or its agent, has been deleted since."""
        return self.score_from_ms > 0


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
    dialled: str = ""
    """The number as the carrier is given it: with the gateway's prefixes. Everybody else knows the normal form."""
    amd: int = NO_AMD
    parameters: str | None = None
    """The gateway's parameters at the dial, where they have been changed since."""
    text: str = ""
    """The message as it is sent."""
    parts: int = 0
    """How many parts the message takes; 0 for a call."""
    is_aborted: bool = False
    parent_id: int | None = None
    """The call in which a section sent this message: nothing follows from it for the subscriber."""
    did_id: int | None = None
    """The number that was called, if this call came in; None again if that number has been deleted since."""
    did_number: str = ""
    transfers: tuple[Transfer, ...] = ()
    last_seq: int = 0
    """The `seq` of the last report of the carrier about the call (`dialer.domain.events`)."""

    @property
    def is_inbound(self) -> bool:
        """Whether it came in: then nothing follows from it for the subscriber. Attempts of ours count from 1."""
        return self.attempt < 0


class SectionResult(msgspec.Struct, frozen=True, gc=False):
    """What the callee answered to one section; the last answer of a call counts."""

    section_id: int
    section_type: int
    question: str
    response: str
    at_ms: int
    recording_ms: int | None = None
    """How long the recording is that the section made; `response` is its file's name."""


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
    calls_back_ms: int | None = None
    """When the callee, who missed the call, is going to call back."""


class LegOutcome(msgspec.Struct, frozen=True, gc=False):
    """How a B-leg went, once it is over."""

    ended_ms: int
    cause: Cause
    answered_ms: int | None = None
    is_connected: bool = False
    """The two have talked: it was answered and, where that was asked for, confirmed."""


class Disposition(msgspec.Struct, frozen=True, gc=False):
    """What becomes of a subscriber after an attempt; `due_ms` is 0 unless they are called again."""

    status: SubscriberStatus
    reason: SubscriberReason | NoReason
    failures: int
    completions: int
    due_ms: int = 0


def amd_of(*, voicemail: bool, amd_behavior: AmdBehavior) -> int:
    """The `amd` of a plan, from the two fields of a campaign that say it."""
    return int(amd_behavior) if voicemail else NO_AMD
