"""Cells of lists that say where a person is: a time zone, a state, or a postal code."""

from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from typing import Final, NamedTuple

from dialer.app.imports.place_columns import PLACES, guess_places, iana_name, plain_zone
from dialer.domain.calling_times.own_zones import is_own_zones, own_zones
from dialer.domain.calling_times.postal_codes import states_of_code
from dialer.domain.calling_times.states import has_states, state_of, zones_in_state
from dialer.domain.calling_times.zone_spellings import zones_in_words
from dialer.domain.calling_times.zones import zone_of_number, zones_of_key
from dialer.domain.places.places import country_of_zone
from dialer.domain.sentences import Sentence

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
_ALSO_A_STATUS: Final = "ok"
"""A state's code that columns of another meaning have, too: then the zones of the number count as well."""


class ZoneCells:
    """The cells of rows that say where a person is."""

    def __init__(self, columns: Sequence[str], chosen: Mapping[str, str] | None, *, is_export: bool) -> None:
        """Take the columns, and those that were chosen: a meaning by each name in lower case. None guesses them."""
        places = guess_places(columns, is_export=is_export) if chosen is None else _places(columns, chosen)
        self._zone, self._state, self._code = (places.get(meaning, -1) for meaning in PLACES)
        self.is_used: Final = max(self._zone, self._state, self._code) >= 0
        """True if there is such a column."""

    @property
    def zone_place(self) -> int:
        """Return the place of the column with the time zone; -1 if there is none."""
        return self._zone

    def of(self, cells: Sequence[str], number: str) -> OwnZone:
        """Return what a row says of the person with this number, in E.164: its zone, else its state, else its code."""
        of_zone = _zone_of_cell(_cell(cells, self._zone), number[:2])
        if of_zone.tz_code:
            return of_zone
        of_place = _of_place(
            _cell(cells, self._state), _cell(cells, self._code), _start(number), zone_of_number(number)
        )
        return of_place if of_zone.problem is None or of_place.tz_code else of_zone


@lru_cache(maxsize=CELLS_KEPT_MAX)
def _of_place(state: str, code: str, start: str, number_zone: str) -> OwnZone:
    number_zones = zones_of_key(number_zone) if number_zone else ()
    found = state_of(state, start) if state else None
    states = (found,) if found else states_of_code(code, start)
    if not states:
        return _unknown_place(state or code, start) if state or code else _NOTHING
    zones = tuple(zone for one in states for zone in zones_in_state(one, number_zones))
    if found and state.casefold() == _ALSO_A_STATUS:
        zones += number_zones
    zones = tuple(dict.fromkeys(zones))
    country = states[0].country
    is_of_number = zones == number_zones and {*map(country_of_zone, zones)} == {country}
    return _NOTHING if is_of_number else OwnZone(own_zones(zones, country))


def _unknown_place(cell: str, start: str) -> OwnZone:
    if not has_states(start):
        return _NOTHING
    problem = Sentence(
        "%(cell)r is no state or postal code of the number's country that is known, so the zone of the number counts.",
        cell=cell[:64],
    )
    return OwnZone("", problem, cell)


def _cell(cells: Sequence[str], place: int) -> str:
    return cells[place].strip() if 0 <= place < len(cells) else ""


def _start(number: str) -> str:
    """Return the beginning of a number that tells its country, if that has states: Portugal's has one digit more."""
    return number[:4] if number.startswith("+35") else number[:3]


def _places(columns: Sequence[str], chosen: Mapping[str, str]) -> dict[str, int]:
    """Return the places of the chosen columns by their meanings."""
    found = {chosen.get(name.lower(), ""): place for place, name in enumerate(columns)}
    return {meaning: place for meaning, place in found.items() if meaning}


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
    zone = iana_name(cell) or _windows_names().get(plain_zone(cell))
    return () if zone is None else (zone,)


@cache
def _windows_names() -> dict[str, str]:
    """Return zones by the names that Windows has for them, as CLDR maps these, in lower case."""
    from babel.core import get_global  # noqa: PLC0415 - only lists with such names need it

    mapped = {plain_zone(name): zone for name, zone in get_global("windows_zone_mapping").items()}
    return mapped | _NEW_IN_WINDOWS
