"""The calls of a campaign by the hour, beside the likely ones of its forecast."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from dialer.console.charts.charts import BOX, round_top
from dialer.domain.figures.statistics import HOUR_MS
from dialer.domain.forecast.kept_forecast import KeptForecast
from dialer.store.queries.statistics import Counted, Hours

HOURS_SHOWN_MAX: Final = 48
HOURS_SHOWN_MIN: Final = 12
"""Hours of a chart with fewer; those after the last one are empty."""
PAST_SHOWN: Final = 24
"""Hours up to the present that are shown if the campaign takes longer than a chart has room for."""
HOURS_READ: Final = 168
LABELS: Final = 6
_GAP: Final = 0.16
"""The part of an hour's width that stays free at each side of its bar."""


class HourBar(NamedTuple):
    """An hour with its calls, and the band of the forecast, which is empty without one. Places are in per cent."""

    at_ms: int
    calls: int
    low: int
    high: int
    x: float
    width: float
    height: float
    band_y: float
    band_height: float
    is_labelled: bool


class HourChart(NamedTuple):
    """A drawing of hours; `top` is the value at its upper edge."""

    bars: list[HourBar]
    top: int
    has_band: bool


def hours_to_read(now_ms: int) -> Hours:
    """Return the hours whose calls a chart may show."""
    present = now_ms // HOUR_MS
    return Hours(present - HOURS_READ + 1, present + 1)


def draw_hours(counted: Sequence[Counted], kept: KeptForecast | None, now_ms: int) -> HourChart | None:
    """Return the chart of a campaign's hours; None if no hour has calls, and none is likely to."""
    happened = {group.hour or 0: group.figures.calls + group.figures.messages for group in counted}
    likely = {} if kept is None else {spread.hour: spread.calls for spread in kept.hours}
    shown = _shown({*happened, *likely}, now_ms // HOUR_MS)
    if not shown:
        return None
    highest = max((*(happened.get(hour, 0) for hour in shown), *(likely[hour].p90 for hour in shown if hour in likely)))
    top, width = round_top(highest), BOX / len(shown)
    every = -(-len(shown) // LABELS)
    bars = []
    for place, hour in enumerate(shown):
        calls, band = happened.get(hour, 0), likely.get(hour)
        low, high = (band.p10, band.p90) if band is not None else (0, 0)
        bars.append(
            HourBar(
                hour * HOUR_MS,
                calls,
                low,
                high,
                round((place + _GAP) * width, 2),
                round((1 - 2 * _GAP) * width, 2),
                round(BOX * calls / top, 2),
                round(BOX - BOX * high / top, 2),
                round(BOX * max(high - low, top / 40 if high else 0) / top, 2),
                is_labelled=place % every == 0,
            )
        )
    return HourChart(bars, top, bool(likely))


def _shown(hours: set[int], present: int) -> range:
    """Return the hours of a chart: all, or those around the present if they are too many."""
    if not hours:
        return range(0)
    first, last = min(hours), max(hours)
    if last - first < HOURS_SHOWN_MAX:
        return range(first, max(last + 1, first + HOURS_SHOWN_MIN))
    begin = max(first, min(present - PAST_SHOWN + 1, last - HOURS_SHOWN_MAX + 1))
    return range(begin, begin + HOURS_SHOWN_MAX)
