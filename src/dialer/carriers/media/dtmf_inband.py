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
"""Share of a frame's energy in the two tones of a key that is held all through it. Speech spreads its energy wider."""
SHARE_BESIDE: Final = 0.4
"""Share in a frame beside such a one, in which the key begins or ends.

A key of 40 ms, the shortest that a receiver has to take (ITU-T Q.24), fills one frame and at least half of another one,
wherever the frames begin.
"""
TWIST_MAX: Final = 8.0
"""Ratio of the energies of the two tones: 9 dB."""
FRAMES_MIN: Final = 2
"""Frames in a row with the same key, one of them whole, that make it a key."""


class InbandDtmf:
    """Finds keys in frames of 20 ms with the Goertzel algorithm. Each key counts once, while it is held."""

    def __init__(self) -> None:
        self._begin("")

    def _begin(self, key: str) -> None:
        self._seen, self._frames = key, 0
        self._is_whole = self._is_told = False

    def key_of(self, frame: bytes) -> str | None:
        """Return the key that a frame of µ-law completes, or an empty text while it is held; None if there is none."""
        key, share = _key_in(g711.decode(frame)) if len(frame) == FRAME_SAMPLES else ("", 0.0)
        if key != self._seen:
            self._begin(key)
        self._frames += 1
        self._is_whole = self._is_whole or share >= SHARE_MIN
        if not key or self._frames < FRAMES_MIN or not self._is_whole:
            return None
        if self._is_told:
            return ""
        self._is_told = True
        return key


def _key_in(samples: "array[int]") -> tuple[str, float]:
    """Return the key in a frame, and the share of the energy in its tones; an empty text and 0 if there is none."""
    total = energy(samples)
    if total < LOUD_ENOUGH * len(samples):
        return "", 0.0
    rows = [power(samples, hz) for hz in ROWS_HZ]
    columns = [power(samples, hz) for hz in COLUMNS_HZ]
    row, column = max(rows), max(columns)
    # A tone of amplitude a has the energy n·a²/2, and the power (n·a/2)².
    share = (row + column) * 2 / (total * len(samples))
    if share < SHARE_BESIDE or max(row, column) > TWIST_MAX * min(row, column):
        return "", 0.0
    return PAD[rows.index(row)][columns.index(column)], share


def tone(frequencies_hz: tuple[int, ...], length_ms: int, level: int = 8_000) -> bytes:
    """Return tones together as µ-law; `level` is the amplitude of each, of 32,767."""
    count = RATE_HZ * length_ms // 1_000
    each = [2 * math.pi * hz / RATE_HZ for hz in frequencies_hz]
    return g711.encode(array("h", [round(level * sum(math.sin(step * at) for step in each)) for at in range(count)]))


def silence(length_ms: int) -> bytes:
    """Return µ-law silence of a length."""
    return bytes([g711.SILENCE]) * (RATE_HZ * length_ms // 1_000)
