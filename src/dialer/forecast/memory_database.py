"""A database that exists until it is closed or its process ends."""

import contextlib
import sqlite3
from collections.abc import Callable, Iterator
from typing import Final, TypeVar

from sqlalchemy import Connection

from dialer.store.database.database import Database

Result = TypeVar("Result")

_NAMELESS: Final = "sqlite:///file:?uri=true"
"""SQLite keeps it in memory, and overflow in a file without a name, which no other process finds or has to delete."""


class MemoryDatabase(Database):
    """A database that exists in its only connection. Foreign keys are not enforced: a copy of some rows is valid."""

    def __init__(self) -> None:
        super().__init__(_NAMELESS, synchronous="OFF")
        with self._bare() as connection:
            connection.execute("PRAGMA foreign_keys=OFF")

    def read_now(self, work: Callable[[Connection], Result]) -> Result:
        """Return the result of `work` on the only connection: another connection would open another, empty database."""
        return self._run(self._writer, work)

    @contextlib.contextmanager
    def _bare(self) -> Iterator[sqlite3.Connection]:
        """Yield the driver's connection, outside of any transaction."""
        with contextlib.closing(self._writer.raw_connection()) as pooled:
            connection = pooled.driver_connection
            if not isinstance(connection, sqlite3.Connection):
                raise TypeError(f"{connection!r} is not a connection of sqlite3")
            yield connection
