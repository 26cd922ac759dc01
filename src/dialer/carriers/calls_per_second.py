"""The pace at which calls leave: no second has more of them than the carrier takes."""

from collections import deque
from collections.abc import Callable
from typing import Final, Protocol

SECOND_MS: Final = 1_000
PACED_MAX: Final = 10_000
"""Calls a second above which no pace is kept."""

Leave = Callable[[], bool]
"""Lets a call leave, and returns whether it has left."""


class PaceTimer(Protocol):
    """A scheduled action, such as the INVITE of a call that waits for its turn."""

    def cancel(self) -> None:
        """Cancel the scheduled action."""


class PaceClock(Protocol):
    """The time of a line."""

    @property
    def now_ms(self) -> int:
        """The milliseconds of a clock that never goes back."""

    def after(self, wait_ms: int, action: Callable[[], None], /) -> PaceTimer:
        """Call `action` once, in so many milliseconds."""


class WirePace:
    """The calls of a gateway that wait for their turn of `max_cps`, at most as many as leave within a second.

    The service decides about calls by its own clock, and tells of several at once if it is late.
    """

    def __init__(self, clock: PaceClock) -> None:
        self._clock: Final = clock
        self._left_ms: Final[deque[int]] = deque(maxlen=PACED_MAX)
        self._waiting: Final[deque[tuple[int, Leave]]] = deque()
        self._timer: PaceTimer | None = None

    def has_turn(self, cps_max: int) -> bool:
        """Return whether one more call would leave within about a second."""
        return not 0 < cps_max <= PACED_MAX or len(self._waiting) < cps_max

    def add(self, cps_max: int, leave: Leave) -> None:
        """Call `leave` when the call has its turn: at once without a limit."""
        if not 0 < cps_max <= PACED_MAX:
            leave()
            return
        self._waiting.append((cps_max, leave))
        self._go_on()

    def _go_on(self) -> None:
        while self._waiting:
            cps_max, leave = self._waiting[0]
            wait_ms = self._wait_ms(cps_max)
            if wait_ms > 0:
                if self._timer is not None:
                    self._timer.cancel()
                self._timer = self._clock.after(wait_ms, self._go_on)
                return
            self._waiting.popleft()
            if leave():
                self._left_ms.append(self._clock.now_ms)

    def _wait_ms(self, cps_max: int) -> int:
        left_ms = self._left_ms
        return 0 if len(left_ms) < cps_max else left_ms[-cps_max] + SECOND_MS - self._clock.now_ms
