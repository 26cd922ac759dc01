"""The database as files: check, compact, copy while in use, and restore."""

import contextlib
import os
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Final, NamedTuple

BUSY_TIMEOUT_MS: Final = 10_000
"""Time to wait for other processes that use the database."""
PROBLEMS_MAX: Final = 20
"""Maximum number of problems that a check of a damaged database names."""
COUNTED: Final = ("user_account", "campaign", "subscriber", "cdr")
"""Tables whose rows a copy counts. Every dialer database has them."""
_JOURNALS: Final = ("-wal", "-shm", "-journal")


class Copy(NamedTuple):
    """A copy of a database: its size, and the number of rows in some of its tables."""

    size_bytes: int
    rows: dict[str, int]


class FilesError(Exception):
    """A check, copy or restore failed; the message is one line that says why."""


def check(path: Path) -> list[str]:
    """Return up to `PROBLEMS_MAX` problems of a database, unchanged: damaged pages, indexes, references.

    Raises:
        FilesError: the database cannot be read at all.
    """
    with _telling(f"{path} cannot be checked"), closing(_open(path)) as connection:
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
        return [str(error)]  # The damage stops the check itself.
    return [f"row {row} of {table} refers to a row of {target} that is not there" for table, row, target, _ in broken]


def compact(path: Path, patience_ms: int = BUSY_TIMEOUT_MS) -> None:
    """Rewrite the database's files without the remains of deleted rows.

    Other processes wait meanwhile: some seconds for each gigabyte. `patience_ms` is the time to wait for them.

    Raises:
        FilesError: another process uses the database. Nothing is lost; try again.
    """
    with _telling("the database cannot be compacted"), closing(_open(path, patience_ms)) as connection:
        connection.execute("VACUUM")
        is_busy, _, _ = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        if is_busy:
            raise FilesError("the database cannot be compacted: another process keeps reading it")


def copy(source: Path, target: Path, *, overwrite: bool = False) -> Copy:
    """Copy a database as it stands at one moment, while other processes use it.

    The copy has mode 0600. It appears under its name only when it is complete and checked.

    Raises:
        FilesError: there is no database, `target` already exists, or `target` cannot be written.
    """
    _refuse(source, target, overwrite=overwrite)
    with _telling(f"{source} cannot be copied to {target}"), _copied(source, target) as unfinished:
        copied = _look(unfinished, source)
        _put(unfinished, target)
        return copied


def restore(source: Path, target: Path, *, overwrite: bool = False) -> Copy:
    """Replace a database that is not in use by a copy of its backup.

    Raises:
        FilesError: the copy is not a complete database, `target` already exists, or a process uses it.
    """
    _refuse(source, target, overwrite=overwrite)
    with _telling(f"{source} cannot be restored to {target}"), _alone(target), _copied(source, target) as unfinished:
        copied = _look(unfinished, source)
        # SQLite must not take the journal files of the old database for a part of the new one.
        for suffix in _JOURNALS:
            Path(f"{target}{suffix}").unlink(missing_ok=True)
        _put(unfinished, target)
        return copied


def _look(copied: Path, source: Path) -> Copy:
    """Return the size and the row counts of a copy.

    Raises:
        FilesError: the copy is damaged, or is not a dialer database.
    """
    if problems := check(copied):
        raise FilesError(f"{source} is damaged: {problems[0]}")
    with closing(_open(copied)) as connection:
        found = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
        if not {(table,) for table in COUNTED} <= set(found):
            raise FilesError(f"{source} is not a dialer database")
        rows = {table: connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in COUNTED}  # noqa: S608 - our own names
    return Copy(copied.stat().st_size, rows)


def _refuse(source: Path, target: Path, *, overwrite: bool) -> None:
    if not source.is_file():
        raise FilesError(f"there is no database at {source}")
    if target.exists() and target.samefile(source):
        raise FilesError(f"{target} is the database itself")
    if target.exists() and not target.is_file():
        raise FilesError(f"{target} already exists and is no file")
    if target.exists() and not overwrite:
        raise FilesError(f"{target} already exists: --force replaces it")


@contextlib.contextmanager
def _alone(path: Path) -> Iterator[None]:
    """Keep all other processes from a database, if it exists and is readable, until the context ends.

    Raises:
        FilesError: another process has the database open.
    """
    with contextlib.ExitStack() as until_left:
        if path.exists():
            connection = until_left.enter_context(closing(_open(path, patience_ms=0)))
            try:
                # A connection can leave write-ahead logging only if no other is open.
                connection.execute("PRAGMA journal_mode=DELETE")
                connection.execute("BEGIN EXCLUSIVE")
            except sqlite3.DatabaseError as error:
                if error.sqlite_errorcode == sqlite3.SQLITE_BUSY:
                    raise FilesError(f"{path} is in use: stop the server first") from error
                # The database is damaged: that is a reason to replace it.
        yield


@contextlib.contextmanager
def _copied(source: Path, target: Path) -> Iterator[Path]:
    """Make a complete copy of a database beside `target`. Delete it at the end, unless it was renamed."""
    descriptor, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    os.close(descriptor)
    unfinished = Path(name)
    try:
        with closing(_open(source)) as original, closing(sqlite3.connect(unfinished)) as copied:
            original.backup(copied)
            # With a write-ahead log, the copy would become two files as soon as a process opens it.
            copied.execute("PRAGMA journal_mode=DELETE")
        yield unfinished
    finally:
        for suffix in ("", *_JOURNALS):
            Path(f"{name}{suffix}").unlink(missing_ok=True)


def _put(unfinished: Path, target: Path) -> None:
    """Rename a file to `target`, and make the new name durable."""
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
    """Return a connection to an existing database.

    Raises:
        FilesError: there is no file at `path`.
    """
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
