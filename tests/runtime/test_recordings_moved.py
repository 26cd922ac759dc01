"""Tests of settings that name another place of recordings: nothing is given up, or forgotten, that may be elsewhere."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from dialer.runtime.steps.kept_recordings import FAILS_AFTER_MS, LOOKS_MS, RETRIES_EVERY_MS, KeptRecordings
from dialer.runtime.steps.recordings_folder import MARKER
from dialer.store.media.bucket import BucketMedia
from dialer.store.media.folder import FolderMedia
from tests.runtime.recordings_archive import GUESSED, Archive
from tests.runtime.sent_recordings import in_bucket, keeper_of, use
from tests.s3_store import S3, s3_store


@pytest.fixture(scope="module")
def store() -> Iterator[S3]:
    with s3_store() as one:
        yield one


@pytest.fixture(autouse=True)
def _empty(store: S3) -> None:
    bucket = BucketMedia(store.access())
    for name, _ in list(bucket.list_files()):
        bucket.delete(name)


def move_to_bucket(archive: Archive, store: S3, tmp_path: Path) -> Path:
    """Let the settings name a bucket, so that calls are recorded into another folder. Return the old folder."""
    old, archive.folder = archive.folder, tmp_path / "media"
    archive.folder.mkdir()
    use(archive, store.access())
    return old


def move_to_folder(archive: Archive, folder: Path) -> None:
    archive.folder = folder
    folder.mkdir(exist_ok=True)
    archive.keeper = KeptRecordings(archive.database, archive.clock, FolderMedia(folder))


def remove(archive: Archive, recording_id: int) -> None:
    archive.change(recording_id, state="removed", sound_key=None)


async def test_a_recording_in_the_folder_before_the_bucket_keeps_its_name_until_it_is_deleted(
    archive: Archive, store: S3, tmp_path: Path
) -> None:
    archive.add(1)
    await archive.keep()
    old = move_to_bucket(archive, store, tmp_path)
    remove(archive, 1)
    with capture_logs() as logs:
        await archive.keep()
        await archive.keep(RETRIES_EVERY_MS)
    told = [(line["event"], line["log_level"]) for line in logs]
    assert (archive.rows()[0][3], told) == ("1.call", [("recordings_not_deleted", "error")])
    # Its folder is copied to the new one, so it is found and deleted.
    for path in list(old.iterdir()):
        path.rename(archive.folder / path.name)
    await archive.keep(RETRIES_EVERY_MS)
    assert (archive.rows()[0][3], archive.names()) == ("", [MARKER])


async def test_a_file_that_is_missing_from_the_folder_that_was_copied_is_gone(
    archive: Archive, store: S3, tmp_path: Path
) -> None:
    archive.add(1)
    await archive.keep()
    old = move_to_bucket(archive, store, tmp_path)
    remove(archive, 1)
    (old / MARKER).rename(archive.folder / MARKER)
    await archive.keep()
    assert archive.rows()[0][3] == ""


async def test_a_recording_that_waits_in_the_folder_before_the_bucket_is_not_given_up(
    archive: Archive, store: S3, tmp_path: Path
) -> None:
    archive.add(1)
    await archive.keep()
    archive.add(2)
    old = move_to_bucket(archive, store, tmp_path)
    with capture_logs() as logs:
        for after_ms in (0, FAILS_AFTER_MS, LOOKS_MS, LOOKS_MS):
            await archive.keep(after_ms)
    assert archive.rows()[1] == (2, "waiting", GUESSED, "2.call")
    assert [line["event"] for line in logs] == ["recordings_not_readable", "recordings_in_another_place"]
    (old / "2.call").rename(archive.folder / "2.call")
    await archive.keep(RETRIES_EVERY_MS)
    assert (archive.rows()[1][1], in_bucket(store)) == ("stored", ["2.call"])


async def test_a_recording_in_the_bucket_before_the_folder_keeps_its_name_until_it_is_deleted(
    archive: Archive, store: S3, tmp_path: Path
) -> None:
    use(archive, store.access())
    spool = archive.folder
    archive.add(1)
    await archive.keep()
    remove(archive, 1)
    move_to_folder(archive, tmp_path / "new")
    with capture_logs() as logs:
        await archive.keep()
        await archive.keep(RETRIES_EVERY_MS)
    assert (archive.rows()[0][3], in_bucket(store)) == ("1.call", ["1.call"])
    assert [line["event"] for line in logs] == ["recordings_not_deleted"]
    archive.folder = spool
    use(archive, store.access())
    await archive.keep()
    assert (archive.rows()[0][3], in_bucket(store)) == ("", [])


async def test_a_removed_recording_is_not_looked_for_in_another_bucket(archive: Archive, store: S3) -> None:
    use(archive, store.access())
    archive.add(1)
    await archive.keep()
    await archive.keep()
    remove(archive, 1)
    store.add_bucket("next")
    other = store.access(bucket="next")
    archive.keeper = keeper_of(archive, BucketMedia(other), other)
    with capture_logs() as logs:
        await archive.keep()
    assert (archive.rows()[0][3], in_bucket(store)) == ("1.call", ["1.call"])
    assert [line["event"] for line in logs] == ["recordings_folder_missing"]
    use(archive, store.access())
    await archive.keep()
    assert (archive.rows()[0][3], in_bucket(store)) == ("", [])


async def test_a_removed_recording_without_a_file_is_forgotten_where_no_place_was_another(
    archive: Archive, store: S3
) -> None:
    use(archive, store.access())
    archive.add(1)
    (archive.folder / "1.call").unlink()
    remove(archive, 1)
    await archive.keep()
    assert archive.rows()[0][3] == ""
