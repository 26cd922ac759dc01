"""Presence: the desks that browsers tell this process are open, and the look for agents who have left theirs."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Final

import anyio
import structlog
from sqlalchemy import Connection

from dialer.app.call_centre.presence import desks_to_note, leave_desks, note_desks, notes_of_desks, write_notes_again
from dialer.app.telling.audit_log import Origin
from dialer.app.telling.listeners import tell_listeners
from dialer.app.work.unit import UnitOfWork
from dialer.domain.queueing.presence import DESK_CLOSED_MS, DOUBTFUL_MS, DeskWatch
from dialer.store.database.database import Database

EVERY_S: Final = 5.0
OF_SERVICE: Final = Origin(via="console", actor="service")
_log = structlog.get_logger(__name__)


class OpenDesks:
    """The open desks. Browsers have `DESK_CLOSED_MS` to come back, also after a start of this process."""

    def __init__(self, database: Database, now_ms: Callable[[], int]) -> None:
        self.database: Final = database
        self.now_ms: Final = now_ms
        self._open: Final = set[int]()
        """The users whose desk was open since the last look."""
        self._watch = DeskWatch()
        self._somebody_left = anyio.Event()

    def see(self, login_id: int) -> None:
        """Count the desk of a user as open at this moment."""
        self._open.add(login_id)

    async def look(self, service_ms: Callable[[], int]) -> bool:
        """Note the open desks, and send the agents on a break who have left theirs. Return whether there are any."""
        logins, machine_ms, before = frozenset(self._open), self.now_ms(), self._watch
        self._watch = DeskWatch()  # If this look fails, notes may be missing for that reason.

        def find(connection: Connection) -> tuple[list[int], dict[int, int]]:
            return desks_to_note(connection, logins), notes_of_desks(connection)

        seen, notes = await self.database.read(find)
        watch = before.after(notes, machine_ms)
        doubtful, left = watch.silent_for(DOUBTFUL_MS), watch.silent_for(DESK_CLOSED_MS)

        def write(connection: Connection) -> bool:
            unit = UnitOfWork(connection=connection, now_ms=service_ms())
            note_desks(unit, seen, machine_ms)
            write_notes_again(unit, doubtful)
            gone = leave_desks(unit, left)
            tell_listeners(unit, OF_SERVICE)
            return bool(gone)

        is_left = await self.database.write(write) if seen or doubtful else False
        self._watch = watch
        self._open.difference_update(logins)
        return is_left

    @asynccontextmanager
    async def watching(
        self, service_ms: Callable[[], int], settle: Callable[[], Awaitable[None]]
    ) -> AsyncIterator[None]:
        """Look every few seconds while the context is entered, and let the dialling settle if somebody has left."""
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._look_on, service_ms)
            tasks.start_soon(self._settle_on, settle)
            yield
            tasks.cancel_scope.cancel()

    async def _look_on(self, service_ms: Callable[[], int]) -> None:
        while True:
            await anyio.sleep(EVERY_S)
            try:
                if await self.look(service_ms):
                    self._somebody_left.set()
            except Exception:  # noqa: BLE001 - the database may be away for a while, and presence is looked at again
                _log.warning("presence_not_looked_at", exc_info=True)

    async def _settle_on(self, settle: Callable[[], Awaitable[None]]) -> None:
        """Let the dialling settle beside the looks: while a worker is frozen, that takes longer than a desk may."""
        while True:
            await self._somebody_left.wait()
            self._somebody_left = anyio.Event()
            try:
                await settle()
            except Exception:  # noqa: BLE001 - workers learn of the break by themselves, if later
                _log.warning("presence_not_settled", exc_info=True)
