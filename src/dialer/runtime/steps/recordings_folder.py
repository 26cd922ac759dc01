"""The folder of recordings: whether it is there at all, and its files that no record names any more."""

import re
from functools import partial
from typing import Final

import anyio.to_thread
import structlog
from sqlalchemy import Connection, delete, select

from dialer.domain.formats.media_files import MediaError, MediaFiles
from dialer.domain.words.enums import RecordingState
from dialer.runtime.steps.clock import Clock
from dialer.store.database.database import Database
from dialer.store.database.touched import NOTHING, touch
from dialer.store.tables import CallRecording, LiveLeg

MARKER: Final = "dialer-recordings.txt"
"""The file by which a folder that is not mounted is told from an empty one."""
_MARKED: Final = b"This is the folder of the recordings of one dialer. Leave this file here.\n"
KNOWN_MAX: Final = 20
"""Recordings of which one has to be in a folder without a marker that is taken for the right one."""
SWEEPS_EVERY_MS: Final = 6 * 3_600_000
ORPHAN_NS: Final = 86_400 * 10**9
"""The age of a file, a day, after which a record of it can be expected. A shorter one may be that of a call that goes
on, whose record comes with its end."""
ROWS_KEPT_MS: Final = 365 * 86_400_000
"""Time after the removal of a recording, a year, in which its record says that it was removed."""
AT_ONCE: Final = 200
_OWN: Final = re.compile(r"[0-9a-f]{32}\.call", re.ASCII)
_log = structlog.get_logger(__name__)


class RecordingsFolder:
    """The care for the folder itself."""

    def __init__(self, database: Database, clock: Clock, files: MediaFiles) -> None:
        self._database: Final = database
        self._clock: Final = clock
        self._files: Final = files
        self._is_missing = False
        """True if it was told that the folder is not there."""
        self._swept_ms: int | None = None

    async def is_in_place(self) -> bool:
        """Return whether the folder is there. One with some of our files is marked."""
        is_there = await anyio.to_thread.run_sync(self._files.facts, MARKER) is not None
        if not is_there:
            known = await self._database.read(_known)
            is_there = await anyio.to_thread.run_sync(self._is_ours, known)
        if not is_there and not self._is_missing:
            _log.error("recordings_folder_missing", marker=MARKER)
        self._is_missing = not is_there
        return is_there

    def _is_ours(self, known: list[str]) -> bool:
        """Mark a folder with some of these files. Return whether it is the right one, as that of a new service is."""
        is_ours = any(self._files.facts(name) is not None for name in known)
        if is_ours:
            self._mark()
        return is_ours or not known

    def _mark(self) -> int | None:
        """Write the marker. Return the time of the folder's own clock; None if nothing can be written."""
        try:
            self._files.save(MARKER, _MARKED)
        except MediaError as error:
            _log.warning("recordings_folder_not_marked", reason=str(error))
            return None
        facts = self._files.facts(MARKER)
        return None if facts is None else facts.changed_ns

    async def sweep(self) -> None:
        """Delete files that no record and no call in progress names, and old records, a few times a day."""
        now_ms = self._clock.now_ms()
        if self._swept_ms is not None and now_ms - self._swept_ms < SWEEPS_EVERY_MS:
            return
        self._swept_ms = now_ms
        old = await anyio.to_thread.run_sync(self._old_files)
        for at in range(0, len(old), AT_ONCE):
            some = old[at : at + AT_ONCE]
            orphans = await self._database.read(partial(_without_record, names=some))
            await anyio.to_thread.run_sync(self._delete, orphans)
        if ids := await self._database.read(lambda connection: _old_records(connection, now_ms)):
            await self._database.write(lambda connection: _forget(connection, ids))

    def _old_files(self) -> list[str]:
        """Return the files of our own form that are a day old, by the clock of the folder's file system."""
        now_ns = None if self._files.facts(MARKER) is None else self._mark()
        if now_ns is None:
            return []
        try:
            found = list(self._files.list_files())
        except MediaError as error:
            _log.warning("recordings_folder_not_listed", reason=str(error))
            return []
        return [name for name, facts in found if _OWN.fullmatch(name) and now_ns - facts.changed_ns >= ORPHAN_NS]

    def _delete(self, orphans: list[str]) -> None:
        for name in orphans:
            try:
                self._files.delete(name)
            except MediaError as error:
                _log.warning("recording_without_record_not_deleted", file=name, reason=str(error))
            else:
                _log.info("recording_without_record_deleted", file=name)


def _known(connection: Connection) -> list[str]:
    """Return the files of the newest recordings that have any."""
    has_file = (CallRecording.file != "") & (CallRecording.state != RecordingState.REMOVED)
    query = select(CallRecording.file).where(has_file).order_by(CallRecording.id.desc()).limit(KNOWN_MAX)
    return list(connection.scalars(query))


def _without_record(connection: Connection, names: list[str]) -> list[str]:
    """Return the files that neither a record nor a leg in progress names."""
    is_recorded = (CallRecording.file != "") & CallRecording.file.in_(names)
    recorded = set(connection.scalars(select(CallRecording.file).where(is_recorded)))
    orders = connection.scalars(select(LiveLeg.dialling).where(LiveLeg.dialling.contains(".call"))).all()
    live = {name for order in orders for name in _OWN.findall(order)}
    return [name for name in names if name not in recorded | live]


def _old_records(connection: Connection, now_ms: int) -> list[int]:
    """Return records of recordings that were removed long ago, with their files."""
    is_gone = (CallRecording.state == RecordingState.REMOVED) & (CallRecording.file == "")
    query = select(CallRecording.id).where(is_gone, CallRecording.removed_ms <= now_ms - ROWS_KEPT_MS)
    return list(connection.scalars(query.order_by(CallRecording.id).limit(AT_ONCE)))


def _forget(connection: Connection, ids: list[int]) -> None:
    touch(connection, NOTHING)
    connection.execute(delete(CallRecording).where(CallRecording.id.in_(ids)))
