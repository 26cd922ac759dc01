"""Recordings in the media folder, of callees and uploaded ones: reading and deleting them."""

import os
import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, NamedTuple

from dialer.domain.sessions.leg_protocol import SPEECH_FOLDER
from dialer.store.database import StorageUnavailableError

PIECE_BYTES: Final = 256 * 1024
"""Maximum number of bytes that one read returns."""
_NAME: Final = re.compile(r"[0-9A-Za-z][0-9A-Za-z_-]{0,120}\.wav", re.ASCII)


def delete_recording(folder: Path, name: str) -> None:
    """Delete a recording. Ignore a missing file, and names that are not names of recordings.

    Raises:
        StorageUnavailableError: the file exists and cannot be deleted.
    """
    if not _NAME.fullmatch(name):
        return
    try:
        (folder / name).unlink(missing_ok=True)
    except OSError as error:
        raise StorageUnavailableError(f"a recording cannot be deleted: {error.strerror}") from error


def delete_speech(folder: Path) -> None:
    """Delete the texts that were spoken in calls: they may name people, and are spoken again when they are needed.

    Raises:
        StorageUnavailableError: a file exists and cannot be deleted.
    """
    try:
        for path in (folder / SPEECH_FOLDER).glob("*.wav"):
            path.unlink(missing_ok=True)
    except OSError as error:
        raise StorageUnavailableError(f"a spoken text cannot be deleted: {error.strerror}") from error


def read_piece(folder: Path, name: str, offset: int) -> bytes | None:
    """Return up to `PIECE_BYTES` bytes of a recording from `offset`, none at its end; None if there is no such file.

    Only regular files directly in the folder are read. Any other name counts as missing.
    """
    with _opened(folder, name) as descriptor:
        return None if descriptor is None else os.pread(descriptor, PIECE_BYTES, offset)


class FileFacts(NamedTuple):
    """The size of a file in bytes, and the time of its last change in nanoseconds."""

    size: int
    changed_ns: int


def facts_of(folder: Path, name: str) -> FileFacts | None:
    """Return the facts of a recording; None if there is no such file. Names are judged as by `read_piece`."""
    with _opened(folder, name) as descriptor:
        if descriptor is None:
            return None
        found = os.fstat(descriptor)
        return FileFacts(found.st_size, found.st_mtime_ns)


@contextmanager
def _opened(folder: Path, name: str) -> Iterator[int | None]:
    """Open a regular file directly in the folder; None if there is none."""
    if not _NAME.fullmatch(name):
        yield None
        return
    try:
        # A link may lead out of the folder, and a pipe may block for ever.
        descriptor = os.open(folder / name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        yield None
        return
    try:
        yield descriptor if stat.S_ISREG(os.fstat(descriptor).st_mode) else None
    finally:
        os.close(descriptor)
