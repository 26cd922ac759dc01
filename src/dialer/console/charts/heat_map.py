"""The heat map of a campaign: answered calls by the hour at the callee, one row for each time zone."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Final, NamedTuple
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from dialer.console.charts.charts import heat
from dialer.domain.calling_times.zones import fixed_offset_minutes, zones_of_key
from dialer.domain.figures.statistics import HOUR_MS, unrounded_percent
from dialer.store.queries.statistics import Counted

ROWS_MAX: Final = 12
"""Zones that are shown: those with the most calls."""
HOURS: Final = range(24)


class HeatCell(NamedTuple):
    """The calls of one local hour in one zone."""

    hour: int
    calls: int
    shade: int
    answered: float | None
    """The share of answered calls in per cent."""


class HeatRow(NamedTuple):
    """A zone with its hours."""

    zone: str
    calls: int
    cells: list[HeatCell]


def heat_rows(counted: Sequence[Counted], service_zone: str) -> list[HeatRow]:
    """Return the zones with the most calls, each with its 24 local hours. Calls without a zone are in the service's."""
    sums: dict[str, list[list[int]]] = {}
    for group in counted:
        zone = zones_of_key(group.member or service_zone)[0]
        hour = _local_hour((group.hour or 0) * HOUR_MS, zone)
        cell = sums.setdefault(zone, [[0, 0] for _ in HOURS])[hour]
        cell[0] += group.figures.calls or group.figures.messages
        cell[1] += group.figures.answered or group.figures.delivered
    highest = max((cell[0] for cells in sums.values() for cell in cells), default=0)
    rows = [HeatRow(zone, sum(cell[0] for cell in cells), _cells(cells, highest)) for zone, cells in sums.items()]
    return sorted(rows, key=lambda row: (-row.calls, row.zone))[:ROWS_MAX]


def _cells(cells: list[list[int]], highest: int) -> list[HeatCell]:
    return [
        HeatCell(hour, calls, heat(calls, highest), unrounded_percent(answered, calls))
        for hour, (calls, answered) in enumerate(cells)
    ]


def _local_hour(at_ms: int, zone: str) -> int:
    """Return the hour of the day in a zone; of an unknown one, that in UTC."""
    at, minutes = datetime.fromtimestamp(at_ms / 1_000, UTC), fixed_offset_minutes(zone)
    if minutes is not None:
        return (at + timedelta(minutes=minutes)).hour
    try:
        return at.astimezone(ZoneInfo(zone)).hour
    except (ZoneInfoNotFoundError, ValueError):
        return at.hour
