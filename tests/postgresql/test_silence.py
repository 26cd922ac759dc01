"""Tests that a process which is frozen while it holds the lock of all writers does not stop the others for long."""

import threading
from collections.abc import Iterator
from contextlib import ExitStack, closing, suppress

import psycopg
import pytest
from sqlalchemy import Connection, make_url

from dialer.store.backends import postgresql_turns
from dialer.store.backends.backend import BUSY_TIMEOUT_MS
from dialer.store.backends.postgresql import without_limits
from dialer.store.backends.postgresql_rows import driver_of
from dialer.store.backends.postgresql_turns import STEP_IDLE_TIMEOUT_MS, WRITER_IDLE_TIMEOUT_MS, WRITERS
from dialer.store.database.database import Database, StorageUnavailableError
from dialer.store.database.touched import NOTHING, touch
from dialer.store.fleet.leases import LEASE_MS
from dialer.store.tables import CpsReturned

LIMIT_MS = 300
COPY = "COPY cps_returned (medium, gateway_id, cps, until_ms) FROM STDIN"


@pytest.fixture
def until_the_end() -> Iterator[ExitStack]:
    with ExitStack() as one:
        yield one


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(postgresql_turns, "WRITER_IDLE_TIMEOUT_MS", LIMIT_MS)


@pytest.fixture
def frozen(url: str, until_the_end: ExitStack) -> psycopg.Connection[object]:
    """Return the connection of a process that holds the lock of all writers."""
    found = make_url(url)
    one = psycopg.connect(host=str(found.query["host"]), user=found.username, dbname=found.database, autocommit=True)
    until_the_end.enter_context(closing(one))
    one.execute(f"BEGIN; SELECT pg_advisory_xact_lock({WRITERS})")
    return one


def beside_others(url: str, until_the_end: ExitStack, *, patience_ms: int = 3 * LIMIT_MS) -> Database:
    def announce(_unit: Connection, _touched: object) -> None:
        """Tell nobody: that there are other processes makes steps run beside each other."""

    one = Database(url, synchronous="OFF", busy_timeout_ms=patience_ms, announce=announce)
    return until_the_end.enter_context(closing(one))


def nothing(unit: Connection) -> None:
    touch(unit, NOTHING)


def rows(unit: Connection) -> int:
    return len(unit.execute(CpsReturned.__table__.select()).all())


@pytest.mark.parametrize("is_step", [True, False])
async def test_a_writer_that_is_silent_inside_a_copy_ends_before_others_lose_patience(
    url: str, frozen: psycopg.Connection[object], until_the_end: ExitStack, *, is_step: bool
) -> None:
    """No limit of the server ends it: it is active, and waits for rows."""
    database = beside_others(url, until_the_end)
    until_the_end.callback(frozen.close)
    with ExitStack() as when_it_thaws:
        copy = when_it_thaws.enter_context(frozen.cursor().copy(COPY))
        await database.write(nothing, is_step=is_step)
        copy.write_row(("voice", 1, 1, 1))
        with pytest.raises(psycopg.OperationalError):
            when_it_thaws.close()
    assert database.read_now(rows) == 0


def test_an_administrator_who_waits_for_long_looks_for_silence_meanwhile(
    url: str, frozen: psycopg.Connection[object], until_the_end: ExitStack, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The time to wait for others is a setting, and an upgrade waits for a minute."""
    monkeypatch.setattr(postgresql_turns, "LOOK_MS", LIMIT_MS)
    database = beside_others(url, until_the_end, patience_ms=600_000)
    until_the_end.enter_context(suppress(psycopg.OperationalError))
    until_the_end.enter_context(frozen.cursor().copy(COPY))
    database.write_now(nothing)


async def test_a_long_copy_that_goes_on_is_not_ended(
    url: str, frozen: psycopg.Connection[object], until_the_end: ExitStack
) -> None:
    """An import over a slow network shows progress: its rows arrive."""
    database, is_over = beside_others(url, until_the_end), threading.Event()

    def import_slowly() -> None:
        with frozen.cursor().copy(COPY) as copy:
            while not is_over.wait(0.02):
                for _ in range(1_000):
                    copy.write_row(("voice", 1, 1, 1))
        frozen.execute("COMMIT")

    importing = threading.Thread(target=import_slowly)
    importing.start()
    try:
        for _ in range(2):
            with pytest.raises(StorageUnavailableError):
                await database.write(nothing)
    finally:
        is_over.set()
        importing.join()
    assert database.read_now(rows) > 0


async def test_a_transaction_that_may_take_any_time_is_not_ended(url: str, until_the_end: ExitStack) -> None:
    """A move reads one database while it writes the other."""
    database, mover = beside_others(url, until_the_end), beside_others(url, until_the_end)

    def slow(unit: Connection) -> None:
        without_limits(unit)
        with driver_of(unit).cursor().copy(COPY) as copy:
            for _ in range(2):
                with pytest.raises(StorageUnavailableError):
                    database.write_now(nothing)
            copy.write_row(("voice", 1, 1, 1))

    mover.write_now(slow)
    assert database.read_now(rows) == 1


def test_a_writer_that_is_silent_between_two_statements_is_ended_by_the_server(database: Database) -> None:
    def limit(unit: Connection) -> int:
        touch(unit, NOTHING)
        name = "idle_in_transaction_session_timeout"
        return int(unit.exec_driver_sql("SELECT setting FROM pg_settings WHERE name = %s", (name,)).scalar_one())

    assert database.write_now(limit) == WRITER_IDLE_TIMEOUT_MS


def test_a_freeze_costs_less_than_a_lease() -> None:
    """A worker may just have begun to wait when the silence becomes too long."""
    assert max(STEP_IDLE_TIMEOUT_MS, WRITER_IDLE_TIMEOUT_MS) + BUSY_TIMEOUT_MS < LEASE_MS
