"""A person's own zones, which win over those of their number.

They are a text: an IANA name, a fixed offset such as `UTC-05:00`, or several of these joined by `&`, if the person may
be in any of them. `@` and an ISO code may follow, or stand alone: the country where the person is, whose calling hours
hold too.
"""

import re
from functools import lru_cache
from typing import Final

from dialer.domain.calling_times.zones import (
    UNKNOWN,
    ZONE_CACHE_MAX,
    countries_of_key,
    fixed_offset_minutes,
    is_zone,
    zone_key,
    zones_of_key,
)

OWN_ZONES_MAX: Final = 255
"""Characters of a person's own zones."""
ZONES_MAX: Final = 12
"""Zones in which one person may be."""
_COUNTRY: Final = re.compile(r"[A-Z]{2}", re.ASCII)
_OFFSET_MINUTES_MAX: Final = 14 * 60
_HOUR_MINUTES: Final = 60


def own_zones(zones: tuple[str, ...], country: str = "") -> str:
    """Return the text of the zones in which a person is, and of the country if it is known."""
    return "&".join(dict.fromkeys(zones)) + (f"@{country}" if country else "")


@lru_cache(maxsize=ZONE_CACHE_MAX)
def is_own_zones(text: str) -> bool:
    """Return whether a text names a person's zones, or is empty."""
    names, at, country = text.partition("@")
    zones = zones_of_key(names) if names else ()
    return (
        len(zones) <= ZONES_MAX
        and all(_minutes_of(zone) is not None or is_zone(zone) for zone in zones)
        and (not at or _COUNTRY.fullmatch(country) is not None)
    )


@lru_cache(maxsize=ZONE_CACHE_MAX)
def person_zone_key(own: str, gmt_offset: str, number_zone: str) -> str:
    """Return the zone key of a person: of their own zones, else of the offset, else of their number's zone.

    `gmt_offset` is in signed decimal hours. Own zones that are none give `UNKNOWN`.
    """
    names, _, country = own.partition("@")
    if not names:
        return zone_key(tz_code="", gmt_offset=gmt_offset, number_zone=number_zone, country=country)
    if not is_own_zones(own):
        return UNKNOWN
    keys = [_key_of_one(name, number_zone, country) for name in zones_of_key(names)]
    return _either(keys)


def _key_of_one(name: str, number_zone: str, country: str) -> str:
    minutes = _minutes_of(name)
    if minutes is None:
        return zone_key(tz_code=name, gmt_offset="", number_zone=number_zone, country=country)
    offset = f"{minutes / _HOUR_MINUTES:.2f}"
    return zone_key(tz_code="", gmt_offset=offset, number_zone=number_zone, country=country)


def _either(keys: list[str]) -> str:
    """Return the key of a person to whom any of these keys may belong: all zones, and the law of all countries."""
    names = "&".join(sorted({name for key in keys for name in zones_of_key(key)}))
    laws = {key.partition("@")[1:] for key in keys}
    if len(laws) == 1:
        return names + "".join(laws.pop())
    countries = sorted({country for key in keys for country in countries_of_key(key)})
    return f"{names}@{'&'.join(countries)}"


def _minutes_of(name: str) -> int | None:
    minutes = fixed_offset_minutes(name)
    return None if minutes is None or abs(minutes) > _OFFSET_MINUTES_MAX else minutes
