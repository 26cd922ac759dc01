"""User accounts for lists."""

import msgspec
from sqlalchemy import Connection, select

from dialer.store.tables import User


class AccountSummary(msgspec.Struct, frozen=True):
    """An account in a list of accounts; money in integers of 1e-5."""

    id: int
    username: str
    role: str
    enabled: bool
    call_rate: int
    sms_rate: int
    balance: int


def list_accounts(connection: Connection) -> list[AccountSummary]:
    """Return all accounts, in id order."""
    columns = [User.__table__.c[name] for name in AccountSummary.__struct_fields__]
    rows = connection.execute(select(*columns).order_by(User.id))
    return [AccountSummary(*row) for row in rows]


def has_accounts(connection: Connection) -> bool:
    """Return whether there is an account at all."""
    return connection.scalar(select(User.id).limit(1)) is not None


def free_balance(connection: Connection, user_id: int) -> int:
    """Return the balance of a user without what calls in progress hold, as an integer of 1e-5."""
    query = select(User.balance - User.held).where(User.id == user_id)
    return int(connection.scalar(query) or 0)
