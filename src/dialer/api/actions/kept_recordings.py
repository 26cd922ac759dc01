"""The care for recordings of calls, as the settings say where they are kept and who writes them down."""

from typing import NamedTuple

from dialer.runtime.steps.clock import Clock
from dialer.runtime.steps.kept_recordings import KeptRecordings
from dialer.runtime.steps.recordings_outbox import RecordingsOutbox
from dialer.runtime.steps.transcripts import Transcripts
from dialer.settings import Settings
from dialer.store.database.database import Database
from dialer.store.media.folder import FolderMedia
from dialer.store.media.recording_files import FilesOfBoth, recording_files


class RecordingTasks(NamedTuple):
    """The tasks that look after recordings as long as the service runs."""

    recordings: KeptRecordings
    transcripts: Transcripts


def recording_tasks(settings: Settings, database: Database, clock: Clock) -> RecordingTasks:
    """Return the tasks that look after the recordings of the settings."""
    kept = kept_recordings(settings, database, clock)
    kept.has_ears = bool(settings.ears)
    files = recording_files(settings.recordings_dir, settings.recordings_bucket)
    return RecordingTasks(kept, Transcripts(database, clock, files, settings.ears, kept.figures))


def kept_recordings(settings: Settings, database: Database, clock: Clock) -> KeptRecordings:
    """Return the care for the recordings in the folder or the bucket of the settings."""
    spool, access = FolderMedia(settings.recordings_dir), settings.recordings_bucket
    if access is None:
        return KeptRecordings(database, clock, spool, most_days=settings.recording_days)
    # Most services have no bucket.
    from dialer.store.media.bucket import BucketMedia  # noqa: PLC0415

    bucket = BucketMedia(access)
    outbox = RecordingsOutbox(spool, bucket, str(access.place))
    files = FilesOfBoth(spool, bucket)
    return KeptRecordings(database, clock, files, most_days=settings.recording_days, outbox=outbox)
