"""CallRouter: the carrier of the live engine. It decides once, where a call is placed, which carrier has it."""

from collections.abc import Sequence
from typing import Final

from dialer.carriers.engine_port import CallPlacer, Decision, Milestone, NoHandOver, Taken
from dialer.domain.calls.leg_outcome import LegOutcome
from dialer.domain.calls.plans import Call, CallOutcome, GatewayKey, Transfer
from dialer.domain.queueing.plans import AgentPlan, Preview, Supervision
from dialer.domain.words.enums import Cause, ConsultationMode
from dialer.runtime.lines.switchboard import Switchboard


class CallRouter:
    """The simulated carrier and the switchboard of the real lines, as one carrier.

    A call has a leg on the switchboard from its dial to its end, or it is simulated.
    """

    def __init__(self, simulated: CallPlacer, switchboard: Switchboard) -> None:
        self._simulated: Final = simulated
        self._switchboard: Final = switchboard

    def _of(self, call_id: int) -> CallPlacer:
        """Return the carrier that has a call in progress."""
        return self._simulated if self._switchboard.first_leg(call_id) is None else self._switchboard

    def open_gateway(self, gateway_id: GatewayKey, parameters: str) -> None:
        """Simulate the callees of a gateway."""
        self._switchboard.close_line(gateway_id)
        self._simulated.open_gateway(gateway_id, parameters)

    def dial(self, call: Call) -> Milestone | None:
        """Place a call over the line of its gateway, or to a simulated callee if the gateway needs no line."""
        has_line = call.plan.gateway_id in self._switchboard.settings
        return self._switchboard.dial(call) if has_line else self._simulated.dial(call)

    def take_up(self, call: Call, done_until_ms: int) -> Taken:
        """Continue a call in progress after a restart: over a line if a leg of it has a row."""
        carrier = self._switchboard if self._switchboard.has_stored(call.id) else self._simulated
        return carrier.take_up(call, done_until_ms)

    def proceed(self, call_id: int) -> Milestone | None:
        """Return the next milestone of a call, as far as it is known."""
        return self._of(call_id).proceed(call_id)

    def wait(self, call_id: int) -> Milestone | None:
        """Return the next milestone of a call in a queue if no agent takes it, as far as it is known."""
        return self._of(call_id).wait(call_id)

    def offer(self, call: Call, agent: AgentPlan, offered_ms: int, dialled: str) -> int | None:
        """Offer a call to an agent, and return when the agent takes it, if that is known."""
        return self._of(call.id).offer(call, agent, offered_ms, dialled)

    def preview(self, gateway_id: GatewayKey, agent: AgentPlan, preview: Preview) -> Decision | None:
        """Return the decision of a simulated agent about a person; None for a gateway with a line."""
        has_line = gateway_id in self._switchboard.settings
        return None if has_line else self._simulated.preview(gateway_id, agent, preview)

    def withdraw(self, call_id: int, agent_id: int) -> None:
        """Stop offering a call to an agent."""
        self._of(call_id).withdraw(call_id, agent_id)

    def connect(self, call_id: int, transfer: Transfer, dialled: str = "") -> Milestone | None:
        """Dial the B-leg of a transfer, or bridge the call to its agent. Return the next milestone."""
        return self._of(call_id).connect(call_id, transfer, dialled)

    def dial_leg(self, call_id: int, place: int) -> None:
        """Dial the B-leg of a call over a line."""
        self._of(call_id).dial_leg(call_id, place)

    def resume(self, call_id: int, now_ms: int) -> Milestone | None:
        """Continue a call whose transfer ended without a connection, and return its next milestone."""
        return self._of(call_id).resume(call_id, now_ms)

    def hold(self, call_id: int, *, is_held: bool) -> None:
        """Separate a callee from their agent for a hold, or connect them again."""
        self._of(call_id).hold(call_id, is_held=is_held)

    def supervise(self, call_id: int, agent_id: int, wanted: Supervision | None, dialled: str, now_ms: int) -> bool:
        """Start, change or end the supervision of a call. Return False if nobody can supervise the call."""
        return self._of(call_id).supervise(call_id, agent_id, wanted, dialled, now_ms)

    def consult(self, call: Call, transfer: Transfer, dialled: str) -> Sequence[Milestone] | None:
        """Dial the leg of a third person whom an agent consults, and return its milestones; None without the agent."""
        return self._of(call.id).consult(call, transfer, dialled)

    def talk_with(self, call_id: int, place: int, mode: ConsultationMode) -> None:
        """Let an agent talk with the third person, the callee, or both."""
        self._of(call_id).talk_with(call_id, place, mode)

    def end_consultation(self, call_id: int, place: int, now_ms: int) -> LegOutcome | None:
        """End the leg of a third person, and return its outcome; None if its end is told, or was."""
        return self._of(call_id).end_consultation(call_id, place, now_ms)

    def hand_over(self, call_id: int, place: int, now_ms: int) -> tuple[LegOutcome, Milestone | None] | NoHandOver:
        """End the leg of an agent, and let the callee talk with the third person."""
        return self._of(call_id).hand_over(call_id, place, now_ms)

    def part(self, call_id: int, now_ms: int) -> LegOutcome:
        """End the leg of the agent who talks in a call, let the callee wait, and return the outcome of the leg."""
        return self._of(call_id).part(call_id, now_ms)

    def tape(self, call_id: int) -> None:
        """Let the recording of a call become as it is wanted by now."""
        self._of(call_id).tape(call_id)

    def hang_up(self, call_id: int, now_ms: int) -> tuple[LegOutcome | None, CallOutcome] | None:
        """End a call and its B-leg, and return their outcomes if they are known."""
        return self._of(call_id).hang_up(call_id, now_ms)

    def turn_away(self, gateway_id: GatewayKey, key: str, cause: Cause) -> None:
        """Refuse a call that came in over a line."""
        self._switchboard.turn_away(gateway_id, key, cause)

    def forget(self, call_id: int) -> None:
        """Discard a call that is over and was reported."""
        self._of(call_id).forget(call_id)
