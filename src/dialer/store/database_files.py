"""The database as files: checked, compacted, copied while it is used, and put back."""

import contextlib
import os
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Final, NamedTuple

BUSY_TIMEOUT_MS: Final = 10_000
"""How long to wait for others who use the database."""
PROBLEMS_MAX: Final = 20
"""Problems of a damaged database that are named."""
COUNTED: Final = ("user_account", "campaign", "subscriber", "cdr")
"""Tables whose rows are counted in a copy."""
_JOURNALS: Final = ("-wal", "-shm", "-journal")


class Copy(NamedTuple):
    """A copy of a database: its size, and how many rows some of its tables have."""

    size_bytes: int
    rows: dict[str, int]


class FilesError(Exception):
    """Raised when it cannot be done: one line that says why."""


def check(path: Path) -> list[str]:
    """What is wrong with a database, `PROBLEMS_MAX` problems at most: pages, indexes, references. Nothing is changed.

    Raises:
        FilesError: it cannot be read at all.
    """
    with _telling("the database cannot be checked"), closing(_open(path)) as connection:
        return _problems(connection)


def _problems(connection: sqlite3.Connection) -> list[str]:
    try:
        found = [str(row[0]) for row in connection.execute(f"PRAGMA integrity_check({PROBLEMS_MAX})")]
        if found != ["ok"]:
            return found
        broken = connection.execute("PRAGMA foreign_key_check").fetchmany(PROBLEMS_MAX)
    except sqlite3.DatabaseError as error:
        if isinstance(error, sqlite3.OperationalError):
            raise
        return [str(error)]  # So damaged that not even the check comes to its end.
    return [f"row {row} of {table} refers to a row of {target} that is not there" for table, row, target, _ in broken]


def compact(path: Path, patience_ms: int = BUSY_TIMEOUT_MS) -> None:
    """Write the database anew, so that nothing of what was deleted is left in its files.

    Others wait meanwhile: some seconds for every gigabyte. `patience_ms` is how long it waits for them.

    Raises:
        FilesError: something else uses the database; nothing is lost, and it can be done again.
    """
    with _telling("the database cannot be compacted"), closing(_open(path, patience_ms)) as connection:
        connection.execute("VACUUM")
        is_busy, _, _ = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        if is_busy:
            raise FilesError("the database cannot be compacted: something reads from it all the time")


def copy(source: Path, target: Path, *, overwrite: bool = False) -> Copy:
    """Copy a database as it stands at one moment, whoever uses it meanwhile.

    The copy has mode 0600. It appears under its name once it is whole, and checked.

    Raises:
        FilesError: there is no database, `target` is there already, or it cannot be written.
    """
    _refuse(source, target, overwrite=overwrite)
    with _telling("the database cannot be copied"), _copied(source, target) as unfinished:
        copied = _look(unfinished, source)
        _put(unfinished, target)
        return copied


def restore(source: Path, target: Path, *, overwrite: bool = False) -> Copy:
    """Put a copy in the place of a database that nobody uses.

    Raises:
        FilesError: the copy is no whole database, `target` is there already, or something uses it.
    """
    _refuse(source, target, overwrite=overwrite)
    with _telling("the copy cannot be restored"), _alone(target), _copied(source, target) as unfinished:
        copied = _look(unfinished, source)
        # What SQLite has kept beside the old database must not be taken for a part of the new one.
        for suffix in _JOURNALS:
            Path(f"{target}{suffix}").unlink(missing_ok=True)
        _put(unfinished, target)
        return copied


def _look(copied: Path, source: Path) -> Copy:
    """What is in a copy; raises FilesError if that is damaged or none of ours."""
    if problems := check(copied):
        raise FilesError(f"{source} is damaged: {problems[0]}")
    with closing(_open(copied)) as connection:
        found = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
        if not {(table,) for table in COUNTED} <= set(found):
            raise FilesError(f"{source} is no database of dialer")
        rows = {table: connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in COUNTED}  # noqa: S608 - our own names
    return Copy(copied.stat().st_size, rows)


def _refuse(source: Path, target: Path, *, overwrite: bool) -> None:
    if not source.is_file():
        raise FilesError(f"there is no database at {source}")
    if target.exists() and target.samefile(source):
        raise FilesError(f"{target} is the database itself")
    if target.exists() and not (overwrite and target.is_file()):
        raise FilesError(f"{target} is there already")


@contextlib.contextmanager
def _alone(path: Path) -> Iterator[None]:
    """Keep everybody else from a database, if it is there and readable, until this is left.

    Raises:
        FilesError: somebody has it open.
    """
    with contextlib.ExitStack() as until_left:
        if path.exists():
            connection = until_left.enter_context(closing(_open(path, patience_ms=0)))
            try:
                # Only who is alone can leave write-ahead logging.
                connection.execute("PRAGMA journal_mode=DELETE")
                connection.execute("BEGIN EXCLUSIVE")
            except sqlite3.DatabaseError as error:
                if error.sqlite_errorcode == sqlite3.SQLITE_BUSY:
                    raise FilesError(f"{path} is in use: stop the server first") from error
                # It is damaged: that is why it is replaced.
        yield


@contextlib.contextmanager
def _copied(source: Path, target: Path) -> Iterator[Path]:
    """A whole copy of a database, beside where it is to be; gone afterwards, unless it was put there."""
    descriptor, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    os.close(descriptor)
    unfinished = Path(name)
    try:
        with closing(_open(source)) as original, closing(sqlite3.connect(unfinished)) as copied:
            original.backup(copied)
            # With a write-ahead log it would be two files as soon as somebody opens it.
            copied.execute("PRAGMA journal_mode=DELETE")
        yield unfinished
    finally:
        for suffix in ("", *_JOURNALS):
            Path(f"{name}{suffix}").unlink(missing_ok=True)


def _put(unfinished: Path, target: Path) -> None:
    """Give a file its name, for good."""
    _sync(unfinished)
    unfinished.replace(target)
    _sync(target.parent)


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _open(path: Path, patience_ms: int = BUSY_TIMEOUT_MS) -> sqlite3.Connection:
    """A connection to a database that is there."""
    if not path.is_file():
        raise FilesError(f"there is no database at {path}")
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute(f"PRAGMA busy_timeout={patience_ms}")
    return connection


@contextlib.contextmanager
def _telling(failure: str) -> Iterator[None]:
    try:
        yield
    except (sqlite3.Error, OSError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise FilesError(f"{failure}: {reason}") from error
