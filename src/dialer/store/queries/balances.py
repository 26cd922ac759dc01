"""The balance of an account, or of all accounts, over the last days, by the hour."""

from typing import Final

from sqlalchemy import Connection, bindparam, func, select

from dialer.domain.figures.statistics import COSTING, HOUR_MS
from dialer.store.queries.selection import is_of
from dialer.store.queries.statistics import Hours, WhoseCalls, count_calls
from dialer.store.tables import LedgerEntry, Payment, User

HOURS: Final = 168
_REFUNDS: Final = ("refund:", "refund;")
"""The bounds of the references of refunded calls."""
# Statements are built once, as building one takes longer than running it. PostgreSQL groups by a name, not by a
# calculation with values.
_paid = (Payment.created_date // HOUR_MS).label("in_hour")
_refunded = (LedgerEntry.created_date // HOUR_MS).label("in_hour")
_PAYMENTS: Final = (
    select(_paid, func.sum(Payment.amount)).where(Payment.created_date >= bindparam("since")).group_by(_paid.name)
)
_REFUNDED: Final = (
    select(_refunded, func.sum(LedgerEntry.amount))
    .where(LedgerEntry.reference >= _REFUNDS[0], LedgerEntry.reference < _REFUNDS[1])
    .where(LedgerEntry.created_date >= bindparam("since"))
    .group_by(_refunded.name)
)
_MONEY: Final = (_PAYMENTS, _REFUNDED)
_MONEY_OF_USER: Final = (
    _PAYMENTS.where(Payment.user_id == bindparam("user")),
    _REFUNDED.where(LedgerEntry.user_id == bindparam("user")),
)


def balances_by_hour(connection: Connection, user_id: int | None, now_ms: int) -> list[int]:
    """Return the balance at the end of each of the last `HOURS` hours, in integers of 1e-5, the present one last.

    A call counts in the hour of its dial. The cost grows with payments and refunds, and not with calls.
    """
    present = now_ms // HOUR_MS
    first = present - HOURS + 1
    changes = _money_in(connection, user_id, first * HOUR_MS)
    scope = WhoseCalls(user_id=user_id)
    for grouping in COSTING:
        for one in count_calls(connection, scope, grouping, Hours(first, present + 1), HOURS, by_hour=True):
            hour = one.hour or 0
            changes[hour] = changes.get(hour, 0) - one.figures.cost
    balance = int(connection.scalar(select(func.sum(User.balance)).where(is_of(User.id, user_id))) or 0)
    balances = []
    for hour in range(present, first - 1, -1):
        balances.append(balance)
        balance -= changes.get(hour, 0)
    return balances[::-1]


def _money_in(connection: Connection, user_id: int | None, since_ms: int) -> dict[int, int]:
    """Return payments and refunds of calls by hour."""
    found: dict[int, int] = {}
    for query in _MONEY if user_id is None else _MONEY_OF_USER:
        for hour, amount in map(tuple, connection.execute(query, {"since": since_ms, "user": user_id})):
            found[hour] = found.get(hour, 0) + int(amount)
    return found
