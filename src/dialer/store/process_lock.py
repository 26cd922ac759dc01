"""One process serves a database: a second one would dial whom the first one dials."""

import contextlib
import fcntl
from collections.abc import Iterator
from pathlib import Path
from typing import Final

_SUFFIX: Final = "-serving"


class ServedError(Exception):
    """Raised when another process serves the database already: one line that says so."""


@contextlib.contextmanager
def serving_alone(database: Path) -> Iterator[None]:
    """While this is entered, no other process of this machine can enter it for the same database file.

    The lock is the process's and not the file's, which stays behind, empty: whoever is killed lets it go.

    Raises:
        ServedError: another process has entered it.
    """
    with contextlib.ExitStack() as until_left:
        # Where no file can be made the database cannot be opened either, and opening it says why.
        with contextlib.suppress(OSError):
            file = until_left.enter_context(database.with_name(f"{database.name}{_SUFFIX}").open("ab"))
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise ServedError(f"another process serves {database} already") from None
        yield
