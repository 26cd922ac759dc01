"""Units of work: all or nothing, one writer at a time, readers undisturbed."""

from collections.abc import Iterator
from pathlib import Path

import anyio
import pytest
from sqlalchemy import Connection, text

from dialer.store.database import Database, StorageUnavailableError


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    """A database with one table of one column."""
    one = Database(f"sqlite+aiosqlite:///{tmp_path / 'dialer.db'}")
    one.write_now(lambda c: c.execute(text("CREATE TABLE purse (amount INTEGER)")))
    one.write_now(lambda c: c.execute(text("INSERT INTO purse VALUES (100)")))
    yield one
    one.close()


def amount(connection: Connection) -> int:
    """What is in the purse."""
    return int(connection.scalar(text("SELECT amount FROM purse")) or 0)


def test_a_unit_that_fails_leaves_nothing(database: Database) -> None:
    """What it wrote before it failed is not there, and the next unit works."""

    def work(connection: Connection) -> None:
        connection.execute(text("UPDATE purse SET amount = 0"))
        message = "no"
        raise LookupError(message)

    with pytest.raises(LookupError):
        database.write_now(work)
    assert database.read_now(amount) == 100


async def test_writers_take_turns(database: Database) -> None:
    """Fifty spend 3 each of 100, each only if it is there: 33 can, and what they read is true when they write."""

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
    """A write that is committed meanwhile does not show."""

    def work(connection: Connection) -> list[int]:
        before = amount(connection)
        database.write_now(lambda c: c.execute(text("UPDATE purse SET amount = 7")))
        return [before, amount(connection)]

    assert database.read_now(work) == [100, 100]
    assert database.read_now(amount) == 7


def test_a_database_that_cannot_be_opened_says_so(tmp_path: Path) -> None:
    """One error, whatever the driver calls it."""
    with pytest.raises(StorageUnavailableError):
        Database(f"sqlite+aiosqlite:///{tmp_path / 'missing' / 'dialer.db'}").read_now(amount)
