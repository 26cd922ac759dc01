"""The database that the tests of this run use, and what they do with it on either kind."""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from dialer.store.database import Database
from dialer.store.tables import Row

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


def empty_url(folder: Path) -> str:
    """Return the URL of an empty database: of a file in `folder`, or of the next free database of the server.

    Those of the server have tables. `create_tables` creates them in a file.
    """
    if _Choice.databases is not None:
        return _Choice.databases.url()
    return f"sqlite+aiosqlite:///{folder / 'dialer.db'}"


def own_url(folder: Path) -> str:
    """Return the URL of an empty database that is the caller's until the end of the run."""
    if _Choice.databases is not None:
        return _Choice.databases.own_url()
    return f"sqlite+aiosqlite:///{folder / 'dialer.db'}"


def create_tables(database: Database) -> None:
    """Create the tables of an empty database, without the detour over all migrations."""
    if _Choice.databases is None:
        database.write_now(Row.metadata.create_all)


def save(database: Database, place: Path) -> Any:  # noqa: ANN401 - whatever `restore` needs
    """Save all rows of a database, of a file in another file at `place`."""
    if _Choice.databases is not None:
        return _Choice.databases.save(database)
    _copy(Path(str(database.url.database)), place)
    return place


def restore(database: Database, saved: Any) -> None:  # noqa: ANN401 - whatever `save` returned
    """Replace all rows of a database, which other connections may have open, by saved ones."""
    if _Choice.databases is not None:
        _Choice.databases.restore(database, saved)
    else:
        _copy(saved, Path(str(database.url.database)))


def _copy(source: Path, target: Path) -> None:
    """Copy a file page by page."""
    with closing(sqlite3.connect(source)) as origin, closing(sqlite3.connect(target)) as copied:
        origin.backup(copied)
