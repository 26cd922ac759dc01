"""Tests of units of work: all or nothing, one writer at a time, readers undisturbed."""

from collections.abc import Iterator
from pathlib import Path

import anyio
import pytest
from sqlalchemy import Connection, text

from dialer.store.database.database import Database, StorageUnavailableError


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    """Create a database with one table of one column."""
    one = Database(f"sqlite+aiosqlite:///{tmp_path / 'dialer.db'}")
    one.write_now(lambda c: c.execute(text("CREATE TABLE purse (amount INTEGER)")))
    one.write_now(lambda c: c.execute(text("INSERT INTO purse VALUES (100)")))
    yield one
    one.close()


def amount(connection: Connection) -> int:
    """Return the stored amount."""
    return int(connection.scalar(text("SELECT amount FROM purse")) or 0)


def test_a_unit_that_fails_leaves_nothing(database: Database) -> None:
    """Its writes before the failure are undone, and the next unit works."""

    def work(connection: Connection) -> None:
        connection.execute(text("UPDATE purse SET amount = 0"))
        message = "no"
        raise LookupError(message)

    with pytest.raises(LookupError):
        database.write_now(work)
    assert database.read_now(amount) == 100


async def test_writers_take_turns(database: Database) -> None:
    """Fifty writers each spend 3 of 100 if it is left. Exactly 33 succeed, because no read is stale at its write."""

    def spend(connection: Connection) -> bool:
        there = amount(connection)
        if there < 3:
            return False
        connection.execute(text("UPDATE purse SET amount = :rest"), {"rest": there - 3})
        return True

    done: list[bool] = []

    async def one() -> None:
        done.append(await database.write(spend))

    async with anyio.create_task_group() as tasks:
        for _ in range(50):
            tasks.start_soon(one)
    assert (done.count(True), await database.read(amount)) == (33, 1)


def test_a_reader_sees_what_was_there_when_it_began(database: Database) -> None:
    """A write that is committed meanwhile is invisible."""

    def work(connection: Connection) -> list[int]:
        before = amount(connection)
        database.write_now(lambda c: c.execute(text("UPDATE purse SET amount = 7")))
        return [before, amount(connection)]

    assert database.read_now(work) == [100, 100]
    assert database.read_now(amount) == 7


def test_a_database_that_cannot_be_opened_says_so(tmp_path: Path) -> None:
    """The error is `StorageUnavailableError`, independent of the driver's."""
    with pytest.raises(StorageUnavailableError):
        Database(f"sqlite+aiosqlite:///{tmp_path / 'missing' / 'dialer.db'}").read_now(amount)
