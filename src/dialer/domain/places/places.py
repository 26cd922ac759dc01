"""The places of numbers: the countries to which a number may belong, and the time zones in which its callee may be.

The rows come from the metadata of phonenumbers and from the zone database, by `python -m tests.places`. They name zones
of the number's own countries only, and one zone for those that share a clock. An administrator can teach further rows.
"""

from collections.abc import Iterator, Mapping
from functools import cache, cached_property
from hashlib import sha256
from itertools import chain
from typing import Final, NamedTuple

from dialer.domain.places import elsewhere, north_america, zone_countries

START_MAX: Final = 15
"""Digits of the longest start of numbers."""
_NORTH_AMERICA: Final = "1"
_COMMENT: Final = "#"
_COLON: Final = ":"
_AND: Final = "&"


class NumberPlace(NamedTuple):
    """The countries of a number by ISO code, and the IANA names of the zones in which its callee may be."""

    countries: tuple[str, ...]
    zones: tuple[str, ...]


class Places:
    """The places of all numbers, by how they begin. The longest start decides.

    A taught start goes before all rows of the tables that begin with it.
    """

    def __init__(self, taught: Mapping[str, NumberPlace] | None = None) -> None:
        """Take rows that an administrator has taught, by their starts without `+`."""
        self.taught: Final = dict(taught or {})
        starts = tuple(self.taught)
        own = {start: place for start, place in table().items() if not start.startswith(starts)} if starts else table()
        self._rows: Final[Mapping[str, NumberPlace]] = {**own, **self.taught}

    def of(self, number: str) -> NumberPlace | None:
        """Return the place of a number in E.164; None if it is that of no country."""
        return self._longest(number[1:]) if number.startswith("+") else None

    def is_unknown(self, number: str) -> bool:
        """Return whether a number has an area code of +1 that no row has: it may be in either of two countries."""
        return self.of(number) == self._rows[_NORTH_AMERICA]

    def digest(self) -> str:
        """Return a text that is another one for other rows."""
        rows = (f"{start} {place}\n" for start, place in sorted(self._rows.items()))
        return sha256("".join(rows).encode()).hexdigest()

    def is_settled(self, start: str) -> bool:
        """Return whether all numbers that begin with a start such as `+1202` have one place."""
        return start[1:] not in self._go_on

    @cached_property
    def _go_on(self) -> frozenset[str]:
        """The beginnings of longer starts. They are found once the first number is looked up."""
        return frozenset(start[:end] for start in self._rows for end in range(len(start)))

    def _longest(self, digits: str) -> NumberPlace | None:
        for end in range(min(len(digits), START_MAX), 0, -1):
            place = self._rows.get(digits[:end])
            if place is not None:
                return place
        return None


@cache
def table() -> Mapping[str, NumberPlace]:
    """Return the place of each start of numbers, without `+`, as the tables have it."""
    return {
        start: NumberPlace(countries, zones)
        for countries, zones, starts in chain(_rows(elsewhere.ROWS), _rows(north_america.ROWS))
        for start in starts
    }


@cache
def country_of_name() -> Mapping[str, str]:
    """Return the country of each zone, and of each older name of one."""
    return {zone: country for (country,), zones, _ in _rows(zone_countries.ZONES) for zone in zones}


def country_of_zone(zone: str) -> str | None:
    """Return the country to which the zone database assigns a zone; None for zones of no country, such as `UTC`."""
    return country_of_name().get(zone)


@cache
def zones_of_country(country: str) -> tuple[str, ...]:
    """Return one time zone for each clock of a country; none for a country without numbers."""
    places = [place for place in table().values() if place.countries == (country,)]
    return max((place.zones for place in places), key=len, default=())


def _rows(text: str) -> Iterator[tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]]:
    """Yield the countries, the zones and the starts of each row, which begins with countries and a colon."""
    lines = (line for line in text.splitlines() if not line.startswith(_COMMENT))
    countries, words = "", list[str]()
    for word in chain.from_iterable(line.split() for line in lines):
        if word.endswith(_COLON):
            if words:
                yield _row(countries, words)
            countries, words = word.removesuffix(_COLON), []
        else:
            words.append(word)
    yield _row(countries, words)


def _row(countries: str, words: list[str]) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    starts = tuple(filter(str.isdigit, words))
    return tuple(countries.split(_AND)), tuple(words[: len(words) - len(starts)]), starts
