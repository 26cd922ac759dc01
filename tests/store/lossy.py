"""A database that loses its connection during COMMIT: the caller is told the same, whether it was done or not."""

import sqlite3
from enum import Enum
from typing import Any

from sqlalchemy import event

from dialer.store.database import Database


class Lost(Enum):
    """When the connection is lost."""

    BEFORE = "before the commit"
    AFTER = "after the commit"


class _Connection(sqlite3.Connection):
    """A connection of a `LossyDatabase`."""

    owner: "LossyDatabase"

    def commit(self) -> None:
        """Commit, or not, and fail if that is wanted now."""
        lost = self.owner.next_loss() if self.in_transaction else None
        if lost is Lost.BEFORE:
            self.rollback()
        else:
            super().commit()
        if lost is not None:
            error = sqlite3.OperationalError("disk I/O error")
            error.sqlite_errorcode = sqlite3.SQLITE_IOERR_FSYNC
            raise error


class LossyDatabase(Database):
    """A database whose units of work that write are `lost` so, each one, or every so manieth."""

    def __init__(self, url: str) -> None:
        super().__init__(url)
        self.lost: Lost | None = None
        self.every = 1
        self._commits = 0
        event.listen(self._writer, "do_connect", self._connect)

    def next_loss(self) -> Lost | None:
        """How the commit that is being made is lost; None if it is not."""
        self._commits += 1
        return self.lost if self._commits % self.every == 0 else None

    def _connect(self, _dialect: Any, _record: Any, arguments: Any, named: Any) -> sqlite3.Connection:  # noqa: ANN401 - SQLAlchemy's event
        connection = sqlite3.connect(*arguments, **named, factory=_Connection)
        connection.owner = self
        return connection
