"""Tests of the care for recordings of calls that are over, on a folder and a ring of keys that fail."""

import shutil
from pathlib import Path

import pytest
from cryptography.fernet import Fernet
from sqlalchemy import select, type_coerce
from sqlalchemy.types import String

from dialer.domain.calls.call_recording import DAY_MS
from dialer.domain.numbers.spellings import ERASED
from dialer.runtime.steps import kept_recordings
from dialer.runtime.steps.kept_recordings import (
    FAILS_AFTER_MS,
    LIMITS_EVERY_MS,
    LOOKS_MS,
    RETRIES_EVERY_MS,
    KeptRecordings,
)
from dialer.runtime.steps.recordings_folder import MARKER, ROWS_KEPT_MS
from dialer.store.media.call_recordings import new_store, opened_store, resealed
from dialer.store.media.folder import FolderMedia
from dialer.store.rows.call_recordings import erase_recordings
from dialer.store.tables import CallRecording
from dialer.store.tables.key_ring import RING, GivenKeys
from tests import SECRETS_KEY
from tests.runtime.recordings_archive import GUESSED, KEY, NOW_MS, WHOLE, Archive


async def test_a_folder_that_is_away_for_a_moment_loses_nothing(archive: Archive, tmp_path: Path) -> None:
    archive.add(1)
    archive.folder.rename(tmp_path / "elsewhere")
    await archive.keep()
    await archive.keep(RETRIES_EVERY_MS)
    assert archive.rows() == [(1, "waiting", GUESSED, "1.call")]
    (tmp_path / "elsewhere").rename(archive.folder)
    await archive.keep(RETRIES_EVERY_MS)
    assert archive.rows() == [(1, "stored", WHOLE, "1.call")]


async def test_a_recording_that_cannot_be_read_for_a_day_is_not_looked_for_any_more(
    archive: Archive, monkeypatch: pytest.MonkeyPatch
) -> None:
    archive.add(1)
    archive.add(2)
    (archive.folder / "1.call").unlink()
    await archive.keep()
    await archive.keep(FAILS_AFTER_MS - 1)
    assert archive.rows() == [(1, "waiting", GUESSED, "1.call"), (2, "stored", WHOLE, "2.call")]
    await archive.keep(RETRIES_EVERY_MS)
    assert archive.rows() == [(1, "failed", GUESSED, "1.call"), (2, "stored", WHOLE, "2.call")]
    looked = list[object]()
    monkeypatch.setattr(kept_recordings, "measured", looked.append)
    await archive.keep(10 * RETRIES_EVERY_MS)
    assert looked == []
    # It ends with its term, as any other.
    archive.change(1, kept_until_ms=0)
    await archive.keep()
    assert archive.rows()[0][:2] == (1, "removed")


async def test_a_service_that_was_off_for_days_waits_an_hour_for_its_folder(archive: Archive, tmp_path: Path) -> None:
    archive.add(1)
    archive.add(2)
    (archive.folder / "2.call").unlink()
    archive.folder.rename(tmp_path / "elsewhere")
    await archive.keep(2 * FAILS_AFTER_MS)
    lost = (2, "waiting", GUESSED, "2.call")
    assert archive.rows() == [(1, "waiting", GUESSED, "1.call"), lost]
    (tmp_path / "elsewhere").rename(archive.folder)
    await archive.keep(LOOKS_MS - 1)
    assert archive.rows() == [(1, "stored", WHOLE, "1.call"), lost]
    await archive.keep(RETRIES_EVERY_MS)
    assert archive.rows()[1] == (2, "failed", GUESSED, "2.call")


async def test_a_key_that_cannot_be_read_leaves_its_own_recording_alone(archive: Archive) -> None:
    archive.add(1)
    RING.hold(GivenKeys(Fernet.generate_key().decode()))
    archive.add(2)
    archive.add(3, sound_key=None)
    await archive.keep()
    waiting = [(1, "waiting", GUESSED, "1.call"), (3, "waiting", GUESSED, "3.call")]
    assert archive.rows() == [waiting[0], (2, "stored", WHOLE, "2.call"), waiting[1]]
    RING.hold(GivenKeys(SECRETS_KEY))
    await archive.keep(RETRIES_EVERY_MS)
    assert archive.rows()[0] == (1, "stored", WHOLE, "1.call")


async def test_what_cannot_be_read_or_deleted_holds_up_no_other(
    archive: Archive, monkeypatch: pytest.MonkeyPatch
) -> None:
    for query in ("_WAITING", "_LEFT"):
        monkeypatch.setattr(kept_recordings, query, getattr(kept_recordings, query).limit(2))
    monkeypatch.setattr(kept_recordings, "AT_ONCE", 2)
    archive.keeper = KeptRecordings(archive.database, archive.clock, FolderMedia(archive.folder))
    for number in range(1, 9):
        archive.add(number)
    for number in (1, 2):
        (archive.folder / f"{number}.call").unlink()
    for number in (5, 6, 7, 8):
        archive.change(number, state="removed", sound_key=None)
    for number in (5, 6):
        (archive.folder / f"{number}.call").unlink()
        (archive.folder / f"{number}.call").mkdir()
    await archive.keep()
    stuck = [(1, "waiting", GUESSED, "1.call"), (2, "waiting", GUESSED, "2.call")]
    stored = [(3, "stored", WHOLE, "3.call"), (4, "stored", WHOLE, "4.call")]
    left = [(5, "removed", GUESSED, "5.call"), (6, "removed", GUESSED, "6.call")]
    gone = [(7, "removed", GUESSED, ""), (8, "removed", GUESSED, "")]
    assert archive.rows() == [*stuck, *stored, *left, *gone]
    for number in (5, 6):
        shutil.rmtree(archive.folder / f"{number}.call")
    await archive.keep(RETRIES_EVERY_MS)
    assert archive.rows()[4:6] == [(5, "removed", GUESSED, ""), (6, "removed", GUESSED, "")]


async def test_a_recording_whose_time_is_over_is_removed_although_it_was_never_read(archive: Archive) -> None:
    archive.add(1, kept_until_ms=NOW_MS + 10)
    (archive.folder / "1.call").unlink()
    await archive.keep()
    await archive.keep(10)
    assert archive.rows() == [(1, "removed", GUESSED, "")]


def test_a_call_that_is_taken_up_has_its_key_sealed_by_the_newest_key(archive: Archive, tmp_path: Path) -> None:
    newest = Fernet.generate_key().decode()
    store = new_store()
    opened = opened_store(tmp_path, store)
    RING.hold(GivenKeys(f"{newest} {SECRETS_KEY}"))
    again = resealed(store)
    assert again is not None
    RING.hold(GivenKeys(newest))
    assert opened_store(tmp_path, again) == opened
    assert resealed(store) is None
    archive.add(1)
    query = select(type_coerce(CallRecording.sound_key, String))
    assert KEY not in archive.database.read_now(lambda connection: connection.scalars(query).one())


async def test_a_legal_hold_outlives_the_days_and_an_erasure_and_what_was_due_follows_it(archive: Archive) -> None:
    archive.add(1, legal_hold=True, kept_until_ms=NOW_MS)
    archive.add(2, legal_hold=True)
    archive.add(3)
    is_any = CallRecording.id.in_([2, 3])
    archive.write(lambda connection: erase_recordings(connection, is_any, NOW_MS))
    await archive.keep(1)
    assert archive.rows() == [(1, "stored", WHOLE, "1.call"), (2, "stored", WHOLE, "2.call"), (3, "removed", 100, "")]
    assert archive.numbers() == ["+12025550100", "+12025550100", ERASED]
    archive.change(1, legal_hold=False)
    archive.change(2, legal_hold=False)
    await archive.keep(1)
    assert archive.rows() == [(1, "removed", WHOLE, ""), (2, "removed", WHOLE, ""), (3, "removed", 100, "")]
    assert archive.numbers() == ["+12025550100", ERASED, ERASED]


async def test_an_empty_folder_in_place_of_the_right_one_loses_nothing(archive: Archive, tmp_path: Path) -> None:
    archive.add(1)
    await archive.keep()
    archive.add(2)
    archive.add(3)
    archive.change(3, state="removed", sound_key=None)
    archive.folder.rename(tmp_path / "elsewhere")
    archive.folder.mkdir()
    await archive.keep(LOOKS_MS)
    await archive.keep(2 * FAILS_AFTER_MS)
    waiting = [(2, "waiting", GUESSED, "2.call"), (3, "removed", GUESSED, "3.call")]
    assert archive.rows() == [(1, "stored", WHOLE, "1.call"), *waiting]
    assert list(archive.folder.iterdir()) == []
    archive.folder.rmdir()
    (tmp_path / "elsewhere").rename(archive.folder)
    await archive.keep(RETRIES_EVERY_MS)
    assert [row[1] for row in archive.rows()] == ["stored", "stored", "removed"]
    assert archive.names() == ["1.call", "2.call", MARKER]


async def test_a_record_goes_a_year_after_its_recording(archive: Archive) -> None:
    archive.add(1, state="removed", file="", removed_ms=NOW_MS)
    archive.add(2, state="removed", file="", removed_ms=NOW_MS + 1)
    archive.add(3)
    await archive.keep(ROWS_KEPT_MS)
    assert [row[0] for row in archive.rows()] == [2, 3]


async def test_no_recording_is_kept_for_longer_than_the_service_allows(archive: Archive) -> None:
    archive.keeper = KeptRecordings(archive.database, archive.clock, FolderMedia(archive.folder), most_days=2)
    archive.add(1)
    archive.add(2, kept_until_ms=NOW_MS + 9 * DAY_MS)
    archive.add(3, kept_until_ms=NOW_MS + DAY_MS)
    archive.add(4, legal_hold=True)
    await archive.keep(DAY_MS)
    assert [row[1] for row in archive.rows()] == ["stored", "stored", "removed", "stored"]
    await archive.keep(DAY_MS - LIMITS_EVERY_MS)
    await archive.keep(2 * LIMITS_EVERY_MS)
    assert [row[1] for row in archive.rows()] == ["removed", "removed", "removed", "stored"]
