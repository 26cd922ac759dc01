"""Lists that users have uploaded and not imported yet: files in the media folder, for some hours.

An import locks its list, reads it in another process and renames it, so a list is a file of the system.
"""

import fcntl
import os
import re
import secrets
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

from dialer.domain.formats.media_files import FileFacts, MediaError, MediaFiles
from dialer.store.database.database import StorageUnavailableError
from dialer.store.media.folder import FolderMedia

KEPT_S: Final = 6 * 3_600
KEPT_OF_A_USER_MAX: Final = 10
"""Files that are kept for a user; the oldest goes first."""
KEPT_BYTES_OF_A_USER_MAX: Final = 500 * 1024 * 1024
FOLDER: Final = "lists"
TAKEN: Final = ".taken"
_SECOND_NS: Final = 1_000_000_000
_TOKEN: Final = re.compile(r"[0-9a-f]{32}")
_NAME: Final = re.compile(r"([0-9]{1,19})-[0-9a-f]{32}\.(?:list|taken|done|rejected|begun|part)")


class KeptList:
    """An uploaded list: its file, which one import takes, and the result of that import in its place.

    Each step renames the file, so of two imports at the same time one gets it, whichever processes they run in. The
    import locks the file. The lock ends with its process, so that a list is found whose import was cut off.
    """

    def __init__(self, path: Path) -> None:
        self.path: Final = path
        """The place of the list until an import takes it."""
        self.taken: Final = path.with_suffix(TAKEN)
        """The place of the list during its import."""
        self.rejected: Final = path.with_suffix(".rejected")
        """The place of the lines that an import has rejected, or would reject."""
        self._done: Final = path.with_suffix(".done")
        self._begun: Final = path.with_suffix(".begun")
        self._lock = -1

    @property
    def is_known(self) -> bool:
        """True if the folder has the list, an import of it, or a result of an import."""
        return any(place.exists() for place in (self.path, self.taken, self.rejected, self._done))

    @property
    def token(self) -> str:
        """The token of the list."""
        return self.path.stem.rpartition("-")[2]

    def claim(self) -> bool:
        """Take the list for an import; return False if another import has taken it, or it is gone."""
        if not self._has_locked(self.path):
            return False
        try:
            self.path.rename(self.taken)
        except FileNotFoundError:  # Another import has ended meanwhile.
            self._unlock()
            return False
        self.taken.touch()  # An old list is not removed during its import.
        return True

    def begin(self, record: bytes) -> None:
        """Keep a record of an import in progress, until the import has a result."""
        self._begun.write_bytes(record)

    def begun(self) -> bytes | None:
        """Return the record of the last import, if the import has no result; else None."""
        return _content(self._begun)

    def recover(self) -> None:
        """Allow the list to be imported again, if the process of its import has ended."""
        if self._has_locked(self.taken):
            self.give_back(is_cut_off=True)

    def give_back(self, *, is_cut_off: bool) -> None:
        """Allow the list to be imported again after an import without a result."""
        with suppress(FileNotFoundError):  # Another process has given it back.
            self.taken.rename(self.path)
        if not is_cut_off:
            self._begun.unlink(missing_ok=True)
        self._unlock()

    def finish(self, result: bytes) -> None:
        """Keep the result of the import in place of the list."""
        part = self._done.with_suffix(".part")  # A process that is killed meanwhile leaves the list as it was.
        part.write_bytes(result)
        part.rename(self._done)
        self.taken.unlink()
        self._begun.unlink(missing_ok=True)
        self._unlock()

    def result(self) -> bytes | None:
        """Return the result of the import; None before its end, and when it is gone."""
        return _content(self._done)

    def _has_locked(self, path: Path) -> bool:
        """Lock a file; return False if it is gone, or another import has locked it."""
        try:
            lock = os.open(path, os.O_RDONLY)
        except FileNotFoundError:
            return False
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(lock)
            return False
        self._lock = lock
        return True

    def _unlock(self) -> None:
        if self._lock >= 0:
            os.close(self._lock)
        self._lock = -1


class KeptLists:
    """The uploaded lists of all users. A file belongs to the user who has sent it, and its token cannot be guessed."""

    def __init__(self, media: FolderMedia) -> None:
        self._media: Final = media
        self._folder: Final = media.folder / FOLDER

    def begin(self, user_id: int, now_s: float) -> str:
        """Make an empty file for a user, and return its token. Old files go, and the oldest of too many.

        Raises:
            StorageUnavailableError: the folder cannot be written.
        """
        token = secrets.token_hex(16)
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._make_room(user_id, now_s)
            self.find(user_id, token).path.touch(mode=0o600, exist_ok=False)
        except OSError as error:
            raise StorageUnavailableError(f"the media folder cannot be written: {error.strerror}") from error
        except MediaError as error:
            raise StorageUnavailableError(f"the media folder cannot be written: {error}") from error
        return token

    def find(self, user_id: int, token: str) -> KeptList:
        """Return a list of a user, which may be gone.

        Raises:
            LookupError: the token is none.
        """
        if not is_token(token):
            raise LookupError(token)
        return KeptList(self._folder / f"{user_id}-{token}.list")

    def _make_room(self, user_id: int, now_s: float) -> None:
        for name in old_lists(self._media, now_s):
            self._media.delete(name)
        own = sorted(self._own(f"{FOLDER}/{user_id}-"))
        size = sum(facts.size for _, _, facts in own)
        while own and (len(own) >= KEPT_OF_A_USER_MAX or size > KEPT_BYTES_OF_A_USER_MAX):
            _, oldest, facts = own.pop(0)
            size -= facts.size
            self._media.delete(oldest)

    def _own(self, start: str) -> Iterator[tuple[int, str, FileFacts]]:
        """Yield the time of the last change, the name and the facts of a user's files, but for those of imports."""
        for name, facts in self._media.list_files(FOLDER):
            if name.startswith(start) and not name.endswith(TAKEN):
                yield facts.changed_ns, name, facts


def _content(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None


def is_token(text: str) -> bool:
    """Return whether a text may be the token of a list."""
    return _TOKEN.fullmatch(text) is not None


def old_lists(media: MediaFiles, now_s: float) -> Iterator[str]:
    """Yield the names of lists that were kept long enough. `now_s` is the time of the machine's clock in seconds."""
    for name, facts in media.list_files(FOLDER):
        if _NAME.fullmatch(name.removeprefix(f"{FOLDER}/")) and facts.changed_ns < (now_s - KEPT_S) * _SECOND_NS:
            yield name
