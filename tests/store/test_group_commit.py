"""Units of work that share a commit: each has its own outcome, in the order in which they came."""

import sqlite3
import threading
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import anyio.from_thread
import anyio.lowlevel
import pytest
from sqlalchemy import Connection, event, text

from dialer.store.database import OutcomeUnknownError, StorageUnavailableError
from dialer.store.group_commit import TOGETHER_MAX
from tests.store.lossy import LossyDatabase, Lost

Work = Callable[[Connection], Any]
"""A unit of work; those here return the notes that are there."""


@pytest.fixture
def database(tmp_path: Path) -> Iterator[LossyDatabase]:
    """A database with a table of notes, no two of them the same."""
    one = LossyDatabase(f"sqlite:///{tmp_path}/dialer.db")
    one.write_now(lambda c: c.execute(text("CREATE TABLE note (id INTEGER PRIMARY KEY, body TEXT UNIQUE)")))
    yield one
    one.close()


def notes(connection: Connection) -> list[str]:
    return list(connection.scalars(text("SELECT body FROM note ORDER BY id")))


def adding(body: str) -> Work:
    """Adds a note, and returns all that are there then."""

    def work(connection: Connection) -> list[str]:
        connection.execute(text("INSERT INTO note (body) VALUES (:body)"), {"body": body})
        return notes(connection)

    return work


def failing(connection: Connection) -> None:
    adding("never")(connection)
    raise LookupError


class Held:
    """A unit of work that others wait behind until it is let go."""

    def __init__(self) -> None:
        self.may_go = threading.Event()

    def __call__(self, connection: Connection) -> None:
        assert self.may_go.wait(30)
        adding("held")(connection)


def counted_commits(database: LossyDatabase) -> list[object]:
    """Every commit of a unit of work from now on."""
    commits: list[object] = []
    event.listen(database._writer, "commit", commits.append)  # noqa: SLF001 - no other way to be there
    return commits


async def together(database: LossyDatabase, works: Sequence[Work], alone: Sequence[int] = ()) -> list[Any]:
    """What each came to, its result or its error, after they have waited for the same unit to end."""
    outcomes: list[Any] = [None] * len(works)

    async def one(place: int) -> None:
        try:
            outcomes[place] = await database.write(works[place], alone=place in alone)
        except Exception as error:  # noqa: BLE001 - that is its outcome
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


async def test_who_waits_for_the_same_commit_shares_it_and_sees_who_came_before(database: LossyDatabase) -> None:
    commits = counted_commits(database)
    outcomes = await together(database, [adding("a"), adding("b"), adding("c")])
    assert outcomes == [["held", "a"], ["held", "a", "b"], ["held", "a", "b", "c"]]
    assert database.read_now(notes) == ["held", "a", "b", "c"]
    assert len(commits) == 2


async def test_one_that_fails_is_told_so_and_the_others_are_there(database: LossyDatabase) -> None:
    """Whether it gives up by itself, is refused by a rule of the table, or asks for what is not there."""
    unknown: Work = lambda c: (adding("never")(c), c.execute(text("SELECT * FROM nothing")))  # noqa: E731 - shorter so
    outcomes = await together(database, [adding("a"), failing, adding("a"), unknown, adding("b")])
    kinds = [type(outcome).__name__ for outcome in outcomes]
    assert kinds == ["list", "LookupError", "IntegrityError", "StorageUnavailableError", "list"]
    assert database.read_now(notes) == ["held", "a", "b"]


@pytest.mark.parametrize(("lost", "there"), [(Lost.BEFORE, []), (Lost.AFTER, ["a", "b"])])
async def test_where_the_commit_is_lost_nobody_is_told_that_it_was_done(
    database: LossyDatabase, lost: Lost, there: list[str]
) -> None:
    """Nor that it was not; who failed before may have done so because of what is not there now."""

    def lose(connection: Connection) -> None:
        adding("a")(connection)
        database.lost = lost

    outcomes = await together(database, [lose, adding("a"), adding("b")])
    assert [type(outcome) for outcome in outcomes] == [OutcomeUnknownError] * 3
    database.lost = None
    assert database.read_now(notes) == ["held", *there]
    assert await database.write(adding("later")) == ["held", *there, "later"]


async def test_a_transaction_that_is_lost_half_way_is_nobodys(database: LossyDatabase) -> None:
    """SQLite itself gives up a transaction for which there is no room; what fits is done afterwards."""

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
    """What SQLite does by itself when the disk fails: the transaction is over before its COMMIT."""

    def go_under(connection: Connection) -> None:
        connection.connection.rollback()
        raise LookupError

    outcomes = await together(database, [adding("a"), adding("a"), go_under, adding("b")])
    assert [type(outcome) for outcome in outcomes] == [StorageUnavailableError] * 4
    assert database.read_now(notes) == ["held"]
    assert await database.write(adding("later")) == ["held", "later"]


class Busy:
    """A unit of work after which another process holds the database, until the patience of one writer is over."""

    def __init__(self, database: LossyDatabase, meanwhile: Callable[[], object] = lambda: None) -> None:
        self._is_held = False
        self._meanwhile = meanwhile
        event.listen(database._writer, "begin", self._refuse)  # noqa: SLF001 - no other way to be there

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


async def test_nobody_is_refused_for_anothers_impatience(database: LossyDatabase) -> None:
    """The first of them has waited long enough; those behind it have just come."""
    outcomes = await together(database, [Busy(database), adding("a"), adding("b"), adding("c")], alone=[0])
    assert isinstance(outcomes[1], StorageUnavailableError)
    assert outcomes[2:] == [["held", "b"], ["held", "b", "c"]]
    assert database.read_now(notes) == ["held", "b", "c"]


async def test_who_gives_up_while_a_transaction_does_not_begin_keeps_nobody_waiting(database: LossyDatabase) -> None:
    scope = anyio.CancelScope()

    async def impatient() -> None:
        with scope:
            await database.write(adding("never"))

    busy, held = Busy(database, lambda: anyio.from_thread.run_sync(scope.cancel)), Held()
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(database.write, held)
        await anyio.lowlevel.checkpoint()
        tasks.start_soon(partial(database.write, busy, alone=True))
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


async def test_one_that_is_alone_keeps_its_place_and_shares_with_nobody(database: LossyDatabase) -> None:
    commits, before = counted_commits(database), list[int]()
    note: Work = lambda _: before.append(len(commits))  # noqa: E731 - shorter so
    await together(database, [note, note, note, note, note], alone=[2])
    assert before == [1, 1, 2, 3, 3]


async def test_who_gives_up_while_it_waits_never_happened(database: LossyDatabase) -> None:
    """Whether it waits behind another, or was to be the next to lead."""
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


async def test_who_gives_up_once_it_leads_is_done_with_those_behind_it(database: LossyDatabase) -> None:
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
