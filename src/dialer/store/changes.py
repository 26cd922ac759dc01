"""Whether anything was committed since: what was read before may be kept for as long as nothing was.

SQLite counts the commits that a connection has seen others make (`PRAGMA data_version`,
https://www.sqlite.org/pragma.html#pragma_data_version), whatever process they were made by. To ask takes some
microseconds, and waits for nobody. Other databases have no such count: there nothing is kept.
"""

import contextlib
import sqlite3
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Any, Final
from urllib.parse import quote

from sqlalchemy import Connection
from sqlalchemy.engine import URL

COUNTS_KEPT_MAX: Final = 1_000
"""Counts that one connection remembers."""
_VERSION: Final = "PRAGMA data_version"
_COUNTS: Final = "counts"


class Changes:
    """Watches a database through a connection of its own that never writes. To be asked by one thread."""

    def __init__(self, url: URL) -> None:
        self._path: Final = url.database if url.get_backend_name() == "sqlite" else None
        self._connection: sqlite3.Connection | None = None

    def version(self) -> int | None:
        """Another number whenever anything was committed since it was asked last; None where that cannot be told."""
        if not self._path or self._path == ":memory:":
            return None
        with contextlib.suppress(sqlite3.Error):
            if self._connection is None:
                place = f"file:{quote(self._path)}?mode=rw"
                self._connection = sqlite3.connect(place, uri=True, timeout=0, check_same_thread=False)
            return int(self._connection.execute(_VERSION).fetchone()[0])
        self.close()
        return None

    def close(self) -> None:
        """Give the connection back."""
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()


def count_once(connection: Connection, key: Hashable, count: Callable[[], int]) -> int:
    """What `count` returns, which is asked only if something was committed since it was asked for the same `key`.

    `connection` is that of a unit of work that only reads, in its transaction: the count is that of its snapshot.
    """
    if connection.dialect.name != "sqlite":
        return count()
    driver: Any = connection.connection.driver_connection
    version = driver.execute(_VERSION).fetchone()[0]
    known_version, counts = connection.info.get(_COUNTS, (None, OrderedDict()))
    if known_version != version:
        counts = OrderedDict()
        connection.info[_COUNTS] = (version, counts)
    if key not in counts:
        counts[key] = count()
        if len(counts) > COUNTS_KEPT_MAX:
            counts.popitem(last=False)
    return int(counts[key])
