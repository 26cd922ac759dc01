"""Refused requests in the audit log: wrong credentials, and missing permissions.

Somebody who sends wrong passwords must not fill the disk, so a minute has few entries, and the rest is one count.
"""

from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from typing import Any, Final

import anyio
import structlog
from sqlalchemy import Connection

from dialer.api.http.stored_in_background import stored_in_background
from dialer.app.telling.audit_log import Origin, write_entries
from dialer.app.work.unit import RecordWritten
from dialer.store.database.database import Database, StorageUnavailableError
from dialer.store.database.touched import NOTHING, touch

REFUSALS_A_MINUTE_MAX: Final = 10
"""Refused requests that the log has for a minute, besides the count of the others."""
WRITTEN_EVERY_S: Final = 60.0
PATH_MAX: Final = 80
"""Characters of the path that an entry has."""


class Refusals:
    """The refused requests that wait to be written to the audit log."""

    def __init__(
        self, database: Database, clock_ms: Callable[[], int], sleep: Callable[[float], Awaitable[None]] = anyio.sleep
    ) -> None:
        self._database: Final = database
        self._clock_ms: Final = clock_ms
        self._sleep: Final = sleep
        self._entries: list[tuple[RecordWritten, Origin]] = []
        self._others = 0
        self._is_refused = anyio.Event()

    def note(self, origin: Origin, status: int, request: str) -> None:
        """Note a refused request: a method and a path."""
        if len(self._entries) < REFUSALS_A_MINUTE_MAX:
            self._entries.append((_entry({"status": status, "request": request[:PATH_MAX]}), origin))
        else:
            self._others += 1
        if not self._is_refused.is_set():
            self._is_refused.set()

    def storing(self) -> AbstractAsyncContextManager[None]:
        """Write refusals once a minute while the context is entered, and at its end those that are left."""
        return stored_in_background(self._store_forever, self.store)

    async def store(self) -> None:
        """Write the waiting refusals to the audit log. After a failure they are only counted, to bound memory."""
        entries, others = self._entries, self._others
        self._entries, self._others, self._is_refused = [], 0, anyio.Event()
        if others:
            entries = [*entries, (_entry({"others": others}), Origin(via="none"))]
        if not entries:
            return

        def write(connection: Connection) -> None:
            write_entries(connection, self._clock_ms(), entries)
            touch(connection, NOTHING)

        try:
            await self._database.write(write)
        except Exception as error:  # noqa: BLE001 - all else of the service goes on
            self._others += others + min(len(entries), REFUSALS_A_MINUTE_MAX)
            is_expected = isinstance(error, StorageUnavailableError)
            structlog.get_logger().warning("refusals could not be stored", reason=str(error), exc_info=not is_expected)

    async def _store_forever(self) -> None:
        while True:
            await self._is_refused.wait()
            await self._sleep(WRITTEN_EVERY_S)
            await self.store()


def _entry(after: dict[str, Any]) -> RecordWritten:
    return RecordWritten("refused", "", None, None, {}, after)
