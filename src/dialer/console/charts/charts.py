"""Charts as shapes in a box of 100 by 100, which templates draw as SVG. Text stands beside the drawing, as HTML."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from dialer.domain.figures.statistics import unrounded_percent

BOX: Final = 100
HEATS: Final = 8
"""Shades of a heat map, besides the one for nothing."""
_LOW_TOPS: Final = (2, 4, 6, 8, 10)
_TOPS: Final = (12, 16, 20, 24, 30, 40, 50, 60, 80, 100)
"""Upper edges of charts, and of larger values in steps of ten: even, so that half of it is a whole number, too."""


class Curve(NamedTuple):
    """A line over equally distant points, with the area below it."""

    path: str
    area: str
    top: int
    """The value at the upper edge: a round number."""


class Slice(NamedTuple):
    """A part of a bar: its beginning and its width in per cent, and the name of its colour."""

    x: float
    width: float
    name: str
    amount: int


def line(values: Sequence[int]) -> Curve:
    """Return a line through two values or more."""
    top = round_top(max(values, default=0) + 1)
    step = BOX / max(1, len(values) - 1)
    points = [f"{place * step:.2f},{BOX - BOX * value / top:.2f}" for place, value in enumerate(values)]
    path = "M" + "L".join(points)
    return Curve(path, f"{path}L{BOX},{BOX}L0,{BOX}Z", top)


def round_top(highest: int) -> int:
    """Return the lowest round number that is not below a value: 2, 4, 6, 8, 10, 12, 16, 20, 24, 30, …."""
    if highest <= _LOW_TOPS[-1]:
        return next(top for top in _LOW_TOPS if top >= highest)
    power = 1
    while _TOPS[-1] * power < highest:
        power *= 10
    return next(top * power for top in _TOPS if top * power >= highest)


def stack(parts: Sequence[tuple[str, int]]) -> list[Slice]:
    """Return the slices of a bar that fill its whole width; parts with a count of 0 are left out."""
    total, x, slices = sum(count for _, count in parts), 0.0, []
    for name, count in parts:
        if count:
            width = BOX * count / total
            slices.append(Slice(round(x, 2), round(width, 2), name, count))
            x += width
    return slices


def share(part: int, whole: int) -> float:
    """Return the width of a bar in per cent: the share of a part in its whole, 0 if there is none."""
    return unrounded_percent(part, whole) or 0.0


def heat(value: int, highest: int) -> int:
    """Return the shade of a value in a heat map: 0 for a value of 0, else 1 to `HEATS`."""
    return -(-HEATS * value // highest) if value and highest else 0
