"""User accounts: their lists, and what holds for one now."""

from typing import Any

import msgspec
from sqlalchemy import ColumnElement, Connection, or_, select

from dialer.store.queries.currencies import CURRENCIES_OF_VIEWER
from dialer.store.tables import ApiKey, User


class AccountSummary(msgspec.Struct, frozen=True):
    """An account in a list of accounts; money in integers of 1e-5."""

    id: int
    username: str
    role: str
    enabled: bool
    call_rate: int
    sms_rate: int
    balance: int
    currency: str
    """The currency of the account whose money it is; empty for that of the service."""


def list_accounts(connection: Connection) -> list[AccountSummary]:
    """Return all accounts, in id order."""
    own = [User.__table__.c[name] for name in AccountSummary.__struct_fields__[:-1]]
    columns: list[ColumnElement[Any]] = [*own, CURRENCIES_OF_VIEWER[0]]
    rows = connection.execute(select(*columns).order_by(User.id))
    return [AccountSummary(*row) for row in rows]


def has_accounts(connection: Connection) -> bool:
    """Return whether the database has any account."""
    return connection.scalar(select(User.id).limit(1)) is not None


def free_balance(connection: Connection, user_id: int) -> int:
    """Return the balance of a user without what calls in progress hold, as an integer of 1e-5."""
    query = select(User.balance - User.held).where(User.id == user_id)
    return int(connection.scalar(query) or 0)


def is_still_as(
    connection: Connection, user_id: int, role_and_manager: tuple[str, int | None], *, key_id: int | None, now_ms: int
) -> bool:
    """Return whether a user is enabled and has the same role and manager as before, and a key of theirs is valid."""
    user = select(User.role, User.manager_id).where(User.id == user_id, User.enabled)
    row = connection.execute(user).first()
    if row is None or tuple(row) != role_and_manager:
        return False
    if key_id is None:
        return True
    is_valid = or_(ApiKey.expirationdate.is_(None), ApiKey.expirationdate > now_ms)
    key = select(ApiKey.id).where(ApiKey.id == key_id, ApiKey.user_id == user_id, ApiKey.enabled, is_valid)
    return connection.scalar(key) is not None
