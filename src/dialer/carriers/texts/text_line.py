"""The common part of lines for text messages: which messages are on their way, and which cannot be sent now."""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Callable, Coroutine, Sequence
from typing import Any, ClassVar, Final, Generic, TypeVar

from dialer.carriers.line_port import Alive, Exchange, Found, LiveLeg, Unknown, Unplaced
from dialer.carriers.parameters import Parameters, ParametersError
from dialer.carriers.texts.backoff import Pauses
from dialer.domain.sessions.leg_protocol import Leg, Order, Texting

DETAIL_MAX: Final = 200
"""Characters of a reason."""

_Kind = TypeVar("_Kind", bound=Parameters)


class TextLine(ABC, Generic[_Kind]):
    """The line of one gateway for text messages. It carries no calls."""

    messages_max: ClassVar[int]
    """Messages without an outcome. Further ones are taken back, and sent a second later."""

    def __init__(self, gateway_id: int, exchange: Exchange, read: Callable[[], _Kind]) -> None:
        self._gateway_id: Final = gateway_id
        self._exchange: Final = exchange
        self._pauses: Final = Pauses(exchange)
        self._messages: Final[dict[str, asyncio.Task[None]]] = {}
        """Messages without an outcome, by key."""
        self._parameters: _Kind | None = None
        try:
            self._parameters = read()
        except ParametersError as error:
            exchange.is_up(f"its parameters are wrong: {error}"[:DETAIL_MAX])

    @abstractmethod
    def _sending(self, parameters: _Kind, leg: Texting) -> Coroutine[Any, Any, None] | None:
        """Return the work that sends a message and tells its outcome; None if there is no way to the carrier."""

    def dial(self, leg: Leg) -> None:
        """Send a message now, or tell that it cannot be sent."""
        is_full = len(self._messages) >= self.messages_max
        sending = None
        if self._parameters is not None and not (self._pauses.is_down or is_full) and isinstance(leg, Texting):
            sending = self._sending(self._parameters, leg)
        if sending is None:
            self._exchange.heard(0, leg.key, Unplaced())
            return
        task = self._messages[leg.key] = asyncio.get_running_loop().create_task(sending)
        task.add_done_callback(lambda _: self._messages.pop(leg.key, None))

    def perform(self, key: str, order: Order) -> None:
        """Do nothing: a message that was sent cannot be called back."""

    async def find(self, legs: Sequence[LiveLeg]) -> Sequence[Found]:
        """Return the states of messages: those that this process still sends are alive, all others unknown."""
        return [Alive() if leg.order.key in self._messages else Unknown() for leg in legs]

    async def close(self) -> None:
        """Stop. Messages without an answer count as sent."""
        self._pauses.close()
        tasks = list(self._messages.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
