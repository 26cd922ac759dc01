"""The start of transactions on PostgreSQL: the lock that each takes, and the end of those that keep it in silence."""

from typing import Any, Final

import psycopg
from sqlalchemy import Connection

from dialer.store.backends.backend import Lock
from dialer.store.backends.postgresql_rows import ANY_TIME, driver_of

WRITERS: Final = 0x6469616C6572
"""Key of the advisory lock of all writers."""
LOCK_WAIT_MS: Final = 5_000
"""Longest wait for a lock that is not the writers'."""
LOOK_MS: Final = 5_000
"""Time of a wait for the writers' lock after which its holders are looked at."""
STEP_IDLE_TIMEOUT_MS: Final = 3_000
"""Limit for a step beside those of other workers, because users wait for a worker that is frozen in a step."""
WRITER_IDLE_TIMEOUT_MS: Final = 8_000
"""Limit for any other transaction that writes. With the longest wait of those behind it, that is less than a lease."""
_LOOK_AGAIN_S: Final = 0.3
_HOLDERS: Final = """
    SELECT pid, backend_start, state_change, (SELECT max(bytes_processed) FROM {progress} AS copy
        WHERE copy.pid = pg_locks.pid)
    FROM pg_locks JOIN pg_stat_activity USING (pid)
    WHERE locktype = 'advisory' AND granted AND datname = current_database() AND application_name <> %s
    AND (CAST(classid AS bigint) << 32) + CAST(objid AS bigint) = %s
    AND wait_event_type = 'Client'
    AND clock_timestamp() - state_change > CASE mode WHEN 'ShareLock' THEN %s ELSE %s END * interval '1 ms'
"""
"""Sessions that hold the writers' lock, and wait for their client. A change of any value is progress."""
_PROGRESS: Final = "pg_stat_progress_copy"
_NO_PROGRESS: Final = "(SELECT 0 AS pid, 0 AS bytes_processed)"
_SHOWS_PROGRESS: Final = 140_000
"""The first server that shows the progress of a COPY."""


def begin_with(connection: Connection, statements: str) -> Any:  # noqa: ANN401 - the value of the last statement
    """Begin a transaction in one round trip. If the connection was lost while it waited in its pool, take a new one."""
    driver = driver_of(connection)
    try:
        cursor = driver.execute(statements, prepare=False)  # Several statements cannot be prepared.
    except psycopg.Error as error:
        if not driver.closed:
            raise
        connection.invalidate(error)
        connection.engine.dispose()  # The others of the pool are lost, too.
        cursor = driver_of(connection).execute(statements, prepare=False)
    while cursor.nextset():
        pass
    return cursor.fetchone()[0] if cursor.description else None


def begin_alone(connection: Connection, patience_ms: int, then: str = "") -> Any:  # noqa: ANN401 - as `begin_with`
    """Begin a transaction that excludes all steps. Others for which it has waited in vain end if they are silent.

    Raises:
        psycopg.errors.LockNotAvailable: others write for longer than `patience_ms`.
    """
    lock = f"SELECT pg_advisory_xact_lock({WRITERS})"
    return _begin_once_free(connection, "BEGIN", lock, patience_ms, then)


def begin_beside_others(connection: Connection, lock: Lock, patience_ms: int) -> None:
    """Begin a step, which excludes all but other steps, or a unit without a lock."""
    begin = f"BEGIN; SET LOCAL idle_in_transaction_session_timeout = {STEP_IDLE_TIMEOUT_MS}"
    if lock is Lock.SHARED:
        _begin_once_free(connection, begin, f"SELECT pg_advisory_xact_lock_shared({WRITERS})", patience_ms)
    else:
        begin_with(connection, f"{begin}; SET LOCAL lock_timeout = {LOCK_WAIT_MS}")


def _begin_once_free(connection: Connection, begin: str, lock: str, patience_ms: int, then: str = "") -> Any:  # noqa: ANN401 - as `begin_with`
    """Begin a transaction with a lock. Whenever it has waited in vain for a while, end silent holders of the lock."""
    has_ended = False
    while True:
        wait_ms = max(1, min(patience_ms, LOOK_MS))
        patience_ms -= wait_ms
        statements = f"{begin}; SET LOCAL lock_timeout = {wait_ms}; {lock}; SET LOCAL lock_timeout = {LOCK_WAIT_MS}"
        try:
            return begin_with(connection, f"{statements}; {then}")
        except psycopg.errors.LockNotAvailable:
            driver = driver_of(connection)
            driver.execute("ROLLBACK")
            if _end_silent_holders(driver) and not has_ended:
                has_ended, patience_ms = True, max(patience_ms, wait_ms)
            if patience_ms <= 0:
                raise


def _end_silent_holders(driver: psycopg.Connection[Any]) -> int:
    """End the sessions that hold the lock of the writers and show no sign of life. Return their number.

    The server's own limits do not end a statement that waits for its client, as a COPY or a long answer can.
    """
    before = _silent_holders(driver)
    if not before:
        return 0
    driver.execute("SELECT pg_sleep(%s)", (_LOOK_AGAIN_S,))
    silent = before & _silent_holders(driver)
    return sum(bool(_ended(driver, pid)) for pid, *_ in silent)


def _silent_holders(driver: psycopg.Connection[Any]) -> set[tuple[Any, ...]]:
    shows = driver.info.server_version >= _SHOWS_PROGRESS
    query = _HOLDERS.format(progress=_PROGRESS if shows else _NO_PROGRESS)
    limits = (STEP_IDLE_TIMEOUT_MS, WRITER_IDLE_TIMEOUT_MS)
    return set(driver.execute(query, (ANY_TIME, WRITERS, *limits)).fetchall())


def _ended(driver: psycopg.Connection[Any], pid: int) -> bool:
    row = driver.execute("SELECT pg_terminate_backend(%s)", (pid,)).fetchone()
    return row is not None and bool(row[0])
