"""The destinations of accounts in rows: the numbers that they may call."""

from typing import Any, Final

from sqlalchemy import Connection, bindparam, exists, select

from dialer.domain.billing.rates import NO_CARD
from dialer.domain.engine.credit import is_forbidden
from dialer.domain.numbers.destinations import EVERYWHERE, Destinations, read_countries, special_digits
from dialer.domain.numbers.prefixes import NO_PREFIXES, Prefixes, numbers_meant
from dialer.store.tables import RateCardLine, User

NONE: Final = Destinations(frozenset({""}))
"""The destinations of an account whose row cannot be read: it calls nobody."""

_DESTINATIONS: Final = select(User.allowed_countries, User.allows_special).where(User.id == bindparam("user"))


def destinations_of(allowed_countries: str, *, allows_special: bool) -> Destinations:
    """Return the destinations in the columns of a user. An invalid value allows no destination."""
    if not allowed_countries and not allows_special:
        return EVERYWHERE
    try:
        return Destinations(read_countries(allowed_countries), bool(allows_special))
    except ValueError:
        return NONE


def read_destinations(connection: Connection, user_id: int) -> Destinations:
    """Return the destinations of a user."""
    row: Any = connection.execute(_DESTINATIONS, {"user": user_id}).one_or_none()
    return NONE if row is None else destinations_of(row[0], allows_special=row[1])


def is_forbidden_for(
    connection: Connection, user_id: int, destinations: Destinations, number: str, prefixes: Prefixes = NO_PREFIXES
) -> bool:
    """Return whether a user may not call a number in normal form over a gateway with these prefixes."""
    meant = numbers_meant(number, addprefix=prefixes.add, removeprefix=prefixes.remove)
    return any(_is_forbidden(connection, user_id, destinations, one) for one in meant)


def _is_forbidden(connection: Connection, user_id: int, destinations: Destinations, number: str) -> bool:
    """Return whether a user may not call a number. The rate card is only read for special numbers."""
    if not is_forbidden(number, destinations, NO_CARD):
        return False
    digits = special_digits(number)
    if not digits or not destinations.allows_country(number):
        return True
    named = [number[1:end] for end in range(digits + 1, len(number) + 1)]
    return not connection.scalar(
        select(exists().where(RateCardLine.user_id == user_id, RateCardLine.prefix.in_(named)))
    )
