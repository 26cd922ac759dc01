"""Media files in a folder: readable by the service alone, and complete or absent."""

import contextlib
import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from dialer.domain.formats.media_files import FileFacts, MediaError, parts_of_name

_READ_AT_ONCE_BYTES: Final = 1 << 20


class FolderMedia:
    """The media files of a folder, which is made with the first of them."""

    def __init__(self, folder: Path) -> None:
        self.folder: Final = folder
        """The folder itself, for those who need files of the system: locks, and programs beside the service."""

    def save(self, name: str, content: bytes, *, zeros: int = 0, is_lasting: bool = True) -> None:
        """Save a file whole or not at all. Zeros take almost no space on disk.

        Raises:
            MediaError: it cannot be written. Nothing of it remains.
        """
        parts = parts_of_name(name)
        if parts is None or parts[1].startswith("."):
            raise MediaError(f"{name!r} is no name of a file")
        path = self.folder.joinpath(*parts)
        unfinished = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
        try:
            for folder in dict.fromkeys((self.folder, path.parent)):
                folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            _write(unfinished, content, zeros, is_lasting=is_lasting)
            unfinished.rename(path)
            if is_lasting:
                _sync_folder(path.parent)
        except OSError as error:
            with contextlib.suppress(OSError):
                unfinished.unlink(missing_ok=True)
            raise MediaError(error.strerror) from error

    def read(self, name: str, start: int = 0, size: int | None = None) -> bytes | None:
        """Return a part of a regular file; None if there is none. Links are not followed."""
        with self._opened(name) as descriptor:
            if descriptor is None:
                return None
            if size is not None:
                return os.pread(descriptor, size, start)
            pieces: list[bytes] = []
            while piece := os.pread(descriptor, _READ_AT_ONCE_BYTES, start):
                pieces.append(piece)
                start += len(piece)
            return b"".join(pieces)

    def facts(self, name: str) -> FileFacts | None:
        """Return the facts of a regular file; None if there is none."""
        with self._opened(name) as descriptor:
            return None if descriptor is None else _facts(os.fstat(descriptor))

    def list_files(self, folder: str = "") -> Iterator[tuple[str, FileFacts]]:
        """Yield the names and the facts of the regular files of a folder.

        Raises:
            MediaError: they cannot be listed.
        """
        prefix = f"{folder}/" if folder else ""
        try:
            found = list(os.scandir(self.folder / folder))
        except (FileNotFoundError, NotADirectoryError):
            return
        except OSError as error:
            raise MediaError(error.strerror) from error
        for entry in found:
            with contextlib.suppress(FileNotFoundError):  # Somebody has just deleted it.
                status = entry.stat(follow_symlinks=False)
                if stat.S_ISREG(status.st_mode):
                    yield f"{prefix}{entry.name}", _facts(status)

    def delete(self, name: str) -> None:
        """Delete a file. Ignore one that is missing.

        Raises:
            MediaError: it exists and cannot be deleted.
        """
        parts = parts_of_name(name)
        if parts is None:
            return
        try:
            self.folder.joinpath(*parts).unlink(missing_ok=True)
        except OSError as error:
            raise MediaError(error.strerror) from error

    @contextmanager
    def _opened(self, name: str) -> Iterator[int | None]:
        """Open a regular file; None if there is none."""
        parts = parts_of_name(name)
        if parts is None or parts[1].startswith("."):
            yield None
            return
        try:
            # A link may lead out of the folder, and a pipe may block for ever.
            descriptor = os.open(self.folder.joinpath(*parts), os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        except OSError:
            yield None
            return
        try:
            yield descriptor if stat.S_ISREG(os.fstat(descriptor).st_mode) else None
        finally:
            os.close(descriptor)


def _facts(status: os.stat_result) -> FileFacts:
    return FileFacts(status.st_size, status.st_mtime_ns)


def _write(path: Path, content: bytes, zeros: int, *, is_lasting: bool) -> None:
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(content)
        file.truncate(len(content) + zeros)
        if is_lasting:
            file.flush()
            os.fsync(file.fileno())


def _sync_folder(folder: Path) -> None:
    """Make a rename durable: the name belongs to the folder, not to the file."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
