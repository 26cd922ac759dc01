"""Lock files beside a database: one lets a single process serve it, others show which of several processes live."""

import contextlib
import fcntl
import os
import secrets
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import BinaryIO, Final

_SUFFIX: Final = "-serving"
_MARK_BYTES: Final = 8
"""Random bytes of the name of a lock file."""


class ServedError(Exception):
    """Another process already serves the database; the message is one line."""


class DisplacedError(ServedError):
    """Raised when this process may no longer serve the database, because another process may have served it."""


class LockedPlace:
    """The place of a process that serves a database file: a lock on a file beside it."""

    def __init__(self, path: Path, file: BinaryIO | None) -> None:
        self._path: Final = path
        self._file: Final = file

    @property
    def is_locked(self) -> bool:
        """Return whether this process holds the lock file."""
        return self._file is not None

    def delete(self) -> None:
        """Delete the locked file, unless another one has taken its place."""
        if self._file is not None and _is_at(self._path, self._file):
            _delete(self._path)

    def take(self, driver: object) -> None:
        """Do nothing: the lock on the file holds for all connections."""

    def check(self) -> None:
        """Check that the locked file is still the one beside the database.

        Raises:
            DisplacedError: it was deleted or replaced, so another process may have locked the new one.
        """
        if self._file is not None and not _is_at(self._path, self._file):
            raise DisplacedError(
                f"the lock file {self._path} was deleted or replaced, so another process may serve the database"
            )


@contextlib.contextmanager
def serving_alone(database: Path) -> Iterator[LockedPlace]:
    """Hold the lock that lets one process of this machine serve a database file.

    The lock is on a file beside the database, which is deleted at the end. The file of a killed process remains, and
    locks nothing.

    Raises:
        ServedError: another process holds the lock.
    """
    with _serving(database, fcntl.LOCK_EX, "already") as (place, until_left):
        if place.is_locked:
            # The file is deleted while it is locked: a process that opens the path later creates another file.
            until_left.callback(place.delete)
        yield place


@contextlib.contextmanager
def serving_together(database: Path) -> Iterator[LockedPlace]:
    """Hold the lock that lets several processes of this machine serve a database file, and keeps `serving_alone` out.

    Raises:
        ServedError: a process serves the database alone.
    """
    with _serving(database, fcntl.LOCK_SH, "alone") as (place, _):
        yield place


@contextlib.contextmanager
def _serving(database: Path, kind: int, how: str) -> Iterator[tuple[LockedPlace, contextlib.ExitStack]]:
    path = database.with_name(f"{database.name}{_SUFFIX}")
    with contextlib.ExitStack() as until_left:
        try:
            place = LockedPlace(path, until_left.enter_context(_locked(path, kind)))
        except BlockingIOError:
            raise ServedError(f"another process serves {database} {how}") from None
        except OSError as error:
            if os.path.exists(path):  # noqa: PTH110 - a path that is too long is no error here
                why = error.strerror or error
                raise ServedError(f"cannot lock {path}: {why}; delete it if no process serves {database}") from None
            # If this file cannot be created, the database cannot be opened either, and opening it says why.
            place = LockedPlace(path, None)
        yield place, until_left


class LockFile:
    """A locked file beside a database: a sign that this process lives."""

    def __init__(self, database: Path) -> None:
        self.mark: Final = secrets.token_hex(_MARK_BYTES)
        self._path: Final = _sign_of(database, self.mark)
        self._file: Final = _locked(self._path)

    def is_lost(self) -> bool:
        """Return False: only the end of the process unlocks the file."""
        return False

    def close(self) -> None:
        """Delete and unlock the lock file."""
        _delete(self._path)
        self._file.close()


def present(database: Path, marks: Iterable[str]) -> frozenset[str]:
    """Return the marks whose files other processes, or this one, have locked. Delete the files of those that ended."""
    return frozenset(mark for mark in marks if _is_locked(_sign_of(database, mark)))


def _sign_of(database: Path, mark: str) -> Path:
    return database.with_name(f"{database.name}-worker-{mark}")


def _is_locked(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            _delete(path)
    except BlockingIOError:
        return True
    except FileNotFoundError:
        return False
    return False


def _locked(path: Path, kind: int = fcntl.LOCK_EX) -> BinaryIO:
    """Create and lock the file at `path`, and return it.

    Raises:
        BlockingIOError: another process has locked it.
    """
    while True:
        with contextlib.ExitStack() as on_failure:
            file = on_failure.enter_context(path.open("ab"))
            fcntl.flock(file, kind | fcntl.LOCK_NB)
            if _is_at(path, file):
                on_failure.pop_all()
                return file


def _is_at(path: Path, file: BinaryIO) -> bool:
    """Return whether `file` is still at `path`: its last owner may have deleted it before it was locked here."""
    try:
        return os.path.samestat(path.stat(), os.fstat(file.fileno()))
    except FileNotFoundError:
        return False


def _delete(path: Path) -> None:
    """Delete a file if possible. A file that remains locks nothing."""
    with contextlib.suppress(OSError):
        path.unlink()
