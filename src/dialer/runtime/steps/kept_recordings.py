"""Recordings of whole calls after their calls: they are measured, told of, kept as long as they may be, and deleted."""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any, Final, TypeAlias

import anyio
import structlog
from sqlalchemy import Connection, Row, Select, bindparam, case, func, select, update

from dialer.domain.calls.call_recording import DAY_MS
from dialer.domain.formats.media_files import MediaError, MediaFiles, StoreAwayError
from dialer.domain.formats.sealed_sound import HEADER_BYTES, length_ms
from dialer.domain.numbers.spellings import ERASED
from dialer.domain.words.enums import RecordingState
from dialer.runtime.steps.clock import Clock
from dialer.runtime.steps.recording_figures import RecordingFigures
from dialer.runtime.steps.recordings_folder import RecordingsFolder
from dialer.runtime.steps.recordings_outbox import IN_BUCKET, IN_FOLDER, RecordingsOutbox
from dialer.store.database.database import Database, StorageUnavailableError
from dialer.store.database.touched import NOTHING, touch
from dialer.store.journal.call_recordings import SECONDS_SCALE
from dialer.store.media.call_recordings import measured
from dialer.store.media.store_threads import KEEPERS
from dialer.store.rows.account_events import EventRow, event_row, keeps_events, named_campaign, write_events
from dialer.store.rows.call_recordings import await_texts, is_due_and_held, removed_values
from dialer.store.tables import CallRecording
from dialer.store.tables.key_ring import opened_key

AT_ONCE: Final = 200
"""Recordings that one unit of work looks at."""
LIMITS_EVERY_MS: Final = 600_000
LOOKS_EVERY_S: Final = 5.0
RETRIES_EVERY_MS: Final = 60_000
"""Pause after which files that could not be read, or not be deleted, are tried again."""
FAILS_AFTER_MS: Final = 86_400_000
"""Time after the end of a call, a day, in which its recording is looked for."""
LOOKS_MS: Final = 3_600_000
"""Time, an hour, for which this process has looked before a recording fails: the service may have been off for days."""
_after: Final = bindparam("after", type_=CallRecording.__table__.c.id.type)
_WAITING: Final = (
    select(CallRecording.__table__)
    .where(CallRecording.state == "waiting", CallRecording.id > _after)
    .order_by(CallRecording.id)
    .limit(AT_ONCE)
)
_COUNT_WAITING: Final = select(func.count()).where(CallRecording.state == "waiting")
_UNTOUCHED: Final = ("removed", "in_progress")
"""The states of recordings that no age removes."""
_LEFT: Final = (
    select(CallRecording.__table__)
    .where(CallRecording.state == "removed", CallRecording.file != "", CallRecording.id > _after)
    .order_by(CallRecording.id)
    .limit(AT_ONCE)
)
"""Removed recordings that still have a file, which nobody can hear."""
_ELSEWHERE: Final = "the files are in a folder or bucket that the settings named before: copy them, or set it again"
_log = structlog.get_logger(__name__)


class _Queue:
    """Rows whose files are worked on in their order, and again later if that failed."""

    def __init__(self, query: Select[Any]) -> None:
        self._query: Final = query
        self._after = 0
        """The last row before those that are looked at now."""
        self._told = 0
        """The last row of which a failure was told."""
        self._retry_ms: int | None = None

    def read(self, connection: Connection) -> Sequence[Row[Any]]:
        return connection.execute(self._query, {_after.key: self._after}).all()

    def begin(self, now_ms: int) -> None:
        """Look at rows from the first one on again, if it is time."""
        if self._retry_ms is not None and now_ms >= self._retry_ms:
            self._after, self._retry_ms = 0, None

    def failed(self, ids: Sequence[int], last_id: int, now_ms: int) -> list[int]:
        """Go on behind rows of which some failed. Return the failed ones that nobody was told of."""
        if not ids:
            return []
        self._after = last_id
        if self._retry_ms is None:
            self._retry_ms = now_ms + RETRIES_EVERY_MS
        news = [one for one in ids if one > self._told]
        self._told = max(self._told, *ids)
        return news


_Measured: TypeAlias = list[tuple[Row[Any], int]]
"""Recordings, and the bytes of their WAV files."""


class KeptRecordings:
    """A task that looks after the recordings of calls that are over."""

    def __init__(
        self,
        database: Database,
        clock: Clock,
        files: MediaFiles,
        *,
        most_days: int | None = None,
        outbox: RecordingsOutbox | None = None,
        sleep: Callable[[float], Awaitable[None]] = anyio.sleep,
    ) -> None:
        """Prepare it. No recording is kept for more than `most_days` after its call; None: there is no such limit.

        With an `outbox`, recordings are sent to its bucket, and `files` has those of both places.
        """
        self._outbox: Final = outbox
        self._most_ms: Final = None if most_days is None else most_days * DAY_MS
        self._limits_ms = 0
        """The moment from which that is looked at again."""
        place = (files, "", None) if outbox is None else (outbox.bucket, outbox.place, outbox.spool)
        self._folder: Final = RecordingsFolder(database, clock, *place)
        self._database: Final = database
        self._clock: Final = clock
        self._files: Final = files
        self._sleep: Final = sleep
        self._looks_since_ms: int | None = None
        """The first look of this process; None before it."""
        self._is_clean = False
        self._is_told_of_others = False
        self.figures: Final = RecordingFigures()
        self.has_ears = False
        """True if somebody writes down what recordings say."""
        self._held = 0
        """Recordings that a legal hold alone keeps, as it was told."""
        self._waiting: Final = _Queue(_WAITING)
        self._left: Final = _Queue(_LEFT)

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
            except Exception:  # noqa: BLE001 - all else of the service goes on
                _log.exception("recordings_not_kept")
            if not is_busy:
                await self._sleep(LOOKS_EVERY_S)

    async def keep(self) -> bool:
        """Store, remove and delete what is due, up to `AT_ONCE` of each. Return whether there may be more.

        While the folder is not there, recordings are removed by their keys, and their files wait.
        """
        if self._looks_since_ms is None:
            self._looks_since_ms = self._clock.now_ms()
        counts = [await self._remove_old()]
        is_in_place = await self._folder.is_in_place()
        self.figures.is_in_place = is_in_place
        if is_in_place:
            counts += [await self._store_as_owner(self._looks_since_ms), await self._delete_files()]
            await self._folder.sweep()
            await self._clean_outbox()
        self.figures.waiting = await self._database.read(lambda connection: connection.scalar(_COUNT_WAITING) or 0)
        return max(counts) >= AT_ONCE

    async def _store_as_owner(self, since_ms: int) -> int:
        """Store recordings, unless another process sends those of this folder to the bucket just now."""
        if self._outbox is None:
            return await self._store(since_ms)
        async with self._outbox.owned() as is_ours:
            return await self._store(since_ms) if is_ours else 0

    async def _store(self, since_ms: int) -> int:
        """Measure the sound of calls that have ended, and tell of it.

        A recording that cannot be read now waits with its key: its folder may not be mounted. It fails after a day,
        once this process has looked for an hour.
        """
        now_ms = self._clock.now_ms()
        has_looked = now_ms - since_ms >= LOOKS_MS
        self._waiting.begin(now_ms)
        waiting = await self._database.read(self._waiting.read)
        if not waiting:
            return 0
        sizes = await KEEPERS.run(self._sizes, waiting)
        has_looked &= len(sizes) == len(waiting)
        sizes += [None] * (len(waiting) - len(sizes))
        found = [(row, size) for row, size in zip(waiting, sizes, strict=True) if size is not None]
        unread = [row for row, size in zip(waiting, sizes, strict=True) if size is None]
        lost = await self._gone([row.id for row in unread if has_looked and now_ms - _ended_ms(row) >= FAILS_AFTER_MS])
        if news := self._waiting.failed([row.id for row in unread], waiting[-1].id, now_ms):
            _log.warning("recordings_not_readable", recordings=len(news), first=news[0])
        if lost:
            await self._database.write(lambda connection: _fail(connection, lost))
            self.figures.lost += len(lost)
            _log.error("recordings_lost", recordings=len(lost), first=lost[0])
        sent = await self._send(found, waiting[-1].id, now_ms)
        if sent:
            where = IN_FOLDER if self._outbox is None else IN_BUCKET
            await self._database.write(
                lambda connection: _store(connection, sent, where, now_ms, has_ears=self.has_ears)
            )
        if self._outbox is not None:
            await KEEPERS.run(self._outbox.forget, [row.file for row, _ in sent if row.file])
        return len(waiting)

    async def _gone(self, unread: list[int]) -> list[int]:
        """Return the recordings that are nowhere: all, or none while those from before are in another folder."""
        if not unread or await self._folder.has_the_rest():
            return unread
        if not self._is_told_of_others:
            _log.error("recordings_in_another_place", recordings=len(unread), first=unread[0], reason=_ELSEWHERE)
            self._is_told_of_others = True
        return []

    async def _send(self, found: _Measured, last_id: int, now_ms: int) -> _Measured:
        """Send recordings to the bucket, if there is one. Return those that are where they belong; the rest waits."""
        if self._outbox is None:
            return found
        failures = await self._outbox.send([row.file for row, _ in found if row.file])
        unsent = [row.id for row, _ in found if row.file in failures]
        if unsent:
            self.figures.send_failures += len(unsent)
        if news := self._waiting.failed(unsent, last_id, now_ms):
            _log.error("recordings_not_sent", recordings=len(news), first=news[0], reason=next(iter(failures.values())))
        return [(row, size) for row, size in found if row.file not in failures]

    async def _clean_outbox(self) -> None:
        """Delete once what an earlier process has left in the folder."""
        if self._outbox is not None and not self._is_clean:
            await self._outbox.clean(self._database)
            self._is_clean = True

    def _sizes(self, waiting: Sequence[Row[Any]]) -> list[int | None]:
        """Return the bytes of each WAV file, None if it cannot be read, up to one for which the store was away."""
        sizes: list[int | None] = []
        for row in waiting:
            key = opened_key(row.sound_key)
            try:
                sound = measured(self._files, row.file, key) if row.file else row.size - HEADER_BYTES
            except OSError:
                break
            sizes.append(None if sound is None else HEADER_BYTES + sound)
        return sizes

    async def _remove_old(self) -> int:
        """Remove recordings that were kept as long as they may be."""
        now_ms = self._clock.now_ms()
        old = (
            select(CallRecording.id)
            .where(CallRecording.kept_until_ms <= now_ms, CallRecording.state.not_in(_UNTOUCHED))
            .where(CallRecording.kept_until_ms.is_not(None), ~CallRecording.legal_hold)
            .limit(AT_ONCE)
        )
        if self._most_ms is not None and now_ms >= self._limits_ms:
            await self._limit(now_ms, now_ms - self._most_ms)
        ids = await self._database.read(lambda connection: connection.scalars(old).all())
        await self._tell_of_held(now_ms)
        if ids:
            await self._database.write(lambda connection: _remove(connection, ids, now_ms))
            _log.info("recordings_removed", recordings=len(ids))
        return len(ids)

    async def _limit(self, now_ms: int, ended_ms: int) -> None:
        """Let recordings of calls that ended by a moment be removed now, however long their campaigns keep them."""
        ends = CallRecording.start_date + CallRecording.seconds / SECONDS_SCALE
        is_longer = CallRecording.kept_until_ms.is_(None) | (CallRecording.kept_until_ms > ended_ms)
        is_there = CallRecording.state.not_in(_UNTOUCHED) & is_longer
        old = select(CallRecording.id).where(CallRecording.start_date <= ended_ms, ends <= ended_ms, is_there)
        ids = await self._database.read(lambda connection: connection.scalars(old.limit(AT_ONCE)).all())
        if ids:
            await self._database.write(lambda connection: _end(connection, ids, ended_ms))
        if len(ids) < AT_ONCE:
            self._limits_ms = now_ms + LIMITS_EVERY_MS

    async def _tell_of_held(self, now_ms: int) -> None:
        """Say how many recordings are kept by a legal hold alone, whenever their number changes."""
        held = select(func.count()).where(is_due_and_held(now_ms))
        count = await self._database.read(lambda connection: connection.scalar(held) or 0)
        if count != self._held:
            _log.info("recordings_held", recordings=count, reason="legal hold")
        self._held = count

    async def _delete_files(self) -> int:
        """Delete the files of removed recordings. Their keys are gone already."""
        now_ms = self._clock.now_ms()
        self._left.begin(now_ms)
        left = await self._database.read(self._left.read)
        if not left:
            return 0
        failures = await KEEPERS.run(self._delete, left, await self._folder.has_the_rest())
        if news := self._left.failed(list(failures), left[-1].id, now_ms):
            _log.error("recordings_not_deleted", recordings=len(news), first=news[0], reason=failures[news[0]])
        if deleted := [row.id for row in left if row.id not in failures]:
            await self._database.write(lambda connection: _forget_files(connection, deleted))
        return len(left)

    def _delete(self, left: Sequence[Row[Any]], has_the_rest: bool) -> dict[int, str]:  # noqa: FBT001 - for a thread
        """Delete files. Return the reasons of those that may still be there, by the ids of their recordings.

        A missing file is gone if it was to be here; else its recording keeps its name, until it is found and deleted.
        Once the store is away, nothing more is asked of it: each question may take a minute.
        """
        failures: dict[int, str] = {}
        for at, row in enumerate(left):
            is_here = self._outbox is not None if row.stored_where == IN_BUCKET else has_the_rest
            try:
                if is_here or self._files.facts(row.file) is not None:
                    self._files.delete(row.file)
                else:
                    failures[row.id] = _ELSEWHERE
            except (StoreAwayError, OSError) as error:
                return failures | {one.id: str(error) for one in left[at:]}
            except MediaError as error:
                failures[row.id] = str(error)
        return failures


def _store(connection: Connection, found: _Measured, where: str, now_ms: int, *, has_ears: bool) -> None:
    touch(connection, NOTHING)
    keeps: dict[int, bool] = {}
    events: list[EventRow] = []
    for row, size in found:
        is_waiting = (CallRecording.id == row.id) & (CallRecording.state == "waiting")
        change = update(CallRecording).where(is_waiting).values(_stored_values(size, where if row.file else ""))
        is_news = connection.execute(change).rowcount == 1
        if row.user_id not in keeps:
            keeps[row.user_id] = keeps_events(connection, row.user_id)
        if is_news and keeps[row.user_id]:
            named = None if row.campaign_id is None else named_campaign(connection, row.campaign_id)
            about = {"campaign": named, "call": row.callrequest_id}
            data = {"call_recording": row.id, **{name: value for name, value in about.items() if value is not None}}
            subject = f"call-recording/{row.id}"
            events.append(event_row(row.user_id, "recording.stored", now_ms, subject, named, **data))
    write_events(connection, events)
    if has_ears:
        await_texts(connection, [row.id for row, _ in found if row.file])


def _ended_ms(row: Row[Any]) -> int:
    return int(row.start_date + row.seconds // SECONDS_SCALE)


def _fail(connection: Connection, ids: Sequence[int]) -> None:
    touch(connection, NOTHING)
    is_waiting = CallRecording.id.in_(ids) & (CallRecording.state == RecordingState.WAITING)
    connection.execute(update(CallRecording).where(is_waiting).values(state=RecordingState.FAILED.value))


def _stored_values(size: int, where: str) -> dict[str, Any]:
    seconds = length_ms(size - HEADER_BYTES) * SECONDS_SCALE
    return {"state": RecordingState.STORED.value, "size": size, "seconds": seconds, "stored_where": where}


def _remove(connection: Connection, ids: Sequence[int], now_ms: int) -> None:
    touch(connection, NOTHING)
    is_forgotten = (CallRecording.kept_until_ms == 0) & (CallRecording.phone_number != "")
    number = case((is_forgotten, ERASED), else_=CallRecording.phone_number)
    change = update(CallRecording).where(CallRecording.id.in_(ids), ~CallRecording.legal_hold)
    connection.execute(change.values(phone_number=number, **removed_values(now_ms)))


def _end(connection: Connection, ids: Sequence[int], ended_ms: int) -> None:
    touch(connection, NOTHING)
    connection.execute(update(CallRecording).where(CallRecording.id.in_(ids)).values(kept_until_ms=ended_ms))


def _forget_files(connection: Connection, ids: Sequence[int]) -> None:
    touch(connection, NOTHING)
    connection.execute(update(CallRecording).where(CallRecording.id.in_(ids)).values(file=""))
