"""Presence: the desks that are open in browsers of this process, and the look for agents who have left theirs."""

from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Final

import anyio
import structlog
from sqlalchemy import Connection

from dialer.app.call_centre.presence import agents_who_left, desks_to_note, leave_desk, note_desks
from dialer.app.telling.audit_log import Origin
from dialer.app.telling.listeners import tell_listeners
from dialer.app.work.unit import UnitOfWork
from dialer.domain.queueing.presence import DESK_CLOSED_MS
from dialer.store.database.database import Database

EVERY_S: Final = 5.0
OF_SERVICE: Final = Origin(via="console", actor="service")
_log = structlog.get_logger(__name__)


class OpenDesks:
    """The open desks. Browsers have `DESK_CLOSED_MS` to come back, also after a start of this process."""

    def __init__(self, database: Database, now_ms: Callable[[], int]) -> None:
        self._database: Final = database
        self._now_ms: Final = now_ms
        self._began_ms: Final = now_ms()
        self._open: Final[Counter[int]] = Counter()
        """The number of open desks of each user."""

    @contextmanager
    def at_desk(self, login_id: int) -> Iterator[None]:
        """Count a desk as open while the context is entered."""
        self._open[login_id] += 1
        try:
            yield
        finally:
            self._open[login_id] -= 1
            if not self._open[login_id]:
                del self._open[login_id]

    async def look(self, service_ms: Callable[[], int]) -> bool:
        """Note the open desks, and send the agents on a break who have left theirs. Return whether there are any."""
        logins, machine_ms = frozenset(self._open), self._now_ms()
        may_leave = machine_ms - self._began_ms >= DESK_CLOSED_MS

        def find(connection: Connection) -> tuple[list[int], list[int]]:
            left = agents_who_left(connection, logins, machine_ms) if may_leave else []
            return desks_to_note(connection, logins, machine_ms) if logins else [], left

        def write(connection: Connection) -> bool:
            seen, left = find(connection)
            unit = UnitOfWork(connection=connection, now_ms=service_ms())
            note_desks(unit, seen, machine_ms)
            for agent_id in left:
                leave_desk(unit, agent_id)
            tell_listeners(unit, OF_SERVICE)
            return bool(left)

        if not any(await self._database.read(find)):
            return False
        return await self._database.write(write)

    @asynccontextmanager
    async def watching(
        self, service_ms: Callable[[], int], settle: Callable[[], Awaitable[None]]
    ) -> AsyncIterator[None]:
        """Look every few seconds while the context is entered, and let the dialling settle if somebody has left."""

        async def watch() -> None:
            while True:
                await anyio.sleep(EVERY_S)
                try:
                    if await self.look(service_ms):
                        await settle()
                except Exception:  # noqa: BLE001 - the database may be away for a while, and presence is looked at again
                    _log.warning("presence_not_looked_at", exc_info=True)

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(watch)
            yield
            tasks.cancel_scope.cancel()
