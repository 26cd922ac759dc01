"""User accounts: the command line creates, changes and lists them here."""

from typing import Final, NamedTuple

import msgspec
from sqlalchemy import Connection, insert, select, update

from dialer.domain.usernames import username_key
from dialer.store.tables import Row

_USERS: Final = Row.metadata.tables["user_account"]


class UserError(Exception):
    """An account cannot be created or changed; the message is one line that says why."""


class NewUser(msgspec.Struct, frozen=True, kw_only=True):
    """The fields of an account to create; money in integers of 1e-5."""

    username: str
    password_hash: str
    is_admin: bool = False
    call_rate: int = 0
    sms_rate: int = 0
    first_name: str = ""
    last_name: str = ""
    email: str = ""


class AccountSummary(msgspec.Struct, frozen=True):
    """One account in a list; money in integers of 1e-5."""

    id: int
    username: str
    is_admin: bool
    call_rate: int
    sms_rate: int
    balance: int


def create_account(connection: Connection, account: NewUser, now_ms: int) -> int:
    """Add an account and return its id.

    Raises:
        UserError: a user has this name, or one that differs only in case or Unicode form.
    """
    taken = _named(connection, account.username)
    if taken is not None:
        raise UserError(f"there is a user {taken.username} already; choose another name")
    values = msgspec.structs.asdict(account)
    stamp = {"balance": 0, "held": 0, "created_date": now_ms, "updated_date": now_ms}
    key = connection.execute(insert(_USERS).values({**values, **stamp})).inserted_primary_key
    return int(key[0]) if key else 0


def change_password(connection: Connection, username: str, password_hash: str, now_ms: int) -> str:
    """Replace the hash of a user's password, and return the user's name as it was given.

    Raises:
        UserError: no user has this name.
    """
    user = _named(connection, username)
    if user is None:
        raise UserError(f"there is no user {username}")
    values = {"password_hash": password_hash, "updated_date": now_ms}
    connection.execute(update(_USERS).where(_USERS.c.id == user.id).values(values))
    return user.username


def list_accounts(connection: Connection) -> list[AccountSummary]:
    """Return all accounts, in id order."""
    columns = [_USERS.c[name] for name in AccountSummary.__struct_fields__]
    rows = connection.execute(select(*columns).order_by(_USERS.c.id))
    return [AccountSummary(*row) for row in rows]


def has_accounts(connection: Connection) -> bool:
    """Tell whether there is a user, so that anybody can log in."""
    return connection.scalar(select(_USERS.c.id).limit(1)) is not None


class _Named(NamedTuple):
    id: int
    username: str


def _named(connection: Connection, username: str) -> _Named | None:
    """Find the user of a name; names that differ only in case or Unicode form are equal."""
    query = select(_USERS.c.id, _USERS.c.username).where(_USERS.c.username_key == username_key(username))
    row = connection.execute(query).first()
    return None if row is None else _Named(*row)
