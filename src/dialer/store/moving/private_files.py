"""Files that only the user of the service may read: new ones by the umask, old ones by a change of their mode."""

import os
import stat
from pathlib import Path
from typing import Final

OTHERS: Final = stat.S_IRWXO
"""Rights of users who are neither the owner nor in the group."""
ALL_BUT_OWNER: Final = stat.S_IRWXG | stat.S_IRWXO


def make_new_files_private() -> None:
    """Set the umask of this process, so that only its user can read and write new files and folders."""
    os.umask(os.umask(ALL_BUT_OWNER) | ALL_BUT_OWNER)


def take_rights(path: Path, rights: int) -> bool:
    """Remove rights of other users from a file or a folder. Return whether there were any.

    Raises:
        PermissionError: its mode cannot be changed, because it belongs to another user.
    """
    try:
        mode = stat.S_IMODE(path.stat().st_mode)
        if mode & rights:
            path.chmod(mode & ~rights)
    except (FileNotFoundError, NotADirectoryError):
        return False
    return bool(mode & rights)


def files_beside(database: Path) -> list[Path]:
    """Return a database file with the files of its name beside it: journals and locks."""
    return [database, *sorted(database.parent.glob(f"{_literal(database.name)}-*"))]


def _literal(name: str) -> str:
    """Return a name as a pattern that only the name itself fits."""
    return "".join(f"[{character}]" if character in "*?[" else character for character in name)
