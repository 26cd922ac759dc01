"""Pauses of a line to a carrier that cannot be reached, or asks to wait: a second, doubled up to a minute."""

import asyncio
from typing import Final

from dialer.carriers.port import Exchange

PAUSE_S: Final = 1.0
PAUSE_S_MAX: Final = 60.0


class Pauses:
    """The state of a line: up, or down for a while."""

    def __init__(self, exchange: Exchange) -> None:
        self._exchange: Final = exchange
        self._next_s = PAUSE_S
        self._timer: asyncio.TimerHandle | None = None

    @property
    def is_down(self) -> bool:
        """True during a pause."""
        return self._timer is not None

    def begin(self, why: str, asked_s: float | None = None) -> None:
        """Take the line down for a while: for as long as the carrier asks, if it does. A pause is not extended."""
        if self._timer is not None:
            return
        pause_s = self._next_s if asked_s is None else min(max(asked_s, PAUSE_S), PAUSE_S_MAX)
        self._next_s = min(2 * self._next_s, PAUSE_S_MAX)
        self._timer = asyncio.get_running_loop().call_later(pause_s, self._end)
        self._exchange.is_up(why)

    def worked(self) -> None:
        """Note that the carrier has answered, so that the next pause is short again."""
        if self._timer is None:
            self._next_s = PAUSE_S

    def close(self) -> None:
        """End a pause without a word."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _end(self) -> None:
        self._timer = None
        self._exchange.is_up("")
