"""The version of this program, with the commit of a checkout."""

import subprocess
from pathlib import Path
from typing import Final

from dialer import __version__

ROOT: Final = Path(__file__).parents[3]
GIT_S_MAX: Final = 5


def version_in_words(root: Path = ROOT) -> str:
    """Return the version. That of a wheel has its commit; the plain one of a checkout is followed by it."""
    commit = "" if "+" in __version__ else _commit_of(root)
    return f"{__version__} (commit {commit})" if commit else __version__


def _commit_of(root: Path) -> str:
    """Return the name of the commit of a checkout; an empty text if the folder is none, or git is missing."""
    if not (root / ".git").exists():
        return ""
    try:
        done = subprocess.run(
            ["git", "rev-parse", "--short=8", "HEAD"],  # noqa: S607 - the user's git
            cwd=root,
            capture_output=True,
            text=True,
            timeout=GIT_S_MAX,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip()
