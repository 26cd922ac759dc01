"""Frequencies in frames: of one tone, and of tones so close to each other that they sound like one."""

import math
from collections.abc import Sequence
from operator import add, mul
from typing import Final

from dialer.carriers.media.rtp import RATE_HZ

TONE_HZ: Final = range(330, 2_200)
SHARE_MIN: Final = 0.7
"""Least share of a frame's energy that is in the frequency of a tone."""
ASIDE_HZ: Final = 20
"""The frequency that is estimated is looked for this far below and above, too."""
REST_MAX: Final = 0.15
"""Most of a frame's energy that one frequency leaves unexplained, if all its frequencies are close to it."""


def tone_hz(frame: Sequence[int], middle: Sequence[int]) -> float | None:
    """Return the frequency of a frame that is a tone; None if it is none.

    `middle` is the frame without its lowest and highest frequencies.
    """
    for samples in (frame, middle):
        hz = _estimate(samples)
        if hz is None or not TONE_HZ.start <= hz <= TONE_HZ.stop:
            continue
        strongest = max(power(samples, hz + aside) for aside in (-ASIDE_HZ, 0, ASIDE_HZ))
        if strongest * 2 >= SHARE_MIN * len(samples) * energy(samples):
            return hz
    return None


def narrow_hz(frame: Sequence[int]) -> float | None:
    """Return the frequency of a frame that is a tone or a narrow band, such as a ringing tone; None for other sound.

    A tone satisfies x[n-1] + x[n+1] = 2·cos(w)·x[n]. The best factor gives the frequency, and its error the width.
    """
    middle, sums = frame[1:-1], list(map(add, frame, frame[2:]))
    total = energy(middle)
    if not total:
        return None
    product = sum(map(mul, sums, middle))
    cosine = product / (2 * total)
    if abs(cosine) >= 1 or energy(sums) - product * product / total > REST_MAX * total:
        return None
    hz = _hz_of(cosine)
    return hz if hz >= TONE_HZ.start else None


def _estimate(samples: Sequence[int]) -> float | None:
    """Return the frequency of a tone in white noise, by Pisarenko's method; None without so strong a tone.

    The autocorrelation of a tone is a cosine of its frequency. White noise adds to that at lag 0 only.
    """
    count = len(samples)
    first = sum(map(mul, samples, samples[1:])) / (count - 1)
    second = sum(map(mul, samples, samples[2:])) / (count - 2)
    if not first:
        return None
    ratio = second / first
    cosine = (ratio + math.copysign(math.sqrt(ratio * ratio + 8), first)) / 4
    is_strong = abs(cosine) < 1 and first / cosine >= SHARE_MIN * energy(samples) / count
    return _hz_of(cosine) if is_strong else None


def energy(samples: Sequence[int]) -> int:
    """Return the sum of the squares, which is far too small for rounding to change it."""
    return round(math.hypot(*samples) ** 2)


def _hz_of(cosine: float) -> float:
    return math.acos(cosine) * RATE_HZ / (2 * math.pi)


def power(samples: Sequence[int], hz: float) -> float:
    """Return the power of samples at one frequency, by the Goertzel algorithm."""
    factor = 2 * math.cos(2 * math.pi * hz / RATE_HZ)
    before = last = 0.0
    for sample in samples:
        before, last = last, sample + factor * last - before
    return before * before + last * last - factor * before * last
