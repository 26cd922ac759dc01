"""A set of texts that may be too large for memory, in a temporary database of its own."""

import sqlite3
from collections.abc import Collection
from types import TracebackType
from typing import Final, Self


class SeenNumbers:
    """Numbers that were seen before. SQLite moves them to a temporary file when they are many, and deletes it."""

    def __init__(self) -> None:
        # One thread at a time uses it, but not always the thread that opened it.
        self._connection: Final = sqlite3.connect("", check_same_thread=False, isolation_level=None)
        self._connection.execute("CREATE TABLE seen (number TEXT PRIMARY KEY) WITHOUT ROWID")

    def add(self, numbers: Collection[str]) -> int:
        """Add numbers, and return how many of them were not seen before."""
        before = self._connection.total_changes
        self._connection.execute("BEGIN")
        self._connection.executemany("INSERT OR IGNORE INTO seen VALUES (?)", [(number,) for number in numbers])
        self._connection.execute("COMMIT")
        return self._connection.total_changes - before

    def __contains__(self, number: str) -> bool:
        found = self._connection.execute("SELECT 1 FROM seen WHERE number = ?", (number,))
        return found.fetchone() is not None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._connection.close()
