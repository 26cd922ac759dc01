"""The outcome of a B-leg."""

import msgspec

from dialer.domain.calls.sound_quality import SoundQuality
from dialer.domain.words.enums import Cause


class LegOutcome(msgspec.Struct, frozen=True, gc=False):
    """The outcome of a B-leg that is over."""

    ended_ms: int
    cause: Cause
    answered_ms: int | None = None
    is_connected: bool = False
    """True if the two sides have talked: the leg was answered and, where required, confirmed."""
    wrap_up_ms: int | None = None
    """The wrap-up time of a simulated agent after the leg; None: that of the agent's plan."""
    break_ms: int = 0
    """The break that a simulated agent takes after the wrap-up time."""
    retry_after_ms: int = 0
    """The time for which the carrier wants no other attempt; 0 if it asks for none."""
    sound: SoundQuality | None = None
    """As that of `CallOutcome`."""

    def rest_ms(self, wrap_up_ms: int) -> int:
        """Return the time after the leg in which its agent takes no call; `wrap_up_ms` is that of the agent's plan."""
        return (wrap_up_ms if self.wrap_up_ms is None else self.wrap_up_ms) + self.break_ms
