"""Rows of places that an administrator teaches: lines such as `+1436 America/New_York US`."""

import re
from typing import Final

from dialer.domain.calling_times.zones import is_zone
from dialer.domain.places.places import NumberPlace, Places, country_of_name, country_of_zone

LINES_MAX: Final = 10_000
ZONES_MAX: Final = 20
"""Zones of a line."""
_START: Final = re.compile(r"\+[1-9][0-9]{0,14}")
_COMMENT: Final = "#"
_AND: Final = "&"
_WORDS: Final = (2, 3)
_FORM: Final = "write a start of numbers, a zone and, if you like, a country, such as '+1436 America/New_York US'"


class TaughtPlacesError(ValueError):
    """An error for a line that cannot be read: it has the number of the line, and what would be right."""


def read_taught_places(text: str) -> dict[str, NumberPlace]:
    """Return the place of each start of numbers, without `+`. Blank lines and what follows a `#` do not count.

    Raises:
        TaughtPlacesError: a line is wrong, a start stands there twice, or there are too many lines.
    """
    found: dict[str, NumberPlace] = {}
    lines = text.splitlines()
    if len(lines) > LINES_MAX:
        raise TaughtPlacesError(f"it has {len(lines)} lines: {LINES_MAX} are the most")
    for number, line in enumerate(lines, 1):
        words = line.partition(_COMMENT)[0].split()
        if not words:
            continue
        try:
            start, place = _read_line(words)
            if start in found:
                raise TaughtPlacesError(f"'+{start}' stands in an earlier line too: keep one of them")  # noqa: TRY301
        except TaughtPlacesError as error:
            raise TaughtPlacesError(f"line {number}: {error}") from None
        found[start] = place
    return found


def _read_line(words: list[str]) -> tuple[str, NumberPlace]:
    if len(words) not in _WORDS:
        raise TaughtPlacesError(f"{' '.join(words)[:80]!r} has {len(words)} words: {_FORM}")
    start, zones = words[0], tuple(words[1].split(_AND))
    if not _START.fullmatch(start):
        raise TaughtPlacesError(f"{start[:80]!r} is no start of numbers: write '+' and digits, such as '+1436'")
    unknown = next((zone for zone in zones if not is_zone(zone)), None)
    if unknown is not None or len(zones) > ZONES_MAX:
        raise TaughtPlacesError(f"{words[1][:80]!r} is no time zone: write an IANA name, such as 'America/New_York'")
    return start[1:], NumberPlace(_countries(start, zones, words[2:]), tuple(sorted({*zones})))


def _countries(start: str, zones: tuple[str, ...], words: list[str]) -> tuple[str, ...]:
    """Return the countries of a line: those that it names, else those of its zones, else those of such numbers."""
    if words:
        named = tuple(sorted({*words[0].split(_AND)}))
        known = {*country_of_name().values()}
        if not known.issuperset(named):
            raise TaughtPlacesError(f"{words[0][:80]!r} is no country: write its ISO code, such as 'US'")
        return named
    of_zones = {country for zone in zones if (country := country_of_zone(zone)) is not None}
    place = Places().of(start)
    return tuple(sorted(of_zones)) or (() if place is None else place.countries)
