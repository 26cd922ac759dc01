"""Tests of the cache of counts: a count is the one of the snapshot, and dialling keeps those that it cannot change."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import Connection, text

from dialer.store.database.count_cache import count_once
from dialer.store.database.database import Database
from tests.databases.choice import restore, save


class Counting:
    """Counts of one table, and how often they were taken."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self.taken = 0

    def count(self, *, users_alone_change_it: bool) -> int:
        """Return the number of rows, as a list of records would."""

        def work(connection: Connection) -> int:
            def take() -> int:
                self.taken += 1
                return int(connection.scalar(text("SELECT count(*) FROM thing")) or 0)

            return count_once(connection, "things", take, users_alone_change_it=users_alone_change_it)

        return self._database.read_now(work)


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    one = Database(f"sqlite:///{tmp_path / 'dialer.db'}")
    one.write_now(lambda c: c.execute(text("CREATE TABLE thing (id INTEGER PRIMARY KEY)")))
    yield one
    one.close()


def add(connection: Connection) -> None:
    """Add a row."""
    connection.execute(text("INSERT INTO thing DEFAULT VALUES"))


@pytest.mark.parametrize("users_alone_change_it", [False, True])
def test_a_count_is_taken_again_after_a_change(database: Database, users_alone_change_it: bool) -> None:  # noqa: FBT001
    counting = Counting(database)
    seen = []
    for _ in range(3):
        database.write_now(add)
        seen += [counting.count(users_alone_change_it=users_alone_change_it) for _ in range(2)]
    assert (seen, counting.taken) == ([1, 1, 2, 2, 3, 3], 3)


def test_a_change_of_another_process_counts(database: Database, tmp_path: Path) -> None:
    counting = Counting(database)
    before = counting.count(users_alone_change_it=True)
    beside = Database(f"sqlite:///{tmp_path / 'dialer.db'}")
    beside.write_now(add)
    beside.close()
    assert (before, counting.count(users_alone_change_it=True)) == (0, 1)


def test_a_change_that_fails_is_not_counted(database: Database) -> None:
    def fail(connection: Connection) -> None:
        add(connection)
        raise LookupError

    counting = Counting(database)
    counting.count(users_alone_change_it=True)
    with pytest.raises(LookupError):
        database.write_now(fail)
    assert (counting.count(users_alone_change_it=True), counting.taken) == (0, 1)


async def test_steps_of_the_worker_keep_counts_that_users_alone_change(database: Database) -> None:
    calm, busy = Counting(database), Counting(database)
    for _ in range(3):
        await database.write(add, is_step=True)
        calm.count(users_alone_change_it=True)
        busy.count(users_alone_change_it=False)
    assert (calm.taken, busy.taken) == (1, 3)


def test_a_count_of_an_earlier_test_is_not_kept(database: Database, tmp_path: Path) -> None:
    """As many changes as before the rows were replaced do not make an earlier count right."""
    saved, counting = save(database, tmp_path / "saved.db"), Counting(database)

    def add_two(connection: Connection) -> None:
        add(connection)
        add(connection)

    database.write_now(add_two)
    before = counting.count(users_alone_change_it=True)
    restore(database, saved)
    database.write_now(add)
    assert (before, counting.count(users_alone_change_it=True)) == (2, 1)
