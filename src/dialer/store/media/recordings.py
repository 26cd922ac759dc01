"""Recordings of callees in the media folder: reading and deleting them."""

import os
import re
import stat
from pathlib import Path
from typing import Final

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


def read_piece(folder: Path, name: str, offset: int) -> bytes | None:
    """Return up to `PIECE_BYTES` bytes of a recording from `offset`, none at its end; None if there is no such file.

    Only regular files directly in the folder are read. Any other name counts as missing.
    """
    if not _NAME.fullmatch(name):
        return None
    try:
        # A link may lead out of the folder, and a pipe may block for ever.
        descriptor = os.open(folder / name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return None
    try:
        is_file = stat.S_ISREG(os.fstat(descriptor).st_mode)
        return os.pread(descriptor, PIECE_BYTES, offset) if is_file else None
    finally:
        os.close(descriptor)
