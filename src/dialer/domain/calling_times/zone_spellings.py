"""Time zones as people and other programs write them: IANA names, offsets, and the abbreviations of North America."""

import re
from typing import Final

from dialer.domain.calling_times.zones import is_zone

_OFFSET: Final = re.compile(r"(?:UTC|GMT|Z)?\s*([+\u2212-])\s*([0-9]{1,2})(?::?([0-9]{2}))?", re.ASCII | re.IGNORECASE)
_HOURS_MAX: Final = 14
_MINUTES: Final = 60
_AMBIGUOUS: Final = frozenset({"EST", "MST", "EST5EDT", "CST6CDT", "MST7MDT", "PST8PDT", "CST", "PST", "IST", "BST"})
"""Names that mean other zones to people than to the database, or several zones. `EST` has no summer time there."""
_NORTH_AMERICA: Final = {
    **dict.fromkeys(("ET", "EST", "EDT", "EST5EDT", "EASTERN"), ("America/New_York",)),
    **dict.fromkeys(("CT", "CST", "CDT", "CST6CDT", "CENTRAL"), ("America/Chicago",)),
    # Arizona has mountain time without summer time.
    **dict.fromkeys(("MT", "MST", "MDT", "MST7MDT", "MOUNTAIN"), ("America/Denver", "America/Phoenix")),
    **dict.fromkeys(("PT", "PST", "PDT", "PST8PDT", "PACIFIC"), ("America/Los_Angeles",)),
    **dict.fromkeys(("AKST", "AKDT", "ALASKA"), ("America/Anchorage",)),
    **dict.fromkeys(("HST", "HAWAII"), ("Pacific/Honolulu",)),
    **dict.fromkeys(("AST", "ADT", "ATLANTIC"), ("America/Halifax", "America/Puerto_Rico")),
    **dict.fromkeys(("NST", "NDT", "NEWFOUNDLAND"), ("America/St_Johns",)),
}
"""Zones by their names in daily life, for numbers of +1: 15 USC 261 and the National Research Council of Canada."""
_CANADA: Final = {
    "America/Chicago": "America/Winnipeg",
    "America/Denver": "America/Edmonton",
    "America/Los_Angeles": "America/Vancouver",
}
"""Zones of provinces that no longer change their clocks as the United States do."""


def zones_in_words(text: str, number: str) -> tuple[str, ...]:
    """Return the zones that a text names for the owner of a number in E.164; none if it is not understood.

    Where an abbreviation of North America names provinces with other clocks, too, all of them are returned.
    """
    word = " ".join(text.split())
    found = _abbreviated(word.upper()) if number.startswith("+1") else ()
    if found:
        return found
    offset = _offset(word)
    if offset:
        return (offset,)
    name = word.replace(" ", "_")
    return (name,) if name.upper() not in _AMBIGUOUS and is_zone(name) else ()


def _abbreviated(word: str) -> tuple[str, ...]:
    zones = _NORTH_AMERICA.get(word.removesuffix(" TIME").removesuffix(" STANDARD"), ())
    return (*zones, *[_CANADA[zone] for zone in zones if zone in _CANADA])


def _offset(word: str) -> str:
    if word.upper() in {"UTC", "GMT", "Z"}:
        return "UTC+00:00"
    match = _OFFSET.fullmatch(word)
    if match is None or int(match[2]) > _HOURS_MAX or int(match[3] or 0) >= _MINUTES:
        return ""
    minutes = int(match[2]) * _MINUTES + int(match[3] or 0)
    if minutes > _HOURS_MAX * _MINUTES:
        return ""
    return f"UTC{'+' if match[1] == '+' else '-'}{minutes // _MINUTES:02d}:{minutes % _MINUTES:02d}"
