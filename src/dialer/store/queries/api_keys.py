"""Queries of API keys."""

from typing import NamedTuple

from sqlalchemy import Connection, select

from dialer.store.tables import ApiKey


class KeyOfUser(NamedTuple):
    """An API key of a user, without its secret."""

    id: int
    name: str
    prefix: str
    scopes: str
    enabled: bool
    last_used_ms: int | None


def keys_of(connection: Connection, user_id: int) -> list[KeyOfUser]:
    """Return the API keys of a user, of which there are a few at most, the oldest first."""
    columns = [ApiKey.__table__.c[name] for name in ("id", "name", "prefix", "scopes", "enabled", "last_used_date")]
    query = select(*columns).where(ApiKey.user_id == user_id).order_by(ApiKey.id)
    return [KeyOfUser._make(row) for row in map(tuple, connection.execute(query))]
