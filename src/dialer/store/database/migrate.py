"""Migrations: the steps from the baseline, or any database since, to the tables of this version.

To add one after the models have changed, run `python -m dialer.store.database.migrate "Description of the change"`.
Then read, format and correct the new file in `store/migrations/versions`. Workers go on while a database is upgraded,
so it should only add to the tables; otherwise make it its own floor. There are no downgrades: restore a backup instead.
"""

import re
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar

from sqlalchemy import Connection, inspect, text
from sqlalchemy.exc import DBAPIError, SAWarning

from dialer.store.backends.backend import TablesInUseError, UnfitDatabaseError, backend_for, backend_of
from dialer.store.database.database import Database, StorageUnavailableError
from dialer.store.tables import Row

if TYPE_CHECKING:
    from alembic.config import Config

Result = TypeVar("Result")

MIGRATIONS: Final = Path(__file__).parents[1] / "migrations"
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
_REVISION: Final = re.compile(r"""^revision\b.*= ["'](\w+)["']$""", re.MULTILINE)
_VERSION_TABLE: Final = "alembic_version"


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
    """Check, without a change, that this code can work with the database at `url`.

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
    revision, known = _revision(connection), known_revisions()
    if revision is not None and revision not in known:
        _check_floor(revision, known[-1])
    elif revision != known[-1]:
        raise MigrationError("the database is from another version of dialer: run `dialer database upgrade`")
    else:
        _check_columns(connection)


def _check_columns(connection: Connection) -> None:
    """Check that the database has all columns. One that a development version made may lack some at this revision."""
    found = backend_of(connection).columns(connection)
    wanted = ((table.name, column.name) for table in Row.metadata.tables.values() for column in table.c)
    for table, column in wanted:
        if (table, column) not in found:
            raise _too_old(f"without {table}.{column}")


def _too_old(sign: str) -> MigrationError:
    return MigrationError(
        f"the database is from before the first release of dialer ({sign}) and cannot be upgraded:"
        " move it away and start with a new one, or use the dialer that made it"
    )


def known_revisions() -> list[str]:
    """Return the ids of the revisions of this version, the newest last: ids begin with their numbers.

    Only a database that has to be migrated needs Alembic, which takes a twentieth of a second to import.
    """
    found = (_REVISION.search(path.read_text("utf-8")) for path in (MIGRATIONS / "versions").glob("*.py"))
    return sorted(match.group(1) for match in found if match)


def _revision(connection: Connection) -> str | None:
    """Return the revision of a database; None if it has none."""
    if not inspect(connection).has_table(_VERSION_TABLE):
        return None
    revision: str | None = connection.scalar(text(f"SELECT version_num FROM {_VERSION_TABLE}"))  # noqa: S608 - our own
    return revision


def _check_floor(revision: str, newest: str) -> None:
    """Check that code whose last revision is `newest` can work with a database at a revision that it does not know."""
    if FLOOR not in revision:
        raise _too_old(f"revision {revision}")
    if number_of(newest) < floor_of(revision):
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
    revision, known = _revision(connection), known_revisions()
    if revision is None and inspect(connection).get_table_names():
        raise MigrationError("the database holds tables, but none of dialer's: give it a database of its own")
    if revision is not None and revision not in known:
        _check_floor(revision, known[-1])
        return
    if revision == known[-1]:
        _check_columns(connection)
        backend.renew_triggers(connection)
        return  # The check below reads every row, and a start must be quick.
    backend.before_upgrade(connection)
    _run_steps(connection)
    backend.after_upgrade(connection, Row.metadata)


def _run_steps(connection: Connection) -> None:
    from alembic import command  # noqa: PLC0415
    from alembic.util import CommandError  # noqa: PLC0415

    try:
        command.upgrade(_configuration(connection), "head")
    except CommandError as error:
        raise MigrationError(f"the database cannot be migrated: {error}") from error


def _configuration(connection: Connection) -> "Config":
    from alembic.config import Config  # noqa: PLC0415

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
    """Write a migration file from the newest revision to the current tables."""
    from alembic import command  # noqa: PLC0415

    def compare(connection: Connection) -> None:
        config = _configuration(connection)
        command.upgrade(config, "head")
        known = known_revisions()
        number, floor = len(known) + 1, floor_of(known[-1])
        command.revision(config, message, autogenerate=True, rev_id=f"{number:04d}{FLOOR}{floor}")

    with tempfile.TemporaryDirectory() as folder:
        _in_transaction(f"sqlite:///{folder}/empty.db", compare)


if __name__ == "__main__":
    write_revision(*sys.argv[1:])
