"""Tests of migrations that are killed before a statement: the next start finishes them."""

import hashlib
import re
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from sqlalchemy import Engine, event

from dialer.store.database import migrate
from tests.store.later import NEWEST, filled, use_later_migrations


class Killed:
    """Copies of the files of a process at each statement, as a kill would leave them."""

    def __init__(self, database: Path) -> None:
        self._database = database
        self._known: dict[bytes, Path] = {}
        """Copies by the content of their files, because most statements leave the files as they are."""
        self.left: list[Path] = []
        self.steps: dict[str, Path] = {}
        """By revision, the copy right before its commit."""

    def before(self, _connection: object, _cursor: object, statement: str, values: object, *_: object) -> None:
        """Copy all files, as a kill would leave them."""
        paths = sorted(self._database.parent.glob(f"{self._database.name}*"))
        digest = hashlib.sha256()
        for path in paths:
            if not path.name.endswith("-shm"):  # The index of the log is not read after a kill.
                digest.update(path.name.encode() + path.read_bytes())
        if digest.digest() not in self._known:
            folder = self._database.parent / f"killed-{len(self._known)}"
            folder.mkdir()
            for path in paths:
                shutil.copy(path, folder)
            self._known[digest.digest()] = folder / self._database.name
        self.left.append(self._known[digest.digest()])
        if "alembic_version" in statement and statement.startswith(("INSERT", "UPDATE")):
            self.steps[statement + str(values)] = self.left[-1]


@contextmanager
def killing(database: Path) -> Iterator[Killed]:
    """Copy the files before each statement."""
    killed = Killed(database)
    event.listen(Engine, "before_cursor_execute", killed.before)
    yield killed
    event.remove(Engine, "before_cursor_execute", killed.before)


def contents(path: Path) -> tuple[str, ...]:
    """Return the whole content of a database, with the constraints of each table sorted."""
    with closing(sqlite3.connect(path)) as connection:
        return tuple(sorted(" ".join(sorted(re.findall(r"\w+", line))) for line in connection.iterdump()))


@pytest.mark.parametrize("is_new", [True, False])
async def test_whenever_it_is_killed_nothing_has_changed_and_the_next_start_finishes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, is_new: bool
) -> None:
    """The copies before every statement are checked, and those before the last one of a revision are migrated."""
    database = tmp_path / "dialer.db"
    if not is_new:
        (await filled(tmp_path, monkeypatch)).database.close()
    use_later_migrations(monkeypatch, tmp_path)
    before = contents(database)
    with killing(database) as killed:
        migrate.upgrade(f"sqlite:///{database}")
    after = contents(database)
    assert len(killed.left) > len(killed.steps) == (3 if is_new else 2)
    assert {contents(path) for path in set(killed.left)} == {before}
    for path in set(killed.steps.values()):
        migrate.upgrade(f"sqlite:///{path}")
        assert contents(path) == after
    assert any(NEWEST in line for line in after)
