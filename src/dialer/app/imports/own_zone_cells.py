"""Cells of lists that say where a person is: a time zone, a state, or a postal code."""

import unicodedata
from collections.abc import Sequence
from functools import cache, lru_cache
from typing import Final, NamedTuple
from zoneinfo import available_timezones

from dialer.domain.calling_times.own_zones import is_own_zones, own_zones
from dialer.domain.calling_times.postal_codes import states_of_code
from dialer.domain.calling_times.states import has_states, state_of, zones_in_state
from dialer.domain.calling_times.zone_spellings import zones_in_words
from dialer.domain.calling_times.zones import is_zone, zone_of_number, zones_of_key
from dialer.domain.places.places import country_of_zone
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


def _plain(name: str) -> str:
    """Return the name of a column in lower case, without accents and punctuation."""
    folded = unicodedata.normalize("NFKD", name.casefold())
    kept = "".join(mark for mark in folded if not unicodedata.combining(mark))
    return " ".join("".join(mark if mark.isalnum() else " " for mark in kept).split())


def _words(text: str) -> tuple[str, ...]:
    return tuple(_plain(word) for word in text.split("|"))


class OwnZone(NamedTuple):
    """The zones that a row tells of its person, as `tz_code` has them, and what is wrong with the cell."""

    tz_code: str
    problem: Sentence | None = None
    cell: str = ""


_NOTHING: Final = OwnZone("")
_ZONE_WORDS: Final = _words("""tz_code | time zone | timezone | tz | zeitzone | zona horaria | huso horario
    | fuseau horaire | fuso horario | fuso | iana timezone""")
_STATE_WORDS: Final = _words("""state | province | state province | state code | us state | state region | home state
    | mailing state | mailing state province | billing state | billing state province | bundesstaat | provinz
    | etat | estado | uf | entidad federativa | provincia""")
_CODE_WORDS: Final = _words("""zip | zip code | zipcode | postal code | postalcode | postcode | post code | postal
    | zip postal code | mailing zip | mailing zip postal code | billing zip | billing zip postal code | home zip
    | plz | postleitzahl | code postal | codigo postal | cep""")
_ALSO_A_STATUS: Final = "ok"
"""A state's code that columns of another meaning have, too: then the zones of the number count as well."""


class ZoneCells:
    """The cells of rows that say where a person is, found by the names of their columns."""

    def __init__(self, columns: Sequence[str], *, is_export: bool) -> None:
        """Take the columns. Of an export of contacts, only its own column is read."""
        names = [_plain(name) for name in columns]
        own = _words(COLUMN)
        self._zone = _first(names, own if is_export else _ZONE_WORDS)
        self._state, self._code = (-1, -1) if is_export else (_first(names, _STATE_WORDS), _first(names, _CODE_WORDS))
        self._is_used = max(self._zone, self._state, self._code) >= 0

    def of(self, cells: Sequence[str], number: str) -> OwnZone:
        """Return what a row says of the person with this number, in E.164: its zone, else its state, else its code."""
        if not self._is_used:
            return _NOTHING
        of_zone = _zone_of_cell(_cell(cells, self._zone), number[:2])
        if of_zone.tz_code:
            return of_zone
        of_place = _of_place(_cell(cells, self._state), _cell(cells, self._code), number[:3], zone_of_number(number))
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


def _first(names: Sequence[str], words: Sequence[str]) -> int:
    """Return the place of the first column with one of some names; -1 if there is none."""
    return next((names.index(word) for word in words if word in names), -1)


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
