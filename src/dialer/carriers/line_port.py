"""Carrier port: the interface that the real carrier of a gateway implements, and that it is given."""

from collections.abc import Sequence
from typing import Protocol, TypeAlias

from dialer.domain.sessions.leg_protocol import Answered, Ended, Leg, LegReport, Order, Value


class LiveLeg(Value, frozen=True):
    """A leg that was handed to a line of this gateway before, possibly by another process."""

    order: Leg
    handed_age_ms: int
    """Time since it was handed over, in milliseconds."""
    answered_age_ms: int | None = None
    """Time since its answer, from which the talk limit counts; None if the service has heard of no answer."""
    handle: str = ""
    """The `handle` of its answer."""


class Alive(Value, frozen=True):
    """The leg goes on. `answered` is its answer, if the service has not heard of it yet."""

    answered: Answered | None = None


class Over(Value, frozen=True):
    """The leg has ended. `answered` is its answer, if the service has not heard of it yet."""

    ended: Ended
    answered: Answered | None = None


class Unplaced(Value, frozen=True):
    """The leg was certainly never placed, and never will be. A line that is down says so of every leg it is to dial."""


class Unknown(Value, frozen=True):
    """Nobody can say what became of the leg. The line ends it, in case it still exists."""


Found: TypeAlias = Alive | Over | Unplaced | Unknown


class Exchange(Protocol):
    """The service, as a line sees it. Its methods return at once, and are called from the event loop only."""

    def heard(self, number: int, key: str, heard: LegReport | Found) -> None:
        """Report an event of a leg. `number` counts the events of this line from 1, for `Line.settled`.

        Something that is heard twice counts once. An unknown key is ignored, unless a call came in (`Arrived`).
        `Unplaced` is the answer of a line that cannot place a leg now, or that has lost the call to answer.
        """

    def is_up(self, why_not: str) -> None:
        """Report that the line works, or why it does not. A line counts as down until its first report.

        A line that works again after it was down is asked to find its legs.
        """


class Line(Protocol):
    """The real carrier of one gateway.

    No method blocks or raises: failures are heard. The service dials the same leg at most once. An order for a leg
    that is over, or whose `turn` is not above the last one, is ignored.
    """

    def dial(self, leg: Leg) -> None:
        """Place a call, send a message, or answer a call that came in, now or never."""

    def perform(self, key: str, order: Order) -> None:
        """Give an order to a leg. It replaces the order in progress, whose end is not reported any more."""

    async def find(self, legs: Sequence[LiveLeg]) -> Sequence[Found]:
        """Return the state of each of these legs, in order, and go on reporting those that are alive.

        The service asks after a start, and when the line works again after it was down. A call that came in and is
        asked for is to be answered, if it still rings.
        """

    def settled(self, number: int) -> None:
        """Note that all events up to this number are stored, so the line need not repeat them."""

    async def close(self) -> None:
        """Stop without ending legs in progress."""
