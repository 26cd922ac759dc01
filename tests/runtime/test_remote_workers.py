"""Tests of an API process that waits for the workers of other processes."""

from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, update

from dialer.runtime.fleet.remote_workers import RemoteWorkers
from dialer.runtime.steps.clock import RealClock
from dialer.store.database.database import Database, StorageUnavailableError
from dialer.store.database.touched import NOTHING, Touched, touch
from dialer.store.fleet.changes import announce, last_change
from dialer.store.fleet.leases import register
from dialer.store.fleet.worker_positions import is_seen_by_all, take_position
from dialer.store.tables import WorkerPosition
from tests.new_database import new_database

NOW_MS = 1_000_000


class FailingReads:
    """A database that restarts: the reads at these places fail. Before the last one, the worker sees all changes."""

    def __init__(self, database: Database, *, failing: set[int], last: int) -> None:
        self._database = database
        self._failing = failing
        self._last = last
        self._reads = 0

    async def read(self, work: Callable[[Connection], Any]) -> Any:  # noqa: ANN401 - the result of any work
        self._reads += 1
        if self._reads in self._failing:
            raise StorageUnavailableError("the database restarts")
        if self._reads == self._last:
            self._database.write_now(see_all)
        return self._database.read_now(work)


def see_all(connection: Connection) -> None:
    connection.execute(update(WorkerPosition).values(seen=last_change(connection)))
    touch(connection, NOTHING)


def have_a_worker(connection: Connection) -> None:
    take_position(connection, register(connection, "w1", NOW_MS, ""), NOW_MS)


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    """Return a database with a worker, which does not know the last change yet."""
    with closing(Database(new_database(tmp_path), synchronous="OFF", announce=announce)) as one:
        one.write_now(have_a_worker)
        one.write_now(lambda connection: touch(connection, Touched(campaigns=frozenset({1}))))
        yield one


@pytest.mark.parametrize("failing", [set(), {1}, {2}, {1, 3, 4}], ids=str)
async def test_an_answer_waits_for_the_workers_while_the_database_restarts(
    database: Database, failing: set[int]
) -> None:
    faulty: Any = FailingReads(database, failing=failing, last=6)
    workers = RemoteWorkers(faulty, RealClock(), database_ms=lambda _: NOW_MS)
    await workers.settle()
    assert database.read_now(lambda one: is_seen_by_all(one, last_change(one), NOW_MS))
