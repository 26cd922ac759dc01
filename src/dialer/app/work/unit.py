"""The unit of work of a use case: its transaction, the time of the service, and its results."""

from typing import Any

import msgspec
from sqlalchemy import Connection

from dialer.app.work.events import AppEvent
from dialer.store.database.touched import NOTHING, Touched, touch


class RecordWritten(msgspec.Struct, frozen=True):
    """A record that a request created, changed or deleted. The values hold no secrets and no numbers."""

    action: str
    resource: str
    record_id: int | None
    user_id: int | None
    before: dict[str, Any]
    after: dict[str, Any]


class UnitOfWork(msgspec.Struct, frozen=True, kw_only=True):
    """The transaction and the time of a use case, the records that it touched, and the events that it reports.

    The results count only after the transaction is committed.
    """

    connection: Connection
    now_ms: int
    happened: list[AppEvent] = msgspec.field(default_factory=list)
    """The events, in their order."""
    written: list[RecordWritten] = msgspec.field(default_factory=list)
    """The records that a request wrote field by field, for the audit log."""
    noted: list[Touched] = msgspec.field(default_factory=list)

    def note(self, touched: Touched, *events: AppEvent) -> None:
        """Note the records and events of a write. Every write notes something, `NOTHING` at least."""
        touch(self.connection, touched)
        self.noted.append(touched)
        self.happened.extend(events)

    @property
    def concerns_engine(self) -> bool:
        """Return whether the engine must read records again: it need not if only `NOTHING` was noted."""
        return not self.noted or any(touched != NOTHING for touched in self.noted)
