"""What the engine wants done: imperatives, performed by whoever drives it."""

import msgspec

from dialer.domain.billing.charge import Bill
from dialer.domain.circuit_breaker import CircuitBreaker
from dialer.domain.enums import AgentStatus, CampaignStatus
from dialer.domain.pacing.situation import PacingFigures
from dialer.domain.plans import Call, CallOutcome, Disposition, LegOutcome, Subscriber, Transfer
from dialer.domain.queueing.plans import AgentFigures, AgentPlan
from dialer.domain.reasons import CampaignReason, SubscriberReason


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
    """Read a subscriber anew who waits for a retry: what was known of them may have changed during the call."""

    campaign_id: int
    subscriber: Subscriber


class CountSubscribers(msgspec.Struct, frozen=True, gc=False):
    """Find out whether a campaign has subscribers, and any that are not final."""

    campaign_id: int


class CheckNumber(msgspec.Struct, frozen=True, gc=False):
    """Find out whether a number stands on a do-not-call list, to which a call wants to send a text message."""

    call_id: int
    dnc_id: int
    number: str
    text: str


class Dial(msgspec.Struct, frozen=True, gc=False):
    """Place a call. The attempt and its hold are on record before a real carrier hears of it."""

    call: Call
    next_dial_us: int
    """When the campaign's pacing allows the dial after this one."""
    callerid_turns: dict[str, int] = {}
    """How often caller IDs of its group were shown, this time included (`dialer.domain.numbers.callerid`)."""


class HangUp(msgspec.Struct, frozen=True, gc=False):
    """End a call in progress now."""

    call_id: int


class GiveUpCall(msgspec.Struct, frozen=True, gc=False):
    """End a call or a message that nothing was heard of for too long: as these say, for the carrier says nothing."""

    call_id: int
    leg: LegOutcome | None
    outcome: CallOutcome


class FinishCall(msgspec.Struct, frozen=True, gc=False):
    """Record a call that is over: its CDR, its charge, its answers, and what becomes of the subscriber."""

    call: Call
    outcome: CallOutcome
    bill: Bill
    disposition: Disposition


class SendText(msgspec.Struct, frozen=True, gc=False):
    """Send a text message during a call. It and its hold are on record before a real carrier hears of it."""

    message: Call


class FinishText(msgspec.Struct, frozen=True, gc=False):
    """Record what became of such a message: its charge."""

    message: Call
    outcome: CallOutcome
    bill: Bill


class KeepTransfer(msgspec.Struct, frozen=True, gc=False):
    """Record how a transfer stands: it is new, or has changed."""

    call: Call
    transfer: Transfer


class DialLeg(msgspec.Struct, frozen=True, gc=False):
    """Dial the B-leg of a transfer to a number, at its `started_ms`."""

    call: Call
    transfer: Transfer


class WaitForAgent(msgspec.Struct, frozen=True, gc=False):
    """Let a call wait in a queue."""

    call_id: int


class OfferCall(msgspec.Struct, frozen=True, gc=False):
    """Ask an agent to take a call that waits."""

    call: Call
    agent: AgentPlan
    offered_ms: int


class BridgeCall(msgspec.Struct, frozen=True, gc=False):
    """Connect a call that waits with the agent who took it."""

    call: Call
    transfer: Transfer


class ResumeCall(msgspec.Struct, frozen=True, gc=False):
    """Let a call go on that came to a transfer which reached nobody."""

    call_id: int


class FinishLeg(msgspec.Struct, frozen=True, gc=False):
    """Record a B-leg that is over: its CDR and its charge. The transfer itself is kept by `KeepTransfer`."""

    call: Call
    transfer: Transfer
    outcome: LegOutcome
    bill: Bill


class KeepAgent(msgspec.Struct, frozen=True, gc=False):
    """Record what an agent has done so far, and the state they came to by themselves, if they did."""

    agent_id: int
    figures: AgentFigures | None
    status: AgentStatus | None = None


class KeepQueue(msgspec.Struct, frozen=True, gc=False):
    """Record who was asked last, and since when callers have had nobody to wait for; None where that is as before."""

    queue_id: int
    last_agent_id: int | None
    no_agent_from_ms: int | None


class KeepFigures(msgspec.Struct, frozen=True, gc=False):
    """Record what a campaign that is paced by its agents has measured."""

    campaign_id: int
    figures: PacingFigures


class ExpectCallBack(msgspec.Struct, frozen=True, gc=False):
    """A simulated callee is going to call back at a moment."""

    at_ms: int
    call: Call


class AnswerCall(msgspec.Struct, frozen=True, gc=False):
    """Answer a call that came in."""

    call: Call


class FinishInbound(msgspec.Struct, frozen=True, gc=False):
    """Record a call that came in and is over: its CDR and its answers."""

    call: Call
    outcome: CallOutcome
    bill: Bill


class CompleteSubscriber(msgspec.Struct, frozen=True, gc=False):
    """Record that a subscriber has completed the survey in a call that came in: COMPLETED, if they were PENDING."""

    campaign_id: int
    subscriber_id: int


class RefuseInbound(msgspec.Struct, frozen=True, gc=False):
    """Record a call that came in for a number that nobody answers: a CDR with cause 1."""

    user_id: int
    callid: str
    did_number: str
    subscriber: Subscriber


class RefuseSubscriber(msgspec.Struct, frozen=True, gc=False):
    """Record that a subscriber is not to be called at all: NOT_AUTHORIZED, and why."""

    campaign_id: int
    subscriber: Subscriber
    reason: SubscriberReason


class MoveCampaign(msgspec.Struct, frozen=True, gc=False):
    """Record that a campaign has come to another state by itself, and why."""

    campaign_id: int
    status: CampaignStatus
    reason: CampaignReason


class KeepBreaker(msgspec.Struct, frozen=True, gc=False):
    """Record the circuit breaker of a gateway."""

    gateway_id: int
    breaker: CircuitBreaker


class AddToDnc(msgspec.Struct, frozen=True, gc=False):
    """Put a number on a do-not-call list."""

    dnc_id: int
    number: str


class WakeFloor(msgspec.Struct, frozen=True, gc=False):
    """Send `FloorWoken` at a moment."""

    at_ms: int


class WakeWatchdog(msgspec.Struct, frozen=True, gc=False):
    """Send `WatchdogWoken` at a moment."""

    at_ms: int


class WakeCampaign(msgspec.Struct, frozen=True, gc=False):
    """Send `CampaignWoken` at a moment."""

    at_ms: int
    campaign_id: int


class WakeGateway(msgspec.Struct, frozen=True, gc=False):
    """Send `GatewayWoken` at a moment."""

    at_ms: int
    gateway_id: int


Effect = (
    ClaimFresh
    | ClaimRetries
    | ClaimAgain
    | CountSubscribers
    | CheckNumber
    | Dial
    | HangUp
    | GiveUpCall
    | FinishCall
    | SendText
    | FinishText
    | KeepTransfer
    | DialLeg
    | WaitForAgent
    | OfferCall
    | BridgeCall
    | ResumeCall
    | FinishLeg
    | KeepAgent
    | KeepQueue
    | KeepFigures
    | ExpectCallBack
    | AnswerCall
    | FinishInbound
    | CompleteSubscriber
    | RefuseInbound
    | WakeFloor
    | WakeWatchdog
    | RefuseSubscriber
    | MoveCampaign
    | KeepBreaker
    | AddToDnc
    | WakeCampaign
    | WakeGateway
)
