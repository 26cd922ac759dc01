"""Tests of the baseline, and of databases that cannot be upgraded."""

import re
import signal
import sqlite3
import subprocess
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import Connection, create_engine
from sqlalchemy.exc import SAWarning
from sqlalchemy.pool import NullPool

from dialer.store.backends.backend import BACKENDS
from dialer.store.database import migrate
from dialer.store.database.database import Database
from dialer.store.tables import Row
from tests.store.baseline import script_of

Result = TypeVar("Result")

OUT_OF_STEP = "the tables and the baseline differ: run `.venv/bin/python -m tests.store.baseline`"
OLD = ("0001", "0029", "0047_0041")
"""Revisions of databases from before the baseline."""


@pytest.fixture
def url(tmp_path: Path) -> str:
    return f"sqlite+aiosqlite:///{tmp_path}/dialer.db"


def schema(url: str) -> dict[str, list[str]]:
    """Return the sorted words of the statement that creates each table and index."""

    def read(connection: Connection) -> dict[str, list[str]]:
        rows = connection.exec_driver_sql("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL")
        return {name: sorted(re.findall(r"\w+", sql)) for name, sql in rows if name != "alembic_version"}

    return whole(url, read)


def whole(url: str, work: Callable[[Connection], Result]) -> Result:
    database = Database(url)
    try:
        return database.write_now(work)
    finally:
        database.close()


def test_the_migrations_create_the_tables_of_the_models(url: str, tmp_path: Path) -> None:
    migrate.upgrade(url)
    with create_engine(Database(url).url, poolclass=NullPool).connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        # The comparison of the statements below includes indexes of expressions.
        warnings.filterwarnings("ignore", migrate.EXPRESSION_INDEX_SKIPPED, SAWarning)
        warnings.filterwarnings(
            "ignore", "autogenerate skipping metadata-specified expression-based index", UserWarning
        )
        assert compare_metadata(context, Row.metadata) == [], OUT_OF_STEP
    models = f"sqlite:///{tmp_path}/models.db"
    whole(models, Row.metadata.create_all)
    # Tables that are made for a forecast are not searched, so no trigger writes the words of contacts there.
    of_words = {"contact_named", "contact_renamed", "contact_forgotten"}
    assert {name: words for name, words in schema(url).items() if name not in of_words} == schema(models), OUT_OF_STEP
    assert of_words <= schema(url).keys()
    assert "ix_contact_last_digits" in schema(url)


def triggers(connection: Connection) -> dict[str, str]:
    """Return the statement of each trigger."""
    found = connection.exec_driver_sql("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'")
    return {name: sql for name, sql in found}  # noqa: C416 - rows, which `dict` does not take


def test_a_start_gives_a_database_the_triggers_of_this_version_and_keeps_those_of_others(url: str) -> None:
    migrate.upgrade(url)
    ours = whole(url, triggers)

    def make_old(connection: Connection) -> None:
        for name in ("subscriber_added", "callrequest_over"):
            connection.exec_driver_sql(f"DROP TRIGGER {name}")
        for name in ("subscriber_added", "of_somebody_else"):
            connection.exec_driver_sql(f"CREATE TRIGGER {name} AFTER INSERT ON subscriber BEGIN SELECT 1; END")

    whole(url, make_old)
    migrate.upgrade(url)
    found = whole(url, triggers)
    assert found.pop("of_somebody_else")
    assert found == ours


@pytest.mark.parametrize("backend", BACKENDS)
def test_the_baseline_has_the_statements_of_the_tables(backend: str) -> None:
    """Delete this test with `baseline.py` at the first release. From then on, migrations lead to the tables."""
    assert (migrate.MIGRATIONS / f"baseline.{backend}.sql").read_text("utf-8") == script_of(backend), OUT_OF_STEP


def test_a_second_upgrade_changes_nothing(url: str, tmp_path: Path) -> None:
    migrate.upgrade(url)
    before = (tmp_path / "dialer.db").read_bytes()
    migrate.upgrade(url)
    assert (tmp_path / "dialer.db").read_bytes() == before


def test_two_that_start_at_once_both_succeed(url: str) -> None:
    program = [sys.executable, "-c", f"from dialer.store.database.migrate import upgrade; upgrade({url!r})"]
    both = [subprocess.Popen(program) for _ in range(2)]
    assert [process.wait() for process in both] == [0, 0]
    assert "campaign" in schema(url)


def test_a_migration_that_is_killed_half_way_is_done_by_the_next_start(url: str) -> None:
    # The process kills itself when the campaign table, one of the last, has just been made.
    program = f"""
import os, signal
from sqlalchemy import Engine, event
from dialer.store.database.migrate import upgrade
def die(_connection, _cursor, statement, *_):
    if statement.startswith("CREATE TABLE campaign "):
        os.kill(os.getpid(), signal.SIGKILL)
event.listen(Engine, "after_cursor_execute", die)
upgrade({url!r})
"""
    killed = subprocess.run([sys.executable, "-c", program], check=False)
    assert killed.returncode == -signal.SIGKILL
    assert schema(url) == {}
    migrate.upgrade(url)
    assert "survey_result" in schema(url)


@pytest.mark.parametrize(
    ("revision", "refusal"),
    [
        ("9999_from_9998", "revision 9999_from_9998, which only a newer dialer knows: install that version"),
        ("9999_from_0001", ""),
        *((old, f"before the first release of dialer (revision {old}) and cannot be upgraded: move it") for old in OLD),
    ],
)
def test_a_database_of_another_revision_is_left_alone_and_used_only_if_it_just_has_more(
    url: str, revision: str, refusal: str
) -> None:
    migrate.upgrade(url)
    update = f"UPDATE alembic_version SET version_num = '{revision}'"  # noqa: S608 - a revision
    whole(url, lambda connection: connection.exec_driver_sql(update))
    before = schema(url)
    for work in (migrate.upgrade, migrate.check):
        if refusal:
            with pytest.raises(migrate.MigrationError, match=re.escape(refusal)):
                work(url)
        else:
            work(url)
    assert schema(url) == before


@pytest.mark.parametrize("work", [migrate.upgrade, migrate.check])
def test_a_database_of_a_development_version_is_refused_although_its_revision_is_known(
    url: str, work: Callable[[str], None]
) -> None:
    """Until the first release, its tables may have lacked a column. Every query of that column would fail."""
    migrate.upgrade(url)
    work(url)
    whole(url, lambda connection: connection.exec_driver_sql("ALTER TABLE webhook DROP COLUMN old_secrets"))
    refusal = "before the first release of dialer (without webhook.old_secrets) and cannot be upgraded: move it away"
    with pytest.raises(migrate.MigrationError, match=re.escape(refusal)):
        work(url)


def test_a_foreign_database_is_refused_and_left_alone(url: str, tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "dialer.db") as connection:
        connection.execute("CREATE TABLE theirs (id INTEGER)")
    connection.close()
    with pytest.raises(migrate.MigrationError, match="none of dialer's"):
        migrate.upgrade(url)
    assert list(schema(url)) == ["theirs"]


def test_a_file_that_is_no_database_is_refused(url: str, tmp_path: Path) -> None:
    (tmp_path / "dialer.db").write_text("not a database " * 100)
    with pytest.raises(migrate.MigrationError, match="the database cannot be opened: file is not a database"):
        migrate.upgrade(url)


def test_a_folder_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(migrate.MigrationError, match="the database cannot be opened: unable to open database file"):
        migrate.upgrade(f"sqlite+aiosqlite:///{tmp_path}/nowhere/dialer.db")


def test_a_command_that_only_reads_requires_a_database_of_this_version(url: str, tmp_path: Path) -> None:
    with pytest.raises(migrate.MigrationError, match="there is no database at"):
        migrate.check(url)
    assert list(tmp_path.iterdir()) == []
    migrate.upgrade(url)
    whole(url, lambda _: None)
    before = (tmp_path / "dialer.db").read_bytes()
    migrate.check(url)
    assert (tmp_path / "dialer.db").read_bytes() == before
    whole(url, lambda connection: connection.exec_driver_sql("DELETE FROM alembic_version"))
    with pytest.raises(migrate.MigrationError, match="from another version of dialer: run `dialer database upgrade`"):
        migrate.check(url)


@pytest.mark.parametrize("content", [b"", b"no database at all, but long enough to be taken for one" * 20])
def test_a_command_that_only_reads_refuses_a_foreign_database(url: str, tmp_path: Path, content: bytes) -> None:
    (tmp_path / "dialer.db").write_bytes(content)
    with pytest.raises(migrate.MigrationError):
        migrate.check(url)
