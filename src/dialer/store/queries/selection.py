"""Queries that read all rows of a table, only those with given ids, or only those of some shards."""

from collections.abc import Collection, Sequence
from collections.abc import Set as AbstractSet
from typing import Any, Final

from sqlalchemy import (
    ColumnElement,
    Connection,
    CursorResult,
    RowMapping,
    Select,
    SQLColumnExpression,
    bindparam,
    true,
)

from dialer.domain.fleet.shards import SHARDS, shard_of

Shards = AbstractSet[int] | None
"""Shards whose accounts are meant; None stands for all accounts."""


def owns(shards: Shards, user_id: int) -> bool:
    """Return whether an account is in one of the shards."""
    return shards is None or shard_of(user_id) in shards


def in_shards(owner: SQLColumnExpression[int]) -> SQLColumnExpression[bool]:
    """Return the condition that the account in column `owner` is in one of the shards `shards`."""
    return (owner % SHARDS).in_(bindparam("shards", expanding=True))


def is_of(owner: SQLColumnExpression[Any], user_id: int | None) -> ColumnElement[bool]:
    """Return the condition that the account in column `owner` is a user's; None stands for all accounts."""
    return true() if user_id is None else owner == user_id


def of_shards(query: Select[Any], owner: SQLColumnExpression[int]) -> Select[Any]:
    """Return a query with a further condition: the account in column `owner` is in one of the shards `shards`."""
    return query.where(in_shards(owner))


class OwnedRows:
    """A query that reads the rows of all accounts, or only of those in some shards."""

    def __init__(self, query: Select[Any], owner: SQLColumnExpression[int]) -> None:
        self._all: Final = query
        self._own: Final = of_shards(query, owner)

    def run(self, connection: Connection, shards: Shards, **values: object) -> CursorResult[Any]:
        """Run the query for the accounts in `shards`."""
        if shards is None:
            return connection.execute(self._all, values)
        return connection.execute(self._own, {**values, "shards": sorted(shards)})


class Selection:
    """A query that reads all its rows, or only those with given ids."""

    def __init__(
        self, query: Select[Any], column: SQLColumnExpression[int], owner: SQLColumnExpression[int] | None = None
    ) -> None:
        some = query.where(column.in_(bindparam("ids", expanding=True)))
        self._all: Final = query
        self._some: Final = some
        self._own: Final = query if owner is None else of_shards(query, owner)
        self._some_own: Final = some if owner is None else of_shards(some, owner)

    def rows(
        self, connection: Connection, among: Collection[int] | None = None, shards: Shards = None
    ) -> Sequence[RowMapping]:
        """Return the rows with the ids in `among` (None stands for all rows), of the accounts in `shards`.

        Without ids, no query runs.
        """
        if among is not None and not among:
            return ()
        values = {} if among is None else {"ids": list(among)}
        if shards is None:
            return connection.execute(self._all if among is None else self._some, values).mappings().all()
        query = self._own if among is None else self._some_own
        return connection.execute(query, {**values, "shards": sorted(shards)}).mappings().all()
