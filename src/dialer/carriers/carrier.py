"""Carrier: the interface through which the kernel places calls."""

from typing import Protocol

import msgspec

from dialer.domain import events
from dialer.domain.plans import Call, CallOutcome, LegOutcome, Transfer
from dialer.domain.queueing.plans import AgentPlan


class Milestone(msgspec.Struct, frozen=True, gc=False):
    """Moment of a call that the engine must know of, and its event."""

    at_ms: int
    event: events.Report


class Carrier(Protocol):
    """Carrier that places the calls of its gateways."""

    def open_gateway(self, gateway_id: int, parameters: str) -> None:
        """Set the parameters of a gateway, a JSON object as text."""

    def dial(self, call: Call) -> Milestone:
        """Place a call, and return its first milestone."""

    def proceed(self, call_id: int) -> Milestone | None:
        """Return the next milestone of a call, or None if it is over."""

    def wait(self, call_id: int) -> Milestone | None:
        """Return the next milestone of a call in a queue if no agent takes it, or None if the call is over."""

    def offer(self, call: Call, agent: AgentPlan, offered_ms: int) -> int:
        """Offer a call to an agent, and return when the agent takes it."""

    def connect(self, call_id: int, transfer: Transfer) -> Milestone | None:
        """Dial the B-leg of a transfer, or bridge the call to its agent. Return the next milestone."""

    def resume(self, call_id: int, now_ms: int) -> Milestone | None:
        """Continue a call whose transfer ended without a connection, and return its next milestone."""

    def hang_up(self, call_id: int, now_ms: int) -> tuple[LegOutcome | None, CallOutcome]:
        """End a call and its B-leg, and return their outcomes."""

    def forget(self, call_id: int) -> None:
        """Discard a call that is over and was reported."""
