"""Workers in other processes, as a process that only serves the API sees them."""

import contextlib
from collections.abc import AsyncIterator, Callable
from functools import partial
from typing import Final

import anyio
from sqlalchemy import Connection

from dialer.runtime.fleet.notifications import CHANGED, SEEN, Notifications
from dialer.runtime.steps.clock import Clock, RealClock
from dialer.runtime.steps.dial_counters import DialCounters
from dialer.runtime.steps.process_health import Durations, ProcessHealth
from dialer.runtime.steps.worker import NotVirtualError
from dialer.store.database.database import Database, StorageUnavailableError
from dialer.store.fleet.changes import last_change
from dialer.store.fleet.leases import LEASE_MS
from dialer.store.fleet.worker_positions import is_seen_by_all

LOOK_S: Final = 0.01
"""Time between two looks for the workers' progress, where they cannot wake this process."""
SLOW_LOOK_S: Final = 0.1
"""Time between two such looks where they wake it: a ring may be lost, and workers may die."""
RETRY_S: Final = 0.2
"""Time between two looks while the database fails."""


class RemoteWorkers:
    """The workers of a service. A change is settled once every worker that is alive has seen it."""

    def __init__(self, database: Database, clock: RealClock, *, database_ms: Callable[[Connection], int]) -> None:
        self.clock: Clock = clock
        self._database: Final = database
        self._database_ms: Final = database_ms
        self._figures: Final = DialCounters()
        self._waits: Final = Durations()
        self._notifications: Final = Notifications(database, SEEN)

    async def settle(self) -> None:
        """Wait until the workers know every change that is committed now.

        Everything that they decided before is then with the carrier. A worker that is frozen loses its lease meanwhile,
        and while the database does not answer, all of them lose theirs.
        """
        began_s, change = anyio.current_time(), None
        with anyio.move_on_after(2 * LEASE_MS / 1_000):
            while True:
                ring, is_first = self._notifications.next(), change is None
                try:
                    change, is_seen = await self._database.read(partial(self._look, change))
                except StorageUnavailableError:
                    await anyio.sleep(RETRY_S)
                    continue
                if is_seen:
                    break
                if is_first:
                    self._notifications.ring(CHANGED)
                await self._notifications.wait(ring, deaf_s=LOOK_S, hearing_s=SLOW_LOOK_S)
        self._waits.add(anyio.current_time() - began_s)

    def _look(self, last_seen: int | None, connection: Connection) -> tuple[int, bool]:
        """Return the change to wait for, by default the last one, and whether the workers know it."""
        change = last_change(connection) if last_seen is None else last_seen
        return change, is_seen_by_all(connection, change, self._database_ms(connection))

    def next_ms(self) -> int | None:
        """Return None: workers of their own run by the real clock."""
        return None

    async def advance(self, to_ms: int) -> None:  # noqa: ARG002 - as the protocol
        """Raise NotVirtualError: workers share the real time."""
        raise NotVirtualError

    def problem(self) -> str | None:
        """Return None: workers report their own problems."""
        return None

    def figures(self) -> DialCounters:
        """Return no figures: workers report their own."""
        return self._figures

    def process_health(self) -> ProcessHealth:
        """Return the durations for which requests waited for workers."""
        return ProcessHealth(answers=self._waits)

    @contextlib.asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Listen to notifications of workers while the context is entered."""
        async with self._notifications.listening():
            yield
