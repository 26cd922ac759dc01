"""Use cases of user accounts."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import msgspec
from msgspec.structs import replace
from sqlalchemy import Connection, Row, RowMapping, delete, insert, select, update

from dialer.app.accounts.api_keys import revoke_api_keys
from dialer.app.accounts.second_factor import forget_unconfirmed
from dialer.app.accounts.sessions import end_sessions
from dialer.app.accounts.supervisors import end_refused_supervisions, end_supervisions
from dialer.app.work.errors import ErrorCode, InvalidFieldsError, RefusedError, UnknownRecordError
from dialer.app.work.events import PasswordChanged, UserChanged, UserCreated
from dialer.app.work.touched_records import dids_of_account, touched_account
from dialer.app.work.unit import UnitOfWork
from dialer.domain.billing.money import format_money
from dialer.domain.credentials.usernames import username_key
from dialer.domain.numbers.emergency import emergency_error, is_emergency_contact
from dialer.domain.words.roles import Role
from dialer.domain.words.sentences import Sentence, message_of
from dialer.store.database.touched import NOTHING
from dialer.store.queries.accounts import has_accounts
from dialer.store.tables import User


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
    stamp = {"created_date": unit.now_ms, "updated_date": unit.now_ms}
    return int(add_user(unit, {**msgspec.structs.asdict(user), **stamp}).id)


def create_first_admin(unit: UnitOfWork, user: NewUser) -> int:
    """Create the first user, an admin, and return its id.

    Raises:
        RefusedError: there are users already.
    """
    if has_accounts(unit.connection):
        raise RefusedError(
            "There are users already, so this page creates no admin any more. Sign in instead.",
            code=ErrorCode.ALREADY_EXISTS,
        )
    return create_user(unit, replace(user, role=Role.ADMIN))


def add_user(unit: UnitOfWork, columns: Mapping[str, Any]) -> Row[Any]:
    """Insert a user account; return its row.

    Raises:
        RefusedError: the name is taken, or differs from another one only in case or Unicode form.
    """
    taken = find_user(unit.connection, columns["username"])
    if taken is not None:
        raise RefusedError(
            Sentence("there is a user %(username)s already; choose another name", username=taken.username),
            code=ErrorCode.ALREADY_EXISTS,
        )
    values = {**columns, "balance": 0, "held": 0}
    row = unit.connection.execute(insert(User).values(values).returning(*User.__table__.c)).one()
    unit.note(NOTHING, UserCreated(row.id))
    return row


def change_user(unit: UnitOfWork, user_id: int, columns: Mapping[str, Any], *, revokes_keys: bool = False) -> None:
    """Write columns of a user account. A new password, and disabling the user, end the sessions of the console.

    A new password also revokes the user's API keys, if `revokes_keys` is true. A user who listens to a call of an
    agent, and may not do so any more, is hung up.

    Raises:
        UnknownRecordError: there is no such user.
        RefusedError: the change would leave no admin who may log in.
    """
    before = _read(unit.connection, user_id)
    after = {**before, **columns}
    if not _is_working_admin(after):
        _keep_an_admin(unit.connection, before)
    written = {**columns, "updated_date": unit.now_ms}
    unit.connection.execute(update(User).where(User.id == user_id).values(written))
    end_refused_supervisions(unit, user_id)
    has_new_password = after["password_hash"] != before["password_hash"]
    if has_new_password or not after["enabled"]:
        end_sessions(unit.connection, user_id)
        forget_unconfirmed(unit.connection, user_id)
    if has_new_password and revokes_keys:
        revoke_api_keys(unit, user_id)
    touched = touched_account(user_id)
    if after["default_region"] != before["default_region"]:
        touched |= dids_of_account(unit.connection, user_id)
    unit.note(touched, *([PasswordChanged(user_id)] if has_new_password else []), UserChanged(user_id))


def change_default_region(unit: UnitOfWork, user_id: int, region: str) -> None:
    """Remember the country of the numbers that a user writes without one; empty for that of the service.

    Raises:
        UnknownRecordError: there is no such user.
    """
    if _read(unit.connection, user_id)["default_region"] != region:
        change_user(unit, user_id, {"default_region": region})


def change_own_settings(unit: UnitOfWork, user_id: int, columns: Mapping[str, Any], region: str | None) -> None:
    """Write those columns of a user account that its user may set. `region` is the country of their numbers.

    Raises:
        UnknownRecordError: there is no such user.
        InvalidFieldsError: the new telephone is an emergency number.
    """
    before = _read(unit.connection, user_id)
    changed = {name: value for name, value in columns.items() if before[name] != value}
    telephone = changed.get("telephone", "")
    if telephone and is_emergency_contact(telephone, region):
        raise InvalidFieldsError({"telephone": [message_of(emergency_error(telephone))]})
    if changed:
        change_user(unit, user_id, changed)


def delete_user(unit: UnitOfWork, user_id: int) -> None:
    """Delete a user account with its API keys and its rate card.

    The caller makes sure that no other record needs the account.

    Raises:
        UnknownRecordError: there is no such user.
        RefusedError: the user has a balance, or is the last admin who may log in.
    """
    before = _read(unit.connection, user_id)
    if before["balance"] or before["held"]:
        amount = format_money(before["balance"])
        raise RefusedError(
            Sentence("The user has a balance of %(amount)s. Pay it back first, or disable the user.", amount=amount),
            code=ErrorCode.BALANCE_LEFT,
        )
    _keep_an_admin(unit.connection, before)
    end_supervisions(unit, user_id)
    unit.connection.execute(delete(User).where(User.id == user_id))
    unit.note(touched_account(user_id))


def change_password(unit: UnitOfWork, username: str, password_hash: str, *, revokes_keys: bool = False) -> str:
    """Replace the hash of a user's password, and revoke the API keys if asked for; return the stored username.

    Raises:
        UnknownRecordError: there is no such user.
    """
    user = known_user(unit.connection, username)
    change_user(unit, user.id, {"password_hash": password_hash}, revokes_keys=revokes_keys)
    return user.username


class NamedUser(NamedTuple):
    """A user account by its stored name."""

    id: int
    username: str


def known_user(connection: Connection, username: str) -> NamedUser:
    """Return the user with a name.

    Raises:
        UnknownRecordError: there is no such user.
    """
    user = find_user(connection, username)
    if user is None:
        raise UnknownRecordError(f"there is no user {username}")
    return user


def find_user(connection: Connection, username: str) -> NamedUser | None:
    """Return the user with a name, or None; names that differ only in case or Unicode form are equal."""
    query = select(User.id, User.username).where(User.username_key == username_key(username))
    row = connection.execute(query).first()
    return None if row is None else NamedUser(*row)


def _read(connection: Connection, user_id: int) -> RowMapping:
    user = connection.execute(select(User.__table__).where(User.id == user_id)).mappings().one_or_none()
    if user is None:
        raise UnknownRecordError(f"there is no user {user_id}")
    return user


def _is_working_admin(user: Mapping[str, Any] | RowMapping) -> bool:
    return bool(user["role"] == Role.ADMIN and user["enabled"])


def _keep_an_admin(connection: Connection, user: RowMapping) -> None:
    """Raise RefusedError if a user is the last admin who may log in."""
    others = select(User.id).where(User.role == Role.ADMIN, User.enabled, User.id != user["id"])
    if _is_working_admin(user) and connection.execute(others.limit(1)).first() is None:
        raise RefusedError(
            Sentence(
                "%(username)s is the last admin who may log in. Make another user an admin first.",
                username=user["username"],
            ),
            code=ErrorCode.LAST_ADMIN,
        )
