"""Tests of the records that commits have touched; everything if that is unknown."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import Connection, text

from dialer.store.database.database import OutcomeUnknownError
from dialer.store.database.touched import EVERYTHING, NOTHING, TOUCHED_MAX, Touched, touch
from tests.store.database.test_group_commit import together
from tests.store.lossy import LossyDatabase, Lost

ONE: Final = Touched(campaigns=frozenset({1}), accounts=frozenset({7}))
TWO: Final = Touched(campaigns=frozenset({2}))
Work = Callable[[Connection], None]


@pytest.fixture
def database(tmp_path: Path) -> Iterator[LossyDatabase]:
    """Create a database with a table of notes, and forget the records touched so far."""
    one = LossyDatabase(f"sqlite:///{tmp_path}/dialer.db")
    one.write_now(lambda c: c.execute(text("CREATE TABLE note (id INTEGER PRIMARY KEY, body TEXT UNIQUE)")))
    assert one.write_now(one.take_touched) == EVERYTHING  # The creation has touched everything.
    yield one
    one.close()


def add(connection: Connection) -> None:
    connection.execute(text("INSERT INTO note DEFAULT VALUES"))


def adding(touched: Touched) -> Work:
    """Return a unit of work that writes a row and states the touched records."""

    def work(connection: Connection) -> None:
        add(connection)
        touch(connection, touched)

    return work


def failing(touched: Touched) -> Work:
    """Return a unit of work that writes a row, states the touched records, and fails."""

    def work(connection: Connection) -> None:
        adding(touched)(connection)
        raise LookupError

    return work


def test_commits_add_up_until_they_are_taken(database: LossyDatabase) -> None:
    database.write_now(adding(ONE))
    database.write_now(adding(NOTHING))
    database.write_now(adding(TWO))
    assert database.write_now(database.take_touched) == ONE | TWO
    assert database.write_now(database.take_touched) == NOTHING


def test_a_write_without_a_statement_has_touched_everything(database: LossyDatabase) -> None:
    database.write_now(adding(ONE))
    database.write_now(add)
    assert database.write_now(database.take_touched) == EVERYTHING


def test_a_unit_that_writes_nothing_has_touched_nothing(database: LossyDatabase) -> None:
    database.write_now(lambda connection: connection.execute(text("SELECT * FROM note")).all())
    database.write_now(lambda connection: connection.execute(text("UPDATE note SET body = ''")))
    assert database.write_now(database.take_touched) == NOTHING


def test_a_failed_unit_has_touched_nothing(database: LossyDatabase) -> None:
    """The next unit of work on the connection does not inherit its statement."""
    with pytest.raises(LookupError):
        database.write_now(failing(ONE))
    assert database.write_now(database.take_touched) == NOTHING
    database.write_now(add)
    assert database.write_now(database.take_touched) == EVERYTHING


async def test_each_successful_unit_of_a_shared_commit_counts(database: LossyDatabase) -> None:
    """The first unit takes the touched records, so that the held unit does not count."""
    works = [database.take_touched, adding(ONE), failing(EVERYTHING), adding(TWO)]
    outcomes = await together(database, works)
    assert [type(outcome) for outcome in outcomes] == [Touched, type(None), LookupError, type(None)]
    assert database.write_now(database.take_touched) == ONE | TWO


async def test_a_unit_without_a_statement_counts_in_a_shared_commit(database: LossyDatabase) -> None:
    await together(database, [database.take_touched, adding(ONE), add, adding(TWO)])
    assert database.write_now(database.take_touched) == EVERYTHING


@pytest.mark.parametrize("lost", Lost)
def test_a_commit_that_was_lost_has_touched_everything(database: LossyDatabase, lost: Lost) -> None:
    database.lost = lost
    with pytest.raises(OutcomeUnknownError):
        database.write_now(adding(ONE))
    database.lost = None
    assert database.write_now(database.take_touched) == EVERYTHING
    assert database.write_now(database.take_touched) == NOTHING


def test_another_process_has_touched_everything(database: LossyDatabase) -> None:
    with closing(sqlite3.connect(str(database.url.database))) as other:
        other.execute("INSERT INTO note DEFAULT VALUES")
        other.commit()
    database.write_now(adding(ONE))
    assert database.write_now(database.take_touched) == EVERYTHING
    assert database.write_now(database.take_touched) == NOTHING


def test_a_new_connection_does_not_know_earlier_writes_of_others(database: LossyDatabase) -> None:
    database.close()
    assert database.write_now(database.take_touched) == EVERYTHING


def test_too_many_records_are_everything() -> None:
    most = Touched(queues=frozenset(range(TOUCHED_MAX)))
    assert most | NOTHING == most
    assert most | Touched(queues=frozenset({TOUCHED_MAX - 1})) == most
    assert most | ONE == EVERYTHING


ids = st.frozensets(st.integers(1, 3), max_size=2)
records = st.builds(Touched, ids, ids, ids, ids, ids, ids)


@given(records, records)
def test_both_together_name_what_either_names(one: Touched, other: Touched) -> None:
    assert one | other == other | one
    assert (one | other) | one == one | other
    assert one | NOTHING == one
    assert one | EVERYTHING == EVERYTHING
