"""Recordings of whole calls after their calls: they are measured, told of, kept as long as they may be, and deleted."""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any, Final

import anyio
import structlog
from sqlalchemy import Connection, Row, select, update

from dialer.domain.formats.media_files import MediaError, MediaFiles
from dialer.domain.formats.sealed_sound import HEADER_BYTES, length_ms
from dialer.domain.words.enums import RecordingState
from dialer.runtime.steps.clock import Clock
from dialer.store.database.database import Database, StorageUnavailableError
from dialer.store.database.touched import NOTHING, touch
from dialer.store.journal.call_recordings import SECONDS_SCALE
from dialer.store.media.call_recordings import measured
from dialer.store.rows.account_events import EventRow, event_row, keeps_events, write_events
from dialer.store.rows.call_recordings import removed_values
from dialer.store.tables import CallRecording

AT_ONCE: Final = 200
"""Recordings that one unit of work looks at."""
LOOKS_EVERY_S: Final = 5.0
_WAITING: Final = (
    select(CallRecording.__table__).where(CallRecording.state == "waiting").order_by(CallRecording.id).limit(AT_ONCE)
)
_LEFT: Final = (
    select(CallRecording.id, CallRecording.file)
    .where(CallRecording.state == "removed", CallRecording.file != "")
    .order_by(CallRecording.id)
    .limit(AT_ONCE)
)
"""Removed recordings that still have a file, which nobody can hear."""
_log = structlog.get_logger(__name__)


class KeptRecordings:
    """A task that looks after the recordings of calls that are over."""

    def __init__(
        self,
        database: Database,
        clock: Clock,
        files: MediaFiles,
        *,
        sleep: Callable[[float], Awaitable[None]] = anyio.sleep,
    ) -> None:
        self._database: Final = database
        self._clock: Final = clock
        self._files: Final = files
        self._sleep: Final = sleep

    @asynccontextmanager
    async def keeping(self) -> AsyncIterator[None]:
        """Look after recordings in the background while the context is entered."""
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._keep_forever)
            yield
            tasks.cancel_scope.cancel()

    async def _keep_forever(self) -> None:
        while True:
            is_busy = False
            try:
                is_busy = await self.keep()
            except StorageUnavailableError as error:
                _log.warning("recordings_not_kept", reason=str(error))
            if not is_busy:
                await self._sleep(LOOKS_EVERY_S)

    async def keep(self) -> bool:
        """Store, remove and delete what is due, up to `AT_ONCE` of each. Return whether there may be more."""
        counts = [await self._store(), await self._remove_old(), await self._delete_files()]
        return max(counts) >= AT_ONCE

    async def _store(self) -> int:
        """Measure the sound of calls that have ended, and tell of it."""
        waiting = await self._database.read(lambda connection: connection.execute(_WAITING).all())
        if waiting:
            sizes = await anyio.to_thread.run_sync(self._sizes, waiting)
            now_ms = self._clock.now_ms()
            await self._database.write(lambda connection: _store(connection, waiting, sizes, now_ms))
        return len(waiting)

    def _sizes(self, waiting: Sequence[Row[Any]]) -> list[int | None]:
        """Return the bytes of each WAV file; None where there is no file."""
        sizes: list[int | None] = []
        for row in waiting:
            sound = row.size - HEADER_BYTES if not row.file else measured(self._files, row.file, row.sound_key or "")
            sizes.append(None if sound is None else HEADER_BYTES + sound)
        return sizes

    async def _remove_old(self) -> int:
        """Remove recordings that were kept as long as they may be."""
        now_ms = self._clock.now_ms()
        old = (
            select(CallRecording.id)
            .where(CallRecording.kept_until_ms <= now_ms, CallRecording.state != "removed")
            .where(CallRecording.kept_until_ms.is_not(None))
            .limit(AT_ONCE)
        )
        ids = await self._database.read(lambda connection: connection.scalars(old).all())
        if ids:
            await self._database.write(lambda connection: _remove(connection, ids, now_ms))
            _log.info("recordings_removed", recordings=len(ids))
        return len(ids)

    async def _delete_files(self) -> int:
        """Delete the files of removed recordings. Their keys are gone already."""
        left = await self._database.read(lambda connection: connection.execute(_LEFT).all())
        if left:
            deleted = await anyio.to_thread.run_sync(self._deleted, left)
            await self._database.write(lambda connection: _forget_files(connection, deleted))
            return len(deleted)
        return 0

    def _deleted(self, left: Sequence[Row[int, str]]) -> list[int]:
        deleted: list[int] = []
        for row in left:
            try:
                self._files.delete(row.file)
            except MediaError as error:
                _log.warning("recording_not_deleted", recording=row.id, reason=str(error))
            else:
                deleted.append(row.id)
        return deleted


def _store(connection: Connection, waiting: Sequence[Row[Any]], sizes: Sequence[int | None], now_ms: int) -> None:
    touch(connection, NOTHING)
    keeps: dict[int, bool] = {}
    events: list[EventRow] = []
    for row, size in zip(waiting, sizes, strict=True):
        is_waiting = (CallRecording.id == row.id) & (CallRecording.state == "waiting")
        values = removed_values(now_ms) if size is None else _stored_values(size)
        is_news = connection.execute(update(CallRecording).where(is_waiting).values(values)).rowcount == 1
        if row.user_id not in keeps:
            keeps[row.user_id] = keeps_events(connection, row.user_id)
        if is_news and size is not None and keeps[row.user_id]:
            about = {"campaign": row.campaign_id, "call": row.callrequest_id}
            data = {"call_recording": row.id, **{name: value for name, value in about.items() if value is not None}}
            subject = f"call-recording/{row.id}"
            events.append(event_row(row.user_id, "recording.stored", now_ms, subject, row.campaign_id, **data))
    write_events(connection, events)


def _stored_values(size: int) -> dict[str, Any]:
    seconds = length_ms(size - HEADER_BYTES) * SECONDS_SCALE
    return {"state": RecordingState.STORED.value, "size": size, "seconds": seconds}


def _remove(connection: Connection, ids: Sequence[int], now_ms: int) -> None:
    touch(connection, NOTHING)
    connection.execute(update(CallRecording).where(CallRecording.id.in_(ids)).values(removed_values(now_ms)))


def _forget_files(connection: Connection, ids: Sequence[int]) -> None:
    touch(connection, NOTHING)
    connection.execute(update(CallRecording).where(CallRecording.id.in_(ids)).values(file=""))
