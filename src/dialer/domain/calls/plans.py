"""Campaigns, gateways, subscribers and calls as the engine sees them: plain values, rebuilt from rows."""

from collections.abc import Mapping
from typing import Any, ClassVar, Final, NamedTuple

import msgspec

from dialer.domain.billing.charge import Rate
from dialer.domain.calling_times.calendars import Calendar
from dialer.domain.calls.agent_access import NO_ACCESS, AgentAccess
from dialer.domain.calls.call_recording import (
    NO_ORDERS,
    NOT_RECORDED,
    RecordingOrders,
    RecordingPlan,
    SoundStore,
    TapeState,
)
from dialer.domain.calls.consents import ConsentSpan
from dialer.domain.calls.contact_rules import HeldSpan, RuledCampaign
from dialer.domain.calls.plan_parts import CallerIdChoice, SaidCallBack, SectionResult
from dialer.domain.calls.sound_quality import SoundQuality
from dialer.domain.pacing.inputs import ABANDON_HOURS, FIRST_ANSWERS
from dialer.domain.queueing.plans import HoldSound, Promise
from dialer.domain.survey.callflow import CallFlow
from dialer.domain.survey.heard import HeardInput
from dialer.domain.survey.survey import Prompt
from dialer.domain.words.enums import (
    AmdBehavior,
    AmdSensitivity,
    AmdStatus,
    Cause,
    Consulted,
    DialMethod,
    MessageStatus,
    TransferStatus,
)
from dialer.domain.words.reasons import NoReason, TransferReason

VOICE: Final = "voice"
"""The medium of calls."""
SMS: Final = "sms"
"""The medium of text messages."""
MESSAGES_OUT: Final = frozenset({MessageStatus.SENT, MessageStatus.DELIVERED})
"""Statuses of a message that was sent: it is charged, and needs no further attempt."""
SIMULATED: Final = "sim"
"""The protocol of gateways whose callees are simulated."""
SIP: Final = "sip"
"""The protocol of gateways whose carrier takes calls over SIP."""
FREESWITCH: Final = "freeswitch"
"""The protocol of gateways whose calls a FreeSWITCH places."""
HTTP: Final = "http"
"""The protocol of gateways whose carrier takes text messages over HTTP, in its own words."""
KANNEL: Final = "kannel"
"""The protocol of gateways whose carrier is a Kannel gateway."""
SMPP: Final = "smpp"
"""The protocol of gateways whose carrier takes text messages over SMPP."""
NO_SUBSCRIBER: Final = 0
"""The id of a caller who is no subscriber of the campaign that answers."""
ANY_AGENT: Final = 0
"""In place of the id of an agent: any who is free."""
NO_AMD: Final = 0
"""The `amd` of a campaign that does not detect answering machines."""


class GatewayKey(NamedTuple):
    """The identity of a gateway. Gateways for calls and gateways for text messages are numbered separately."""

    medium: str
    """`VOICE` or `SMS`."""
    id: int

    def columns(self) -> dict[str, Any]:
        """Return the key by the names of its columns in rows, and of its fields in logs."""
        return {"medium": self.medium, "gateway_id": self.id}

    def __str__(self) -> str:
        """Return the id of a gateway for calls, such as `3`, or `sms:3` for a gateway for text messages."""
        return str(self.id) if self.medium == VOICE else f"{self.medium}:{self.id}"

    def __lt__(self, other: tuple[Any, ...]) -> bool:
        """Return whether a gateway comes first. Gateways for calls do, so what is due at one moment has an order."""
        return (self.medium != VOICE, self.id) < (other[0] != VOICE, other[1])


def id_or_0(gateway: GatewayKey | None) -> int:
    """Return the id of a gateway as rows have it; 0 for none."""
    return 0 if gateway is None else gateway.id


def gateway_named(text: str) -> GatewayKey:
    """Return the gateway whose key is `text`: the reverse of `str`."""
    medium, _, number = text.rpartition(":")
    return GatewayKey(medium or VOICE, int(number))


class CampaignPlan(msgspec.Struct, frozen=True, gc=False):
    """The settings by which a campaign dials. Times are in milliseconds, unless the name says seconds."""

    columns_of_plan: ClassVar[Mapping[str, str]] = {"ring_limit_ms": "calltimeout", "preview_ms": "preview_seconds"}
    """The columns that have other names than their fields (`dialer.domain.calls.plan_settings`)."""

    id: int
    user_id: int
    gateway_id: GatewayKey
    flow: CallFlow
    starting_ms: int
    expires_ms: int
    calendar: Calendar = Calendar()
    service_zone: str = "UTC"
    """The time zone of subscribers whose own zone is not known."""
    frequency: int = 10
    """Dials per minute, evenly spaced."""
    max_aleg: int = 0  # Maximum number of A-legs in progress; 0: no limit.
    ring_limit_ms: int = 45_000
    callmaxduration_s: int = 1_800
    maxretry: int = 0
    intervalretry_ms: int = 300_000
    carrier_maxretry: int = 0
    completion_maxretry: int = 0
    completion_intervalretry_ms: int = 900_000
    abandoned_maxretry: int = 0
    abandoned_intervalretry_ms: int = 259_200_000
    callerid: str = ""
    callerids: tuple[CallerIdChoice, ...] = ()
    """The caller-ID group to choose from; without a match, `callerid` is shown."""
    amd: int = NO_AMD
    """An `AmdBehavior`, or `NO_AMD`."""
    amd_sensitivity: AmdSensitivity = AmdSensitivity.BALANCED
    voicemail_prompt: Prompt | None = None
    hold_sounds: tuple[HoldSound, ...] = ()
    """The music of the queues that its calls may reach. In other queues, callees hear the line's own."""
    machine_is_reached: bool = False
    """True if a message that an answering machine has heard to its end is enough."""
    dnc_id: int | None = None
    """The first list that the campaign names. It keeps wishes not to be called, as the account's own list does."""
    dnc_ids: tuple[int, ...] = ()
    """All lists that hold for it: those named, its account's own, those of all; also as `lists_of_wish` names them."""
    is_simulated: bool = False
    """True if its gateway is simulated, so that the wishes of simulated people hold for it."""
    source_campaign_id: int | None = None  # The campaign whose people this one calls again.
    trial_of_id: int | None = None
    text_message: str | None = None
    """The template of a campaign that sends text messages; None for a campaign that calls."""
    sms_gateway_id: GatewayKey | None = None
    """The gateway for text messages that a section sends during a call."""
    max_xfer: int = 0  # Maximum number of B-legs in progress; 0: no limit.
    dial_method: DialMethod = DialMethod.FIXED_RATE
    strategy: str = ""  # The name of the pacing strategy, if it is not the one of `dial_method`.
    agent_dial_rate: float = 1.0  # Calls for each idle agent.
    abandon_rate_max: float = 0.03
    """The share of the calls answered by persons that may be abandoned."""
    abandon_hours: int = ABANDON_HOURS  # The length of each period with a budget of its own.
    first_answers: int = FIRST_ANSWERS  # Each period's budget is at least that of so many answers.
    preview_ms: int = 60_000
    """The time that an agent has to call or skip a person whom they preview."""
    preview_calls: bool = False
    """True if the person is called when that time is over; false if the person waits, and the agent goes on a break."""
    recording: RecordingPlan = NOT_RECORDED
    agents: AgentAccess = NO_ACCESS
    """The access of the programs that talk in its calls."""
    ruled: RuledCampaign | None = None  # Its contact rules and the consent that it needs; None without.
    end_when_done: bool = True
    """False keeps the campaign open until it expires, although nobody is left to call."""


class GatewayPlan(msgspec.Struct, frozen=True):
    """The limits of a gateway, over all campaigns (0: no limit), and its prefixes."""

    id: GatewayKey
    max_channels: int = 0
    max_cps: int = 0
    addprefix: str = ""
    removeprefix: str = ""
    """Prefixes to remove from numbers for the carrier (`dialer.domain.numbers.prefixes`)."""
    protocol: str = SIMULATED
    """The kind of its carrier."""
    hours: Calendar | None = None
    """The service's calling hours (`domain/calling_times/calling_hours.py`); None if calls are allowed at any hour."""

    @property
    def is_simulated(self) -> bool:
        """Return whether no person is called over the gateway."""
        return self.protocol == SIMULATED


class Lent(NamedTuple):
    """The part of a gateway's limits that this engine may use, where several workers share the gateway."""

    channels: int
    """Calls in progress; 0 for none at present. A limit that the gateway does not have is ignored, as for `cps`."""
    cps: int


NOTHING_LENT: Final = Lent(0, 0)


class Subscriber(msgspec.Struct, gc=False):
    """A number that a campaign may call, with the history of its attempts."""

    id: int
    """`NO_SUBSCRIBER` for a caller whom the campaign does not know."""
    number: str
    """Normal form. Empty for a caller who withholds it."""
    zone: str
    """A zone key (`dialer.domain.calling_times.zones`)."""
    contact_id: int | None = None
    attempts: int = 0
    failures: int = 0
    completions: int = 0
    skips: int = 0
    """Number of times an agent previewed the subscriber and did not want to call."""
    due_ms: int = 0
    """The time at which the retry is due; 0 before the first attempt."""
    is_on_dnc: bool = False
    """True if the number was on one of the campaign's do-not-call lists when the subscriber was claimed."""
    is_held: bool = False
    """True if that list has only numbers that are held until somebody has looked at a text message."""
    full_name: str = ""
    additional_vars: str = ""
    """JSON text of an object, or empty."""
    has_completed: bool = False
    """They completed the survey in a call that came in, while an attempt of ours is in progress."""
    phonebook_id: int | None = None
    """The phonebook from which the subscriber came."""
    promised_agent_id: int | None = None
    """The agent who wants to take the call-back for which the subscriber waits; None for any agent."""
    promised_until_ms: int = 0
    """The time from which any agent may take it."""
    abandoned: int = 0
    """Number of calls that followed one that no agent took in time. An agent is kept for each of them."""
    held: tuple[HeldSpan, ...] = ()  # The times in which contact rules hold them back, as they were read.
    consents: tuple[ConsentSpan, ...] | None = None  # Those that cover the campaign; None if it needs none.
    read_at: int = 0  # The place of that read in the order of contacts (`dialer.domain.engine.recent_contacts`).

    def promise_at(self, now_ms: int) -> Promise | None:
        """Return the promise that holds for a call at a moment; None if any agent may take it."""
        if self.promised_agent_id is None or not self.due_ms or now_ms >= self.promised_until_ms:
            return None
        return Promise(self.promised_agent_id, self.promised_until_ms)

    def awaits(self, now_ms: int) -> int | None:
        """Return the agent who must be free for a call at a moment: `ANY_AGENT` for any; None if none must be."""
        promise = self.promise_at(now_ms)
        if promise is not None:
            return promise.agent_id
        return ANY_AGENT if self.abandoned else None


class Transfer(msgspec.Struct):
    """A transfer of a call over a B-leg: to a number, or through a queue to an agent."""

    place: int
    """1 for the first transfer of the call."""
    section_id: int
    callid: str
    """The `callid` of the B-leg."""
    joined_ms: int
    """The time at which the call reached the transfer."""
    rate: Rate
    queue_id: int | None = None
    number: str = ""
    """The number or agent that the B-leg reaches, or is to reach."""
    gateway_id: GatewayKey | None = None
    """The gateway of the B-leg; None for an agent of a queue."""
    hold: int = 0
    ring_limit_ms: int = 0
    talk_limit_ms: int = 0
    status: TransferStatus = TransferStatus.WAITING
    reason: TransferReason | NoReason = ""
    """The reason why nobody was reached; empty if the transfer succeeded or is still in progress."""
    agent_id: int | None = None
    parameters: str = ""
    """The agent's behaviour in a simulation when they took the call."""
    score_from_ms: int = 0
    """0 unless the call joined a queue."""
    offers: dict[int, int] = {}
    started_ms: int | None = None
    """The time at which the B-leg was dialled or its agent asked; in the future while the gateway has no room."""
    answered_ms: int | None = None
    ended_ms: int | None = None
    is_abandoned: bool = False
    """True if no agent took the call within `ABANDONED_AFTER_MS`."""
    on_hold_from_ms: int | None = None
    """The time since which the agent has the callee on hold; None if they talk."""
    on_hold_ms: int = 0
    """The length of the holds that are over."""
    from_agent_id: int | None = None
    """The agent who transferred the call at the desk; None for a transfer of the survey."""
    for_agent_id: int | None = None
    """The agent of the queue who is to take it; None for any. If it is the former agent, the call came back."""
    consulted: Consulted = Consulted.NOT
    recorded_ms: int | None = None
    """The time from which its queue wants the call recorded, which nothing else does; None if it does not."""

    @property
    def comes_back(self) -> bool:
        """Return whether the callee comes back to the queue of the agent who transferred the call, if it fails."""
        return self.from_agent_id is not None and self.for_agent_id != self.from_agent_id

    @property
    def is_talk(self) -> bool:
        """Return whether an agent talks in the call now."""
        return self.has_queued and self.status is TransferStatus.CONNECTED

    @property
    def has_queued(self) -> bool:
        """Return whether the call joined a queue, even if the queue or its agent has been deleted since."""
        return self.score_from_ms > 0


class Call(msgspec.Struct, gc=False):
    """One attempt in progress, with all facts that decide its course: a call, or a text message on its way."""

    id: int
    """The id of the call request or of the message."""
    callid: str
    plan: CampaignPlan
    subscriber: Subscriber
    attempt: int
    started_ms: int
    ring_limit_ms: int
    talk_limit_ms: int
    hold: int
    rate: Rate
    """The owner's rate at the dial. The hold covers the charge, even if the owner's rate changes during the call."""
    callerid: str = ""
    dialled: str = ""
    """The number as the carrier receives it, with the gateway's prefixes. Everywhere else the normal form is used."""
    amd: int = NO_AMD
    parameters: str | None = None
    """The gateway's parameters at the dial, if they have changed since."""
    text: str = ""
    """The message as it is sent."""
    parts: int = 0
    """Number of parts of the message; 0 for a call."""
    is_aborted: bool = False
    parent_id: int | None = None
    """The call in which a section sent this message. The message changes nothing for the subscriber."""
    did_id: int | None = None
    """The called number of an inbound call; None again if that number has been deleted since."""
    did_number: str = ""
    is_over_line: bool = False
    """True if a real carrier has the call, which makes its recordings itself."""
    is_simulated: bool = False
    """True if its gateway was simulated when it was placed."""
    sound_store: SoundStore | None = None
    """The place of its recording, of a call over a real line that is, or may be, recorded."""
    recording_orders: RecordingOrders = NO_ORDERS
    """The orders about its recording since its start."""
    is_restored: bool = False
    """True if the call was placed before this engine was built."""
    transfers: tuple[Transfer, ...] = ()
    last_seq: int = 0
    """The `seq` of the carrier's last report about the call (`dialer.domain.calls.events`)."""
    has_kept_wish: bool = False
    """True if a wish not to be called was uttered in the call, and is on record."""
    has_outcome: bool = False  # True if an agent has said the outcome of the call.
    call_back: SaidCallBack | None = None
    """The call-back that an agent has promised in the call; None without one."""
    consent_id: int | None = None  # The consent on which the dial relied; None if it needed none.

    @property
    def is_inbound(self) -> bool:
        """Return whether the call is inbound and changes nothing for the subscriber. Outbound attempts count from 1."""
        return self.attempt < 0

    @property
    def tape_at_dial(self) -> TapeState | None:
        """Return the state of its recording with which the call began; None if it is never recorded."""
        if self.sound_store is not None:
            return self.sound_store.state
        if self.is_over_line:
            return None
        # A recording that an agent's answer has begun goes on, though another process may read other settings.
        is_begun = any(one.recorded_ms is not None for one in self.transfers)
        return self.plan.recording.state_at_dial(self.callid) or (TapeState.FOR_AGENT if is_begun else None)

    @property
    def recording_by_now(self) -> RecordingOrders:
        """Return the orders about its recording, which the answer of an agent may begin, too."""
        return self.recording_orders.begun([one.recorded_ms for one in self.transfers], self.started_ms)

    def recording_began_ms(self, answered_ms: int) -> int:
        """Return the time at which the recording of a call began that was answered at a time."""
        began_ms = self.recording_by_now.began_ms
        return answered_ms if began_ms is None else max(answered_ms, self.started_ms + began_ms)

    @property
    def promise(self) -> Promise | None:
        """Return the promise for which the call was placed; None if it was placed for any agent."""
        if self.subscriber.promised_agent_id is None or self.is_inbound or self.parent_id is not None:
            return None
        return self.subscriber.promise_at(self.started_ms)

    @property
    def has_agent(self) -> bool:
        """Return whether an agent is kept for the call, so that it is no call for the others."""
        is_kept = self.subscriber.abandoned > 0 and self.attempt > 0 and self.parent_id is None
        return is_kept or self.promise is not None

    @property
    def takes_channel(self) -> bool:
        """Return whether the call takes a channel of its gateway, as all but those of simulated callers do."""
        return self.attempt > 0 or self.is_over_line


class CallOutcome(msgspec.Struct, frozen=True, gc=False):
    """The outcome of a call that is over."""

    ended_ms: int
    cause: Cause
    answered_ms: int | None = None
    amd_status: AmdStatus = AmdStatus.PERSON
    is_refused_machine: bool = False
    """True if an answering machine was refused: the call counts as not answered."""
    is_completed: bool = False
    """True if a person reached a section marked `completed`."""
    results: tuple[SectionResult, ...] = ()
    message_status: MessageStatus | None = None
    """The status of a text message; None for a call."""
    delivered_ms: int | None = None
    calls_back_ms: int | None = None
    """The time at which the callee, who missed the call, is going to call back."""
    signalled_ms: int | None = None
    """The time of the network's first signal after the dial: ringing, busy or a failure. None if it is unknown."""
    is_cut_off: bool = False
    """True if we ended the call ourselves, because nobody could say what had become of it."""
    heard: tuple[HeardInput, ...] = ()
    """The inputs of the callee in the survey, in their order."""
    silences: tuple[int, ...] = ()
    """As those of `dialer.domain.calls.call_recording.RecordingOrders`: those of sections."""
    is_recording_refused: bool = False
    """True if the callee refused to be recorded, or could not be told that the call is."""
    is_message_left: bool = False
    """True if an answering machine has heard the message for machines, or the survey, to its end."""
    retry_after_ms: int = 0
    """The time for which the other side wants no other attempt; 0 if it asks for none."""
    sound: SoundQuality | None = None
    """The quality of its sound; None if nobody measured it."""

    @property
    def is_live(self) -> bool:
        """Return whether a person answered the call, as far as detection can tell."""
        return self.answered_ms is not None and self.amd_status is not AmdStatus.MACHINE


def amd_of(*, voicemail: bool, amd_behavior: AmdBehavior) -> int:
    """Return the `amd` of a plan, from the two fields of a campaign that define it."""
    return int(amd_behavior) if voicemail else NO_AMD
