"""Fitness of a PostgreSQL database: it keeps what is committed, orders texts by bytes, and its sessions are real."""

import secrets
from contextlib import ExitStack, closing
from typing import Any, Final

import psycopg
from sqlalchemy import Connection

from dialer.store.backends.backend import UnfitDatabaseError

_OLDEST: Final = 130_000
_ROUNDS: Final = 5
"""Number of times that two sessions are compared: a pooler may give both their own connection for a while."""
_KEY_BITS: Final = 62
_LOCK: Final = "SELECT pg_backend_pid(), pg_try_advisory_lock(%s)"


def check_fitness(connection: Connection) -> None:
    """Check that commits are kept, and that texts are UTF-8 and ordered by their bytes.

    Raises:
        UnfitDatabaseError: it is otherwise.
    """
    shown = connection.exec_driver_sql(
        "SELECT current_database(), pg_encoding_to_char(encoding), datcollate, current_setting('server_version_num'),"
        " current_setting('fsync'), current_setting('full_page_writes'), current_setting('synchronous_commit')"
        " FROM pg_database WHERE datname = current_database()"
    ).one()
    name, encoding, collation, number, *durable = shown
    if int(number) < _OLDEST:
        raise UnfitDatabaseError(f"the server is PostgreSQL {int(number) // 10_000}: dialer needs 13 or newer")
    if encoding != "UTF8" or collation not in {"C", "POSIX"}:
        raise UnfitDatabaseError(
            f"the database {name} has encoding {encoding} and collation {collation}, and dialer needs UTF8 and C:"
            f" CREATE DATABASE {name} TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C'"
        )
    for setting, value in zip(("fsync", "full_page_writes", "synchronous_commit"), durable, strict=True):
        if value == "off":
            raise UnfitDatabaseError(
                f"the server's setting {setting} is off, so commits may be lost, and callees called twice: set it to on"
            )


def check_sessions(given: dict[str, Any]) -> None:
    """Check that each connection has a session of its own, and that a lock of one excludes others.

    `given` are the arguments that connect to the server. Behind a pooler in transaction mode two connections share a
    session. Other servers that speak the protocol, such as CockroachDB, give every session the lock.

    Raises:
        UnfitDatabaseError: it is otherwise.
        psycopg.Error: the server does not answer.
    """
    with ExitStack() as until_done:
        one, other = (until_done.enter_context(closing(psycopg.connect(**given, autocommit=True))) for _ in range(2))
        key = secrets.randbits(_KEY_BITS)
        pid, _ = _row(one, _LOCK, key)
        for _ in range(_ROUNDS):
            # A transaction keeps its connection of the pooler, so that the other one needs another.
            with other.transaction():
                other_pid, is_locked = _row(other, _LOCK, key)
                own_pid, _ = _row(one, _LOCK, key)
            if pid > 0 and (other_pid == pid or own_pid != pid):  # Servers that are no PostgreSQL may give no number.
                raise UnfitDatabaseError(
                    "the database is reached through a pooler in transaction mode, such as PgBouncer, and dialer needs"
                    " sessions of its own: set pool_mode = session, or use the port of PostgreSQL itself"
                )
            if is_locked:
                raise UnfitDatabaseError(
                    "two sessions of the server hold the same advisory lock, so nothing would keep two processes from"
                    " dialling the same people: use PostgreSQL itself, not a server that is like it"
                )


def _row(connection: psycopg.Connection[Any], query: str, key: int) -> tuple[Any, ...]:
    row: tuple[Any, ...] | None = connection.execute(query, (key,), prepare=False).fetchone()
    if row is None:
        raise psycopg.OperationalError("the server gave no answer")
    return row
