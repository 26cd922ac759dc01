"""Calls to the switch that wait for their turn, so that no second has more of them than the carrier takes."""

import asyncio
from collections.abc import Callable
from typing import Final

from dialer.carriers.calls_per_second import WirePace
from dialer.carriers.voice.clock import steady_ms
from dialer.domain.sessions.leg_protocol import Dialling


class LoopClock:
    """The time of the event loop."""

    @property
    def now_ms(self) -> int:
        """The milliseconds of a clock that never goes back."""
        return steady_ms()

    def after(self, wait_ms: int, action: Callable[[], None], /) -> asyncio.TimerHandle:
        """Call `action` once, in so many milliseconds."""
        return asyncio.get_running_loop().call_later(wait_ms / 1_000, action)


class CallTurns:
    """The calls that wait until `max_cps` of their gateway lets them leave."""

    def __init__(self, place: Callable[[Dialling], bool]) -> None:
        """Prepare it. `place` places a call, and returns whether that was possible."""
        self._place: Final = place
        self._pace: Final = WirePace(LoopClock())
        self._waiting: Final[dict[str, Dialling]] = {}

    def add(self, dialling: Dialling) -> bool:
        """Place a call when it has its turn, and return True; False if too many wait."""
        if dialling.key in self._waiting:
            return True
        if not self._pace.has_turn(dialling.cps_max):
            return False
        self._waiting[dialling.key] = dialling
        self._pace.add(dialling.cps_max, lambda: self.drop(dialling.key) and self._place(dialling))
        return True

    def drop(self, key: str) -> bool:
        """Remove a call from the waiting calls. Return whether the call was waiting."""
        return self._waiting.pop(key, None) is not None

    def close(self) -> None:
        """Remove all waiting calls without placing them."""
        self._waiting.clear()
