"""SQLite: how its connections are set up, how its transactions begin, and what its errors and counters mean.

Units of work, and whoever runs them, know no pragma, error code or counter; a backend for another database offers these
functions too. Beside this module only migrations and what handles database files, such as a backup, speak to SQLite.
"""

import sqlite3
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple
from urllib.parse import quote

from sqlalchemy import Connection, Engine, Insert, Select, Update, create_engine, event
from sqlalchemy.dialects.sqlite import dialect
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import QueuePool

DRIVER_ERROR: Final = sqlite3.Error
"""The base of what the driver raises where it is used past SQLAlchemy."""
BUSY_TIMEOUT_MS: Final = 5_000
"""How long a connection waits for another process that holds the database, unless it is told otherwise."""
BEGIN_READING: Final = "BEGIN"
BEGIN_WRITING: Final = "BEGIN IMMEDIATE"
"""Takes the write lock at once: a transaction that asks for it later fails if another has written meanwhile."""
POOL_TIMEOUT_S: Final = 30
_PRIMARY: Final = 0xFF
"""The bits of an extended result code that tell the kind of the error."""
_SURELY_NOT_DONE: Final = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_FULL})
_VERSION: Final = "PRAGMA data_version"
_SEEN: Final = "data_version"
_PRAGMAS: Final = (
    f"busy_timeout={BUSY_TIMEOUT_MS}",
    "journal_mode=WAL",
    "foreign_keys=ON",
    "temp_store=MEMORY",
    "cache_size=-65536",
)


class DriverStatement(NamedTuple):
    """A statement as the driver takes it."""

    text: str
    names: tuple[str, ...]
    """Of its values, in the order of their places in the text."""
    constants: Mapping[str, Any]
    """Those values that the statement brings along."""


def compiled(statement: Insert | Select[Any] | Update, columns: Sequence[str] | None = None) -> DriverStatement:
    """Return a statement as the driver takes it; an INSERT or UPDATE without values sets these columns."""
    found = statement.compile(dialect=dialect(), column_keys=None if columns is None else list(columns))
    return DriverStatement(str(found), tuple(found.positiontup or ()), found.params)


def synchronous_url(url: str) -> URL:
    """Return the URL of the same database for the driver that is used inside a worker thread."""
    return make_url(url).set(drivername="sqlite+pysqlite")


def pooled_engine(url: URL, *, begin: str, size: int, synchronous: str) -> Engine:
    """Return an engine with up to `size` connections, each of whose transactions starts with the statement `begin`."""
    engine = create_engine(
        url,
        hide_parameters=True,
        poolclass=QueuePool,
        pool_size=size,
        max_overflow=0,
        pool_timeout=POOL_TIMEOUT_S,
        pool_use_lifo=True,
    )

    # Pragmas belong to a connection, and the driver's own transactions begin too late: both are set here.
    @event.listens_for(engine, "connect")
    def configure(connection: sqlite3.Connection, _record: object) -> None:
        connection.isolation_level = None
        for pragma in (*_PRAGMAS, f"synchronous={synchronous}"):
            connection.execute(f"PRAGMA {pragma}")

    @event.listens_for(engine, "begin")
    def start(connection: Connection) -> None:
        connection.exec_driver_sql(begin)

    return engine


def reading_connection(path: str) -> sqlite3.Connection:
    """Return a connection that never writes, waits for nothing, and makes no file where there is none."""
    place = f"file:{quote(path)}?mode=rw"
    connection = sqlite3.connect(place, uri=True, timeout=0, isolation_level=None, check_same_thread=False)
    connection.execute("PRAGMA query_only=ON")
    return connection


def wait_for_others(connection: Connection, patience_ms: int) -> None:
    """Let the next transaction of a connection wait so long for other processes. Call it outside a transaction."""
    _driver(connection).execute(f"PRAGMA busy_timeout={patience_ms}")  # SQLAlchemy would begin a transaction for it.


def rows_written(connection: Connection) -> int:
    """Return how many rows a connection has written: what was rolled back, and what cascades, included."""
    return int(_driver(connection).total_changes)


def version(connection: Connection) -> int:
    """Return a number that changes when another connection, of whatever process, has committed.

    It can be compared only with an earlier number of this connection.
    """
    return int(_driver(connection).execute(_VERSION).fetchone()[0])


def have_others_written(connection: Connection) -> bool:
    """Return whether another connection may have committed since this was asked of this connection last."""
    seen, connection.info[_SEEN] = connection.info.get(_SEEN), version(connection)
    return bool(seen != connection.info[_SEEN])


def is_in_transaction(connection: Connection) -> bool:
    """Return whether a transaction goes on: SQLite ends it by itself where a disk is full, or fails."""
    return not connection.invalidated and bool(_driver(connection).in_transaction)


def is_storage_error(error: BaseException | None) -> bool:
    """Return whether an error is about the file; damaged pages come as no more than a `DatabaseError`."""
    return isinstance(error, sqlite3.OperationalError) or type(error) is sqlite3.DatabaseError


def may_be_committed(error: DBAPIError) -> bool:
    """Return whether a COMMIT that failed with this error may have been done all the same."""
    if not error.connection_invalidated and not is_storage_error(error.orig):
        return False
    code = getattr(error.orig, "sqlite_errorcode", sqlite3.SQLITE_IOERR)
    # The last page that is written makes a transaction a committed one.
    return code & _PRIMARY not in _SURELY_NOT_DONE and code != sqlite3.SQLITE_IOERR_WRITE


def _driver(connection: Connection) -> Any:  # noqa: ANN401 - `sqlite3.Connection`, which SQLAlchemy does not promise
    return connection.connection.driver_connection
