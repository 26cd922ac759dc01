"""Fixed-rate dialling: when a campaign's next dial is due."""

from typing import Final

from dialer.domain.pacing.situation import Pace, Situation

MINUTE_US: Final = 60_000_000
FREQUENCY_MAX: Final = 1_000_000
"""Dials a minute; at more, the spacing would round to nothing."""


def fixed_rate(frequency: int, due_us: int, dialled_ms: int) -> int:
    """When the dial after this one is due, in microseconds since the epoch: evenly, `frequency` a minute.

    `due_us` is when this dial was due. One that came late, as it had to wait for a channel or a window, moves those
    after it: nothing is caught up, so no window of a minute holds more than `frequency` dials. The spacing is rounded
    up to a whole microsecond for the same reason.
    """
    spacing_us = -(-MINUTE_US // frequency)
    not_before_us = (dialled_ms - 1) * 1_000 + 1
    return max(due_us, not_before_us) + spacing_us


def due_ms(due_us: int) -> int:
    """The first whole millisecond at which a dial that is due at `due_us` may be made."""
    return -(-due_us // 1_000)


class FixedRate:
    """Evenly, `frequency` a minute, whoever is there to talk to those who answer."""

    name = "fixed"

    def pace(self, situation: Situation) -> Pace:
        """What is due, and when the next dial is: more than one call only where the spacing is below a millisecond."""
        calls = 0
        due_us = situation.next_dial_us
        while due_ms(due_us) <= situation.now_ms:
            calls += 1
            due_us = fixed_rate(situation.frequency, due_us, situation.now_ms)
        return Pace(calls, again_ms=due_ms(due_us))
