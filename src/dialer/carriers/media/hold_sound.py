"""The sound for callees who wait for an agent or are on hold: soft notes that are no tone of a network.

Ringing, busy and dialling are steady tones up to 620 Hz with pauses. These notes are higher, fade, and never pause.
"""

import cmath
import math
from array import array
from functools import cache
from typing import Final

from dialer.carriers.media import g711
from dialer.carriers.media.rtp import RATE_HZ

NOTES_HZ: Final = (784, 988, 1_175, 988, 880, 1_047, 1_319, 1_047)
"""One note a second: two broken chords, up and down."""
LEVEL: Final = 1_200
"""Amplitude of a note at its begin, of 32,767."""
RISES_MS: Final = 40
FADES_MS: Final = 450
"""Time in which a note falls to 37 %."""
SOUNDS_MS: Final = 1_900
"""Time after which a note is not heard any more; the next one has begun long before."""


@cache
def hold_sound() -> bytes:
    """Return eight seconds of µ-law that a callee who waits hears again and again. The end goes on at the begin."""
    count = RATE_HZ * len(NOTES_HZ)
    samples = [0.0] * count
    for place, hz in enumerate(NOTES_HZ):
        for at, value in enumerate(_note(hz), place * RATE_HZ):
            samples[at % count] += value
    return g711.encode(array("h", map(round, samples)))


def _note(hz: int) -> list[float]:
    rises, fades = RATE_HZ * RISES_MS // 1_000, RATE_HZ * FADES_MS // 1_000
    # Turned step by step: the first callee on hold waits for this, and their line's other sound, too.
    turn = cmath.exp(complex(-1 / fades, 2 * math.pi * hz / RATE_HZ))
    value, samples = complex(LEVEL), []
    for at in range(RATE_HZ * SOUNDS_MS // 1_000):
        samples.append(value.imag if at >= rises else value.imag * at / rises)
        value *= turn
    return samples
