"""Tests of downloads of callees' recordings."""

import re
from pathlib import Path

import pytest
from sqlalchemy import update

from dialer.store.database.database import Database
from dialer.store.media.recordings import PIECE_BYTES
from dialer.store.tables import SurveyResult
from tests.api.builders import Estate
from tests.api.harness import Caller

pytestmark = pytest.mark.usefixtures("folder")

NAME = "5f0c1d9e-8f3b-5a41-9a58-0c6f6f3f8f11-7.wav"
MISSING = (404, {"detail": "Not found."})


@pytest.fixture
def path(estate: Estate, database: Database) -> str:
    """Return the path of a survey result with a recording."""
    columns = {"record_file": NAME, "recording_duration": 7, "section_type": 5, "response": NAME}
    statement = update(SurveyResult).values(**columns)
    database.write_now(lambda connection: connection.execute(statement))
    return f"survey-result/{estate.result_id}/"


def test_an_answer_names_its_recording_and_how_long_it_is(alice: Caller, path: str) -> None:
    record = alice.get(path)
    assert (record["record_file"], record["recording_duration"]) == (NAME, 7)


@pytest.mark.parametrize("size", [0, 1, PIECE_BYTES, 2 * PIECE_BYTES + 1])
@pytest.mark.parametrize("end", ["recording/", "recording"])
def test_a_recording_comes_as_it_was_made(alice: Caller, path: str, folder: Path, size: int, end: str) -> None:
    content = bytes(index % 251 for index in range(size))
    (folder / NAME).write_bytes(content)
    answer = alice.request("GET", f"{path}{end}")
    assert (answer.status_code, answer.headers["content-type"]) == (200, "audio/wav")
    offered = answer.headers["content-disposition"]
    assert re.fullmatch(r'attachment; filename="1202555\d+ - .* - 2026-11-18 - \d+\.wav"', offered)
    assert answer.content == content


def test_only_the_owner_and_admins_hear_a_recording(
    admin: Caller, alice: Caller, bob: Caller, path: str, folder: Path
) -> None:
    (folder / NAME).write_bytes(b"sound")
    assert admin.request("GET", f"{path}recording/").content == b"sound"
    assert bob.refused("GET", f"{path}recording/") == MISSING
    assert alice.refused("GET", "survey-result/x/recording/") == MISSING
    assert admin.client.get(f"/rest-api/{path}recording/").status_code == 401


def test_an_answer_without_a_recording_or_whose_file_has_gone_has_none(
    alice: Caller, estate: Estate, database: Database, path: str
) -> None:
    assert alice.refused("GET", f"{path}recording/") == MISSING
    statement = update(SurveyResult).values(record_file="")
    database.write_now(lambda connection: connection.execute(statement))
    assert alice.refused("GET", f"survey-result/{estate.result_id}/recording/") == MISSING
