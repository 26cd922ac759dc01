"""A database that loses its connection during COMMIT, so the outcome is unknown."""

import sqlite3
from enum import Enum
from typing import Any

from sqlalchemy import event

from dialer.store.database.database import Database


class Lost(Enum):
    """The moment of the loss, before or after the commit."""

    BEFORE = "before the commit"
    AFTER = "after the commit"


class _Connection(sqlite3.Connection):
    """A connection of a `LossyDatabase`."""

    owner: "LossyDatabase"

    def commit(self) -> None:
        """Commit, or lose the connection before or after the commit."""
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
    """A database that loses its connection at every n-th commit, as `lost` says."""

    def __init__(self, url: str) -> None:
        super().__init__(url)
        self.lost: Lost | None = None
        self.every = 1
        self._commits = 0
        event.listen(self._writer, "do_connect", self._connect)

    def next_loss(self) -> Lost | None:
        """Return the kind of loss of the current commit; None if it succeeds."""
        self._commits += 1
        return self.lost if self._commits % self.every == 0 else None

    def _connect(self, _dialect: Any, _record: Any, arguments: Any, named: Any) -> sqlite3.Connection:  # noqa: ANN401 - SQLAlchemy's event
        connection = sqlite3.connect(*arguments, **named, factory=_Connection)
        connection.owner = self
        return connection
