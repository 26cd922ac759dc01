"""Single rows that are read where they are needed, without a hop to a thread.

SQLite finds a row by an index in some microseconds, which is less than a hop costs; and who reads waits for nobody.
"""

import sqlite3
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Final

from sqlalchemy import Select
from sqlalchemy.engine import URL

from dialer.store.backends.sqlite import DRIVER_ERROR, DriverStatement, compiled, reading_connection

QUERIES_KEPT_MAX: Final = 16

Rows = list[tuple[Any, ...]]


class AtHand:
    """Reads through a connection of its own that never writes. To be asked by one thread, that of the event loop."""

    def __init__(self, url: URL) -> None:
        self._path: Final = url.database
        self._connection: sqlite3.Connection | None = None

    def rows(self, query: Select[Any], values: Mapping[str, Any]) -> Rows | None:
        """What the last commit left of the rows of a small query that an index answers, as the driver has them.

        None if they are not at hand: something is in the way, or the database is no file.
        """
        if not self._path or self._path == ":memory:":
            return None
        text, names, _ = _compiled(query)
        try:
            if self._connection is None:
                self._connection = reading_connection(self._path)
            found = self._connection.execute(text, [values[name] for name in names]).fetchall()
        except DRIVER_ERROR:
            self.close()
            return None
        return found

    def close(self) -> None:
        """Give the connection back."""
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()


@lru_cache(maxsize=QUERIES_KEPT_MAX)
def _compiled(query: Select[Any]) -> DriverStatement:
    """Return a query as the driver takes it."""
    return compiled(query)
