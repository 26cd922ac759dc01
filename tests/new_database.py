"""New databases for tests. Copies of one that was migrated take a hundredth of the time of a migration."""

import tempfile
from functools import cache
from pathlib import Path

from dialer.store import migrate
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
    if choice.is_postgresql():
        return choice.server_url()
    path = folder / "dialer.db"
    if not path.exists():
        path.write_bytes(_migrated())
    return f"sqlite+aiosqlite:///{path}"
