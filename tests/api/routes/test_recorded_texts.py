"""Tests of the texts of recorded calls: found, emptied with their recording, and asked for again."""

from typing import Any, Final

import pytest
from sqlalchemy import select, update

from dialer.store.database.database import Database
from dialer.store.tables import CallRecording
from tests.api.builders import Estate
from tests.api.harness import NOW_MS, Caller

MISSING: Final = (404, {"detail": "Not found."})
SAID_OR_NOT: Final = ("CALL 100%", "öffnung", "DIE ÖFFNUNG", "STRASSE", "call%me", "me. please", "offnung")


@pytest.fixture
def path(estate: Estate) -> str:
    """Return the path of a stored recording."""
    return f"call-recording/{estate.recording_id}/"


def test_what_a_recording_says_is_found_and_goes_with_it(
    alice: Caller, bob: Caller, estate: Estate, path: str, database: Database
) -> None:
    change = update(CallRecording).where(CallRecording.id == estate.recording_id)
    said = {"text": "Please call 100% me. Die Öffnung der Straße.", "text_language": "en", "text_state": "done"}
    database.write_now(lambda connection: connection.execute(change.values(**said)))
    assert alice.request("PATCH", estate.survey["url"], json={"language": "en-GB"}).status_code == 202
    record = alice.get(path)
    assert {name: record[name] for name in (*said, "language")} == said | {"language": "en-GB"}
    (listed,) = alice.get("call-recording/", text="call 100%")["results"]
    assert listed == record | {"text": ""}, "a page of texts would be too long"
    found = [alice.get("call-recording/", text=words)["count"] for words in SAID_OR_NOT]
    assert (found, bob.get("call-recording/", text="call")["count"]) == ([1, 1, 1, 1, 0, 0, 0], 0)
    assert alice.request("DELETE", path).status_code == 204
    record = alice.get(path)
    assert [record[name] for name in said] == ["", "", "off"]


def test_a_recording_that_could_not_be_written_down_waits_again(
    alice: Caller, bob: Caller, admin: Caller, estate: Estate, path: str, database: Database
) -> None:
    change, row = update(CallRecording), select(CallRecording.text_state, CallRecording.text_tries)
    is_it = CallRecording.id == estate.recording_id

    def put(**columns: object) -> None:
        database.write_now(lambda connection: connection.execute(change.where(is_it).values(**columns)))

    def ask() -> tuple[int, Any]:
        return alice.refused("PATCH", path, text_state="waiting")

    put(text_state="failed", text_tries=8, text_claimed_ms=7)
    assert bob.refused("PATCH", path, text_state="waiting") == MISSING
    unwanted = "The campaign does not want its recordings written down. Set transcribe first."
    assert ask() == (409, {"detail": unwanted})
    alice.change(f"campaigns/{estate.campaign['id']}/", transcribe=True)
    assert alice.refused("PATCH", path, text_state="off") == (400, {"text_state": ["Only waiting can be set."]})
    alice.change(path, text_state="waiting")
    more = row.add_columns(CallRecording.text_claimed_ms, CallRecording.text_asked_ms)
    kept = database.read_now(lambda connection: connection.execute(more.where(is_it)).one())
    assert tuple(kept) == ("waiting", 0, None, NOW_MS)
    assert [one["record_id"] for one in admin.get("audit-log/", resource="call-recording")["results"]] == [
        estate.recording_id
    ]
    put(text_state="off", campaign_id=None)
    deleted = "The campaign is deleted, and nobody said that its recordings are to be written down."
    assert ask() == (409, {"detail": deleted})
    put(text_state="done", text="Call me.")
    assert ask() == (409, {"detail": "The recording is written down already."})
    alice.change(path, legal_hold=True)
    assert alice.get(path)["text"] == "Call me."
    put(legal_hold=False)
    assert alice.request("DELETE", path).status_code == 204
    assert ask() == (409, {"detail": "The recording is not stored."})
