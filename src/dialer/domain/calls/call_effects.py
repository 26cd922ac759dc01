"""Effects on calls and their second legs: dial, hang up, move, finish."""

import msgspec

from dialer.domain.billing.charge import Bill
from dialer.domain.calls.call_events import CallReceived, TransferReached
from dialer.domain.calls.disposition import Disposition
from dialer.domain.calls.leg_outcome import LegOutcome
from dialer.domain.calls.plans import Call, CallOutcome, GatewayKey, Subscriber, Transfer
from dialer.domain.words.enums import Cause


class Dial(msgspec.Struct, frozen=True, gc=False):
    """Place a call. The attempt and its hold are recorded before a real carrier receives the call."""

    call: Call
    next_dial_us: int
    """The time at which the campaign's pacing allows the next dial, in microseconds since the epoch."""
    callerid_turns: dict[str, int] = {}
    """The number of times each caller ID of the group was shown, this time included."""


class TapeCall(msgspec.Struct, frozen=True, gc=False):
    """Let the recording of a call become as its `recording_orders` say."""

    call_id: int


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


class MoveCall(msgspec.Struct, frozen=True, gc=False):
    """End the leg of the agent who talks in a call, and let its callee go on to another transfer."""

    call_id: int
    reached: TransferReached


class ResumeCall(msgspec.Struct, frozen=True, gc=False):
    """Continue a call after a transfer that reached nobody."""

    call_id: int


class FinishLeg(msgspec.Struct, frozen=True, gc=False):
    """Record a B-leg that is over: its CDR and its charge. `KeepTransfer` records the transfer itself."""

    call: Call
    transfer: Transfer
    outcome: LegOutcome
    bill: Bill


class AnswerCall(msgspec.Struct, frozen=True, gc=False):
    """Answer an inbound call."""

    call: Call


class FinishInbound(msgspec.Struct, frozen=True, gc=False):
    """Record an inbound call that is over: its CDR and its answers."""

    call: Call
    outcome: CallOutcome
    bill: Bill


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
