"""Tests of moving all rows into another database: from a file, and in a run on PostgreSQL to the server and back."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import anyio
import pytest
from sqlalchemy import Connection, delete, insert, select

from dialer.store.backends.backend import backend_of
from dialer.store.database.database import Database
from dialer.store.moving.move import Moved, MoveError, Tell, move
from dialer.store.tables import CpsReturned, Phonebook, SubscriberMove, User
from tests.databases.worlds import contents, live
from tests.new_database import new_database, new_file

SEED = 9
STAMPS = {"created_date": 0, "updated_date": 0}


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    """Return a service in a file, with rows in most tables, one of which gave an id and has no rows any more.

    All tests share it, as a move changes nothing in it.
    """
    with closing(Database(new_file(tmp_path_factory.mktemp("source")), synchronous="OFF")) as database:
        anyio.run(live, database, SEED)
        database.write_now(_add_people)
        yield database


@pytest.fixture
def target(tmp_path: Path) -> Iterator[Database]:
    with closing(Database(new_database(tmp_path), synchronous="OFF")) as database:
        yield database


def _add_people(unit: Connection) -> None:
    """Add a viewer, whose manager has a higher id, and a phonebook that is deleted."""
    one = {"password_hash": "-", **STAMPS}
    unit.execute(insert(User), [{"id": 901, "username": "boss", **one}])
    unit.execute(insert(User), [{"id": 900, "username": "viewer", "manager_id": 901, **one}])
    unit.execute(insert(Phonebook), [{"id": 77, "name": "book", "user_id": 901, **STAMPS}])
    unit.execute(delete(Phonebook).where(Phonebook.id == 77))


def moved(source: Database, target: Database, tell: Tell = lambda *_: None) -> Moved:
    return source.write_now(lambda old: target.write_now(lambda new: move(old, new, tell)))


def everything(database: Database) -> tuple[dict[str, list[tuple[Any, ...]]], dict[str, int]]:
    return database.read_now(lambda unit: (contents(unit), backend_of(unit).last_ids(unit)))


def test_there_and_back_gives_equal_rows_and_ids(
    source: Database, target: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dialer.store.moving.move.MOVED_ROWS", 7)
    before = everything(source)
    there = moved(source, target)
    with closing(Database(new_file(tmp_path, "back.db"))) as back:
        assert moved(target, back) == there
        assert everything(back) == everything(target) == everything(source) == before
    assert {table.name: table.rows for table in there.tables} == {name: len(rows) for name, rows in before[0].items()}
    assert before[1]["phonebook"] == 77
    assert there.audit.differing == 0


@pytest.mark.parametrize("stop", [("copied", "cdr"), ("compared", "cdr")])
def test_a_move_that_is_stopped_leaves_the_target_empty(
    source: Database, target: Database, stop: tuple[str, str]
) -> None:
    before = everything(source)

    def tell(*done: str | int) -> None:
        if done[:2] == stop:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        moved(source, target, tell)
    moved(source, target)
    assert everything(target) == everything(source) == before


def test_a_target_that_has_rows_is_refused(source: Database, target: Database) -> None:
    target.write_now(_add_people)
    before = everything(target)
    with pytest.raises(MoveError, match=r"^the target is not empty: it has rows in user_account$"):
        moved(source, target)
    assert everything(target) == before


def test_ids_that_an_empty_target_gave_before_do_not_count(source: Database, target: Database) -> None:
    target.write_now(lambda unit: unit.execute(insert(CpsReturned).values(gateway_id=1, cps=1, until_ms=1)))
    target.write_now(lambda unit: unit.execute(delete(CpsReturned)))
    moved(source, target)
    assert everything(target) == everything(source)


def test_moves_of_subscribers_are_counted_in_the_new_database(source: Database, target: Database) -> None:
    """The triggers are back: a change of a subscriber is noted."""
    moved(source, target)
    query = "UPDATE subscriber SET status = 3 - status WHERE status IN (1, 2)"
    changed = target.write_now(lambda unit: unit.exec_driver_sql(query).rowcount)
    assert changed > 0
    noted = target.read_now(lambda unit: list(unit.execute(select(SubscriberMove.__table__)).mappings()))
    left = sum(row["subscribers"] for row in noted if row["was_status"] is not None)
    joined = sum(row["subscribers"] for row in noted if row["status"] is not None)
    assert (left, joined) == (changed, changed)
