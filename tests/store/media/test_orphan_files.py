"""Tests of the deletion of orphaned files, and of no others."""

import os
from pathlib import Path

import pytest
from sqlalchemy import create_engine, insert

from dialer.domain.sessions.leg_protocol import SPEECH_FOLDER
from dialer.store.database.database import StorageUnavailableError
from dialer.store.media.folder import FolderMedia
from dialer.store.media.orphan_files import GRACE_S, orphans
from dialer.store.media.recordings import delete_recording, delete_speech
from dialer.store.tables import AudioFile, Row, SurveyResult

NOW_S = 1_000_000.0
UPLOAD, LOST_UPLOAD = f"{'a' * 32}.wav", f"{'b' * 32}.wav"
CALL = "01234567-89ab-8cde-9012-3456789abcde"
RECORDING, LOST_RECORDING = f"{CALL}-1.wav", f"{CALL}-2.wav"
BROKEN = [f".{'c' * 32}.wav", f".{CALL}-3.wav.{'0' * 16}"]
"""Files that a killed save has left."""
AUDIO = {
    "user_id": 1,
    "name": "hello",
    "format": "wav",
    "size": 1,
    "duration_ms": 1,
    "created_date": 0,
    "updated_date": 0,
}
RESULT = {
    "user_id": 1,
    "campaign_id": 1,
    "callrequest_id": 1,
    "section_id": 1,
    "section_type": 5,
    "question": "?",
    "response": "",
    "created_date": 0,
}


@pytest.fixture
def media(tmp_path: Path) -> Path:
    """Return a folder with files of every kind. All but one are old."""
    folder = tmp_path / "media"
    (folder / "folder.wav").mkdir(parents=True)
    for name in (UPLOAD, LOST_UPLOAD, *BROKEN, RECORDING, LOST_RECORDING, "mine.wav", "notes.txt"):
        (folder / name).write_bytes(b"x")
        os.utime(folder / name, (NOW_S - GRACE_S - 1, NOW_S - GRACE_S - 1))
    (folder / f"{'d' * 32}.wav").symlink_to(folder / "mine.wav")
    (folder / f"{'e' * 32}.wav").write_bytes(b"new")
    os.utime(folder / f"{'e' * 32}.wav", (NOW_S - 1, NOW_S - 1))
    return folder


def test_only_old_files_of_ours_that_no_record_names_are_orphans(tmp_path: Path, media: Path) -> None:
    engine = create_engine("sqlite://")
    with engine.connect() as connection:
        Row.metadata.create_all(connection)
        connection.execute(insert(AudioFile).values(audio_file=UPLOAD, **AUDIO))
        connection.execute(insert(SurveyResult).values(record_file=RECORDING, **RESULT))
        found = sorted(orphans(connection, FolderMedia(media), NOW_S))
        assert found == sorted([LOST_UPLOAD, *BROKEN, LOST_RECORDING])
        assert list(orphans(connection, FolderMedia(tmp_path / "none"), NOW_S)) == []
    engine.dispose()


def test_a_recording_is_deleted_and_nothing_outside_of_the_folder(media: Path, tmp_path: Path) -> None:
    (tmp_path / "outside.wav").write_bytes(b"x")
    for name in (RECORDING, RECORDING, "../outside.wav", "", "none.wav"):
        delete_recording(FolderMedia(media), name)
    assert not (media / RECORDING).exists()
    assert (tmp_path / "outside.wav").exists()


def test_a_recording_that_cannot_be_deleted_is_no_silent_failure(media: Path) -> None:
    with pytest.raises(StorageUnavailableError, match="a recording cannot be deleted"):
        delete_recording(FolderMedia(media), "folder.wav")


def test_spoken_texts_are_deleted_with_what_a_killed_save_has_left(tmp_path: Path) -> None:
    spoken = tmp_path / SPEECH_FOLDER
    spoken.mkdir()
    for name in ("one.wav", f".two.wav.{'0' * 16}"):
        (spoken / name).write_bytes(b"x")
    delete_speech(FolderMedia(tmp_path))
    assert list(spoken.iterdir()) == []


def test_spoken_texts_that_cannot_be_listed_are_no_silent_failure(tmp_path: Path) -> None:
    (tmp_path / SPEECH_FOLDER).symlink_to(SPEECH_FOLDER)
    with pytest.raises(StorageUnavailableError, match="a spoken text cannot be deleted"):
        delete_speech(FolderMedia(tmp_path))
