"""Student's t distribution: how far means of a few values stray."""

from functools import lru_cache
from math import atan, cos, pi, sin, sqrt
from typing import Final

_PRECISION: Final = 1e-9
_HIGHEST: Final = 1e12
"""A bound of quantiles: with one degree of freedom, all those up to 1 - 1e-12 are below it."""


def share_within(t: float, freedom: int) -> float:
    """Return the chance that a value of the distribution lies between -t and t.

    These are the finite sums of Abramowitz and Stegun, Handbook of Mathematical Functions, 26.7.3 and 26.7.4.
    """
    angle = atan(t / sqrt(freedom))
    squared = cos(angle) ** 2
    is_odd = freedom % 2 == 1
    term = total = cos(angle) if is_odd else 1.0
    for place in range(3 if is_odd else 2, freedom - 1, 2):
        term *= squared * (place - 1) / place
        total += term
    if not is_odd:
        return sin(angle) * total
    return 2 / pi * (angle + (sin(angle) * total if freedom > 1 else 0.0))


@lru_cache(maxsize=1_024)
def quantile_within(share: float, freedom: int) -> float:
    """Return the t for which `share_within` is `share`."""
    low, high = 0.0, 1.0
    while share_within(high, freedom) < share and high < _HIGHEST:
        low, high = high, 2 * high
    while high - low > _PRECISION * high:
        middle = (low + high) / 2
        low, high = (middle, high) if share_within(middle, freedom) < share else (low, middle)
    return high
