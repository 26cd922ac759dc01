"""Databases of generated worlds: copies of an empty database, filled with the rows of a world."""

import hashlib
import shutil
import tempfile
from collections.abc import Callable
from itertools import groupby
from pathlib import Path
from typing import Any, Final

from sqlalchemy import Connection, Table, insert

from dialer.app.accounts.payments import record_payment
from dialer.app.work.unit import UnitOfWork
from dialer.store.database.touched import Touched
from dialer.store.tables import Row
from tests.vopr.database import FaultyDatabase
from tests.vopr.worlds import Values, World

_IN_MEMORY: Final = Path("/dev/shm")  # noqa: S108 - our folder there has a random name
_TABLES: Final = Row.metadata.tables
_OF_PROCESSES: Final = frozenset(
    {"service_state", "fleet_worker", "shard", "seat", "fleet_change", "gateway_slice", "cps_returned"}
)
_WITHOUT_IDS: Final = frozenset({"dnc_contact", "subscriber_count"})


class Folder:
    """A folder for short-lived databases, in memory if the machine has `/dev/shm`."""

    def __init__(self, announce: Callable[[Connection, Touched], None] | None = None) -> None:
        place = _IN_MEMORY if _IN_MEMORY.is_dir() else None
        self._folder: Final = tempfile.TemporaryDirectory(prefix="dialer-vopr-", dir=place)
        self._path: Final = Path(self._folder.name)
        self._empty: Final = self._path / "empty.db"
        self.database: Final = FaultyDatabase(announce)
        """Opens one file of the folder at a time."""
        self.database.open(self._empty)
        self.database.write_now(Row.metadata.create_all)
        self.database.close()

    def new_database(self, name: str) -> Path:
        """Create an empty database with all tables, and return its path."""
        path = self._path / f"{name}.db"
        shutil.copyfile(self._empty, path)
        return path

    def remove(self, name: str) -> None:
        """Delete the files of a closed database."""
        for path in self._path.glob(f"{name}.db*"):
            path.unlink()

    def close(self) -> None:
        """Delete the folder."""
        self.database.close()
        self._folder.cleanup()


def fill(connection: Connection, world: World) -> None:
    """Write the rows of a world."""
    for name, rows in world.rows.items():
        columns = _TABLES[name].c
        moments = {column: world.start_ms for column in ("created_date", "updated_date") if column in columns}
        # Consecutive rows with equal columns are inserted together. The order of the rows determines their ids.
        for _, same in groupby(rows, key=frozenset):
            connection.execute(insert(_TABLES[name]), [{**moments, **row} for row in same])
    for user_id, amount in world.money.items():
        if amount:
            record_payment(UnitOfWork(connection=connection, now_ms=world.start_ms), user_id, amount)


def contents(connection: Connection) -> dict[str, list[tuple[Any, ...]]]:
    """Return every row of every table, in id order.

    The tables about processes are left out. So are ids that tell of the past: an insert that meets an existing
    do-not-call entry uses up an id, and counters get theirs in the order in which steps first needed them.
    """
    return {name: _rows(connection, table) for name, table in sorted(_TABLES.items()) if name not in _OF_PROCESSES}


def _rows(connection: Connection, table: Table) -> list[tuple[Any, ...]]:
    query = table.select().order_by(*table.primary_key)
    if table.name == "subscriber_count":  # A counter of nobody says only where a step ended.
        query = query.where(table.c.subscribers != 0)
    rows = [tuple(row) for row in connection.execute(query)]
    return sorted((row[1:] for row in rows), key=repr) if table.name in _WITHOUT_IDS else rows


def digest_of(tables: dict[str, list[Values]] | dict[str, list[tuple[Any, ...]]]) -> str:
    """Return a SHA-256 digest of these tables."""
    return hashlib.sha256(repr(tables).encode()).hexdigest()
