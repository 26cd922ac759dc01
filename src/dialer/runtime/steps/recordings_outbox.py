"""The way of recordings from the folder in which calls are recorded to a bucket.

A recording that is `waiting` is still to be sent: the row outlives any crash, and the file is deleted from the folder
only after the commit that says that the bucket has it. So a recording may be sent twice, and is never lost.
"""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Final, Protocol

import anyio
import anyio.to_thread
import structlog
from sqlalchemy import Connection, select

from dialer.domain.formats.media_files import MediaError, MediaFiles
from dialer.store.database.database import Database
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

    def __init__(self, spool: MediaFiles, bucket: Bucket, place: str) -> None:
        """Prepare it. `spool` has the files that are to be sent, and `place` names the bucket."""
        self.bucket: Final = bucket
        self.place: Final = place
        self._spool: Final = spool

    async def send(self, files: Sequence[str]) -> dict[str, str]:
        """Send files. Return the reasons of those that are not in the bucket.

        After a failure, none that was not begun yet is sent: the store may be away, and each would wait for it.
        """
        waiting, failures = iter(files), dict[str, str]()

        async def send_some() -> None:
            for file in waiting:
                why_not = next(iter(failures.values()), "") or await anyio.to_thread.run_sync(self._send, file)
                if why_not:
                    failures[file] = why_not

        async with anyio.create_task_group() as tasks:
            for _ in range(SENT_AT_ONCE):
                tasks.start_soon(send_some)
        return failures

    def _send(self, file: str) -> str:
        """Send a file, unless only the bucket has it. Return why it is not there; empty if it is."""
        try:
            facts = self._spool.facts(file)
            if facts is not None:
                self.bucket.save_pieces(file, _pieces(self._spool, file))
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
                self._spool.delete(file)
            except MediaError as error:
                _log.warning("sent_recording_not_deleted", file=file, reason=str(error))

    async def clean(self, database: Database) -> None:
        """Delete the files that a killed process has left in the folder, although the bucket has them."""
        try:
            names = await anyio.to_thread.run_sync(lambda: [name for name, _ in self._spool.list_files()])
        except MediaError as error:
            _log.warning("recordings_folder_not_listed", reason=str(error))
            return
        for at in range(0, len(names), CLEANED_AT_ONCE):
            sent = await database.read(partial(_sent_among, names=names[at : at + CLEANED_AT_ONCE]))
            await anyio.to_thread.run_sync(self.forget, sent)


def _pieces(spool: MediaFiles, file: str) -> Iterator[bytes]:
    """Yield a file in pieces.

    Raises:
        MediaError: it is gone, or cannot be read.
    """
    offset = 0
    while piece := spool.read(file, offset, PIECE_BYTES):
        yield piece
        offset += len(piece)


def _sent_among(connection: Connection, names: Sequence[str]) -> list[str]:
    is_sent = (CallRecording.file != "") & CallRecording.file.in_(names) & (CallRecording.stored_where == IN_BUCKET)
    return list(connection.scalars(select(CallRecording.file).where(is_sent)))
