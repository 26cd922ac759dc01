"""Tests of recordings that are sent to an S3 bucket: nothing is lost, whatever becomes of store and processes."""

import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest
from structlog.testing import capture_logs

from dialer.carriers.voice.sealed_spool import SealedSpool
from dialer.domain.calls.call_recording import DAY_MS, SoundStore
from dialer.domain.formats.media_files import MediaError
from dialer.domain.formats.sealed_sound import BLOCK_BYTES, HEADER_BYTES, wav_header
from dialer.runtime.steps.kept_recordings import FAILS_AFTER_MS, LOOKS_MS, RETRIES_EVERY_MS, KeptRecordings
from dialer.runtime.steps.recordings_folder import SWEEPS_EVERY_MS
from dialer.runtime.steps.recordings_outbox import RecordingsOutbox
from dialer.store.media.bucket import BucketMedia
from dialer.store.media.call_recordings import RecordedSound, loudness, measured, read_sound
from dialer.store.media.folder import FolderMedia
from dialer.store.media.recording_files import FilesOfBoth, recording_files
from tests import SECRETS_KEY
from tests.runtime.recordings_archive import GUESSED, KEY, Archive, opened_archive
from tests.runtime.sent_recordings import NOWHERE, SENT, in_bucket, places, use
from tests.s3_store import BUCKET, PREFIX, S3, HoldingProxy, s3_store


@pytest.fixture(scope="module")
def store() -> Iterator[S3]:
    with s3_store() as one:
        yield one


@pytest.fixture(autouse=True)
def _empty(store: S3) -> None:
    bucket = BucketMedia(store.access())
    for name, _ in list(bucket.list_files()):
        bucket.delete(name)


async def test_a_recording_goes_to_the_bucket_and_leaves_the_folder(archive: Archive, store: S3) -> None:
    use(archive, store.access())
    archive.add(1)
    spooled = (archive.folder / "1.call").read_bytes()
    await archive.keep()
    assert archive.rows() == [(1, *SENT, "1.call")]
    assert places(archive) == [("stored", "s3")]
    assert store.objects()[f"{PREFIX}/1.call"] == spooled
    assert archive.names() == []


async def test_what_is_in_the_bucket_is_read_in_whole_and_in_part(archive: Archive, store: S3) -> None:
    use(archive, store.access())
    sound = bytes(number % 251 for number in range(70 * BLOCK_BYTES + 500))
    archive.add(1)
    spool = SealedSpool(SoundStore(str(archive.folder / "1.call"), KEY))
    (archive.folder / "1.call").unlink()
    spool.open()
    spool.write([sound[at : at + BLOCK_BYTES] for at in range(0, len(sound), BLOCK_BYTES)])
    await archive.keep()
    files = recording_files(archive.folder, store.access())
    kept = RecordedSound("1.call", KEY, HEADER_BYTES + len(sound))
    assert measured(files, "1.call", KEY) == len(sound)
    found, whole = b"", wav_header(len(sound)) + sound
    while piece := read_sound(files, kept, len(found)):
        found += piece
    assert found == whole
    at = HEADER_BYTES + 3 * BLOCK_BYTES - 1
    part = read_sound(files, kept, at)
    assert part is not None
    assert part == whole[at : at + len(part)]
    assert len(loudness(files, kept, 240) or []) > 70
    assert measured(files, "nothing.call", KEY) is None


async def test_a_store_that_is_away_ends_nothing_and_gets_all_later(archive: Archive, store: S3) -> None:
    use(archive, store.access())
    archive.add(1)
    await archive.keep()
    use(archive, store.access(NOWHERE))
    archive.add(2)
    with capture_logs() as logs:
        await archive.keep()
        await archive.keep(FAILS_AFTER_MS)
        await archive.keep(LOOKS_MS)
    assert archive.rows()[1] == (2, "waiting", GUESSED, "2.call")
    assert [(line["event"], line["reason"]) for line in logs] == [
        ("recordings_store_away", "the store cannot be reached: see DIALER_S3_ENDPOINT")
    ]
    use(archive, store.access())
    await archive.keep()
    assert archive.rows()[1] == (2, *SENT, "2.call")


async def test_a_store_without_the_bucket_says_so_in_words(archive: Archive, store: S3) -> None:
    use(archive, store.access(bucket="another"))
    archive.add(1)
    with capture_logs() as logs:
        await archive.keep()
        await archive.keep(RETRIES_EVERY_MS)
    told = [(line["event"], line["reason"]) for line in logs]
    assert told == [("recordings_store_away", "there is no such bucket")]
    assert (archive.keeper.figures.waiting, archive.keeper.figures.is_in_place) == (1, False)


class Full(BucketMedia):
    """A bucket that takes nothing new."""

    def save_pieces(self, name: str, pieces: Iterator[bytes]) -> None:  # noqa: ARG002 - as in the bucket
        raise MediaError("the store is full")


async def test_recordings_that_the_store_does_not_take_wait_and_are_told_once(archive: Archive, store: S3) -> None:
    spool, bucket = FolderMedia(archive.folder), Full(store.access())
    outbox = RecordingsOutbox(spool, bucket, "s3://full")
    archive.keeper = KeptRecordings(archive.database, archive.clock, FilesOfBoth(spool, bucket), outbox=outbox)
    for one in range(1, 9):
        archive.add(one)
    with capture_logs() as logs:
        await archive.keep()
        await archive.keep(RETRIES_EVERY_MS)
    assert [(line["event"], line["recordings"], line["reason"]) for line in logs] == [
        ("recordings_not_sent", 8, "the store is full")
    ]
    assert (archive.keeper.figures.send_failures, archive.keeper.figures.waiting) == (16, 8)
    use(archive, store.access())
    await archive.keep()
    assert (len(in_bucket(store)), archive.keeper.figures.waiting) == (8, 0)


async def test_a_recording_without_a_file_is_lost_after_a_day_although_the_store_is_there(
    archive: Archive, store: S3
) -> None:
    use(archive, store.access())
    archive.add(1)
    archive.add(2)
    (archive.folder / "1.call").unlink()
    await archive.keep()
    await archive.keep(FAILS_AFTER_MS)
    assert places(archive) == [("failed", ""), ("stored", "s3")]
    assert archive.keeper.figures.lost == 1


async def test_a_removed_recording_leaves_the_bucket(archive: Archive, store: S3) -> None:
    use(archive, store.access())
    archive.add(1)
    await archive.keep()
    archive.change(1, state="removed", sound_key=None)
    await archive.keep()
    assert in_bucket(store) == []
    assert archive.rows()[0][3] == ""


async def test_one_that_is_removed_before_it_is_sent_is_in_neither_place(archive: Archive, store: S3) -> None:
    use(archive, store.access())
    archive.add(1)
    archive.change(1, state="removed", sound_key=None)
    await archive.keep()
    assert (archive.names(), in_bucket(store)) == ([], [])


async def test_recordings_that_are_in_the_folder_already_stay_there_and_are_read(archive: Archive, store: S3) -> None:
    archive.add(1)
    await archive.keep()
    use(archive, store.access())
    archive.add(2)
    await archive.keep()
    assert places(archive) == [("stored", "folder"), ("stored", "s3")]
    files = recording_files(archive.folder, store.access())
    assert [measured(files, f"{one}.call", KEY) for one in (1, 2)] == [BLOCK_BYTES, BLOCK_BYTES]
    archive.change(1, state="removed", sound_key=None)
    await archive.keep()
    assert "1.call" not in archive.names()


async def test_another_database_on_the_bucket_deletes_nothing_and_says_so(
    archive: Archive, store: S3, tmp_path: Path
) -> None:
    use(archive, store.access())
    archive.add(1)
    await archive.keep()
    await archive.keep(RETRIES_EVERY_MS)
    with opened_archive(tmp_path / "other") as other, capture_logs() as logs:
        use(other, store.access())
        other.add(7)
        for _ in range(3 * DAY_MS // SWEEPS_EVERY_MS):
            await other.keep(SWEEPS_EVERY_MS)
        assert other.rows() == [(7, "waiting", GUESSED, "7.call")]
    assert {line["event"] for line in logs} == {"recordings_folder_of_another_database"}
    assert in_bucket(store) == ["1.call"]


_PROCESS: Final = """
import asyncio, sys
from pathlib import Path
from dialer.api.actions.kept_recordings import kept_recordings
from dialer.domain.formats.buckets import BucketPlace
from dialer.runtime.steps.clock import VirtualClock
from dialer.settings import Settings
from dialer.store.database.database import Database
from dialer.store.tables.key_ring import RING, GivenKeys

database, folder, endpoint, bucket, prefix, key, now_ms = sys.argv[1:]
RING.hold(GivenKeys(key))
settings = Settings(
    recordings=BucketPlace(bucket, prefix), media_dir=Path(folder).parent, s3_endpoint=endpoint, s3_key_id="key",
    s3_secret="secret",
)
asyncio.run(kept_recordings(settings, Database(database), VirtualClock(int(now_ms))).keep())
"""


@pytest.mark.sqlite_only("another process opens the file")
async def test_a_process_that_is_killed_in_the_middle_of_an_upload_loses_nothing(
    archive: Archive, store: S3, tmp_path: Path
) -> None:
    """The folder and the row have all that the next process needs."""
    archive.add(1)
    spooled = (archive.folder / "1.call").read_bytes()
    proxy = HoldingProxy(store)
    given = [
        f"sqlite+aiosqlite:///{tmp_path}/dialer.db",
        str(archive.folder),
        proxy.endpoint,
        BUCKET,
        PREFIX,
        SECRETS_KEY,
    ]
    command = [sys.executable, "-c", _PROCESS, *given, str(archive.clock.now_ms())]
    with subprocess.Popen(command) as process:  # noqa: ASYNC220 - our own
        try:
            assert proxy.has_begun.wait(60)
        finally:
            process.send_signal(signal.SIGKILL)
    proxy.close()
    assert (archive.rows(), archive.names()) == ([(1, "waiting", GUESSED, "1.call")], ["1.call"])
    use(archive, store.access())
    await archive.keep()
    assert archive.rows() == [(1, *SENT, "1.call")]
    assert store.objects()[f"{PREFIX}/1.call"] == spooled
    assert archive.names() == []


async def test_what_a_process_killed_after_its_commit_left_in_the_folder_is_deleted(
    archive: Archive, store: S3
) -> None:
    use(archive, store.access())
    archive.add(1)
    spooled = (archive.folder / "1.call").read_bytes()
    await archive.keep()
    (archive.folder / "1.call").write_bytes(spooled)
    archive.add(2)
    use(archive, store.access())
    await archive.keep()
    assert (archive.names(), in_bucket(store)) == ([], ["1.call", "2.call"])


async def test_a_recording_that_was_sent_before_a_crash_is_not_looked_for_in_the_folder(
    archive: Archive, store: S3
) -> None:
    """A database that was restored from a backup does not know that the bucket has it."""
    use(archive, store.access())
    archive.add(1)
    await archive.keep()
    archive.change(1, state="waiting", stored_where="")
    await archive.keep()
    assert places(archive) == [("stored", "s3")]
