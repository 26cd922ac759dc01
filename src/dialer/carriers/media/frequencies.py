"""Frequencies in frames: of one tone, and of tones so close to each other that they sound like one.

They follow from a few sums of products of samples, which are exact: each is a distance of two slices, squared and
rounded. A distance takes a third of the time of the products.
"""

import math
from collections.abc import Sequence
from operator import sub
from typing import Final, NamedTuple

from dialer.carriers.media.rtp import RATE_HZ

TONE_HZ: Final = range(330, 2_200)
SHARE_MIN: Final = 0.7
"""Least share of a frame's energy that is in the frequency of a tone."""
ASIDE_HZ: Final = 20
"""The frequency that is estimated is looked for this far below and above, too."""
REST_MAX: Final = 0.15
"""Most of a frame's energy that one frequency leaves unexplained, if all its frequencies are close to it."""


class Correlation(NamedTuple):
    """Sums of products of samples: of each with itself, with the next one, and with the next but one."""

    length: int
    """Number of samples."""
    energy: int
    first: int
    second: int
    ends: tuple[int, int, int, int]
    """The first two samples, and the last two."""


class FrameCorrelations(NamedTuple):
    """The sums of a frame, and those of the frame without its lowest and highest frequencies."""

    frame: Correlation
    middle: Correlation


def correlations_of(samples: Sequence[int], whole: int, middle: int) -> FrameCorrelations:
    """Return the sums of a frame with these energies. Its middle are the differences of samples two places apart.

    The square of a difference has the product, so a sum of products is left of the energies and of a distance. The
    products of the differences are those of the samples, apart from the ends.
    """
    a, b, c, d = samples[:4]
    w, x, y, z = samples[-4:]
    one, two = a * a + z * z, a * a + b * b + y * y + z * z
    three = two + c * c + x * x
    twice, length = 2 * whole, len(samples)
    first = (twice - one - _distance(samples, 1)) // 2
    second = (twice - two - middle) // 2
    third = (twice - three - _distance(samples, 3)) // 2
    fourth = (twice - three - d * d - w * w - _distance(samples, 4)) // 2
    of_middle = first - third - b * c - x * y
    next_of_middle = 2 * second - fourth - whole + two - a * c - b * d - w * y - x * z
    return FrameCorrelations(
        Correlation(length, whole, first, second, (a, b, y, z)),
        Correlation(length - 2, middle, of_middle, next_of_middle, (c - a, d - b, y - w, z - x)),
    )


def _distance(samples: Sequence[int], by: int) -> int:
    """Return the sum of the squares of the differences of samples so many places apart."""
    return round(math.dist(samples[by:], samples[:-by]) ** 2)


def energy(samples: Sequence[int]) -> int:
    """Return the sum of the squares, which is far too small for rounding to change it."""
    return round(math.hypot(*samples) ** 2)


def middle_of(samples: Sequence[int]) -> list[int]:
    """Return a frame without its lowest and highest frequencies: the difference of each sample and the last but one."""
    return list(map(sub, samples[2:], samples))


def tone_hz(samples: Sequence[int], sums: FrameCorrelations) -> float | None:
    """Return the frequency of a frame that is a tone, in all of it or in its middle; None if it is none."""
    hz = _estimate(sums.frame)
    if hz is not None and _is_strong(samples, sums.frame, hz):
        return hz
    hz = _estimate(sums.middle)
    return hz if hz is not None and _is_strong(middle_of(samples), sums.middle, hz) else None


def _is_strong(samples: Sequence[int], sums: Correlation, hz: float) -> bool:
    """Return whether most of the energy of samples is at a frequency."""
    strongest = max(power(samples, hz + aside) for aside in (-ASIDE_HZ, 0, ASIDE_HZ))
    return strongest * 2 >= SHARE_MIN * sums.length * sums.energy


def _estimate(sums: Correlation) -> float | None:
    """Return the frequency of a tone in white noise, by Pisarenko's method; None without so strong a tone.

    The autocorrelation of a tone is a cosine of its frequency. White noise adds to that at lag 0 only.
    """
    if not sums.first:
        return None
    first, second = sums.first / (sums.length - 1), sums.second / (sums.length - 2)
    ratio = second / first
    cosine = (ratio + math.copysign(math.sqrt(ratio * ratio + 8), first)) / 4
    if abs(cosine) >= 1 or first / cosine < SHARE_MIN * sums.energy / sums.length:
        return None
    hz = _hz_of(cosine)
    return hz if TONE_HZ.start <= hz <= TONE_HZ.stop else None


def narrow_hz(sums: Correlation) -> float | None:
    """Return the frequency of samples that are a tone or a narrow band, such as a ringing tone; None for other sound.

    A tone satisfies x[n-1] + x[n+1] = 2·cos(w)·x[n]. The best factor gives the frequency, and its error the width.
    """
    a, b, y, z = sums.ends
    total = sums.energy - a * a - z * z
    if not total:
        return None
    product = 2 * sums.first - a * b - y * z
    cosine = product / (2 * total)
    of_sums = 2 * (sums.energy + sums.second) - a * a - b * b - y * y - z * z
    if abs(cosine) >= 1 or of_sums - product * product / total > REST_MAX * total:
        return None
    hz = _hz_of(cosine)
    return hz if hz >= TONE_HZ.start else None


def _hz_of(cosine: float) -> float:
    return math.acos(cosine) * RATE_HZ / (2 * math.pi)


def power(samples: Sequence[int], hz: float) -> float:
    """Return the power of samples at one frequency, by the Goertzel algorithm."""
    factor = 2 * math.cos(2 * math.pi * hz / RATE_HZ)
    before = last = 0.0
    for sample in samples:
        before, last = last, sample + factor * last - before
    return before * before + last * last - factor * before * last
