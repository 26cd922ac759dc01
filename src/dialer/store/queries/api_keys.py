"""Queries of API keys."""

from typing import Final, NamedTuple

from sqlalchemy import Connection, select

from dialer.store.tables import ApiKey

_keys: Final = ApiKey.__table__


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
    columns = [_keys.c[name] for name in ("id", "name", "prefix", "scopes", "enabled", "last_used_date")]
    query = select(*columns).where(_keys.c.user_id == user_id).order_by(_keys.c.id)
    return [KeyOfUser._make(row) for row in map(tuple, connection.execute(query))]
