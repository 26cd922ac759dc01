"""Tests of a connection that is lost during COMMIT: the outcome is reported as unknown."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import Connection, text

from dialer.store.database.database import OutcomeUnknownError
from tests.store.lossy import LossyDatabase, Lost


@pytest.fixture
def database(tmp_path: Path) -> Iterator[LossyDatabase]:
    """Create a database with a table of notes."""
    one = LossyDatabase(f"sqlite:///{tmp_path}/dialer.db")
    one.write_now(lambda c: c.execute(text("CREATE TABLE note (body TEXT)")))
    yield one
    one.close()


def add(connection: Connection) -> None:
    connection.execute(text("INSERT INTO note VALUES ('x')"))


def count(connection: Connection) -> int:
    return int(connection.scalar(text("SELECT count(*) FROM note")) or 0)


@pytest.mark.parametrize(("lost", "there"), [(Lost.BEFORE, 0), (Lost.AFTER, 1)])
def test_the_writer_is_told_that_the_outcome_is_unknown_and_the_next_one_works(
    database: LossyDatabase, lost: Lost, there: int
) -> None:
    database.lost = lost
    with pytest.raises(OutcomeUnknownError, match="disk I/O error"):
        database.write_now(add)
    assert database.read_now(count) == there
    database.lost = None
    database.write_now(add)
    assert database.read_now(count) == there + 1


def test_a_unit_that_fails_before_its_commit_has_a_known_outcome(database: LossyDatabase) -> None:
    database.lost = Lost.AFTER

    def work(connection: Connection) -> None:
        add(connection)
        raise LookupError

    with pytest.raises(LookupError):
        database.write_now(work)
    assert database.read_now(count) == 0
