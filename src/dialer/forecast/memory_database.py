"""A database of one process and one moment: what it holds is gone when it is closed, or when the process ends."""

import contextlib
import sqlite3
from collections.abc import Callable, Iterator
from typing import Final, TypeVar

from sqlalchemy import Connection

from dialer.store.database import Database

Result = TypeVar("Result")

_NAMELESS: Final = "sqlite:///file:?uri=true"
"""SQLite keeps it in memory, and what does not fit there in a file that has no name: no other process finds it, and
none has to delete it."""


class Scratch(Database):
    """A database that is its one connection. It may hold rows that refer to rows it does not hold."""

    def __init__(self) -> None:
        super().__init__(_NAMELESS, synchronous="OFF")
        with self._bare() as connection:
            connection.execute("PRAGMA foreign_keys=OFF")

    def read_now(self, work: Callable[[Connection], Result]) -> Result:
        """What `work` returns; a second connection would see a database of its own."""
        return self._run(self._writer, work)

    def copied(self) -> "Scratch":
        """Another one that holds the same."""
        copy = Scratch()
        with self._bare() as source, copy._bare() as target:
            source.backup(target)
        return copy

    @contextlib.contextmanager
    def _bare(self) -> Iterator[sqlite3.Connection]:
        """The driver's connection, outside of any transaction."""
        with contextlib.closing(self._writer.raw_connection()) as pooled:
            connection = pooled.driver_connection
            if not isinstance(connection, sqlite3.Connection):
                raise TypeError(f"{connection!r} is no connection of SQLite")
            yield connection
