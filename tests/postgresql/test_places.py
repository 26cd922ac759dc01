"""Tests of the place of a process among those that serve a database, when its session ends.

A restart of the server, a failover, a cut or an administrator ends sessions of processes that live.
"""

from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, closing

import psycopg
import pytest
from sqlalchemy import Connection, text

from dialer.store.backends.backend import ServingPlace, backend_for
from dialer.store.backends.postgresql_process_lock import SessionPlace
from dialer.store.backends.process_lock import ServedError
from dialer.store.database.database import Database, StorageUnavailableError
from dialer.store.database.touched import NOTHING, touch
from dialer.store.fleet.leases import register

REFUSED = (ServedError, StorageUnavailableError)


class Server:
    """A process that serves a database, as this test sees it."""

    def __init__(self, place: ServingPlace, database: Database) -> None:
        self.place = place
        self.database = database

    def write(self) -> int:
        """Write, and return the id of the session that did it."""

        def work(unit: Connection) -> int:
            touch(unit, NOTHING)
            return int(unit.execute(text("SELECT pg_backend_pid()")).scalar_one())

        return self.database.write_now(work)


@pytest.fixture
def until_the_end() -> Iterator[ExitStack]:
    with ExitStack() as one:
        yield one


@pytest.fixture
def start(url: str, until_the_end: ExitStack) -> "Start":
    return Start(url, until_the_end)


class Start:
    """Starts servers of one database."""

    def __init__(self, url: str, until_the_end: ExitStack) -> None:
        self.url = url
        self._until_the_end = until_the_end
        self.backend = backend_for(url)

    def alone(self) -> Server:
        """Serve the database alone."""
        return self._server(self.backend.serving_alone(self.backend.synchronous_url(self.url)))

    def together(self) -> Server:
        """Serve the database together with others."""
        return self._server(self.backend.serving_together(self.backend.synchronous_url(self.url)))

    def _server(self, context: AbstractContextManager[ServingPlace]) -> Server:
        with ExitStack() as until_over:
            place = until_over.enter_context(context)
            database = until_over.enter_context(closing(Database(self.url, busy_timeout_ms=500, place=place)))
            server = Server(place, database)
            server.write()
            self._until_the_end.push(until_over.pop_all())
            return server


def end_session(server: Server) -> None:
    """End the session of a server that writes, as an administrator or a restart does."""
    pid = server.write()
    server.database.read_now(lambda unit: unit.exec_driver_sql("SELECT pg_terminate_backend(%s)", (pid,)))

    def is_there(unit: Connection) -> bool:
        return bool(unit.exec_driver_sql("SELECT 1 FROM pg_stat_activity WHERE pid = %s", (pid,)).first())

    while server.database.read_now(is_there):
        pass


def test_a_server_alone_keeps_all_others_out_while_it_writes_and_while_it_rests(start: Start) -> None:
    start.alone()
    for refused in (start.alone, start.together):
        with pytest.raises(REFUSED, match="another process serves postgresql"):
            refused()


def test_a_process_whose_session_was_ended_has_its_place_again_before_it_writes(start: Start) -> None:
    server = start.alone()
    end_session(server)
    server.write()
    with pytest.raises(REFUSED, match="already"):
        start.alone()


@pytest.mark.parametrize(("first", "then"), [("alone", "alone"), ("alone", "together"), ("together", "alone")])
def test_a_process_that_lost_its_place_to_another_writes_nothing_and_knows_why(
    start: Start, first: str, then: str
) -> None:
    server = getattr(start, first)()
    end_session(server)
    other = getattr(start, then)()
    with pytest.raises(StorageUnavailableError, match="another process"):
        server.write()
    assert "another process serves" in str(server.database.displaced)
    other.write()


@pytest.mark.parametrize(("first", "then"), [("alone", "alone"), ("alone", "together"), ("together", "alone")])
def test_a_place_is_lost_even_if_the_other_process_has_ended_since(
    start: Start, first: str, then: str, url: str
) -> None:
    """A move may have copied the database meanwhile, or other workers may have dialled."""
    server = getattr(start, first)()
    end_session(server)
    with ExitStack() as soon_over:
        getattr(Start(url, soon_over), then)()
    with pytest.raises(StorageUnavailableError, match="another process has served"):
        server.write()
    assert server.database.displaced is not None


def test_processes_that_share_a_database_do_not_displace_each_other(start: Start) -> None:
    one = start.together()
    end_session(one)
    other = start.together()
    one.write()
    end_session(other)
    start.together().write()
    other.write()
    assert one.database.displaced is other.database.displaced is None


def test_a_process_that_was_refused_displaces_nobody(start: Start) -> None:
    server, other = start.together(), start.together()
    end_session(server)
    with pytest.raises(REFUSED):
        start.alone()
    server.write()
    other.write()


def test_a_worker_with_a_lease_keeps_a_server_out_until_it_has_its_session_again(start: Start) -> None:
    """After a restart of PostgreSQL no process has its session for a moment, but workers have leases."""
    worker = start.together()

    def join(unit: Connection) -> None:
        now_ms = start.backend.now_ms(unit)
        register(unit, "w1", now_ms, "1 1")  # A session from before the restart proves nothing.

    worker.database.write_now(join)
    end_session(worker)
    with pytest.raises(REFUSED, match=r"the worker w1 may still serve .*: its lease ends in 1[45] s; stop it, or"):
        start.alone()
    worker.write()
    assert worker.database.displaced is None


def test_a_worker_whose_process_has_ended_keeps_nobody_out(start: Start) -> None:
    with closing(Database(start.url)) as database:
        gone = psycopg.connect(database.url.set(drivername="postgresql").render_as_string(hide_password=False))
        with closing(gone):
            row = gone.execute(
                "SELECT pid || ' ' || CAST(extract(epoch FROM backend_start) * 1000000 AS bigint)"
                " FROM pg_stat_get_activity(pg_backend_pid())"
            ).fetchone()
        assert row is not None
        database.write_now(lambda unit: register(unit, "w1", start.backend.now_ms(unit), row[0]))
    for _ in range(100):  # The server notices the end of a session soon.
        try:
            start.alone()
        except REFUSED:
            continue
        return
    raise AssertionError("the worker keeps its place")


async def test_an_idle_process_takes_its_place_again(start: Start) -> None:
    server = start.together()
    end_session(server)
    await server.database.keep_place()
    with pytest.raises(REFUSED):
        start.alone()


def test_a_start_that_cannot_connect_has_no_place(until_the_end: ExitStack) -> None:
    """Nothing is served without a place: the connection that writes takes it, or fails."""
    nowhere = backend_for("postgresql://").synchronous_url("postgresql://dialer@/dialer?host=/nowhere")
    place = until_the_end.enter_context(backend_for("postgresql://").serving_alone(nowhere))
    assert isinstance(place, SessionPlace)
    database = until_the_end.enter_context(closing(Database(nowhere.render_as_string(), place=place)))
    with pytest.raises(StorageUnavailableError):
        database.write_now(lambda _: None)
