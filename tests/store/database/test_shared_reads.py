"""Tests of reads that share a snapshot: each has its own result or error, and sees all that was stored before it."""

import threading
from collections.abc import Callable, Iterator, Sequence
from contextvars import ContextVar
from pathlib import Path
from typing import Any, Final

import anyio
import anyio.lowlevel
import pytest
from sqlalchemy import Connection, event, text

from dialer.store.database.database import SHARED_READS_MAX, Database
from tests.databases import choice

Work = Callable[[Connection], Any]
WHOSE: Final = ContextVar("WHOSE", default="nobody")


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    one = Database(choice.server_url() if choice.is_postgresql() else f"sqlite:///{tmp_path}/dialer.db")
    one.write_now(lambda c: c.execute(text("CREATE TABLE note (id INTEGER PRIMARY KEY)")))
    yield one
    one.write_now(lambda c: c.execute(text("DROP TABLE note")))
    one.close()


def add(connection: Connection) -> None:
    connection.execute(text("INSERT INTO note (id) SELECT count(*) FROM note"))


def count(connection: Connection) -> int:
    return int(connection.execute(text("SELECT count(*) FROM note")).scalar_one())


def fail(_connection: Connection) -> None:
    raise LookupError


def misspell(connection: Connection) -> None:
    connection.execute(text("SELECT nothing FROM nowhere"))


async def read_behind_another(database: Database, works: Sequence[Work], meanwhile: Work | None = None) -> list[Any]:
    """Run reads that wait behind another one, and return the result or the error of each."""
    outcomes: list[Any] = [None] * len(works)
    may_go = threading.Event()

    async def read(place: int) -> None:
        WHOSE.set(f"reader {place}")
        try:
            outcomes[place] = await database.read_with_others(works[place])
        except Exception as error:  # noqa: BLE001 - an error is an outcome
            outcomes[place] = type(error).__name__

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(database.read_with_others, lambda _: may_go.wait(30))
        await anyio.lowlevel.checkpoint()
        if meanwhile is not None:
            await database.write(meanwhile)
        for place in range(len(works)):
            tasks.start_soon(read, place)
        await anyio.lowlevel.checkpoint()
        may_go.set()
    return outcomes


async def test_reads_that_wait_share_snapshots_of_a_moment_after_they_were_asked(database: Database) -> None:
    begun: list[object] = []
    event.listen(database._readers, "begin", begun.append)  # noqa: SLF001 - the only way to observe it
    outcomes = await read_behind_another(database, [count] * (2 * SHARED_READS_MAX), meanwhile=add)
    assert outcomes == [1] * (2 * SHARED_READS_MAX)
    assert len(begun) == 1 + 2


async def test_a_failed_read_gets_its_error_and_the_others_their_results(database: Database) -> None:
    outcomes = await read_behind_another(database, [count, fail, count, misspell, count, misspell, count])
    errors = {"LookupError", "StorageUnavailableError", "OperationalError", "ProgrammingError"}
    assert [one for one in outcomes if one not in errors] == [0, 0, 0, 0]
    assert outcomes[1] == "LookupError"
    assert outcomes[3] == outcomes[5]
    assert outcomes[3] in errors


async def test_each_read_keeps_the_context_of_its_caller(database: Database) -> None:
    assert await read_behind_another(database, [lambda _: WHOSE.get()] * 3) == ["reader 0", "reader 1", "reader 2"]


async def test_a_read_whose_caller_is_gone_does_not_run(database: Database) -> None:
    seen: list[str] = []
    may_go = threading.Event()
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(database.read_with_others, lambda _: may_go.wait(30))
        await anyio.lowlevel.checkpoint()
        async with anyio.create_task_group() as gone:
            gone.start_soon(database.read_with_others, lambda _: seen.append("gone"))
            await anyio.lowlevel.checkpoint()
            gone.cancel_scope.cancel()
        may_go.set()
        await database.read_with_others(lambda _: seen.append("there"))
    assert seen == ["there"]


async def test_reads_of_a_closed_place_fail_and_later_ones_do_not_wait_for_them(tmp_path: Path) -> None:
    database = Database(f"sqlite:///{tmp_path}/nowhere/dialer.db")
    outcomes = [await read_alone(database) for _ in range(2)]
    database.close()
    assert outcomes == ["StorageUnavailableError"] * 2


async def read_alone(database: Database) -> str:
    try:
        return str(await database.read_with_others(count))
    except Exception as error:  # noqa: BLE001 - an error is an outcome
        return type(error).__name__
