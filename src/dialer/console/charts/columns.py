"""A chart of columns: one for each day or hour."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from dialer.console.charts.charts import BOX, round_top

COLUMNS_MAX: Final = 800
"""Columns of a chart: those of the latest times, if there are more."""
COLUMNS_MIN: Final = 12
"""Columns for which a chart has room, even if it has fewer."""
LABELS: Final = 6
_GAP: Final = 0.16
"""The part of a column's width that stays free at each side."""


class ChartColumn(NamedTuple):
    """A column with its key, its place and its size in per cent."""

    key: int
    calls: int
    x: float
    width: float
    height: float
    is_labelled: bool


class ColumnChart(NamedTuple):
    """A drawing of columns; `top` is the value at its upper edge, and `free` the number of places without a column."""

    columns: list[ChartColumn]
    top: int
    free: int


def draw_columns(counts: Sequence[tuple[int, int]]) -> ColumnChart | None:
    """Return the chart of counts with their keys, in their order; None without any count."""
    shown = counts[-COLUMNS_MAX:]
    highest = max((count for _, count in shown), default=0)
    if not highest:
        return None
    top, width, every = round_top(highest), BOX / max(len(shown), COLUMNS_MIN), -(-len(shown) // LABELS)
    columns = [
        ChartColumn(
            key,
            count,
            round((place + _GAP) * width, 3),
            round((1 - 2 * _GAP) * width, 3),
            round(BOX * count / top, 2),
            place % every == 0,
        )
        for place, (key, count) in enumerate(shown)
    ]
    return ColumnChart(columns, top, max(0, COLUMNS_MIN - len(shown)))
