"""Uploaded recordings under random names, recordings of silence, and the room that a user has for them."""

import re
import secrets
import struct
from typing import Final

import structlog
from sqlalchemy import Connection, func, select

from dialer.domain.formats.media_files import MediaError, MediaFiles
from dialer.domain.words.sentences import Grouped, Sentence
from dialer.store.database.database import StorageUnavailableError
from dialer.store.tables import AudioFile

AUDIO_BYTES_MAX: Final = 20 * 1024 * 1024
USER_BYTES_MAX: Final = 500 * 1024 * 1024
USER_FILES_MAX: Final = 1_000
RECORDING_HZ: Final = 8_000
_SAMPLE_BYTES: Final = 2
_NAME: Final = re.compile(r"[0-9a-f]{32}\.wav")
_LOGGER: Final = structlog.get_logger(__name__)


class QuotaError(Exception):
    """The user has no room for one more file; the message is for that user."""


class Media:
    """The uploaded files.

    A file is saved before the row that refers to it is written, and deleted after the row is deleted. So a crash in
    between leaves a file without a row, never a row without its file.
    """

    def __init__(self, files: MediaFiles) -> None:
        self._files: Final = files

    def save(self, content: bytes) -> str:
        """Save `content` durably under a random name, and return the name.

        Raises:
            StorageUnavailableError: the file cannot be written. Nothing of it remains.
        """
        name = f"{secrets.token_hex(16)}.wav"
        try:
            self._files.save(name, content)
        except MediaError as error:
            raise _unwritable(error) from error
        return name

    def save_silence(self, name: str, length_ms: int) -> None:
        """Save a recording of silence under `name`: a WAV file of 16-bit mono samples, `RECORDING_HZ` a second.

        To save it again gives an identical file.

        Raises:
            StorageUnavailableError: the file cannot be written.
        """
        size = length_ms * RECORDING_HZ // 1_000 * _SAMPLE_BYTES
        try:
            self._files.save(name, _wav_header(size), zeros=size, is_lasting=False)
        except MediaError as error:
            raise _unwritable(error) from error

    def delete(self, name: str) -> None:
        """Delete a file that `save` made. Ignore other names and missing files."""
        if not _NAME.fullmatch(name):
            return
        try:
            self._files.delete(name)
        except MediaError as error:
            _LOGGER.warning("an unused media file cannot be deleted", file=name, error=str(error))


def _unwritable(error: MediaError) -> StorageUnavailableError:
    return StorageUnavailableError(f"the media folder cannot be written: {error}")


def check_quota(connection: Connection, user_id: int, size: int) -> None:
    """Check that a user may store `size` more bytes. Call it in the transaction that adds the file.

    Raises:
        QuotaError: the user would have too many files, or too many bytes.
    """
    count, used = connection.execute(
        select(func.count(), func.coalesce(func.sum(AudioFile.size), 0)).where(AudioFile.user_id == user_id)
    ).one()
    if count >= USER_FILES_MAX:
        raise QuotaError(Sentence("A user may keep %(most)s files.", most=Grouped(USER_FILES_MAX)))
    if used + size > USER_BYTES_MAX:
        raise QuotaError(Sentence("A user may keep %(most)s MiB of files.", most=USER_BYTES_MAX // 1024**2))


def _wav_header(size: int) -> bytes:
    """Return the header of a WAV file with `size` bytes of PCM samples."""
    rate = RECORDING_HZ * _SAMPLE_BYTES
    fmt = struct.pack("<4sIHHIIHH", b"fmt ", 16, 1, 1, RECORDING_HZ, rate, _SAMPLE_BYTES, 8 * _SAMPLE_BYTES)
    data = struct.pack("<4sI", b"data", size)
    return struct.pack("<4sI4s", b"RIFF", 4 + len(fmt) + len(data) + size, b"WAVE") + fmt + data
