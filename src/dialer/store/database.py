"""Units of work: one function on one connection, in one transaction, in one hop to a worker thread.

The functions of the store are plain synchronous code on a SQLAlchemy `Connection`. What costs time in an asynchronous
driver is a thread hop for every statement; here a whole unit of work takes one.
"""

import contextlib
import sqlite3
from collections.abc import Callable, Iterator
from typing import Final, TypeVar

import anyio
import anyio.to_thread
from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import QueuePool

Result = TypeVar("Result")

BUSY_TIMEOUT_MS: Final = 5_000
"""How long a writer waits for another process that holds the database."""
READERS_MAX: Final = 8
"""Readers at once; further ones queue."""


class StorageUnavailableError(Exception):
    """The database cannot be written or read just now (locked, full, gone). Nothing was applied; try again."""


class Database:
    """The service's database: `read` and `write` run a unit of work; nothing else begins a transaction.

    Writers take turns, in the order in which they came, and each begins with the write lock in its hand
    (`BEGIN IMMEDIATE`), so what a unit has read is still true when it writes. Readers see a consistent snapshot and
    wait for nobody.
    """

    def __init__(self, url: str, *, synchronous: str = "FULL") -> None:
        self.url: Final = _synchronous_url(url)
        self._writer = _engine(self.url, begin="BEGIN IMMEDIATE", size=1, synchronous=synchronous)
        self._readers = _engine(self.url, begin="BEGIN", size=READERS_MAX, synchronous=synchronous)
        self.units_written = 0
        """How many units of work were committed: whoever remembers it can tell whether something may have changed."""
        self._turn: anyio.Lock | None = None
        self._read_limit: anyio.CapacityLimiter | None = None

    async def read(self, work: Callable[[Connection], Result]) -> Result:
        """What `work` returns from one consistent snapshot.

        Raises:
            StorageUnavailableError: the database cannot be read now.
        """
        if self._read_limit is None:
            self._read_limit = anyio.CapacityLimiter(READERS_MAX)
        return await anyio.to_thread.run_sync(self.read_now, work, limiter=self._read_limit)

    async def write(self, work: Callable[[Connection], Result]) -> Result:
        """What `work` returns, once all it wrote is committed. Whatever fails, nothing of it is there.

        Raises:
            StorageUnavailableError: the database cannot be written now.
        """
        if self._turn is None:
            self._turn = anyio.Lock()
        async with self._turn:
            return await anyio.to_thread.run_sync(self.write_now, work)

    def read_now(self, work: Callable[[Connection], Result]) -> Result:
        """`read`, for a caller that is a thread of its own."""
        return self._run(self._readers, work)

    def write_now(self, work: Callable[[Connection], Result]) -> Result:
        """`write`, for a caller that is a thread of its own."""
        result = self._run(self._writer, work)
        self.units_written += 1
        return result

    def close(self) -> None:
        """Give all connections back."""
        self._writer.dispose()
        self._readers.dispose()

    @staticmethod
    def _run(engine: Engine, work: Callable[[Connection], Result]) -> Result:
        with _storage_errors(), engine.connect() as connection, connection.begin():
            return work(connection)


@contextlib.contextmanager
def _storage_errors() -> Iterator[None]:
    """Turn what the driver says about a database that is not at hand into one error of ours."""
    try:
        yield
    except DBAPIError as error:
        if error.connection_invalidated or isinstance(error.orig, sqlite3.OperationalError):
            raise StorageUnavailableError(str(error.orig)) from error
        raise


def _synchronous_url(url: str) -> URL:
    """The same database through the driver that is used inside a worker thread."""
    parsed = make_url(url)
    if parsed.get_backend_name() == "sqlite":
        return parsed.set(drivername="sqlite+pysqlite")
    return parsed


def _engine(url: URL, *, begin: str, size: int, synchronous: str) -> Engine:
    engine = create_engine(
        url, hide_parameters=True, poolclass=QueuePool, pool_size=size, max_overflow=0, pool_timeout=30
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
