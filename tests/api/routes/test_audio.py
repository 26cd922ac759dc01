"""Tests of audio files: uploads as forms, checks of their bytes, and deletion with the file."""

import io
import wave
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from httpx import Response
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dialer.api.answers.forms import PARTS_MAX
from dialer.carriers.media import g711
from dialer.carriers.media.rtp import RATE_HZ
from dialer.carriers.voice.sound_files import SoundFiles
from dialer.store.media import files
from dialer.store.media.folder import FolderMedia
from dialer.store.media.other_formats import NO_SOUND, TELEPHONE
from tests.api.harness import BASE, NOW, Caller
from tests.sizes import examples

pytestmark = pytest.mark.usefixtures("folder")

WANTED = "An MP3, WAV (PCM, A-law or \u03bc-law), FLAC or Ogg Vorbis file is needed"
SOUNDS = Path(__file__).parents[2] / "store" / "media" / "sounds"
"""A second of 440 Hz in each format that is decoded."""
FORM = "multipart/form-data; boundary=x"


def wav(seconds: float = 1.0) -> bytes:
    buffer = io.BytesIO()
    with wave.open(buffer, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(8_000)
        file.writeframes(b"\0\0" * int(8_000 * seconds))
    return buffer.getvalue()


def upload(
    caller: Caller, content: bytes | None = None, file_name: str = "a.wav", key: str | None = None, **texts: str
) -> Response:
    content = wav() if content is None else content
    files = {"audio_file": (file_name, content)}
    headers = {} if key is None else {"Idempotency-Key": key}
    answer: Response = caller.request("POST", "audio-files/", data=texts, files=files, headers=headers)
    return answer


def part(name: str, content: bytes = b"x", more: str = "") -> bytes:
    return f'--x\r\nContent-Disposition: form-data; name="{name}"{more}\r\n\r\n'.encode() + content + b"\r\n"


def send(caller: Caller, *parts: bytes, end: bytes = b"--x--\r\n", content_type: str = FORM) -> tuple[int, Any]:
    body = b"".join(parts) + end
    answer = caller.request("POST", "audio-files/", content=body, headers={"Content-Type": content_type})
    return answer.status_code, answer.json()


def test_an_upload_is_answered_with_its_record_and_kept_as_it_came(alice: Caller, folder: Path) -> None:
    answer = upload(alice, name="Greeting", user_id="2")
    (file,) = folder.iterdir()
    record = {
        "id": 1,
        "url": f"{BASE}/audio-files/1/",
        "name": "Greeting",
        "audio_file": file.name,
        "user": f"{BASE}/users/2/",
        "user_id": 2,
        "created_date": NOW,
        "updated_date": NOW,
    }
    assert (answer.status_code, answer.headers["location"], answer.json()) == (201, record["url"], record)
    assert alice.get("audio-files/1/") == record
    assert file.read_bytes() == wav()


@pytest.mark.parametrize("unknown", [b"\0\0\0\0", b"\xff\xff\xff\xff"])
def test_a_streamed_upload_is_kept_with_its_length_and_a_call_hears_it_all(
    alice: Caller, folder: Path, unknown: bytes
) -> None:
    told = wav()[:44] + b"\x10\x20" * 8_000
    streamed = told[:4] + unknown + told[8:40] + unknown + told[44:]
    answer = upload(alice, streamed, name="Greeting")
    file = folder / answer.json()["audio_file"]
    assert file.read_bytes() == told
    assert len(SoundFiles(FolderMedia(folder)).read(file.name)) == 8_000
    streamed_before = folder / "streamed.wav"
    streamed_before.write_bytes(streamed)
    assert SoundFiles(FolderMedia(folder)).read(streamed_before.name) == SoundFiles(FolderMedia(folder)).read(file.name)


def test_another_format_is_named_with_a_way_to_change_it(alice: Caller, folder: Path) -> None:
    answer = upload(alice, b"\0\0\0\x1cftypM4A \0\0\2\0", name="Greeting")
    assert answer.json() == {"audio_file": [f"{WANTED}; this is an M4A file. {TELEPHONE}"]}
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize("name", ["tone.mp3", "tone.flac", "tone.ogg"])
def test_a_compressed_recording_is_stored_as_wav_and_a_call_hears_its_tone(
    alice: Caller, folder: Path, name: str
) -> None:
    answer = upload(alice, (SOUNDS / name).read_bytes(), "a.m4a", name="Greeting")
    file = folder / answer.json()["audio_file"]
    with wave.open(str(file)) as stored:
        form = stored.getnchannels(), stored.getsampwidth(), stored.getframerate()
        assert (answer.status_code, form) == (201, (1, 2, 16_000))
        assert 1.0 <= stored.getnframes() / 16_000 <= 1.1
    assert frequency_hz(g711.decode(SoundFiles(FolderMedia(folder)).read(file.name))) == pytest.approx(440, abs=3)


def frequency_hz(samples: Sequence[int]) -> float:
    """Return the frequency of the tone in the middle of a sound."""
    middle = samples[2_000:7_000]
    rising = [at for at, (one, other) in enumerate(pairwise(middle)) if one < 0 <= other]
    return (len(rising) - 1) * RATE_HZ / (rising[-1] - rising[0])


def damaged(name: str, changes: dict[int, int], length: int | None = None) -> bytes:
    content = bytearray((SOUNDS / name).read_bytes())
    for place, byte in changes.items():
        content[place % len(content)] = byte
    return bytes(content[:length])


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (damaged("tone.ogg", {}, 80), "an Ogg file with Vorbis sound"),
        (b"fLaC" + bytes(5_000), "a FLAC file"),
        (b"ID3\4" + bytes(5_000), "an MP3 file"),
        (b"\xff\xfb", "an MP3 file"),
    ],
)
def test_a_compressed_recording_without_sound_is_refused(
    alice: Caller, folder: Path, content: bytes, kind: str
) -> None:
    answer = upload(alice, content, name="Greeting")
    message = f"This is {kind} without sound that can be read. Save it again, or save it as WAV."
    assert (answer.status_code, answer.json()) == (400, {"audio_file": [message]})
    assert list(folder.iterdir()) == []


def test_a_recording_of_more_than_ten_minutes_is_not_decoded_to_its_end(alice: Caller, folder: Path) -> None:
    hours = (SOUNDS / "tone.mp3").read_bytes() * 6_000
    answer = upload(alice, hours, name="Greeting")
    message = "The recording is longer than 10 minutes. Cut it."
    assert (answer.status_code, answer.json()) == (400, {"audio_file": [message]})
    assert list(folder.iterdir()) == []


@given(
    st.sampled_from(["tone.mp3", "tone.flac", "tone.ogg"]),
    st.dictionaries(st.integers(0, 5_000), st.integers(0, 255), max_size=20),
    st.none() | st.integers(0, 3_000),
)
@settings(max_examples=examples(12), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_damaged_recording_is_stored_or_refused(
    alice: Caller, name: str, changes: dict[int, int], length: int | None
) -> None:
    answer = upload(alice, damaged(name, changes, length), name="Greeting")
    assert answer.status_code in {201, 400}, answer.text


def test_the_name_of_the_file_means_nothing(alice: Caller, folder: Path) -> None:
    answer = upload(alice, file_name="../../etc/passwd", name="x")
    assert answer.json()["audio_file"] == next(folder.iterdir()).name


def test_an_admin_may_say_whose_it_is_and_others_may_not(admin: Caller, alice: Caller) -> None:
    assert upload(admin, name="x", user_id="3").json()["user_id"] == 3
    assert upload(admin, name="x").json()["user_id"] == 1
    refused = upload(alice, name="x", user_id="3")
    missing = upload(alice, name="x", user_id="99")
    body = {"user_id": ["Invalid hyperlink - Object does not exist."]}
    assert (refused.status_code, refused.json()) == (missing.status_code, missing.json()) == (400, body)


def test_every_wrong_part_is_told_at_once(alice: Caller, folder: Path) -> None:
    answer = upload(alice, b"no sound", name=" ", user_id="one", extra="y")
    assert (answer.status_code, answer.json()) == (
        400,
        {
            "name": ["This field may not be blank."],
            "user_id": ["Invalid hyperlink - Object does not exist."],
            "audio_file": [f"{WANTED}; this is a text. {NO_SOUND}"],
        },
    )
    assert list(folder.iterdir()) == []


def test_parts_that_are_missing_are_named(alice: Caller) -> None:
    required = ["This field is required."]
    assert send(alice, part("other")) == (400, {"name": required, "audio_file": required})


def test_parts_that_nobody_asked_for_are_ignored_and_named(alice: Caller) -> None:
    answer = upload(alice, name="x", colour="blue")
    assert (answer.status_code, answer.headers["x-ignored-fields"]) == (201, "colour")


def test_parts_that_nobody_asked_for_are_refused_where_the_client_is_strict(alice: Caller, folder: Path) -> None:
    strict = {"Prefer": "handling=strict"}
    sent = {"data": {"name": "x", "colour": "blue"}, "files": {"audio_file": ("a.wav", wav())}}
    answer = alice.request("POST", "audio-files/", headers=strict, **sent)
    assert (answer.status_code, answer.json()) == (400, {"colour": ["This field is unknown or read-only."]})
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize(
    ("parts", "end"),
    [
        ([part("name"), part("name")], b"--x--\r\n"),
        ([part("audio_file"), part("audio_file")], b"--x--\r\n"),
        ([part("name")] * (PARTS_MAX + 1), b"--x--\r\n"),
        ([part(f"name{number}") for number in range(5_000)], b"--x--\r\n"),
        ([part("name")], b""),
        ([part("name")], b"--x"),
        ([b"no form at all"], b""),
        ([b"--x\r\nContent-Disposition: form-data; name=\xff\r\n\r\nx\r\n"], b"--x--\r\n"),
        ([b"--x\r\nX: y\r\n\r\nx\r\n"], b"--x--\r\n"),
        ([], b""),
    ],
)
def test_a_body_that_is_no_good_form_is_refused(alice: Caller, parts: list[bytes], end: bytes) -> None:
    status, body = send(alice, *parts, end=end)
    assert (status, list(body)) == (400, ["detail"])


@pytest.mark.parametrize("content_type", ["multipart/form-data", "multipart/form-data; boundary="])
def test_a_form_without_a_boundary_is_refused(alice: Caller, content_type: str) -> None:
    assert send(alice, part("name"), content_type=content_type)[0] == 400


@pytest.mark.parametrize("content_type", ["application/json", "audio/wav", "", "multipart/mixed; boundary=x"])
def test_anything_but_a_form_is_refused(alice: Caller, content_type: str) -> None:
    body = {"detail": "Send the body as multipart/form-data."}
    assert send(alice, part("name"), content_type=content_type) == (415, body)


def test_a_strange_charset_of_a_part_breaks_nothing(alice: Caller) -> None:
    name = part("name", b"\xff", "\r\nContent-Type: text/plain; charset=klingon")
    status, body = send(alice, name, part("audio_file", wav(), '; filename="a"'))
    assert status in {201, 400}, body


def test_a_file_that_is_too_large_is_refused(alice: Caller, folder: Path) -> None:
    answers = [upload(alice, b"\0" * size, name="x") for size in (files.AUDIO_BYTES_MAX + 1, 21 * 1024**2)]
    assert [answer.status_code for answer in answers] == [413, 413]
    assert list(folder.iterdir()) == []


def test_a_user_s_room_is_limited(alice: Caller, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "USER_FILES_MAX", 1)
    assert upload(alice, name="x").status_code == 201
    answer = upload(alice, name="x")
    assert (answer.status_code, answer.json()) == (400, {"audio_file": ["A user may keep 1 files."]})
    assert len(list(folder.iterdir())) == 1


def test_an_upload_that_is_sent_again_is_answered_again(
    alice: Caller, bob: Caller, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "USER_FILES_MAX", 1)
    first, again = upload(alice, name="x", key="k1"), upload(alice, name="x", key="k1")
    assert (first.status_code, again.status_code) == (201, 201)
    assert (again.content, again.headers["location"]) == (first.content, first.headers["location"])
    assert ("idempotent-replayed" in first.headers, again.headers["idempotent-replayed"]) == (False, "true")
    assert (alice.get("audio-files/")["count"], len(list(folder.iterdir()))) == (1, 1)
    for other in (upload(alice, name="y", key="k1"), upload(alice, wav(2), name="x", key="k1")):
        detail = "This Idempotency-Key was used with another body."
        assert (other.status_code, other.json()) == (422, {"detail": detail})
    assert upload(bob, name="x", key="k1").json()["id"] == 2


def test_an_upload_that_was_refused_uses_no_key(alice: Caller) -> None:
    assert upload(alice, b"no sound", name="x", key="k1").status_code == 400
    assert upload(alice, name="x", key="k1").status_code == 201


def test_a_delete_takes_the_file_with_it(alice: Caller, bob: Caller, folder: Path) -> None:
    upload(alice, name="x")
    assert bob.refused("DELETE", "audio-files/1/") == (404, {"detail": "Not found."})
    assert len(list(folder.iterdir())) == 1
    assert alice.request("DELETE", "audio-files/1/").status_code == 204
    assert list(folder.iterdir()) == []
    assert alice.refused("DELETE", "audio-files/1/") == (404, {"detail": "Not found."})
    assert alice.refused("DELETE", "audio-files/x/") == (404, {"detail": "Not found."})


def test_a_recording_that_is_needed_stays_with_its_file(alice: Caller, folder: Path) -> None:
    upload(alice, name="x")
    alice.create("survey-template", name="s")
    alice.create("section-template", survey=1, question="q", audiofile=1)
    status, body = alice.refused("DELETE", "audio-files/1/")
    assert (status, body) == (409, {"detail": "Still used by section-template 1. Change or delete them first."})
    assert len(list(folder.iterdir())) == 1


def test_a_recording_can_be_renamed_and_nothing_else(alice: Caller) -> None:
    record = upload(alice, name="x").json()
    alice.change("audio-files/1/", name="y", audio_file="/etc/passwd")
    assert alice.get("audio-files/1/") == {**record, "name": "y"}


def test_an_upload_and_a_deletion_are_logged(alice: Caller) -> None:
    assert upload(alice, name="Call +1 202 555 0187").status_code == 201
    assert alice.request("DELETE", "audio-files/1/").status_code == 204
    logged = alice.get("audit-log/")["results"]
    assert [(entry["action"], entry["resource"], entry["before"], entry["after"]) for entry in logged] == [
        ("create", "audio-files", {}, {"name": "Call [number]"}),
        ("delete", "audio-files", {"name": "Call [number]"}, {}),
    ]
