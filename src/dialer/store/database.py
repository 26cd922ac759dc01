"""Units of work: one function on one connection, in one transaction, in one hop to a worker thread.

The functions of the store are plain synchronous code on a SQLAlchemy `Connection`. What costs time in an asynchronous
driver is a thread hop for every statement; here a whole unit of work takes one, and those that wait at the same time
share it, and their commit.
"""

import contextlib
import sqlite3
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, Final, TypeVar

import anyio
import anyio.to_thread
from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError
from sqlalchemy.pool import QueuePool

from dialer.store.group_commit import TOGETHER_MAX, Turns, Waiter
from dialer.store.inline_reads import AtHand

Result = TypeVar("Result")

BUSY_TIMEOUT_MS: Final = 5_000
"""How long a writer waits for another process that holds the database, its turn among ours included."""
READERS_MAX: Final = 2
"""Readers at once; further ones queue. What takes a moment is done soonest where few threads share the interpreter."""
LONG_READERS_MAX: Final = 4
"""Readers besides, of what takes long: only those who want as much wait behind them."""

_SECOND_MS: Final = 1_000
_PRIMARY: Final = 0xFF
"""What of SQLite's extended result codes is the kind of the error."""
_SURELY_NOT_DONE: Final = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_FULL})


class StorageUnavailableError(Exception):
    """The database cannot be written or read just now (locked, full, gone). Nothing was applied; try again."""


class OutcomeUnknownError(StorageUnavailableError):
    """The database was lost during a COMMIT: all that was written is there, or nothing of it.

    Nobody may do it again without having looked.
    """


class Database:
    """The service's database: `read` and `write` run a unit of work; nothing else begins a transaction.

    Writers take turns, in the order in which they came, and each begins with the write lock in its hand
    (`BEGIN IMMEDIATE`), so what a unit has read is still true when it writes. Readers see a consistent snapshot and
    wait for nobody.
    """

    def __init__(self, url: str, *, synchronous: str = "FULL", busy_timeout_ms: int = BUSY_TIMEOUT_MS) -> None:
        self.url: Final = _synchronous_url(url)
        self._busy_timeout_ms: Final = busy_timeout_ms
        self._writer = _engine(self.url, begin="BEGIN IMMEDIATE", size=1, synchronous=synchronous)
        self._readers = _engine(self.url, begin="BEGIN", size=READERS_MAX + LONG_READERS_MAX, synchronous=synchronous)
        self.at_hand: Final = AtHand(self.url)
        """For the thread of the event loop."""
        self.units_written = 0
        """How many writing transactions were committed, or may have been: who remembers it can tell whether something
        may have changed."""
        self._is_failing = False
        self._turns: Final = Turns(self._write_in_turn)
        self._read_limits: tuple[anyio.CapacityLimiter, anyio.CapacityLimiter] | None = None

    async def read(self, work: Callable[[Connection], Result], *, is_long: bool = False) -> Result:
        """What `work` returns from one consistent snapshot. If it `is_long`, it is none of those that take a moment.

        Raises:
            StorageUnavailableError: the database cannot be read now.
        """
        if self._read_limits is None:  # There is a loop by now.
            self._read_limits = anyio.CapacityLimiter(READERS_MAX), anyio.CapacityLimiter(LONG_READERS_MAX)
        return await anyio.to_thread.run_sync(self.read_now, work, limiter=self._read_limits[is_long])

    async def write(self, work: Callable[[Connection], Result], *, alone: bool = False) -> Result:
        """What `work` returns, once all it wrote is committed. Whatever fails, nothing of it is there.

        Unless it is to be `alone`, it shares its transaction with others that wait as it does. It sees what those
        before it have written; what it raises undoes what it wrote itself, and concerns nobody else.

        Raises:
            StorageUnavailableError: the database cannot be written now.
            OutcomeUnknownError: one of these; it was lost at the very end, and it may be there after all.
        """
        until_s = anyio.current_time() + self._busy_timeout_ms / _SECOND_MS
        return await Waiter(work, until_s=until_s, alone=alone).wait(self._turns)

    async def is_writable(self, probe: Callable[[Connection], object]) -> bool:
        """Whether units of work can be committed, as far as is known: `probe`, a small one, runs only after a failure.

        It waits for nobody: while others try, what they have met before is what counts.
        """
        if not self._is_failing:
            return True
        if self._turns.are_taken:
            return False
        try:
            await Waiter(probe, until_s=anyio.current_time(), alone=True).wait(self._turns)
        except StorageUnavailableError:
            return False
        return True

    async def _write_in_turn(self, waiters: list[Waiter[Any]]) -> None:
        # Who has waited for others of ours in vain does not wait as long again: all are told at the same time.
        patience_ms = max(0, round((waiters[0].until_s - anyio.current_time()) * _SECOND_MS))
        try:
            has_begun = await anyio.to_thread.run_sync(self._write_together, waiters, patience_ms)
        except BaseException:  # The loop ends; the thread may come to its commit all the same.
            for waiter in waiters:
                waiter.error = OutcomeUnknownError("the service ends")
            raise
        if not has_begun:
            for waiter in waiters[1:]:
                if waiter.until_s > anyio.current_time():
                    waiter.put_back()
        # While the database refuses, each waits as long as it wants to itself, and fails by itself.
        self._turns.together_max = 1 if self._is_failing else TOGETHER_MAX

    def _write_together(self, waiters: list[Waiter[Any]], patience_ms: int) -> bool:
        """Commit units of work at once; each is left with its result or its error. Whether any has begun."""
        has_begun = False

        def run(connection: Connection) -> None:
            nonlocal has_begun
            has_begun = True
            if len(waiters) == 1:
                waiters[0].result = waiters[0].work(connection)
            else:
                _run_each(connection, waiters)

        try:
            self.write_now(run, patience_ms)
        except BaseException as error:  # noqa: BLE001 - each raises it where it waits
            for waiter in waiters:
                # Its own error, if it has one, may have come from rows of the others, which are not there.
                waiter.error = error
        return has_begun

    def read_now(self, work: Callable[[Connection], Result]) -> Result:
        """`read`, for a caller that is a thread of its own."""
        return self._run(self._readers, work)

    def write_now(self, work: Callable[[Connection], Result], patience_ms: int | None = None) -> Result:
        """`write`, for a caller that is a thread of its own; `patience_ms` is how long to wait for other processes."""
        patience_ms = self._busy_timeout_ms if patience_ms is None else patience_ms
        try:
            result, has_written = self._run(self._writer, partial(_watched, work=work), patience_ms)
        except StorageUnavailableError as error:
            self._is_failing = True
            self.units_written += isinstance(error, OutcomeUnknownError)
            raise
        if has_written:
            self._is_failing = False
        self.units_written += 1
        return result

    def version(self, connection: Connection) -> tuple[int, int]:
        """What is another one whenever something was committed, by this process or by another.

        `connection` is that of a unit of work that writes; its own commit counts from the next one on.
        """
        is_sqlite = connection.dialect.name == "sqlite"
        others = connection.exec_driver_sql("PRAGMA data_version").scalar_one() if is_sqlite else 0
        return self.units_written, others

    def close(self) -> None:
        """Give all connections back."""
        self.at_hand.close()
        self._writer.dispose()
        self._readers.dispose()

    def _run(self, engine: Engine, work: Callable[[Connection], Result], patience_ms: int | None = None) -> Result:
        with _storage_errors(), engine.connect() as connection:
            if patience_ms is not None and engine.dialect.name == "sqlite":
                # Past SQLAlchemy, which would begin a transaction for it.
                connection.connection.execute(f"PRAGMA busy_timeout={patience_ms}")
            has_worked = False
            try:
                with connection.begin():
                    result = work(connection)
                    has_worked = True
            except DBAPIError as error:
                if has_worked and _is_unknown(error):
                    raise OutcomeUnknownError(str(error.orig)) from error
                raise
            return result


def _is_unknown(error: DBAPIError) -> bool:
    """Whether a COMMIT that failed so may have been done all the same."""
    if not error.connection_invalidated and not _is_storage(error.orig):
        return False
    code = getattr(error.orig, "sqlite_errorcode", sqlite3.SQLITE_IOERR)
    # What makes a transaction one that was committed is the last thing that is written of it.
    return code & _PRIMARY not in _SURELY_NOT_DONE and code != sqlite3.SQLITE_IOERR_WRITE


def _watched(connection: Connection, work: Callable[[Connection], Result]) -> tuple[Result, bool]:
    """What `work` returns, and whether it wrote anything: to commit nothing succeeds on a full disk too."""
    if connection.dialect.name != "sqlite":
        return work(connection), True
    driver: Any = connection.connection.driver_connection
    before = driver.total_changes
    return work(connection), driver.total_changes != before


def _run_each(connection: Connection, waiters: list[Waiter[Any]]) -> None:
    """Run units of work one after the other. Of one that fails nothing stays; the transaction goes on without it.

    Raises:
        StorageUnavailableError: the transaction is lost, and what all of them have written with it.
    """
    cursor = connection.connection.cursor()  # Past SQLAlchemy: it is for every unit.
    for waiter in waiters:
        cursor.execute("SAVEPOINT unit")
        try:
            with _storage_errors():
                waiter.result = waiter.work(connection)
        except Exception as error:
            if not _goes_on(connection):
                raise StorageUnavailableError("the transaction was lost") from error
            cursor.execute("ROLLBACK TO unit")
            waiter.error = error
        cursor.execute("RELEASE unit")
    cursor.close()


def _goes_on(connection: Connection) -> bool:
    """Whether the transaction is still there: SQLite ends it by itself where a disk is full, or fails."""
    if connection.invalidated:
        return False
    driver: Any = connection.connection.driver_connection
    return connection.dialect.name != "sqlite" or bool(driver.in_transaction)


@contextlib.contextmanager
def _storage_errors() -> Iterator[None]:
    """Turn what the driver says about a database that is not at hand into one error of ours."""
    try:
        yield
    except PoolTimeoutError as error:
        raise StorageUnavailableError("too many units of work at once") from error
    except sqlite3.Error as error:
        if _is_storage(error):
            raise StorageUnavailableError(str(error)) from error
        raise
    except DBAPIError as error:
        if error.connection_invalidated or _is_storage(error.orig):
            raise StorageUnavailableError(str(error.orig)) from error
        raise


def _is_storage(error: BaseException | None) -> bool:
    """Whether it is about the file; what is wrong with its very pages comes as no more than a `DatabaseError`."""
    return isinstance(error, sqlite3.OperationalError) or type(error) is sqlite3.DatabaseError


def _synchronous_url(url: str) -> URL:
    """The same database through the driver that is used inside a worker thread."""
    parsed = make_url(url)
    if parsed.get_backend_name() == "sqlite":
        return parsed.set(drivername="sqlite+pysqlite")
    return parsed


def _engine(url: URL, *, begin: str, size: int, synchronous: str) -> Engine:
    engine = create_engine(
        url,
        hide_parameters=True,
        poolclass=QueuePool,
        pool_size=size,
        max_overflow=0,
        pool_timeout=30,
        pool_use_lifo=True,
    )
    if url.get_backend_name() == "sqlite":
        _speak_sqlite(engine, begin, synchronous)
    return engine


def _speak_sqlite(engine: Engine, begin: str, synchronous: str) -> None:
    """Pragmas belong to a connection, and the driver's own transactions begin too late: both are set here."""

    @event.listens_for(engine, "connect")
    def configure(connection: sqlite3.Connection, _record: object) -> None:
        connection.isolation_level = None
        for pragma in (
            f"busy_timeout={BUSY_TIMEOUT_MS}",
            "journal_mode=WAL",
            f"synchronous={synchronous}",
            "foreign_keys=ON",
            "temp_store=MEMORY",
            "cache_size=-65536",
        ):
            connection.execute(f"PRAGMA {pragma}")

    @event.listens_for(engine, "begin")
    def start(connection: Connection) -> None:
        connection.exec_driver_sql(begin)
