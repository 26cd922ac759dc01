"""The countries with a known rule on abandoned calls in which a campaign calls people."""

from collections.abc import Sequence
from typing import Final

from sqlalchemy import Connection

from dialer.domain.calling_times.country_hours import laws_of
from dialer.domain.calling_times.zones import countries_of_number
from dialer.domain.numbers.search_keys import after_all_with
from dialer.domain.rules.abandoned_limits import CANADA, UNITED_KINGDOM, UNITED_STATES
from dialer.store.queries.area_codes import AREA_CODES_MAX, AreaCodes, first_number

_OF_UK: Final = "+44"
_OF_NORTH_AMERICA: Final = frozenset({UNITED_STATES, CANADA})


def called_countries(connection: Connection, lists: Sequence[AreaCodes]) -> frozenset[str]:
    """Return the countries with a known rule on abandoned calls in which contacts or subscribers are.

    Numbers are looked up by their starts, so the cost does not grow with the people. A campaign with more area codes
    than are looked up counts as one that calls both countries of +1. `lists` are from `area_codes_of`.
    """
    found: set[str] = set()
    if any(first_number(connection, one, _OF_UK, after_all_with(_OF_UK)) for one, _ in lists):
        found.add(UNITED_KINGDOM)
    tried = 0
    for _, numbers in lists:
        for number in numbers:
            tried += 1
            found |= laws_of(countries_of_number(number)) & _OF_NORTH_AMERICA
            if tried > AREA_CODES_MAX:
                found |= _OF_NORTH_AMERICA
            if found >= _OF_NORTH_AMERICA:
                return frozenset(found)
    return frozenset(found)
