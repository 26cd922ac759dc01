"""Sounds that clients have sent before the records that refer to them: media files, for some hours."""

import re
from collections.abc import Iterator
from typing import Final

from dialer.domain.formats.media_files import MediaError, MediaFiles
from dialer.store.database.database import StorageUnavailableError
from dialer.store.media.files import USER_BYTES_MAX, USER_FILES_MAX

KEPT_S: Final = 6 * 3_600
FOLDER: Final = "waiting-sounds"
_SECOND_NS: Final = 1_000_000_000
_DIGEST: Final = re.compile(r"[0-9a-f]{64}")
_NAME: Final = re.compile(r"\.?([0-9]{1,19})-[0-9a-f]{64}(?:\.[0-9a-f]{16})?")


class WaitingSounds:
    """The sounds that one user has sent, known by the SHA-256 of their content."""

    def __init__(self, media: MediaFiles, user_id: int) -> None:
        self._media: Final = media
        self._user_id: Final = user_id

    def keep(self, digest: str, content: bytes, now_s: float) -> None:
        """Keep a sound. Old ones go, and the oldest of too many.

        Raises:
            StorageUnavailableError: the folder cannot be written.
        """
        try:
            self._make_room(len(content), now_s)
            self._media.save(self._name(digest), content, is_lasting=False)
        except MediaError as error:
            raise StorageUnavailableError(f"the media folder cannot be written: {error}") from error

    def read(self, digest: str) -> bytes | None:
        """Return a sound; None if it does not wait, or not any more."""
        return self._media.read(self._name(digest)) if is_digest(digest) else None

    def _name(self, digest: str) -> str:
        return f"{FOLDER}/{self._user_id}-{digest}"

    def _make_room(self, size: int, now_s: float) -> None:
        for name in old_sounds(self._media, now_s):
            self._media.delete(name)
        start = self._name("")
        own = sorted(
            (facts.changed_ns, facts.size, name)
            for name, facts in self._media.list_files(FOLDER)
            if name.startswith(start)
        )
        used = sum(bytes_of_file for _, bytes_of_file, _ in own) + size
        while own and (len(own) >= USER_FILES_MAX or used > USER_BYTES_MAX):
            _, bytes_of_file, oldest = own.pop(0)
            used -= bytes_of_file
            self._media.delete(oldest)


def is_digest(text: str) -> bool:
    """Return whether a text may be the SHA-256 of a content, in hexadecimal digits."""
    return _DIGEST.fullmatch(text) is not None


def old_sounds(media: MediaFiles, now_s: float) -> Iterator[str]:
    """Yield the names of sounds that were kept long enough. `now_s` is the time of the machine's clock in seconds."""
    for name, facts in media.list_files(FOLDER):
        if _NAME.fullmatch(name.removeprefix(f"{FOLDER}/")) and facts.changed_ns < (now_s - KEPT_S) * _SECOND_NS:
            yield name
