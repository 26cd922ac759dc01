"""Media files in memory, for a call that leaves nothing behind."""

from collections.abc import Iterator
from itertools import count
from typing import Final

from dialer.domain.formats.media_files import FileFacts, MediaError, parts_of_name


class MemoryMedia:
    """Media files that are gone with this object. Each change of one is later than all before."""

    def __init__(self) -> None:
        self._files: Final[dict[str, tuple[bytes, int]]] = {}
        self._changes: Final = count(1)

    def save(self, name: str, content: bytes, *, zeros: int = 0, is_lasting: bool = True) -> None:  # noqa: ARG002 - nothing lasts
        """Keep a file.

        Raises:
            MediaError: no file has such a name.
        """
        parts = parts_of_name(name)
        if parts is None or parts[1].startswith("."):
            raise MediaError(f"{name!r} is no name of a file")
        self._files[name] = content + bytes(zeros), next(self._changes)

    def read(self, name: str, start: int = 0, size: int | None = None) -> bytes | None:
        """Return a part of a file; None if there is none."""
        content, _ = self._files.get(name, (None, 0))
        return None if content is None else content[start : None if size is None else start + size]

    def facts(self, name: str) -> FileFacts | None:
        """Return the facts of a file; None if there is none."""
        content, changed = self._files.get(name, (None, 0))
        return None if content is None else FileFacts(len(content), changed)

    def list_files(self, folder: str = "") -> Iterator[tuple[str, FileFacts]]:
        """Yield the names and the facts of the files of a folder."""
        for name, (content, changed) in tuple(self._files.items()):
            if name.rpartition("/")[0] == folder:
                yield name, FileFacts(len(content), changed)

    def delete(self, name: str) -> None:
        """Delete a file. Ignore one that is missing."""
        self._files.pop(name, None)
