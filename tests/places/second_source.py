"""The rows made by hand beside two other sources: the towns of their numbers, and the zones of phonenumbers."""

from collections.abc import Iterable, Iterator
from datetime import timedelta
from enum import StrEnum
from typing import Final, NamedTuple

from phonenumbers.tzdata import TIMEZONE_DATA

from dialer.domain.places.places import Places, table
from tests.places.hand_rows import ALL, ELSEWHERE, HandRow
from tests.places.named_places import Named, countries, named_places
from tests.places.zone_database import clock, old_names

DISAGREE: Final = {
    "52656": "phonenumbers names only the state, Chihuahua; the area code is that of Ciudad Juarez, which has the"
    " clock of El Paso since 2022",
}
"""Starts where the towns speak against our rows, and why our rows stand."""

Clocks = frozenset[tuple[timedelta | None, ...]]


class Verdict(StrEnum):
    """The word of the other sources on a row made by hand."""

    TOWNS = "towns"
    """Its towns have its clocks."""
    WIDER = "wider"
    """Its towns have some of its clocks: the row is the careful answer."""
    LIBRARY = "library"
    """phonenumbers names no town of it, and has its clocks or some of them."""
    ALONE = "alone"
    """No other source has it, or it says something else."""


class Judged(NamedTuple):
    """A start of a row made by hand, its country, and what the other sources say."""

    start: str
    country: str
    row: HandRow
    verdict: Verdict


def contradictions() -> Iterator[Named]:
    """Yield the rows of the towns with a clock that our table does not have for any of their numbers."""
    places = Places()
    for named in named_places():
        place = places.of(f"+{named.start}")
        below = [zone for start, row in table().items() if start.startswith(named.start) for zone in row.zones]
        if not clocks(named.zones) <= clocks([*(place.zones if place else ()), *below]):
            yield named


def judged() -> Iterator[Judged]:
    """Yield each start of a row made by hand, in countries with several clocks, with the verdict."""
    codes = {code: country for country, code in countries().items()}
    towns = list(named_places())
    for row in ELSEWHERE:
        for start in row.prefixes.split() if row.zones != ALL else ():
            country = next((country for code, country in codes.items() if start.startswith(code)), None)
            if country is not None:
                yield Judged(start, country, row, _verdict(start, row, towns))


def clocks(zones: Iterable[str]) -> Clocks:
    """Return the clocks of zones."""
    return frozenset(map(clock, zones))


def _verdict(start: str, row: HandRow, towns: list[Named]) -> Verdict:
    own = clocks(row.zones.split())
    near = [named for named in towns if named.start.startswith(start) or start.startswith(named.start)]
    found = clocks(zone for named in near for zone in named.zones)
    if start not in DISAGREE and found & own:
        return Verdict.TOWNS if own <= found else Verdict.WIDER
    library = next((TIMEZONE_DATA[start[:end]] for end in range(len(start), 0, -1) if start[:end] in TIMEZONE_DATA), ())
    has = clocks(old_names().get(zone, zone) for zone in library)
    return Verdict.LIBRARY if has and has <= own else Verdict.ALONE
