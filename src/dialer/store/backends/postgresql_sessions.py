"""Sessions of PostgreSQL that last as long as a process: others see that it lives, and processes wake each other."""

import select
from collections.abc import Collection
from contextlib import suppress
from typing import Any, Final

import anyio
import psycopg
from sqlalchemy import Connection

_OWN_MARK: Final = """
    SELECT pid || ' ' || CAST(extract(epoch FROM backend_start) * 1000000 AS bigint)
    FROM pg_stat_get_activity(pg_backend_pid())
"""
PRESENT: Final = """
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
        """Return whether the server or the network has closed the connection, without a query."""
        if not self._connection.closed and self._poll.poll(0):
            with suppress(psycopg.OperationalError):
                self._connection.pgconn.consume_input()
        return bool(self._connection.closed)

    def close(self) -> None:
        """End the session."""
        self._connection.close()


class PostgresqlNotifier:
    """A session that listens to one channel, and notifies others, in the event loop.

    A transaction that notifies would hold a lock of the whole server until it is committed, so this session notifies
    in transactions of its own, after the commit.
    """

    def __init__(self, connection: psycopg.Connection[Any], name: str) -> None:
        self._connection: Final = connection
        self._driver: Final = connection.pgconn
        self._is_sending = False
        self._unsent: set[str] = set()
        connection.execute(f"LISTEN {_channel(name)}")

    def ring(self, name: str) -> None:
        """Notify a channel now, or after the notification that is under way."""
        self._unsent.add(name)
        with suppress(psycopg.OperationalError):  # `heard` notices it.
            self._send()

    async def heard(self) -> None:
        """Return after the next notification.

        Raises:
            ConnectionError: the connection is lost.
        """
        is_rung = False
        while not is_rung:
            await anyio.wait_readable(self._driver.socket)
            try:
                self._driver.consume_input()
                self._send()
                while self._driver.notifies() is not None:
                    is_rung = True
            except psycopg.OperationalError as error:
                raise ConnectionError(str(error)) from error

    def close(self) -> None:
        """End the session."""
        self._connection.close()

    def _send(self) -> None:
        """Take the answers that are there, and send what is not sent yet if nothing is under way."""
        while self._is_sending and not self._driver.is_busy():
            self._is_sending = self._driver.get_result() is not None
        if self._unsent and not self._is_sending:
            statements = "; ".join(f"NOTIFY {_channel(name)}" for name in sorted(self._unsent))
            self._unsent.clear()
            self._is_sending = True
            self._driver.send_query(statements.encode())
            self._driver.flush()


def _channel(name: str) -> str:
    return f"dialer_{name}"


def present(connection: Connection, marks: Collection[str]) -> frozenset[str]:
    """Return the marks of sessions that are there, and of those of which the server cannot tell."""
    if not marks:
        return frozenset()
    return frozenset(row[0] for row in connection.exec_driver_sql(PRESENT, (list(marks),)))
