"""Tests of archives of a campaign's recorded calls: their names, their index, who gets them, and who is noted."""

import csv
import io
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import delete, update

from dialer.api.actions import call_archives
from dialer.carriers.voice.sealed_spool import SealedSpool
from dialer.domain.calls.call_recording import SoundStore
from dialer.domain.formats.media_files import FileFacts
from dialer.domain.formats.sealed_sound import BLOCK_BYTES, wav_header
from dialer.domain.numbers.spellings import ERASED
from dialer.store.media.archive import unique_names
from dialer.store.media.bucket import BucketError
from dialer.store.media.folder import FolderMedia
from dialer.store.rows.call_recordings import erase_recordings
from dialer.store.tables import CallDisposition, CallRecording
from tests.api.builders import Estate, stored
from tests.api.conftest import MEDIA
from tests.api.harness import NOW, NOW_MS, Caller
from tests.api.team import AGENT, VIEWER, hire

KEY: Final = "5a" * 32
SOUND: Final = bytes(number % 251 for number in range(2 * BLOCK_BYTES + 500))
WAV: Final = wav_header(len(SOUND)) + SOUND


class Calls:
    """Recordings of an estate's campaign, in files of their own."""

    def __init__(self, estate: Estate, folder: Path) -> None:
        self.estate: Final = estate
        self.folder: Final = folder
        self.path: Final = f"{estate.campaign['url']}call-recordings/"
        estate.database.write_now(lambda connection: connection.execute(delete(CallRecording)))

    def add(self, callid: str, *, has_file: bool = True, **values: object) -> int:
        """Add a recording, and its file."""
        file = f"{callid}.call"
        if has_file:
            spool = SealedSpool(SoundStore(str(self.folder / file), KEY))
            spool.open()
            spool.write([SOUND[at : at + BLOCK_BYTES] for at in range(0, len(SOUND), BLOCK_BYTES)])
        row: dict[str, Any] = {"user_id": self.estate.user_id, "campaign_id": self.estate.campaign["id"]}
        row |= {"callid": callid, "phone_number": "+12025550122", "start_date": NOW_MS, "seconds": 103_100}
        row |= {"size": len(WAV), "file": file, "sound_key": KEY, "state": "stored"}
        return stored(self.estate.database, CallRecording, **{**row, **values})


@pytest.fixture
def calls(estate: Estate, folder_of_session: Path) -> Iterator[Calls]:
    folder = folder_of_session / MEDIA / "recordings"
    yield Calls(estate, folder)
    for file in folder.glob("*.call"):
        file.unlink()


def unpack(answer: Any) -> tuple[dict[str, bytes], list[dict[str, str]]]:  # noqa: ANN401 - an answer
    assert answer.status_code == 200, answer.text
    with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
        assert archive.testzip() is None
        files = {name: archive.read(name) for name in archive.namelist()}
    assert list(files)[-1] == "index.csv"
    return files, list(csv.DictReader(io.StringIO(files.pop("index.csv").decode(), newline="")))


def heard(admin: Caller) -> list[tuple[str, int]]:
    """Return who has heard which recording, as the audit log has it."""
    entries = admin.get("audit-log/", action="recording_heard")["results"]
    return sorted((entry["actor"], entry["record_id"]) for entry in entries)


def test_recordings_are_named_by_their_queues_and_each_is_in_the_audit_log(
    alice: Caller, admin: Caller, estate: Estate, calls: Calls
) -> None:
    alice.change(f"queue/{estate.queue['id']}/", record_template="${strftime(%Y-%m)}/${caller_id_number}")
    of_queue = {"queue_id": estate.queue["id"], "agent_id": estate.agent["id"], "callrequest_id": estate.call_id}
    ids = [calls.add("a", **of_queue), calls.add("b", queue_id=estate.queue["id"]), calls.add("c")]
    stored(
        estate.database, CallDisposition, callrequest_id=estate.call_id, user_id=estate.user_id, disposition="success"
    )
    answer = alice.request("GET", calls.path)
    files, index = unpack(answer)
    month = NOW[:7]
    assert files == {f"{month}/12025550122.wav": WAV, f"{month}/12025550122-2.wav": WAV, "c.wav": WAV}
    assert answer.headers["content-disposition"] == (
        f'attachment; filename="campaign-{estate.campaign["id"]}-call-recordings.zip"'
    )
    assert index[0] == {
        "file": f"{month}/12025550122.wav",
        "call_recording": str(ids[0]),
        "callid": "a",
        "phone_number": index[0]["phone_number"],
        "agent": estate.agent["name"],
        "queue": estate.queue["name"],
        "disposition": "success",
        "start_date": NOW,
        "seconds": "1.0",
        "is_complete": "yes",
        "text": "",
    }
    assert index[0]["phone_number"].lstrip("'") == "+12025550122"
    assert heard(admin) == [("alice", one) for one in ids]


def test_what_nobody_can_hear_is_not_in_it(alice: Caller, admin: Caller, calls: Calls, estate: Estate) -> None:
    calls.add("removed", state="removed")
    calls.add("other", campaign_id=estate.sms_campaign["id"])
    lost = calls.add("lost", has_file=False)
    kept = calls.add("kept", state="waiting")
    files, index = unpack(alice.request("GET", calls.path))
    assert files == {"kept.wav": WAV}
    assert [(row["call_recording"], row["is_complete"]) for row in index] == [(str(lost), "no"), (str(kept), "yes")]
    assert heard(admin) == [("alice", kept)]


def test_a_recording_whose_place_does_not_answer_is_left_out_and_not_noted(
    alice: Caller, admin: Caller, calls: Calls, monkeypatch: pytest.MonkeyPatch
) -> None:
    away, kept = calls.add("away"), calls.add("kept")
    facts = FolderMedia.facts

    def fail(files: FolderMedia, name: str) -> FileFacts | None:
        if name == "away.call":
            raise BucketError("the store cannot be reached: see DIALER_S3_ENDPOINT")
        return facts(files, name)

    monkeypatch.setattr(FolderMedia, "facts", fail)
    files, index = unpack(alice.request("GET", calls.path))
    assert files == {"kept.wav": WAV}
    assert [(row["call_recording"], row["is_complete"]) for row in index] == [(str(away), "no"), (str(kept), "yes")]
    assert heard(admin) == [("alice", kept)]


def test_many_recordings_come_in_several_archives(alice: Caller, calls: Calls, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(call_archives, "CALLS_MAX", 2)
    for callid in "abcde":
        calls.add(callid)
    place, found = calls.path, []
    while place:
        answer = alice.request("GET", place)
        found.append(sorted(unpack(answer)[0]))
        place = answer.links.get("next", {}).get("url", "")
    assert found == [["a.wav", "b.wav"], ["c.wav", "d.wav"], ["e.wav"]]
    assert alice.refused("GET", f"{calls.path}?after=x")[0] == 400


def test_who_looks_at_the_headers_alone_has_heard_nothing(alice: Caller, admin: Caller, calls: Calls) -> None:
    calls.add("a")
    answer = alice.request("HEAD", calls.path)
    assert (answer.status_code, answer.content, heard(admin)) == (200, b"", [])


def test_a_campaign_without_recordings_has_an_empty_index(alice: Caller, admin: Caller, calls: Calls) -> None:
    assert (unpack(alice.request("GET", calls.path)), heard(admin)) == (({}, []), [])


def test_only_those_with_the_right_get_the_archive(
    alice: Caller, bob: Caller, admin: Caller, estate: Estate, calls: Calls
) -> None:
    calls.add("a")
    assert bob.refused("GET", calls.path)[0] == 404
    team = hire(alice.client, estate)
    assert [team[name].refused("GET", calls.path)[0] for name in (VIEWER, AGENT)] == [403, 403]
    for user in admin.get("users/", page_size=100)["results"]:
        if user["username"] in {VIEWER, AGENT}:
            admin.change(user["url"], recordings=True)
    assert list(unpack(team[VIEWER].request("GET", calls.path))[0]) == ["a.wav"]
    assert team[AGENT].refused("GET", calls.path)[0] == 404, "an agent sees no campaigns"
    read, recordings = (alice.create("api-key", name=scope, scopes=[scope])["key"] for scope in ("read", "recordings"))
    place = f"/rest-api/campaigns/{estate.campaign['id']}/call-recordings/"
    got = [alice.client.get(place, headers={"Authorization": f"Bearer {key}"}) for key in (read, recordings)]
    assert [answer.status_code for answer in got] == [403, 200]


def test_a_recording_that_is_removed_while_the_archive_is_read_is_left_out(
    alice: Caller, calls: Calls, estate: Estate, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first recording is packed, and the second is removed then."""
    calls.add("a")
    second = calls.add("b")
    found = call_archives._found  # noqa: SLF001 - the moment at which a recording is looked for

    def removing(service: Any, recording_id: int) -> Any:  # noqa: ANN401 - as that
        if recording_id == second:
            change = update(CallRecording).where(CallRecording.id == second).values(state="removed", sound_key=None)
            estate.database.write_now(lambda connection: connection.execute(change))
        return found(service, recording_id)

    monkeypatch.setattr(call_archives, "_found", removing)
    files, index = unpack(alice.request("GET", calls.path))
    assert (list(files), [row["is_complete"] for row in index]) == (["a.wav"], ["yes", "no"])


def test_the_index_has_nothing_of_who_is_erased_while_the_archive_is_read(
    alice: Caller, calls: Calls, estate: Estate, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first recording is packed with its sound, and its callee is erased while the second is looked for."""
    said: dict[str, Any] = {"text": "My name is Ada.", "text_language": "en", "text_state": "done"}
    first, second = calls.add("a", **said), calls.add("b", **said | {"text": "Monday."})
    found = call_archives._found  # noqa: SLF001 - the moment at which a recording is looked for

    def erasing(service: Any, recording_id: int) -> Any:  # noqa: ANN401 - as that
        if recording_id == second:
            estate.database.write_now(lambda one: erase_recordings(one, CallRecording.id == first, NOW_MS))
        return found(service, recording_id)

    monkeypatch.setattr(call_archives, "_found", erasing)
    files, index = unpack(alice.request("GET", calls.path))
    assert list(files) == ["a.wav", "b.wav"]
    shown = [(row["phone_number"].lstrip("'"), row["text"]) for row in index]
    assert shown == [(ERASED, ""), ("+12025550122", "Monday.")]


@given(st.lists(st.sampled_from(["a.wav", "A.wav", "a-2.wav", "a-3.wav", "b/a.wav", "b/a-2.wav"]), max_size=12))
def test_names_of_an_archive_are_never_equal(paths: list[str]) -> None:
    names = unique_names(paths)
    assert len({name.casefold() for name in names}) == len(paths)
    firsts = [paths.index(path) for path in dict.fromkeys(paths)]
    alone = [at for at in firsts if [one.casefold() for one in paths].index(paths[at].casefold()) == at]
    assert [names[at] for at in alone] == [paths[at] for at in alone], "the first of a name keeps it"


def test_the_second_of_a_name_gets_2() -> None:
    assert unique_names(["a.wav", "a.wav", "a-2.wav", "A.wav"]) == ["a.wav", "a-3.wav", "a-2.wav", "A-4.wav"]
