"""Reads of single rows on the event loop's thread, without a hop to a worker thread.

A database in a file finds a row by an index in a few microseconds, which is less than a thread hop costs. Readers wait
for nobody.
"""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Final

from sqlalchemy import Select
from sqlalchemy.engine import URL

from dialer.store.backends.backend import InlineReader, backend_for

QUERIES_KEPT_MAX: Final = 16

Rows = list[tuple[Any, ...]]


class AtHand:
    """A reader with a read-only connection of its own. Use it only on the thread of the event loop."""

    def __init__(self, url: URL) -> None:
        self._url: Final = url
        self._backend: Final = backend_for(url)
        self._connection: InlineReader | None = None
        self._compiled: Final = lru_cache(maxsize=QUERIES_KEPT_MAX)(self._backend.compiled)

    def rows(self, query: Select[*tuple[Any, ...]], values: Mapping[str, Any]) -> Rows | None:
        """Return the rows of a small query that an index answers, as of the last commit.

        Return None if they cannot be read at once: the database is locked, fails, or is not a file.
        """
        try:
            if self._connection is None:
                self._connection = self._backend.inline_reader(self._url)
            if self._connection is None:
                return None
            text, names, constants = self._compiled(query)
            given = {**constants, **values}
            found: Rows = self._connection.execute(text, tuple(map(given.__getitem__, names))).fetchall()
        except self._backend.DRIVER_ERROR:
            self.close()
            return None
        return found

    def close(self) -> None:
        """Close the connection for inline reads."""
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()
