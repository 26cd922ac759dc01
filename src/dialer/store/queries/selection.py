"""Queries that read all rows of a table, or only those with given ids."""

from collections.abc import Collection, Sequence
from typing import Any, Final

from sqlalchemy import Column, Connection, RowMapping, Select, bindparam


class Selection:
    """A query that reads all its rows, or only those with given ids."""

    def __init__(self, query: Select[Any], column: Column[int]) -> None:
        self._all: Final = query
        self._some: Final = query.where(column.in_(bindparam("ids", expanding=True)))

    def rows(self, connection: Connection, among: Collection[int] | None = None) -> Sequence[RowMapping]:
        """Return the rows with the ids in `among`; None stands for all rows. Without ids, no query runs."""
        if among is None:
            return connection.execute(self._all).mappings().all()
        return connection.execute(self._some, {"ids": list(among)}).mappings().all() if among else ()
