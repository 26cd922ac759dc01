"""The unit of work of a use case: its transaction, the service's time, and what comes of it."""

import msgspec
from sqlalchemy import Connection

from dialer.app.events import AppEvent
from dialer.store.touched import NOTHING, Touched, touch


class UnitOfWork(msgspec.Struct, frozen=True, kw_only=True):
    """What a use case works with, and what it leaves: the records it touched, and the events that tell what happened.

    Nothing of it counts before the transaction is committed.
    """

    connection: Connection
    now_ms: int
    happened: list[AppEvent] = msgspec.field(default_factory=list)
    """Events, in their order."""
    noted: list[Touched] = msgspec.field(default_factory=list)

    def note(self, touched: Touched, *events: AppEvent) -> None:
        """Note which records a write has touched, and what happened. Every write notes something."""
        touch(self.connection, touched)
        self.noted.append(touched)
        self.happened.extend(events)

    @property
    def concerns_engine(self) -> bool:
        """Whether the engine must hear of it: of what nobody noted, too."""
        return not self.noted or any(touched != NOTHING for touched in self.noted)
