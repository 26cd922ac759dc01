"""SQLite: the set-up of its connections, the start of its transactions, the meaning of its errors and counters.

The functions are described in `dialer.store.backends.backend`. Besides this module, only migrations and code for
database files (backups) use SQLite directly.
"""

import contextlib
import sqlite3
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

from sqlalchemy import Column, Connection, Delete, Engine, Insert, MetaData, Select, Update, create_engine, event
from sqlalchemy.dialects.sqlite import dialect
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import NullPool, QueuePool
from sqlalchemy.schema import CreateIndex

from dialer.domain.numbers import search_keys
from dialer.store.backends import database_files, process_lock, sqlite_rows
from dialer.store.backends.backend import (
    BUSY_TIMEOUT_MS,
    MIGRATION_WAIT_MS,
    POOL_TIMEOUT_S,
    DriverStatement,
    InlineReader,
    Lock,
    Notifier,
    Presence,
    ServingPlace,
    UnfitDatabaseError,
)
from dialer.store.backends.sqlite_triggers import CREATE, CREATED, TRIGGERS

_LAST_IDS: Final = "last_ids"
_AUTOINCREMENT: Final = "sqlite_sequence"
_COLUMNS: Final = "SELECT s.name, c.name FROM sqlite_schema s, pragma_table_info(s.name) c WHERE s.type = 'table'"
"""SQLite's own table of last ids. It makes it with the first table that needs it."""
DRIVER_ERROR: Final = sqlite3.Error
"""Base class of the errors that the driver raises where it is used without SQLAlchemy."""
HAS_FILE: Final = True
UNDOES_FAILED_ROWS: Final = False
"""`recoverable` keeps the rows that were written before the error."""
copy_rows: Final = sqlite_rows.copy_rows
joining_together: Final = sqlite_rows.joining_together
_BEGIN_READING: Final = "BEGIN"
_BEGIN_WRITING: Final = "BEGIN IMMEDIATE"
"""Statement that takes the write lock at once. A transaction that asks later fails if another has written meanwhile."""
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


def compiled(
    statement: Delete | Insert | Select[Any] | Update, columns: Sequence[str] | None = None
) -> DriverStatement:
    """Return a statement compiled for the driver. An INSERT or UPDATE without values sets `columns`."""
    found = statement.compile(dialect=dialect(), column_keys=None if columns is None else list(columns))
    return DriverStatement(str(found), tuple(found.positiontup or ()), found.params)


def synchronous_url(url: str | URL) -> URL:
    """Return the URL of the same database for the synchronous driver, which worker threads use."""
    return make_url(url).set(drivername="sqlite+pysqlite")


def reading_engine(url: URL, *, size: int, synchronous: str, statement_timeout_ms: int) -> Engine:  # noqa: ARG001 - part of the seam
    """Return an engine with up to `size` connections, which read one snapshot each. No statement has a limit."""
    return _pooled(url, begin=_BEGIN_READING, size=size, synchronous=synchronous)


def writing_engine(
    url: URL,
    *,
    synchronous: str,
    statement_timeout_ms: int,  # noqa: ARG001 - part of the seam
    place: ServingPlace | None = None,
) -> Engine:
    """Return an engine with one connection, whose transactions begin with the write lock. Nothing has a limit."""
    engine = _pooled(url, begin=_BEGIN_WRITING, size=1, synchronous=synchronous)
    if place is not None:
        event.listen(engine, "begin", lambda _: place.check())
    return engine


def _pooled(url: URL, *, begin: str, size: int, synchronous: str) -> Engine:
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
        connection.create_function("folded", 1, _folded, deterministic=True)

    _begin_with(engine, begin)
    return engine


def migrating_engine(url: URL) -> Engine:
    """Return an engine whose transactions change tables, and begin with the write lock.

    It does not enforce foreign keys, which cannot be switched off inside a transaction. SQLite changes a table by
    copying it, and enforced foreign keys would delete the rows that refer to the old table.
    """
    engine = create_engine(url, poolclass=NullPool)

    @event.listens_for(engine, "connect")
    def configure(connection: sqlite3.Connection, _record: object) -> None:
        connection.isolation_level = None
        connection.execute(f"PRAGMA busy_timeout={MIGRATION_WAIT_MS}")

    _begin_with(engine, _BEGIN_WRITING)
    return engine


def _begin_with(engine: Engine, statement: str) -> None:
    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        if statement == _BEGIN_READING:
            # It waits for nobody, and SQLAlchemy would take as long for it as for a query. It reports what is wrong.
            with contextlib.suppress(sqlite3.Error):
                _driver(connection).execute(statement)
                return
        connection.exec_driver_sql(statement)


def _name_key(name: str | None) -> str:
    return search_keys.name_key(name or "")


def _bare_number(number: str | None) -> str:
    return search_keys.bare_number(number or "")


def _folded(text: str | None) -> str:
    return (text or "").casefold()


def inline_reader(url: URL) -> InlineReader | None:
    """Return a connection that never writes, never waits, and never creates a file; None if there is no file."""
    if not url.database or url.database == ":memory:":
        return None
    place = f"file:{quote(url.database)}?mode=rw"
    connection = sqlite3.connect(place, uri=True, timeout=0, isolation_level=None, check_same_thread=False)
    connection.execute("PRAGMA query_only=ON")
    return connection


def forget_pages(connection: Connection) -> None:
    """Give back the pages that a connection keeps. The operating system still has most of them."""
    connection.exec_driver_sql("PRAGMA shrink_memory")


def lock_for(connection: Connection, lock: Lock) -> None:
    """Do nothing: a database file has one lock, and every transaction that writes takes it."""


def now_ms(connection: Connection) -> int:  # noqa: ARG001 - as the protocol
    """Return the time of this machine, as a file has no clock of its own."""
    return time.time_ns() // 1_000_000


def wait_for_others(connection: Connection, patience_ms: int) -> None:
    """Set the time that a connection waits for locks of other processes. Call it outside a transaction."""
    _driver(connection).execute(f"PRAGMA busy_timeout={patience_ms}")  # SQLAlchemy would begin a transaction.


def rows_written(connection: Connection) -> int:
    """Return the number of rows that a connection has written, including cascades and rolled-back changes."""
    return int(_driver(connection).total_changes)


def version(connection: Connection) -> int:
    """Return a number that changes when another connection, of any process, commits.

    Compare it only with an earlier number of the same connection.
    """
    return int(_driver(connection).execute(_VERSION).fetchone()[0])


def exclude_steps(connection: Connection) -> None:
    """Do nothing: only one transaction writes at a time."""


def count_change(connection: Connection) -> None:
    """Add 1 to the count that `changes_of_users` returns, in the transaction of a unit of work."""
    count = (changes_of_users(connection) + 1) % _COUNT_LIMIT
    _driver(connection).execute(f"PRAGMA user_version={count}")


def changes_of_users(connection: Connection) -> int:
    """Return the count of changes from outside the dialling worker, such as API requests, as this transaction sees it.

    It counts units of work that wrote rows, and starts again from 0 after 2,147,483,647. Compare it for equality only.

    It is kept in the header of the database: https://www.sqlite.org/pragma.html#pragma_user_version
    """
    return int(_driver(connection).execute("PRAGMA user_version").fetchone()[0])


def have_others_written(connection: Connection) -> bool:
    """Return whether another connection may have committed since the last call for this connection."""
    seen, connection.info[_SEEN] = connection.info.get(_SEEN), version(connection)
    return bool(seen != connection.info[_SEEN])


def many_rows(text: str, names: Sequence[str]) -> None:
    """Return None: SQLite runs a prepared statement for each row as fast."""


def postpone(
    connection: Connection, text: str, rows: Sequence[tuple[Any, ...]], check: Callable[[int], object] | None
) -> None:
    """Run a statement for each row now: SQLite has no round trips."""
    written = connection.exec_driver_sql(text, list(rows)).rowcount
    if check is not None:
        check(written)


def run_postponed(connection: Connection) -> None:
    """Do nothing: all statements have run."""


def query(connection: Connection, text: str, values: Sequence[Any]) -> list[tuple[Any, ...]]:
    """Run a query, and return its rows."""
    return [tuple(row) for row in connection.exec_driver_sql(text, tuple(values))]


def plan_anew(connection: Connection) -> None:
    """Do nothing: plans do not depend on the sizes of tables."""


def without_limits(connection: Connection) -> None:
    """Do nothing: no statement has a limit."""


@contextmanager
def without_triggers(connection: Connection) -> Iterator[None]:
    """Drop the triggers, and create them again at the end. A transaction that fails has changed nothing."""
    for name in connection.exec_driver_sql("SELECT name FROM sqlite_schema WHERE type = 'trigger'").scalars().all():
        connection.exec_driver_sql(f'DROP TRIGGER "{name}"')
    yield
    for table in TRIGGERS:
        create_triggers(connection, table)


def analyze(connection: Connection) -> None:
    """Do nothing: plans do not depend on the sizes of tables."""


def recoverable(connection: Connection) -> AbstractContextManager[object]:  # noqa: ARG001 - part of the seam
    """Return a context after whose IntegrityError the transaction can go on. SQLite undoes the failed statement."""
    return nullcontext()


def undo_to(connection: Connection, savepoint: str) -> None:
    """Undo what a transaction has done since a savepoint."""
    _driver(connection).execute(f"ROLLBACK TO {savepoint}")


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


def serving_alone(url: URL) -> AbstractContextManager[ServingPlace]:
    """Return a context that holds the lock file of a database."""
    return process_lock.serving_alone(Path(url.database or ""))


def serving_together(url: URL) -> AbstractContextManager[ServingPlace]:
    """Return a context that shares the lock file of a database."""
    return process_lock.serving_together(Path(url.database or ""))


def open_presence(url: URL) -> Presence:
    """Return a sign that this process lives: a lock file beside the database."""
    return process_lock.LockFile(Path(url.database or ""))


def present(connection: Connection, marks: Collection[str]) -> AbstractSet[str]:
    """Return the marks of the processes that still live."""
    return process_lock.present(Path(connection.engine.url.database or ""), marks)


def open_notifier(url: URL, name: str) -> Notifier | None:  # noqa: ARG001 - as the protocol
    """Return None: processes look at the file from time to time, which costs little."""
    return None


def has_tables(url: URL) -> bool:
    """Return whether the database file exists, without creating it."""
    return Path(url.database or "").is_file()


def compact(url: URL) -> None:
    """Rewrite the database file without what it holds of deleted rows."""
    database_files.compact(Path(url.database or ""))


def last_ids(connection: Connection) -> dict[str, int]:
    """Return the highest id that each table ever gave, without tables that gave none."""
    found = connection.exec_driver_sql("SELECT name, seq FROM sqlite_sequence WHERE seq > 0").all()
    return {name: last for name, last in found}  # noqa: C416 - rows, which `dict` does not take


def keep_last_ids(connection: Connection, ids: Mapping[str, int]) -> None:
    """Set the highest id that each table ever gave. Tables without one gave none."""
    connection.exec_driver_sql("DELETE FROM sqlite_sequence")
    if ids:
        connection.exec_driver_sql("INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)", list(ids.items()))


def columns(connection: Connection) -> set[tuple[str, str]]:
    """Return the columns of all tables, each with the name of its table first."""
    return {(table, column) for table, column in connection.exec_driver_sql(_COLUMNS)}


def check_fitness(connection: Connection) -> None:
    """Accept any database, as its settings are those of each connection."""


def create_triggers(connection: Connection, table: str) -> None:
    """Create the triggers of a table that are missing."""
    for trigger in TRIGGERS[table]:
        connection.exec_driver_sql(trigger)


def renew_triggers(connection: Connection) -> None:
    """Create the triggers that are missing, or that another version created in another way."""
    ours = {trigger for triggers in TRIGGERS.values() for trigger in triggers}
    names = {trigger.removeprefix(CREATE).partition(" ")[0] for trigger in ours}
    for name, text in connection.exec_driver_sql("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'").all():
        if name in names and text.replace(CREATED, CREATE, 1) not in ours:
            connection.exec_driver_sql(f"DROP TRIGGER {name}")
    for table in TRIGGERS:
        create_triggers(connection, table)


def before_upgrade(connection: Connection) -> None:
    """Note the last ids, for `after_upgrade`. The write lock keeps other processes away."""
    connection.info[_LAST_IDS] = last_ids(connection) if _AUTOINCREMENT in _tables(connection) else {}


def after_upgrade(connection: Connection, declared: MetaData) -> None:
    """Restore what migrations that copy a table drop with it, and check all references.

    That is triggers, indexes of expressions and last ids.

    Raises:
        UnfitDatabaseError: a reference has no target.
    """
    tables, last = _tables(connection), last_ids(connection)
    before: dict[str, int] = connection.info.pop(_LAST_IDS, {})
    kept = {name: max(one, last.get(name, 0)) for name, one in before.items() if name in tables}
    keep_last_ids(connection, last | kept)
    renew_triggers(connection)
    _create_expression_indexes(connection, declared)
    if broken := connection.exec_driver_sql("PRAGMA foreign_key_check").first():
        raise UnfitDatabaseError(f"the migration would leave a reference of table {broken[0]} without its target")


def _create_expression_indexes(connection: Connection, declared: MetaData) -> None:
    """Create the indexes of expressions that are missing. SQLAlchemy cannot read them, so a copied table has none."""
    for table in declared.sorted_tables:
        for index in table.indexes:
            if not all(isinstance(one, Column) for one in index.expressions):
                connection.execute(CreateIndex(index, if_not_exists=True))


def _tables(connection: Connection) -> AbstractSet[str]:
    return set(connection.exec_driver_sql("SELECT name FROM sqlite_master WHERE type = 'table'").scalars())


def _driver(connection: Connection) -> Any:  # noqa: ANN401 - `sqlite3.Connection`, which SQLAlchemy does not declare
    return connection.connection.driver_connection
