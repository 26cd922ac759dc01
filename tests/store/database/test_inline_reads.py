"""Tests of inline reads: they return the last committed rows, or nothing if the file cannot be read at once."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, Final

import pytest
from sqlalchemy import bindparam, column, select, table
from sqlalchemy.engine import make_url

from dialer.store.database.inline_reads import AtHand

QUERY: Final[Any] = (
    select(column("name"), column("id")).select_from(table("thing")).where(column("id") == bindparam("wanted"))
)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    place = tmp_path / "a #1?.db"
    with closing(sqlite3.connect(place)) as connection:
        connection.executescript(
            "CREATE TABLE thing (id INTEGER PRIMARY KEY, name TEXT); INSERT INTO thing VALUES (1, 'a')"
        )
    return place


@pytest.fixture
def at_hand(file: Path) -> Iterator[AtHand]:
    found = AtHand(make_url(f"sqlite:///{file}").set(database=str(file)))
    yield found
    found.close()


def test_every_commit_of_any_process_is_seen_at_once(file: Path, at_hand: AtHand) -> None:
    seen = [at_hand.rows(QUERY, {"wanted": 1})]
    with closing(sqlite3.connect(file, isolation_level=None)) as other:
        other.execute("UPDATE thing SET name = 'b'")
        seen.append(at_hand.rows(QUERY, {"wanted": 1}))
        other.execute("BEGIN")
        other.execute("DELETE FROM thing")
        seen.append(at_hand.rows(QUERY, {"wanted": 1}))
        other.execute("COMMIT")
        seen.append(at_hand.rows(QUERY, {"wanted": 1}))
    assert seen == [[("a", 1)], [("b", 1)], [("b", 1)], []]


def test_a_locked_file_is_not_waited_for(file: Path, at_hand: AtHand) -> None:
    with closing(sqlite3.connect(file, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        assert at_hand.rows(QUERY, {"wanted": 1}) is None
    assert at_hand.rows(QUERY, {"wanted": 1}) == [("a", 1)]


def test_a_file_that_is_not_there_is_not_made(tmp_path: Path) -> None:
    at_hand = AtHand(make_url(f"sqlite:///{tmp_path / 'none.db'}"))
    assert (at_hand.rows(QUERY, {"wanted": 1}), list(tmp_path.iterdir())) == (None, [])


@pytest.mark.parametrize("url", ["sqlite://", "sqlite:///:memory:"])
def test_a_database_without_a_file_has_no_inline_reads(url: str) -> None:
    assert AtHand(make_url(url)).rows(QUERY, {"wanted": 1}) is None
