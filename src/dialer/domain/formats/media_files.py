"""The five verbs of media files: save, read a part, list, tell facts, delete."""

from collections.abc import Iterator
from typing import NamedTuple, Protocol


class MediaError(Exception):
    """A file cannot be written or deleted; the message says why."""


class StoreAwayError(MediaError):
    """The place of the files does nothing just now, with this file or any other; the message says why."""


class FileFacts(NamedTuple):
    """The size of a file in bytes, and the time of its last change in nanoseconds."""

    size: int
    changed_ns: int


class MediaFiles(Protocol):
    """Files of media: recordings, prompts, spoken texts. Methods may be called from threads.

    A name is that of a file, or of a folder, a slash and a file. Neither begins with a dot. Any other name is that of
    no file. Nobody need know where the files are.
    """

    def save(self, name: str, content: bytes, *, zeros: int = 0, is_lasting: bool = True) -> None:
        """Save a file whole or not at all, in place of one with its name. So many `zeros` follow its content.

        If it `is_lasting`, no failure of power takes it away after the return.

        Raises:
            MediaError: the file cannot be written. Nothing of it remains.
        """

    def read(self, name: str, start: int = 0, size: int | None = None) -> bytes | None:
        """Return up to `size` bytes of a file from `start`, all that follow without a size; None if there is no file.

        No bytes mean its end.
        """

    def facts(self, name: str) -> FileFacts | None:
        """Return the facts of a file; None if there is none."""

    def list_files(self, folder: str = "") -> Iterator[tuple[str, FileFacts]]:
        """Yield the names of the files outside of folders, or in a folder, and their facts.

        The names of those that a broken `save` has left begin with a dot.

        Raises:
            MediaError: they cannot be listed.
        """

    def delete(self, name: str) -> None:
        """Delete a file, also one that a broken `save` has left. Ignore names of no file.

        Raises:
            MediaError: the file exists and cannot be deleted.
        """


def parts_of_name(name: str) -> tuple[str, str] | None:
    """Return the folder, which may be empty, and the file of a name; None if no file has such a name."""
    folder, slash, file = name.rpartition("/")
    is_fit = "/" not in folder and bool(folder) == bool(slash) and not folder.startswith(".")
    return (folder, file) if is_fit and file and not {"\\", "\0"} & set(name) and file not in {".", ".."} else None
