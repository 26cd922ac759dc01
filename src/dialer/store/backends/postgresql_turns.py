"""The start of transactions on PostgreSQL: the lock that each takes, and the end of a step that keeps it in silence."""

from typing import Any, Final

import psycopg
from sqlalchemy import Connection

from dialer.store.backends.backend import Lock
from dialer.store.backends.postgresql_rows import driver_of

WRITERS: Final = 0x6469616C6572
"""Key of the advisory lock of all writers."""
LOCK_WAIT_MS: Final = 5_000
"""Longest wait for a lock that is not the writers'."""
STEP_IDLE_TIMEOUT_MS: Final = 3_000
"""Limit for a step beside those of other workers, because users wait for a worker that is frozen in a step."""
_END_SILENT_STEPS: Final = """
    SELECT pg_terminate_backend(pid) FROM pg_locks JOIN pg_stat_activity USING (pid)
    WHERE locktype = 'advisory' AND mode = 'ShareLock' AND granted AND datname = current_database()
    AND (CAST(classid AS bigint) << 32) + CAST(objid AS bigint) = %s
    AND wait_event_type = 'Client' AND clock_timestamp() - state_change > %s * interval '1 ms'
"""
"""The server's own limits do not end a statement that waits for its client, as a COPY or a long answer can."""


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
    """Begin a transaction that excludes all steps. A step for which it has waited in vain ends if it is silent.

    Raises:
        psycopg.errors.LockNotAvailable: others write for longer than `patience_ms`.
    """
    lock = f"BEGIN; SET LOCAL lock_timeout = {max(1, patience_ms)}; SELECT pg_advisory_xact_lock({WRITERS})"
    statements = f"{lock}; SET LOCAL lock_timeout = {LOCK_WAIT_MS}; {then}"
    try:
        return begin_with(connection, statements)
    except psycopg.errors.LockNotAvailable:
        driver = driver_of(connection)
        driver.execute("ROLLBACK")
        if not driver.execute(_END_SILENT_STEPS, (WRITERS, STEP_IDLE_TIMEOUT_MS)).rowcount:
            raise
        return begin_with(connection, statements)


def begin_beside_others(connection: Connection, lock: Lock, patience_ms: int) -> None:
    """Begin a step, which excludes all but other steps, or a unit without a lock."""
    begin = f"BEGIN; SET LOCAL idle_in_transaction_session_timeout = {STEP_IDLE_TIMEOUT_MS}"
    if lock is Lock.SHARED:
        begin += f"; SET LOCAL lock_timeout = {max(1, patience_ms)}; SELECT pg_advisory_xact_lock_shared({WRITERS})"
    begin_with(connection, f"{begin}; SET LOCAL lock_timeout = {LOCK_WAIT_MS}")
