"""The rows of the tables: by the start of a number, its countries and its zones.

phonenumbers tells the country of a start, and for North America the zone of area codes and exchanges. The zone database
tells the zones of a country. Where the two disagree, the row is made by hand.
"""

from collections import defaultdict
from collections.abc import Iterable
from functools import cache
from typing import Final, NamedTuple

import phonenumbers
from phonenumbers.tzdata import TIMEZONE_DATA

from tests.places.hand_rows import ALL, COUNTRIES_OF_START, ELSEWHERE, NORTH_AMERICA, ONE_CLOCK, OVERLAYS, HandRow
from tests.places.regions import regions_by_start
from tests.places.zone_database import (
    country_of_zones,
    old_names,
    with_own_clocks,
    zones_of_countries,
)

NORTH_AMERICAN: Final = 1
_AREA_CODES: Final = range(200, 1_000)
_RESTS: Final = ("5550100", "2345678")
"""Numbers that an area code has."""
_UNKNOWN: Final = "an area code that phonenumbers does not know: anywhere in the United States and in Canada"
_NATIONWIDE: Final = "numbers that are nationwide, and those that no plan has: all clocks of the country"


class Row(NamedTuple):
    """The countries and the zones of numbers, and a reason if the row does not follow from the sources."""

    countries: tuple[str, ...]
    zones: tuple[str, ...]
    reason: str = ""


Rows = dict[str, Row]


def rows_elsewhere() -> Rows:
    """Return the rows of all calling codes but +1, by prefix without `+`."""
    rows: Rows = {}
    for code, (main, *_) in phonenumbers.COUNTRY_CODE_TO_REGION_CODE.items():
        if code == NORTH_AMERICAN or main not in zones_of_countries():
            continue  # Numbers of no country, such as +800, have no zone.
        rows[str(code)] = _whole((main,), str(code))
        if len(phonenumbers.COUNTRY_CODE_TO_REGION_CODE[code]) > 1:
            rows |= {start: _whole(regions, start) for start, regions in regions_by_start(code)}
    rows |= {start: _whole(countries, start) for start, countries in COUNTRIES_OF_START.items()}
    return _without_repeats(rows | _by_hand(ELSEWHERE, rows))


def rows_of_north_america() -> Rows:
    """Return the rows of +1, by prefix without `+`."""
    united = _clocks(("CA", "US"))
    rows: Rows = {"1": Row(("CA", "US"), united, _UNKNOWN)}
    for area in map(str, _AREA_CODES):
        country = _country_of_area(area)
        if country is not None:
            rows |= _rows_of_area(f"1{area}", country)
    everywhere = tuple(sorted(phonenumbers.COUNTRY_CODE_TO_REGION_CODE[NORTH_AMERICAN]))
    for made in NORTH_AMERICA:
        for start in made.prefixes.split():
            if made.zones == ALL:
                rows[start] = Row(everywhere, _clocks(everywhere), made.reason)
            else:
                rows[start] = Row(_longest(rows, start).countries, in_order(made.zones.split()), made.reason)
    for overlay, base in OVERLAYS.items():
        rows[overlay] = rows[base]._replace(reason=f"laid over {base}")
    return _without_repeats(rows)


def _rows_of_area(start: str, country: str) -> Rows:
    """Return the rows of an area code and of its exchanges. An exchange without a row may have any clock of them."""
    below = {
        prefix: Row((country,), zones)
        for prefix, names in TIMEZONE_DATA.items()
        if prefix.startswith(start) and (zones := _of_country(names, country))
    }
    if country not in {"US", "CA"} or not below:
        return {start: _whole((country,), start)}
    zones = in_order(zone for row in below.values() for zone in row.zones)
    return {**below, start: Row((country,), zones)}


def _country_of_area(area: str) -> str | None:
    for rest in _RESTS:
        number = phonenumbers.PhoneNumber(NORTH_AMERICAN, int(f"{area}{rest}"))
        country = phonenumbers.region_code_for_number(number)
        if country is not None:
            return str(country)
    return None


def _by_hand(made: Iterable[HandRow], rows: Rows) -> Rows:
    found: Rows = {}
    for row in made:
        for start in row.prefixes.split():
            countries = _longest(rows, start).countries
            zones = _clocks(countries) if row.zones == ALL else in_order(row.zones.split())
            found[start] = Row(countries, zones, row.reason)
    return found


def _whole(countries: tuple[str, ...], start: str) -> Row:
    """Return a row with all clocks of countries, named as phonenumbers names the zone if it is one of theirs."""
    reasons = [ONE_CLOCK[country][1] for country in countries if country in ONE_CLOCK]
    zones = _clocks(countries)
    if len(zones) == 1 and not reasons:
        starts = (start[:end] for end in range(len(start), 0, -1))
        library = next((TIMEZONE_DATA[one] for one in starts if one in TIMEZONE_DATA), ())
        zones = tuple(zone for country in countries for zone in _of_country(library, country))[:1] or zones
    return Row(countries, zones, "; ".join(reasons) or (_NATIONWIDE if len(zones) > 1 else ""))


def _clocks(countries: Iterable[str]) -> tuple[str, ...]:
    zones: list[str] = []
    for country in countries:
        zones += [ONE_CLOCK[country][0]] if country in ONE_CLOCK else zones_of_countries()[country]
    return in_order(zones)


def _of_country(names: Iterable[str], country: str) -> tuple[str, ...]:
    """Return the zones of phonenumbers that the zone database gives to a country, by the names that it has today."""
    today = (old_names().get(name, name) for name in names)
    return in_order(name for name in today if country_of_zones().get(name) == country)


def in_order(zones: Iterable[str]) -> tuple[str, ...]:
    """Return the zones with clocks of their own, by name.

    Of those that share one, it is the first that phonenumbers knows, in the order of `zone.tab`.
    """
    order = list(country_of_zones())
    ranked = sorted(set(zones), key=lambda zone: (zone not in _known_to_the_library(), order.index(zone)))
    return tuple(sorted(with_own_clocks(ranked)))


@cache
def _known_to_the_library() -> frozenset[str]:
    return frozenset(old_names().get(name, name) for names in TIMEZONE_DATA.values() for name in names)


def _longest(rows: Rows, start: str) -> Row:
    return next(rows[start[:end]] for end in range(len(start), 0, -1) if start[:end] in rows)


def _without_repeats(rows: Rows) -> Rows:
    """Leave out rows that say what the next shorter prefix says."""
    kept: Rows = {}
    for start in sorted(rows, key=lambda start: (len(start), start)):
        row = rows[start]
        shorter = [kept[start[:end]] for end in range(len(start) - 1, 0, -1) if start[:end] in kept]
        if not shorter or shorter[0][:2] != row[:2]:
            kept[start] = row
    return kept


def starts_by_row(rows: Rows) -> dict[Row, list[str]]:
    """Return the starts of each row, in the order of the first start."""
    found: dict[Row, list[str]] = defaultdict(list)
    for start in sorted(rows):
        found[rows[start]].append(start)
    return found
