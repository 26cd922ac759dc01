"""The contract of media files: the five verbs mean the same wherever the files are."""

import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialer.carriers.voice.memory_media import MemoryMedia
from dialer.domain.formats.media_files import MediaError, MediaFiles, parts_of_name
from dialer.store.media.bucket import BucketMedia
from dialer.store.media.folder import FolderMedia
from tests.s3_store import PREFIX, S3, s3_store

KINDS: Final = ("folder", "memory", "bucket")
ODD_NAMES: Final = (
    "",
    ".",
    "..",
    "/",
    "a/",
    "/a",
    "../a",
    "a/../b",
    "a/b/c",
    ".a",
    "a/.b",
    ".a/b",
    "a\\b",
    "a\0b",
    "a/..",
)


@pytest.fixture(scope="module")
def store() -> Iterator[S3]:
    with s3_store() as one:
        yield one


@pytest.fixture(params=KINDS)
def media(request: pytest.FixtureRequest, tmp_path: Path) -> MediaFiles:
    """Return media files that are empty, of each kind."""
    if request.param == "bucket":
        bucket = BucketMedia(request.getfixturevalue("store").access())
        for name in request.getfixturevalue("store").objects():
            bucket.delete(name.removeprefix(f"{PREFIX}/"))
        return bucket
    return FolderMedia(tmp_path / "some" / "media") if request.param == "folder" else MemoryMedia()


def contents(media: MediaFiles, folder: str = "") -> dict[str, bytes | None]:
    """Return the files of a folder with what is in them."""
    return {name: media.read(name) for name, _ in media.list_files(folder)}


def test_a_saved_file_is_read_in_whole_and_in_part(media: MediaFiles) -> None:
    media.save("a.wav", b"0123456789")
    parts = [media.read("a.wav", start, size) for start, size in ((0, 3), (3, 3), (8, 9), (10, 1), (11, None))]
    assert (media.read("a.wav"), parts) == (b"0123456789", [b"012", b"345", b"89", b"", b""])
    assert [facts.size for facts in (media.facts("a.wav"),) if facts] == [10]


def test_a_file_is_replaced_by_the_next_one_of_its_name(media: MediaFiles) -> None:
    media.save("a.wav", b"a longer one")
    media.save("a.wav", b"short", is_lasting=False)
    assert contents(media) == {"a.wav": b"short"}


def test_zeros_follow_the_content(media: MediaFiles) -> None:
    media.save("a.wav", b"head", zeros=70_000)
    assert media.read("a.wav") == b"head" + bytes(70_000)
    assert [facts.size for _, facts in media.list_files()] == [70_004]


def test_folders_are_listed_one_by_one(media: MediaFiles) -> None:
    assert list(media.list_files()) == list(media.list_files("speech")) == []
    for name in ("a.wav", "speech/a.wav", "speech/b.wav", "other/a.wav"):
        media.save(name, name.encode())
    assert contents(media) == {"a.wav": b"a.wav"}
    assert contents(media, "speech") == {"speech/a.wav": b"speech/a.wav", "speech/b.wav": b"speech/b.wav"}
    assert all(media.facts(name) == facts for name, facts in media.list_files("speech"))


def test_a_deleted_file_is_gone_and_may_be_deleted_again(media: MediaFiles) -> None:
    for name in ("a.wav", "speech/a.wav", "b.wav"):
        media.save(name, b"sound")
    for name in ("a.wav", "speech/a.wav", "a.wav", "never.wav", *ODD_NAMES):
        media.delete(name)
    assert (contents(media), contents(media, "speech")) == ({"b.wav": b"sound"}, {})
    assert (media.read("a.wav"), media.facts("a.wav")) == (None, None)


@pytest.mark.parametrize("name", ODD_NAMES)
def test_other_names_are_those_of_no_file(media: MediaFiles, name: str) -> None:
    with pytest.raises(MediaError):
        media.save(name, b"sound")
    assert (media.read(name), media.facts(name)) == (None, None)
    assert list(media.list_files()) == []


@given(st.text(alphabet=st.sampled_from("ab./\\\0")))
def test_no_name_leads_out_of_the_files(name: str) -> None:
    parts = parts_of_name(name)
    assert parts is None or not {"/", "\\", "\0"} & set("".join(parts))
    assert parts is None or not {".", ".."} & set(parts)


@pytest.fixture
def synced(monkeypatch: pytest.MonkeyPatch) -> Callable[[], list[str]]:
    """Return what tells the kinds of what was brought to the disk, in their order."""
    found: list[str] = []
    monkeypatch.setattr(
        os, "fsync", lambda one: found.append("folder" if stat.S_ISDIR(os.fstat(one).st_mode) else "file")
    )
    return lambda: found


@pytest.mark.parametrize(("is_lasting", "expected"), [(True, ["file", "folder"]), (False, [])])
def test_what_lasts_is_on_the_disk_with_its_name(
    tmp_path: Path,
    synced: Callable[[], list[str]],
    is_lasting: bool,  # noqa: FBT001 - a parameter
    expected: list[str],
) -> None:
    FolderMedia(tmp_path).save("a.wav", b"sound", is_lasting=is_lasting)
    assert synced() == expected


def test_a_file_is_for_its_owner_alone(tmp_path: Path) -> None:
    folder = tmp_path / "some" / "media"
    FolderMedia(folder).save("speech/a.wav", b"sound")
    modes = [stat.S_IMODE(path.stat().st_mode) for path in (folder, folder / "speech", folder / "speech" / "a.wav")]
    assert modes == [0o700, 0o700, 0o600]


def test_a_save_that_breaks_leaves_the_file_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    media = FolderMedia(tmp_path)
    media.save("a.wav", b"before")
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(MediaError, match="No space left on device"):
        media.save("a.wav", b"after")
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {"a.wav": b"before"}


def test_links_pipes_and_folders_are_no_files(tmp_path: Path) -> None:
    (tmp_path / "secret").write_bytes(b"secret")
    folder = tmp_path / "media"
    (folder / "folder.wav").mkdir(parents=True)
    (folder / "link.wav").symlink_to(tmp_path / "secret")
    os.mkfifo(folder / "pipe.wav")
    media = FolderMedia(folder)
    assert [media.read(name) for name in ("link.wav", "pipe.wav", "folder.wav")] == [None, None, None]
    assert list(media.list_files()) == []
    with pytest.raises(MediaError):
        media.delete("folder.wav")


def test_what_a_killed_save_has_left_is_listed_and_can_be_deleted_only(tmp_path: Path) -> None:
    media = FolderMedia(tmp_path)
    (tmp_path / ".a.wav.0123456789abcdef").write_bytes(b"half")
    ((left, _),) = media.list_files()
    assert media.read(left) is None
    media.delete(left)
    assert list(tmp_path.iterdir()) == []
