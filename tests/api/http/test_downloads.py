"""Tests of downloads of files: whole, in part, and their headers."""

from email.message import Message
from pathlib import Path
from typing import Final
from urllib.parse import unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialer.api.answers.downloads import content_disposition, parse_range
from dialer.domain.formats.file_names import file_name
from dialer.store.database.database import Database
from dialer.store.media.recordings import PIECE_BYTES
from dialer.store.tables import AudioFile
from tests.api.builders import stored
from tests.api.harness import Caller, Json

pytestmark = pytest.mark.usefixtures("folder")

NAME: Final = f"{'0a' * 16}.wav"
SIZE: Final = 2 * PIECE_BYTES + 100
CONTENT: Final = bytes(index % 251 for index in range(SIZE))


@pytest.fixture
def path(database: Database, folder: Path) -> str:
    """Return the path of a download of Alice's."""
    (folder / NAME).write_bytes(CONTENT)
    columns = {"name": "h\u00e9llo/1", "audio_file": NAME, "format": "wav", "size": SIZE, "duration_ms": 1}
    return f"audio-files/{stored(database, AudioFile, user_id=2, **columns)}/download/"


def download(caller: Caller, path: str, method: str = "GET", **headers: str) -> Json:
    return caller.request(method, path, headers={name.replace("_", "-"): value for name, value in headers.items()})


def test_a_file_comes_whole_with_a_safe_name(alice: Caller, path: str) -> None:
    answer = download(alice, path)
    assert (answer.status_code, answer.content) == (200, CONTENT)
    named = {name: answer.headers.get(name) for name in ("content-type", "content-length", "accept-ranges")}
    assert named == {"content-type": "audio/wav", "content-length": str(SIZE), "accept-ranges": "bytes"}
    assert answer.headers["content-disposition"] == (
        "attachment; filename=\"h_llo_1.wav\"; filename*=UTF-8''h%C3%A9llo_1.wav"
    )
    assert "content-encoding" not in answer.headers


@pytest.mark.parametrize(
    ("wanted", "first", "last"),
    [
        ("bytes=0-0", 0, 0),
        ("bytes=0-99", 0, 99),
        (f"bytes={PIECE_BYTES - 1}-{PIECE_BYTES}", PIECE_BYTES - 1, PIECE_BYTES),
        (f"bytes=10-{2 * PIECE_BYTES}", 10, 2 * PIECE_BYTES),
        ("bytes=100-", 100, SIZE - 1),
        ("bytes=-7", SIZE - 7, SIZE - 1),
        (f"bytes=5-{SIZE * 10}", 5, SIZE - 1),
    ],
)
def test_a_range_gets_its_part(alice: Caller, path: str, wanted: str, first: int, last: int) -> None:
    answer = download(alice, path, range=wanted)
    assert (answer.status_code, answer.content) == (206, CONTENT[first : last + 1])
    assert answer.headers["content-range"] == f"bytes {first}-{last}/{SIZE}"
    assert answer.headers["content-length"] == str(last - first + 1)


@pytest.mark.parametrize(
    "wanted",
    [
        "bytes=-",
        "bytes=5-2",
        "bytes=0-1,5-6",
        "lines=0-1",
        "bytes=a-b",
        "bytes 0-1",
        "bytes=0-1x",
        "",
        f"bytes=-{SIZE}",
    ],
)
def test_other_ranges_get_the_whole_file(alice: Caller, path: str, wanted: str) -> None:
    answer = download(alice, path, range=wanted)
    assert (answer.status_code, answer.content) == (200, CONTENT)


@pytest.mark.parametrize("wanted", [f"bytes={SIZE}-", f"bytes={SIZE}-{SIZE + 9}", "bytes=-0"])
def test_a_range_after_the_end_is_refused(alice: Caller, path: str, wanted: str) -> None:
    answer = download(alice, path, range=wanted)
    assert (answer.status_code, answer.headers["content-range"]) == (416, f"bytes */{SIZE}")
    assert f"has {SIZE} bytes" in answer.json()["detail"]


def test_a_range_of_an_empty_file_is_refused(alice: Caller, path: str, folder: Path) -> None:
    (folder / NAME).write_bytes(b"")
    assert download(alice, path, range="bytes=0-0").status_code == 416
    assert download(alice, path).content == b""


def test_a_download_goes_on_only_if_the_file_is_the_same(alice: Caller, path: str, folder: Path) -> None:
    tag = download(alice, path, "HEAD").headers["etag"]
    assert download(alice, path, range="bytes=5-", if_range=tag).status_code == 206
    for other in (f"W/{tag}", '"other"', "Wed, 18 Nov 2026 11:06:40 GMT"):
        assert download(alice, path, range="bytes=5-", if_range=other).content == CONTENT
    (folder / NAME).write_bytes(CONTENT + b"!")
    assert download(alice, path, range="bytes=5-", if_range=tag).content == CONTENT + b"!"
    assert download(alice, path, if_none_match=tag).status_code == 200
    assert download(alice, path, if_match=tag).status_code == 412


def test_a_known_file_is_not_sent_again(alice: Caller, path: str) -> None:
    tag = download(alice, path).headers["etag"]
    answer = download(alice, path, if_none_match=tag, range="bytes=0-1")
    assert (answer.status_code, answer.content, answer.headers["etag"]) == (304, b"", tag)


def test_head_tells_the_headers_of_the_whole_file(alice: Caller, path: str) -> None:
    answer = download(alice, path, "HEAD", range="bytes=0-9")
    assert (answer.status_code, answer.content) == (200, b"")
    assert (answer.headers["content-length"], answer.headers["accept-ranges"]) == (str(SIZE), "bytes")


def test_only_the_owner_and_admins_download_a_file(
    alice: Caller, bob: Caller, admin: Caller, path: str, folder: Path
) -> None:
    assert download(bob, path).status_code == 404
    assert download(admin, path).content == CONTENT
    assert download(alice, "audio-files/x/download/").status_code == 404
    (folder / NAME).unlink()
    assert download(alice, path).status_code == 404


def test_no_file_outside_of_the_folder_is_read(alice: Caller, database: Database, folder: Path) -> None:
    (folder.parent / "secret.wav").write_bytes(b"secret")
    (folder / "link.wav").symlink_to(folder.parent / "secret.wav")
    for name in ("../secret.wav", "link.wav", "."):
        columns = {"name": "x", "audio_file": name, "format": "wav", "size": 1, "duration_ms": 1}
        record_id = stored(database, AudioFile, user_id=2, **columns)
        assert download(alice, f"audio-files/{record_id}/download/").status_code == 404


@given(
    text=st.text(max_size=30) | st.from_regex(r"bytes=[0-9]{0,4}-[0-9]{0,4}", fullmatch=True), size=st.integers(0, 200)
)
def test_a_range_never_leaves_the_file(text: str, size: int) -> None:
    part = parse_range(text, size)
    assert part is None or set(part) <= set(range(size))


@given(st.text(max_size=200))
def test_any_label_gives_a_safe_file_name(label: str) -> None:
    name = file_name(label)
    assert not set(name) & set('/\\:*?"<>|\r\n\x00')
    assert not name.startswith(".")
    assert name.endswith(".wav")
    header = content_disposition(name)
    assert header.isascii()
    parsed = Message()
    parsed["Content-Disposition"] = header
    assert parsed.get_filename() == "".join(letter if letter.isascii() else "_" for letter in name)
    assert name.isascii() or unquote(header.partition("; filename*=UTF-8''")[2]) == name
