"""The other side of a line for text messages in tests: a carrier that takes each message, and notes it."""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Final

from dialer.carriers.line_port import Exchange, Found, LiveLeg, Unknown
from dialer.domain.sessions.leg_protocol import Ended, Leg, Order
from dialer.domain.words.enums import Cause

FAKE_TEXTS: Final = "fake texts"
"""The protocol of gateways whose messages go to this side."""


class TextSide:
    """The carrier. It knows nothing of a message that a process before has sent."""

    def __init__(self) -> None:
        self.sent: Final[Counter[str]] = Counter()
        """Number of times each message was sent, by key."""
        self.on_send: Callable[[Leg], None] = lambda _: None
        """Called before a message is noted. It may raise, as a process that ends."""
        self.exchange: Exchange | None = None
        self.why_down = ""

    def line(self, _gateway_id: int, _parameters: str, exchange: Exchange) -> "TextSideLine":
        """Open a line, in place of `NewLine`."""
        self.exchange = exchange
        exchange.is_up(self.why_down)
        return TextSideLine(self, exchange)

    def fall(self, why: str) -> None:
        """Let the line stop working, or work again if `why` is empty."""
        self.why_down = why
        if self.exchange is not None:
            self.exchange.is_up(why)


class TextSideLine:
    """A line to the carrier."""

    def __init__(self, side: TextSide, exchange: Exchange) -> None:
        self._side, self._exchange = side, exchange

    def dial(self, leg: Leg) -> None:
        self._side.on_send(leg)
        self._side.sent[leg.key] += 1
        self._exchange.heard(0, leg.key, Ended(0, Cause.NORMAL_CLEARING))

    def perform(self, key: str, order: Order) -> None:
        """Do nothing: a message gets no orders."""

    async def find(self, legs: Sequence[LiveLeg]) -> list[Found]:
        return [Unknown() for _ in legs]

    def settled(self, number: int) -> None:
        """Do nothing: nothing is numbered."""

    async def close(self) -> None:
        """Do nothing."""
