"""Numbers of agents against what becomes of their callers: lines in per cent."""

from collections.abc import Sequence
from typing import NamedTuple

from dialer.console.charts.charts import BOX


class AgentsPoint(NamedTuple):
    """A number of agents, with the shares of their callers by outcome, in per cent. None: unknown."""

    agents: int
    taken_in_time: float
    erlang_taken_in_time: float | None
    abandoned: float


class StaffingChart(NamedTuple):
    """The paths of the three lines in a box of 100 by 100, and the numbers of agents below them."""

    taken_in_time: str
    erlang_taken_in_time: str
    abandoned: str
    agents: tuple[int, ...]


def draw_staffing(points: Sequence[AgentsPoint]) -> StaffingChart | None:
    """Return the chart of numbers of agents in growing order; None with fewer than two."""
    if len(points) < 2:  # noqa: PLR2004 - a line has two ends
        return None
    return StaffingChart(
        _path([point.taken_in_time for point in points]),
        _path([point.erlang_taken_in_time for point in points]),
        _path([point.abandoned for point in points]),
        tuple(point.agents for point in points),
    )


def _path(values: Sequence[float | None]) -> str:
    """Return a line through values at equal distances, which lifts the pen where there is none."""
    step, path, is_down = BOX / (len(values) - 1), "", False
    for place, value in enumerate(values):
        if value is not None:
            path += f"{'L' if is_down else 'M'}{place * step:.2f},{BOX - value:.2f}"
        is_down = value is not None
    return path
