"""Events of calls, those that come in too, of their second legs, and of lines."""

import msgspec

from dialer.domain.calls.call_recording import RecordingOrders
from dialer.domain.calls.leg_outcome import LegOutcome
from dialer.domain.calls.plan_parts import SaidCallBack
from dialer.domain.calls.plans import Call, CallOutcome, CampaignPlan, GatewayKey, Subscriber


class CallRestored(msgspec.Struct, frozen=True):
    """A call was found in progress that was dialled before this engine started. Its gateway and account are open."""

    call: Call
    answered_ms: int | None = None
    """The time of the answer, if `CallAnswered` has reported one."""
    is_live: bool = True


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
    place: int | None = None
    """The place of the transfer of a third person, whom an agent consults; None for the leg that has the callee."""


class ThirdAnswered(msgspec.Struct, frozen=True, gc=False):
    """A third person, whom an agent consults during a call, has answered."""

    call_id: int
    place: int
    """The place of the third person's transfer in the call."""
    answered_ms: int
    seq: int = 0


class CalleeHandedOver(msgspec.Struct, frozen=True, gc=False):
    """The leg of an agent ended because the agent has handed the callee over to a third person."""

    call_id: int
    outcome: LegOutcome
    place: int
    """The place of the third person's transfer in the call."""


class HandOverRefused(msgspec.Struct, frozen=True, gc=False):
    """A callee was not handed over to a third person, because the third person cannot talk with them now."""

    call_id: int
    place: int
    """The place of the third person's transfer in the call."""


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


class OutcomeSaid(msgspec.Struct, frozen=True, gc=False):
    """An agent has said the outcome of a call in progress: with a call-back, or without one."""

    call_id: int
    call_back: SaidCallBack | None


class RecordingOrdered(msgspec.Struct, frozen=True, gc=False):
    """Somebody has ordered something about the recording of a call in progress."""

    call_id: int
    orders: RecordingOrders


class CallEnded(msgspec.Struct, frozen=True, gc=False):
    """A call ended."""

    call_id: int
    outcome: CallOutcome
    seq: int = 0
