"""The last use of each API key: noted in memory by every request, and written at most once a minute."""

from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from typing import Final

import anyio
import structlog
from sqlalchemy import Connection, bindparam, update

from dialer.api.http.stored_in_background import stored_in_background
from dialer.store.database.database import Database, StorageUnavailableError
from dialer.store.database.touched import NOTHING, touch
from dialer.store.tables import ApiKey

WRITTEN_EVERY_S: Final = 60.0
"""Seconds between two writes, for all keys together."""
_WRITE: Final = update(ApiKey).where(ApiKey.id == bindparam("key_id")).values(last_used_date=bindparam("used_ms"))


class KeyUses:
    """The keys that were used since the last write, each with the time of its last use."""

    def __init__(self, database: Database, sleep: Callable[[float], Awaitable[None]] = anyio.sleep) -> None:
        self._database: Final = database
        self._sleep: Final = sleep
        self._unwritten: dict[int, int] = {}
        self._is_used = anyio.Event()

    def used(self, key_id: int, now_ms: int) -> None:
        """Note the use of a key."""
        self._unwritten[key_id] = now_ms
        if not self._is_used.is_set():
            self._is_used.set()

    def storing(self) -> AbstractAsyncContextManager[None]:
        """Write uses while the context is entered, and at its end those that are left."""
        return stored_in_background(self._store_forever, self.store)

    async def store(self) -> None:
        """Write the uses that are not written. A failure is logged, and they are written with the next ones."""
        uses, self._unwritten, self._is_used = self._unwritten, {}, anyio.Event()
        if not uses:
            return
        rows = [{"key_id": key_id, "used_ms": used_ms} for key_id, used_ms in uses.items()]

        def write(connection: Connection) -> None:
            connection.execute(_WRITE, rows)
            touch(connection, NOTHING)

        try:
            await self._database.write(write)
        except StorageUnavailableError as error:
            self._unwritten = uses | self._unwritten
            structlog.get_logger().warning("the last uses of API keys could not be stored", reason=str(error))
        except Exception:  # noqa: BLE001 - all else of the service goes on, and these uses would fail again
            structlog.get_logger().exception("the last uses of API keys could not be stored")

    async def _store_forever(self) -> None:
        while True:
            await self._is_used.wait()
            await self.store()
            await self._sleep(WRITTEN_EVERY_S)
