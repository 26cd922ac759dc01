"""Voices as tones of one pitch each, which are found again in sound where they are mixed."""

import math
from typing import Final

from dialer.carriers.media import g711
from dialer.carriers.media.dtmf_inband import tone

PITCHES: Final = {"callee": 400, "agent": 700, "supervisor": 1_000}
"""All have whole waves in 20 ms, so they are measured without each other."""
LOUD: Final = 1_000


def voice(who: str, frames: int) -> list[bytes]:
    """Return frames of 20 ms of a voice, as µ-law."""
    sound = tone((PITCHES[who],), 20 * frames)
    return [sound[at : at + 160] for at in range(0, len(sound), 160)]


def voices_in(ulaw: bytes) -> set[str]:
    """Return whose voices are in a piece of sound."""
    return {who for who, hz in PITCHES.items() if _loudness(ulaw, hz) > LOUD}


def _loudness(ulaw: bytes, hz: int) -> float:
    """Return the amplitude of one pitch."""
    samples, turn = g711.decode(ulaw), 2 * math.pi * hz / 8_000
    real = sum(sample * math.cos(turn * at) for at, sample in enumerate(samples))
    imaginary = sum(sample * math.sin(turn * at) for at, sample in enumerate(samples))
    return 2 * math.hypot(real, imaginary) / max(1, len(samples))
