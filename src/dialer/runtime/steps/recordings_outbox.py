"""The way of recordings from the folder in which calls are recorded to a bucket.

A recording that is `waiting` is still to be sent: the row outlives any crash, and the file is deleted from the folder
only after the commit that says that the bucket has it. So a recording may be sent twice, and is never lost. Of the
processes that share a folder, one sends at a time. Where its file system has no locks, several may send the same.
"""

import fcntl
import os
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple, Protocol

import anyio
import structlog
from sqlalchemy import Connection, select

from dialer.domain.formats.media_files import MediaError, MediaFiles
from dialer.store.database.database import Database
from dialer.store.media.folder import FolderMedia
from dialer.store.media.store_threads import KEEPERS
from dialer.store.tables import CallRecording

IN_BUCKET: Final = "s3"
IN_FOLDER: Final = "folder"
"""Where a recording is stored, as its record says."""
SENT_AT_ONCE: Final = 4
PIECE_BYTES: Final = 2**20
CLEANED_AT_ONCE: Final = 200
_log = structlog.get_logger(__name__)


class Bucket(MediaFiles, Protocol):
    """Files of a bucket, which takes large ones in pieces."""

    def save_pieces(self, name: str, pieces: Iterator[bytes]) -> None:
        """Save a file whole or not at all.

        Raises:
            MediaError: it cannot be saved.
        """


class RecordingsOutbox:
    """Recordings that are sent to a bucket, some at once."""

    def __init__(self, spool: FolderMedia, bucket: Bucket, place: str) -> None:
        """Prepare it. `spool` has the files that are to be sent, and `place` names the bucket."""
        self.bucket: Final = bucket
        self.place: Final = place
        self.spool: Final = spool

    @asynccontextmanager
    async def owned(self) -> AsyncIterator[bool]:
        """Own the folder while the context is entered. Yield False if another process, which sends from it, does.

        The owner knows that nobody else sends what waits, if it has read the rows in this context.
        """
        lock = await KEEPERS.run(_lock, self.spool.folder)
        try:
            yield lock.is_ours
        finally:
            if lock.descriptor is not None:
                os.close(lock.descriptor)

    async def send(self, files: Sequence[str]) -> dict[str, str]:
        """Send files. Return the reasons of those that are not in the bucket.

        After a failure, none that was not begun yet is sent: the store may be away, and each would wait for it.
        """
        waiting, failures = iter(files), dict[str, str]()

        async def send_some() -> None:
            for file in waiting:
                why_not = next(iter(failures.values()), "") or await KEEPERS.run(self._send, file)
                if why_not:
                    failures[file] = why_not

        async with anyio.create_task_group() as tasks:
            for _ in range(SENT_AT_ONCE):
                tasks.start_soon(send_some)
        return failures

    def _send(self, file: str) -> str:
        """Send a file, unless only the bucket has it. Return why it is not there; empty if it is."""
        try:
            facts, sent = self.spool.facts(file), self.bucket.facts(file)
            # An object that is there already, and not shorter, was sent by somebody else, and is never overwritten.
            if facts is not None and (sent is None or sent.size < facts.size):
                self.bucket.save_pieces(file, _pieces(self.spool, file, facts.size))
                sent = self.bucket.facts(file)
        except (MediaError, OSError) as error:
            return str(error)
        if sent is None or (facts is not None and sent.size != facts.size):
            return "the store has taken it, and does not have it whole"
        return ""

    def forget(self, files: Sequence[str]) -> None:
        """Delete files that the bucket has from the folder."""
        for file in files:
            try:
                self.spool.delete(file)
            except MediaError as error:
                _log.warning("sent_recording_not_deleted", file=file, reason=str(error))

    async def clean(self, database: Database) -> None:
        """Delete the files that a killed process has left in the folder, although the bucket has them."""
        try:
            names = await KEEPERS.run(lambda: [name for name, _ in self.spool.list_files()])
        except MediaError as error:
            _log.warning("recordings_folder_not_listed", reason=str(error))
            return
        for at in range(0, len(names), CLEANED_AT_ONCE):
            sent = await database.read(partial(_sent_among, names=names[at : at + CLEANED_AT_ONCE]))
            await KEEPERS.run(self.forget, sent)


class _Lock(NamedTuple):
    """The answer to an attempt to own a folder, and the open file that keeps it owned."""

    is_ours: bool
    descriptor: int | None


def _lock(folder: Path) -> _Lock:
    """Lock a folder, until the file is closed or the process ends."""
    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    except OSError:
        # Without a folder, recordings can only be found in the bucket.
        return _Lock(is_ours=True, descriptor=None)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return _Lock(is_ours=False, descriptor=descriptor)
    except OSError as error:
        _log.debug("recordings_folder_without_locks", reason=str(error))
    return _Lock(is_ours=True, descriptor=descriptor)


def _pieces(spool: MediaFiles, file: str, size: int) -> Iterator[bytes]:
    """Yield a file of a size in pieces.

    Raises:
        MediaError: it has another size, is gone, or cannot be read. The pieces until then are not to be kept.
    """
    offset = 0
    while piece := spool.read(file, offset, PIECE_BYTES):
        yield piece
        offset += len(piece)
    if offset != size:
        raise MediaError(f"its file ended after {offset} of {size} bytes: another process may have sent it")


def _sent_among(connection: Connection, names: Sequence[str]) -> list[str]:
    is_sent = (CallRecording.file != "") & CallRecording.file.in_(names) & (CallRecording.stored_where == IN_BUCKET)
    return list(connection.scalars(select(CallRecording.file).where(is_sent)))
