"""User accounts."""

from typing import Final

import msgspec
from sqlalchemy import Connection, insert, select, update

from dialer.app.errors import RefusedError, UnknownRecordError
from dialer.app.events import PasswordChanged, UserCreated
from dialer.app.unit import UnitOfWork
from dialer.store.tables import User
from dialer.store.touched import NOTHING

_users: Final = User.__table__


class NewUser(msgspec.Struct, frozen=True, kw_only=True):
    """A user account that is to be created; money in integers of 1e-5."""

    username: str
    password_hash: str
    is_admin: bool = False
    call_rate: int = 0
    sms_rate: int = 0
    first_name: str = ""
    last_name: str = ""
    email: str = ""


def create_user(unit: UnitOfWork, user: NewUser) -> int:
    """Create a user account; return its id.

    Raises:
        RefusedError: the name is taken.
    """
    if _id_of(unit.connection, user.username) is not None:
        raise RefusedError(f"there is a user {user.username} already")
    stamp = {"balance": 0, "held": 0, "created_date": unit.now_ms, "updated_date": unit.now_ms}
    row = insert(_users).values({**msgspec.structs.asdict(user), **stamp}).returning(_users.c.id)
    user_id = int(unit.connection.execute(row).scalar_one())
    unit.note(NOTHING, UserCreated(user_id))
    return user_id


def change_password(unit: UnitOfWork, username: str, password_hash: str) -> None:
    """Replace the password of a user.

    Raises:
        UnknownRecordError: there is no such user.
    """
    user_id = _id_of(unit.connection, username)
    if user_id is None:
        raise UnknownRecordError(f"there is no user {username}")
    values = {"password_hash": password_hash, "updated_date": unit.now_ms}
    unit.connection.execute(update(_users).where(_users.c.id == user_id).values(values))
    unit.note(NOTHING, PasswordChanged(user_id))


def _id_of(connection: Connection, username: str) -> int | None:
    return connection.scalar(select(_users.c.id).where(_users.c.username == username))
