"""The balance of an account, or of all accounts, over the last days, by the hour."""

from typing import Final

from sqlalchemy import Connection, func, select

from dialer.domain.figures.statistics import COSTING, HOUR_MS
from dialer.store.queries.selection import is_of
from dialer.store.queries.statistics import Hours, WhoseCalls, count_calls
from dialer.store.tables import LedgerEntry, Payment, User

HOURS: Final = 168
_REFUNDS: Final = ("refund:", "refund;")
"""The bounds of the references of refunded calls."""


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
    # PostgreSQL groups by a name, not by a calculation with values.
    paid = (Payment.created_date // HOUR_MS).label("in_hour")
    refunded = (LedgerEntry.created_date // HOUR_MS).label("in_hour")
    low, high = _REFUNDS
    payments = select(paid, func.sum(Payment.amount)).where(Payment.created_date >= since_ms).group_by(paid.name)
    refunds = (
        select(refunded, func.sum(LedgerEntry.amount))
        .where(LedgerEntry.reference >= low, LedgerEntry.reference < high, LedgerEntry.created_date >= since_ms)
        .group_by(refunded.name)
    )
    found: dict[int, int] = {}
    for query, owner in ((payments, Payment.user_id), (refunds, LedgerEntry.user_id)):
        for hour, amount in map(tuple, connection.execute(query.where(is_of(owner, user_id)))):
            found[hour] = found.get(hour, 0) + int(amount)
    return found
