"""Migrations: the steps from the baseline, or any database since, to the tables of this version.

To add one after the models have changed, run `python -m dialer.store.migrate "Description of the change"`. Then read,
format and correct the new file in `store/migrations/versions`. Workers go on while a database is upgraded, so it should
only add to the tables; otherwise make it its own floor. There are no downgrades: restore a backup instead.
"""

import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Final, TypeVar

from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from alembic.util import CommandError
from sqlalchemy import Connection, inspect
from sqlalchemy.exc import DBAPIError, SAWarning

from dialer.store.backends.backend import TablesInUseError, UnfitDatabaseError, backend_for, backend_of
from dialer.store.database import Database, StorageUnavailableError

Result = TypeVar("Result")

MIGRATIONS: Final = Path(__file__).parent / "migrations"
ATTEMPTS_MAX: Final = 60
"""Number of times that an upgrade tries to lock the tables of a database that others read."""
BETWEEN_ATTEMPTS_S: Final = 0.5
EXPRESSION_INDEX_SKIPPED: Final = "Skipped unsupported reflection of expression-based index"
"""The beginning of the warning with which SQLAlchemy reads a table of SQLite with an index of expressions."""
FLOOR: Final = "_from_"
"""Mark in the id of a revision before its floor: the oldest revision whose code can work with the tables after it.

"0031_from_0029" is revision 31, which code from revision 29 on can work with. A migration that only adds keeps the
floor of the one before. One that does not is its own floor. Revisions from before the baseline do not have the mark.
"""


class MigrationError(Exception):
    """A database cannot be migrated to this version, and is unchanged; the message is one line that says why."""


def upgrade(url: str) -> None:
    """Migrate the database at `url` to the newest revision; create it if it does not exist.

    All steps share one transaction that holds the write lock from its beginning. So a killed process leaves the
    database as it was, and of two processes that start at once the second finds nothing to do.

    Raises:
        MigrationError: the database cannot be opened or written, is from a newer version or from before the first
            release, or is not dialer's.
    """
    try:
        _when_tables_are_free(url)
    except UnfitDatabaseError as error:
        raise MigrationError(str(error)) from error
    except CommandError as error:
        raise MigrationError(f"the database cannot be migrated: {error}") from error
    except DBAPIError as error:
        raise MigrationError(f"the database cannot be opened: {' '.join(str(error.orig).split())}") from error


def _when_tables_are_free(url: str) -> None:
    """Upgrade in the first moment in which nobody reads. Between two attempts, others read and write."""
    for _ in range(ATTEMPTS_MAX):
        try:
            return _in_transaction(url, _upgrade)
        except TablesInUseError:
            time.sleep(BETWEEN_ATTEMPTS_S)
    raise MigrationError(
        "the database cannot be migrated now, as a long query, export or backup reads it: try again when it has ended,"
        " or stop the processes that use the database"
    )


def check(url: str) -> None:
    """Check that this code can work with the database at `url`. Change nothing.

    The database is at the newest revision that this code knows, or at a later one that has only added to it.

    Raises:
        MigrationError: the database is missing, is at another revision, or cannot be read.
    """
    backend = backend_for(url)
    if backend.HAS_FILE and not backend.has_tables(backend.synchronous_url(url)):
        raise MigrationError(f"there is no database at {backend.synchronous_url(url).database}")
    database = Database(url)
    try:
        database.read_now(_check)
    except (StorageUnavailableError, DBAPIError) as error:
        said = " ".join(str(getattr(error, "orig", error)).split())
        raise MigrationError(f"the database cannot be read: {said}") from error
    finally:
        database.close()


def _check(connection: Connection) -> None:
    scripts = ScriptDirectory(str(MIGRATIONS))
    revision = MigrationContext.configure(connection).get_current_revision()
    if revision is not None and revision not in _known(scripts):
        _check_floor(revision, scripts.get_current_head())
    elif revision != scripts.get_current_head():
        raise MigrationError("the database is from another version of dialer: run `dialer database upgrade`")


def _known(scripts: ScriptDirectory) -> set[str]:
    return {script.revision for script in scripts.walk_revisions()}


def _check_floor(revision: str, newest: str | None) -> None:
    """Check that code whose last revision is `newest` can work with a database at a revision that it does not know."""
    if FLOOR not in revision:
        raise MigrationError(
            f"the database is from before the first release of dialer (revision {revision}) and cannot be upgraded:"
            " move it away and start with a new one, or use the dialer that made it"
        )
    if newest is None or number_of(newest) < floor_of(revision):
        raise MigrationError(
            f"the database is at revision {revision}, which only a newer dialer knows: install that version"
        )


def number_of(revision: str) -> str:
    """Return the number of a revision, with which its id begins."""
    return revision.partition(FLOOR)[0]


def floor_of(revision: str) -> str:
    """Return the number of the oldest revision whose code can work with a revision."""
    return revision.partition(FLOOR)[2]


def _upgrade(connection: Connection) -> None:
    """Run the steps that are missing."""
    backend = backend_of(connection)
    backend.check_fitness(connection)
    config = _configuration(connection)
    scripts = ScriptDirectory.from_config(config)
    revision = MigrationContext.configure(connection).get_current_revision()
    if revision is None and inspect(connection).get_table_names():
        raise MigrationError("the database holds tables, but none of dialer's: give it a database of its own")
    if revision is not None and revision not in _known(scripts):
        _check_floor(revision, scripts.get_current_head())
        return
    if revision == scripts.get_current_head():
        return  # The check below reads every row, and a start must be quick.
    backend.before_upgrade(connection)
    command.upgrade(config, "head")
    backend.after_upgrade(connection)


def _configuration(connection: Connection) -> Config:
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    config.attributes["connection"] = connection
    return config


def _in_transaction(url: str, work: Callable[[Connection], Result]) -> Result:
    """Return the result of `work`, run in one transaction that includes changes of the schema.

    `Database` cannot run it, as its connections are set up for units of work.
    """
    backend = backend_for(url)
    engine = backend.migrating_engine(backend.synchronous_url(url))
    with engine.begin() as connection, warnings.catch_warnings():
        # Of no concern: the backend restores these indexes after an upgrade.
        warnings.filterwarnings("ignore", EXPRESSION_INDEX_SKIPPED, SAWarning)
        return work(connection)


def write_revision(message: str) -> None:
    """Write the migration from the newest revision to the current models."""

    def compare(connection: Connection) -> None:
        config = _configuration(connection)
        command.upgrade(config, "head")
        scripts = ScriptDirectory.from_config(config)
        number, floor = len(list(scripts.walk_revisions())) + 1, floor_of(scripts.get_current_head() or "")
        command.revision(config, message, autogenerate=True, rev_id=f"{number:04d}{FLOOR}{floor}")

    with tempfile.TemporaryDirectory() as folder:
        _in_transaction(f"sqlite:///{folder}/empty.db", compare)


if __name__ == "__main__":
    write_revision(*sys.argv[1:])
