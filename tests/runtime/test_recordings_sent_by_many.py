"""Tests of several processes that send recordings to one bucket, and of a store that is away, or hangs."""

import fcntl
import os
import socket
import threading
from collections.abc import Callable, Iterator
from typing import Final

import anyio
import anyio.from_thread
import pytest
from structlog.testing import capture_logs

from dialer.domain.formats.buckets import BucketAccess
from dialer.domain.formats.media_files import StoreAwayError
from dialer.runtime.steps import recordings_outbox
from dialer.runtime.steps.kept_recordings import RETRIES_EVERY_MS
from dialer.runtime.steps.recordings_folder import MARKER
from dialer.store.database.touched import NOTHING, touch
from dialer.store.media.bucket import BucketMedia
from dialer.store.media.store_threads import HEARERS, KEEPERS
from tests.runtime.recordings_archive import GUESSED, Archive
from tests.runtime.sent_recordings import NOWHERE, SENT, in_bucket, keeper_of, use
from tests.s3_store import PREFIX, S3, s3_store


@pytest.fixture(scope="module")
def store() -> Iterator[S3]:
    with s3_store() as one:
        yield one


@pytest.fixture(autouse=True)
def _empty(store: S3) -> None:
    bucket = BucketMedia(store.access())
    for name, _ in list(bucket.list_files()):
        bucket.delete(name)


class Slow(BucketMedia):
    """A bucket that lets something happen after the first piece of an upload."""

    def __init__(self, access: BucketAccess, meanwhile: Callable[[], object]) -> None:
        super().__init__(access)
        self._meanwhile: Final = meanwhile

    def save_pieces(self, name: str, pieces: Iterator[bytes]) -> None:
        super().save_pieces(name, pieces if name == MARKER else self._slowly(pieces))

    def _slowly(self, pieces: Iterator[bytes]) -> Iterator[bytes]:
        for number, piece in enumerate(pieces):
            yield piece
            if number == 0:
                self._meanwhile()


@pytest.mark.parametrize("has_locks", [True, False])
async def test_two_processes_on_one_folder_never_shorten_what_one_of_them_has_sent(
    archive: Archive, store: S3, monkeypatch: pytest.MonkeyPatch, *, has_locks: bool
) -> None:
    """The other one stores the recording, and would delete its file, in the middle of the upload of this one."""
    monkeypatch.setattr(recordings_outbox, "PIECE_BYTES", 100)
    if not has_locks:

        def refuse(*_: object) -> None:
            raise OSError(95, os.strerror(95))

        monkeypatch.setattr(fcntl, "flock", refuse)
    archive.add(1)
    spooled = (archive.folder / "1.call").read_bytes()
    use(archive, store.access())
    other = archive.keeper
    seen: list[list[str]] = []

    def meanwhile() -> None:
        anyio.from_thread.run(other.keep)
        seen.append(archive.names())

    archive.keeper = keeper_of(archive, Slow(store.access(), meanwhile), store.access())
    await archive.keep()
    await archive.keep(RETRIES_EVERY_MS)
    assert seen == [["1.call"] if has_locks else []]
    assert store.objects()[f"{PREFIX}/1.call"] == spooled
    assert archive.rows() == [(1, *SENT, "1.call")]
    assert archive.names() == []


async def test_a_file_that_is_shorter_than_the_object_of_its_name_replaces_nothing(archive: Archive, store: S3) -> None:
    use(archive, store.access())
    archive.add(1)
    bucket = BucketMedia(store.access())
    whole = (archive.folder / "1.call").read_bytes()
    bucket.save("1.call", whole + b"more")
    await archive.keep()
    assert store.objects()[f"{PREFIX}/1.call"] == whole + b"more"
    assert archive.rows() == [(1, "waiting", GUESSED, "1.call")]


class Away(BucketMedia):
    """A bucket that deletes no recording, and counts how often it is asked."""

    asked = 0

    def delete(self, name: str) -> None:
        if not name.endswith(".call"):
            super().delete(name)
            return
        self.asked += 1
        raise StoreAwayError("the store cannot be reached")


async def test_a_store_that_is_away_is_asked_for_one_deletion_only(archive: Archive, store: S3) -> None:
    use(archive, store.access())
    for one in range(1, 6):
        archive.add(one)
    await archive.keep()
    for one in range(1, 6):
        archive.change(one, state="removed", sound_key=None)
    away = Away(store.access())
    archive.keeper = keeper_of(archive, away, store.access())
    with capture_logs() as logs:
        await archive.keep()
    told = [(line["event"], line.get("recordings")) for line in logs]
    assert (away.asked, told) == (1, [("recordings_not_deleted", 5)])
    assert [row[3] for row in archive.rows()] == [f"{one}.call" for one in range(1, 6)]
    use(archive, store.access())
    await archive.keep()
    assert (in_bucket(store), {row[3] for row in archive.rows()}) == ([], {""})


def test_a_store_that_cannot_be_reached_says_so_to_who_deletes(store: S3) -> None:
    with pytest.raises(StoreAwayError, match="cannot be reached"):
        BucketMedia(store.access(NOWHERE)).delete("1.call")


async def test_readers_of_a_store_that_hangs_leave_all_other_threads_free(archive: Archive) -> None:
    """A write to the database has its thread at once, however many wait for the store."""
    archive.add(1)
    released = threading.Event()
    written: list[list[str]] = []

    def wait() -> None:
        released.wait()

    async with anyio.create_task_group() as tasks:
        for threads in (HEARERS, KEEPERS):
            for _ in range(60):
                tasks.start_soon(threads.run, wait)
        await anyio.wait_all_tasks_blocked()
        with anyio.move_on_after(30):
            await archive.database.write(lambda connection: touch(connection, NOTHING))
            written.append(archive.names())
        released.set()
    assert written == [["1.call"]]


def test_variables_of_the_environment_do_not_go_before_the_settings(store: S3, monkeypatch: pytest.MonkeyPatch) -> None:
    """The library reads them by itself."""
    variables = {
        "AWS_SESSION_TOKEN": "stray",
        "AWS_SKIP_SIGNATURE": "true",
        "AWS_ENDPOINT_URL": NOWHERE,
        "AWS_ACCESS_KEY_ID": "stray",
        "AWS_DEFAULT_REGION": "eu-central-1",
    }
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(60)
        asked: list[str] = []

        def answer() -> None:
            client, _ = server.accept()
            with client:
                asked.append(client.recv(65_536).decode().lower())
                client.sendall(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")

        answering = threading.Thread(target=answer)
        answering.start()
        bucket = BucketMedia(store.access(f"http://127.0.0.1:{server.getsockname()[1]}"))
        assert bucket.facts("1.call") is None
        answering.join()
    assert "credential=key/" in asked[0]
    assert "/us-east-1/s3/" in asked[0]
    assert "stray" not in asked[0]
    assert "x-amz-security-token" not in asked[0]
