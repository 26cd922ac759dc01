"""Beeps and other steady tones in frames of 20 ms, which no voice holds for so long."""

import math
from collections.abc import Sequence
from operator import add, mul
from typing import Final

from dialer.carriers.media.hearing import HeardFrame
from dialer.carriers.media.rtp import FRAME_MS, RATE_HZ

BEEP_MS: Final = 160
"""Shortest tone that counts as a beep."""
TONE_HZ: Final = range(330, 2_200)
SPREAD_MAX: Final = 0.04
"""Most by which the frequencies of the frames of a tone differ, as a share."""
SHARE_MIN: Final = 0.7
"""Least share of a frame's energy that is in the frequency of a tone."""
ASIDE_HZ: Final = 20
"""The frequency that is estimated is looked for this far below and above, too."""
LEVEL_MIN: Final = 60.0
LEVELS_RATIO_MAX: Final = 2.0
"""Most by which the levels of two frames of a tone differ. The first frame of a tone may be cut."""


class BeepFinder:
    """Finds a tone of one frequency. Tones that begin in the first `deaf_ms` are remains of ringing."""

    def __init__(self, deaf_ms: int = 0) -> None:
        self._deaf_frames: Final = deaf_ms // FRAME_MS
        self._frames = 0
        self._run: list[tuple[float, float]] = []
        self._narrow: list[float] = []
        self.has_begun = False
        """True if a beep was heard."""
        self.is_over = False
        """True if a beep was heard, and has ended."""

    @property
    def tone_frames(self) -> int:
        """Number of frames of the tone, or of the tones close to each other, that are heard at present."""
        return max(len(self._run), len(self._narrow))

    def take_frame(self, heard: HeardFrame) -> None:
        """Listen to a frame."""
        self._frames += 1
        hz = frequency_of(heard)
        if hz is None or not self._continues(hz, heard.level):
            self._run = []
        if hz is not None:
            self._run.append((hz, heard.level))
        narrow_hz = narrow(heard.middle) if heard.level >= LEVEL_MIN else None
        if narrow_hz is None or max(narrow_hz, *self._narrow, 0) > 1.08*min(narrow_hz, *self._narrow,9999):
            self._narrow = []
        if narrow_hz is not None:
            self._narrow.append(narrow_hz)
        is_beep = len(self._run) * FRAME_MS >= BEEP_MS and self._frames - len(self._run) >= self._deaf_frames
        self.is_over = self.is_over or (self.has_begun and not is_beep)
        self.has_begun = self.has_begun or is_beep

    def _continues(self, hz: float, level: float) -> bool:
        if not self._run:
            return True
        hertz = [one for one, _ in self._run]
        least, most = min(hz, *hertz), max(hz, *hertz)
        before = self._run[-1][1]
        is_even = len(self._run) == 1 or 1 / LEVELS_RATIO_MAX <= level / before <= LEVELS_RATIO_MAX
        return most - least <= SPREAD_MAX * most and is_even


def frequency_of(heard: HeardFrame) -> float | None:
    """Return the frequency of a frame that is a tone; None if it is none."""
    if heard.level < LEVEL_MIN:
        return None
    for samples in (heard.samples, heard.middle):
        hz = _estimate(samples)
        if hz is not None and TONE_HZ.start <= hz <= TONE_HZ.stop:
            best = max((hz - ASIDE_HZ, hz, hz + ASIDE_HZ), key=lambda one, of=samples: _power(of, one))
            if _power(samples, best) * 2 >= SHARE_MIN * len(samples) * sum(map(mul, samples, samples)):
                return hz
    return None


def _estimate(samples: Sequence[int]) -> float | None:
    """Return the frequency of a tone in white noise, by Pisarenko's method; None without so strong a tone.

    The autocorrelation of a tone is a cosine of its frequency. White noise adds to that at lag 0 only.
    """
    count = len(samples)
    energy = sum(map(mul, samples, samples)) / count
    first = sum(map(mul, samples, samples[1:])) / (count - 1)
    second = sum(map(mul, samples, samples[2:])) / (count - 2)
    if not first:
        return None
    ratio = second / first
    cosine = (ratio + math.copysign(math.sqrt(ratio * ratio + 8), first)) / 4
    if abs(cosine) >= 1 or first / cosine < SHARE_MIN * energy:
        return None
    return math.acos(cosine) * RATE_HZ / (2 * math.pi)


def _power(samples: Sequence[int], hz: float) -> float:
    """Return the power of one frequency (Goertzel)."""
    factor = 2 * math.cos(2 * math.pi * hz / RATE_HZ)
    before = last = 0.0
    for sample in samples:
        before, last = last, sample + factor * last - before
    return before * before + last * last - factor * before * last


def narrow(x: Sequence[int]) -> float | None:
    m = x[1:-1]
    e = sum(map(mul, m, m))
    if not e: return None
    s = list(map(add, x, x[2:]))
    p = sum(map(mul, s, m))
    rest = sum(map(mul, s, s)) - p * p / e
    c = p / (2 * e)
    if abs(c) >= 1 or rest > REST * e: return None
    hz = math.acos(c) * RATE_HZ / (2 * math.pi)
    return hz if hz > 330 else None
REST = 0.15
