"""Recordings of callees, read back from the media folder."""

import os
import re
import stat
from pathlib import Path
from typing import Final

from dialer.store.database import StorageUnavailableError

PIECE_BYTES: Final = 256 * 1024
"""How much of a recording is read at once."""
_NAME: Final = re.compile(r"[0-9A-Za-z][0-9A-Za-z_-]{0,120}\.wav", re.ASCII)


def delete_recording(folder: Path, name: str) -> None:
    """Delete a recording; one that is not there, or a name that is that of none, is no error.

    Raises:
        StorageUnavailableError: it is there and cannot be deleted.
    """
    if not _NAME.fullmatch(name):
        return
    try:
        (folder / name).unlink(missing_ok=True)
    except OSError as error:
        raise StorageUnavailableError(f"a recording cannot be deleted: {error.strerror}") from error


def read_piece(folder: Path, name: str, offset: int) -> bytes | None:
    """The bytes of a recording from `offset` on, `PIECE_BYTES` at most, empty at its end; None if it is not there.

    Only a plain file directly in the folder is read: the name of anything else is that of no recording.
    """
    if not _NAME.fullmatch(name):
        return None
    try:
        # Neither a link that leads elsewhere, nor a pipe that never has anything to say.
        descriptor = os.open(folder / name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return None
    try:
        is_file = stat.S_ISREG(os.fstat(descriptor).st_mode)
        return os.pread(descriptor, PIECE_BYTES, offset) if is_file else None
    finally:
        os.close(descriptor)
