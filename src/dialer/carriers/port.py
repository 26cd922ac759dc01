"""The port of carriers: what the kernel asks of whatever places the calls."""

from typing import Protocol

import msgspec

from dialer.domain import events
from dialer.domain.plans import Call, CallOutcome, LegOutcome, Transfer
from dialer.domain.queueing.plans import AgentPlan


class Milestone(msgspec.Struct, frozen=True, gc=False):
    """A moment of a call that concerns others, and what happens then."""

    at_ms: int
    event: events.Report


class Line(Protocol):
    """Places the calls of every gateway of one carrier."""

    def open_gateway(self, gateway_id: int, parameters: str) -> None:
        """Use these parameters for a gateway from now on: JSON text of an object."""

    def dial(self, call: Call) -> Milestone:
        """Place a call, and say what happens first."""

    def proceed(self, call_id: int) -> Milestone | None:
        """What happens next in a call; None if it is over."""

    def wait(self, call_id: int) -> Milestone | None:
        """The same for one that waits in a queue, if no agent takes it."""

    def offer(self, call: Call, agent: AgentPlan, offered_ms: int) -> int:
        """Ask an agent to take a call: when they do."""

    def connect(self, call_id: int, transfer: Transfer) -> Milestone | None:
        """Dial the B-leg of a transfer, or bridge the call to the agent who has taken it: what happens next."""

    def resume(self, call_id: int, now_ms: int) -> Milestone | None:
        """What happens next in a call whose transfer has reached nobody."""

    def hang_up(self, call_id: int, now_ms: int) -> tuple[LegOutcome | None, CallOutcome]:
        """End a call and its B-leg."""

    def forget(self, call_id: int) -> None:
        """A call is over and was reported."""
