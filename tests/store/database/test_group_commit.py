"""Tests of units of work that share a commit: each has its own outcome, in order of arrival."""

import sqlite3
import threading
from collections.abc import Callable, Iterator, Sequence
from contextvars import ContextVar
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import anyio.from_thread
import anyio.lowlevel
import pytest
from sqlalchemy import Connection, event, text

from dialer.store.database.database import OutcomeUnknownError, StorageUnavailableError
from dialer.store.database.group_commit import TOGETHER_MAX
from tests.store.lossy import LossyDatabase, Lost

Work = Callable[[Connection], Any]
"""A unit of work. The units of these tests return all notes."""


@pytest.fixture
def database(tmp_path: Path) -> Iterator[LossyDatabase]:
    """Create a database with a table of unique notes."""
    one = LossyDatabase(f"sqlite:///{tmp_path}/dialer.db")
    one.write_now(lambda c: c.execute(text("CREATE TABLE note (id INTEGER PRIMARY KEY, body TEXT UNIQUE)")))
    yield one
    one.close()


def notes(connection: Connection) -> list[str]:
    return list(connection.scalars(text("SELECT body FROM note ORDER BY id")))


def adding(body: str) -> Work:
    """Return a unit of work that adds a note and returns all notes."""

    def work(connection: Connection) -> list[str]:
        connection.execute(text("INSERT INTO note (body) VALUES (:body)"), {"body": body})
        return notes(connection)

    return work


def failing(connection: Connection) -> None:
    adding("never")(connection)
    raise LookupError


class Held:
    """A unit of work that blocks the others until it is released."""

    def __init__(self) -> None:
        self.may_go = threading.Event()

    def __call__(self, connection: Connection) -> None:
        assert self.may_go.wait(30)
        adding("held")(connection)


def counted_commits(database: LossyDatabase) -> list[object]:
    """Record every commit from now on."""
    commits: list[object] = []
    event.listen(database._writer, "commit", commits.append)  # noqa: SLF001 - the only way to observe it
    return commits


async def together(
    database: LossyDatabase, works: Sequence[Work], steps: Sequence[int] = (), long: Sequence[int] = ()
) -> list[Any]:
    """Run units of work that wait behind one held unit, and return the result or the error of each."""
    outcomes: list[Any] = [None] * len(works)

    async def one(place: int) -> None:
        try:
            outcomes[place] = await database.write(works[place], is_step=place in steps, is_long=place in long)
        except Exception as error:  # noqa: BLE001 - an error is an outcome
            outcomes[place] = error

    held = Held()
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(database.write, held)
        await anyio.lowlevel.checkpoint()
        for place in range(len(works)):
            tasks.start_soon(one, place)
        await anyio.lowlevel.checkpoint()
        held.may_go.set()
    return outcomes


async def test_waiting_units_share_a_commit_and_see_earlier_writes(database: LossyDatabase) -> None:
    commits = counted_commits(database)
    outcomes = await together(database, [adding("a"), adding("b"), adding("c")])
    assert outcomes == [["held", "a"], ["held", "a", "b"], ["held", "a", "b", "c"]]
    assert database.read_now(notes) == ["held", "a", "b", "c"]
    assert len(commits) == database.write_waits.count == 2
    assert database.write_waits.seconds["turn"] > 0


async def test_each_unit_keeps_the_context_of_its_caller(database: LossyDatabase) -> None:
    languages: ContextVar[str] = ContextVar("languages", default="")
    found: dict[str, str] = {}

    async def write(language: str) -> None:
        languages.set(language)
        found[language] = await database.write(lambda _: languages.get())

    held = Held()
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(database.write, held)
        await anyio.lowlevel.checkpoint()
        for language in ("de", "fr", "es"):
            tasks.start_soon(write, language)
        await anyio.lowlevel.checkpoint()
        held.may_go.set()
    assert found == {"de": "de", "fr": "fr", "es": "es"}


async def test_a_failed_unit_gets_its_error_and_the_others_are_committed(database: LossyDatabase) -> None:
    """It raises an error, violates a constraint, or reads an unknown table."""
    unknown: Work = lambda c: (adding("never")(c), c.execute(text("SELECT * FROM nothing")))  # noqa: E731 - shorter so
    outcomes = await together(database, [adding("a"), failing, adding("a"), unknown, adding("b")])
    kinds = [type(outcome).__name__ for outcome in outcomes]
    assert kinds == ["list", "LookupError", "IntegrityError", "StorageUnavailableError", "list"]
    assert database.read_now(notes) == ["held", "a", "b"]


@pytest.mark.parametrize(("lost", "there"), [(Lost.BEFORE, []), (Lost.AFTER, ["a", "b"])])
async def test_if_the_commit_is_lost_no_unit_is_acknowledged(
    database: LossyDatabase, lost: Lost, there: list[str]
) -> None:
    """The outcome of all is unknown, also of a unit that failed: its cause may have been a lost write."""

    def lose(connection: Connection) -> None:
        adding("a")(connection)
        database.lost = lost

    outcomes = await together(database, [lose, adding("a"), adding("b")])
    assert [type(outcome) for outcome in outcomes] == [OutcomeUnknownError] * 3
    database.lost = None
    assert database.read_now(notes) == ["held", *there]
    assert await database.write(adding("later")) == ["held", *there, "later"]


async def test_a_transaction_that_is_lost_half_way_fails_for_all(database: LossyDatabase) -> None:
    """SQLite rolls back a transaction for which the disk has no room. A smaller one succeeds afterwards."""

    def fill(connection: Connection) -> None:
        pages = connection.exec_driver_sql("PRAGMA page_count").scalar_one()
        connection.exec_driver_sql(f"PRAGMA max_page_count={pages + 2}")
        connection.exec_driver_sql("PRAGMA cache_size=1")
        for place in range(50):
            adding(f"{place}" + "x" * 4_000)(connection)

    outcomes = await together(database, [adding("a"), fill, adding("b")])
    assert {type(outcome) for outcome in outcomes} <= {StorageUnavailableError, list}
    done = [body for outcome, body in zip(outcomes, ["a", "fill", "b"], strict=True) if isinstance(outcome, list)]
    assert database.read_now(notes) == ["held", *done]
    assert isinstance(outcomes[1], StorageUnavailableError)
    database.write_now(lambda c: c.exec_driver_sql("PRAGMA max_page_count=1000"))
    assert (await database.write(adding("later")))[-1] == "later"


async def test_a_transaction_that_goes_under_a_unit_takes_all_with_it(database: LossyDatabase) -> None:
    """SQLite rolls back by itself when the disk fails, so the transaction is over before its COMMIT."""

    def go_under(connection: Connection) -> None:
        connection.connection.rollback()
        raise LookupError

    outcomes = await together(database, [adding("a"), adding("a"), go_under, adding("b")])
    assert [type(outcome) for outcome in outcomes] == [StorageUnavailableError] * 4
    assert database.read_now(notes) == ["held"]
    assert await database.write(adding("later")) == ["held", "later"]


class Busy:
    """A unit of work after which another process locks the database until one writer's busy timeout is over."""

    def __init__(self, database: LossyDatabase, meanwhile: Callable[[], object] = lambda: None) -> None:
        self._is_held = False
        self._meanwhile = meanwhile
        event.listen(database._writer, "begin", self._refuse)  # noqa: SLF001 - the only way to observe it

    def __call__(self, connection: Connection) -> list[str]:
        self._is_held = True
        return notes(connection)

    def _refuse(self, _connection: Connection) -> None:
        if self._is_held:
            self._is_held = False
            self._meanwhile()
            error = sqlite3.OperationalError("database is locked")
            error.sqlite_errorcode = sqlite3.SQLITE_BUSY
            raise error


async def test_each_writer_has_its_own_busy_timeout(database: LossyDatabase) -> None:
    """The first writer has used up its busy timeout, and those behind it have just arrived."""
    outcomes = await together(database, [Busy(database), adding("a"), adding("b"), adding("c")], steps=[0])
    assert isinstance(outcomes[1], StorageUnavailableError)
    assert outcomes[2:] == [["held", "b"], ["held", "b", "c"]]
    assert database.read_now(notes) == ["held", "b", "c"]


async def test_a_writer_cancelled_before_its_transaction_begins_blocks_nobody(database: LossyDatabase) -> None:
    scope = anyio.CancelScope()

    async def impatient() -> None:
        with scope:
            await database.write(adding("never"))

    busy, held = Busy(database, lambda: anyio.from_thread.run_sync(scope.cancel)), Held()
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(database.write, held)
        await anyio.lowlevel.checkpoint()
        tasks.start_soon(partial(database.write, busy, is_step=True))
        tasks.start_soon(refused, database, adding("a"))
        tasks.start_soon(impatient)
        tasks.start_soon(database.write, adding("b"))
        await anyio.lowlevel.checkpoint()
        held.may_go.set()
    assert scope.cancelled_caught
    assert database.read_now(notes) == ["held", "b"]


async def refused(database: LossyDatabase, work: Work) -> None:
    with pytest.raises(StorageUnavailableError):
        await database.write(work)


async def test_a_transaction_is_shared_by_so_many_and_no_more(database: LossyDatabase) -> None:
    commits = counted_commits(database)
    bodies = [str(number) for number in range(TOGETHER_MAX * 2 + 1)]
    await together(database, [adding(body) for body in bodies])
    assert database.read_now(notes) == ["held", *bodies]
    assert len(commits) == 1 + 3


async def test_a_step_keeps_its_place_and_shares_with_nobody(database: LossyDatabase) -> None:
    commits, before = counted_commits(database), list[int]()
    note: Work = lambda _: before.append(len(commits))  # noqa: E731 - shorter so
    await together(database, [note, note, note, note, note], steps=[2])
    assert before == [1, 1, 2, 3, 3]


async def test_each_long_unit_has_its_own_commit_and_those_that_wait_pass_it(database: LossyDatabase) -> None:
    commits, order = counted_commits(database), list[tuple[str, int]]()

    def noting(name: str) -> Work:
        return lambda _: order.append((name, len(commits)))

    names = ("long 1", "long 2", "short 1", "step", "short 2", "long 3")
    works = [noting(name) for name in names]
    await together(database, works, steps=[3], long=[0, 1, 5])
    assert order == [("long 1", 1), ("short 1", 2), ("step", 3), ("short 2", 4), ("long 2", 5), ("long 3", 6)]


async def test_a_long_unit_waits_for_none_that_comes_after_its_turn_was_next(database: LossyDatabase) -> None:
    """Each short unit is followed by another. A long one waits only for those that were there before it."""
    order: list[str] = []
    held = Held()

    async def follow() -> None:
        for number in range(5):
            await database.write(lambda _, number=number: order.append(f"short {number}"))  # type: ignore[misc]

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(database.write, held)
        await anyio.lowlevel.checkpoint()
        tasks.start_soon(follow)
        await anyio.lowlevel.checkpoint()
        tasks.start_soon(partial(database.write, lambda _: order.append("long"), is_long=True))
        await anyio.lowlevel.checkpoint()
        held.may_go.set()
    assert order.index("long") == 1


async def test_a_long_unit_cancelled_while_it_waits_keeps_nobody(database: LossyDatabase) -> None:
    held, scope, outcomes = Held(), anyio.CancelScope(), list[Any]()

    async def give_up() -> None:
        with scope:
            await database.write(adding("never"), is_long=True)

    async def write(body: str, *, is_long: bool) -> None:
        outcomes.append(await database.write(adding(body), is_long=is_long))

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(database.write, held)
        await anyio.lowlevel.checkpoint()
        tasks.start_soon(give_up)
        tasks.start_soon(partial(write, "long", is_long=True))
        tasks.start_soon(partial(write, "short", is_long=False))
        await anyio.lowlevel.checkpoint()
        scope.cancel()
        await anyio.lowlevel.checkpoint()
        held.may_go.set()
    assert outcomes == [["held", "long"], ["held", "long", "short"]]


async def test_a_writer_cancelled_while_it_waits_writes_nothing(database: LossyDatabase) -> None:
    """It waits behind another unit, or is the next leader."""
    held = Held()
    done: list[Any] = []

    async def write(work: Work, scope: anyio.CancelScope) -> None:
        with scope:
            done.append(await database.write(work))

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(database.write, held)
        await anyio.lowlevel.checkpoint()
        scopes = [anyio.CancelScope() for _ in range(4)]
        for body, scope in zip("abcd", scopes, strict=True):
            tasks.start_soon(write, adding(body), scope)
        await anyio.lowlevel.checkpoint()
        scopes[0].cancel()
        scopes[2].cancel()
        await anyio.lowlevel.checkpoint()
        held.may_go.set()
    assert done == [["held", "b"], ["held", "b", "d"]]
    assert await database.write(adding("later")) == ["held", "b", "d", "later"]


async def test_a_writer_cancelled_once_it_leads_is_committed_with_those_behind_it(database: LossyDatabase) -> None:
    held = Held()
    scope = anyio.CancelScope()

    async def give_up() -> None:
        with scope:
            await database.write(held)

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(give_up)
        await anyio.lowlevel.checkpoint()
        scope.cancel()
        await anyio.lowlevel.checkpoint()
        held.may_go.set()
        assert await database.write(adding("a")) == ["held", "a"]
