"""Sounds that clients have sent before the records that refer to them: files in the media folder, for some hours."""

import os
import re
import secrets
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

from dialer.store.database import StorageUnavailableError
from dialer.store.media.files import USER_BYTES_MAX, USER_FILES_MAX

KEPT_S: Final = 6 * 3_600
FOLDER: Final = "waiting-sounds"
_DIGEST: Final = re.compile(r"[0-9a-f]{64}")
_NAME: Final = re.compile(r"\.?([0-9]{1,19})-[0-9a-f]{64}(?:\.[0-9a-f]{16})?")


class WaitingSounds:
    """The sounds that one user has sent, known by the SHA-256 of their content."""

    def __init__(self, media: Path, user_id: int) -> None:
        self._folder: Final = media / FOLDER
        self._user_id: Final = user_id

    def keep(self, digest: str, content: bytes, now_s: float) -> None:
        """Keep a sound. Old ones go, and the oldest of too many.

        Raises:
            StorageUnavailableError: the folder cannot be written.
        """
        path = self._path(digest)
        unfinished = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._make_room(len(content), now_s)
            with os.fdopen(os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
                file.write(content)
            unfinished.rename(path)
        except OSError as error:
            with suppress(OSError):
                unfinished.unlink(missing_ok=True)
            raise StorageUnavailableError(f"the media folder cannot be written: {error.strerror}") from error

    def read(self, digest: str) -> bytes | None:
        """Return a sound; None if it does not wait, or not any more."""
        if not is_digest(digest):
            return None
        try:
            return self._path(digest).read_bytes()
        except FileNotFoundError:
            return None

    def _path(self, digest: str) -> Path:
        return self._folder / f"{self._user_id}-{digest}"

    def _make_room(self, size: int, now_s: float) -> None:
        for path in old_sounds(self._folder.parent, now_s):
            path.unlink(missing_ok=True)
        own = sorted(_ages(self._folder.glob(f"{self._user_id}-*")))
        used = sum(bytes_of_file for _, bytes_of_file, _ in own) + size
        while own and (len(own) >= USER_FILES_MAX or used > USER_BYTES_MAX):
            _, bytes_of_file, oldest = own.pop(0)
            used -= bytes_of_file
            oldest.unlink(missing_ok=True)


def is_digest(text: str) -> bool:
    """Return whether a text may be the SHA-256 of a content, in hexadecimal digits."""
    return _DIGEST.fullmatch(text) is not None


def old_sounds(media: Path, now_s: float) -> Iterator[Path]:
    """Yield the sounds that were kept long enough. `now_s` is the time of the machine's clock in seconds."""
    folder = media / FOLDER
    for path in folder.iterdir() if folder.is_dir() else ():
        with suppress(FileNotFoundError):
            if _NAME.fullmatch(path.name) and path.lstat().st_mtime < now_s - KEPT_S:
                yield path


def _ages(paths: Iterator[Path]) -> Iterator[tuple[float, int, Path]]:
    """Yield the time of the last change, the size and the path of files."""
    for path in paths:
        with suppress(FileNotFoundError):  # Another request has just taken it away.
            status = path.lstat()
            yield status.st_mtime, status.st_size, path
