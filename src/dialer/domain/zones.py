"""Where a callee's clock stands: zone keys.

A zone key is text: IANA names joined by `&` where a number may be in any of several zones, or `UTC+05:30` for a fixed
offset. The empty key is the service's own zone, `UNKNOWN` no zone at all. A calling window is open for a key only while
it is open in every zone of it.
"""

import re
from functools import lru_cache
from typing import Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import phonenumbers
from phonenumbers import timezone
from phonenumbers.tzdata import TIMEZONE_DATA

from dialer.domain.numbers.normal_form import parse

UNKNOWN: Final = "?"
"""The key of a subscriber whose own zone nobody knows: they cannot be called at a time known to be legal."""
_NOT_TOLD: Final = "Etc/Unknown"
_OFFSET: Final = re.compile(r"[+-]?[0-9]{1,2}(\.[0-9]{1,2})?\Z")
_FIXED: Final = re.compile(r"UTC([+-])([0-9]{2}):([0-9]{2})\Z")
_OFFSET_MINUTES_MAX: Final = 14 * 60
_HOUR_MINUTES: Final = 60
_ALSO: Final = {"+617": "Australia/Brisbane"}
"""Zones that the numbering plan's data leave out: Queensland keeps no summer time, and shares its area code."""
_NO_PLACES: Final = frozenset({"localtime", "posixrules", "Factory"})
"""Files that lie among the zones and name none: this machine's own choice, a default for rules, and "not set yet"."""
_COPIES: Final = ("posix/", "right/")
"""Folders of the same zones once more, without and with leap seconds, as some systems install them."""
ZONE_CACHE_MAX: Final = 65_536


@lru_cache(maxsize=ZONE_CACHE_MAX)
def zone_of_number(number: str) -> str:
    """The zone key of a number in E.164; empty where the numbering plan does not tell."""
    if not number.startswith("+"):
        return ""
    parsed = parse(number)
    if parsed is None:
        return ""
    names = timezone.time_zones_for_geographical_number(parsed)
    everywhere = TIMEZONE_DATA.get(str(parsed.country_code), names)
    if names != everywhere and _is_of_no_place(parsed):
        names = everywhere
    return _joined((*names, *[zone for prefix, zone in _ALSO.items() if number.startswith(prefix)]))


def _is_of_no_place(parsed: phonenumbers.PhoneNumber) -> bool:
    """Whether a number is one that can be anywhere in its country, as mobile ones are in most."""
    kind = phonenumbers.number_type(parsed)
    is_known = kind != phonenumbers.PhoneNumberType.UNKNOWN
    return is_known and not phonenumbers.is_number_type_geographical(kind, parsed.country_code or 0)


@lru_cache(maxsize=ZONE_CACHE_MAX)
def _joined(names: tuple[str, ...]) -> str:
    return "&".join(sorted(name for name in {*names} if name != _NOT_TOLD and is_zone(name)))


@lru_cache(maxsize=1_024)
def is_zone(name: str) -> bool:
    """Whether `name` is a zone of the IANA database that this machine knows: the same one on every machine."""
    if not name or name in _NO_PLACES or name.startswith(("/", *_COPIES)) or ".." in name:
        return False
    try:
        ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return False
    return True


@lru_cache(maxsize=ZONE_CACHE_MAX)
def is_zone_key(key: str) -> bool:
    """Whether this machine can tell the time for a key: another one may have written it, with newer zones."""
    return not key or fixed_offset_minutes(key) is not None or all(is_zone(name) for name in key.split("&"))


def zone_of_offset(gmt_offset: str) -> str | None:
    """The zone key of an offset in signed decimal hours (`-5`, `+5.5`); None if it is not one."""
    if not _OFFSET.match(gmt_offset):
        return None
    minutes = round(float(gmt_offset) * _HOUR_MINUTES)
    if abs(minutes) > _OFFSET_MINUTES_MAX:
        return None
    hours, rest = divmod(abs(minutes), _HOUR_MINUTES)
    return f"UTC{'-' if minutes < 0 else '+'}{hours:02d}:{rest:02d}"


def fixed_offset_minutes(key: str) -> int | None:
    """The offset that a key of `zone_of_offset` stands for; None for any other key."""
    match = _FIXED.match(key)
    if match is None:
        return None
    minutes = int(match[2]) * _HOUR_MINUTES + int(match[3])
    return -minutes if match[1] == "-" else minutes


def zone_key(*, tz_code: str, gmt_offset: str, number_zone: str) -> str:
    """The key a subscriber's window is judged by: their zone, else offset, else number's region, else the service's."""
    if tz_code:
        return tz_code if is_zone(tz_code) else UNKNOWN
    if gmt_offset:
        return zone_of_offset(gmt_offset) or UNKNOWN
    return number_zone
