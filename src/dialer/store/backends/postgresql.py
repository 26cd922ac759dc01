"""PostgreSQL: the set-up of its connections, the start of its transactions, the meaning of its errors and counters.

The functions are described in `dialer.store.backends.backend`. Writers take turns by an advisory lock, which each
takes before its transaction reads anything: a snapshot that is older than the lock would miss what others committed.
Statements run as they are; psycopg's own transactions would cost a round trip each.
"""

from collections.abc import Collection, Hashable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import AbstractContextManager, ExitStack, closing
from typing import Any, Final

import psycopg
from psycopg.pq import TransactionStatus
from sqlalchemy import (
    Connection,
    Delete,
    Engine,
    Insert,
    MetaData,
    Select,
    Update,
    create_engine,
    event,
)
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import NullPool, QueuePool

from dialer.store.backends import (
    postgresql_fitness,
    postgresql_functions,
    postgresql_pipeline,
    postgresql_rows,
    postgresql_sessions,
)
from dialer.store.backends import (
    postgresql_process_lock as postgresql_places,
)
from dialer.store.backends.backend import (
    MIGRATION_WAIT_MS,
    POOL_TIMEOUT_S,
    DriverStatement,
    InlineReader,
    Lock,
    Notifier,
    Presence,
    ServingPlace,
    TablesInUseError,
    UnfitDatabaseError,
)
from dialer.store.backends.database_files import FilesError
from dialer.store.backends.postgresql_rows import ROWS, driver_of
from dialer.store.backends.postgresql_turns import (
    LOCK_WAIT_MS,
    WRITER_IDLE_TIMEOUT_MS,
    WRITERS,
    begin_alone,
    begin_beside_others,
    begin_with,
)
from dialer.store.backends.postgresql_types import DIALECT, WIDE, WholeLoader

DRIVER_ERROR: Final = psycopg.Error
HAS_FILE: Final = False
UNDOES_FAILED_ROWS: Final = True
postpone: Final = postgresql_pipeline.postpone
run_postponed: Final = postgresql_pipeline.run_postponed
query: Final = postgresql_pipeline.query
recoverable: Final = postgresql_pipeline.recoverable
undo_to: Final = postgresql_pipeline.undo_to
is_in_transaction: Final = postgresql_pipeline.is_in_transaction
many_rows: Final = postgresql_rows.many_rows
joining_together: Final = postgresql_rows.joining_together
plan_anew: Final = postgresql_rows.plan_anew
analyze: Final = postgresql_rows.analyze
without_limits: Final = postgresql_rows.without_limits
without_triggers: Final = postgresql_rows.without_triggers
last_ids: Final = postgresql_rows.last_ids
keep_last_ids: Final = postgresql_rows.keep_last_ids
IDLE_TIMEOUT_MS: Final = 60_000
"""Longest time for which a transaction that reads may do nothing."""
CLIENT_CHECK_MS: Final = 500
"""Time after which a statement of a process that was killed is given up, with its locks."""
UPGRADE_LOCK_MS: Final = 500
"""Time that an upgrade waits for the readers of a table. Meanwhile new readers wait for the upgrade."""
SILENCE_MS: Final = 15_000
"""Time without an answer of the other machine after which a connection counts as lost."""
CONNECT_TIMEOUT_S: Final = 5
_SILENCE: Final = {
    "tcp_user_timeout": SILENCE_MS,
    "keepalives_idle": SILENCE_MS // 3_000,
    "keepalives_interval": SILENCE_MS // 3_000,
    "keepalives_count": 2,
}
"""The client's settings that let it notice the end of the server's machine."""
_NOTICING: Final = {
    "client_connection_check_interval": CLIENT_CHECK_MS,
    **{f"tcp_{name.removeprefix('tcp_')}": value for name, value in _SILENCE.items()},
}
"""The server's settings that let it notice the end of a process, or of its machine, in the middle of a statement."""
_OWN_TABLES: Final = """
    SELECT quote_ident(relname) FROM pg_class
    WHERE relkind = 'r' AND relnamespace = CAST(current_schema() AS regnamespace) ORDER BY relname
"""
_COLUMNS: Final = """
    SELECT relname, attname FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid
    WHERE relkind IN ('r', 'p') AND relnamespace = CAST(current_schema() AS regnamespace)
    AND attnum > 0 AND NOT attisdropped
"""
_READ: Final = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
_PATIENCE_MS: Final = "patience_ms"
_LOCK: Final = "lock"
_TURN: Final = "turn"
_OTHERS_WROTE: Final = "others_wrote"
_WRITES: Final = ("INSERT", "UPDATE", "DELETE", "COPY", "MERGE")
_LOST_AT_COMMIT: Final = frozenset({"57P01", "57P02", "57P03"})
"""Codes of a server that shuts down. It may have committed before it says so."""
_STORAGE_CODES: Final = ("08", "53", "57", "58", "XX", "25006", "25P03", "25P04", "26000", "40001", "40P01", "55P03")
"""Starts of the codes of errors that concern the database: lost, full, shutting down, read-only, locked, damaged,
or without a statement that was prepared."""


def compiled(
    statement: Delete | Insert | Select[Any] | Update, columns: Sequence[str] | None = None
) -> DriverStatement:
    """Return a statement compiled for the driver. An INSERT or UPDATE without values sets `columns`."""
    plain = statement.inline() if isinstance(statement, Insert) else statement  # No RETURNING.
    found = plain.compile(dialect=DIALECT, column_keys=None if columns is None else list(columns))
    return DriverStatement(str(found), tuple(found.positiontup or ()), found.params)


def synchronous_url(url: str | URL) -> URL:
    """Return the URL of the same database for psycopg, whichever driver it names."""
    return make_url(url).set(drivername="postgresql+psycopg")


def reading_engine(url: URL, *, size: int, synchronous: str, statement_timeout_ms: int) -> Engine:
    """Return an engine with up to `size` connections, each of whose transactions reads one snapshot."""
    limits = {"statement_timeout": statement_timeout_ms, "idle_in_transaction_session_timeout": IDLE_TIMEOUT_MS}
    engine = _engine(url, size=size, synchronous=synchronous, limits=limits)

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        begin_with(connection, _READ)

    return engine


def writing_engine(
    url: URL, *, synchronous: str, statement_timeout_ms: int, place: ServingPlace | None = None
) -> Engine:
    """Return an engine with one connection, whose transactions begin with the lock of all writers."""
    limits = {"statement_timeout": statement_timeout_ms, "idle_in_transaction_session_timeout": WRITER_IDLE_TIMEOUT_MS}
    engine = _engine(url, size=1, synchronous=synchronous, limits=limits)
    postgresql_pipeline.keep_order(engine)

    if place is not None:

        @event.listens_for(engine, "connect")
        def take(driver: Any, _record: object) -> None:  # noqa: ANN401 - psycopg's connection
            with ExitStack() as on_failure:
                on_failure.callback(driver.close)
                place.take(driver)
                on_failure.pop_all()

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        patience_ms = connection.info.get(_PATIENCE_MS, LOCK_WAIT_MS)
        lock = connection.info.get(_LOCK, Lock.ALL)
        if lock is not Lock.ALL:
            begin_beside_others(connection, lock, patience_ms)
            return
        turn = begin_alone(connection, patience_ms, "SELECT nextval('write_turn')")
        if turn != connection.info.get(_TURN, 0) + 1:
            connection.info[_OTHERS_WROTE] = True
        connection.info[_TURN] = turn

    @event.listens_for(engine, "commit")
    def refuse_failed(connection: Connection) -> None:
        # A COMMIT of a failed transaction is a silent ROLLBACK.
        if driver_of(connection).info.transaction_status is TransactionStatus.INERROR:
            raise psycopg.InternalError("the transaction has failed, and cannot be committed")

    @event.listens_for(engine, "after_cursor_execute")
    def count_rows(connection: Connection, cursor: Any, *_statement: object) -> None:  # noqa: ANN401 - the driver's
        if (cursor.statusmessage or "").startswith(_WRITES):
            connection.info[ROWS] = connection.info.get(ROWS, 0) + max(cursor.rowcount, 0)

    return engine


def migrating_engine(url: URL) -> Engine:
    """Return an engine whose transactions change tables, and begin with the lock of all writers."""
    engine = create_engine(url, poolclass=NullPool, isolation_level="AUTOCOMMIT", connect_args=_connect_args())

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        begin_alone(connection, MIGRATION_WAIT_MS, f"SET LOCAL lock_timeout = {MIGRATION_WAIT_MS}")

    return engine


def _engine(url: URL, *, size: int, synchronous: str, limits: Mapping[str, int]) -> Engine:
    engine = create_engine(
        url,
        hide_parameters=True,
        poolclass=QueuePool,
        pool_size=size,
        max_overflow=0,
        pool_timeout=POOL_TIMEOUT_S,
        pool_use_lifo=True,
        isolation_level="AUTOCOMMIT",
        paramstyle="format",
        execution_options={"preserve_rowcount": True},
        connect_args=_connect_args(),
    )
    engine.dialect.colspecs = {**engine.dialect.colspecs, **WIDE}
    given: dict[str, object] = {
        **limits,
        "lock_timeout": LOCK_WAIT_MS,
        "jit": "off",  # It takes longer than the queries that it would make faster.
    }
    if synchronous == "OFF":
        given["synchronous_commit"] = "off"
    settings = "; ".join(f"SET {name} = {value}" for name, value in given.items())
    noticing = "; ".join(f"SET {name} = {value}" for name, value in _NOTICING.items())

    @event.listens_for(engine, "connect")
    def configure(connection: Any, _record: object) -> None:  # noqa: ANN401 - SQLAlchemy's wrapper of the driver's
        connection.autocommit = True
        connection.execute(settings)
        if connection.info.server_version >= _CHECKS_CLIENTS:
            connection.execute(noticing)
        connection.adapters.register_loader("numeric", WholeLoader)

    return engine


def _connect_args() -> dict[str, Any]:
    return {
        "connect_timeout": CONNECT_TIMEOUT_S,
        "application_name": "dialer",
        "client_encoding": "UTF8",
        **_SILENCE,
    }


def inline_reader(url: URL) -> InlineReader | None:  # noqa: ARG001 - part of the seam
    """Return None: an answer takes a round trip, for which the event loop must not wait."""
    return None


def wait_for_others(connection: Connection, patience_ms: int) -> None:
    """Set the time that the next transaction waits for the lock of the writers."""
    connection.info[_PATIENCE_MS] = patience_ms


def forget_pages(connection: Connection) -> None:
    """Do nothing: the server keeps what was read."""


def lock_for(connection: Connection, lock: Lock) -> None:
    """Set the lock that the next transaction of a writing connection takes."""
    connection.info[_LOCK] = lock


def now_ms(connection: Connection) -> int:
    """Return the time of the server's clock, which goes on during a transaction."""
    query = "SELECT CAST(extract(epoch FROM clock_timestamp()) * 1000 AS bigint)"
    return int(connection.exec_driver_sql(query).scalar_one())


def rows_written(connection: Connection) -> int:
    """Return the number of rows that a connection has written, including rolled-back changes."""
    run_postponed(connection)
    return int(connection.info.get(ROWS, 0))


def copy_rows(connection: Connection, table: str, names: Sequence[str], rows: Sequence[tuple[Any, ...]]) -> bool:
    """Insert rows with COPY, unless they are few."""
    run_postponed(connection)
    return postgresql_rows.copy_rows(connection, table, names, rows)


def version(connection: Connection) -> Hashable:
    """Return the snapshot of the transaction: two are equal if they show the same commits."""
    return str(connection.exec_driver_sql("SELECT CAST(pg_current_snapshot() AS text)").scalar_one())


def exclude_steps(connection: Connection) -> None:
    """Wait for the steps of other workers, and let none begin until the end of this transaction, which is a step.

    Of two steps that do so at the same time, the server ends one, and its worker tries again.
    """
    driver_of(connection).execute(f"SELECT pg_advisory_xact_lock({WRITERS})")


def count_change(connection: Connection) -> None:
    """Add 1 to the count that `changes_of_users` returns, in the transaction of a unit of work."""
    driver_of(connection).execute("UPDATE user_changes SET count = count + 1")


def changes_of_users(connection: Connection) -> Hashable:
    """Return the count of changes from outside the dialling worker, as this transaction sees it."""
    return int(connection.exec_driver_sql("SELECT count FROM user_changes").scalar_one())


def have_others_written(connection: Connection) -> bool:
    """Return whether another connection may have committed since the last call for this connection.

    Each transaction that writes takes the next number. If a number is missing here, another connection has it.
    """
    return bool(connection.info.pop(_OTHERS_WROTE, False))


def is_storage_error(error: BaseException | None) -> bool:
    """Return whether an error concerns the database: it is lost, locked, full, shutting down or read-only."""
    if not isinstance(error, psycopg.Error):
        return False
    code = error.sqlstate
    if code is None:
        return isinstance(error, psycopg.OperationalError | psycopg.InterfaceError)
    return code.startswith(_STORAGE_CODES)


def may_be_committed(error: DBAPIError) -> bool:
    """Return whether a COMMIT that failed with this error may have taken effect, because its answer was lost."""
    code = getattr(error.orig, "sqlstate", None)
    return error.connection_invalidated or code in _LOST_AT_COMMIT if code is not None else is_storage_error(error.orig)


def serving_alone(url: URL) -> AbstractContextManager[ServingPlace]:
    """Return a context with the place of the only process that serves the database."""
    return postgresql_places.serving(_driver_args(url), url.render_as_string(), is_alone=True)


def serving_together(url: URL) -> AbstractContextManager[ServingPlace]:
    """Return a context with a place beside other processes that serve the database."""
    return postgresql_places.serving(_driver_args(url), url.render_as_string(), is_alone=False)


def _driver_args(url: URL) -> dict[str, Any]:
    given: dict[str, Any]
    _, given = DIALECT.create_connect_args(url)  # type: ignore[no-untyped-call]
    return {**_connect_args(), **given}


def open_presence(url: URL) -> Presence:
    """Return a sign that this process lives: a session of its own."""
    return postgresql_sessions.Session(psycopg.connect(**_driver_args(url), autocommit=True))


def present(connection: Connection, marks: Collection[str]) -> AbstractSet[str]:
    """Return the marks of processes that live, and of those of which the server cannot tell."""
    return postgresql_sessions.present(connection, marks)


def open_notifier(url: URL, name: str) -> Notifier | None:
    """Return a notifier that listens to a channel by its name."""
    return postgresql_sessions.PostgresqlNotifier(psycopg.connect(**_driver_args(url), autocommit=True), name)


def has_tables(url: URL) -> bool:
    """Return whether the database has tables of dialer."""
    try:
        with closing(psycopg.connect(**_driver_args(url), autocommit=True)) as connection:
            found = connection.execute("SELECT to_regclass('alembic_version')").fetchone()
    except psycopg.Error:
        return True  # Opening the database fails, too, and says why.
    return found is not None and found[0] is not None


def compact(url: URL) -> None:
    """Remove deleted rows from the tables. Backups and archived logs keep them.

    Raises:
        FilesError: the database is lost, or locked.
    """
    try:
        with closing(psycopg.connect(**_driver_args(url), autocommit=True)) as connection:
            connection.execute("VACUUM")
    except psycopg.Error as error:
        raise FilesError(str(error).splitlines()[0]) from error


def columns(connection: Connection) -> set[tuple[str, str]]:
    """Return the columns of all tables, each with the name of its table first."""
    return {(table, column) for table, column in connection.exec_driver_sql(_COLUMNS)}


def check_fitness(connection: Connection) -> None:
    """Check that commits are kept, texts are ordered by their bytes, and sessions are the server's own.

    Raises:
        UnfitDatabaseError: it is otherwise.
    """
    try:
        postgresql_fitness.check_sessions(_driver_args(connection.engine.url))
    except psycopg.Error as error:
        raise UnfitDatabaseError(f"the database cannot be opened: {' '.join(str(error).split())}") from error
    postgresql_fitness.check_fitness(connection)


def create_triggers(connection: Connection, table: str) -> None:
    """Create the triggers of a table, and the functions that they call."""
    for statement in postgresql_functions.TRIGGERS[table]:
        connection.exec_driver_sql(statement)


def renew_triggers(connection: Connection) -> None:
    """Do nothing: changed functions need locks of their tables, and come with a migration."""


def before_upgrade(connection: Connection) -> None:
    """Lock all tables, before any of them is changed.

    Readers hold the tables that they have read, and wait for the others. An upgrade that locks one table after the
    other would wait for them, and they for it. So it gives up soon, before the server looks for a deadlock.

    Raises:
        TablesInUseError: others use a table at this moment.
    """
    driver = driver_of(connection)
    driver.execute(f"SET LOCAL lock_timeout = {UPGRADE_LOCK_MS}")
    names = [row[0] for row in driver.execute(_OWN_TABLES).fetchall()]
    if names:
        try:
            driver.execute(f"LOCK TABLE {', '.join(names)} IN ACCESS EXCLUSIVE MODE")
        except (psycopg.errors.LockNotAvailable, psycopg.errors.DeadlockDetected) as error:
            raise TablesInUseError(str(error).splitlines()[0]) from error
    driver.execute(f"SET LOCAL lock_timeout = {MIGRATION_WAIT_MS}")


def after_upgrade(connection: Connection, declared: MetaData) -> None:  # noqa: ARG001 - SQLite has indexes to restore
    """Create the functions, the triggers and the counters of this backend."""
    for statement in (*postgresql_functions.COUNTERS, *postgresql_functions.functions()):
        connection.exec_driver_sql(statement.replace("%", "%%"))
    for table in postgresql_functions.TRIGGERS:
        create_triggers(connection, table)


_CHECKS_CLIENTS: Final = 140_000
