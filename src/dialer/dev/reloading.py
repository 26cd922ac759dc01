"""Files of records that are applied when the service begins, and again whenever they are saved."""

import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

LOOK_S: Final = 0.5
"""The time between two looks at the files."""
Stamps = tuple[tuple[int, int] | None, ...]


class Reloading:
    """The files that somebody edits while the service runs."""

    def __init__(self, files: Sequence[Path], apply: Callable[[], None]) -> None:
        self._files: Final = files
        self._apply: Final = apply
        self._is_over: Final = threading.Event()
        self._seen: Stamps = ()

    def look(self) -> bool:
        """Apply the files if one was saved since the last look, or at the first look. Return whether one was."""
        stamps = tuple(map(_stamp, self._files))
        if stamps == self._seen or not self._files:
            return False
        self._seen = stamps
        self._apply()
        return True

    def run(self) -> None:
        """Look until `end`, in a thread of its own."""
        while not self._is_over.wait(LOOK_S):
            self.look()

    def end(self) -> None:
        """End `run`."""
        self._is_over.set()


def _stamp(path: Path) -> tuple[int, int] | None:
    """Return the time at which a file was saved, and its size; None while an editor replaces it."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size
