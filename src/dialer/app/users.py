"""Use cases of user accounts."""

from typing import Final, NamedTuple

import msgspec
from sqlalchemy import Connection, insert, select, update

from dialer.app.errors import RefusedError, UnknownRecordError
from dialer.app.events import PasswordChanged, UserCreated
from dialer.app.unit import UnitOfWork
from dialer.domain.roles import Role
from dialer.domain.usernames import username_key
from dialer.store.tables import User
from dialer.store.touched import NOTHING

_users: Final = User.__table__


class NewUser(msgspec.Struct, frozen=True, kw_only=True):
    """A user account to create; rates are integers of 1e-5."""

    username: str
    password_hash: str
    role: Role = Role.MANAGER
    call_rate: int = 0
    sms_rate: int = 0
    first_name: str = ""
    last_name: str = ""
    email: str = ""


def create_user(unit: UnitOfWork, user: NewUser) -> int:
    """Create a user account; return its id.

    Raises:
        RefusedError: the name is taken, or differs from another one only in case or Unicode form.
    """
    taken = _named(unit.connection, user.username)
    if taken is not None:
        raise RefusedError(f"there is a user {taken.username} already; choose another name")
    stamp = {"balance": 0, "held": 0, "created_date": unit.now_ms, "updated_date": unit.now_ms}
    row = insert(_users).values({**msgspec.structs.asdict(user), **stamp}).returning(_users.c.id)
    user_id = int(unit.connection.execute(row).scalar_one())
    unit.note(NOTHING, UserCreated(user_id))
    return user_id


def change_password(unit: UnitOfWork, username: str, password_hash: str) -> str:
    """Replace the hash of a user's password; return the stored username.

    Raises:
        UnknownRecordError: there is no such user.
    """
    user = _named(unit.connection, username)
    if user is None:
        raise UnknownRecordError(f"there is no user {username}")
    values = {"password_hash": password_hash, "updated_date": unit.now_ms}
    unit.connection.execute(update(_users).where(_users.c.id == user.id).values(values))
    unit.note(NOTHING, PasswordChanged(user.id))
    return user.username


class _Named(NamedTuple):
    id: int
    username: str


def _named(connection: Connection, username: str) -> _Named | None:
    """Find the user with a name; names that differ only in case or Unicode form are equal."""
    query = select(_users.c.id, _users.c.username).where(_users.c.username_key == username_key(username))
    row = connection.execute(query).first()
    return None if row is None else _Named(*row)
