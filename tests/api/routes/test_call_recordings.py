"""Tests of recordings of whole calls: who sees and hears them, and how they are removed."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import anyio.from_thread
import anyio.to_thread
import pytest
from litestar.exceptions import LitestarException
from sqlalchemy import String, literal, select, type_coerce, update

from dialer.api.actions import recordings
from dialer.app.campaigns.check import findings_of_campaign
from dialer.carriers.voice.sealed_spool import SealedSpool
from dialer.domain.calling_times.calling_hours import CallingHours
from dialer.domain.calls.call_recording import SoundStore
from dialer.domain.formats.sealed_sound import BLOCK_BYTES, HEADER_BYTES, wav_header
from dialer.domain.words.transcripts import Ears
from dialer.store.database.database import Database
from dialer.store.media.bucket import BucketError
from dialer.store.media.folder import FolderMedia
from dialer.store.tables import CallDisposition, CallRecording, Campaign
from tests.api.builders import Estate, stored
from tests.api.conftest import MEDIA
from tests.api.harness import BASE, NOW, NOW_MS, Caller
from tests.api.team import AGENT, VIEWER, hire

MISSING: Final = (404, {"detail": "Not found."})
KEY: Final = "5a" * 32
SWITCH: Final = {"password": "secret", "dial_string": "user/{number}"}
SOUND: Final = bytes(number % 251 for number in range(3 * BLOCK_BYTES + 500))
WAV: Final = wav_header(len(SOUND)) + SOUND


@pytest.fixture
def path(estate: Estate, database: Database, folder_of_session: Path) -> Iterator[str]:
    """Return the path of a recording with a file."""
    file = folder_of_session / MEDIA / "recordings" / "a.call"
    spool = SealedSpool(SoundStore(str(file), KEY))
    spool.open()
    spool.write([SOUND[at : at + BLOCK_BYTES] for at in range(0, len(SOUND), BLOCK_BYTES)])
    change = update(CallRecording).where(CallRecording.id == estate.recording_id)
    values = {"file": file.name, "sound_key": KEY, "size": len(WAV)}
    database.write_now(lambda connection: connection.execute(change.values(**values)))
    yield f"call-recording/{estate.recording_id}/"
    file.unlink(missing_ok=True)


def heard(admin: Caller) -> list[int]:
    """Return the recordings that were heard, as the audit log has them."""
    entries = admin.get("audit-log/", action="recording_heard")["results"]
    return [int(entry["record_id"]) for entry in entries]


def test_a_recording_tells_of_its_call(alice: Caller, estate: Estate, path: str, database: Database) -> None:
    stored(database, CallDisposition, callrequest_id=estate.call_id, user_id=estate.user_id, disposition="success")
    callid = f"call-{estate.user_id}"
    expected: dict[str, Any] = {
        "id": estate.recording_id,
        "url": f"{BASE}/{path}",
        "callrequest": f"{BASE}/callrequest/{estate.call_id}/",
        "campaign": estate.campaign["url"],
        "agent": None,
        "queue": None,
        "callid": callid,
        "phone_number": "+12025550122",
        "disposition": "success",
        "name": f"{callid}.wav",
        "start_date": NOW,
        "seconds": 61.4,
        "size": len(WAV),
        "paused": [],
        "refused": False,
        "state": "stored",
        "stored_where": "folder",
        "legal_hold": False,
        "removed_date": None,
        "language": "",
        "text": "",
        "text_language": "",
        "text_state": "off",
    }
    assert alice.get(path) == expected
    fit: list[dict[str, Any]] = [{"callrequest": estate.call_id}, {"phone_number": "+12025550122"}, {"state": "stored"}]
    other: list[dict[str, Any]] = [
        {"agent": estate.agent["id"]},
        {"refused": True},
        {"start_date_before": "2020-01-01T00:00Z"},
    ]
    assert [alice.get("call-recording/", **filters)["results"] for filters in fit] == [[expected]] * 3
    assert [alice.get("call-recording/", **filters)["results"] for filters in other] == [[]] * 3


@pytest.mark.parametrize(
    ("wanted", "part"),
    [
        ("bytes=0-", range(len(WAV))),
        ("bytes=0-57", range(HEADER_BYTES)),
        ("bytes=50-8100", range(50, 8_101)),
        (f"bytes={HEADER_BYTES + 2 * BLOCK_BYTES - 1}-", range(HEADER_BYTES + 2 * BLOCK_BYTES - 1, len(WAV))),
        ("bytes=-7", range(len(WAV) - 7, len(WAV))),
    ],
)
def test_a_recording_is_heard_whole_or_in_part(alice: Caller, path: str, wanted: str, part: range) -> None:
    answer = alice.request("GET", f"{path}download/", headers={"Range": wanted})
    assert answer.content == WAV[part.start : part.stop]
    assert answer.status_code == (200 if len(part) == len(WAV) else 206)
    whole = alice.request("GET", f"{path}download/")
    assert (whole.content, whole.headers["content-type"]) == (WAV, "audio/wav")
    known = alice.request("GET", f"{path}download/", headers={"If-None-Match": whole.headers["etag"]})
    assert (known.status_code, known.content) == (304, b"")
    head = alice.request("HEAD", f"{path}download/")
    assert (head.status_code, head.headers["content-length"], head.content) == (200, str(len(WAV)), b"")


def test_a_part_that_is_not_there_is_refused(alice: Caller, path: str) -> None:
    answer = alice.request("GET", f"{path}download/", headers={"Range": f"bytes={len(WAV)}-"})
    assert (answer.status_code, answer.headers["content-range"]) == (416, f"bytes */{len(WAV)}")


@pytest.mark.parametrize("wanted", ["bytes=0-", "bytes=1-", "bytes=100-200", "bytes=-7"])
def test_who_hears_any_part_of_a_recording_is_logged_once_an_hour(
    admin: Caller, alice: Caller, estate: Estate, path: str, wanted: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    tag = alice.request("HEAD", f"{path}download/").headers["etag"]
    alice.request("GET", f"{path}download/", headers={"If-None-Match": tag})
    alice.request("GET", f"{path}download/", headers={"If-Match": '"other"'})
    alice.request("GET", f"{path}download/", headers={"Range": f"bytes={len(WAV)}-"})
    assert heard(admin) == []
    for part in (wanted, "bytes=0-100", "bytes=101-"):
        alice.request("GET", f"{path}download/", headers={"Range": part})
    assert heard(admin) == [estate.recording_id]
    admin.request("GET", f"{path}download/", headers={"Range": wanted})
    assert heard(admin) == [estate.recording_id] * 2
    monkeypatch.setattr(recordings, "HEARD_ONCE_IN_MS", 0)
    alice.request("GET", f"{path}download/", headers={"Range": wanted})
    assert heard(admin) == [estate.recording_id] * 3


def test_a_recording_that_was_not_measured_yet_is_sent_as_it_is_in_its_file(
    alice: Caller, estate: Estate, path: str, database: Database
) -> None:
    change = update(CallRecording).where(CallRecording.id == estate.recording_id)
    values = {"state": "waiting", "size": len(WAV) + 1_000}
    database.write_now(lambda connection: connection.execute(change.values(**values)))
    answer = alice.request("GET", f"{path}download/")
    assert (answer.status_code, answer.headers["content-length"], answer.content) == (200, str(len(WAV)), WAV)


def test_a_recording_without_its_file_or_its_key_is_not_found_and_still_listed_and_deleted(
    alice: Caller, estate: Estate, path: str, database: Database, folder_of_session: Path
) -> None:
    change = update(CallRecording).where(CallRecording.id == estate.recording_id)
    other = type_coerce(literal("gAAAAA-of-another-ring"), String)
    database.write_now(lambda connection: connection.execute(change.values(sound_key=other)))
    assert alice.refused("GET", f"{path}download/") == MISSING
    database.write_now(lambda connection: connection.execute(change.values(sound_key=KEY)))
    (folder_of_session / MEDIA / "recordings" / "a.call").unlink()
    assert alice.refused("GET", f"{path}download/") == MISSING
    database.write_now(lambda connection: connection.execute(change.values(sound_key=other)))
    assert [one["state"] for one in alice.get("call-recording/")["results"]] == ["stored"]
    assert alice.request("DELETE", path).status_code == 204


def test_nobody_else_sees_or_hears_a_recording(
    alice: Caller, bob: Caller, admin: Caller, estate: Estate, path: str
) -> None:
    for method, place in (("GET", path), ("GET", f"{path}download/"), ("DELETE", path)):
        assert bob.refused(method, place) == MISSING
    assert bob.get("call-recording/")["results"] == []
    team = hire(alice.client, estate)
    for name in (VIEWER, AGENT):
        for place in ("call-recording/", path, f"{path}download/"):
            assert team[name].refused("GET", place)[0] == 403
    assert admin.request("GET", f"{path}download/").content == WAV


PLACES: Final = ("call-recording/", "{path}", "{path}download/")


def statuses(caller: Caller, path: str) -> list[int]:
    """Return the statuses of the list, of the record, and of its sound."""
    return [caller.request("GET", place.format(path=path)).status_code for place in PLACES]


@pytest.mark.parametrize("name", [VIEWER, AGENT])
def test_viewers_and_agents_hear_recordings_once_an_admin_says_so(
    alice: Caller, admin: Caller, estate: Estate, path: str, name: str
) -> None:
    team = hire(alice.client, estate)
    user = next(one for one in admin.get("users/", page_size=100)["results"] if one["username"] == name)
    assert (user["recordings"], statuses(team[name], path)) == (False, [403, 403, 403])
    assert alice.refused("PATCH", user["url"], recordings=True)[0] == 403
    admin.change(user["url"], recordings=True)
    assert statuses(team[name], path) == [200, 200, 200]
    assert team[name].request("GET", f"{path}download/").content == WAV
    assert team[name].refused("DELETE", path)[0] == 403
    entries = admin.get("audit-log/", action="recording_heard")["results"]
    assert [(entry["actor"], entry["record_id"]) for entry in entries] == [(name, estate.recording_id)]
    admin.change(user["url"], recordings=False)
    assert statuses(team[name], path) == [403, 403, 403]


def test_an_agent_hears_only_the_own_calls(alice: Caller, admin: Caller, estate: Estate, path: str) -> None:
    agent = hire(alice.client, estate)[AGENT]
    user = next(one for one in admin.get("users/", page_size=100)["results"] if one["username"] == AGENT)
    admin.change(user["url"], recordings=True)
    change = update(CallRecording).where(CallRecording.id == estate.recording_id)
    gone = {"callrequest_id": None, "agent_id": estate.agent["id"]}
    estate.database.write_now(lambda connection: connection.execute(change.values(**gone)))
    assert statuses(agent, path) == [200, 200, 200]
    estate.database.write_now(lambda connection: connection.execute(change.values(agent_id=None)))
    assert (statuses(agent, path), agent.get("call-recording/")["results"]) == ([200, 404, 404], [])
    alice.change(f"agent/{estate.agent['id']}/", login=None)
    again = {"callrequest_id": estate.call_id, "agent_id": estate.agent["id"]}
    estate.database.write_now(lambda connection: connection.execute(change.values(**again)))
    assert statuses(agent, path) == [200, 404, 404]


def test_a_key_hears_recordings_with_its_scope_alone(alice: Caller, path: str) -> None:
    keys = {
        scopes: alice.create("api-key", name="quality", scopes=[*scopes])["key"]
        for scopes in (("read", "campaigns"), ("recordings",))
    }
    found = {}
    for scopes, key in keys.items():
        bearer = {"Authorization": f"Bearer {key}"}
        places = [f"/rest-api/{place.format(path=path)}" for place in PLACES]
        found[scopes] = [alice.client.get(place, headers=bearer).status_code for place in places]
    assert found == {("read", "campaigns"): [403, 403, 403], ("recordings",): [200, 200, 200]}


def test_a_recording_that_is_removed_is_listed_and_not_heard_any_more(
    alice: Caller, path: str, database: Database
) -> None:
    assert alice.request("DELETE", path).status_code == 204
    after = alice.get(path)
    assert (after["state"], after["removed_date"], after["stored_where"]) == ("removed", NOW, "")
    assert alice.refused("GET", f"{path}download/") == MISSING
    assert alice.request("DELETE", path).status_code == 204
    assert database.read_now(lambda connection: connection.scalars(select(CallRecording.sound_key)).all()) == [None]
    assert alice.get(path) == after


def test_a_legal_hold_keeps_a_recording_until_it_ends(alice: Caller, bob: Caller, admin: Caller, path: str) -> None:
    assert bob.refused("PATCH", path, legal_hold=True) == MISSING
    alice.change(path, legal_hold=True)
    refused = (409, {"detail": "The recording is under a legal hold. Set legal_hold to false first."})
    assert (alice.refused("DELETE", path), admin.refused("DELETE", path)) == (refused, refused)
    assert alice.request("GET", f"{path}download/").content == WAV
    entry = admin.get("audit-log/", resource="call-recording", action="change")["results"]
    assert [one["record_id"] for one in entry] == [int(path.split("/")[1])]
    alice.change(path, legal_hold=False)
    assert alice.request("DELETE", path).status_code == 204
    assert alice.refused("PATCH", path, legal_hold=True) == (409, {"detail": "The recording is removed."})


def test_a_hold_needs_the_right_to_change_campaigns_as_well(
    alice: Caller, admin: Caller, estate: Estate, path: str
) -> None:
    viewer = hire(alice.client, estate)[VIEWER]
    assert viewer.refused("PATCH", path, legal_hold=True)[0] == 403
    user = next(one for one in admin.get("users/", page_size=100)["results"] if one["username"] == VIEWER)
    admin.change(user["url"], recordings=True)
    assert (viewer.refused("PATCH", path, legal_hold=True)[0], viewer.refused("DELETE", path)[0]) == (403, 403)
    scopes = {"campaigns": ["campaigns"], "recordings": ["recordings"], "both": ["campaigns", "recordings"]}
    keys = {name: alice.create("api-key", name=name, scopes=some)["key"] for name, some in scopes.items()}
    sent = {
        name: alice.client.patch(
            f"/rest-api/{path}", json={"legal_hold": True}, headers={"Authorization": f"Bearer {key}"}
        ).status_code
        for name, key in keys.items()
    }
    assert sent == {"campaigns": 403, "recordings": 403, "both": 202}
    assert alice.get(path)["legal_hold"] is True


def test_a_simulated_callee_is_silence(alice: Caller, estate: Estate) -> None:
    sound = alice.request("GET", f"call-recording/{estate.recording_id}/download/").content
    assert sound == wav_header(982_400) + b"\xff" * 982_400


@pytest.mark.parametrize("wrong", ["yes", "share:1", "share:1001", "share:", "share:05", "demand", "ALL", ""])
def test_other_words_than_no_all_and_share_are_refused(alice: Caller, estate: Estate, wrong: str) -> None:
    status, errors = alice.refused("PATCH", f"campaigns/{estate.campaign['id']}/", record=wrong)
    assert (status, list(errors)) == (400, ["record"])


def test_a_started_campaign_that_records_moves_to_no_carrier_whose_calls_cannot_be_recorded(
    alice: Caller, admin: Caller, estate: Estate, database: Database
) -> None:
    campaign = f"campaigns/{estate.campaign['id']}/"
    switch = admin.create("gateway", name="switch", protocol="freeswitch", parameters=SWITCH)
    change = update(Campaign).where(Campaign.id == estate.campaign["id"]).values(status=2)
    database.write_now(lambda connection: connection.execute(change))
    alice.change(campaign, record="all")
    message = "Calls over this carrier cannot be recorded. Choose a SIP carrier, or set no."
    refused = (400, {"record": [message]})
    assert admin.refused("PATCH", campaign, aleg_gateway=switch["url"]) == refused
    admin.change(campaign, aleg_gateway=switch["url"], record="no")
    assert alice.refused("PATCH", campaign, record="all") == refused


def test_a_damaged_recording_is_never_taken_for_a_short_one(alice: Caller, path: str, folder_of_session: Path) -> None:
    file = folder_of_session / MEDIA / "recordings" / "a.call"
    whole = file.read_bytes()
    file.write_bytes(b"damaged" + whole[7:])
    assert alice.refused("GET", f"{path}download/") == MISSING
    file.write_bytes(whole[:-7] + b"damaged")
    with pytest.raises(LitestarException, match="after response started"):
        alice.request("GET", f"{path}download/")
    assert alice.request("GET", f"{path}download/", headers={"Range": "bytes=0-999"}).content == WAV[:1_000]
    assert alice.request("GET", f"{path}download/", headers={"Range": "bytes=-1"}).status_code == 404


def test_a_queue_names_the_recordings_of_its_calls(
    alice: Caller, estate: Estate, path: str, database: Database
) -> None:
    change = update(CallRecording).where(CallRecording.id == estate.recording_id)
    database.write_now(lambda unit: unit.execute(change.values(queue_id=estate.queue["id"])))
    names = []
    for template in ("", "/../calls/${strftime(%Y-%m)}/${caller_id_number}-${uuid}.wav", "${unknown}.."):
        alice.change(f"queue/{estate.queue['id']}/", record_template=template)
        names.append(alice.get(path)["name"])
    callid, month = f"call-{estate.user_id}", NOW[:7]
    assert names == [f"{callid}.wav", f"calls/{month}/12025550122-{callid}.wav", "recording.wav"]
    alice.change(f"queue/{estate.queue['id']}/", record_template="calls/${caller_id_number}")
    disposition = alice.request("GET", f"{path}download/").headers["content-disposition"]
    assert disposition == 'attachment; filename="12025550122.wav"'


@pytest.mark.parametrize("wrong", ["10", "a", "A", "+"])
def test_only_a_key_of_a_telephone_refuses(alice: Caller, estate: Estate, wrong: str) -> None:
    campaign = f"campaigns/{estate.campaign['id']}/"
    status, errors = alice.refused("PATCH", campaign, record_refuse_key=wrong)
    assert (status, list(errors)) == (400, ["record_refuse_key"])
    for key in "0*#":
        alice.change(campaign, record_refuse_key=key)
        assert alice.get(campaign)["record_refuse_key"] == key


def test_the_check_warns_of_a_campaign_that_records_without_a_notice(alice: Caller, estate: Estate) -> None:
    campaign = f"campaigns/{estate.campaign['id']}/"

    def warned(**fields: object) -> list[str]:
        alice.change(campaign, **fields)
        findings = alice.get(f"{campaign}check/")["findings"]
        return [one["level"] for one in findings if one["code"] == "recording_without_notice"]

    assert [warned(record="no"), warned(record="all")] == [[], ["warning"]]
    assert [warned(record_notice_script=" "), warned(record_notice_script="You are recorded.")] == [["warning"], []]


@pytest.mark.parametrize("ears", [Ears(), Ears("http://127.0.0.1:8000/v1"), Ears(command=("whisper",))])
def test_the_check_warns_of_a_campaign_whose_calls_nobody_writes_down(
    alice: Caller, estate: Estate, database: Database, ears: Ears
) -> None:
    alice.change(f"campaigns/{estate.campaign['id']}/", transcribe=True)
    rest: dict[str, Any] = {"service_zone": "UTC", "hours": CallingHours(), "covered": None, "ears": ears}
    campaign = select(Campaign.__table__).where(Campaign.id == estate.campaign["id"])
    found = database.read_now(
        lambda one: findings_of_campaign(one, dict(one.execute(campaign).mappings().one()), NOW_MS, **rest)
    )
    assert ("nobody_writes" in {one.code.value for one in found}) == (not ears)


def test_a_campaign_says_over_the_api_that_nobody_writes_its_calls_down(alice: Caller, estate: Estate) -> None:
    campaign = f"campaigns/{estate.campaign['id']}/"

    def warned(**fields: object) -> list[tuple[str, str]]:
        alice.change(campaign, **fields)
        findings = alice.get(f"{campaign}check/")["findings"]
        return [(one["level"], one["field"]) for one in findings if one["code"] == "nobody_writes"]

    assert [warned(transcribe=False), warned(transcribe=True)] == [[], [("warning", "transcribe")]]


def test_a_recording_in_progress_is_listed_and_neither_heard_nor_deleted(
    alice: Caller, path: str, database: Database, estate: Estate
) -> None:
    change = update(CallRecording).where(CallRecording.id == estate.recording_id).values(state="in_progress")
    database.write_now(lambda connection: connection.execute(change))
    (listed,) = alice.get("call-recording/", state="in_progress")["results"]
    assert (listed["id"], listed["state"]) == (estate.recording_id, "in_progress")
    heard = alice.refused("GET", f"{path}download/")
    assert heard == (409, {"detail": "The call goes on. Its recording can be heard once it is over."})
    deleted = alice.refused("DELETE", path)
    assert deleted == (409, {"detail": "The call goes on. Its recording can be deleted once it is over."})
    alice.change(path, legal_hold=True)


def test_a_recording_in_the_bucket_says_so(alice: Caller, path: str, database: Database, estate: Estate) -> None:
    change = update(CallRecording).where(CallRecording.id == estate.recording_id).values(stored_where="s3")
    database.write_now(lambda connection: connection.execute(change))
    assert alice.get(path)["stored_where"] == "s3"


@pytest.mark.parametrize("verb", ["facts", "read"])
def test_a_recording_whose_place_does_not_answer_is_to_be_asked_for_later(
    alice: Caller, admin: Caller, path: str, monkeypatch: pytest.MonkeyPatch, verb: str
) -> None:
    """It is there, so it is not said to be gone; and nobody has heard it."""

    def fail(*_: object) -> None:
        raise BucketError("the store cannot be reached: see DIALER_S3_ENDPOINT")

    with monkeypatch.context() as patch:
        patch.setattr(FolderMedia, verb, fail)
        answer = alice.request("GET", f"{path}download/")
    detail = {"detail": "The place of the recordings does not answer just now. Try again in a minute."}
    assert (answer.status_code, answer.json(), answer.headers["retry-after"]) == (503, detail, "60")
    assert heard(admin) == []
    assert alice.request("GET", f"{path}download/").content == WAV


def test_a_recording_is_read_in_threads_that_writes_do_not_need(
    alice: Caller, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken: list[float] = []
    read = FolderMedia.read

    def counting(files: FolderMedia, name: str, start: int = 0, size: int | None = None) -> bytes | None:
        limiter = anyio.from_thread.run_sync(anyio.to_thread.current_default_thread_limiter)
        taken.append(limiter.borrowed_tokens)
        return read(files, name, start, size)

    monkeypatch.setattr(FolderMedia, "read", counting)
    assert alice.request("GET", f"{path}download/").content == WAV
    assert set(taken) == {0}
