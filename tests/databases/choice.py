"""The database that the tests of this run use, and what they do with it on either kind."""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from dialer.store.database.database import Database

if TYPE_CHECKING:
    from tests.databases.postgresql import Databases

SQLITE: Final = "sqlite"
POSTGRESQL: Final = "postgresql"


class _Choice:
    databases: "Databases | None" = None


def choose(databases: "Databases") -> None:
    """Let the tests of this run use these databases instead of files."""
    _Choice.databases = databases


def is_postgresql() -> bool:
    """Return whether the tests of this run use PostgreSQL."""
    return _Choice.databases is not None


def begin_test() -> None:
    """Give the databases of the test before this one free."""
    if _Choice.databases is not None:
        _Choice.databases.given = 0


def server_url(*, until_the_end: bool = False) -> str:
    """Return the URL of an empty database of the server, which is the running test's, or the caller's for good."""
    if _Choice.databases is None:
        raise RuntimeError("this run uses files")
    return _Choice.databases.own_url() if until_the_end else _Choice.databases.url()


def save(database: Database, place: Path) -> Any:  # noqa: ANN401 - whatever `restore` needs
    """Save all rows of a database, of a file in another file at `place`."""
    if _Choice.databases is not None:
        return _Choice.databases.save(database)
    _copy(Path(str(database.url.database)), place)
    return place


def restore(database: Database, saved: Any) -> None:  # noqa: ANN401 - whatever `save` returned
    """Replace all rows of a database, which other connections may have open, by saved ones.

    The count of changes goes on. If it began again, a connection would take a row count of an earlier test for its own.
    """
    if _Choice.databases is not None:
        _Choice.databases.restore(database, saved)
        return
    path = Path(str(database.url.database))
    with closing(sqlite3.connect(path)) as target:
        (changes,) = target.execute("PRAGMA user_version").fetchone()
    _copy(saved, path)
    with closing(sqlite3.connect(path)) as target:
        target.execute(f"PRAGMA user_version={changes + 1}")


def _copy(source: Path, target: Path) -> None:
    """Copy a file page by page."""
    with closing(sqlite3.connect(source)) as origin, closing(sqlite3.connect(target)) as copied:
        origin.backup(copied)
