"""Recordings among the media files, of callees and uploaded ones: reading and deleting them."""

import re
from typing import Final

from dialer.domain.formats.media_files import FileFacts, MediaError, MediaFiles
from dialer.domain.sessions.leg_protocol import SPEECH_FOLDER
from dialer.store.database.database import StorageUnavailableError

PIECE_BYTES: Final = 256 * 1024
"""Maximum number of bytes that one read returns."""
_FOLDER: Final = f"{SPEECH_FOLDER}/"
_NAME: Final = re.compile(r"[0-9A-Za-z][0-9A-Za-z_-]{0,120}\.wav", re.ASCII)


def delete_recording(media: MediaFiles, name: str) -> None:
    """Delete a recording. Ignore a missing file, and names that are not names of recordings.

    Raises:
        StorageUnavailableError: the file exists and cannot be deleted.
    """
    if not _NAME.fullmatch(name):
        return
    try:
        media.delete(name)
    except MediaError as error:
        raise StorageUnavailableError(f"a recording cannot be deleted: {error}") from error


def delete_speech(media: MediaFiles) -> None:
    """Delete the texts that were spoken in calls: they may name people, and are spoken again when they are needed.

    Raises:
        StorageUnavailableError: a file exists and cannot be deleted.
    """
    try:
        for name, _ in media.list_files(SPEECH_FOLDER):
            media.delete(name)
    except MediaError as error:
        raise StorageUnavailableError(f"a spoken text cannot be deleted: {error}") from error


def read_piece(media: MediaFiles, name: str, offset: int) -> bytes | None:
    """Return up to `PIECE_BYTES` bytes of a recording from `offset`, none at its end; None if there is no such file.

    Only recordings and spoken texts are read. Any other name counts as missing.
    """
    return media.read(name, offset, PIECE_BYTES) if _is_sound(name) else None


def facts_of(media: MediaFiles, name: str) -> FileFacts | None:
    """Return the facts of a recording; None if there is no such file. Names are judged as by `read_piece`."""
    return media.facts(name) if _is_sound(name) else None


def _is_sound(name: str) -> bool:
    return _NAME.fullmatch(name.removeprefix(_FOLDER)) is not None
