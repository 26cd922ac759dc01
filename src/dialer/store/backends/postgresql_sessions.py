"""Sessions of PostgreSQL that last as long as a process: others see there whether it lives."""

import select
from collections.abc import Collection
from contextlib import suppress
from typing import Any, Final

import psycopg
from sqlalchemy import Connection

_OWN_MARK: Final = """
    SELECT pid || ' ' || CAST(extract(epoch FROM backend_start) * 1000000 AS bigint)
    FROM pg_stat_get_activity(pg_backend_pid())
"""
_PRESENT: Final = """
    WITH marks AS (
        SELECT mark, CAST(split_part(mark, ' ', 1) AS integer) AS pid, CAST(split_part(mark, ' ', 2) AS bigint) AS began
        FROM unnest(CAST(%s AS text[])) AS mark
    )
    SELECT mark FROM marks
    WHERE began < extract(epoch FROM pg_postmaster_start_time()) * 1000000 OR EXISTS (
        SELECT FROM pg_stat_get_activity(marks.pid) AS session
        WHERE backend_start IS NULL OR CAST(extract(epoch FROM backend_start) * 1000000 AS bigint) = began
    )
"""
"""Marks whose sessions are there. A restart of the server ends sessions of processes that live, so it proves nothing;
neither does a session that this user may not see."""


class Session:
    """A session that ends with its process: the server notices at once that its connection is closed."""

    def __init__(self, connection: psycopg.Connection[Any]) -> None:
        self._connection: Final = connection
        self._poll: Final = select.poll()
        self._poll.register(connection.fileno(), select.POLLIN)
        row = connection.execute(_OWN_MARK).fetchone()
        self.mark: Final[str] = "" if row is None else row[0]

    def is_lost(self) -> bool:
        """Return whether the server, or the network, has closed the connection. Ask nobody."""
        if not self._connection.closed and self._poll.poll(0):
            with suppress(psycopg.OperationalError):
                self._connection.pgconn.consume_input()
        return bool(self._connection.closed)

    def close(self) -> None:
        """End the session."""
        self._connection.close()


def present(connection: Connection, marks: Collection[str]) -> frozenset[str]:
    """Return the marks of sessions that are there, and of those of which the server cannot tell."""
    if not marks:
        return frozenset()
    return frozenset(row[0] for row in connection.exec_driver_sql(_PRESENT, (list(marks),)))
