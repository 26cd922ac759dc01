"""Notifications: processes of a service wake each other, so that nobody waits for the next look at the database."""

import contextlib
from collections.abc import AsyncIterator
from typing import Final

import anyio
import structlog

from dialer.store.backends.backend import Notifier
from dialer.store.database.database import Database, StorageUnavailableError

CHANGED: Final = "changed"
"""Name to which workers listen: a user has changed something."""
SEEN: Final = "seen"
"""Name to which API processes listen: a worker knows the changes of users."""
AGAIN_S: Final = 1.0
"""Time before a lost connection is opened again."""

_log = structlog.get_logger(__name__)


class Notifications:
    """The notifications between processes. They may be lost, so a process must look for changes by itself, too."""

    def __init__(self, database: Database, name: str) -> None:
        self._database: Final = database
        self._name: Final = name
        self._notifier: Notifier | None = None
        self._next = anyio.Event()

    @contextlib.asynccontextmanager
    async def listening(self) -> AsyncIterator[None]:
        """Receive notifications while the context is entered."""
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._listen)
            yield
            tasks.cancel_scope.cancel()

    def ring(self, name: str) -> None:
        """Wake the processes that listen to a name, if possible."""
        if self._notifier is not None:
            self._notifier.ring(name)

    def next(self) -> anyio.Event:
        """Return the next ring. Ask for it before you look, so that none is missed in between."""
        return self._next

    async def wait(self, ring: anyio.Event, *, deaf_s: float, hearing_s: float) -> bool:
        """Wait for a notification, at most `hearing_s`, or `deaf_s` without a notifier. Return whether one came."""
        with anyio.move_on_after(deaf_s if self._notifier is None else hearing_s):
            await ring.wait()
        return ring.is_set()

    async def _listen(self) -> None:
        while True:
            try:
                notifier = await self._database.open_notifier(self._name)
                if notifier is None:
                    return
                with contextlib.closing(notifier):
                    await self._hear(notifier)
            except StorageUnavailableError:
                pass  # Those who look find out, too.
            except Exception:  # noqa: BLE001 - a process that hears nothing looks by itself
                _log.exception("bell_failed")
            await anyio.sleep(AGAIN_S)

    async def _hear(self, notifier: Notifier) -> None:
        self._notifier = notifier
        try:
            while True:
                await notifier.heard()
                ring, self._next = self._next, anyio.Event()
                ring.set()
        except ConnectionError as error:
            _log.warning("bell_lost", reason=str(error))
        finally:
            self._notifier = None
