"""Tests of the rows of recordings that begin and end, on either database."""

from typing import Any, Final

import pytest

from dialer.domain.formats.sealed_sound import HEADER_BYTES
from dialer.store.journal.begun_recordings import end_untold, note_begun, note_refused, write_recordings
from dialer.store.journal.call_recordings import RecordingRow
from tests.runtime.recordings_archive import NOW_MS, Archive

BEGUN: Final = RecordingRow(
    user_id=1,
    callid="a",
    callrequest_id=None,  # type: ignore[arg-type] # there is no call
    campaign_id=None,  # type: ignore[arg-type] # nor a campaign
    agent_id=None,
    queue_id=None,
    phone_number="+12025550100",
    start_date=NOW_MS,
    seconds=0,
    size=0,
    paused=None,
    refused=False,
    removed_ms=None,
    file="1.call",
    sound_key="sealed",
    state="in_progress",
    kept_until_ms=None,
)
LATER_MS: Final = NOW_MS + 2**33
OVER: Final = BEGUN._replace(seconds=100_000, size=HEADER_BYTES, state="waiting", kept_until_ms=LATER_MS)


@pytest.mark.parametrize(("erased", "kept_until"), [({}, LATER_MS), ({"kept_until_ms": 0}, 0)])
def test_the_end_of_a_call_finishes_its_row(archive: Archive, erased: dict[str, Any], kept_until: int) -> None:
    archive.write(lambda connection: note_begun(connection, [BEGUN]))
    archive.write(lambda connection: note_begun(connection, [BEGUN]))
    archive.change(1, **{"legal_hold": True, **erased})
    other = OVER._replace(callid="b", file="")
    archive.write(lambda connection: write_recordings(connection, [OVER, other]))
    query = "SELECT callid, state, seconds, legal_hold, kept_until_ms FROM call_recording ORDER BY id"
    found = archive.database.read_now(lambda connection: connection.exec_driver_sql(query).all())
    assert [tuple(row) for row in found] == [
        ("a", "waiting", 100_000, True, kept_until),
        ("b", "waiting", 100_000, False, LATER_MS),
    ]


def test_a_refusal_or_a_call_that_is_given_up_ends_it(archive: Archive) -> None:
    archive.write(lambda connection: note_begun(connection, [BEGUN, BEGUN._replace(callid="b")]))
    archive.write(lambda connection: note_refused(connection, ["a"], NOW_MS))
    archive.write(lambda connection: end_untold(connection, ["a", "b"]))
    assert [row[1] for row in archive.rows()] == ["removed", "waiting"]
