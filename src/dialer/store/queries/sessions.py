"""Queries of the console's sessions."""

from typing import Any, Final, NamedTuple

from sqlalchemy import Connection, Select, bindparam, select

from dialer.store.queries.currencies import CURRENCIES_OF_VIEWER
from dialer.store.tables import ConsoleSession, SecondFactor, User

SESSION_IN_USE: Final[Select[*tuple[Any, ...]]] = (
    select(
        ConsoleSession.id,
        ConsoleSession.used_date,
        User.id,
        User.username,
        User.role,
        User.manager_id,
        User.default_region,
        User.recordings,
        User.language,
        SecondFactor.confirmed_date,
        *CURRENCIES_OF_VIEWER,
    )
    .join(User, User.id == ConsoleSession.user_id)
    .outerjoin(SecondFactor, SecondFactor.user_id == User.id)
    .where(
        ConsoleSession.token_hash == bindparam("token_hash"),
        ConsoleSession.used_date > bindparam("idle_since_ms"),
        ConsoleSession.created_date > bindparam("begun_since_ms"),
        User.enabled,
        ConsoleSession.is_pending.is_(False),
    )
)
"""The session with a token: session, last use; user, name, role, manager, country, whether recordings may be heard,
language; second factor; currencies."""

SESSIONS_FROM: Final[Select[Any]] = (
    select(ConsoleSession.id)
    .join(User, User.id == ConsoleSession.user_id)
    .where(
        User.username_key == bindparam("username_key"),
        ConsoleSession.address == bindparam("address"),
        ConsoleSession.is_pending.is_(False),
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
    columns = [ConsoleSession.__table__.c[name] for name in ("id", "address", "browser", "created_date", "used_date")]
    query = select(*columns).where(
        ConsoleSession.user_id == user_id,
        ConsoleSession.is_pending.is_(False),
        ConsoleSession.used_date > idle_since_ms,
        ConsoleSession.created_date > begun_since_ms,
    )
    query = query.order_by(ConsoleSession.used_date.desc(), ConsoleSession.id.desc())
    return [OpenSession._make(row) for row in map(tuple, connection.execute(query))]
