"""The prices of calls in rows: rate cards, and the rate at which a call is or was charged."""

from collections.abc import Callable, Collection
from operator import attrgetter
from typing import Final

from sqlalchemy import Connection, RowMapping, bindparam, func, select

from dialer.domain.billing.charge import Rate
from dialer.domain.billing.rates import NO_CARD, RateCard
from dialer.store.tables import RateCardLine, User

RATE_COLUMNS: Final = ("call_rate", "connection_fee", "first_increment", "next_increment")
"""The columns with the rate of a call request, a transfer or a CDR."""
rate_values: Final[Callable[[Rate], tuple[int, int, int, int]]] = attrgetter(
    "per_minute", "connection_fee", "first_increment_s", "next_increment_s"
)
"""Returns the values of `RATE_COLUMNS` for a rate."""
_PRICED: Final = select(User.id).where((User.call_rate > 0) | (User.sms_rate > 0)).limit(1)
_LISTED: Final = select(RateCardLine.id).limit(1)
_RATES: Final = (_PRICED, _LISTED)
_RATES_OF_USER: Final = (
    _PRICED.where(User.id == bindparam("user")),
    _LISTED.where(RateCardLine.user_id == bindparam("user")),
)
# Rounded half up, as in `Rate.cost`. Built once, as building it takes longer than running it.
_CHEAPEST: Final = (
    select(
        RateCardLine.user_id,
        func.min((2 * RateCardLine.rate * RateCardLine.first_increment + 60) // 120 + RateCardLine.connection_fee),
    )
    .where(RateCardLine.user_id.in_(bindparam("users", expanding=True)))
    .group_by(RateCardLine.user_id)
)


def rate_of(row: RowMapping) -> Rate:
    """Return the rate in the columns of a row."""
    return Rate(row["call_rate"], row["first_increment"], row["next_increment"], row["connection_fee"])


def read_card(connection: Connection, user_id: int) -> RateCard:
    """Return the rate card of a user."""
    query = select(
        RateCardLine.prefix,
        RateCardLine.rate,
        RateCardLine.first_increment,
        RateCardLine.next_increment,
        RateCardLine.connection_fee,
    ).where(RateCardLine.user_id == user_id)
    found = {prefix: Rate(*rate) for prefix, *rate in connection.execute(query)}
    return RateCard(found) if found else NO_CARD


def has_rate(connection: Connection, user_id: int | None) -> bool:
    """Return whether an account, or any account if it is None, has a rate above 0 or a rate card."""
    queries = _RATES if user_id is None else _RATES_OF_USER
    return any(connection.scalar(query, {"user": user_id}) is not None for query in queries)


def cheapest_prices(connection: Connection, user_ids: Collection[int]) -> dict[int, int]:
    """Return the lowest price of a first increment on the rate card of each user, in integers of 1e-5."""
    found = connection.execute(_CHEAPEST, {"users": list(user_ids)}) if user_ids else ()
    return {row[0]: row[1] for row in found}


class RateCards:
    """A cache of the rate cards of users, each read once for each version."""

    def __init__(self) -> None:
        self._read: dict[int, tuple[int, RateCard]] = {}

    def card(self, connection: Connection, user_id: int, version: int) -> RateCard:
        """Return the rate card of a user whose row has this `rate_card_version`."""
        known = self._read.get(user_id)
        if known is None or known[0] != version:
            card = read_card(connection, user_id) if version else NO_CARD
            known = self._read[user_id] = (version, card)
        return known[1]
