"""Tests of uploaded recordings: upload, listening, deletion, and the rights of viewers."""

from pathlib import Path

import httpx

from dialer.demo.recordings import WELCOME
from tests.api.harness import Caller
from tests.api.routes.test_audio import SOUNDS
from tests.console.building import HOSTILE
from tests.console.visitor import Visitor, token_of


def upload(visitor: Visitor, name: str, content: bytes) -> httpx.Response:
    visitor.get("recordings/new/")
    fields = {"csrf": token_of(visitor.page), "name": name}
    return visitor.request("POST", "recordings/new/", data=fields, files={"audio_file": ("x.wav", content)})


def recordings_in(media: Path) -> list[Path]:
    return [path for path in media.iterdir() if path.is_file()]


def test_a_recording_is_uploaded_heard_and_deleted(alice: Visitor, api: Caller, media: Path) -> None:
    assert 'href="/console/recordings/new/"' in alice.get("records/audio-files/")
    wrong = upload(alice, "Greeting", b"no sound")
    assert (wrong.status_code, 'value="Greeting"' in wrong.text, 'role="alert"' in wrong.text) == (400, True, True)
    assert upload(alice, HOSTILE, WELCOME.wav()).headers["location"] == "/console/records/audio-files/"
    assert 'alert("x")' in alice.text("records/audio-files/")
    page = alice.get("records/audio-files/1/")
    assert ("<script>alert" in page, 'src="/console/recordings/1/sound/"' in page) == (False, True)
    heard = alice.request("GET", "recordings/1/sound/")
    assert (heard.content, heard.headers["content-type"]) == (WELCOME.wav(), "audio/wav")
    survey = api.create("survey-template", name="Survey")
    section = api.create("section-template", survey=survey["url"], type=1, question="Hello", audiofile=1)
    assert 'src="/console/recordings/1/sound/"' in alice.get(f"surveys/{survey['id']}/")
    assert alice.send("recordings/1/delete/").status_code == 409
    assert api.request("DELETE", section["url"]).status_code == 204
    assert (alice.send("recordings/1/delete/").status_code, recordings_in(media)) == (303, [])
    assert alice.request("GET", "recordings/1/sound/").status_code == 404


def test_recordings_are_their_owners(alice: Visitor, bob: Visitor, visitor: Visitor, media: Path) -> None:
    upload(alice, "Greeting", WELCOME.wav())
    visitor.sign_in("vera")
    assert visitor.request("GET", "recordings/1/sound/").status_code == 200
    assert visitor.request("GET", "recordings/new/").status_code == 403
    assert bob.request("GET", "recordings/1/sound/").status_code == 404
    for other, status in ((bob, 404), (visitor, 403)):
        other.get("account/")
        assert other.send("recordings/1/delete/").status_code == status
    content = {"files": {"audio_file": ("x.wav", WELCOME.wav())}, "data": {"csrf": "0" * 64, "name": "Foreign"}}
    assert alice.request("POST", "recordings/new/", **content).status_code == 403
    assert len(recordings_in(media)) == 1


def test_a_recording_of_a_telephone_is_heard_or_refused_in_the_language_of_the_page(alice: Visitor) -> None:
    mp3 = (SOUNDS / "tone.mp3").read_bytes()
    assert upload(alice, "Tone", mp3).headers["location"] == "/console/records/audio-files/"
    heard = alice.request("GET", "recordings/1/sound/")
    assert (heard.content[:4], heard.headers["content-type"]) == (b"RIFF", "audio/wav")
    assert alice.send("account/language/", language="de").status_code == 303
    refused = upload(alice, "Tone", b"\0\0\0\x1cftypM4A \0\0\2\0")
    said = "Nötig ist eine Datei in MP3, WAV (PCM, A-law oder μ-law), FLAC oder Ogg Vorbis; das ist eine M4A-Datei. "
    way_out = "So nehmen Telefone auf: Stellen Sie die Aufnahme-App auf MP3 oder WAV, oder wandeln Sie die Datei um"
    assert (refused.status_code, said + way_out in refused.text) == (400, True)
