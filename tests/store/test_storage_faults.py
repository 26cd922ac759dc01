"""Tests of a locked, full or damaged database, and of failed commits: all or nothing, then recovery."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final, TypeVar

import anyio
import anyio.lowlevel
import pytest
from sqlalchemy import Connection, Engine, text
from sqlalchemy.exc import IntegrityError

from dialer.store.database.database import Database, StorageUnavailableError

Result = TypeVar("Result")
Noting = TypeVar("Noting", bound="Watched")
PATIENCE_MS: Final = 300
MINUTE_MS: Final = 60_000
WRITERS: Final = 8
PAGE_BYTES: Final = 4_096


class Watched(Database):
    """A database that records the busy timeout of each unit of work."""

    def __init__(self, url: str, busy_timeout_ms: int = PATIENCE_MS) -> None:
        super().__init__(url, busy_timeout_ms=busy_timeout_ms)
        self.patience_ms: list[int | None] = []

    def write_now(self, work: Callable[[Connection], Result], patience_ms: int | None = None) -> Result:
        self.patience_ms.append(patience_ms)
        return super().write_now(work, patience_ms)


class Hurried(Watched):
    """A database with a busy timeout of a minute that fails at once, so slow machines do not affect the test."""

    def __init__(self, url: str) -> None:
        super().__init__(url, busy_timeout_ms=MINUTE_MS)

    @property
    def is_patient(self) -> list[bool]:
        """Return, for each unit of work, whether it would have waited for other processes."""
        return [bool(patience_ms) for patience_ms in self.patience_ms]

    def _run(self, engine: Engine, work: Callable[[Connection], Result], patience_ms: int | None = None) -> Result:
        return super()._run(engine, work, None if patience_ms is None else 0)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "dialer.db"


@pytest.fixture
def database(path: Path) -> Iterator[Watched]:
    """Create a database with a short busy timeout, a table of notes, and a table with deferred references."""
    one = _with_tables(Watched(f"sqlite:///{path}"))
    yield one
    one.close()


@pytest.fixture
def hurried(path: Path) -> Iterator[Hurried]:
    """Create a database that never waits for locks, with two tables."""
    one = _with_tables(Hurried(f"sqlite:///{path}"))
    yield one
    one.close()


def _with_tables(one: Noting) -> Noting:
    one.write_now(lambda c: c.execute(text("CREATE TABLE note (body TEXT)")))
    one.write_now(
        lambda c: c.execute(
            text(
                "CREATE TABLE pair (id INTEGER PRIMARY KEY, other_id INTEGER NOT NULL"
                " REFERENCES pair (id) DEFERRABLE INITIALLY DEFERRED)"
            )
        )
    )
    one.patience_ms.clear()
    return one


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Lock the database from another connection."""
    with closing(sqlite3.connect(path, isolation_level=None, check_same_thread=False)) as other:
        other.execute("BEGIN IMMEDIATE")
        yield
        other.execute("ROLLBACK")


def add(connection: Connection, body: str = "x") -> None:
    connection.execute(text("INSERT INTO note VALUES (:body)"), {"body": body})


def count(connection: Connection) -> int:
    return int(connection.scalar(text("SELECT count(*) FROM note")) or 0)


async def test_while_another_process_holds_it_writers_wait_and_readers_do_not(database: Database, path: Path) -> None:
    """All writes that arrive meanwhile are executed once after the lock is released."""
    with closing(Database(f"sqlite:///{path}", busy_timeout_ms=MINUTE_MS)) as patient:
        async with anyio.create_task_group() as tasks:
            with locked(path):
                for _ in range(WRITERS):
                    tasks.start_soon(patient.write, add)
                for _ in range(WRITERS):
                    await anyio.lowlevel.checkpoint()
                assert await database.read(count) == 0
        assert await database.read(count) == WRITERS


async def test_a_writer_behind_others_waits_no_longer_than_they_do(database: Watched, path: Path) -> None:
    """If each writer's timeout began at its turn, eight writers would wait eight times as long."""
    refused: list[str] = []

    async def write() -> None:
        try:
            await database.write(add)
        except StorageUnavailableError as error:
            refused.append(str(error))

    with locked(path):
        async with anyio.create_task_group() as tasks:
            for _ in range(WRITERS):
                tasks.start_soon(write)
    assert refused == ["database is locked"] * WRITERS
    first, *others = (patience_ms or 0 for patience_ms in database.patience_ms)
    assert first <= PATIENCE_MS
    assert max(others) <= PATIENCE_MS // 10
    await database.write(add)
    assert await database.read(count) == 1


async def test_after_a_failure_a_probe_says_whether_it_works_again(hurried: Hurried, path: Path) -> None:
    """The probe writes only after a failure and while nobody else writes, and does not wait."""
    assert await hurried.is_writable(add)
    with locked(path):
        assert await hurried.is_writable(add)
        await _fail(hurried)
        assert not await hurried.is_writable(add)
        assert hurried.is_patient == [True, False]
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(_fail, hurried)
            await anyio.lowlevel.checkpoint()
            assert not await hurried.is_writable(add)
        assert hurried.is_patient == [True, False, True]
    assert await hurried.is_writable(add)
    assert await hurried.is_writable(add)
    assert hurried.is_patient == [True, False, True, False]
    assert await hurried.read(count) == 1


async def _fail(database: Database) -> None:
    with pytest.raises(StorageUnavailableError):
        await database.write(add)


def test_a_commit_that_fails_leaves_nothing_and_the_next_one_works(database: Database) -> None:
    """A deferred reference fails only at COMMIT."""

    def work(connection: Connection) -> None:
        add(connection)
        connection.execute(text("INSERT INTO pair VALUES (1, 2)"))

    with pytest.raises(IntegrityError):
        database.write_now(work)
    assert database.read_now(count) == 0
    database.write_now(add)
    assert database.read_now(count) == 1


def test_a_full_disk_leaves_nothing_and_what_fits_later_is_written(database: Database) -> None:
    def limit(connection: Connection, pages: int) -> None:
        connection.exec_driver_sql(f"PRAGMA max_page_count={pages}")

    def work(connection: Connection) -> None:
        for _ in range(100):
            add(connection, "x" * PAGE_BYTES)

    database.write_now(lambda connection: limit(connection, 10))
    for _ in range(2):
        with pytest.raises(StorageUnavailableError, match="database or disk is full"):
            database.write_now(work)
        assert database.read_now(count) == 0
    database.write_now(lambda connection: limit(connection, 1_000))
    database.write_now(work)
    assert database.read_now(count) == 100
    assert database.read_now(lambda c: c.exec_driver_sql("PRAGMA integrity_check").scalar_one()) == "ok"


def test_a_damaged_page_is_a_storage_error(database: Database, path: Path) -> None:
    for _ in range(50):
        database.write_now(lambda c: add(c, "x" * PAGE_BYTES))
    database.close()
    content = path.read_bytes()
    path.write_bytes(content[: 4 * PAGE_BYTES] + b"\xa5" * (len(content) - 4 * PAGE_BYTES))
    again = Database(f"sqlite:///{path}")
    with pytest.raises(StorageUnavailableError, match="malformed"):
        again.read_now(lambda c: c.execute(text("SELECT body FROM note")).all())
    again.close()


def test_an_empty_write_proves_nothing(database: Watched, path: Path) -> None:
    """An empty commit succeeds on a full disk."""
    with locked(path), pytest.raises(StorageUnavailableError):
        database.write_now(add)
    database.write_now(count)
    database.patience_ms.clear()
    assert anyio.run(database.is_writable, add)
    assert database.patience_ms == [0]
