"""A made-up world becomes a database: a copy of an empty one, filled with the world's rows."""

import hashlib
import shutil
import tempfile
from itertools import groupby
from pathlib import Path
from typing import Any, Final

from sqlalchemy import Connection, insert

from dialer.app.payments import record_payment
from dialer.app.unit import UnitOfWork
from dialer.store.tables import Row
from tests.vopr.database import FaultyDatabase
from tests.vopr.worlds import Values, World

_IN_MEMORY: Final = Path("/dev/shm")  # noqa: S108 - a place for a folder of our own with a name that nobody can guess
_TABLES: Final = Row.metadata.tables


class Folder:
    """A folder for databases that nobody needs for long: in memory, where the machine has such a place."""

    def __init__(self) -> None:
        place = _IN_MEMORY if _IN_MEMORY.is_dir() else None
        self._folder: Final = tempfile.TemporaryDirectory(prefix="dialer-vopr-", dir=place)
        self._path: Final = Path(self._folder.name)
        self._empty: Final = self._path / "empty.db"
        self.database: Final = FaultyDatabase()
        """Stands for one of them at a time."""
        self.database.open(self._empty)
        self.database.write_now(Row.metadata.create_all)
        self.database.close()

    def new_database(self, name: str) -> Path:
        """An empty database with all tables."""
        path = self._path / f"{name}.db"
        shutil.copyfile(self._empty, path)
        return path

    def remove(self, name: str) -> None:
        """Delete a database that is not open any more."""
        for path in self._path.glob(f"{name}.db*"):
            path.unlink()

    def close(self) -> None:
        """Delete all of it."""
        self.database.close()
        self._folder.cleanup()


def fill(connection: Connection, world: World) -> None:
    """Write the rows of a world."""
    for name, rows in world.rows.items():
        columns = _TABLES[name].c
        moments = {column: world.start_ms for column in ("created_date", "updated_date") if column in columns}
        # Rows that name the same columns go in at once; their order is what gives them their ids.
        for _, same in groupby(rows, key=frozenset):
            connection.execute(insert(_TABLES[name]), [{**moments, **row} for row in same])
    for user_id, amount in world.money.items():
        if amount:
            record_payment(UnitOfWork(connection=connection, now_ms=world.start_ms), user_id, amount)


def contents(connection: Connection) -> dict[str, list[tuple[Any, ...]]]:
    """Every row of every table, in id order.

    Left out is what the service only remembers of itself, and the ids of entries of do-not-call lists: one that is
    there already takes an id, too.
    """
    return {
        name: [tuple(row)[name == "dnc_contact" :] for row in connection.execute(table.select().order_by(table.c.id))]
        for name, table in sorted(_TABLES.items())
        if name != "service_state"
    }


def digest_of(tables: dict[str, list[Values]] | dict[str, list[tuple[Any, ...]]]) -> str:
    """One word for all of it."""
    return hashlib.sha256(repr(tables).encode()).hexdigest()
