"""Watch over the place of this process among those that serve the database.

The connection that writes holds the place, and an idle process writes nothing for long. Meanwhile another process could
take a place that excludes this one, without either of them noticing.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

import anyio
import structlog

from dialer.store.database.database import Database, StorageUnavailableError

KEEP_S: Final = 1.0
"""Time between two looks at the connection that holds the place."""

_log = structlog.get_logger(__name__)


@asynccontextmanager
async def keeping_place(database: Database) -> AsyncIterator[None]:
    """Take the place of this process again whenever it is lost, for as long as the context is entered."""
    async with anyio.create_task_group() as tasks:
        if database.has_place:
            tasks.start_soon(_keep, database)
        yield
        tasks.cancel_scope.cancel()


async def _keep(database: Database) -> None:
    while database.displaced is None:
        await anyio.sleep(KEEP_S)
        try:
            await database.keep_place()
        except StorageUnavailableError:
            continue  # The next look tries again, and the process ends if it is displaced.
        except Exception:  # noqa: BLE001 - all else of the service goes on
            _log.exception("place_not_kept")
    _log.error("displaced", why=database.displaced)
