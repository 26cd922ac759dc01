"""Tests of migrations that are killed before a statement: the next start finishes them."""

import hashlib
import re
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final

import pytest
from sqlalchemy import Engine, create_engine, event, text
from sqlalchemy.pool import NullPool

from dialer.store import migrate
from tests.store.test_migrate_rates import USER, bring

MIGRATED_EVERY: Final = 4


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


@pytest.fixture(params=[None, "0009", "0010"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """Create a database of an earlier version, or none."""
    path = tmp_path / "dialer.db"
    if request.param is not None:
        engine = create_engine(f"sqlite:///{path}", poolclass=NullPool)
        with engine.begin() as connection:
            bring(connection, request.param)
            if request.param == "0010":
                connection.execute(text(USER))
    return path


def test_whenever_it_is_killed_nothing_has_changed_and_the_next_start_finishes(database: Path) -> None:
    """The copies before every statement are checked, and some of those before a revision's last one are migrated."""
    before = contents(database)
    with killing(database) as killed:
        migrate.upgrade(f"sqlite:///{database}")
    after = contents(database)
    assert len(killed.left) > len(killed.steps) > 0
    assert {contents(path) for path in set(killed.left)} == {before}
    for path in sorted(set(killed.steps.values()))[::MIGRATED_EVERY]:
        migrate.upgrade(f"sqlite:///{path}")
        assert contents(path) == after
