"""The place of a process among those that serve a PostgreSQL database.

It is a lock of the session that writes. So a process that has lost its place, because its session was ended, writes
nothing before it has a new session, and with it the place again. The table `served` counts who has taken a place. By it
a process notices that another one has served the database since its own session ended.
"""

from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from typing import Any, Final

import psycopg

from dialer.store.backends.postgresql_fitness import check_sessions
from dialer.store.backends.postgresql_sessions import PRESENT
from dialer.store.backends.postgresql_turns import WRITERS
from dialer.store.backends.process_lock import DisplacedError, ServedError

_SERVER: Final = WRITERS + 1
"""Key of the advisory lock of the processes that serve the database."""
_LEASES: Final = """
    SELECT name, mark, lease_until_ms - now_ms FROM fleet_worker,
    (SELECT CAST(extract(epoch FROM clock_timestamp()) * 1000 AS bigint) AS now_ms) AS clock
    WHERE lease_until_ms > now_ms ORDER BY id
"""
_SECOND_MS: Final = 1_000


class SessionPlace:
    """The right of this process to serve a PostgreSQL database, alone or together with others."""

    def __init__(self, shown: str, *, is_alone: bool) -> None:
        self._shown: Final = shown
        self._is_alone: Final = is_alone
        self._kind: Final = "" if is_alone else "_shared"
        self._known: tuple[int, int] | None = None
        """Numbers of places taken alone, and together, as this process knows them; None until it has taken its own."""
        self._first: psycopg.Connection[Any] | None = None

    def take(self, driver: psycopg.Connection[Any]) -> None:
        """Take the place for a new session that writes."""
        self.give_up_first()
        self._lock(driver)
        if self._known is None and self._is_alone:
            self._refuse_leases(driver)
        taken = self._count(driver)
        if self._known is not None and not self._is_expected(taken):
            raise DisplacedError(
                f"another process has served {self._shown} since this one lost its connection to the database"
            )
        self._known = taken

    def check(self) -> None:
        """Do nothing: a transaction holds the right by its session."""

    def try_first(self, connection: psycopg.Connection[Any]) -> None:
        """Hold the place with a first session, until another one that writes takes it."""
        self._first = connection
        self._lock(connection)

    def give_up_first(self) -> None:
        """End the first session, with its lock."""
        first, self._first = self._first, None
        if first is not None:
            with suppress(psycopg.Error), closing(first):
                # The server notices the end of a session later.
                first.execute(f"SELECT pg_advisory_unlock{self._kind}(%s)", (_SERVER,))

    def _lock(self, driver: psycopg.Connection[Any]) -> None:
        found = driver.execute(f"SELECT pg_try_advisory_lock{self._kind}(%s)", (_SERVER,)).fetchone()
        if found is None or not found[0]:
            if self._known is not None and not self._is_expected(_counts(driver)):
                raise DisplacedError(f"another process serves {self._shown} since this one lost its connection to it")
            raise ServedError(f"another process serves {self._shown} {'already' if self._is_alone else 'alone'}")

    def _is_expected(self, taken: tuple[int, int]) -> bool:
        """Return whether nobody has taken a place since this process did, that excludes its own."""
        if self._known is None:
            return True
        return taken[0] == self._known[0] and (taken[1] == self._known[1] or not self._is_alone)

    def _refuse_leases(self, driver: psycopg.Connection[Any]) -> None:
        """Raise ServedError if a worker may be alive. It has no session for a moment after a restart of the server."""
        leases = driver.execute(_LEASES).fetchall()
        marks = {mark for _, mark, _ in leases if mark}
        here = {row[0] for row in driver.execute(PRESENT, (list(marks),))}
        for name, mark, left_ms in leases:
            if not mark or mark in here:
                raise ServedError(
                    f"the worker {name} may still serve {self._shown}: its lease ends in"
                    f" {-(-left_ms // _SECOND_MS)} s; stop it, or try again then"
                )

    def _count(self, driver: psycopg.Connection[Any]) -> tuple[int, int]:
        """Count this place, unless this process has counted it before. Return the counts."""
        if self._known is None:
            column = "alone" if self._is_alone else "together"
            driver.execute(f"UPDATE served SET {column} = {column} + 1")  # noqa: S608 - our own names
        return _counts(driver)


def _counts(driver: psycopg.Connection[Any]) -> tuple[int, int]:
    row = driver.execute("SELECT alone, together FROM served").fetchone()
    return (0, 0) if row is None else (row[0], row[1])


@contextmanager
def serving(given: dict[str, Any], shown: str, *, is_alone: bool) -> Iterator[SessionPlace]:
    """Hold the lock of this process by a first session, until the connection that writes takes it over.

    Raises:
        ServedError: another process has a place that excludes this one.
        UnfitDatabaseError: the server's sessions exclude nobody.
    """
    place = SessionPlace(shown, is_alone=is_alone)
    try:
        # Opening the database fails, too, and says why.
        with suppress(psycopg.Error):
            check_sessions(given)
            place.try_first(psycopg.connect(**given, autocommit=True))
        yield place
    finally:
        place.give_up_first()
