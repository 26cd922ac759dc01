"""Tests of `dialer move` to a server."""

import os
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner
from sqlalchemy import insert

from dialer.cli import cli
from dialer.store.database.database import Database
from dialer.store.moving.move import MoveError, move
from dialer.store.tables import Phonebook, User
from tests.new_database import new_file

STAMPS = {"created_date": 0, "updated_date": 0}


@pytest.fixture
def private() -> Iterator[None]:
    """Make files as the program does, which nobody else can read."""
    before = os.umask(0o077)
    yield
    os.umask(before)


@pytest.fixture
def file(tmp_path: Path, private: None) -> str:  # noqa: ARG001 - it makes the files
    """Return the URL of a database file with one user."""
    url = new_file(tmp_path)
    ann = insert(User).values(username="ann", password_hash="-", **STAMPS)
    with closing(Database(url)) as database:
        database.write_now(lambda unit: unit.execute(ann))
    return url


def test_a_service_is_moved_by_the_command_line(file: str, url: str) -> None:
    moved = CliRunner().invoke(cli, ["move", url], env={"DIALER_DATABASE_URL": file})
    assert (moved.exit_code, moved.stdout) == (0, "")
    assert moved.stderr.startswith("user_account: 1 rows, equal in both\nMoved 1 rows of 1 tables from /")
    assert moved.stderr.endswith(". Both audits: nothing differs.\n")


def test_a_value_that_the_server_cannot_hold_is_told_and_nothing_is_moved(file: str, database: Database) -> None:
    """A file holds texts of any length, which only another program than dialer can have written there."""
    with closing(Database(file)) as source:
        long = insert(Phonebook).values(name="x" * 256, user_id=1, **STAMPS)
        source.write_now(lambda unit: unit.execute(long))
        with pytest.raises(MoveError) as error:
            source.write_now(lambda old: database.write_now(lambda new: move(old, new, lambda *_: None)))
    assert str(error.value) == (
        "the target cannot hold a row of phonebook with an id from 1 to 1:"
        " value too long for type character varying(255)"
    )
    assert database.read_now(lambda unit: unit.execute(User.__table__.select()).all()) == []
