"""A migration is killed before any of its statements: the next start finds the database as it was, and finishes."""

import re
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from sqlalchemy import Engine, create_engine, event, text
from sqlalchemy.pool import NullPool

from dialer.store import migrate
from tests.store.test_migrate_rates import USER, bring


class Killed:
    """What a process leaves that is killed before a statement: its files as they are at that moment."""

    def __init__(self, database: Path) -> None:
        self._database = database
        self.left: list[Path] = []
        self.steps: dict[str, Path] = {}
        """By revision, what it leaves when all of that one is done but for its commit."""

    def before(self, _connection: object, _cursor: object, statement: str, values: object, *_: object) -> None:
        """A copy of all files, as the kill leaves them."""
        folder = self._database.parent / f"killed-{len(self.left)}"
        folder.mkdir()
        for path in self._database.parent.glob(f"{self._database.name}*"):
            shutil.copy(path, folder)
        self.left.append(folder / self._database.name)
        if "alembic_version" in statement and statement.startswith(("INSERT", "UPDATE")):
            self.steps[statement + str(values)] = self.left[-1]


@contextmanager
def killing(database: Path) -> Iterator[Killed]:
    """While this is entered, a copy is taken before each statement."""
    killed = Killed(database)
    event.listen(Engine, "before_cursor_execute", killed.before)
    yield killed
    event.remove(Engine, "before_cursor_execute", killed.before)


def contents(path: Path) -> tuple[str, ...]:
    """Everything that is in a database: where a table is copied, its constraints come in any order."""
    with closing(sqlite3.connect(path)) as connection:
        return tuple(sorted(" ".join(sorted(re.findall(r"\w+", line))) for line in connection.iterdump()))


@pytest.fixture(params=[None, "0009", "0010"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A database of an earlier version, if any; the last one with a user."""
    path = tmp_path / "dialer.db"
    if request.param is not None:
        engine = create_engine(f"sqlite:///{path}", poolclass=NullPool)
        with engine.begin() as connection:
            bring(connection, request.param)
            if request.param == "0010":
                connection.execute(text(USER))
    return path


def test_whenever_it_is_killed_nothing_has_changed_and_the_next_start_finishes(database: Path) -> None:
    """Looked at before every statement, and finished from before every revision's last."""
    before = contents(database)
    with killing(database) as killed:
        migrate.upgrade(f"sqlite:///{database}")
    after = contents(database)
    assert len(killed.left) > len(killed.steps) > 0
    assert {contents(path) for path in killed.left} == {before}
    for path in killed.steps.values():
        migrate.upgrade(f"sqlite:///{path}")
        assert contents(path) == after
