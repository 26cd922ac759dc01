"""Files of records that are applied when the service begins, and again whenever they are saved."""

import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

LOOK_S: Final = 0.5
"""The time between two looks at the files."""
Stamp = tuple[int, int] | None


class Reloading:
    """Files that are applied again whenever a user saves them.

    `apply` returns the files that these files name. Those are watched, too.
    """

    def __init__(self, files: Sequence[Path], apply: Callable[[], Sequence[Path]]) -> None:
        self._files: Final = files
        self._apply: Final = apply
        self._is_over: Final = threading.Event()
        self._beside: Sequence[Path] = ()
        self._seen: dict[Path, Stamp] = {}

    def look(self) -> bool:
        """Apply the files if any was saved since the last look, or at the first look. Return whether it did."""
        stamps = {path: _stamp(path) for path in (*self._files, *self._beside)}
        if stamps == self._seen or not self._files:
            return False
        self._beside = self._apply()
        # A file that was saved meanwhile is looked at again. One that was not known before is as it was read.
        named = {path: stamps[path] if path in stamps else _stamp(path) for path in self._beside}
        self._seen = {path: stamps[path] for path in self._files} | named
        return True

    def run(self) -> None:
        """Watch the files until `end`, in a separate thread."""
        while not self._is_over.wait(LOOK_S):
            self.look()

    def end(self) -> None:
        """End the watch over the files, so that `run` returns."""
        self._is_over.set()


def _stamp(path: Path) -> Stamp:
    """Return the time at which a file was saved, and its size; None while an editor replaces it."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size
