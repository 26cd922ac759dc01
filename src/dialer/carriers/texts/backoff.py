"""Pauses of a line to a carrier that cannot be reached, or asks to wait. They double until it takes a message."""

import asyncio
from typing import Final

from dialer.carriers.line_port import Exchange

PAUSE_S: Final = 1.0
"""The first pause after a carrier could not be reached."""
WAIT_S: Final = 0.25
"""The first pause after a carrier has asked to wait: many refuse some messages, and take the next ones."""
PAUSE_S_MAX: Final = 60.0


class Pauses:
    """The state of a line: up, or down for a while."""

    def __init__(self, exchange: Exchange) -> None:
        self._exchange: Final = exchange
        self._times = 1
        """The next pause is so many times as long as the first one."""
        self._timer: asyncio.TimerHandle | None = None

    @property
    def is_down(self) -> bool:
        """True during a pause after a failure."""
        return self._timer is not None

    def begin(self, why: str) -> None:
        """Take the line down for a while, as the carrier cannot be reached. A pause is not extended."""
        self._begin(why, PAUSE_S * self._times)

    def wait(self, why: str, asked_s: float | None = None) -> None:
        """Take the line down for as long as the carrier asks, or else for a while. A pause is not extended."""
        self._begin(why, WAIT_S * self._times if asked_s is None else max(asked_s, PAUSE_S))

    def worked(self) -> None:
        """Note that the carrier has taken a message, so that the next pause is short again.

        This holds for a message from before a pause, too: the carrier refuses some messages, and not all.
        """
        self._times = 1

    def close(self) -> None:
        """End a pause without a word."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _begin(self, why: str, pause_s: float) -> None:
        if self._timer is not None:
            return
        self._times = min(2 * self._times, round(PAUSE_S_MAX / WAIT_S))
        self._timer = asyncio.get_running_loop().call_later(min(pause_s, PAUSE_S_MAX), self._end)
        self._exchange.is_up(why)

    def _end(self) -> None:
        self._timer = None
        self._exchange.is_up("")
