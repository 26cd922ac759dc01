"""Zone keys: the time zones in which a callee may be.

A zone key is text: an IANA name, several names joined by `&`, or a fixed offset such as `UTC+05:30`. Several names mean
that the number may be in any of these zones. The empty key stands for the service's own zone, and `UNKNOWN` for no
zone. A calling window is open for a key only while it is open in every zone of the key.

A key may end with `@` and countries, such as `UTC+01:00@FR`. They are countries with calling hours of their own, to
which the number belongs although the zone is not one of theirs.
"""

import re
from functools import lru_cache
from typing import Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import phonenumbers
from phonenumbers import timezone
from phonenumbers.tzdata import TIMEZONE_DATA

from dialer.domain.calling_times.country_hours import country_of_zone, is_country
from dialer.domain.numbers.by_the_library import NUMBERS_KEPT_MAX, parse
from dialer.domain.numbers.normal_form import is_in_normal_form
from dialer.domain.numbers.numbering_plans import PrefixTable, is_anywhere, split

UNKNOWN: Final = "?"
"""The key of a subscriber whose own zone is not known, and who cannot be called at a time known to be legal."""
_UNKNOWN_ZONE: Final = "Etc/Unknown"
_OFFSET: Final = re.compile(r"[+-]?[0-9]{1,2}(\.[0-9]{1,2})?\Z")
_FIXED: Final = re.compile(r"UTC([+-])([0-9]{2}):([0-9]{2})\Z")
_AND: Final = "&"
_COUNTRIES: Final = "@"
_OFFSET_MINUTES_MAX: Final = 14 * 60
_HOUR_MINUTES: Final = 60
_ZONES_ADDED: Final = {"+617": "Australia/Brisbane"}
"""Zones that are missing in the numbering plan's data: Queensland has no summer time, and shares its area code."""
_NOT_ZONES: Final = frozenset({"localtime", "posixrules", "Factory"})
"""Files beside the zones that are not zones: the machine's own zone, default rules, and "not set yet"."""
_COPY_FOLDERS: Final = ("posix/", "right/")
"""Folders with copies of all zones, without and with leap seconds, on some systems."""
ZONE_CACHE_MAX: Final = 65_536


def zone_of_number(number: str) -> str:
    """Return the zone key of a number in E.164; empty where the numbering plan gives no zone."""
    if not number.startswith("+"):
        return ""
    zone = _ZONES.of(number)
    return _zone_by_the_library(number) if zone is None else zone


def _zone_of_start(start: str, length: int) -> str | None:
    """Return the zone key of all numbers of a length that begin with a start, such as `+1202`; None if they differ."""
    parts = split(start, length) if is_in_normal_form(start, length) else None
    if parts is None or start[1:] in _ZONES_GO_ON:
        return None
    prefixes = (start[1:end] for end in range(len(start), 1, -1))
    names = next((TIMEZONE_DATA[prefix] for prefix in prefixes if prefix in TIMEZONE_DATA), ())
    everywhere = TIMEZONE_DATA.get(str(parts[0]), names)
    if names != everywhere:
        is_everywhere = is_anywhere(*parts)
        if is_everywhere is None:
            return None
        names = everywhere if is_everywhere else names
    return _zone_key(start, names)


_ZONES_GO_ON: Final = frozenset(prefix[:end] for prefix in TIMEZONE_DATA for end in range(len(prefix)))
"""Starts of numbers whose zones depend on further digits."""
_ZONES: Final = PrefixTable(_zone_of_start, (6, 8, 11))


@lru_cache(maxsize=NUMBERS_KEPT_MAX)
def _zone_by_the_library(number: str) -> str:
    parsed = parse(number)
    if parsed is None:
        return ""
    names = timezone.time_zones_for_geographical_number(parsed)
    everywhere = TIMEZONE_DATA.get(str(parsed.country_code), names)
    if names != everywhere and _is_not_geographical(parsed):
        names = everywhere
    return _zone_key(number, names)


def _zone_key(start: str, names: tuple[str, ...]) -> str:
    """Return the key of the zones that the metadata have for numbers, with those that are missing there."""
    return _joined((*names, *[zone for prefix, zone in _ZONES_ADDED.items() if start.startswith(prefix)]))


def _is_not_geographical(parsed: phonenumbers.PhoneNumber) -> bool:
    """Return whether a number can be anywhere in its country, like mobile numbers in most countries."""
    kind = phonenumbers.number_type(parsed)
    is_known = kind != phonenumbers.PhoneNumberType.UNKNOWN
    return is_known and not phonenumbers.is_number_type_geographical(kind, parsed.country_code or 0)


@lru_cache(maxsize=ZONE_CACHE_MAX)
def _joined(names: tuple[str, ...]) -> str:
    return _AND.join(sorted(name for name in {*names} if name != _UNKNOWN_ZONE and is_zone(name)))


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


def countries_of_key(key: str) -> tuple[str, ...]:
    """Return the countries that a key names, by ISO code."""
    return tuple(filter(None, key.partition(_COUNTRIES)[2].split(_AND)))


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
        return _with_countries(tz_code, number_zone, country) if is_zone(tz_code) else UNKNOWN
    if gmt_offset:
        zone = zone_of_offset(gmt_offset)
        return UNKNOWN if zone is None else _with_countries(zone, number_zone, country)
    return _with_countries(number_zone, number_zone, country) if number_zone and country else number_zone


@lru_cache(maxsize=ZONE_CACHE_MAX)
def _with_countries(zones: str, number_zone: str, country: str) -> str:
    """Return the key of zones, with the countries of the number and of the person that have hours and other zones."""
    zones = zones.partition(_COUNTRIES)[0]
    countries = {country_of_zone(name) for name in zones_of_key(number_zone)} | {
        country if is_country(country) else None
    }
    countries -= {None, *map(country_of_zone, zones_of_key(zones))}
    return f"{zones}{_COUNTRIES}{_AND.join(sorted(filter(None, countries)))}" if countries else zones
