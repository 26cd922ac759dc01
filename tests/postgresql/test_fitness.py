"""Tests that a database which would lose commits, or order texts otherwise, is refused with what to do."""

from contextlib import closing

import psycopg
import pytest
from sqlalchemy import URL, make_url

from dialer.store.database import migrate
from tests.databases.choice import server_url


def made(options: str, *, setting: str = "") -> URL:
    """Create a database, and return its URL."""
    found = make_url(server_url())
    name = f"unfit_{found.database}"
    with closing(
        psycopg.connect(host=str(found.query["host"]), user=found.username, dbname="postgres", autocommit=True)
    ) as one:
        one.execute(f"DROP DATABASE IF EXISTS {name}")
        one.execute(f"CREATE DATABASE {name} TEMPLATE template0 {options}")
        if setting:
            one.execute(f"ALTER DATABASE {name} SET {setting}")
    return found.set(database=name)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ("ENCODING 'SQL_ASCII' LOCALE 'C'", "encoding SQL_ASCII and collation C"),
        ("ENCODING 'UTF8' LOCALE 'C.UTF-8'", "encoding UTF8 and collation C.UTF-8"),
    ],
)
def test_texts_must_be_utf_8_and_ordered_by_their_bytes(options: str, told: str) -> None:
    url = made(options)
    with pytest.raises(migrate.MigrationError) as error:
        migrate.upgrade(url.render_as_string())
    assert str(error.value) == (
        f"the database {url.database} has {told}, and dialer needs UTF8 and C:"
        f" CREATE DATABASE {url.database} TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C'"
    )


def test_commits_must_not_be_lost() -> None:
    url = made("ENCODING 'UTF8' LOCALE 'C'", setting="synchronous_commit = off")
    with pytest.raises(migrate.MigrationError, match="the server's setting synchronous_commit is off, so commits may"):
        migrate.upgrade(url.render_as_string())


def test_a_server_whose_locks_exclude_nobody_is_refused() -> None:
    """CockroachDB, for one, has the function, and gives every session the lock."""
    url = made("ENCODING 'UTF8' LOCALE 'C'", setting="search_path = public, pg_catalog")
    with closing(
        psycopg.connect(host=str(url.query["host"]), user=url.username, dbname=url.database, autocommit=True)
    ) as one:
        one.execute("CREATE FUNCTION pg_try_advisory_lock(bigint) RETURNS boolean LANGUAGE sql AS 'SELECT true'")
    with pytest.raises(migrate.MigrationError, match="two sessions of the server hold the same advisory lock"):
        migrate.upgrade(url.render_as_string())


def test_a_server_that_does_not_answer_is_told_in_one_line() -> None:
    with pytest.raises(migrate.MigrationError) as error:
        migrate.upgrade("postgresql://dialer@/dialer?host=/nowhere")
    assert str(error.value).startswith("the database cannot be opened: ")
    assert "\n" not in str(error.value)
