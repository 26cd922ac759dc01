"""Workers in other processes, as a process that only serves the API sees them."""

import contextlib
from collections.abc import AsyncIterator, Callable
from functools import partial
from typing import Final

import anyio
from sqlalchemy import Connection

from dialer.runtime.clock import Clock, RealClock
from dialer.runtime.tally import Tally
from dialer.runtime.worker import NotVirtualError
from dialer.store.database import Database, StorageUnavailableError
from dialer.store.fleet.changes import last_change
from dialer.store.fleet.leases import LEASE_MS
from dialer.store.fleet.seats import is_seen_by_all

LOOK_S: Final = 0.01
"""Time between two looks for the workers' progress."""
RETRY_S: Final = 0.2
"""Time between two looks while the database fails."""


class RemoteWorkers:
    """The workers of a service. A change is settled once every worker that is alive has seen it."""

    def __init__(self, database: Database, clock: RealClock, *, database_ms: Callable[[Connection], int]) -> None:
        self.clock: Clock = clock
        self._database: Final = database
        self._database_ms: Final = database_ms
        self._figures: Final = Tally()

    async def settle(self) -> None:
        """Wait until the workers know every change that is committed now.

        Everything that they decided before is then with the carrier. A worker that is frozen loses its lease meanwhile,
        and while the database does not answer, all of them lose theirs.
        """
        change: int | None = None
        with anyio.move_on_after(2 * LEASE_MS / 1_000):
            while True:
                rest_s = LOOK_S
                try:
                    change = await self._database.read(last_change) if change is None else change
                    if await self._database.read(partial(self._is_seen, change)):
                        return
                except StorageUnavailableError:
                    rest_s = RETRY_S
                await anyio.sleep(rest_s)

    def _is_seen(self, change: int, connection: Connection) -> bool:
        return is_seen_by_all(connection, change, self._database_ms(connection))

    async def advance(self, to_ms: int) -> None:  # noqa: ARG002 - as the protocol
        """Raise NotVirtualError: workers share the real time."""
        raise NotVirtualError

    def problem(self) -> str | None:
        """Return None: workers report their own problems."""
        return None

    def figures(self) -> Tally:
        """Return no figures: workers report their own."""
        return self._figures

    @contextlib.asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Do nothing: workers run by themselves."""
        yield
