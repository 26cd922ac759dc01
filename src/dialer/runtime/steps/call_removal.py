"""Removal of calls and events that are older than the settings allow: a pass every hour, in slices with rests."""

import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial
from typing import Final, NamedTuple

import anyio
import structlog

from dialer.runtime.steps.clock import Clock
from dialer.store.database.database import Database, StorageUnavailableError
from dialer.store.rows.account_events import REMOVED_AT_ONCE, has_old_events, remove_old_events
from dialer.store.rows.old_calls import DeleteFile, RemovalPlace, remove_old_calls

PASS_EVERY_S: Final = 3_600.0
"""Time between two passes."""
REST: Final = 9
"""Time of rest after a slice, in times of the slice: others write for nine tenths of the time."""
REST_MIN_S: Final = 0.05
DAY_MS: Final = 86_400_000

_log = structlog.get_logger(__name__)


class KeptDays(NamedTuple):
    """The days for which old rows are kept."""

    calls: int | None
    """Days of calls, messages and answers; None: for ever."""
    events: int
    """Days of the events of accounts."""


class CallRemoval:
    """A task that removes calls, messages, answers and events that are older than a number of days."""

    def __init__(
        self,
        database: Database,
        clock: Clock,
        days: KeptDays,
        delete_file: DeleteFile,
        *,
        now_s: Callable[[], float] = time.perf_counter,
        sleep: Callable[[float], Awaitable[None]] = anyio.sleep,
    ) -> None:
        self._database: Final = database
        self._clock: Final = clock
        self._days: Final = days
        self._delete_file: Final = delete_file
        self._now_s: Final = now_s
        self._sleep: Final = sleep

    @asynccontextmanager
    async def removing(self) -> AsyncIterator[None]:
        """Remove old calls and events in the background while the context is entered."""
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._remove_forever)
            yield
            tasks.cancel_scope.cancel()

    async def remove(self) -> int:
        """Remove all calls and events that are too old, by whole days in UTC. Return the number of rows removed.

        A failure ends the pass, and is logged. The next pass continues.
        """
        count = await self._remove_events(self._before_ms(self._days.events))
        if self._days.calls is not None:
            count += await self._remove_calls(self._before_ms(self._days.calls))
        return count

    def _before_ms(self, days: int) -> int:
        return (self._clock.now_ms() // DAY_MS - days) * DAY_MS

    async def _remove_events(self, before_ms: int) -> int:
        """Remove old events. A service without any writes nothing."""
        count = 0
        try:
            is_over = not await self._database.read(partial(has_old_events, before_ms=before_ms))
            while not is_over:
                began_s = self._now_s()
                remove = partial(remove_old_events, before_ms=before_ms)
                removed = await self._database.write(remove, is_long=True)
                count, is_over = count + removed, removed < REMOVED_AT_ONCE
                await self._rest(began_s)
        except StorageUnavailableError as error:
            _log.warning("old_events_not_removed", reason=str(error))
        if count:
            _log.info("old_events_removed", rows=count, days=self._days.events)
        return count

    async def _remove_calls(self, before_ms: int) -> int:
        place: RemovalPlace | None = RemovalPlace()
        count = 0
        try:
            while place is not None:
                began_s = self._now_s()
                remove = partial(remove_old_calls, before_ms=before_ms, place=place, delete_file=self._delete_file)
                done = await self._database.write(remove, is_long=True)
                count, place = count + done.rows, done.after
                await self._rest(began_s)
        except StorageUnavailableError as error:
            _log.warning("old_calls_not_removed", reason=str(error))
        if count:
            _log.info("old_calls_removed", rows=count, days=self._days.calls)
        return count

    async def _rest(self, began_s: float) -> None:
        await self._sleep(max(REST_MIN_S, REST * (self._now_s() - began_s)))

    async def _remove_forever(self) -> None:
        while True:
            try:
                await self.remove()
            except Exception:  # noqa: BLE001 - all else of the service goes on
                _log.exception("old_rows_not_removed")
            await self._sleep(PASS_EVERY_S)
