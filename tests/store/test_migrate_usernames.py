"""Tests of a migration: user names get a key without regard to case and Unicode form."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import create_engine
from sqlalchemy.pool import NullPool

from dialer.store import migrate
from tests.store.test_migrate_rates import bring

BEFORE = "0013"
USER = (
    "INSERT INTO user_account (id, username, password_hash, is_admin, first_name, last_name, email, call_rate,"
    " sms_rate, balance, held, created_date, updated_date) VALUES (?, ?, '-', 0, '', '', '', 0, 0, 0, 0, 0, 0)"
)


def fill(path: Path, *names: str) -> None:
    """Create a database of the version before, with users of these names."""
    with create_engine(f"sqlite:///{path}", poolclass=NullPool).begin() as connection:
        bring(connection, BEFORE)
        for number, name in enumerate(names, 1):
            connection.exec_driver_sql(USER, (number, name))


def names_of(path: Path, columns: str) -> list[tuple[str, ...]]:
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute(f"SELECT {columns} FROM user_account ORDER BY id").fetchall()  # noqa: S608 - constants of the test


def test_every_user_gets_a_key_and_keeps_the_name(tmp_path: Path) -> None:
    path = tmp_path / "dialer.db"
    fill(path, "Anna", "Rene\u0301", "bob")
    migrate.upgrade(f"sqlite:///{path}")
    expected = [("Anna", "anna"), ("Rene\u0301", "ren\u00e9"), ("bob", "bob")]
    assert names_of(path, "username, username_key") == expected


@pytest.mark.parametrize(("first", "second"), [("anna", "ANNA"), ("ren\u00e9", "Rene\u0301")])
def test_a_database_with_two_names_that_are_equal_now_is_refused_and_left_alone(
    tmp_path: Path, first: str, second: str
) -> None:
    path = tmp_path / "dialer.db"
    fill(path, "bob", first, second)
    with pytest.raises(migrate.MigrationError) as refused:
        migrate.upgrade(f"sqlite:///{path}")
    assert str(refused.value) == (
        f"the database cannot be migrated: the names of user 2, {first!r}, and user 3, {second!r}, differ only in case"
        " or Unicode form; change the username of one of them in the table user_account"
    )
    assert names_of(path, "username") == [("bob",), (first,), (second,)]
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("SELECT version_num FROM alembic_version").fetchall() == [(BEFORE,)]
