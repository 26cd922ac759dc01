"""Units of work: one function on one connection, in one transaction, in one hop to a worker thread.

The functions of the store are plain synchronous code on a SQLAlchemy `Connection`. An asynchronous driver takes a
thread hop for every statement. Here a whole unit of work takes one hop, and units that wait at the same time share it,
and their commit.
"""

import contextlib
import time
from collections.abc import Callable, Iterator
from contextvars import copy_context
from functools import partial
from typing import Any, Final, TypeVar

import anyio
import anyio.to_thread
from sqlalchemy import Connection, Engine
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError

from dialer.store.backends.backend import (
    BUSY_TIMEOUT_MS,
    STATEMENT_TIMEOUT_MS,
    Backend,
    Lock,
    Notifier,
    Presence,
    ServingPlace,
    backend_for,
    backend_of,
)
from dialer.store.backends.process_lock import DisplacedError, ServedError
from dialer.store.database.group_commit import TOGETHER_MAX, Turns, Waiter
from dialer.store.database.inline_reads import AtHand
from dialer.store.database.touched import EVERYTHING, NOTHING, Touched, take_touched, touch
from dialer.store.database.write_waits import WriteWaits

Result = TypeVar("Result")

READERS: Final = 6
"""Default number of reads at once; others queue. Few threads are fastest, as they share the interpreter."""
_SHORT_SHARE: Final = 3
"""One in so many reads is short, at least. Only long reads wait behind long ones."""

SHARED_READS_MAX: Final = 8
"""Reads in one transaction."""
_SECOND_MS: Final = 1_000
_IS_STEP: Final = "is_step"
"""Key of a connection's note that its transaction is a step of the worker."""


class StorageUnavailableError(Exception):
    """The database cannot be read or written now (locked, full, gone). Nothing was applied; try again."""


class OutcomeUnknownError(StorageUnavailableError):
    """The database was lost during a COMMIT: either all changes are stored, or none.

    Read the rows before you repeat the unit of work.
    """


class Database:
    """The service's database. `read` and `write` run a unit of work in a transaction, and nothing else begins one.

    Writers take turns in the order of their arrival. Each begins with the write lock, so the rows
    that a unit has read are still current when it writes. Readers see a consistent snapshot, and wait for no writer.
    """

    def __init__(
        self,
        url: str,
        *,
        synchronous: str = "FULL",
        busy_timeout_ms: int = BUSY_TIMEOUT_MS,
        statement_timeout_ms: int = STATEMENT_TIMEOUT_MS,
        readers: int = READERS,
        announce: Callable[[Connection, Touched], None] | None = None,
        place: ServingPlace | None = None,
    ) -> None:
        self._backend: Final = backend_for(url)
        self.url: Final = self._backend.synchronous_url(url)
        self._busy_timeout_ms: Final = busy_timeout_ms
        self._announce: Final = announce
        """Notes the records that a unit of work has touched for other processes, in its transaction."""
        self._step_lock: Final = Lock.ALL if announce is None else Lock.SHARED
        how: Any = {"synchronous": synchronous, "statement_timeout_ms": statement_timeout_ms}
        self._writer = self._backend.writing_engine(self.url, place=place, **how)
        self.has_place: Final = place is not None
        """True if this process is one of those that serve the database."""
        self.displaced: str | None = None
        """Why this process may write no more: another one has its place among those that serve the database."""
        self._readers = self._backend.reading_engine(self.url, size=readers, **how)
        self._short_readers: Final = max(1, readers // _SHORT_SHARE)
        self._long_readers: Final = readers - self._short_readers
        self.write_waits: Final = WriteWaits()
        self.at_hand: Final = AtHand(self.url)
        """Reader of single rows, for the thread of the event loop only."""
        self._touched = NOTHING
        """Records touched by commits since the last call of `take_touched`. Only units of work that write use it, and
        they take turns."""
        self._lock = Lock.ALL
        """Lock of the unit of work that has its turn to write."""
        self._is_failing = False
        self._turns: Final = Turns(self._write_in_turn)
        self._read_turns: Final = Turns(self._read_in_turn)
        self._read_turns.together_max = SHARED_READS_MAX
        self._read_limits: tuple[anyio.CapacityLimiter, anyio.CapacityLimiter] | None = None

    async def read(self, work: Callable[[Connection], Result], *, is_long: bool = False) -> Result:
        """Return the result of `work` on one consistent snapshot. Long reads (`is_long`) do not delay short ones.

        Raises:
            StorageUnavailableError: the database cannot be read now.
        """
        if is_long:
            work = partial(_tidied, work=work, tidy=self._backend.forget_pages)
        return await anyio.to_thread.run_sync(self.read_now, work, limiter=self._limits()[is_long])

    async def read_with_others(self, work: Callable[[Connection], Result]) -> Result:
        """Return the result of `work` on a snapshot that it shares with other such reads that wait at the same time.

        So a hundred small ones cost little more than what they read: a thread that takes turns with the event loop a
        hundred times delays it. The snapshot is of a moment after this call.

        Raises:
            StorageUnavailableError: the database cannot be read now.
        """
        context = copy_context()
        waiter = Waiter(lambda connection: context.run(work, connection), until_s=0.0, alone=False)
        return await waiter.wait(self._read_turns)

    def _limits(self) -> tuple[anyio.CapacityLimiter, anyio.CapacityLimiter]:
        if self._read_limits is None:  # Limiters need a running event loop.
            self._read_limits = anyio.CapacityLimiter(self._short_readers), anyio.CapacityLimiter(self._long_readers)
        return self._read_limits

    async def _read_in_turn(self, waiters: list[Waiter[Any]]) -> None:
        for waiter in await anyio.to_thread.run_sync(self._read_together, waiters, limiter=self._limits()[0]):
            waiter.put_back()

    def _read_together(self, waiters: list[Waiter[Any]]) -> list[Waiter[Any]]:
        """Read on one snapshot, and set the result or the error of each. Return those behind a statement that failed.

        After such a statement, the transaction may be of no more use.
        """
        begun: list[Waiter[Any]] = []

        def run(connection: Connection) -> None:
            for waiter in waiters:
                begun.append(waiter)
                try:
                    waiter.result = waiter.work(connection)
                except DBAPIError:
                    raise
                except Exception as error:  # noqa: BLE001 - the waiter raises it
                    waiter.error = error

        try:
            self.read_now(run)
        except BaseException as error:  # noqa: BLE001 - the waiter raises it
            for waiter in begun[-1:] or waiters:
                waiter.error = error
            return waiters[len(begun) :] if begun else []
        return []

    async def write(
        self, work: Callable[[Connection], Result], *, is_step: bool = False, is_long: bool = False
    ) -> Result:
        """Return the result of `work` once its changes are committed. If it fails, none of its changes remain.

        A step of the worker (`is_step`) has a transaction of its own, and changes nothing that only users change. A
        unit that writes hundreds of rows (`is_long`) has one, too, and lets those pass that wait. Other units that wait
        share a transaction, and see the changes of those before them. An error that `work` raises undoes its own
        changes only.

        Raises:
            StorageUnavailableError: the database cannot be written now.
            OutcomeUnknownError: the database was lost during the COMMIT, and the changes may be stored.
        """
        until_s = anyio.current_time() + self._busy_timeout_ms / _SECOND_MS
        lock = self._step_lock if is_step else Lock.ALL
        # Units of several requests share a thread. Each keeps the context of its own, such as the viewer's language.
        context = copy_context()
        in_context = work if is_step else lambda connection: context.run(work, connection)
        waiter = Waiter(in_context, until_s=until_s, alone=is_step, is_long=is_long, lock=lock)
        return await waiter.wait(self._turns)

    async def write_without_lock(self, work: Callable[[Connection], Result]) -> Result:
        """Return the result of `work`, one statement that checks its own condition, without waiting for writers.

        Raises:
            StorageUnavailableError: the database cannot be written now.
        """
        until_s = anyio.current_time() + self._busy_timeout_ms / _SECOND_MS
        return await Waiter(work, until_s=until_s, alone=True, lock=Lock.NONE).wait(self._turns)

    async def keep_place(self) -> None:
        """Take the place of this process again if the connection that holds it was lost.

        Raises:
            StorageUnavailableError: the database cannot be written now, or another process has the place.
        """
        await self.write_without_lock(lambda _: None)

    async def is_writable(self, probe: Callable[[Connection], object]) -> bool:
        """Return whether units of work can be committed, as far as is known.

        If no write has failed since the last successful one, return True without a check. Otherwise run `probe`, a
        small unit of work that writes a row, and return whether it succeeds. The probe does not wait: if another unit
        of work has its turn at that moment, return False.
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
        # Time spent in our own queue counts towards the busy timeout.
        patience_ms = max(0, round((waiters[0].until_s - anyio.current_time()) * _SECOND_MS))
        try:
            has_begun = await anyio.to_thread.run_sync(self._write_together, waiters, patience_ms)
        except BaseException:  # The event loop ends, but the thread may still commit.
            for waiter in waiters:
                waiter.error = OutcomeUnknownError("the service stopped before the commit was confirmed")
            raise
        if not has_begun:
            for waiter in waiters[1:]:
                if waiter.until_s > anyio.current_time():
                    waiter.put_back()
        # While the database fails, each unit of work waits for its own timeout, and fails alone.
        self._turns.together_max = 1 if self._is_failing else TOGETHER_MAX

    def _write_together(self, waiters: list[Waiter[Any]], patience_ms: int) -> bool:
        """Commit units of work together, and set the result or the error of each. Return whether any has begun."""
        has_begun, called_s = False, time.monotonic()

        def run(connection: Connection) -> None:
            nonlocal has_begun
            has_begun = True
            waited_s = time.monotonic() - called_s
            self.write_waits.add(turn_s=called_s - waiters[0].arrived_s, lock_s=waited_s)
            connection.info[_IS_STEP] = waiters[0].alone
            if len(waiters) == 1:
                waiters[0].result = waiters[0].work(connection)
            else:
                _run_each(connection, waiters)

        try:
            if waiters[0].lock is Lock.ALL:
                self.write_now(run, patience_ms)
            else:
                self._write_with(run, patience_ms, waiters[0].lock)
        except BaseException as error:  # noqa: BLE001 - each waiter raises it
            for waiter in waiters:
                # A unit's own error may stem from rows of the others, which were not stored.
                waiter.error = error
        return has_begun

    def read_now(self, work: Callable[[Connection], Result]) -> Result:
        """Return the result of `work` on one consistent snapshot. Block the calling thread meanwhile."""
        return self._run(self._readers, work)

    def write_now(self, work: Callable[[Connection], Result], patience_ms: int | None = None) -> Result:
        """Return the result of `work` once its changes are committed. Block the calling thread meanwhile.

        `patience_ms` is the time to wait for other processes.
        """
        return self._write_with(work, self._busy_timeout_ms if patience_ms is None else patience_ms, Lock.ALL)

    def _write_with(self, work: Callable[[Connection], Result], patience_ms: int, lock: Lock) -> Result:
        self._lock = lock
        try:
            result, has_written = self._run(
                self._writer, partial(_counted, work=work, announce=self._announce), patience_ms
            )
        except StorageUnavailableError:
            self._is_failing = True
            raise
        except ServedError as error:
            self._is_failing = True
            if isinstance(error, DisplacedError):
                self.displaced = str(error)
            raise StorageUnavailableError(str(error)) from error
        if has_written:
            self._is_failing = False
        return result

    async def open_presence(self) -> Presence:
        """Take a presence lock, by which other processes see that this process lives.

        Raises:
            StorageUnavailableError: the database cannot be reached now.
        """
        return await anyio.to_thread.run_sync(self._open_presence)

    async def open_notifier(self, name: str) -> Notifier | None:
        """Return a bell that listens to a name; None if processes cannot wake each other by this database.

        Raises:
            StorageUnavailableError: the database cannot be reached now.
        """
        return await anyio.to_thread.run_sync(self._open_notifier, name)

    def _open_notifier(self, name: str) -> Notifier | None:
        with _storage_errors(self._backend):
            return self._backend.open_notifier(self.url, name)

    def _open_presence(self) -> Presence:
        with _storage_errors(self._backend):
            return self._backend.open_presence(self.url)

    def has_waiting(self) -> bool:
        """Return whether units of work of this process wait for their turn to write."""
        return self._turns.has_waiting

    def take_touched(self, connection: Connection) -> Touched:
        """Return the records that commits have touched since the last call, and clear them.

        `connection` belongs to a unit of work that writes. A commit of another process counts as `EVERYTHING`. If this
        unit fails, the answer is lost: its caller must then assume `EVERYTHING`.
        """
        touched, self._touched = self._touched, NOTHING
        return EVERYTHING if self._backend.have_others_written(connection) else touched

    def close(self) -> None:
        """Close all connections to the database."""
        self.at_hand.close()
        self._writer.dispose()
        self._readers.dispose()

    def _run(self, engine: Engine, work: Callable[[Connection], Result], patience_ms: int | None = None) -> Result:
        with _storage_errors(self._backend), engine.connect() as connection:
            if patience_ms is not None:
                self._backend.wait_for_others(connection, patience_ms)
                self._backend.lock_for(connection, self._lock)
            take_touched(connection)  # Discard the notes of a unit of work that failed.
            has_worked = False
            try:
                with connection.begin():
                    result = work(connection)
                    has_worked = True
            except DBAPIError as error:
                if has_worked and self._backend.may_be_committed(error):
                    self._touched = EVERYTHING
                    raise OutcomeUnknownError(str(error.orig)) from error
                raise
            noted = take_touched(connection)
            if noted is not None:  # Only units that write note anything, and these take turns.
                self._touched |= noted
            return result


def _tidied(connection: Connection, work: Callable[[Connection], Result], tidy: Callable[[Connection], None]) -> Result:
    """Return the result of `work`, which may have read a large table that nobody reads soon."""
    result = work(connection)
    tidy(connection)
    return result


def _counted(
    connection: Connection,
    work: Callable[[Connection], Result],
    announce: Callable[[Connection, Touched], None] | None,
) -> tuple[Result, bool]:
    """Return the result of `work`, and whether it wrote anything.

    Unless it is one of a step, count the change, and announce it to other processes.
    """
    connection.info[_IS_STEP] = False
    result, has_written = _watched(connection, work)
    if has_written and not connection.info[_IS_STEP]:
        backend_of(connection).count_change(connection)
        if announce is not None:
            touched = take_touched(connection) or NOTHING
            announce(connection, touched)
            touch(connection, touched)
    return result, has_written


def _watched(connection: Connection, work: Callable[[Connection], Result]) -> tuple[Result, bool]:
    """Return the result of `work`, and whether it wrote anything: an empty commit succeeds even on a full disk.

    A unit of work that wrote without a call of `touch` counts as having touched everything.
    """
    backend = backend_of(connection)
    before = backend.rows_written(connection)
    result = work(connection)
    has_written = backend.rows_written(connection) != before
    said = take_touched(connection)
    if has_written:
        touch(connection, EVERYTHING if said is None else said)
    return result, has_written


def _run_each(connection: Connection, waiters: list[Waiter[Any]]) -> None:
    """Run units of work one after the other. Undo the changes of one that fails, and go on with the next.

    Raises:
        StorageUnavailableError: the transaction is lost, with the changes of all units.
    """
    backend = backend_of(connection)
    cursor = connection.connection.cursor()  # Faster than SQLAlchemy, and each unit uses it.
    touched = NOTHING
    for waiter in waiters:
        cursor.execute("SAVEPOINT unit")
        try:
            with _storage_errors(backend):
                waiter.result, _ = _watched(connection, waiter.work)
        except Exception as error:
            if not backend.is_in_transaction(connection):
                raise StorageUnavailableError("the transaction was lost") from error
            backend.undo_to(connection, "unit")
            take_touched(connection)
            waiter.error = error
        cursor.execute("RELEASE unit")
        touched |= take_touched(connection) or NOTHING
    cursor.close()
    touch(connection, touched)


@contextlib.contextmanager
def _storage_errors(backend: Backend) -> Iterator[None]:
    """Translate errors of the driver about an unavailable database into `StorageUnavailableError`."""
    try:
        yield
    except PoolTimeoutError as error:
        raise StorageUnavailableError("too many units of work at once") from error
    except backend.DRIVER_ERROR as error:
        if backend.is_storage_error(error):
            raise StorageUnavailableError(str(error)) from error
        raise
    except DBAPIError as error:
        if error.connection_invalidated or backend.is_storage_error(error.orig):
            raise StorageUnavailableError(str(error.orig)) from error
        raise
