"""The folder of recordings: whether it is there at all, and its files that no record names any more."""

import re
import secrets
from functools import partial
from typing import Final, NamedTuple

import structlog
from sqlalchemy import Connection, delete, select, update

from dialer.domain.formats.media_files import MediaError, MediaFiles
from dialer.domain.words.enums import RecordingState
from dialer.runtime.steps.clock import Clock
from dialer.runtime.steps.recordings_outbox import IN_BUCKET
from dialer.store.database.database import Database
from dialer.store.database.touched import NOTHING, touch
from dialer.store.journal.begun_recordings import end_forgotten
from dialer.store.media.store_threads import KEEPERS
from dialer.store.tables import CallRecording, LiveLeg, ServiceState

MARKER: Final = "dialer-recordings.txt"
"""The file by which the folder is told from one that is not mounted, and from the folder of another database."""
_MARKED: Final = "This is the folder of the recordings of one dialer. Leave this file here.\n{}\n"
_MARKER_BYTES_MAX: Final = 1_000
_PROBE: Final = "dialer-recordings.now"
"""A file that is written and deleted, for the time of the folder's own clock. The marker is written once only."""
KNOWN_MAX: Final = 20
"""Recordings of which one has to be in a folder without a marker that is taken for the right one."""
SWEEPS_EVERY_MS: Final = 6 * 3_600_000
ORPHAN_NS: Final = 30 * 86_400 * 10**9
"""The age of a file, 30 days, after which a record of it can be expected: no older backup is restored by habit."""
ORPHAN_SEEN_MS: Final = 86_400_000
"""Time, a day, for which a process has seen a file without a record before it deletes it: never soon after a start."""
ORPHANS_MAX: Final = 100_000
"""Files without a record that are remembered at once. Further ones have their turn after these."""
ROWS_KEPT_MS: Final = 365 * 86_400_000
"""Time after the removal of a recording, a year, in which its record says that it was removed."""
AT_ONCE: Final = 200
FORGOTTEN_MS: Final = 86_400_000
"""Time since the beginning of a recording, a day, after which its call has certainly ended."""
_OWN: Final = re.compile(r"[0-9a-f]{32}\.call", re.ASCII)
_ID: Final = re.compile(r"^[0-9a-f]{32}$", re.ASCII | re.MULTILINE)
_MISSING: Final = "recordings_folder_missing"
_OTHERS: Final = "recordings_folder_of_another_database"
_OWNER: Final = select(ServiceState.recordings_id, ServiceState.recordings_marked, ServiceState.recordings_bucket)
_NOT_OURS: Final = frozenset({_MISSING, _OTHERS})
_log = structlog.get_logger(__name__)


class _Owner(NamedTuple):
    """The database's knowledge of its folder."""

    id: str
    """The word in the marker of the folder of this database."""
    is_marked: bool
    """True once a folder has the marker. No other one is taken for the right one from then on."""
    known: list[str]
    """The files of the newest recordings."""


class RecordingsFolder:
    """The care for the folder itself."""

    def __init__(
        self,
        database: Database,
        clock: Clock,
        files: MediaFiles,
        bucket: str = "",
        spool: MediaFiles | None = None,
    ) -> None:
        """Prepare it. `bucket` is the place of the files if it is a bucket, and `spool` the folder before it."""
        self._spool: Final = files if spool is None else spool
        self._bucket: Final = bucket
        self._database: Final = database
        self._clock: Final = clock
        self._files: Final = files
        self.why_not = ""
        """Why the folder is not in place now, as the event that was logged; empty if it is."""
        self._swept_ms: int | None = None
        self._seen_ms: dict[str, int] = {}
        """When files that no record names were first seen by this process."""

    async def is_in_place(self) -> bool:
        """Return whether the folder is there. The first one with some of our files is marked, and no other later."""
        owner = await self._database.read(self._owner)
        if owner.known and not owner.id:
            owner = owner._replace(id=await self._database.write(_new_id))
        try:
            why_not = await KEEPERS.run(self._why_not_ours, owner)
            is_news = not why_not and not owner.is_marked
            if is_news and await KEEPERS.run(self._has_marker, owner.id):
                await self._database.write(partial(_remember_marker, bucket=self._bucket))
        except OSError as error:
            why_not = self._say("recordings_store_away", reason=str(error))
        if why_not in _NOT_OURS:
            self._say(why_not, marker=MARKER, expected=owner.id)
        self.why_not = why_not
        return not why_not

    async def has_the_rest(self) -> bool:
        """Return whether the recordings that are in no bucket are in this folder, so that a missing file is gone.

        They are in another one if the settings named that before, and its files were not copied with its marker.
        """
        row = await self._database.read(lambda connection: connection.execute(_OWNER).one_or_none())
        own_id, is_folder_marked, bucket = (None, False, None) if row is None else row
        was_elsewhere = is_folder_marked or (bucket is not None and not self._bucket)
        return not was_elsewhere or own_id in await KEEPERS.run(_ids_in, self._spool)

    def _say(self, event: str, **facts: str) -> str:
        """Log why the folder is not in place, unless that was logged already. Return the event."""
        if event != self.why_not:
            _log.error(event, **facts)
        return event

    def _owner(self, connection: Connection) -> _Owner:
        row = connection.execute(_OWNER).one_or_none()
        own_id, is_folder_marked, bucket = (None, False, None) if row is None else row
        is_marked = bucket == self._bucket if self._bucket else is_folder_marked
        return _Owner(own_id or "", is_marked, _known(connection, is_in_bucket=self._bucket != ""))

    def _why_not_ours(self, owner: _Owner) -> str:
        """Return why the folder is not the right one, as the name of an event; empty if it is. Mark the first one."""
        ids = self._ids()
        if owner.id and owner.id in ids:
            return ""
        if ids:
            return _OTHERS
        if owner.is_marked:
            return _MISSING
        if any(self._files.facts(name) is not None for name in owner.known):
            self._mark(owner.id)
            return ""
        # A new service has recorded nothing, and its folder may not be there yet.
        return _MISSING if owner.known else ""

    def _ids(self) -> list[str]:
        """Return the ids in the marker; none if there is no marker, or one without."""
        return _ids_in(self._files)

    def _has_marker(self, own_id: str) -> bool:
        return own_id in self._ids()

    def _mark(self, own_id: str) -> None:
        try:
            self._files.save(MARKER, _MARKED.format(own_id).encode())
        except MediaError as error:
            _log.warning("recordings_folder_not_marked", reason=str(error))

    async def sweep(self) -> None:
        """Delete files that no record and no call in progress names, and old records, a few times a day."""
        now_ms = self._clock.now_ms()
        if self._swept_ms is not None and now_ms - self._swept_ms < SWEEPS_EVERY_MS:
            return
        self._swept_ms = now_ms
        await self._sweep_files(now_ms)
        await self._database.write(lambda connection: _end_forgotten(connection, now_ms))
        if ids := await self._database.read(lambda connection: _old_records(connection, now_ms)):
            await self._database.write(lambda connection: _forget(connection, ids))

    async def _sweep_files(self, now_ms: int) -> None:
        """Delete files that were seen without a record a day ago, if this database has marked the folder."""
        owner = await self._database.read(self._owner)
        is_ours = owner.is_marked and await KEEPERS.run(self._has_marker, owner.id)
        old = await KEEPERS.run(self._old_files) if is_ours and owner.known else []
        orphans: list[str] = []
        for at in range(0, len(old), AT_ONCE):
            some = old[at : at + AT_ONCE]
            orphans += await self._database.read(partial(_without_record, names=some))
        self._seen_ms = {name: self._seen_ms.get(name, now_ms) for name in orphans[:ORPHANS_MAX]}
        due = [name for name, seen_ms in self._seen_ms.items() if now_ms - seen_ms >= ORPHAN_SEEN_MS]
        for at in range(0, len(due), AT_ONCE):
            await KEEPERS.run(self._delete, due[at : at + AT_ONCE])

    def _old_files(self) -> list[str]:
        """Return the files of our own form that are 30 days old, by the clock of the folder's file system."""
        try:
            self._files.save(_PROBE, b"", is_lasting=False)
            probe = self._files.facts(_PROBE)
            self._files.delete(_PROBE)
            found = [] if probe is None else list(self._files.list_files())
        except (MediaError, OSError) as error:
            _log.warning("recordings_folder_not_listed", reason=str(error))
            return []
        if probe is None:
            return []
        oldest_ns = probe.changed_ns - ORPHAN_NS
        return sorted(name for name, facts in found if _OWN.fullmatch(name) and facts.changed_ns <= oldest_ns)

    def _delete(self, orphans: list[str]) -> None:
        for name in orphans:
            try:
                self._files.delete(name)
            except MediaError as error:
                _log.warning("recording_without_record_not_deleted", file=name, reason=str(error))
            else:
                _log.info("recording_without_record_deleted", file=name)


def _ids_in(files: MediaFiles) -> list[str]:
    content = files.read(MARKER, 0, _MARKER_BYTES_MAX) or b""
    return _ID.findall(content.decode("ascii", "replace").replace("\r", ""))


def _new_id(connection: Connection) -> str:
    """Give the database the id of its folder, which follows it wherever it moves, and is in its backups."""
    touch(connection, NOTHING)
    own_id = secrets.token_hex(16)
    connection.execute(update(ServiceState).where(ServiceState.recordings_id.is_(None)).values(recordings_id=own_id))
    return connection.scalar(select(ServiceState.recordings_id)) or own_id


def _remember_marker(connection: Connection, bucket: str) -> None:
    touch(connection, NOTHING)
    marked: dict[str, object] = {"recordings_bucket": bucket} if bucket else {"recordings_marked": True}
    connection.execute(update(ServiceState).values(marked))


def _known(connection: Connection, *, is_in_bucket: bool) -> list[str]:
    """Return the files of the newest recordings that have any, in the folder or in the bucket.

    A removed one is still in its bucket until it is forgotten, so it is not looked for in another bucket.
    """
    has_file = (CallRecording.file != "") & ((CallRecording.stored_where == IN_BUCKET) == is_in_bucket)
    if not is_in_bucket:
        has_file &= CallRecording.state != RecordingState.REMOVED
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


def _end_forgotten(connection: Connection, now_ms: int) -> None:
    touch(connection, NOTHING)
    if ended := end_forgotten(connection, now_ms - FORGOTTEN_MS):
        _log.info("forgotten_recordings_ended", recordings=ended)


def _forget(connection: Connection, ids: list[int]) -> None:
    touch(connection, NOTHING)
    connection.execute(delete(CallRecording).where(CallRecording.id.in_(ids)))
