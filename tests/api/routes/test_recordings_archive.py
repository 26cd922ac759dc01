"""Tests of archives of a campaign's recordings."""

import csv
import io
import zipfile
from functools import partial
from pathlib import Path
from typing import Final

import pytest
from litestar import Litestar
from litestar.testing import TestClient
from sqlalchemy import Connection, Update, update

from dialer.api.routes import recordings
from dialer.store.media.recordings import PIECE_BYTES
from dialer.store.tables import Subscriber, SurveyResult
from tests.api.builders import Estate, stored
from tests.api.harness import Caller, Json

pytestmark = pytest.mark.usefixtures("folder")

INDEX: Final = "index.csv"


@pytest.fixture
def owner(client: TestClient[Litestar], estate: Estate) -> Caller:  # noqa: ARG001 - the estate's records are Alice's
    return Caller(client, "alice")


def recorded(estate: Estate, folder: Path, name: str, content: bytes | None, **columns: Json) -> int:
    if content is not None:
        (folder / name).write_bytes(content)
    values = {"user_id": estate.user_id, "campaign_id": estate.campaign["id"], "callid": f"call-{estate.user_id}"}
    values |= {"section_id": 7, "section_type": 5, "question": "Say, it", "response": name, "record_file": name}
    return stored(estate.database, SurveyResult, **{**values, **columns})


def unpack(answer: Json) -> tuple[dict[str, bytes], list[dict[str, str]]]:
    assert answer.status_code == 200, answer.text
    with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
        assert archive.testzip() is None
        files = {name: archive.read(name) for name in archive.namelist()}
    assert list(files)[-1] == INDEX
    return files, list(csv.DictReader(io.StringIO(files.pop(INDEX).decode(), newline="")))


def named(stem: str, result: int, person: str = "12025550122") -> str:
    """Return the name under which people get the recording of an answer."""
    return f"{person} - {stem} - 2026-11-18 - {result}.wav"


def _execute(statement: Update, connection: Connection) -> None:
    connection.execute(statement)


def path(estate: Estate) -> str:
    return f"{estate.campaign['url']}recordings/"


def test_all_recordings_of_a_campaign_come_in_one_archive(owner: Caller, estate: Estate, folder: Path) -> None:
    large = bytes(index % 251 for index in range(2 * PIECE_BYTES + 5))
    first = recorded(estate, folder, "b.wav", large)
    second = recorded(estate, folder, "a.wav", b"")
    recorded(estate, folder, "other.wav", b"other", campaign_id=estate.sms_campaign["id"])
    answer = owner.request("GET", path(estate))
    files, index = unpack(answer)
    assert files == {named("Say, it", first): large, named("Say, it", second): b""}
    assert answer.headers["content-type"] == "application/zip"
    assert answer.headers["content-disposition"] == (
        f'attachment; filename="campaign-{estate.campaign["id"]}-recordings.zip"'
    )
    assert "content-encoding" not in answer.headers
    assert index[0] == {
        "file": named("Say, it", first),
        "survey_result": str(first),
        "callid": "call-2",
        "phone_number": "+12025550122",
        "full_name": "",
        "section_id": "7",
        "question": "Say, it",
        "recorded": "2026-11-18T11:06:40Z",
        "is_complete": "yes",
    }
    assert owner.request("GET", path(estate)).content == answer.content
    with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
        assert archive.getinfo(named("Say, it", first)).date_time == (2026, 11, 18, 11, 6, 40)


def test_a_file_that_is_missing_is_left_out_and_named(owner: Caller, estate: Estate, folder: Path) -> None:
    contents = (("a.wav", b"a"), ("b.wav", None), ("c.wav", b"c"))
    names = [named("Say, it", recorded(estate, folder, name, content)) for name, content in contents]
    recorded(estate, folder, "", None)
    files, index = unpack(owner.request("GET", path(estate)))
    assert files == {names[0]: b"a", names[2]: b"c"}
    assert [(row["file"], row["is_complete"]) for row in index] == [*zip(names, ("yes", "no", "yes"), strict=True)]


def test_recordings_are_named_for_people_whatever_their_names_are(owner: Caller, estate: Estate, folder: Path) -> None:
    person = update(Subscriber).where(Subscriber.id == estate.subscriber["id"])
    shown = {"Ada Lovelace": "Ada Lovelace", "../../.ssh/=cmd": "_.._.ssh_=cmd", "aux": "aux", "": "12025550122"}
    for name, offered in shown.items():
        estate.database.write_now(partial(_execute, person.values(full_name=name)))
        result = recorded(estate, folder, f"{len(name)}.wav", b"sound", question="Why?")
        files, index = unpack(owner.request("GET", f"{path(estate)}?after={result - 1}"))
        assert files == {named("Why_", result, offered): b"sound"}
        assert index[0]["full_name"].lstrip("'") == name


def test_a_campaign_without_recordings_has_an_empty_index(owner: Caller, estate: Estate) -> None:
    assert unpack(owner.request("GET", path(estate))) == ({}, [])


@pytest.mark.parametrize("created_ms", [0, 253_402_300_799_000])
def test_any_time_fits(owner: Caller, estate: Estate, folder: Path, created_ms: int) -> None:
    recorded(estate, folder, "a.wav", b"a", created_date=created_ms)
    assert list(unpack(owner.request("GET", path(estate)))[0].values()) == [b"a"]


def test_a_large_campaign_has_several_archives(
    owner: Caller, estate: Estate, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recordings, "RECORDINGS_MAX", 2)
    for name in "abcde":
        recorded(estate, folder, f"{name}.wav", name.encode())
    next_path, found = path(estate), []
    while next_path:
        answer = owner.request("GET", next_path)
        found.append(sorted(unpack(answer)[0].values()))
        next_path = answer.links.get("next", {}).get("url", "")
    assert found == [[b"a", b"b"], [b"c", b"d"], [b"e"]]
    assert owner.refused("GET", f"{path(estate)}?after=x")[0] == 400


def test_head_reads_no_recording(owner: Caller, estate: Estate, folder: Path) -> None:
    recorded(estate, folder, "a.wav", b"a")
    answer = owner.request("HEAD", path(estate))
    assert (answer.status_code, answer.content, answer.headers["content-type"]) == (200, b"", "application/zip")


def test_nobody_gets_the_recordings_of_another(client: TestClient[Litestar], estate: Estate) -> None:
    assert Caller(client, "bob").refused("GET", path(estate))[0] == 404
    assert Caller(client, "alice").refused("GET", "campaigns/x/recordings/")[0] == 404
    unpack(Caller(client, "admin").request("GET", path(estate)))
