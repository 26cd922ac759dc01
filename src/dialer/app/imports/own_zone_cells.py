"""Cells of lists that say where a person is: a time zone, a state, or a postal code."""

from collections.abc import Sequence
from functools import cache, lru_cache
from typing import Final, NamedTuple
from zoneinfo import available_timezones

from dialer.domain.calling_times.own_zones import is_own_zones, own_zones
from dialer.domain.calling_times.zone_spellings import zones_in_words
from dialer.domain.calling_times.zones import is_zone
from dialer.domain.sentences import Sentence

COLUMN: Final = "tz_code"
UNKNOWN_ZONE: Final = "unknown_zone"
"""The kind of the remark on a cell that names no known time zone."""
CELLS_KEPT_MAX: Final = 16_384
_NEW_IN_WINDOWS: Final = {
    "british columbia standard time": "America/Vancouver",
    "alberta standard time": "America/Edmonton",
}
"""Names that Microsoft added in 2026 (its time zone blog), and that the table of CLDR does not have yet."""


class OwnZone(NamedTuple):
    """The zones that a row tells of its person, as `tz_code` has them, and what is wrong with the cell."""

    tz_code: str
    problem: Sentence | None = None
    cell: str = ""


_NOTHING: Final = OwnZone("")


class ZoneCells:
    """The cells of rows that say where a person is."""

    def __init__(self, columns: Sequence[str], *, is_export: bool) -> None:
        names = [name.lower() for name in columns]
        self._place = names.index(COLUMN) if COLUMN in names else -1
        self._is_export = is_export

    def of(self, cells: Sequence[str], number: str) -> OwnZone:
        """Return what a row says of the person with this number, in E.164."""
        if self._place < 0 or self._place >= len(cells):
            return _NOTHING
        return _zone_of_cell(cells[self._place].strip(), number[:2])


@lru_cache(maxsize=CELLS_KEPT_MAX)
def _zone_of_cell(cell: str, start: str) -> OwnZone:
    if not cell:
        return _NOTHING
    zones = zones_in_words(cell, start) or _named_zone(cell)
    if zones:
        return OwnZone(own_zones(zones))
    if is_own_zones(cell):
        return OwnZone(cell)
    problem = Sentence(
        "%(cell)r is no time zone that is known, so that of the number counts. Use a name such as America/New_York, or"
        " an offset such as UTC-5.",
        cell=cell[:64],
    )
    return OwnZone("", problem, cell)


def _named_zone(cell: str) -> tuple[str, ...]:
    zone = _names().get(" ".join(cell.casefold().replace("_", " ").split()))
    return () if zone is None else (zone,)


@cache
def _names() -> dict[str, str]:
    """Return zones by their IANA names and by those of Windows, as CLDR maps these, all in lower case with spaces."""
    from babel.core import get_global  # noqa: PLC0415 - only lists with such names need it

    mapped = {name.casefold(): zone for name, zone in get_global("windows_zone_mapping").items()}
    # Short names, such as EST, mean other zones to people than to the database.
    named = {name.casefold().replace("_", " "): name for name in available_timezones() if "/" in name and is_zone(name)}
    return named | mapped | _NEW_IN_WINDOWS
