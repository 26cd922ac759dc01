"""Cells of lists that say where a person is: a time zone, a state, or a postal code."""

from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from typing import Final, NamedTuple

from dialer.app.imports.country_words import region_in
from dialer.app.imports.place_columns import (
    COUNTRY,
    PLACES,
    TIME_ZONE,
    guess_places,
    iana_name,
    names_zones,
    plain_zone,
)
from dialer.domain.calling_times.own_zones import ZONES_MAX, is_own_zones, own_zones
from dialer.domain.calling_times.postal_codes import states_of_code
from dialer.domain.calling_times.states import has_states, start_of, state_of, zones_in_state, zones_of_states
from dialer.domain.calling_times.zone_spellings import zones_in_words
from dialer.domain.calling_times.zones import countries_of_number, zone_of_number, zones_of_key
from dialer.domain.places.places import country_of_zone, zones_of_country
from dialer.domain.words.sentences import Sentence

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

    def __init__(
        self,
        columns: Sequence[str],
        chosen: Mapping[str, str] | None,
        *,
        is_export: bool,
        country: str | None = None,
    ) -> None:
        """Take the columns, and those that were chosen: a meaning by each name in lower case. None guesses them.

        `country` is the column with the country of the number, which is that of the person unless another one is.
        """
        self._columns, self._of_number = columns, country
        self._is_guessed = chosen is None and not is_export
        self._take(guess_places(columns, is_export=is_export) if chosen is None else _places(columns, chosen))

    def _take(self, places: dict[str, int]) -> None:
        self._places = places
        names = [name.lower() for name in self._columns]
        if self._of_number is not None and self._of_number in names:
            places.setdefault(COUNTRY, names.index(self._of_number))
        self._zone, self._state, self._code, self._country = (self._places.get(meaning, -1) for meaning in PLACES)
        self.is_used = bool(self._places)
        """True if there is such a column."""

    def look_at(self, rows: Sequence[Sequence[str]]) -> None:
        """Judge guessed columns by the cells of the first rows.

        A column is that of the zone if most of its cells name zones, and no column has the name of one. A column of
        other words than states is none of states.
        """
        if not self._is_guessed or not rows:
            return
        self._take(guess_places(self._columns, rows, is_export=False))
        if self._zone >= 0:
            return
        widest = max(map(len, rows))
        named = (one for one in range(widest) if names_zones([cells[one] for cells in rows if one < len(cells)]))
        found = next(named, None)
        if found is not None:
            self._take({**self._places, TIME_ZONE: found})

    @property
    def zone_place(self) -> int:
        """Return the place of the column with the time zone; -1 if there is none."""
        return self._zone

    def of(self, cells: Sequence[str], number: str) -> OwnZone:
        """Return the time zone of a row's person: from the zone's cell, the state's, or the postal code's.

        Without these, the country's cell gives its zones, if it is not the number's country.
        """
        of_zone = _zone_of_cell(_cell(cells, self._zone), number[:2])
        if of_zone.tz_code:
            return of_zone
        of_place = _of_place(
            _cell(cells, self._state),
            _cell(cells, self._code),
            _cell(cells, self._country),
            _start(number),
            zone_of_number(number),
            countries_of_number(number) if self._country >= 0 else (),
        )
        return of_place if of_zone.problem is None or of_place.tz_code else of_zone


@lru_cache(maxsize=CELLS_KEPT_MAX)
def _of_place(
    state: str, code: str, country_cell: str, start: str, number_zone: str, number_countries: tuple[str, ...]
) -> OwnZone:
    country = "" if not country_cell or _has_digits(country_cell) else region_in(country_cell) or ""
    if country and country not in number_countries:
        return _abroad(state, code, country)
    number_zones = zones_of_key(number_zone) if number_zone else ()
    found = _in_state(state, code, start, number_zones)
    if country_cell and not country and not _has_digits(country_cell) and found.problem is None:
        return OwnZone(found.tz_code, _unknown_country(country_cell), country_cell)
    return found


def _abroad(state: str, code: str, country: str) -> OwnZone:
    """Return where a person is whose country is not that of their number."""
    start = start_of(country)
    found = _in_state(state, code, start, ()) if start else _NOTHING
    # The codes of two countries may be those of +1.
    if found.tz_code.endswith(f"@{country}"):
        return found
    zones = zones_of_states(country) or zones_of_country(country)
    return OwnZone(own_zones(zones if len(zones) <= ZONES_MAX else (), country), found.problem, found.cell)


def _in_state(state: str, code: str, start: str, number_zones: tuple[str, ...]) -> OwnZone:
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


def _has_digits(cell: str) -> bool:
    """Return whether a cell is a calling code, which tells the country of a number only."""
    return any(map(str.isdigit, cell))


def _unknown_country(cell: str) -> Sentence:
    return Sentence("%(cell)r is no country that is known, so that of the number counts.", cell=cell[:64])


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
