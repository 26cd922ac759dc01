"""Tests of an upgrade beside processes that use the database."""

import threading
from collections.abc import Iterator
from contextlib import closing

import pytest
from alembic import command
from sqlalchemy import Connection, text

from dialer.store import migrate
from dialer.store.backends import postgresql as backend
from dialer.store.database import Database
from tests.postgresql.test_fitness import made

OLD = "0043_0041"


@pytest.fixture
def database() -> Iterator[Database]:
    """Return a database of an older revision. Those of other tests do not keep their commits, which is refused."""
    url = made("ENCODING 'UTF8' LOCALE 'C'").render_as_string(hide_password=False)

    def upgrade(connection: Connection) -> None:
        command.upgrade(migrate._configuration(connection), OLD)  # noqa: SLF001 - as `migrate.upgrade` does
        backend.after_upgrade(connection)

    migrate._in_transaction(url, upgrade)  # noqa: SLF001 - as above
    with closing(Database(url)) as one:
        yield one


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
    assert database.read_now(revision) > OLD


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
    assert database.read_now(revision) == OLD
    migrate.upgrade(url)
