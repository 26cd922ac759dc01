"""Tests of an upgrade beside processes that use the database."""

import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import Connection, Engine, event, text

from dialer.store.backends import postgresql as backend
from dialer.store.database import migrate
from dialer.store.database.database import Database
from tests.postgresql.test_fitness import made
from tests.store.later import NEWEST, all_rows, filled, use_later_migrations

BASELINE = "0001_from_0001"
LATER_STATEMENTS_MIN = 6
LOOKED_AT = (
    "SELECT table_name, column_name, data_type, column_default FROM information_schema.columns",
    "SELECT indexdef FROM pg_indexes",
    "SELECT conname, pg_get_constraintdef(oid) FROM pg_constraint",
    "SELECT pg_get_triggerdef(oid) FROM pg_trigger",
    "SELECT proname, prosrc FROM pg_proc WHERE pronamespace = 'public'::regnamespace",
)


@pytest.fixture
def database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Database]:
    """Return a database of an older revision. Those of other tests do not keep their commits, which is refused."""
    url = made("ENCODING 'UTF8' LOCALE 'C'").render_as_string(hide_password=False)
    migrate.upgrade(url)
    use_later_migrations(monkeypatch, tmp_path)
    with closing(Database(url)) as one:
        yield one


def contents(url: str) -> list[object]:
    """Return all tables, indexes, triggers, functions and rows."""

    def read(unit: Connection) -> list[object]:
        return [sorted(map(str, unit.execute(text(query)).all())) for query in LOOKED_AT]

    with closing(Database(url)) as database:  # A connection of before would keep plans for the old tables.
        return [*database.read_now(read), all_rows(database)]


class Dies:
    """Breaks the connection of an upgrade before one of its statements, as the end of the process does.

    Other threads of the tests may use other databases meanwhile. Their statements are not counted.
    """

    def __init__(self, before: int) -> None:
        self._left = before
        self._thread = threading.get_ident()
        self.statements = 0

    def __call__(self, connection: Connection, *_statement: object) -> None:
        """Count a statement, or break the connection before it."""
        if threading.get_ident() != self._thread:
            return
        if self.statements == self._left:
            connection.connection.driver_connection.close()  # type: ignore[union-attr]
        self.statements += 1


def upgrade_that_dies(url: str, before: int) -> Dies:
    """Upgrade, but die before a statement."""
    dies = Dies(before)
    event.listen(Engine, "before_cursor_execute", dies)
    try:
        migrate.upgrade(url)
    except migrate.MigrationError:
        assert dies.statements > before
    finally:
        event.remove(Engine, "before_cursor_execute", dies)
    return dies


async def test_wherever_it_is_killed_nothing_has_changed_and_the_next_start_finishes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    house = await filled(tmp_path, monkeypatch)
    use_later_migrations(monkeypatch, tmp_path)
    house.database.close()
    before, statement = contents(house.url), 0
    while upgrade_that_dies(house.url, statement).statements > statement:
        assert contents(house.url) == before
        statement += 1
    after = contents(house.url)
    assert statement > LATER_STATEMENTS_MIN
    assert NEWEST in str(after)
    migrate.upgrade(house.url)
    assert contents(house.url) == after


def revision(unit: Connection) -> str:
    return str(unit.scalar(text("SELECT version_num FROM alembic_version")))


def test_an_upgrade_waits_for_readers_without_a_deadlock(database: Database) -> None:
    """A reader has read one table, and reads another while the upgrade waits for the first."""
    url = database.url.render_as_string(hide_password=False)
    upgrading = threading.Thread(target=migrate.upgrade, args=(url,))

    def read(unit: Connection) -> list[int]:
        found = [unit.scalar(text("SELECT count(*) FROM audit_log"))]
        upgrading.start()
        for table in ("subscriber", "contact", "campaign"):
            unit.execute(text("SELECT pg_sleep(0.6)"))
            found.append(unit.scalar(text(f"SELECT count(*) FROM {table}")))  # noqa: S608 - our own names
        return [one or 0 for one in found]

    assert set(database.read_now(read)) == {0}
    upgrading.join()
    assert database.read_now(revision) == NEWEST


def test_an_upgrade_that_finds_no_moment_without_readers_says_so(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = database.url.render_as_string(hide_password=False)
    monkeypatch.setattr(migrate, "ATTEMPTS_MAX", 2)
    monkeypatch.setattr(migrate, "BETWEEN_ATTEMPTS_S", 0)
    monkeypatch.setattr(backend, "UPGRADE_LOCK_MS", 10)

    def read(unit: Connection) -> None:
        unit.scalar(text("SELECT count(*) FROM subscriber"))
        with pytest.raises(migrate.MigrationError, match="a long query, export or backup reads it: try again when it"):
            migrate.upgrade(url)

    database.read_now(read)
    assert database.read_now(revision) == BASELINE
    migrate.upgrade(url)


def test_a_database_of_a_development_version_is_refused_although_its_revision_is_known() -> None:
    url = made("ENCODING 'UTF8' LOCALE 'C'").render_as_string(hide_password=False)
    migrate.upgrade(url)
    migrate.upgrade(url)
    migrate.check(url)
    with closing(Database(url)) as one:
        one.write_now(lambda connection: connection.execute(text("ALTER TABLE webhook DROP COLUMN old_secrets")))
    for work in (migrate.upgrade, migrate.check):
        with pytest.raises(migrate.MigrationError, match=r"without webhook.old_secrets\) and cannot be upgraded"):
            work(url)
