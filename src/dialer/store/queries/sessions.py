"""Queries of the console's sessions."""

from typing import Any, Final, NamedTuple

from sqlalchemy import Connection, Select, bindparam, select

from dialer.store.tables import ConsoleSession, SecondFactor, User

_sessions: Final = ConsoleSession.__table__
_users: Final = User.__table__
_factors: Final = SecondFactor.__table__

SESSION_IN_USE: Final[Select[Any]] = (
    select(
        _sessions.c.id,
        _sessions.c.used_date,
        _users.c.id,
        _users.c.username,
        _users.c.role,
        _users.c.manager_id,
        _factors.c.confirmed_date,
    )
    .join(_users, _users.c.id == _sessions.c.user_id)
    .outerjoin(_factors, _factors.c.user_id == _users.c.id)
    .where(
        _sessions.c.token_hash == bindparam("token_hash"),
        _sessions.c.used_date > bindparam("idle_since_ms"),
        _sessions.c.created_date > bindparam("begun_since_ms"),
        _users.c.enabled,
        _sessions.c.is_pending.is_(False),
    )
)
"""The session with a token, and its user: session id, last use, user id, name, role, manager, second factor."""

SESSIONS_FROM: Final[Select[Any]] = (
    select(_sessions.c.id)
    .join(_users, _users.c.id == _sessions.c.user_id)
    .where(
        _users.c.username_key == bindparam("username_key"),
        _sessions.c.address == bindparam("address"),
        _sessions.c.is_pending.is_(False),
    )
)
"""The sessions of a user that began at an address: a few at most."""


class OpenSession(NamedTuple):
    """A session of a user, without its token; times are those of the machine."""

    id: int
    address: str
    browser: str
    created_ms: int
    used_ms: int


def sessions_of(connection: Connection, user_id: int, idle_since_ms: int, begun_since_ms: int) -> list[OpenSession]:
    """Return the sessions of a user that are not over, the one that was used last first."""
    columns = [_sessions.c[name] for name in ("id", "address", "browser", "created_date", "used_date")]
    query = select(*columns).where(
        _sessions.c.user_id == user_id,
        _sessions.c.is_pending.is_(False),
        _sessions.c.used_date > idle_since_ms,
        _sessions.c.created_date > begun_since_ms,
    )
    query = query.order_by(_sessions.c.used_date.desc(), _sessions.c.id.desc())
    return [OpenSession._make(row) for row in map(tuple, connection.execute(query))]
