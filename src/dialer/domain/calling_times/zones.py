"""Zone keys: the time zones in which a callee may be, and the countries whose calling hours hold for them.

A zone key is text: an IANA name, several names joined by `&`, or a fixed offset such as `UTC+05:30`. Several names mean
that the number may be in any of these zones. The empty key stands for the service's own zone, and `UNKNOWN` for no
zone. A calling window is open for a key only while it is open in every zone of the key.

The countries are those to which the zone database assigns the zones, as far as they have calling hours of their own. If
others hold, the key names them behind `@`, such as `UTC+01:00@FR`, or ends with `@` if none does.
"""

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from dialer.domain.calling_times.country_hours import is_country, laws_of
from dialer.domain.numbers.numbering_plans import PrefixTable
from dialer.domain.places.places import NumberPlace, Places, country_of_zone

UNKNOWN: Final = "?"
"""The key of a subscriber whose own zone is not known, and who cannot be called at a time known to be legal."""
_OFFSET: Final = re.compile(r"[+-]?[0-9]{1,2}(\.[0-9]{1,2})?\Z")
_FIXED: Final = re.compile(r"UTC([+-])([0-9]{2}):([0-9]{2})\Z")
_AND: Final = "&"
_COUNTRIES: Final = "@"
_OFFSET_MINUTES_MAX: Final = 14 * 60
_HOUR_MINUTES: Final = 60
_NOT_ZONES: Final = frozenset({"localtime", "posixrules", "Factory"})
"""Files beside the zones that are not zones: the machine's own zone, default rules, and "not set yet"."""
_COPY_FOLDERS: Final = ("posix/", "right/")
"""Folders with copies of all zones, without and with leap seconds, on some systems."""
ZONE_CACHE_MAX: Final = 65_536


_STARTS: Final = (6, 8, 11)
"""Characters of the starts of numbers by which their keys are looked up."""


class NumberZones:
    """The zone keys of numbers, by the places of a process. Most numbers cost one look-up."""

    def __init__(self) -> None:
        self.learn({})

    def learn(self, taught: Mapping[str, NumberPlace]) -> None:
        """Replace the administrator's rows by others, keyed by the starts of numbers without `+`."""
        self.places = Places(taught)
        self.keys = PrefixTable(self._key_of_start, _STARTS)

    def _key_of_start(self, start: str, _length: int) -> str | None:
        is_settled = start.startswith("+") and self.places.is_settled(start)
        return _key_of_place(self.places.of(start)) if is_settled else None


NUMBER_ZONES: Final = NumberZones()
"""Those of this process. A process that reads settings teaches it the rows of their file once, at its start."""


def zone_of_number(number: str) -> str:
    """Return the zone key of a number in E.164; empty if it has no zone."""
    key = NUMBER_ZONES.keys.of(number)
    return _key_of_place(NUMBER_ZONES.places.of(number)) if key is None else key


def countries_of_number(number: str) -> tuple[str, ...]:
    """Return the countries to which a number in E.164 may belong, by ISO code; none if it is of no country."""
    place = NUMBER_ZONES.places.of(number)
    return () if place is None else place.countries


def countries_of_law(number: str) -> frozenset[str]:
    """Return the countries whose law may hold for a number: its own, and those of which they are territories."""
    return _with_laws(countries_of_number(number))


@lru_cache(maxsize=1_024)
def _with_laws(countries: tuple[str, ...]) -> frozenset[str]:
    return laws_of(countries).union(countries)


def _key_of_place(place: NumberPlace | None) -> str:
    if place is None:
        return ""
    return _key(tuple(zone for zone in place.zones if is_zone(zone)), laws_of(place.countries))


@lru_cache(maxsize=ZONE_CACHE_MAX)
def _key(zones: tuple[str, ...], laws: frozenset[str]) -> str:
    """Return the key of zones in which the laws of countries hold; without zones, that of the service's zone."""
    names = _AND.join(zones)
    if not names or laws == laws_of(map(country_of_zone, zones)):
        return names
    return f"{names}{_COUNTRIES}{_AND.join(sorted(laws))}"


@lru_cache(maxsize=1_024)
def is_zone(name: str) -> bool:
    """Return whether `name` is a zone of this machine's IANA database, except files that differ between machines."""
    if not name or name in _NOT_ZONES or name.startswith(("/", *_COPY_FOLDERS)) or ".." in name:
        return False
    try:
        ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return False
    return True


@lru_cache(maxsize=ZONE_CACHE_MAX)
def is_zone_key(key: str) -> bool:
    """Return whether this machine knows all zones of a key, which a machine with newer zones may have written."""
    return not key or (
        all(fixed_offset_minutes(name) is not None or is_zone(name) for name in zones_of_key(key))
        and all(map(is_country, countries_of_key(key)))
    )


def zones_of_key(key: str) -> tuple[str, ...]:
    """Return the names or offsets of the zones of a key that is not empty."""
    return tuple(key.partition(_COUNTRIES)[0].split(_AND))


@lru_cache(maxsize=ZONE_CACHE_MAX)
def countries_of_key(key: str) -> tuple[str, ...]:
    """Return the countries whose calling hours hold for a key, by ISO code."""
    _, is_explicit, countries = key.partition(_COUNTRIES)
    if is_explicit:
        return tuple(filter(None, countries.split(_AND)))
    return tuple(sorted(laws_of(map(country_of_zone, zones_of_key(key)))))


def zone_of_offset(gmt_offset: str) -> str | None:
    """Return the zone key of an offset in signed decimal hours (`-5`, `+5.5`); None if the text is not an offset."""
    if not _OFFSET.match(gmt_offset):
        return None
    minutes = round(float(gmt_offset) * _HOUR_MINUTES)
    if abs(minutes) > _OFFSET_MINUTES_MAX:
        return None
    hours, rest = divmod(abs(minutes), _HOUR_MINUTES)
    return f"UTC{'-' if minutes < 0 else '+'}{hours:02d}:{rest:02d}"


def fixed_offset_minutes(key: str) -> int | None:
    """Return the offset in minutes of a key from `zone_of_offset`; None for any other key."""
    match = _FIXED.match(key)
    if match is None:
        return None
    minutes = int(match[2]) * _HOUR_MINUTES + int(match[3])
    return -minutes if match[1] == "-" else minutes


def zone_key(*, tz_code: str, gmt_offset: str, number_zone: str, country: str = "") -> str:
    """Return the key that decides a subscriber's window: their zone, else offset, else their number's zone.

    An empty key stands for the service's own zone. `country` is the person's own country by ISO code, if it is known:
    its calling hours hold beside those of the number's country.
    """
    if tz_code:
        return _moved((tz_code,), number_zone, country, country_of_zone(tz_code)) if is_zone(tz_code) else UNKNOWN
    if gmt_offset:
        zone = zone_of_offset(gmt_offset)
        return UNKNOWN if zone is None else _moved((zone,), number_zone, country)
    return _moved(zones_of_key(number_zone), number_zone, country) if number_zone and country else number_zone


def _moved(zones: tuple[str, ...], number_zone: str, *countries: str | None) -> str:
    """Return the key of the zones of a person, with the laws of the number and of the person's countries."""
    return _key(zones, frozenset(countries_of_key(number_zone)) | laws_of(countries))
