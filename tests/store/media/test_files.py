"""Tests of the storage of uploaded files: whole, under random names, readable by the service alone."""

import re
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import Connection, insert

from dialer.store.database.database import Database, StorageUnavailableError
from dialer.store.media.files import USER_BYTES_MAX, USER_FILES_MAX, Media, QuotaError, check_quota
from dialer.store.media.folder import FolderMedia
from dialer.store.tables import AudioFile, Row, User


@pytest.fixture
def media(tmp_path: Path) -> Media:
    return Media(FolderMedia(tmp_path / "some" / "media"))


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    database = Database(f"sqlite:///{tmp_path}/dialer.db")
    database.write_now(Row.metadata.create_all)
    yield database
    database.close()


def test_a_file_is_kept_as_it_came_for_its_owner_alone(media: Media, tmp_path: Path) -> None:
    name = media.save(b"sound")
    folder = tmp_path / "some" / "media"
    assert re.fullmatch(r"[0-9a-f]{32}\.wav", name)
    assert [path.name for path in folder.iterdir()] == [name]
    assert (folder / name).read_bytes() == b"sound"
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert stat.S_IMODE((folder / name).stat().st_mode) == 0o600


def test_no_two_files_share_a_name(media: Media) -> None:
    assert media.save(b"sound") != media.save(b"sound")


def test_a_deleted_file_is_gone_and_may_be_deleted_again(media: Media, tmp_path: Path) -> None:
    name = media.save(b"sound")
    media.delete(name)
    media.delete(name)
    assert list((tmp_path / "some" / "media").iterdir()) == []


@pytest.mark.parametrize("name", ["../../secret.wav", "/etc/passwd", "", ".", "secret.wav", "a" * 32 + ".wav\n"])
def test_a_name_that_was_not_given_here_deletes_nothing(media: Media, tmp_path: Path, name: str) -> None:
    secret = tmp_path / "secret.wav"
    secret.write_bytes(b"secret")
    media.save(b"sound")
    media.delete(name)
    assert secret.exists()


def test_a_folder_that_cannot_be_written_is_no_surprise(tmp_path: Path) -> None:
    (tmp_path / "media").write_text("a file where the folder should be")
    with pytest.raises(StorageUnavailableError, match="the media folder cannot be written"):
        Media(FolderMedia(tmp_path / "media")).save(b"sound")


DATES = {"created_date": 0, "updated_date": 0}
ANNA = {"id": 1, "username": "anna", "password_hash": "x", **DATES}
FILE = {"user_id": 1, "name": "", "audio_file": "", "format": "", "duration_ms": 0, **DATES}


@pytest.mark.parametrize(
    ("sizes", "refused"),
    [
        ([], None),
        ([1] * (USER_FILES_MAX - 1), None),
        ([1] * USER_FILES_MAX, "A user may keep 1,000 files."),
        ([USER_BYTES_MAX - 1], None),
        ([USER_BYTES_MAX], "A user may keep 500 MiB of files."),
    ],
)
def test_a_user_has_room_for_so_much_and_no_more(database: Database, sizes: list[int], refused: str | None) -> None:
    def ask(connection: Connection) -> str | None:
        connection.execute(insert(User), ANNA)
        if sizes:
            connection.execute(insert(AudioFile), [{**FILE, "size": size} for size in sizes])
        try:
            check_quota(connection, 1, 1)
        except QuotaError as error:
            return str(error)
        return None

    assert database.write_now(ask) == refused
