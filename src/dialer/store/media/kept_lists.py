"""Lists that users have uploaded and not imported yet: files in the media folder, for some hours."""

import re
import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from dialer.store.database import StorageUnavailableError

KEPT_S: Final = 6 * 3_600
KEPT_OF_A_USER_MAX: Final = 10
"""Files that are kept for a user; the oldest goes first."""
KEPT_BYTES_OF_A_USER_MAX: Final = 500 * 1024 * 1024
FOLDER: Final = "lists"
_TOKEN: Final = re.compile(r"[0-9a-f]{32}")
_NAME: Final = re.compile(r"([0-9]{1,19})-[0-9a-f]{32}\.(?:list|rejected)")


class KeptLists:
    """The uploaded lists of all users. A file belongs to the user who has sent it, and its token cannot be guessed."""

    def __init__(self, media: Path) -> None:
        self._folder: Final = media / FOLDER

    def begin(self, user_id: int, now_s: float) -> str:
        """Make an empty file for a user, and return its token. Old files go, and the oldest of too many.

        Raises:
            StorageUnavailableError: the folder cannot be written.
        """
        token = secrets.token_hex(16)
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._make_room(user_id, now_s)
            path = self.path(user_id, token)
            path.touch(mode=0o600, exist_ok=False)
        except OSError as error:
            raise StorageUnavailableError(f"the media folder cannot be written: {error.strerror}") from error
        return token

    def path(self, user_id: int, token: str) -> Path:
        """Return the place of a list.

        Raises:
            LookupError: the token is none.
        """
        return self._place(user_id, token, "list")

    def rejected_path(self, user_id: int, token: str) -> Path:
        """Return the place of the rejected lines of a list that was imported; raise LookupError as `path`."""
        return self._place(user_id, token, "rejected")

    def delete(self, user_id: int, token: str) -> None:
        """Delete a list, but not its rejected lines."""
        self.path(user_id, token).unlink(missing_ok=True)

    def _place(self, user_id: int, token: str, kind: str) -> Path:
        if not is_token(token):
            raise LookupError(token)
        return self._folder / f"{user_id}-{token}.{kind}"

    def _make_room(self, user_id: int, now_s: float) -> None:
        for path in old_lists(self._folder.parent, now_s):
            path.unlink(missing_ok=True)
        own = sorted(self._folder.glob(f"{user_id}-*"), key=lambda path: path.stat().st_mtime)
        size = sum(path.stat().st_size for path in own)
        while own and (len(own) >= KEPT_OF_A_USER_MAX or size > KEPT_BYTES_OF_A_USER_MAX):
            oldest = own.pop(0)
            size -= oldest.stat().st_size
            oldest.unlink(missing_ok=True)


def is_token(text: str) -> bool:
    """Return whether a text may be the token of a list."""
    return _TOKEN.fullmatch(text) is not None


def old_lists(media: Path, now_s: float) -> Iterator[Path]:
    """Yield the lists that were kept long enough. `now_s` is the time of the machine's clock in seconds."""
    folder = media / FOLDER
    for path in folder.iterdir() if folder.is_dir() else ():
        if _NAME.fullmatch(path.name) and path.lstat().st_mtime < now_s - KEPT_S:
            yield path
