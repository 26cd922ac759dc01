"""The work of SQLite for a query, counted."""

from collections.abc import Callable
from typing import Final

from sqlalchemy import Connection

from dialer.store.database.database import Database

STEP: Final = 50
"""Instructions of SQLite's machine that are counted as one."""


def steps(database: Database, work: Callable[[Connection], object]) -> int:
    """Return how much SQLite works for some work."""
    counted = 0

    def count() -> int:
        nonlocal counted
        counted += 1
        return 0

    def measure(connection: Connection) -> None:
        driver = connection.connection.driver_connection
        assert driver is not None
        driver.set_progress_handler(count, STEP)
        work(connection)
        driver.set_progress_handler(None, STEP)

    database.write_now(measure)
    return counted
