"""CallPlacer: the interface through which the kernel places calls."""

from collections.abc import Sequence
from enum import Enum, auto
from typing import NamedTuple, Protocol

import msgspec

from dialer.domain.calls import call_events, events
from dialer.domain.calls.leg_outcome import LegOutcome
from dialer.domain.calls.plans import Call, CallOutcome, GatewayKey, Transfer
from dialer.domain.queueing.plans import AgentPlan, DeskAction, Preview, Supervision
from dialer.domain.words.enums import Cause, ConsultationMode


class Milestone(msgspec.Struct, frozen=True, gc=False):
    """Moment of a call that the engine must know of, and its event."""

    at_ms: int
    event: events.Report | call_events.LegDue


class Taken(NamedTuple):
    """The result of `CallPlacer.take_up`: the event that tells the engine of a call that was already in progress.

    `milestone` is the call's next milestone. It is None if the carrier does not know it yet.
    """

    restored: call_events.CallRestored
    milestone: Milestone | None


class Decision(NamedTuple):
    """The decision of a simulated agent about a person whom they see before the call, and its time."""

    at_ms: int
    action: DeskAction


class NoHandOver(Enum):
    """The reason why a carrier does not hand a callee over to a third person now."""

    REFUSED = auto()
    """No third person can take the callee."""
    LATER = auto()
    """After a restart, the line has not said yet whether the third person is there. `ThirdAnswered` says so then."""


class CallPlacer(Protocol):
    """Carrier that places the calls of its gateways.

    A carrier knows the future of a call, or it says None: the engine will then be told what happens.
    """

    def open_gateway(self, gateway_id: GatewayKey, parameters: str) -> None:
        """Set the parameters of a gateway, a JSON object as text."""

    def dial(self, call: Call) -> Milestone | None:
        """Place a call, and return its first milestone."""

    def take_up(self, call: Call, done_until_ms: int) -> Taken:
        """Take up a call in progress. Its events up to `done_until_ms` are on record already.

        The call itself holds the results of its transfers. Its `last_seq` is set.
        """

    def proceed(self, call_id: int) -> Milestone | None:
        """Return the next milestone of a call, or None if it is over."""

    def wait(self, call_id: int) -> Milestone | None:
        """Return the next milestone of a call in a queue if no agent takes it, or None if the call is over."""

    def offer(self, call: Call, agent: AgentPlan, offered_ms: int, dialled: str) -> int | None:
        """Offer a call to an agent, whose telephone has the number `dialled`, and return when the agent takes it.

        The time is in milliseconds since the epoch; None if a line will report it.
        """

    def preview(self, gateway_id: GatewayKey, agent: AgentPlan, preview: Preview) -> Decision | None:
        """Return an agent's decision about the person shown to them; None if the agent decides at their desk."""

    def withdraw(self, call_id: int, agent_id: int) -> None:
        """Stop offering a call to an agent."""

    def connect(self, call_id: int, transfer: Transfer, dialled: str = "") -> Milestone | None:
        """Dial the B-leg of a transfer, or bridge the call to its agent. Return the next milestone.

        `dialled` is the number of the B-leg as the carrier receives it.
        """

    def dial_leg(self, call_id: int, place: int) -> None:
        """Dial the B-leg of a call over a line. The time that its milestone `LegDue` has named has come."""

    def resume(self, call_id: int, now_ms: int) -> Milestone | None:
        """Continue a call whose transfer ended without a connection, and return its next milestone."""

    def hold(self, call_id: int, *, is_held: bool) -> None:
        """Part a callee from their agent, so that the callee hears music, or connect them again."""

    def supervise(self, call_id: int, agent_id: int, wanted: Supervision | None, dialled: str, now_ms: int) -> bool:
        """Start, change or end the supervision of a call. Return False if nobody can supervise the call."""

    def consult(self, call: Call, transfer: Transfer, dialled: str) -> Sequence[Milestone] | None:
        """Dial the leg of a third person whom an agent consults, and return its milestones.

        A leg that is dialled already is only looked after. Return None if the agent's own leg is gone meanwhile.
        """

    def talk_with(self, call_id: int, place: int, mode: ConsultationMode) -> None:
        """Let an agent talk with the third person, the callee, or both. The one left out is on hold."""

    def end_consultation(self, call_id: int, place: int, now_ms: int) -> LegOutcome | None:
        """End the leg of a third person, and return its outcome; None if its end is told, or was."""

    def hand_over(self, call_id: int, place: int, now_ms: int) -> tuple[LegOutcome, Milestone | None] | NoHandOver:
        """End the leg of an agent, and let the callee talk with the third person.

        Return the outcome of the agent's leg, and the next milestone of the call, or the reason against it.
        """

    def part(self, call_id: int, now_ms: int) -> LegOutcome:
        """End the leg of the agent who talks in a call, let the callee wait, and return the outcome of the leg."""

    def tape(self, call_id: int) -> None:
        """Let the recording of a call become as its `recording_orders` say by now."""

    def hang_up(self, call_id: int, now_ms: int) -> tuple[LegOutcome | None, CallOutcome] | None:
        """End a call and its B-leg, and return their outcomes."""

    def turn_away(self, gateway_id: GatewayKey, key: str, cause: Cause) -> None:
        """Refuse a call that came in over a line."""

    def forget(self, call_id: int) -> None:
        """Discard a call that is over and was reported."""
