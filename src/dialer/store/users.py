"""User accounts, as the command line makes them."""

from typing import Final

import msgspec
from sqlalchemy import Connection, insert, select, update

from dialer.store.tables import Row

_USERS: Final = Row.metadata.tables["user_account"]


class UserError(Exception):
    """Raised when an account cannot be made or changed: one line that says why."""


class NewUser(msgspec.Struct, frozen=True, kw_only=True):
    """What an account is made with; money in integers of 1e-5."""

    username: str
    password_hash: str
    is_admin: bool = False
    call_rate: int = 0
    sms_rate: int = 0
    first_name: str = ""
    last_name: str = ""
    email: str = ""


class AccountSummary(msgspec.Struct, frozen=True):
    """What a list of accounts shows of one; money in integers of 1e-5."""

    id: int
    username: str
    is_admin: bool
    call_rate: int
    sms_rate: int
    balance: int


def create_account(connection: Connection, account: NewUser, now_ms: int) -> int:
    """The id of the new account; raises UserError if the name is taken."""
    if _id_of(connection, account.username) is not None:
        raise UserError(f"there is a user {account.username} already")
    values = msgspec.structs.asdict(account)
    stamp = {"balance": 0, "held": 0, "created_date": now_ms, "updated_date": now_ms}
    key = connection.execute(insert(_USERS).values({**values, **stamp})).inserted_primary_key
    return int(key[0]) if key else 0


def change_password(connection: Connection, username: str, password_hash: str, now_ms: int) -> None:
    """Replace the hash of a password; raises UserError if there is no such user."""
    user_id = _id_of(connection, username)
    if user_id is None:
        raise UserError(f"there is no user {username}")
    values = {"password_hash": password_hash, "updated_date": now_ms}
    connection.execute(update(_USERS).where(_USERS.c.id == user_id).values(values))


def list_accounts(connection: Connection) -> list[AccountSummary]:
    """All accounts, in id order."""
    columns = [_USERS.c[name] for name in AccountSummary.__struct_fields__]
    rows = connection.execute(select(*columns).order_by(_USERS.c.id))
    return [AccountSummary(*row) for row in rows]


def has_accounts(connection: Connection) -> bool:
    """Whether anybody can log in at all."""
    return connection.scalar(select(_USERS.c.id).limit(1)) is not None


def _id_of(connection: Connection, username: str) -> int | None:
    return connection.scalar(select(_USERS.c.id).where(_USERS.c.username == username))
