"""New databases for tests. Copies of one that was migrated take a hundredth of the time of a migration."""

import tempfile
from functools import cache
from pathlib import Path

from dialer.store.database import migrate
from tests.databases import choice


@cache
def _migrated() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "dialer.db"
        migrate.upgrade(f"sqlite:///{path}")
        assert sorted(Path(folder).iterdir()) == [path]
        return path.read_bytes()


def new_database(folder: Path) -> str:
    """Create an empty, migrated `dialer.db` in a folder unless there is one, and return its URL.

    In a run with `--database postgresql`, return the URL of an empty database of the server.
    """
    return choice.server_url() if choice.is_postgresql() else new_file(folder)


def new_file(folder: Path, name: str = "dialer.db") -> str:
    """Create an empty, migrated database file in a folder unless there is one, and return its URL."""
    path = folder / name
    if not path.exists():
        path.touch(mode=0o600)
        path.write_bytes(_migrated())
    return f"sqlite+aiosqlite:///{path}"
