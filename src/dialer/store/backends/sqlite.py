"""SQLite: the set-up of its connections, the start of its transactions, the meaning of its errors and counters.

Units of work and the code that runs them know no pragma, error code or counter. A backend for another database offers
the same functions. Besides this module, only migrations and code for database files (backups) use SQLite directly.
"""

import sqlite3
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple
from urllib.parse import quote

from sqlalchemy import (
    ColumnElement,
    Connection,
    Engine,
    Insert,
    Select,
    String,
    UnaryExpression,
    Update,
    create_engine,
    event,
    func,
)
from sqlalchemy.dialects.sqlite import dialect
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import QueuePool
from sqlalchemy.sql.operators import custom_op

from dialer.domain import search_keys

DRIVER_ERROR: Final = sqlite3.Error
"""Base class of the errors that the driver raises where it is used without SQLAlchemy."""
BUSY_TIMEOUT_MS: Final = 5_000
"""Default time that a connection waits for another process that holds the database."""
BEGIN_READING: Final = "BEGIN"
BEGIN_WRITING: Final = "BEGIN IMMEDIATE"
"""Statement that takes the write lock at once. A transaction that asks later fails if another has written meanwhile."""
POOL_TIMEOUT_S: Final = 30
_PRIMARY: Final = 0xFF
"""Bits of an extended result code that hold the kind of error."""
_SURELY_NOT_DONE: Final = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_FULL})
_VERSION: Final = "PRAGMA data_version"
_COUNT_LIMIT: Final = 2**31
_SEEN: Final = "data_version"
_PRAGMAS: Final = (
    f"busy_timeout={BUSY_TIMEOUT_MS}",
    "journal_mode=WAL",
    "foreign_keys=ON",
    "temp_store=MEMORY",
    "cache_size=-65536",
)


class DriverStatement(NamedTuple):
    """A statement compiled for the driver."""

    text: str
    names: tuple[str, ...]
    """Names of the values, in the order of their places in the text."""
    constants: Mapping[str, Any]
    """Values that are part of the statement."""


def compiled(statement: Insert | Select[Any] | Update, columns: Sequence[str] | None = None) -> DriverStatement:
    """Return a statement compiled for the driver. An INSERT or UPDATE without values sets `columns`."""
    found = statement.compile(dialect=dialect(), column_keys=None if columns is None else list(columns))
    return DriverStatement(str(found), tuple(found.positiontup or ()), found.params)


def synchronous_url(url: str) -> URL:
    """Return the URL of the same database for the synchronous driver, which worker threads use."""
    return make_url(url).set(drivername="sqlite+pysqlite")


def pooled_engine(url: URL, *, begin: str, size: int, synchronous: str) -> Engine:
    """Return an engine with up to `size` connections. Each of their transactions starts with the statement `begin`."""
    engine = create_engine(
        url,
        hide_parameters=True,
        poolclass=QueuePool,
        pool_size=size,
        max_overflow=0,
        pool_timeout=POOL_TIMEOUT_S,
        pool_use_lifo=True,
    )

    # A pragma applies to one connection, and the driver would begin transactions too late.
    @event.listens_for(engine, "connect")
    def configure(connection: sqlite3.Connection, _record: object) -> None:
        connection.isolation_level = None
        for pragma in (*_PRAGMAS, f"synchronous={synchronous}"):
            connection.execute(f"PRAGMA {pragma}")
        connection.create_function("name_key", 1, _name_key, deterministic=True)
        connection.create_function("bare_number", 1, _bare_number, deterministic=True)

    @event.listens_for(engine, "begin")
    def start(connection: Connection) -> None:
        connection.exec_driver_sql(begin)

    return engine


def without_index(expression: ColumnElement[Any]) -> ColumnElement[Any]:
    """Return an expression with an equal value, for which the database uses no index."""
    return UnaryExpression(expression.self_group(), operator=custom_op("+"), type_=expression.type)


def name_key(name: ColumnElement[Any]) -> ColumnElement[str]:
    """Return an SQL expression for the `dialer.domain.search_keys.name_key` of a name; empty for null."""
    return func.name_key(name, type_=String)


def bare_number(number: ColumnElement[Any]) -> ColumnElement[str]:
    """Return an SQL expression for a number without its punctuation; empty for null."""
    return func.bare_number(number, type_=String)


def _name_key(name: str | None) -> str:
    return search_keys.name_key(name or "")


def _bare_number(number: str | None) -> str:
    return search_keys.bare_number(number or "")


def reading_connection(path: str) -> sqlite3.Connection:
    """Return a connection that never writes, never waits, and never creates a file."""
    place = f"file:{quote(path)}?mode=rw"
    connection = sqlite3.connect(place, uri=True, timeout=0, isolation_level=None, check_same_thread=False)
    connection.execute("PRAGMA query_only=ON")
    return connection


def wait_for_others(connection: Connection, patience_ms: int) -> None:
    """Set the time that a connection waits for other processes. Call it outside a transaction."""
    _driver(connection).execute(f"PRAGMA busy_timeout={patience_ms}")  # SQLAlchemy would begin a transaction.


def rows_written(connection: Connection) -> int:
    """Return the number of rows that a connection has written, including cascades and rolled-back changes."""
    return int(_driver(connection).total_changes)


def version(connection: Connection) -> int:
    """Return a number that changes when another connection, of any process, commits.

    Compare it only with an earlier number of the same connection.
    """
    return int(_driver(connection).execute(_VERSION).fetchone()[0])


def count_change(connection: Connection) -> None:
    """Add 1 to the count that `changes_of_users` returns, in the transaction of a unit of work."""
    count = (changes_of_users(connection) + 1) % _COUNT_LIMIT
    _driver(connection).execute(f"PRAGMA user_version={count}")


def changes_of_users(connection: Connection) -> int:
    """Return the count of units of work that were no steps of the worker, as this transaction sees it.

    It is kept in the header of the database: https://www.sqlite.org/pragma.html#pragma_user_version
    """
    return int(_driver(connection).execute("PRAGMA user_version").fetchone()[0])


def have_others_written(connection: Connection) -> bool:
    """Return whether another connection may have committed since the last call for this connection."""
    seen, connection.info[_SEEN] = connection.info.get(_SEEN), version(connection)
    return bool(seen != connection.info[_SEEN])


def is_in_transaction(connection: Connection) -> bool:
    """Return whether a transaction is open. SQLite ends one by itself when the disk is full, or fails."""
    return not connection.invalidated and bool(_driver(connection).in_transaction)


def is_storage_error(error: BaseException | None) -> bool:
    """Return whether an error concerns the database file. Damaged pages raise a plain `DatabaseError`."""
    return isinstance(error, sqlite3.OperationalError) or type(error) is sqlite3.DatabaseError


def may_be_committed(error: DBAPIError) -> bool:
    """Return whether a COMMIT that failed with this error may still have taken effect."""
    if not error.connection_invalidated and not is_storage_error(error.orig):
        return False
    code = getattr(error.orig, "sqlite_errorcode", sqlite3.SQLITE_IOERR)
    # A transaction is committed once its last page is written, so a failed write is no commit.
    return code & _PRIMARY not in _SURELY_NOT_DONE and code != sqlite3.SQLITE_IOERR_WRITE


def _driver(connection: Connection) -> Any:  # noqa: ANN401 - `sqlite3.Connection`, which SQLAlchemy does not declare
    return connection.connection.driver_connection
