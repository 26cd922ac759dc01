"""Numbers that a window never reaches: no hour suits all zones where they may be, and the law of their country."""

from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta
from functools import cache
from typing import Final, NamedTuple

from dialer.domain.calling_times.calendars import Calendar
from dialer.domain.calling_times.calling_windows import window_at
from dialer.domain.calling_times.zones import zone_of_number
from dialer.domain.places.places import NumberPlace, table
from tests.places.zone_database import clock
from tests.world.short_texts import digest

YEAR: Final = 2027
HOURS: Final = Calendar(start=time(8), stop=time(21))
"""The calling hours of the service."""
WINDOWS: Final = {"08:00-21:00": HOURS, "09:00-17:00": Calendar(start=time(9), stop=time(17))}
STARTS_TOLD_MAX: Final = 12
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND: Final = timedelta(milliseconds=1)
_HOUR: Final = timedelta(hours=1)


class Never(NamedTuple):
    """Starts of numbers with the same place that a window never reaches."""

    window: str
    place: NumberPlace
    starts: tuple[str, ...]


def never_called() -> Iterator[Never]:
    """Yield the places that each window never reaches in `YEAR`, by the rows of the table."""
    places: dict[NumberPlace, list[str]] = {}
    for start, place in table().items():
        places.setdefault(place, []).append(start)
    for window, calendar in WINDOWS.items():
        for place, starts in sorted(places.items(), key=lambda row: row[1]):
            if not is_reached(zone_of_start(starts[0]), calendar):
                yield Never(window, place, tuple(starts))


def rows() -> Iterator[str]:
    """Yield a row for each place that a window never reaches."""
    for window, place, starts in never_called():
        some = " ".join(starts[:STARTS_TOLD_MAX])
        told = some if len(starts) <= STARTS_TOLD_MAX else f"{some} ... ({digest(' '.join(starts))})"
        countries = ", ".join(place.countries)
        clocks, apart = _apart(place.zones)
        yield f"| {window} | {countries} | {len(starts)} | {told} | {clocks} | {apart} |"


def zone_of_start(start: str) -> str:
    """Return the zone key of the numbers that begin with a start, and with no longer one of the table."""
    key = zone_of_number(f"+{start}")
    assert key
    return key


@cache
def is_reached(key: str, calendar: Calendar) -> bool:
    """Return whether a window opens for people with a zone key at any moment of `YEAR`."""
    at_ms, end_ms = (round((_midnight(year) - _EPOCH) / _MILLISECOND) for year in (YEAR, YEAR + 1))
    while at_ms < end_ms:
        found = window_at(calendar, key, at_ms, HOURS)
        if found.is_open:
            return True
        at_ms = found.until_ms
    return False


def _midnight(year: int) -> datetime:
    return datetime.combine(date(year, 1, 1), time(0), tzinfo=UTC)


def _apart(zones: tuple[str, ...]) -> tuple[int, str]:
    """Return how many clocks zones have, and the hours between the first and the last on the day with the fewest."""
    days = list(zip(*map(clock, zones), strict=True))
    spans = [max(found) - min(found) for day in days if (found := [offset for offset in day if offset is not None])]
    return len(zones), f"{min(spans) / _HOUR:g} hours"
