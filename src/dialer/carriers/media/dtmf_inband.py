"""Tones: keys that are told in the sound itself (ITU-T Q.23, Q.24)."""

import math
from array import array
from typing import Final

from dialer.carriers.media import g711
from dialer.carriers.media.frequencies import energy, power
from dialer.carriers.media.rtp import FRAME_SAMPLES, RATE_HZ

ROWS_HZ: Final = (697, 770, 852, 941)
COLUMNS_HZ: Final = (1_209, 1_336, 1_477, 1_633)
PAD: Final = ("123A", "456B", "789C", "*0#D")
LOUD_ENOUGH: Final = 200.0**2
"""Mean square of the samples of the quietest frame that may be a key."""
SHARE_MIN: Final = 0.75
"""Share of a frame's energy in the two tones of a key. Speech spreads its energy wider."""
TWIST_MAX: Final = 8.0
"""Ratio of the energies of the two tones: 9 dB."""
FRAMES_MIN: Final = 2
"""Frames in a row with the same key, 40 ms, that make it a key."""


class InbandDtmf:
    """Finds keys in frames of 20 ms with the Goertzel algorithm. Each key counts once, while it is held."""

    def __init__(self) -> None:
        self._seen = ""
        self._frames = 0

    def key_of(self, frame: bytes) -> str | None:
        """Return the key that a frame of µ-law completes, or an empty text while it is held; None if there is none."""
        digit = _key_in(g711.decode(frame)) if len(frame) == FRAME_SAMPLES else ""
        self._frames = self._frames + 1 if digit == self._seen else 1
        self._seen = digit
        if not digit or self._frames < FRAMES_MIN:
            return None
        return digit if self._frames == FRAMES_MIN else ""


def _key_in(samples: "array[int]") -> str:
    total = energy(samples)
    if total < LOUD_ENOUGH * len(samples):
        return ""
    rows = [power(samples, hz) for hz in ROWS_HZ]
    columns = [power(samples, hz) for hz in COLUMNS_HZ]
    row, column = max(rows), max(columns)
    # A tone of amplitude a has the energy n·a²/2, and the power (n·a/2)².
    if (row + column) * 2 < SHARE_MIN * total * len(samples) or max(row, column) > TWIST_MAX * min(row, column):
        return ""
    return PAD[rows.index(row)][columns.index(column)]


def tone(frequencies_hz: tuple[int, ...], length_ms: int, level: int = 8_000) -> bytes:
    """Return tones together as µ-law; `level` is the amplitude of each, of 32,767."""
    count = RATE_HZ * length_ms // 1_000
    each = [2 * math.pi * hz / RATE_HZ for hz in frequencies_hz]
    return g711.encode(array("h", [round(level * sum(math.sin(step * at) for step in each)) for at in range(count)]))


def silence(length_ms: int) -> bytes:
    """Return µ-law silence of a length."""
    return bytes([g711.SILENCE]) * (RATE_HZ * length_ms // 1_000)
