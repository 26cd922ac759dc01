"""Tests of the folder of recordings: which one is taken for the right one, and which of its files are deleted."""

import os
from pathlib import Path
from typing import Final

import msgspec
from sqlalchemy import insert
from structlog.testing import capture_logs

from dialer.domain.calls.call_recording import DAY_MS, SoundStore
from dialer.domain.sessions.leg_protocol import Dialling
from dialer.runtime.steps.kept_recordings import LOOKS_MS, KeptRecordings
from dialer.runtime.steps.recordings_folder import MARKER, SWEEPS_EVERY_MS
from dialer.store.media.folder import FolderMedia
from dialer.store.tables import LiveLeg
from tests.runtime.recordings_archive import GUESSED, OWN, WHOLE, Archive, opened_archive

DAYS_S: Final = 86_400


def put(archive: Archive, *names: str, days: int = 40) -> None:
    """Put files into the folder that are so many days old."""
    archive.folder.mkdir(exist_ok=True)
    for name in names:
        path = archive.folder / name
        path.write_bytes(b"")
        changed_s = path.stat().st_mtime - days * DAYS_S
        os.utime(path, (changed_s, changed_s))


async def pass_days(archive: Archive, days: int = 3) -> None:
    """Look after the folder for some days, a few times each day."""
    for _ in range(days * DAY_MS // SWEEPS_EVERY_MS):
        await archive.keep(SWEEPS_EVERY_MS)


async def test_files_that_nothing_names_go_after_30_days_once_seen_for_a_day(archive: Archive) -> None:
    archive.add(1, file=OWN.format(1))
    own, live, orphan, fresh = (OWN.format(number) for number in range(1, 5))
    put(archive, own, live, orphan, "letter.txt", "5.call")
    put(archive, fresh, days=29)
    order = Dialling("a", "1", "", 1, 1, sound_store=SoundStore(live, ""))
    leg = {"key": "a", "call_id": 1, "medium": "voice", "gateway_id": 1, "wanted_ms": 0}
    text = msgspec.json.encode(order).decode()
    archive.write(lambda connection: connection.execute(insert(LiveLeg).values(**leg, dialling=text)))
    left = sorted(["1.call", "5.call", own, live, fresh, MARKER, "letter.txt"])
    await archive.keep()
    await archive.keep(DAY_MS - 1)
    assert archive.names() == sorted([*left, orphan])
    # A process that starts has seen nothing yet.
    archive.keeper = KeptRecordings(archive.database, archive.clock, FolderMedia(archive.folder))
    await archive.keep(DAY_MS)
    assert archive.names() == sorted([*left, orphan])
    await archive.keep(DAY_MS)
    assert archive.names() == left


async def test_another_database_on_the_folder_deletes_nothing_and_says_so(archive: Archive, tmp_path: Path) -> None:
    archive.add(1, file=OWN.format(1))
    put(archive, OWN.format(1))
    await archive.keep()
    names = archive.names()
    with opened_archive(tmp_path / "other") as other, capture_logs() as logs:
        other.folder = archive.folder
        other.keeper = KeptRecordings(other.database, other.clock, FolderMedia(archive.folder))
        await pass_days(other)
        assert archive.names() == names
        # Nor does it once it has recorded a call of its own there, which waits.
        other.add(7)
        await pass_days(other)
        assert other.rows() == [(7, "waiting", GUESSED, "7.call")]
    assert archive.names() == sorted([*names, "7.call"])
    assert [line["event"] for line in logs] == ["recordings_folder_of_another_database"]


async def test_a_database_without_recordings_deletes_nothing_of_a_folder_without_a_marker(archive: Archive) -> None:
    put(archive, OWN.format(1))
    await pass_days(archive)
    assert archive.names() == [OWN.format(1)]


async def test_a_database_whose_recordings_are_gone_deletes_no_file_that_it_does_not_know(archive: Archive) -> None:
    archive.add(1)
    await archive.keep()
    put(archive, OWN.format(1))
    archive.change(1, state="removed", sound_key=None)
    await pass_days(archive)
    assert archive.names() == [OWN.format(1), MARKER]


async def test_calls_recorded_beside_a_folder_that_is_away_do_not_make_theirs_the_right_one(
    archive: Archive, tmp_path: Path
) -> None:
    archive.add(1)
    await archive.keep()
    archive.folder.rename(tmp_path / "elsewhere")
    archive.add(2)
    archive.keeper = KeptRecordings(archive.database, archive.clock, FolderMedia(archive.folder))
    await archive.keep(LOOKS_MS)
    assert archive.rows() == [(1, "stored", WHOLE, "1.call"), (2, "waiting", GUESSED, "2.call")]
    assert archive.names() == ["2.call"]
    # Once the folder is back, with the new file in it, nothing is missing.
    (archive.folder / "2.call").rename(tmp_path / "elsewhere" / "2.call")
    archive.folder.rmdir()
    (tmp_path / "elsewhere").rename(archive.folder)
    await archive.keep(LOOKS_MS)
    assert archive.rows()[1] == (2, "stored", WHOLE, "2.call")


async def test_a_folder_is_made_the_right_one_by_the_line_in_its_marker(archive: Archive) -> None:
    archive.add(1)
    await archive.keep()
    line = (archive.folder / MARKER).read_text("ascii").splitlines()[-1]
    archive.folder = archive.folder.with_name("copy")
    archive.keeper = KeptRecordings(archive.database, archive.clock, FolderMedia(archive.folder))
    archive.add(2)
    await archive.keep()
    assert archive.rows()[1] == (2, "waiting", GUESSED, "2.call")
    (archive.folder / MARKER).write_text(f"{line}\r\n", "ascii")
    await archive.keep(LOOKS_MS)
    assert archive.rows()[1] == (2, "stored", WHOLE, "2.call")
