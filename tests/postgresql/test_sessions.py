"""Tests of sessions that last as long as a process: they show that it lives, and processes wake each other by them."""

from collections.abc import Iterator
from contextlib import ExitStack, closing
from typing import Any

import anyio
import psycopg
import pytest

from dialer.runtime.fleet.notifications import CHANGED, SEEN, Notifications
from dialer.store.backends import postgresql as backend
from dialer.store.backends.backend import Notifier
from dialer.store.database.database import Database


@pytest.fixture
def until_the_end() -> Iterator[ExitStack]:
    with ExitStack() as one:
        yield one


def end_session(database: Database, pid: int) -> None:
    """End a session, as an administrator or a cut connection does."""
    database.read_now(lambda connection: connection.exec_driver_sql("SELECT pg_terminate_backend(%s)", (pid,)))


def driver(thing: Any) -> psycopg.Connection[Any]:  # noqa: ANN401 - a session or a bell
    found: psycopg.Connection[Any] = thing._connection  # noqa: SLF001 - to end it from outside
    return found


async def open_notifier(database: Database, name: str, until_the_end: ExitStack) -> Notifier:
    notifier = await database.open_notifier(name)
    assert notifier is not None
    return until_the_end.enter_context(closing(notifier))


async def test_a_ring_is_heard_by_those_who_listen_to_its_name(database: Database, until_the_end: ExitStack) -> None:
    worker = await open_notifier(database, CHANGED, until_the_end)
    api = await open_notifier(database, SEEN, until_the_end)
    for _ in range(3):
        for _ in range(5):  # Rings that cannot be sent at once are sent together.
            api.ring(CHANGED)
        with anyio.fail_after(30):
            await worker.heard()
        worker.ring(SEEN)
        with anyio.fail_after(30):
            await api.heard()


async def test_whoever_listens_learns_that_the_connection_is_lost(database: Database, until_the_end: ExitStack) -> None:
    notifier = await open_notifier(database, CHANGED, until_the_end)
    end_session(database, driver(notifier).info.backend_pid)
    with anyio.fail_after(30), pytest.raises(ConnectionError):
        await notifier.heard()
    notifier.ring(SEEN)


async def test_a_process_that_waits_is_woken(database: Database, beside: Database) -> None:
    listens, rings = Notifications(database, CHANGED), Notifications(beside, SEEN)
    async with listens.listening(), rings.listening():
        with anyio.fail_after(30):
            ring = listens.next()
            while not await listens.wait(ring, deaf_s=0, hearing_s=0.1):
                rings.ring(CHANGED)  # Until both have opened their connections.
    assert ring.is_set()


def test_a_session_is_seen_until_it_ends_and_knows_it(database: Database) -> None:
    with closing(backend.open_presence(database.url)) as one, closing(backend.open_presence(database.url)) as other:
        marks = {one.mark, other.mark}
        assert database.read_now(lambda connection: backend.present(connection, marks)) == marks
        end_session(database, driver(one).info.backend_pid)
        while not one.is_lost():
            pass
        assert not other.is_lost()
        while database.read_now(lambda connection: backend.present(connection, marks)) != {other.mark}:
            pass


def test_a_restart_of_the_server_proves_nothing(database: Database) -> None:
    """A session that began before the server did may belong to a process that lives."""
    before, never = "1 1", "1 99999999999999999"
    assert database.read_now(lambda connection: backend.present(connection, {before, never})) == {before}
