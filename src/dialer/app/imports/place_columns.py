"""Columns of lists that say where a person is: found by their names, and those of time zones by their cells too."""

from collections.abc import Sequence
from functools import cache
from typing import Final
from zoneinfo import available_timezones

from dialer.app.imports.country_words import plain_word
from dialer.domain.calling_times.states import is_state
from dialer.domain.calling_times.zones import is_zone

OWN_COLUMN: Final = "tz_code"
TIME_ZONE: Final = "time_zone"
STATE: Final = "state"
POSTAL_CODE: Final = "postal_code"
COUNTRY: Final = "country"
PLACES: Final = (TIME_ZONE, STATE, POSTAL_CODE, COUNTRY)
CONTACT_EXPORT: Final = frozenset({"url", "additional_vars"})
"""Columns by which an export of contacts is recognised."""
ZONES_SHARE_MIN: Final = 0.5
"""More than this share of the filled cells of a column names time zones, so that it is taken for that of the zone."""

WORDS: Final = {
    TIME_ZONE: """tz_code | time zone | timezone | tz | zeitzone | zona horaria | huso horario
        | fuseau horaire | fuso horario | fuso | iana timezone""",
    STATE: """state | province | state province | state code | us state | state region | home state
        | mailing state | mailing state province | billing state | billing state province | business state
        | address 1 region | bundesstaat | provinz
        | etat | estado | uf | entidad federativa | provincia""",
    POSTAL_CODE: """postal code | zip | zip code | zipcode | postalcode | postcode | post code | postal
        | zip postal code | mailing zip | mailing zip postal code | billing zip | billing zip postal code | home zip
        | home postal code | business postal code | address 1 postal code | mailing postal code
        | plz | postleitzahl | code postal | codigo postal | cep""",
    COUNTRY: """country | country name | country region | country of residence | home country | mailing country
        | billing country | shipping country | default address country code | person country | country territory
        | home country region | business country | business country region | address 1 country
        | land | wohnland | staat | land region | pais | pais de residencia | pays | pays de residence | paese | nazione
        | страна | kraj | ulke | zeme""",
}
"""The first name of each is that by which the API chooses a column; a zone has `tz_code` besides."""
CODE_LENGTH_MAX: Final = 3
"""Characters of the codes of states, some of which are words of another meaning: OK, ON, IN, OR."""
UNKNOWN_CELLS_MIN: Final = 10
"""Filled cells from which a column without a state in the table is none of states. Of fewer, each may be a slip."""
_STATUSES: Final = """enabled | disabled | invited | declined | active | inactive | archived | pending | open | closed
    | new | done | completed | failed | error | ok | success | won | lost | verified | unverified | subscribed
    | unsubscribed | blocked | approved | rejected | yes | no | on | off | true | false | draft | published
    | aktiv | inaktiv | offen | geschlossen | neu | erledigt | gesperrt | abgeschlossen | ja | nein
    | actif | inactif | ouvert | ferme | nouveau | termine | en cours | bloque | oui | non
    | activo | activa | inactivo | inactiva | abierto | cerrado | nuevo | pendiente | terminado | bloqueado | si
    | ativo | ativa | inativo | inativa | aberto | fechado | novo | pendente | concluido | sim | nao"""
"""Words in columns such as `State`, `Estado` and `Etat` that mean the state of an account or an order."""


def guess_places(names: Sequence[str], rows: Sequence[Sequence[str]] = (), *, is_export: bool) -> dict[str, int]:
    """Return the places of the columns that say where a person is, by their meaning, a member of `PLACES`.

    A column of states is one by the cells of the first rows, too. Of an export of contacts, only its own column is one.
    """
    plain = [plain_word(name) for name in names]
    words = {TIME_ZONE: [plain_word(OWN_COLUMN)]} if is_export else _words()
    others = [
        "" if name in _words()[STATE] and not may_be_states([row[place] for row in rows if place < len(row)]) else name
        for place, name in enumerate(plain)
    ]
    found = {meaning: _first(others if meaning == STATE else plain, known) for meaning, known in words.items()}
    return {meaning: place for meaning, place in found.items() if place >= 0}


def may_be_states(cells: Sequence[str]) -> bool:
    """Return whether the cells of a column may be states of countries, and not those of accounts or orders."""
    values = {plain_word(cell) for cell in cells if cell.strip()}
    known = {value for value in values if is_state(value)}
    if any(len(value) > CODE_LENGTH_MAX for value in known) or len(known) * 2 > len(values):
        return True
    if values & _status_words():
        return False
    return bool(known) or sum(bool(cell.strip()) for cell in cells) < UNKNOWN_CELLS_MIN


def names_zones(cells: Sequence[str]) -> bool:
    """Return whether most of the filled cells of a column are IANA names, such as `America/Chicago`."""
    filled = [cell.strip() for cell in cells if cell.strip()]
    return sum(iana_name(cell) is not None for cell in filled) > len(filled) * ZONES_SHARE_MIN


def iana_name(cell: str) -> str | None:
    """Return the IANA name that a cell has in upper or lower case; None if it has none."""
    return _iana_names().get(plain_zone(cell)) if "/" in cell else None


def plain_zone(cell: str) -> str:
    """Return the name of a zone in lower case, with blanks between its words."""
    return " ".join(cell.casefold().replace("_", " ").split())


@cache
def _iana_names() -> dict[str, str]:
    # Short names, such as EST, mean other zones to people than to the database.
    return {plain_zone(name): name for name in available_timezones() if "/" in name and is_zone(name)}


@cache
def _status_words() -> frozenset[str]:
    return frozenset(plain_word(word) for word in _STATUSES.split("|"))


@cache
def _words() -> dict[str, list[str]]:
    return {meaning: [plain_word(word) for word in text.split("|")] for meaning, text in WORDS.items()}


def _first(names: Sequence[str], words: Sequence[str]) -> int:
    """Return the place of the first column with one of some names; -1 if there is none."""
    return next((names.index(word) for word in words if word in names), -1)
