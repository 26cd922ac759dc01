"""Units of work: one function on one connection, in one transaction, in one hop to a worker thread.

The functions of the store are plain synchronous code on a SQLAlchemy `Connection`. What costs time in an asynchronous
driver is a thread hop for every statement; here a whole unit of work takes one, and those that wait at the same time
share it, and their commit.
"""

import contextlib
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, Final, TypeVar

import anyio
import anyio.to_thread
from sqlalchemy import Connection, Engine
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError

from dialer.store.backends import sqlite
from dialer.store.backends.sqlite import BUSY_TIMEOUT_MS
from dialer.store.group_commit import TOGETHER_MAX, Turns, Waiter
from dialer.store.inline_reads import AtHand
from dialer.store.touched import EVERYTHING, NOTHING, Touched, take_touched, touch

Result = TypeVar("Result")

READERS_MAX: Final = 2
"""Readers at once; further ones queue. What takes a moment is done soonest where few threads share the interpreter."""
LONG_READERS_MAX: Final = 4
"""Readers besides, of what takes long: only those who want as much wait behind them."""

_SECOND_MS: Final = 1_000


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
        self.url: Final = sqlite.synchronous_url(url)
        self._busy_timeout_ms: Final = busy_timeout_ms
        self._writer = sqlite.pooled_engine(self.url, begin=sqlite.BEGIN_WRITING, size=1, synchronous=synchronous)
        self._readers = sqlite.pooled_engine(
            self.url, begin=sqlite.BEGIN_READING, size=READERS_MAX + LONG_READERS_MAX, synchronous=synchronous
        )
        self.at_hand: Final = AtHand(self.url)
        """For the thread of the event loop."""
        self._touched = NOTHING
        """By the commits since `take_touched` was called last. Only a unit of work that writes looks at it or adds to
        it, and these take turns."""
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
        except StorageUnavailableError:
            self._is_failing = True
            raise
        if has_written:
            self._is_failing = False
        return result

    def take_touched(self, connection: Connection) -> Touched:
        """Return what the commits since the last call have touched, and forget it.

        `connection` is that of a unit of work that writes. Commits of other processes have touched everything. If this
        unit fails, the answer is lost: its caller then has to take everything to be touched.
        """
        touched, self._touched = self._touched, NOTHING
        return EVERYTHING if sqlite.have_others_written(connection) else touched

    def close(self) -> None:
        """Give all connections back."""
        self.at_hand.close()
        self._writer.dispose()
        self._readers.dispose()

    def _run(self, engine: Engine, work: Callable[[Connection], Result], patience_ms: int | None = None) -> Result:
        with _storage_errors(), engine.connect() as connection:
            if patience_ms is not None:
                sqlite.wait_for_others(connection, patience_ms)
            take_touched(connection)  # What a unit has noted that failed concerns nobody.
            has_worked = False
            try:
                with connection.begin():
                    result = work(connection)
                    has_worked = True
            except DBAPIError as error:
                if has_worked and sqlite.may_be_committed(error):
                    self._touched = EVERYTHING
                    raise OutcomeUnknownError(str(error.orig)) from error
                raise
            noted = take_touched(connection)
            if noted is not None:  # It is of a unit that writes: readers, of whom there are several, note nothing.
                self._touched |= noted
            return result


def _watched(connection: Connection, work: Callable[[Connection], Result]) -> tuple[Result, bool]:
    """Return the result of `work` and whether it wrote anything: to commit nothing succeeds on a full disk too.

    A unit of work that wrote and did not say what it touched is noted to have touched everything.
    """
    before = sqlite.rows_written(connection)
    result = work(connection)
    has_written = sqlite.rows_written(connection) != before
    said = take_touched(connection)
    if has_written:
        touch(connection, EVERYTHING if said is None else said)
    return result, has_written


def _run_each(connection: Connection, waiters: list[Waiter[Any]]) -> None:
    """Run units of work one after the other. Of one that fails nothing stays; the transaction goes on without it.

    Raises:
        StorageUnavailableError: the transaction is lost, and what all of them have written with it.
    """
    cursor = connection.connection.cursor()  # Past SQLAlchemy: it is for every unit.
    touched = NOTHING
    for waiter in waiters:
        cursor.execute("SAVEPOINT unit")
        try:
            with _storage_errors():
                waiter.result, _ = _watched(connection, waiter.work)
        except Exception as error:
            if not sqlite.is_in_transaction(connection):
                raise StorageUnavailableError("the transaction was lost") from error
            cursor.execute("ROLLBACK TO unit")
            take_touched(connection)
            waiter.error = error
        cursor.execute("RELEASE unit")
        touched |= take_touched(connection) or NOTHING
    cursor.close()
    touch(connection, touched)


@contextlib.contextmanager
def _storage_errors() -> Iterator[None]:
    """Turn what the driver says about a database that is not at hand into one error of ours."""
    try:
        yield
    except PoolTimeoutError as error:
        raise StorageUnavailableError("too many units of work at once") from error
    except sqlite.DRIVER_ERROR as error:
        if sqlite.is_storage_error(error):
            raise StorageUnavailableError(str(error)) from error
        raise
    except DBAPIError as error:
        if error.connection_invalidated or sqlite.is_storage_error(error.orig):
            raise StorageUnavailableError(str(error.orig)) from error
        raise
