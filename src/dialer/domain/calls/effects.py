"""Effects: instructions of the engine, performed by its driver."""

import msgspec

from dialer.domain.billing.charge import Bill
from dialer.domain.calls.circuit_breaker import CircuitBreaker
from dialer.domain.calls.events import CallReceived, TransferReached
from dialer.domain.calls.plans import Call, CallOutcome, Disposition, GatewayKey, LegOutcome, Subscriber, Transfer
from dialer.domain.pacing.inputs import PacingFigures
from dialer.domain.queueing.plans import AgentFigures, AgentPlan, Preview, Supervision
from dialer.domain.words.enums import AgentStatus, CampaignStatus, Cause, SubscriberStatus
from dialer.domain.words.proof import Proof
from dialer.domain.words.reasons import CampaignReason, NoReason, SubscriberReason, TextReason


class ClaimFresh(msgspec.Struct, frozen=True, gc=False):
    """Read up to `limit` PENDING subscribers of a zone that were never called, with ids after `after_id`."""

    campaign_id: int
    zone: str
    after_id: int
    limit: int


class ClaimRetries(msgspec.Struct, frozen=True, gc=False):
    """Read up to `limit` PENDING subscribers of a zone that wait for a retry, due after `(after_due_ms, after_id)`."""

    campaign_id: int
    zone: str
    after_due_ms: int
    after_id: int
    limit: int


class ClaimAgain(msgspec.Struct, frozen=True, gc=False):
    """Read a subscriber who waits for a retry again, because the row may have changed during the call."""

    campaign_id: int
    subscriber: Subscriber


class ClaimOffered(msgspec.Struct, frozen=True, gc=False):
    """Read a subscriber whom an agent previews again, because the row may have changed."""

    campaign_id: int
    agent_id: int
    subscriber: Subscriber


class CountSubscribers(msgspec.Struct, frozen=True, gc=False):
    """Find out whether a campaign has subscribers, and whether any of them is not final."""

    campaign_id: int


class CheckNumber(msgspec.Struct, frozen=True, gc=False):
    """Find out whether a number is on a do-not-call list of a campaign, before a call sends it a text message."""

    call_id: int
    campaign_id: int
    number: str
    text: str


class Dial(msgspec.Struct, frozen=True, gc=False):
    """Place a call. The attempt and its hold are recorded before a real carrier receives the call."""

    call: Call
    next_dial_us: int
    """The time at which the campaign's pacing allows the next dial, in microseconds since the epoch."""
    callerid_turns: dict[str, int] = {}
    """The number of times each caller ID of the group was shown, this time included."""


class HangUp(msgspec.Struct, frozen=True, gc=False):
    """End a call in progress now."""

    call_id: int


class TakeBackCall(msgspec.Struct, frozen=True, gc=False):
    """Record that an attempt was never made: its row is deleted, its hold released, and its subscriber due again."""

    call: Call
    disposition: Disposition


class KeepLine(msgspec.Struct, frozen=True, gc=False):
    """Record why the line of a gateway does not work, or that it works (an empty text)."""

    gateway_id: GatewayKey
    why_down: str


class GiveUpCall(msgspec.Struct, frozen=True, gc=False):
    """End a call or a message without reports for too long, with these outcomes in place of the carrier's."""

    call_id: int
    leg: LegOutcome | None
    outcome: CallOutcome


class FinishCall(msgspec.Struct, frozen=True, gc=False):
    """Record a call that is over: its CDR, its charge, its answers, and the subscriber's next state."""

    call: Call
    outcome: CallOutcome
    bill: Bill
    disposition: Disposition


class CheckText(msgspec.Struct, frozen=True, gc=False):
    """Find out whether a text message that waits may be sent: it is still on record, and on no do-not-call list."""

    gateway_id: GatewayKey
    message_id: int
    campaign_id: int
    number: str


class KeepText(msgspec.Struct, frozen=True, gc=False):
    """Record a text message of a call that waits for room on its gateway."""

    message: Call


class DropText(msgspec.Struct, frozen=True, gc=False):
    """Record that a text message of a call is not sent."""

    call: Call
    """The message that waited, or else the call that asked for one."""
    reason: TextReason
    is_recorded: bool = False
    """True if the record of a message that waited is to be deleted."""


class SendText(msgspec.Struct, frozen=True, gc=False):
    """Send a text message during a call. The message and its hold are recorded before a real carrier receives it."""

    message: Call
    is_recorded: bool = False
    """True for a message that waited: its record as one that waits is to be deleted."""


class FinishText(msgspec.Struct, frozen=True, gc=False):
    """Record the outcome and the charge of a text message that was sent during a call."""

    message: Call
    outcome: CallOutcome
    bill: Bill


class KeepTransfer(msgspec.Struct, frozen=True, gc=False):
    """Record the state of a transfer that is new or has changed."""

    call: Call
    transfer: Transfer


class DialLeg(msgspec.Struct, frozen=True, gc=False):
    """Dial the B-leg of a transfer to a number, at its `started_ms`."""

    call: Call
    transfer: Transfer
    dialled: str
    """The number as the carrier receives it."""


class HoldCall(msgspec.Struct, frozen=True, gc=False):
    """Part a callee from their agent, so that the callee hears music, or connect them again."""

    call_id: int
    is_held: bool


class SuperviseCall(msgspec.Struct, frozen=True, gc=False):
    """Make the supervision of a call what is wanted: call the supervisor, change who hears them, or end it."""

    call_id: int
    agent_id: int
    wanted: Supervision | None
    """None to end it."""
    dialled: str = ""
    """The number of the supervisor's telephone as the carrier receives it."""


class MoveCall(msgspec.Struct, frozen=True, gc=False):
    """End the leg of the agent who talks in a call, and let its callee go on to another transfer."""

    call_id: int
    reached: TransferReached


class WaitForAgent(msgspec.Struct, frozen=True, gc=False):
    """Start the wait of a call in a queue."""

    call_id: int


class OfferCall(msgspec.Struct, frozen=True, gc=False):
    """Ask an agent to take a call that waits."""

    call: Call
    agent: AgentPlan
    offered_ms: int
    dialled: str
    """The number of the agent's telephone as the carrier receives it; empty if there is none."""


class WithdrawOffer(msgspec.Struct, frozen=True, gc=False):
    """Stop asking an agent to take a call: the telephone stops ringing."""

    call_id: int
    agent_id: int


class BridgeCall(msgspec.Struct, frozen=True, gc=False):
    """Connect a call that waits with the agent who took it."""

    call: Call
    transfer: Transfer


class ResumeCall(msgspec.Struct, frozen=True, gc=False):
    """Continue a call after a transfer that reached nobody."""

    call_id: int


class FinishLeg(msgspec.Struct, frozen=True, gc=False):
    """Record a B-leg that is over: its CDR and its charge. `KeepTransfer` records the transfer itself."""

    call: Call
    transfer: Transfer
    outcome: LegOutcome
    bill: Bill


class KeepAgent(msgspec.Struct, frozen=True, gc=False):
    """Record the figures of an agent, a status that the engine changed, and the ends of orders."""

    agent_id: int
    figures: AgentFigures | None
    status: AgentStatus | None = None
    ended_hold_id: int | None = None
    """The call that the agent wanted on hold, and that was resumed without the agent."""
    ended_supervision: int | None = None
    """The number of the supervision that is over."""
    ended_hang_up_id: int | None = None
    """The call that was to be hung up. The order is performed, or came too late."""
    ended_transfer_id: int | None = None
    """The call that was to be transferred. The order is performed, or came too late."""


class KeepPreview(msgspec.Struct, frozen=True, gc=False):
    """Record the person that an agent previews; None for nobody. The agent's last order is deleted."""

    agent_id: int
    preview: Preview | None


class PutBack(msgspec.Struct, frozen=True, gc=False):
    """Record that a subscriber is not called at their turn. They wait until `at_ms`, or become FAIL."""

    campaign_id: int
    subscriber: Subscriber
    at_ms: int
    reason: SubscriberReason | NoReason = ""
    status: SubscriberStatus = SubscriberStatus.PENDING


class OfferPerson(msgspec.Struct, frozen=True, gc=False):
    """Let a simulated agent decide about a person whom they preview. The agents of real lines decide at their desks."""

    gateway_id: GatewayKey
    agent: AgentPlan
    preview: Preview


class KeepQueue(msgspec.Struct, frozen=True, gc=False):
    """Record the agent asked last, and the time since which callers have had no agent. None: unchanged."""

    queue_id: int
    last_agent_id: int | None
    no_agent_from_ms: int | None


class KeepFigures(msgspec.Struct, frozen=True, gc=False):
    """Record the figures that a campaign that dials for agents has measured."""

    campaign_id: int
    figures: PacingFigures


class ExpectCallBack(msgspec.Struct, frozen=True, gc=False):
    """Schedule the call-back of a simulated callee."""

    at_ms: int
    call: Call


class AnswerCall(msgspec.Struct, frozen=True, gc=False):
    """Answer an inbound call."""

    call: Call


class FinishInbound(msgspec.Struct, frozen=True, gc=False):
    """Record an inbound call that is over: its CDR and its answers."""

    call: Call
    outcome: CallOutcome
    bill: Bill


class CompleteSubscriber(msgspec.Struct, frozen=True, gc=False):
    """Record that a subscriber has completed the survey in a call that came in: COMPLETED, if they were PENDING.

    So is whoever has their number in a campaign that calls people of this one again.
    """

    campaign_id: int
    subscriber_id: int
    number: str


class FindCaller(msgspec.Struct, frozen=True, gc=False):
    """Look for the caller of a call that came in among the subscribers of the campaign that answers it."""

    received: CallReceived
    did_id: int
    campaign_id: int
    number: str
    """The caller's number in normal form; empty if it is withheld."""


class TurnAway(msgspec.Struct, frozen=True, gc=False):
    """Refuse an incoming call, with a cause for the caller."""

    gateway_id: GatewayKey
    key: str
    cause: Cause


class RefuseInbound(msgspec.Struct, frozen=True, gc=False):
    """Record an inbound call that is not answered: its CDR."""

    user_id: int
    callid: str
    did_number: str
    subscriber: Subscriber
    cause: Cause = Cause.UNALLOCATED_NUMBER
    gateway_id: GatewayKey | None = None
    """The gateway over which the call came in; 0 for a simulated caller."""


class RefuseSubscriber(msgspec.Struct, frozen=True, gc=False):
    """Record that a subscriber must never be called: NOT_AUTHORIZED, and the reason."""

    campaign_id: int
    subscriber: Subscriber
    reason: SubscriberReason


class MoveCampaign(msgspec.Struct, frozen=True, gc=False):
    """Record a status of a campaign that the engine has changed, and the reason."""

    campaign_id: int
    status: CampaignStatus
    reason: CampaignReason


class KeepBreaker(msgspec.Struct, frozen=True, gc=False):
    """Record the circuit breaker of a gateway."""

    gateway_id: GatewayKey
    breaker: CircuitBreaker


class KeepWish(msgspec.Struct, frozen=True, gc=False):
    """Put the number of a person who asked not to be called on do-not-call lists."""

    user_id: int | None
    """The account whose own list keeps the number; None for the list of the service, which holds for everybody."""
    dnc_id: int | None
    """The first list that the campaign names, which keeps the number, too. None if it names none."""
    number: str
    proof: Proof
    answered_campaign_id: int | None = None
    """The campaign whose text message is answered with the wish, if the carrier reports no answers of its own."""
    is_held: bool = False
    """True if it is held until somebody has looked. Then `user_id` is known, and `dnc_id` is None."""
    is_simulated: bool = False


class WakeDistributor(msgspec.Struct, frozen=True, gc=False):
    """Send `DistributorWoken` at a given time."""

    at_ms: int


class WakeWatchdog(msgspec.Struct, frozen=True, gc=False):
    """Send `WatchdogWoken` at a given time."""

    at_ms: int


class WakeCampaign(msgspec.Struct, frozen=True, gc=False):
    """Send `CampaignWoken` at a given time."""

    at_ms: int
    campaign_id: int


class WakeGateway(msgspec.Struct, frozen=True, gc=False):
    """Send `GatewayWoken` at a given time."""

    at_ms: int
    gateway_id: GatewayKey


Question = (
    ClaimFresh | ClaimRetries | ClaimAgain | ClaimOffered | CountSubscribers | CheckNumber | CheckText | FindCaller
)
"""Effects that the store answers with an event."""
_Kept = KeepText | KeepTransfer | KeepAgent | KeepPreview | KeepQueue | KeepFigures | KeepBreaker | KeepLine | KeepWish
Recorded = (
    _Kept
    | Dial
    | AnswerCall
    | SendText
    | DropText
    | TakeBackCall
    | FinishCall
    | FinishInbound
    | CompleteSubscriber
    | FinishText
    | FinishLeg
    | PutBack
    | ExpectCallBack
    | RefuseInbound
    | RefuseSubscriber
    | MoveCampaign
)
"""Effects that the store records. Some of them the kernel also performs."""
_WakeUp = WakeDistributor | WakeWatchdog | WakeCampaign | WakeGateway
_OfAgents = HoldCall | SuperviseCall | MoveCall | WaitForAgent | OfferCall | OfferPerson | WithdrawOffer | BridgeCall
Command = _WakeUp | _OfAgents | ResumeCall | HangUp | GiveUpCall | DialLeg | TurnAway
"""Effects that the kernel only performs."""
Effect = Question | Recorded | Command
