"""The countries with a known rule on abandoned calls in which a campaign calls people."""

from collections.abc import Iterator
from typing import Any, Final

from sqlalchemy import Connection, Select, func, select

from dialer.domain.abandoned_rules import CANADA, UNITED_KINGDOM, UNITED_STATES
from dialer.domain.numbers import north_america
from dialer.domain.search_keys import after_all_with
from dialer.store.tables import CampaignPhonebook, Contact, Subscriber

AREA_CODES_MAX: Final = 2_000
"""Area codes of lists that are looked up. Beyond them, a campaign counts as one that calls both countries of +1."""
_OF_UK: Final = "+44"
_OF_NORTH_AMERICA: Final = frozenset({UNITED_STATES, CANADA})


def called_countries(connection: Connection, campaign_id: int) -> frozenset[str]:
    """Return the countries with a known rule on abandoned calls in which contacts or subscribers are.

    Numbers are looked up by their starts, so the cost does not grow with the people.
    """
    lists = list(_lists(connection, campaign_id))
    found: set[str] = set()
    if any(_first(connection, one, _OF_UK, after_all_with(_OF_UK)) for one in lists):
        found.add(UNITED_KINGDOM)
    tried = 0
    for one in lists:
        for number in _area_codes(connection, one):
            country, tried = north_america.country_of(number), tried + 1
            if country in _OF_NORTH_AMERICA:
                found.add(country)
            if tried > AREA_CODES_MAX:
                found |= _OF_NORTH_AMERICA
            if found >= _OF_NORTH_AMERICA:
                return frozenset(found)
    return frozenset(found)


def _lists(connection: Connection, campaign_id: int) -> Iterator[tuple[Any, Any]]:
    """Yield the numbers of each phonebook, and of the subscribers, as a column and a condition."""
    query = select(CampaignPhonebook.phonebook_id).where(CampaignPhonebook.campaign_id == campaign_id)
    for phonebook_id in connection.scalars(query).all():
        yield Contact.number, Contact.phonebook_id == phonebook_id
    yield Subscriber.number, Subscriber.campaign_id == campaign_id


def _area_codes(connection: Connection, one: tuple[Any, Any]) -> Iterator[str]:
    """Yield one number of each area code of a list that begins with +1."""
    start, end = north_america.CODE, after_all_with(north_america.CODE)
    while (number := _first(connection, one, start, end)) is not None:
        yield number
        start = after_all_with(number[: north_america.AREA_CODE_LENGTH])


def _first(connection: Connection, one: tuple[Any, Any], start: str, end: str) -> str | None:
    """Return the first number of a list from a start on, and before an end."""
    column, is_in_list = one
    query: Select[str | None] = select(func.min(column)).where(is_in_list, column >= start, column < end)
    return connection.scalar(query)
