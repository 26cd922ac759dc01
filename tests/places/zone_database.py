"""The zone database of the tzdata package: the countries of its zones, and the zones whose clocks agree.

The package's own files are read, not those of the machine, so every machine makes the same tables.
"""

from collections import defaultdict
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from functools import cache
from importlib.resources import files
from typing import Final
from zoneinfo import ZoneInfo

AGREE_FROM: Final = datetime(2026, 11, 28, tzinfo=UTC)
"""Zones share a clock if they show the same time from this day on."""
AGREE_DAYS: Final = 6 * 366
_NO_PLACES: Final = frozenset(
    {"CET", "MET", "EET", "WET", "EST", "MST", "HST", "EST5EDT", "CST6CDT", "MST7MDT", "PST8PDT"}
)
"""Names of clocks that are links to a zone, but say nothing of a country."""
_OTHER_COUNTRIES: Final = {
    "Africa/Asmera": "ER",
    "Africa/Timbuktu": "ML",
    "America/Coral_Harbour": "CA",
    "America/Virgin": "VI",
    "Atlantic/Jan_Mayen": "SJ",
    "Iceland": "IS",
    "Pacific/Johnston": "UM",
    "Pacific/Ponape": "FM",
    "Pacific/Truk": "FM",
    "Pacific/Yap": "FM",
}
"""Old names that are links to a zone of another country, which had the same clock since 1970."""


WITHOUT_ROW: Final = {"AC": ("Atlantic/St_Helena",), "TA": ("Atlantic/St_Helena",), "XK": ("Europe/Belgrade",)}
"""Zones of places with a calling code that `zone.tab` has no row for: Ascension, Tristan da Cunha, Kosovo."""


@cache
def lines(name: str) -> tuple[str, ...]:
    """Return the lines of a table of the database, without comments."""
    text = (files("tzdata") / "zoneinfo" / name).read_text("utf-8")
    return tuple(line for line in text.splitlines() if line and not line.startswith("#"))


@cache
def zones_of_countries() -> dict[str, tuple[str, ...]]:
    """Return the zones of each country, in the order of `zone.tab`."""
    found: dict[str, list[str]] = defaultdict(list)
    for line in lines("zone.tab"):
        country, _, zone = line.split("\t")[:3]
        found[country].append(zone)
    return {country: tuple(zones) for country, zones in found.items()} | WITHOUT_ROW


@cache
def country_of_zones() -> dict[str, str]:
    """Return the country of each zone of `zone.tab`."""
    countries = zones_of_countries().items()
    return {zone: country for country, zones in countries if country not in WITHOUT_ROW for zone in zones}


@cache
def old_names() -> dict[str, str]:
    """Return the zone of `zone.tab` for which each old name stands, if both are of one country."""
    links = {parts[2]: parts[1] for line in lines("tzdata.zi") if (parts := line.split())[0] == "L"}
    named = country_of_zones()
    return {
        old: zone
        for old, zone in links.items()
        if old not in named and old not in _NO_PLACES and old not in _OTHER_COUNTRIES and zone in named
    }


def country_of_names() -> dict[str, str]:
    """Return the country of each zone and of each old name of a zone."""
    named = country_of_zones()
    return {**named, **{old: named[zone] for old, zone in old_names().items()}, **_OTHER_COUNTRIES}


@cache
def clock(zone: str) -> tuple[timedelta | None, ...]:
    """Return the offsets of a zone from UTC at the same time of each day for years."""
    name = files("tzdata") / "zoneinfo" / zone
    with name.open("rb") as file:
        rules = ZoneInfo.from_file(file, zone)
    moments = (AGREE_FROM + timedelta(days=day) for day in range(AGREE_DAYS))
    return tuple(moment.astimezone(rules).utcoffset() for moment in moments)


def with_own_clocks(zones: Iterable[str]) -> tuple[str, ...]:
    """Return the first of the zones for each clock, in the order of the zones."""
    first: dict[tuple[timedelta | None, ...], str] = {}
    for zone in zones:
        first.setdefault(clock(zone), zone)
    return tuple(first.values())
