"""Tests of recordings of whole calls on pages: found, played with the moments of their calls, and logged once."""

import re
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import Any, Final
from zipfile import ZipFile

import pytest
from sqlalchemy import insert

from dialer.api.actions import call_archives
from dialer.carriers.voice.sealed_spool import SealedSpool
from dialer.console.pages.call_recordings import RECORDINGS_A_PAGE
from dialer.domain.calls.call_recording import SoundStore
from dialer.domain.formats.sealed_sound import BLOCK_BYTES, wav_header
from dialer.store.database.database import Database
from dialer.store.tables import (
    Agent,
    CallDisposition,
    CallRecording,
    CallRequest,
    Cdr,
    Subscriber,
    SurveyResult,
    Transfer,
    User,
)
from tests.api.harness import NOW_MS, Caller
from tests.console.building import HOSTILE, campaign, store
from tests.console.visitor import Visitor

KEY: Final = "5a" * 32
SOUND: Final = b"\x00\xff" * (BLOCK_BYTES // 2) + b"\xff\x80" * (BLOCK_BYTES // 2)
"""Half a second in which the callee is loud, and half a second in which the agent is."""
WAV: Final = wav_header(len(SOUND)) + SOUND
SOUNDLESS: Final = ("in_progress", "removed")


def recording(number: int, **fields: Any) -> Any:  # noqa: ANN401 - columns, and a statement
    """Return the insertion of a recording of Alice."""
    values = {"id": number, "callid": str(number), "phone_number": f"+1202555{number:04}", "seconds": 6_140_000}
    values |= {"user_id": 2, "start_date": NOW_MS + number * 1_000, "size": 982_458, "state": "stored"}
    return insert(CallRecording).values({**values, **fields})


def listed(visitor: Visitor, query: str = "") -> list[int]:
    """Return the last digits of the numbers in the list."""
    return [int(digit) for digit in re.findall(r"\+1202555000(\d)", visitor.text(f"call-recordings/{query}"))]


@pytest.fixture
def heard(api: Caller, database: Database, media: Path) -> Iterator[int]:
    """Store a recorded call of Alice with a key that was pressed and an outcome, and return the id of its CDR."""
    identity = campaign(api, name="Departures")
    dates = {"created_date": NOW_MS, "updated_date": NOW_MS + 90_000}
    person = {"campaign_id": identity, "number": "+12025550001", "duplicate_contact": "+12025550001", "zone": ""}
    person |= {"gmt_offset": "", "tz_code": "", "additional_vars": "{}", "full_name": "", "status": 5, **dates}
    call = {"id": 7, "callid": "7", "campaign_id": identity, "subscriber_id": 900, "user_id": 2, "gateway_id": 1}
    call |= {"attempt": 1, "phone_number": "+12025550001", "dialled_number": "+12025550001", "callerid": "+1"}
    call |= {"status": 4, "status_reason": "", "started_ms": NOW_MS, "ended_ms": NOW_MS + 2_000, "hold": 0}
    call |= {"hangup_cause_q850": 16, "ring_limit_ms": 1, "talk_limit_ms": 1, "call_rate": 0}
    result = {"campaign_id": identity, "callrequest_id": 7, "user_id": 2, "callid": "7", "section_id": 1}
    result |= {"section_type": 2, "question": HOSTILE, "response": "2", "created_date": NOW_MS + 1_500}
    cdr = {"callid": "7", "phone_number": "+12025550001", "starting_date": NOW_MS, "callrequest_id": 7, "user_id": 2}
    cdr |= {"campaign_id": identity, "callerid": "", "duration": 2, "billsec": 1, "call_cost": 0, "billed_duration": 1}
    cdr |= {"leg_type": 1, "amd_status": 1, "subscriber_id": 900, "hangup_cause_q850": 16}
    said = {"callrequest_id": 7, "user_id": 2, "disposition": "success", "word": "Sold", "note": "", **dates}
    sound = {"file": "a.call", "sound_key": KEY, "size": len(WAV), "seconds": 100_000, "callid": "7"}
    path = media / "recordings" / "a.call"
    spool = SealedSpool(SoundStore(str(path), KEY))
    spool.open()
    spool.write([SOUND[:BLOCK_BYTES], SOUND[BLOCK_BYTES:]])
    store(
        database,
        insert(Subscriber).values(id=900, **person),
        insert(CallRequest).values(call),
        insert(SurveyResult).values(**result),
        insert(Cdr).values(cdr),
        insert(CallDisposition).values(**said),
        recording(1, callrequest_id=7, campaign_id=identity, start_date=NOW_MS + 1_000, **sound),
    )
    yield 1
    path.unlink(missing_ok=True)


def test_recordings_are_listed_the_newest_first_and_lead_to_their_calls(
    alice: Visitor, bob: Visitor, heard: int, database: Database
) -> None:
    store(database, recording(2, state="removed", sound_key=None))
    text = alice.text("call-recordings/")
    assert "11:06:42 +12025550002 removed deleted 1:01 min" in text
    assert "11:06:41 +12025550001 Departures Sold 1 s" in text
    assert re.findall(r'href="/console/calls/(\d+)/"', alice.page) == [str(heard)]
    assert 'href="/console/call-recordings/"' in alice.get("calls/")
    assert "No call was recorded yet." in bob.text("call-recordings/")


def test_recordings_are_found_by_what_is_known_of_their_calls(
    alice: Visitor, api: Caller, heard: int, database: Database
) -> None:
    agent = api.create("agent", name="Ann")["id"]
    day_ms = 86_400_000
    store(database, recording(2, agent_id=agent), recording(3, start_date=NOW_MS + day_ms, state="removed"))
    found = {
        f"?campaign={heard}": [1],
        f"?agent={agent}": [2],
        "?outcome=success": [1],
        "?outcome=callback": [],
        "?day=2026-11-18": [2, 1],
        "?day=2026-11-19": [3],
        "?state=removed": [3],
        "?number=1-202-555-0002": [2],
        "?day=2026-11-18&outcome=success": [1],
    }
    assert {query: listed(alice, query) for query in found} == found
    wrong = {"?day=soon": 400, "?agent=99": 404, "?campaign=99": 404, "?page=9": 404, "?outcome=%00": 400}
    assert {one: alice.request("GET", f"call-recordings/{one}").status_code for one in wrong} == wrong


def test_the_recordings_of_a_campaign_are_downloaded_as_archives(
    alice: Visitor, bob: Visitor, heard: int, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    def links() -> list[tuple[str, str]]:
        found = re.findall(
            r'href="/console/([^"]*)" download>([^<]*)<', alice.get(f"call-recordings/?campaign={heard}")
        )
        return [(url, words) for url, words in found]

    place = f"campaigns/{heard}/call-recordings/"
    assert "ZIP" not in alice.get("call-recordings/")
    assert links() == [(f"{place}?after=0", "Download as ZIP")]
    # Calls in progress and removed recordings have no sound.
    store(database, *(recording(2 + n, campaign_id=heard, state=state) for n, state in enumerate(SOUNDLESS)))
    assert links() == [(f"{place}?after=0", "Download as ZIP")]
    answer = alice.request("GET", f"{place}?after=0")
    assert (answer.status_code, answer.headers["content-type"]) == (200, "application/zip")
    with ZipFile(BytesIO(answer.content)) as archive:
        assert archive.namelist() == ["7.wav", "index.csv"]
        assert archive.read("7.wav") == WAV
    monkeypatch.setattr(call_archives, "CALLS_MAX", 2)
    store(database, *(recording(number, campaign_id=heard) for number in (5, 6, 8, 9)))
    parts = [(0, "Download 1 to 2 as ZIP"), (5, "Download 3 to 4 as ZIP"), (8, "Download 5 to 5 as ZIP")]
    assert links() == [(f"{place}?after={after}", words) for after, words in parts]
    assert bob.request("GET", place).status_code == 404


def test_a_long_list_has_pages(alice: Visitor, database: Database) -> None:
    store(database, *(recording(number) for number in range(1, RECORDINGS_A_PAGE + 3)))
    first = alice.get("call-recordings/?state=stored")
    assert (first.count("1:01 min"), "52 in all" in first) == (RECORDINGS_A_PAGE, True)
    following = re.findall(r'rel="next" href="/console/([^"]*)"', first)[0].replace("&amp;", "&")
    assert alice.get(following).count("1:01 min") == 2


def test_a_recorded_call_is_played_with_its_moments(alice: Visitor, heard: int) -> None:
    text = alice.text(f"calls/{heard}/")
    shown = " ".join(HOSTILE.split())
    moments = ["0:00 Answered", f"0:00 {shown}: 2", "0:01 Outcome: Sold"]
    places = [text.index(one) for one in moments]
    assert places == sorted(places)
    assert re.findall(r'<time data-at="([^"]*)"', alice.page) == ["0.0", "0.5", "1.0"]
    assert '<audio controls preload="none" src="/console/call-recordings/1/sound/"' in alice.page
    assert "<script>alert" not in alice.page
    callee, ours = re.findall(r'<path class="\w+" d="([^"]*)"', alice.page)
    loud = {"callee": "v-31h" in callee, "ours": "v31h" in ours}
    assert loud == {"callee": True, "ours": True}
    halves = [path.split("z")[:-1] for path in (callee, ours)]
    assert [len(half) for half in halves] == [240, 240]
    assert ({one[-7:] for one in halves[0][:120]}, {one[-6:] for one in halves[1][120:]}) == ({"v-31h-2"}, {"v31h-2"})


def test_each_listening_is_logged_once(admin: Visitor, alice: Visitor, api: Caller, heard: int) -> None:
    logged = Caller(api.client, "admin")
    alice.get(f"calls/{heard}/")
    alice.get("call-recordings/")
    assert logged.get("audit-log/", action="recording_heard")["count"] == 0
    whole = alice.request("GET", "call-recordings/1/sound/")
    part = alice.request("GET", "call-recordings/1/sound/", headers={"Range": "bytes=58-157"})
    assert (whole.status_code, whole.content, whole.headers["content-type"]) == (200, WAV, "audio/wav")
    assert (part.status_code, part.content) == (206, WAV[58:158])
    assert whole.headers["content-security-policy"].startswith("default-src 'self'")
    admin.request("GET", "call-recordings/1/sound/", headers={"Range": "bytes=0-"})
    entries = logged.get("audit-log/", action="recording_heard")["results"]
    assert sorted((entry["actor"], entry["record_id"]) for entry in entries) == [("admin", 1), ("alice", 1)]


def test_a_file_that_is_away_says_so(alice: Visitor, heard: int, media: Path) -> None:
    (media / "recordings" / "a.call").unlink()
    assert "The file of the recording cannot be read now." in alice.text(f"calls/{heard}/")
    assert alice.request("GET", "call-recordings/1/sound/").status_code == 404


def test_what_is_removed_is_not_played(alice: Visitor, api: Caller, heard: int) -> None:
    assert api.request("DELETE", "call-recording/1/").status_code == 204
    assert "data-player" not in alice.get(f"calls/{heard}/")
    assert alice.request("GET", "call-recordings/1/sound/").status_code == 404


def test_a_call_whose_campaign_was_deleted_is_still_played(alice: Visitor, database: Database, heard: int) -> None:
    gone = {"callrequest_id": None, "campaign_id": None}
    store(database, Cdr.__table__.update().values(gone), CallRecording.__table__.update().values(gone))
    assert re.findall(r'<time data-at="([^"]*)"', alice.get(f"calls/{heard}/")) == ["0.0"]


def test_a_recording_whose_call_is_gone_is_heard_from_the_list(alice: Visitor, heard: int, database: Database) -> None:
    assert "/sound/" not in alice.get("call-recordings/")
    store(
        database,
        Cdr.__table__.delete(),
        recording(2, state="failed"),
        recording(3, state="removed", sound_key=None),
    )
    text = alice.text("call-recordings/")
    assert re.findall(r'href="(/console/call-recordings/\d/sound/)"', alice.page) == [
        "/console/call-recordings/2/sound/",
        "/console/call-recordings/1/sound/",
    ]
    assert "+12025550002 failed" in text
    assert alice.request("GET", f"call-recordings/{heard}/sound/").content == WAV
    assert 'href="/console/call-recordings/"' in alice.get("calls/")
    assert listed(alice, "?state=failed") == [2]


def test_a_recording_that_began_later_has_only_what_is_heard_in_it(
    alice: Visitor, heard: int, database: Database
) -> None:
    store(database, CallRecording.__table__.update().values(start_date=NOW_MS + 60_000))
    text = alice.text(f"calls/{heard}/")
    assert re.findall(r'<time data-at="([^"]*)"', alice.page) == ["0.0", "1.0"]
    places = [text.index(one) for one in ("0:00 The recording begins", "0:01 Outcome: Sold")]
    assert places == sorted(places)


def test_nobody_without_the_right_finds_or_hears_recordings(
    bob: Visitor, vera: Visitor, visitor: Visitor, heard: int
) -> None:
    paths = ("call-recordings/", "call-recordings/1/sound/")
    assert [visitor.request("GET", path).status_code for path in paths] == [303, 303]
    visitor.sign_in("gus")
    for person, statuses in ((bob, [200, 404]), (vera, [403, 403]), (visitor, [403, 403])):
        assert [person.request("GET", path).status_code for path in paths] == statuses
    assert "data-player" not in vera.get(f"calls/{heard}/")
    assert "call-recordings" not in vera.get("calls/")


def test_a_viewer_and_an_agent_hear_recordings_once_an_admin_says_so(
    vera: Visitor, visitor: Visitor, api: Caller, heard: int, database: Database
) -> None:
    agent = api.create("agent", name="Gus")["id"]
    transfer = {"callrequest_id": 7, "place": 1, "section_id": 1, "agent_id": agent, "status": 3, "reason": ""}
    transfer |= {"score_from_ms": NOW_MS, "joined_ms": NOW_MS, "ended_ms": NOW_MS}
    store(
        database,
        User.__table__.update().where(User.username.in_(["vera", "gus"])).values(recordings=True),
        Agent.__table__.update().values(login_id=5),
        recording(2),
    )
    visitor.sign_in("gus")
    paths = ("call-recordings/", "call-recordings/1/sound/", "call-recordings/2/sound/", f"calls/{heard}/")
    assert [vera.request("GET", path).status_code for path in paths] == [200] * 4
    assert [visitor.request("GET", path).status_code for path in paths] == [200, 404, 404, 404]
    store(database, insert(Transfer).values(**transfer))
    assert [visitor.request("GET", path).status_code for path in paths] == [200, 200, 404, 200]
    assert [listed(person) for person in (vera, visitor)] == [[2, 1], [1]]
    assert ["Departures" in person.text("call-recordings/") for person in (vera, visitor)] == [True, True]
    assert ["data-player" in person.get(f"calls/{heard}/") for person in (vera, visitor)] == [True, True]
