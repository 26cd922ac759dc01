"""PostgreSQL: statements whose results nobody waits for, sent together in one round trip.

A round trip takes longer than most statements of a step. The client sends all statements that were postponed, and then
reads their results, which libpq calls a pipeline.
"""

import re
import select
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import count, islice
from typing import Any, Final, NamedTuple

import psycopg
from psycopg import errors, pq
from psycopg.pq import TransactionStatus
from psycopg.pq.abc import PGconn, PGresult
from sqlalchemy import Connection, Engine, event

from dialer.store.backends.postgresql_rows import ROWS, driver_of, errors_of_sqlalchemy

Check = Callable[[int], object]
"""A function that gets the number of rows that a statement has written."""

_POSTPONED: Final = "postponed"
_PREPARED: Final = "prepared"
_SAVEPOINT: Final = "SAVEPOINT recoverable"
_RELEASE: Final = "RELEASE SAVEPOINT recoverable"
_JOINS: Final = ("enable_hashjoin", "enable_mergejoin", "enable_seqscan")
_PLANNED: Final = "SELECT set_config('plan_cache_mode', %s, true), {}".format(
    ", ".join([f"set_config('{name}', given, true)" for name in _JOINS]) + " FROM (VALUES (%s)) AS settings (given)"
)
"""A short array is planned anew each time, which takes longer than its statement. A plan that is kept must suit tables
that grow."""
CONTROL: Final = frozenset({_SAVEPOINT, _RELEASE, _PLANNED})
"""Statements that read and write no rows."""
_PERCENT: Final = re.compile("%[s%]")
"""The place of a value, or a per cent sign that stands for itself."""
_WRITES: Final = (b"INSERT", b"UPDATE", b"DELETE")
_names: Final = count(1)
_READERS: Final[dict[int, Callable[[bytes], Any]]] = {
    **dict.fromkeys((20, 21, 23), int),
    **dict.fromkeys((25, 1043), bytes.decode),
    16: b"t".__eq__,
}
"""Functions that read values, by the number of their type: integers, texts and Booleans."""


class Postponed(NamedTuple):
    """A statement that waits, with the values of each of its executions."""

    text: str
    rows: Sequence[Sequence[bytes | None]]
    check: Check | None


def postpone(
    connection: Connection, text: str, rows: Sequence[tuple[Any, ...]] = ((),), check: Check | None = None
) -> None:
    """Run a statement for each row of values, before whatever else happens on the connection."""
    with errors_of_sqlalchemy(connection):
        values = [[_value(one) for one in row] for row in rows]
    connection.info.setdefault(_POSTPONED, []).append(Postponed(text, values, check))


def keep_order(engine: Engine) -> None:
    """Let what is postponed on the connections of an engine run before other statements, and before a COMMIT.

    psycopg prepares nothing there by itself: after a ROLLBACK, it would let the server forget all that is prepared.
    """

    @event.listens_for(engine, "connect")
    def prepare_nothing(driver: psycopg.Connection[Any], _record: object) -> None:
        driver.prepare_threshold = None

    @event.listens_for(engine, "before_cursor_execute")
    def run_first(connection: Connection, *_statement: object) -> None:
        run_postponed(connection)

    event.listen(engine, "commit", run_postponed)
    event.listen(engine, "rollback", _forget)


def _forget(connection: Connection) -> None:
    """Forget what waits. Prepared statements outlive a ROLLBACK."""
    if not connection.invalidated:
        forget_postponed(connection)


def forget_postponed(connection: Connection) -> list[Postponed]:
    """Return the statements that wait, which never run."""
    waiting: list[Postponed] = connection.info.pop(_POSTPONED, [])
    return waiting


def run_postponed(connection: Connection) -> None:
    """Run the statements that wait. If one of them fails, those behind it do not run."""
    if _POSTPONED in connection.info:
        _run(connection, forget_postponed(connection))


def query(connection: Connection, text: str, values: Sequence[Any]) -> list[tuple[Any, ...]]:
    """Run a query behind the statements that wait, and return its rows of numbers, texts and Booleans."""
    asked = Postponed(text, [[_value(one) for one in values]], None)
    result = _run(connection, [*forget_postponed(connection), asked])
    columns = [(place, _READERS[result.ftype(place)]) for place in range(result.nfields)]
    return [
        tuple([None if (found := result.get_value(row, place)) is None else read(found) for place, read in columns])
        for row in range(result.ntuples)
    ]


def _run(connection: Connection, waiting: Sequence[Postponed]) -> PGresult:
    """Run statements, and return the last result."""
    with errors_of_sqlalchemy(connection):
        results = exchange(driver_of(connection), waiting, connection.info.setdefault(_PREPARED, {}))
    each = iter(results)
    for one in waiting:
        written = sum(_written(next(each)) for _ in one.rows)
        connection.info[ROWS] = connection.info.get(ROWS, 0) + written
        if one.check is not None:
            one.check(written)
    return results[-1]


def exchange(
    driver: psycopg.Connection[Any], statements: Sequence[Postponed], known: dict[str, bytes]
) -> list[PGresult]:
    """Send statements together, and return the result of each execution.

    `known` has the names of the statements that the session has prepared.
    """
    new = {one.text: b"dialer_%d" % next(_names) for one in statements if one.text not in known}
    names = {**known, **new}
    orders = [(names[one.text], row) for one in statements for row in one.rows]
    try:
        results = list(_exchanged(driver.pgconn, new, orders))
    except BaseException:
        driver.close()  # Nobody can tell which results are still under way.
        raise
    failed = next((place for place, one in enumerate(results) if one.status == pq.ExecStatus.FATAL_ERROR), None)
    known.update(islice(new.items(), failed))
    if failed is None:
        return results[len(new) :]
    error = errors.error_from_result(results[failed])
    if isinstance(error, errors.InvalidSqlStatementName):
        known.clear()  # Somebody has let the session forget them.
    raise error


def _exchanged(
    pgconn: PGconn, new: dict[str, bytes], orders: Sequence[tuple[bytes, Sequence[bytes | None]]]
) -> Iterator[PGresult]:
    """Prepare statements, run orders, and yield the result of each."""
    pgconn.enter_pipeline_mode()
    for text, name in new.items():
        pgconn.send_prepare(name, _numbered(text))
    for name, values in orders:
        pgconn.send_query_prepared(name, values)
    pgconn.pipeline_sync()
    _send_all(pgconn)
    while (result := _next_result(pgconn)).status != pq.ExecStatus.PIPELINE_SYNC:
        yield result
    pgconn.exit_pipeline_mode()


def _send_all(pgconn: PGconn) -> None:
    waiting = select.poll()
    waiting.register(pgconn.socket, select.POLLIN | select.POLLOUT)
    while pgconn.flush():
        waiting.poll()
        pgconn.consume_input()  # The server may wait for a reader before it reads on.


def _next_result(pgconn: PGconn) -> PGresult:
    """Wait for the next result.

    Raises:
        psycopg.OperationalError: the connection is lost.
    """
    waiting = select.poll()
    waiting.register(pgconn.socket, select.POLLIN)
    while True:
        while pgconn.is_busy():
            waiting.poll()
            pgconn.consume_input()
        if pgconn.status != pq.ConnStatus.OK:
            raise psycopg.OperationalError(pgconn.get_error_message())
        result = pgconn.get_result()
        if result is not None:  # None ends the results of each statement.
            return result


def _numbered(text: str) -> bytes:
    """Return a statement with the parameters of libpq."""
    places = count(1)
    return _PERCENT.sub(lambda found: "%" if found[0] == "%%" else f"${next(places)}", text).encode()


def _value(value: object) -> bytes | None:
    """Return a value as libpq takes it.

    Raises:
        psycopg.Error: it is of another type, or a text that cannot be stored.
    """
    if value is None:
        return None
    if isinstance(value, int):
        return b"%d" % value  # A Boolean, too.
    if not isinstance(value, str):
        raise psycopg.NotSupportedError(f"a statement that waits takes no {type(value).__name__}")
    found = value.encode()
    if b"\0" in found:
        raise psycopg.DataError("PostgreSQL text fields cannot contain NUL (0x00) bytes")
    return found


def _written(result: PGresult) -> int:
    """Return the number of rows that a statement has written."""
    return result.command_tuples or 0 if (result.command_status or b"").startswith(_WRITES) else 0


def is_in_transaction(connection: Connection) -> bool:
    """Return whether a transaction is open, even if it can only be rolled back."""
    if connection.invalidated:
        return False
    status = driver_of(connection).info.transaction_status
    return status in {TransactionStatus.INTRANS, TransactionStatus.INERROR}


@contextmanager
def recoverable(connection: Connection) -> Iterator[None]:
    """Run statements in a savepoint: after an error, the transaction goes on from there.

    Their plans are made once, and look up each row by an index, however small the tables are at that moment.
    """
    savepoint = Postponed(_SAVEPOINT, [()], None)
    connection.info.setdefault(_POSTPONED, []).append(savepoint)
    postpone(connection, _PLANNED, [("force_generic_plan", "off")])
    try:
        yield
        run_postponed(connection)
    except Exception:
        if not _take_back(connection, savepoint) and is_in_transaction(connection):
            with suppress(errors.InvalidSavepointSpecification):  # A statement in front of it has failed.
                undo_to(connection, "recoverable")
        raise
    postpone(connection, _PLANNED, [("auto", "on")])
    postpone(connection, _RELEASE)


def _take_back(connection: Connection, savepoint: Postponed) -> bool:
    """Forget what waits behind a savepoint. If it waits, too, forget it and return True."""
    waiting = forget_postponed(connection)
    place = next((place for place, one in enumerate(waiting) if one is savepoint), None)
    if place:
        connection.info[_POSTPONED] = waiting[:place]
    return place is not None


def undo_to(connection: Connection, savepoint: str) -> None:
    """Undo what a transaction has done since a savepoint."""
    driver_of(connection).execute(f"ROLLBACK TO {savepoint}")
    _forget(connection)
