"""Effects on agents and queues: offers, looks at people, supervision."""

import msgspec

from dialer.domain.calls.plans import Call, GatewayKey, Transfer
from dialer.domain.queueing.plans import AgentFigures, AgentPlan, Consultation, Preview, Supervision
from dialer.domain.words.enums import AgentStatus, ConsultationMode
from dialer.domain.words.reasons import BreakCause, NoReason


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


class ConsultThird(msgspec.Struct, frozen=True, gc=False):
    """Dial the leg of a third person whom an agent consults, unless it is dialled already."""

    call: Call
    transfer: Transfer
    dialled: str
    """The number as the carrier receives it."""


class TalkWith(msgspec.Struct, frozen=True, gc=False):
    """Let an agent talk with the third person, with the callee, or with both. The one left out is on hold."""

    call_id: int
    place: int
    """The place of the third person's transfer in the call."""
    mode: ConsultationMode


class EndConsultation(msgspec.Struct, frozen=True, gc=False):
    """End the leg of a third person whom an agent consults."""

    call_id: int
    place: int


class HandOverCallee(msgspec.Struct, frozen=True, gc=False):
    """End the leg of an agent, and let the callee talk with the third person."""

    call_id: int
    place: int


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


class KeepAgent(msgspec.Struct, frozen=True, gc=False):
    """Record the figures of an agent, a status that the engine changed, and the ends of orders."""

    agent_id: int
    figures: AgentFigures | None
    status: AgentStatus | None = None
    break_cause: BreakCause | NoReason = ""
    """The reason why the engine has sent the agent on a break; empty if it is the agent's own doing."""
    ended_hold_id: int | None = None
    """The call that the agent wanted on hold, and that was resumed without the agent."""
    ended_supervision: int | None = None
    """The number of the supervision that is over."""
    ended_hang_up_id: int | None = None
    """The call that was to be hung up. The order is performed, or came too late."""
    ended_transfer_id: int | None = None
    """The call that was to be transferred. The order is performed, or came too late."""
    ended_consultation: int | None = None
    """The number of the consultation that is over."""
    kept_consultation: Consultation | None = None
    """The consultation that goes on as it was, because its hand-over was refused."""
    changes_owing: bool = False
    """True if an agent owes an outcome no more, as the call has come back to a queue, or does so after their talk."""


class KeepPreview(msgspec.Struct, frozen=True, gc=False):
    """Record the person that an agent previews; None for nobody. The agent's last order is deleted."""

    agent_id: int
    preview: Preview | None


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
