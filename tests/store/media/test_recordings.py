"""Tests of the reading of recordings: only files of the media folder are read."""

import os
from pathlib import Path

import pytest

from dialer.store.media.folder import FolderMedia
from dialer.store.media.recordings import PIECE_BYTES, read_piece


def test_a_recording_is_read_piece_by_piece(tmp_path: Path) -> None:
    (tmp_path / "a-1.wav").write_bytes(b"x" * PIECE_BYTES + b"end")
    pieces = [read_piece(FolderMedia(tmp_path), "a-1.wav", offset) for offset in (0, PIECE_BYTES, PIECE_BYTES + 3)]
    assert pieces == [b"x" * PIECE_BYTES, b"end", b""]


@pytest.mark.parametrize(
    "name",
    ["", ".", "..", "../secret.wav", "/etc/passwd", "sub/a.wav", ".a.wav", "-a.wav", "a.wav\n", "a.txt", "a\0.wav"],
)
def test_an_invalid_name_of_a_recording_is_not_read(tmp_path: Path, name: str) -> None:
    (tmp_path / "secret.wav").write_bytes(b"secret")
    folder = tmp_path / "media"
    (folder / "sub").mkdir(parents=True)
    for place in (folder / ".a.wav", folder / "-a.wav", folder / "sub" / "a.wav", folder / "a.txt"):
        place.write_bytes(b"secret")
    assert read_piece(FolderMedia(folder), name, 0) is None


def test_only_a_plain_file_is_read(tmp_path: Path) -> None:
    (tmp_path / "secret").write_bytes(b"secret")
    (tmp_path / "link.wav").symlink_to(tmp_path / "secret")
    (tmp_path / "folder.wav").mkdir()
    os.mkfifo(tmp_path / "pipe.wav")
    for name in ("link.wav", "folder.wav", "pipe.wav", "missing.wav"):
        assert read_piece(FolderMedia(tmp_path), name, 0) is None
