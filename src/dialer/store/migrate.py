"""Migrations: the steps from any earlier database to the tables of this version.

To add one after the models have changed: `python -m dialer.store.migrate "What it changes"`, then read,
format and correct what it wrote into `store/migrations/versions`. There are no steps back: a backup is.
"""

import sqlite3
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Final, TypeVar

from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from alembic.util import CommandError
from sqlalchemy import Connection, create_engine, event, inspect
from sqlalchemy.engine import make_url
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import NullPool

from dialer.store.database import Database, StorageUnavailableError

Result = TypeVar("Result")

MIGRATIONS: Final = Path(__file__).parent / "migrations"
LOCK_WAIT_MS: Final = 60_000
"""How long a start waits for another process that is migrating the same database."""


class MigrationError(Exception):
    """Raised when a database cannot be brought to this version: one line that says why. Nothing changed."""


def upgrade(url: str) -> None:
    """Bring the database at `url` to the newest revision; create it if it is not there.

    All steps share one transaction that holds the write lock from its beginning, so a process that is killed
    leaves the database as it was, and of two that start at once the second finds nothing left to do.

    Raises:
        MigrationError: the database cannot be opened or written, was made by a newer version, or is not ours.
    """
    try:
        _in_transaction(url, _upgrade)
    except CommandError as error:
        raise MigrationError(f"the database cannot be migrated: {error}") from error
    except DBAPIError as error:
        raise MigrationError(f"the database cannot be opened: {error.orig}") from error


def check(url: str) -> None:
    """Make sure that the database at `url` is there, and at the newest revision. Nothing is changed.

    Raises:
        MigrationError: it is not, or cannot be read.
    """
    path = make_url(url).database or ""
    if not Path(path).is_file():
        raise MigrationError(f"there is no database at {path}")
    newest = ScriptDirectory(str(MIGRATIONS)).get_current_head()
    database = Database(url)
    try:
        revision = database.read_now(lambda unit: MigrationContext.configure(unit).get_current_revision())
    except (StorageUnavailableError, DBAPIError) as error:
        raise MigrationError(f"the database cannot be read: {error.__cause__ or error}") from error
    finally:
        database.close()
    if revision != newest:
        raise MigrationError("the database is of another version of dialer: see to it with `dialer database upgrade`")


def _upgrade(connection: Connection) -> None:
    config = _configuration(connection)
    known = {script.revision for script in ScriptDirectory.from_config(config).walk_revisions()}
    revision = MigrationContext.configure(connection).get_current_revision()
    if revision is None and inspect(connection).get_table_names():
        raise MigrationError("the database holds tables, but none of dialer's: give it a database of its own")
    if revision is not None and revision not in known:
        raise MigrationError(f"the database is at revision {revision}, which only a newer dialer knows")
    if revision == ScriptDirectory.from_config(config).get_current_head():
        return  # What follows looks at every row, and a start has to be quick.
    command.upgrade(config, "head")
    if broken := connection.exec_driver_sql("PRAGMA foreign_key_check").first():
        raise MigrationError(f"the migration would leave a reference of table {broken[0]} without its target")


def _configuration(connection: Connection) -> Config:
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    config.attributes["connection"] = connection
    return config


def _in_transaction(url: str, work: Callable[[Connection], Result]) -> Result:
    """What `work` returns, in a transaction that the schema is part of.

    Not one of `Database`: where a table is changed by copying it, enforced foreign keys would delete what
    refers to the old one, and they cannot be switched off inside a transaction.
    """
    engine = create_engine(Database(url).url, poolclass=NullPool)

    @event.listens_for(engine, "connect")
    def configure(connection: sqlite3.Connection, _record: object) -> None:
        connection.isolation_level = None
        connection.execute(f"PRAGMA busy_timeout={LOCK_WAIT_MS}")

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        connection.exec_driver_sql("BEGIN IMMEDIATE")

    with engine.begin() as connection:
        return work(connection)


def write_revision(message: str) -> None:
    """Write the migration from the newest revision to the models as they are now."""

    def compare(connection: Connection) -> None:
        config = _configuration(connection)
        command.upgrade(config, "head")
        number = len(list(ScriptDirectory.from_config(config).walk_revisions())) + 1
        command.revision(config, message, autogenerate=True, rev_id=f"{number:04d}")

    with tempfile.TemporaryDirectory() as folder:
        _in_transaction(f"sqlite:///{folder}/empty.db", compare)


if __name__ == "__main__":
    write_revision(*sys.argv[1:])
