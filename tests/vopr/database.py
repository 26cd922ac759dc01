"""A database that fails on demand: before, during or after a unit of work."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy import Connection, event

from dialer.store.database.database import Database, StorageUnavailableError
from dialer.store.database.touched import Touched
from tests.vopr.faults import Fault

Result = TypeVar("Result")


class CrashError(StorageUnavailableError):
    """The process must end here."""


class FaultyDatabase(Database):
    """A database whose units of work run at once, in the caller's thread, and fail as planned.

    Commits are not synchronised to the disk: the simulator tests the code that writes, not the disk. One instance
    opens one file after another, because SQLAlchemy compiles each statement once per engine.
    """

    def __init__(self, announce: Callable[[Connection, Touched], None] | None = None) -> None:
        super().__init__("sqlite+aiosqlite:///", synchronous="OFF", announce=announce)
        self._path = Path()
        self._fault: Fault | None = None
        self._statements_left = 0
        event.listen(self._writer, "before_cursor_execute", self._count_statement)
        for engine in (self._writer, self._readers):
            event.listen(engine, "do_connect", self._name_file)

    def open(self, path: Path) -> None:
        """Close all connections, and use this file from now on."""
        self.close()
        self._path = path

    def plan(self, fault: Fault | None, statement: int = 0) -> None:
        """Let the next write meet this fault. `FULL` fails before statement number `statement`, if it exists."""
        self._fault = fault
        self._statements_left = statement if fault is Fault.FULL else 0

    async def read(self, work: Callable[[Connection], Result], *, is_long: bool = False) -> Result:  # noqa: ARG002 - one at a time
        """Run a unit of work that reads, and return its result."""
        return self.read_now(work)

    async def write(
        self,
        work: Callable[[Connection], Result],
        *,
        is_step: bool = False,  # noqa: ARG002 - all alike
        is_long: bool = False,  # noqa: ARG002 - all alike
    ) -> Result:
        """Run a unit of work that writes, and return its result, unless a fault is planned."""
        return self.write_now(work)

    async def write_without_lock(self, work: Callable[[Connection], Result]) -> Result:
        """Run a unit of work that writes, and return its result, unless a fault is planned."""
        return self.write_now(work)

    def write_now(self, work: Callable[[Connection], Result], patience_ms: int | None = None) -> Result:
        """Run a unit of work that writes at once, and return its result, unless a fault is planned."""
        fault, self._fault = self._fault, None
        try:
            return self._with(fault, work, patience_ms)
        finally:
            self._statements_left = 0

    def _with(self, fault: Fault | None, work: Callable[[Connection], Result], patience_ms: int | None) -> Result:
        if fault is Fault.LOCKED:
            raise StorageUnavailableError("database is locked")
        if fault in {Fault.LOST, Fault.CRASH_BEFORE}:
            return super().write_now(lambda connection: _undone(connection, work, fault), patience_ms)
        result = super().write_now(work, patience_ms)
        if fault is Fault.UNSURE:
            raise StorageUnavailableError("the connection was lost during the commit")
        if fault is Fault.CRASH_AFTER:
            raise CrashError("the process ends after the commit")
        return result

    def _name_file(self, _dialect: Any, _record: Any, arguments: list[Any], _named: Any) -> None:  # noqa: ANN401 - as below
        arguments[0] = str(self._path)

    def _count_statement(self, *_: Any) -> None:  # noqa: ANN401 - the arguments of SQLAlchemy's event
        if self._statements_left:
            self._statements_left -= 1
            if not self._statements_left:
                raise StorageUnavailableError("database or disk is full")


def _undone(connection: Connection, work: Callable[[Connection], Result], fault: Fault | None) -> Result:
    """Do all the work, then fail before the commit, which rolls the transaction back."""
    work(connection)
    if fault is Fault.CRASH_BEFORE:
        raise CrashError("the process ends before the commit")
    raise StorageUnavailableError("the commit failed")
