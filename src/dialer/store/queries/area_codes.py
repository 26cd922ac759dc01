"""The area codes of +1 in a campaign's lists, found by the starts of numbers, so the cost does not grow with people."""

from collections.abc import Iterator
from typing import Any, Final

from sqlalchemy import Connection, Select, func, select

from dialer.domain.calling_times.zones import NUMBER_ZONES
from dialer.domain.numbers.search_keys import after_all_with
from dialer.store.tables import CampaignPhonebook, Contact, Subscriber

NORTH_AMERICA: Final = "+1"
AREA_CODE_LENGTH: Final = len("+1202")
"""Characters of the country code and the area code."""
AREA_CODES_MAX: Final = 2_000
"""Area codes of lists that are looked up."""
UNKNOWN_COUNTED_MAX: Final = 10_000
"""Numbers of an unknown area code that are counted."""

NumberList = tuple[Any, Any]
"""The numbers of a phonebook, or of the subscribers, as a column and a condition."""


def number_lists(connection: Connection, campaign_id: int) -> Iterator[NumberList]:
    """Yield the numbers of each phonebook, and then of the subscribers."""
    query = select(CampaignPhonebook.phonebook_id).where(CampaignPhonebook.campaign_id == campaign_id)
    for phonebook_id in connection.scalars(query).all():
        yield Contact.number, Contact.phonebook_id == phonebook_id
    yield Subscriber.number, Subscriber.campaign_id == campaign_id


def area_codes(connection: Connection, one: NumberList) -> Iterator[str]:
    """Yield one number for each North American area code (+1) in a list."""
    start, end = NORTH_AMERICA, after_all_with(NORTH_AMERICA)
    while (number := first_number(connection, one, start, end)) is not None:
        yield number
        start = after_all_with(number[:AREA_CODE_LENGTH])


def first_number(connection: Connection, one: NumberList, start: str, end: str) -> str | None:
    """Return the first number of a list from a start on, and before an end."""
    column, is_in_list = one
    query: Select[str | None] = select(func.min(column)).where(is_in_list, column >= start, column < end)
    return connection.scalar(query)


def unknown_area_codes(connection: Connection, campaign_id: int) -> dict[str, int]:
    """Return the area codes of contacts, else of subscribers, that no row of the places has, each with its numbers."""
    *phonebooks, subscribers = number_lists(connection, campaign_id)
    return _unknown_in(connection, phonebooks) or _unknown_in(connection, [subscribers])


def _unknown_in(connection: Connection, lists: list[NumberList]) -> dict[str, int]:
    found: dict[str, int] = {}
    tried = 0
    for one in lists:
        for number in area_codes(connection, one):
            tried += 1
            if tried > AREA_CODES_MAX:
                return found
            if NUMBER_ZONES.places.is_unknown(number):
                start = number[:AREA_CODE_LENGTH]
                found[start] = found.get(start, 0) + _count(connection, one, start)
    return found


def _count(connection: Connection, one: NumberList, start: str) -> int:
    column, is_in_list = one
    numbers = select(column).where(is_in_list, column >= start, column < after_all_with(start))
    counted = select(func.count()).select_from(numbers.limit(UNKNOWN_COUNTED_MAX).subquery())
    return int(connection.scalar(counted) or 0)
