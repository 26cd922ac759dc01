"""The band of an agent's day: what the agent did from the first hour to the last, drawn from left to right."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from dialer.console.charts.charts import BOX
from dialer.domain.figures.statistics import HOUR_MS
from dialer.domain.queueing.agent_days import Day
from dialer.domain.queueing.agent_periods import WorkSpan, WorkState

LABELS_MAX: Final = 8
HEIGHTS: Final = {
    WorkState.TALKING: 100,
    WorkState.WRAPPING_UP: 75,
    WorkState.LOOKING: 60,
    WorkState.RINGING: 45,
    WorkState.AVAILABLE: 30,
    WorkState.ON_BREAK: 15,
}
"""The height of each state in per cent, so that nobody need tell the colours apart."""


class BandPart(NamedTuple):
    """A part of the band, with its place and its size in per cent."""

    state: WorkState
    x: float
    width: float
    height: int


class DayBand(NamedTuple):
    """The drawing of a day, and the hours below it."""

    parts: list[BandPart]
    hours: list[tuple[int, bool]]
    """The begin of each hour, and whether it is labelled."""


def draw_band(spans: Sequence[WorkSpan], day: Day) -> DayBand | None:
    """Return the band of a day, from the hour of the first span to that of the last one; None without any."""
    if not spans:
        return None
    first_ms = day.from_ms + (spans[0].from_ms - day.from_ms) // HOUR_MS * HOUR_MS
    hours = -((first_ms - spans[-1].to_ms) // HOUR_MS)
    scale = BOX / (hours * HOUR_MS)
    parts = [
        BandPart(
            one.state,
            round((one.from_ms - first_ms) * scale, 4),
            round((one.to_ms - one.from_ms) * scale, 4),
            HEIGHTS[one.state],
        )
        for one in spans
    ]
    every = -(-hours // LABELS_MAX)
    return DayBand(parts, [(first_ms + number * HOUR_MS, number % every == 0) for number in range(hours)])
