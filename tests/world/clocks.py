"""Zones and clocks as the zone database of the package tzdata has them."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from functools import cache
from importlib.resources import files
from typing import Final
from zoneinfo import ZoneInfo

from dialer.domain.places.places import table
from tests.places.zone_database import with_own_clocks, zones_of_countries
from tests.world.short_texts import day, digest, offset

YEAR: Final = 2027
YEARS: Final = 6
"""The years from `YEAR` on that the digest of a country's clocks covers."""
_HOUR: Final = timedelta(hours=1)


def clock_facts(country: str) -> str:
    """Return the clocks of a country in `YEAR`, and a digest of those of `YEARS`, as cells of a table."""
    zones = zones_of_countries().get(country, ())
    clocks = "; ".join(_in_words(zone) for zone in with_own_clocks(zones))
    years = "".join(str(_changes(zone, YEARS)) for zone in zones)
    return f"{len(zones)} | {clocks or 'none'} | {digest(years)}"


def north_american() -> Iterator[str]:
    """Yield a row for the countries of numbers that begin with +1: their area codes, and a digest of their zones."""
    starts: dict[str, list[str]] = {}
    for start, place in sorted(table().items()):
        if start.startswith("1"):
            starts.setdefault("&".join(place.countries), []).append(f"{start} {' '.join(place.zones)}")
    for countries, rows in sorted(starts.items()):
        areas = {row[1:4] for row in rows}
        yield f"| {countries.replace('&', ', ')} | {len(areas)} | {len(rows)} | {digest(' '.join(rows))} |"


def _in_words(zone: str) -> str:
    """Return a zone with its offset at first, and its changes, such as `Europe/Paris +1 (28 Mar +2, 31 Oct +1)`."""
    (_, first), *changes = _changes(zone, 1)
    moved = ", ".join(f"{day(at)} {offset(to)}" for at, to in changes)
    return f"{zone} {offset(first)} ({moved})" if moved else f"{zone} {offset(first)}"


@cache
def _changes(zone: str, years: int) -> list[tuple[datetime, timedelta]]:
    """Return the offset of a zone at the beginning of `YEAR`, and each change in the years after, to the hour."""
    with (files("tzdata") / "zoneinfo" / zone).open("rb") as file:
        rules = ZoneInfo.from_file(file, zone)

    def at(moment: datetime) -> timedelta:
        found = moment.astimezone(rules).utcoffset()
        assert found is not None
        return found

    begin, end = datetime(YEAR, 1, 1, tzinfo=UTC), datetime(YEAR + years, 1, 1, tzinfo=UTC)
    found = [(begin, at(begin))]
    moment = begin
    while moment < end:
        later = moment + timedelta(days=1)
        if at(later) != at(moment):
            while at(moment) == found[-1][1]:
                moment += _HOUR
            found.append((moment, at(moment)))
        moment = later
    return found
