"""Events: the input of the engine, each with exactly the facts that the engine needs.

A carrier's report about a call has a `seq`, counted from 1 in the order of its reports. A report whose `seq` is not
above that of an earlier report is a repeat and is ignored. `seq` is 0 in reports that this side makes itself.
"""

import msgspec

from dialer.domain.billing.charge import Rate
from dialer.domain.billing.rates import NO_CARD, RateCard
from dialer.domain.calls.circuit_breaker import CircuitBreaker
from dialer.domain.calls.plans import (
    Call,
    CallOutcome,
    CampaignPlan,
    GatewayKey,
    GatewayPlan,
    LegOutcome,
    Lent,
    Subscriber,
)
from dialer.domain.numbers.destinations import EVERYWHERE, Destinations
from dialer.domain.pacing.inputs import PacingFigures
from dialer.domain.queueing.plans import AgentFigures, AgentPlan, LeftEarly, PreviewOrder, QueuePlan
from dialer.domain.words.enums import CampaignStatus
from dialer.domain.words.proof import Proof


class AccountOpened(msgspec.Struct, frozen=True):
    """An owner's account was read: its balance, the amount held, and the rates, of texts for each part."""

    user_id: int
    balance: int
    held: int
    rate: Rate
    sms_rate: int = 0
    card: RateCard = NO_CARD
    """Rates of calls to certain numbers, in place of `rate`."""
    destinations: Destinations = EVERYWHERE
    """The numbers that the account may call."""
    keeps_events: bool = False
    """True if the events of the account are kept for programs outside of the service."""
    region: str | None = None
    """The country of numbers without one (ISO 3166); None if nobody has set it."""


class GatewayOpened(msgspec.Struct, frozen=True):
    """A gateway's limits were read, with the times of its dials of the last second, oldest first."""

    plan: GatewayPlan
    recent_dials_ms: tuple[int, ...] = ()
    breaker: CircuitBreaker = CircuitBreaker()
    """The state of the gateway's circuit breaker."""
    lent: Lent | None = None
    """The part of the limits that this engine may use; None for all. An engine that shares a gateway knows its own
    dials and failures: it reads `recent_dials_ms` and `breaker` only once."""


class CampaignOpened(msgspec.Struct, frozen=True):
    """A campaign was read, for the first time or because its data may have changed.

    `zones` are the zone keys of its PENDING subscribers. Subscribers that the engine claimed before are forgotten.
    """

    plan: CampaignPlan
    status: CampaignStatus
    next_dial_us: int
    zones: tuple[str, ...]
    callerid_turns: dict[str, int] = {}
    """The number of times each caller ID of the group was shown, by area code (`dialer.domain.engine.callerid`)."""
    figures: PacingFigures | None = None
    """The measured figures of a campaign that dials for agents; None if the engine already has them."""


class CampaignClosed(msgspec.Struct, frozen=True):
    """A campaign was removed from the engine: ended, aborted or deleted."""

    campaign_id: int
    is_aborted: bool = False


class CampaignRenewed(msgspec.Struct, frozen=True):
    """The settings of a finished campaign were read while some of its calls are still in progress."""

    plan: CampaignPlan


class CallRestored(msgspec.Struct, frozen=True):
    """A call was found in progress that was dialled before this engine started. Its gateway and account are open."""

    call: Call
    answered_ms: int | None = None
    """The time of the answer, if `CallAnswered` has reported one."""
    is_live: bool = True


class CampaignWoken(msgspec.Struct, frozen=True, gc=False):
    """The time came for a scheduled check of a campaign."""

    campaign_id: int


class GatewayWoken(msgspec.Struct, frozen=True, gc=False):
    """The time came for a scheduled check of a gateway."""

    gateway_id: GatewayKey


class FreshClaimed(msgspec.Struct, frozen=True):
    """Subscribers who were never called were read, in id order; `is_last` when the zone has no more."""

    campaign_id: int
    zone: str
    subscribers: list[Subscriber]
    is_last: bool


class RetriesClaimed(msgspec.Struct, frozen=True):
    """Subscribers who wait for a retry were read, in order of due time; `is_last` when the zone has no more."""

    campaign_id: int
    zone: str
    subscribers: list[Subscriber]
    is_last: bool


class SubscriberClaimedAgain(msgspec.Struct, frozen=True):
    """A subscriber who waits for a retry was read again; None if they no longer wait for one."""

    campaign_id: int
    subscriber: Subscriber | None


class OfferedClaimed(msgspec.Struct, frozen=True):
    """A subscriber whom an agent previews was read again; None if they no longer wait for a call."""

    campaign_id: int
    agent_id: int
    subscriber: Subscriber | None


class PersonDecided(msgspec.Struct, frozen=True, gc=False):
    """A simulated agent has decided about the person whom they preview."""

    agent_id: int
    order: PreviewOrder


class SubscribersCounted(msgspec.Struct, frozen=True):
    """The subscribers of a campaign were counted: `has_open` is true if any of them is not final."""

    campaign_id: int
    has_any: bool
    has_open: bool


class NumberStopped(msgspec.Struct, frozen=True, gc=False):
    """A real or simulated person asked not to be contacted again outside of a call, or perhaps did: `is_held`."""

    user_id: int | None
    """The account that wrote to them; None if nobody knows which one did."""
    dnc_id: int | None
    """The first list that the campaign names that wrote to them last. None if it names none."""
    number: str
    proof: Proof
    is_held: bool = False
    is_simulated: bool = False


class DncReached(msgspec.Struct, frozen=True, gc=False):
    """The callee of a call in progress asked not to be called again."""

    call_id: int
    seq: int = 0
    said: str = ""
    """The keys that led to it, or the text message; empty if nothing was pressed."""
    section_id: int | None = None
    """The section in which the keys were pressed, else the one that was reached."""


class CallAnswered(msgspec.Struct, frozen=True, gc=False):
    """A call that may reach an agent was answered, and detection has finished."""

    call_id: int
    answered_ms: int
    is_live: bool
    seq: int = 0


class TextRequested(msgspec.Struct, frozen=True, gc=False):
    """A call reached a section that sends a text message."""

    call_id: int
    number: str
    text: str
    seq: int = 0


class NumberChecked(msgspec.Struct, frozen=True, gc=False):
    """The number of a text message was looked up in the campaign's do-not-call list."""

    call_id: int
    number: str
    text: str
    is_on_dnc: bool


class TextRestored(msgspec.Struct, frozen=True, gc=False):
    """A text message of a call was found that waits for room on its gateway since before this engine started."""

    message: Call


class TextChecked(msgspec.Struct, frozen=True, gc=False):
    """A waiting text message was checked against the do-not-call lists."""

    gateway_id: GatewayKey
    message_id: int
    is_recorded: bool
    """False if its record is gone, as it is when its person or its campaign was deleted."""
    is_on_dnc: bool


class TransferReached(msgspec.Struct, frozen=True, gc=False):
    """A call reached a transfer to a queue, else to a number."""

    call_id: int
    section_id: int
    queue_id: int | None
    number: str
    answered_ms: int
    seq: int = 0
    from_agent_id: int | None = None
    """The agent who transferred the call at the desk; None for a transfer of the survey."""
    for_agent_id: int | None = None
    """The agent of the queue who is to take it; None for any."""


class CallerLeft(msgspec.Struct, frozen=True, gc=False):
    """A caller gave up waiting in a queue, and stays in the call."""

    call_id: int
    seq: int = 0


class AgentAnswered(msgspec.Struct, frozen=True, gc=False):
    """An agent took the call that they were asked to take at `offered_ms`."""

    call_id: int
    agent_id: int
    offered_ms: int


class AgentMissed(msgspec.Struct, frozen=True, gc=False):
    """The telephone of an agent, who was asked at `offered_ms`, does not take the call: busy, refused or not placed."""

    call_id: int
    agent_id: int
    offered_ms: int


class SupervisionEnded(msgspec.Struct, frozen=True, gc=False):
    """The leg of a supervisor is over: it has hung up, or was not reached."""

    call_id: int
    agent_id: int
    turn: int
    """The number of the supervision of this agent."""


class LegDue(msgspec.Struct, frozen=True, gc=False):
    """The time came to dial the B-leg of a call over a line. The kernel tells the carrier, and not the engine."""

    call_id: int
    place: int
    """The place of its transfer in the call."""
    seq: int = 0


class LegEnded(msgspec.Struct, frozen=True, gc=False):
    """The B-leg of a call ended."""

    call_id: int
    outcome: LegOutcome
    seq: int = 0


class CallMoved(msgspec.Struct, frozen=True, gc=False):
    """The leg of an agent ended because the agent has transferred the call, which goes on to another transfer."""

    call_id: int
    outcome: LegOutcome
    reached: TransferReached


class LineLost(msgspec.Struct, frozen=True, gc=False):
    """The line of a gateway stopped working. Nothing is dialled over the gateway until `LineFound`."""

    gateway_id: GatewayKey
    why: str
    """The reason, as the line says it."""


class LineFound(msgspec.Struct, frozen=True, gc=False):
    """The line of a gateway works again."""

    gateway_id: GatewayKey


class CallTakenBack(msgspec.Struct, frozen=True, gc=False):
    """A call or a message that was decided was certainly never placed."""

    call_id: int


class DistributorWoken(msgspec.Struct, frozen=True, gc=False):
    """The time came for a scheduled check of queues and agents."""


class WatchdogWoken(msgspec.Struct, frozen=True, gc=False):
    """The time came for a scheduled check of the calls in progress."""


class QueueOpened(msgspec.Struct, frozen=True):
    """A queue was read, for the first time or because its data may have changed."""

    plan: QueuePlan
    last_agent_id: int = 0
    left_early: tuple[LeftEarly, ...] = ()
    no_agent_from_ms: int = 0


class AgentOpened(msgspec.Struct, frozen=True):
    """An agent was read, for the first time or because their data may have changed.

    `figures` are None if the engine already has them.
    """

    plan: AgentPlan
    figures: AgentFigures | None = None


class QueueClosed(msgspec.Struct, frozen=True):
    """A queue was deleted. No agent can take the calls that wait in the queue."""

    queue_id: int


class AgentClosed(msgspec.Struct, frozen=True):
    """An agent was deleted."""

    agent_id: int


class DidOpened(msgspec.Struct, frozen=True):
    """An inbound number was read, also as written, with the campaign that answers its calls; None if none can."""

    did_id: int
    user_id: int
    number: str
    plan: CampaignPlan | None = None
    written: str = ""


class DidClosed(msgspec.Struct, frozen=True):
    """An inbound number was deleted."""

    did_id: int


class CallArrived(msgspec.Struct, frozen=True):
    """A callee called back the number that was shown by a call they missed."""

    missed_call_id: int
    user_id: int
    """The owner of the missed call."""
    missed_attempt: int
    did_number: str
    subscriber: Subscriber


class CallReceived(msgspec.Struct, frozen=True):
    """A call came in over the line of a gateway. Its numbers are as the carrier gave them."""

    gateway_id: GatewayKey
    key: str
    """The line's name of the call. It becomes the `callid`."""
    called: str
    caller: str


class CallerFound(msgspec.Struct, frozen=True):
    """The caller of a call that came in was looked for among the subscribers of the campaign that answers it."""

    received: CallReceived
    did_id: int
    caller: Subscriber
    """The subscriber with this number, or else a caller with the id `NO_SUBSCRIBER`."""
    attempt: int
    """The number of the call: a negative one that the subscriber has not had."""


class CallEnded(msgspec.Struct, frozen=True, gc=False):
    """A call ended."""

    call_id: int
    outcome: CallOutcome
    seq: int = 0


Report = DncReached | CallAnswered | TextRequested | TransferReached | CallerLeft | LegEnded | CallEnded
"""The events that a carrier reports about a call."""
_Opened = AccountOpened | GatewayOpened | CampaignOpened | QueueOpened | AgentOpened | DidOpened
_Closed = CampaignClosed | QueueClosed | AgentClosed | DidClosed
_Woken = CampaignWoken | GatewayWoken | DistributorWoken | WatchdogWoken
_Claimed = FreshClaimed | RetriesClaimed | SubscriberClaimedAgain | OfferedClaimed
_OfCampaign = CampaignRenewed | CallRestored | PersonDecided | SubscribersCounted | NumberStopped
_OfText = TextRequested | NumberChecked | TextRestored | TextChecked
_OfAgent = CallerLeft | AgentAnswered | AgentMissed | SupervisionEnded
_OfLine = LegEnded | CallMoved | LineLost | LineFound | CallTakenBack
_OfCall = DncReached | CallAnswered | TransferReached | CallArrived | CallReceived | CallerFound | CallEnded
EngineEvent = _Opened | _Closed | _Woken | _Claimed | _OfCampaign | _OfText | _OfAgent | _OfLine | _OfCall
"""The events that the engine handles."""
Event = EngineEvent | LegDue
