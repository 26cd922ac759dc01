"""The area codes of +1 in a campaign's lists, found by the starts of numbers, so the cost does not grow with people."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, Final, NamedTuple

from sqlalchemy import Connection, Select, bindparam, func, select

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

# Statements are built once, as building one takes longer than running it.
_PHONEBOOKS: Final = select(CampaignPhonebook.phonebook_id).where(
    CampaignPhonebook.campaign_id == bindparam("campaign")
)
_IN_LIST: Final = {
    table: (column, owner == bindparam("owner"), column >= bindparam("start"), column < bindparam("end"))
    for table, column, owner in (
        (Contact, Contact.number, Contact.phonebook_id),
        (Subscriber, Subscriber.number, Subscriber.campaign_id),
    )
}
_FIRST: Final[dict[type[Any], Select[Any]]] = {
    table: select(func.min(column)).where(*conditions) for table, (column, *conditions) in _IN_LIST.items()
}
_COUNT: Final[dict[type[Any], Select[Any]]] = {
    table: select(func.count()).select_from(select(column).where(*conditions).limit(UNKNOWN_COUNTED_MAX).subquery())
    for table, (column, *conditions) in _IN_LIST.items()
}


class NumberList(NamedTuple):
    """The numbers of a phonebook, or of the subscribers of a campaign."""

    table: type[Any]
    owner: int


class AreaCodes(NamedTuple):
    """A number for each North American area code in a list."""

    one: NumberList
    numbers: Iterable[str]


def phonebooks_of(connection: Connection, campaign_id: int) -> list[int]:
    """Return the phonebooks of a campaign."""
    return list(connection.scalars(_PHONEBOOKS, {"campaign": campaign_id}))


def area_codes_of(connection: Connection, campaign_id: int, phonebooks: Iterable[int]) -> list[AreaCodes]:
    """Return the area codes in each list of a campaign: its phonebooks, and then its subscribers.

    They are looked up when somebody goes through them, which can be done once.
    """
    lists = [*[NumberList(Contact, one) for one in phonebooks], NumberList(Subscriber, campaign_id)]
    return [AreaCodes(one, area_codes(connection, one)) for one in lists]


def looked_up(lists: Iterable[AreaCodes]) -> list[AreaCodes]:
    """Return area codes to go through several times: of each list up to one more than `AREA_CODES_MAX`."""
    return [AreaCodes(one, list(islice(numbers, AREA_CODES_MAX + 1))) for one, numbers in lists]


def area_codes(connection: Connection, one: NumberList) -> Iterator[str]:
    """Yield one number for each North American area code (+1) in a list."""
    start, end = NORTH_AMERICA, after_all_with(NORTH_AMERICA)
    while (number := first_number(connection, one, start, end)) is not None:
        yield number
        start = after_all_with(number[:AREA_CODE_LENGTH])


def first_number(connection: Connection, one: NumberList, start: str, end: str) -> str | None:
    """Return the first number of a list from a start on, and before an end."""
    first: str | None = connection.scalar(_FIRST[one.table], {"owner": one.owner, "start": start, "end": end})
    return first


def unknown_area_codes(connection: Connection, lists: Sequence[AreaCodes]) -> dict[str, int]:
    """Return the area codes of contacts, else of subscribers, that no row of the places has, each with its numbers.

    `lists` are those of a campaign, from `area_codes_of`.
    """
    *phonebooks, subscribers = lists
    return _unknown_in(connection, phonebooks) or _unknown_in(connection, [subscribers])


def _unknown_in(connection: Connection, lists: Sequence[AreaCodes]) -> dict[str, int]:
    found: dict[str, int] = {}
    tried = 0
    for one, numbers in lists:
        for number in numbers:
            tried += 1
            if tried > AREA_CODES_MAX:
                return found
            if NUMBER_ZONES.places.is_unknown(number):
                start = number[:AREA_CODE_LENGTH]
                found[start] = found.get(start, 0) + _count(connection, one, start)
    return found


def _count(connection: Connection, one: NumberList, start: str) -> int:
    asked = {"owner": one.owner, "start": start, "end": after_all_with(start)}
    return int(connection.scalar(_COUNT[one.table], asked) or 0)
