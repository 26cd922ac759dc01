"""Recordings that are sent to an S3 bucket, for tests."""

from typing import Final

from dialer.domain.formats.buckets import BucketAccess
from dialer.runtime.steps.kept_recordings import KeptRecordings
from dialer.runtime.steps.recordings_folder import MARKER
from dialer.runtime.steps.recordings_outbox import RecordingsOutbox
from dialer.store.media.bucket import BucketMedia
from dialer.store.media.folder import FolderMedia
from dialer.store.media.recording_files import FilesOfBoth
from tests.runtime.recordings_archive import WHOLE, Archive
from tests.s3_store import PREFIX, S3

NOWHERE: Final = "http://127.0.0.1:9"
"""No store answers there."""
SENT: Final = ("stored", WHOLE)


def use(archive: Archive, access: BucketAccess) -> None:
    """Let another process look after the recordings, which are kept in a bucket."""
    spool, bucket = FolderMedia(archive.folder), BucketMedia(access)
    outbox = RecordingsOutbox(spool, bucket, str(access.place))
    archive.keeper = KeptRecordings(archive.database, archive.clock, FilesOfBoth(spool, bucket), outbox=outbox)


def places(archive: Archive) -> list[tuple[str, str]]:
    """Return the state of each recording, and where it is."""
    query = "SELECT state, stored_where FROM call_recording ORDER BY id"
    return archive.database.read_now(lambda connection: [(row[0], row[1]) for row in connection.exec_driver_sql(query)])


def in_bucket(store: S3) -> list[str]:
    """Return the names of the recordings in the bucket."""
    return sorted(name.removeprefix(f"{PREFIX}/") for name in store.objects() if not name.endswith(MARKER))


def keeper_of(archive: Archive, bucket: BucketMedia, access: BucketAccess) -> KeptRecordings:
    """Return another process that looks after the same recordings."""
    spool = FolderMedia(archive.folder)
    outbox = RecordingsOutbox(spool, bucket, str(access.place))
    return KeptRecordings(archive.database, archive.clock, FilesOfBoth(spool, bucket), outbox=outbox)
