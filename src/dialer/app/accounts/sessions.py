"""Use cases of the console's sessions: sign-in, sign-out, and the end of all sessions of a user.

The times of sessions are those of the machine. The service's clock may run faster, or stand still.
"""

import secrets
from typing import Final, NamedTuple

from sqlalchemy import Connection, delete, insert, select, update

from dialer.app.accounts.api_keys import hash_secret
from dialer.app.telling.audit_log import masked
from dialer.app.work.errors import UnknownRecordError
from dialer.app.work.events import SessionEnded, SignedIn
from dialer.app.work.unit import UnitOfWork
from dialer.store.database.touched import NOTHING
from dialer.store.tables import ConsoleSession, SecondFactor, User

IDLE_MS: Final = 12 * 3_600_000
"""Time without a request after which a session ends."""
LIFE_MS: Final = 7 * 86_400_000
"""Time after which a session ends in any case."""
SIGN_IN_MS: Final = 300_000
"""Time from the right password to the code."""
SESSIONS_MAX: Final = 20
"""Sessions of one user; the one that was used longest ago ends first."""
TOKEN_BYTES: Final = 32
BROWSER_MAX: Final = 200
"""Characters of a `User-Agent` that are kept."""
USED_EVERY_MS: Final = 300_000
"""Steps in which the last use of a session is written down."""


class NewSession(NamedTuple):
    """A session to begin; `at_ms` is the machine's time."""

    user_id: int
    at_ms: int
    address: str
    browser: str


def begin_session(unit: UnitOfWork, new: NewSession) -> str:
    """Begin a session of a user who signed in, and return its token, which is stored nowhere."""
    token = _insert(unit, new, is_pending=False)
    unit.note(NOTHING, SignedIn(new.user_id))
    return token


def is_as_verified(connection: Connection, user_id: int, password_hash: str, *, has_second_factor: bool) -> bool:
    """Return whether a user still has the password that was verified, and a second factor just if there was one then.

    Both may change while a password is verified. Such a sign-in would outlive the change.
    """
    query = (
        select(User.password_hash, SecondFactor.confirmed_date)
        .outerjoin(SecondFactor, SecondFactor.user_id == User.id)
        .where(User.id == user_id)
    )
    row = connection.execute(query).first()
    if row is None or row.password_hash != password_hash:
        return False
    return (row.confirmed_date is not None) == has_second_factor


def begin_sign_in(unit: UnitOfWork, new: NewSession) -> str:
    """Store that a user's password was right. Return a token with which the user may enter a code."""
    unit.note(NOTHING)
    return _insert(unit, new, is_pending=True)


class SigningIn(NamedTuple):
    """A user whose password was right."""

    user_id: int
    username: str


def user_signing_in(connection: Connection, token: str, at_ms: int) -> SigningIn | None:
    """Return the user whose password was right and who may give a code now, or None."""
    is_one = (ConsoleSession.token_hash == hash_secret(token)) & ConsoleSession.is_pending
    query = (
        select(ConsoleSession.user_id, User.username)
        .join(User, User.id == ConsoleSession.user_id)
        .where(is_one, User.enabled, ConsoleSession.created_date > at_ms - SIGN_IN_MS)
    )
    row = connection.execute(query).first()
    return None if row is None else SigningIn(*row)


def end_sign_in(connection: Connection, token: str) -> bool:
    """Delete a sign-in that waits for a code. Return whether there was one."""
    is_one = (ConsoleSession.token_hash == hash_secret(token)) & ConsoleSession.is_pending
    return bool(connection.execute(delete(ConsoleSession).where(is_one)).rowcount)


def _insert(unit: UnitOfWork, new: NewSession, *, is_pending: bool) -> str:
    _make_room(unit.connection, new, is_pending=is_pending)
    token = secrets.token_urlsafe(TOKEN_BYTES)
    values = {
        "user_id": new.user_id,
        "token_hash": hash_secret(token),
        "address": new.address,
        "browser": masked(new.browser)[:BROWSER_MAX],
        "created_date": new.at_ms,
        "used_date": new.at_ms,
        "is_pending": is_pending,
    }
    unit.connection.execute(insert(ConsoleSession).values(values))
    return token


def use_session(unit: UnitOfWork, session_id: int, at_ms: int) -> None:
    """Store the time at which a session was last used."""
    unit.connection.execute(update(ConsoleSession).where(ConsoleSession.id == session_id).values(used_date=at_ms))
    unit.note(NOTHING)


def end_session(unit: UnitOfWork, user_id: int, session_id: int) -> None:
    """End a session of a user.

    Raises:
        UnknownRecordError: the user has no such session.
    """
    is_one = (ConsoleSession.id == session_id) & (ConsoleSession.user_id == user_id)
    if not unit.connection.execute(delete(ConsoleSession).where(is_one)).rowcount:
        raise UnknownRecordError(f"There is no session {session_id}.")
    unit.note(NOTHING, SessionEnded(user_id))


def end_sessions(connection: Connection, user_id: int) -> None:
    """End all sessions of a user."""
    connection.execute(delete(ConsoleSession).where(ConsoleSession.user_id == user_id))


def end_other_sessions(connection: Connection, user_id: int, session_id: int) -> None:
    """End all sessions of a user except one."""
    connection.execute(delete(ConsoleSession).where(ConsoleSession.user_id == user_id, ConsoleSession.id != session_id))


def _make_room(connection: Connection, new: NewSession, *, is_pending: bool) -> None:
    """Delete the sessions of a user that are over, and those of the same kind beyond the limit."""
    is_late = ConsoleSession.is_pending & (ConsoleSession.created_date <= new.at_ms - SIGN_IN_MS)
    is_idle = ConsoleSession.used_date <= new.at_ms - IDLE_MS
    is_over = is_late | is_idle | (ConsoleSession.created_date <= new.at_ms - LIFE_MS)
    connection.execute(delete(ConsoleSession).where(ConsoleSession.user_id == new.user_id, is_over))
    # A sign-in that waits for a code must not push out a session.
    alike = (ConsoleSession.user_id == new.user_id) & ConsoleSession.is_pending.is_(is_pending)
    kept = select(ConsoleSession.id).where(alike).order_by(ConsoleSession.used_date.desc())
    connection.execute(delete(ConsoleSession).where(ConsoleSession.id.in_(kept.offset(SESSIONS_MAX - 1))))
