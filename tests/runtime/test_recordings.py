"""Tests of callees' recordings: files, and the rows that name them."""

import wave
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from dialer.domain.words.enums import CampaignStatus
from dialer.store.database.database import StorageUnavailableError
from dialer.store.tables import Cdr, Gateway, SurveyResult, Transfer
from tests.runtime.house import ALL_ANSWER, House

CALLER: Final = "+33199001234"
RECORD: Final[dict[str, Any]] = {"type": 5, "script": "one two three four five"}
"""A section whose recording begins 7 s after the dial."""


@pytest.fixture
def studio(tmp_path: Path) -> Iterator[House]:
    """Return a service whose callees all answer, and which stores recordings."""
    house = House(tmp_path, keeps_recordings=True)
    house.change(Gateway, house.gateway_id, parameters=ALL_ANSWER)
    yield house
    house.database.close()


async def recording(house: House) -> int:
    """Start a campaign that has just dialled its only subscriber."""
    return await house.started(house.survey(RECORD), house.phonebook(CALLER))


def seconds_on_disk(house: House) -> dict[str, float]:
    """Return the length of each file."""
    found = {}
    for path in house.media.iterdir():
        with wave.open(str(path)) as file:
            found[path.name] = file.getnframes() / file.getframerate()
    return found


async def test_a_recording_is_a_file_and_a_row(studio: House) -> None:
    await recording(studio)
    await studio.advance(60)
    (cdr,) = studio.rows(Cdr)
    (result,) = studio.rows(SurveyResult)
    name = f"{cdr['callid']}-1.wav"
    shown = [result[column] for column in ("section_id", "section_type", "response", "record_file")]
    assert shown == [1, 5, name, name]
    assert (cdr["billsec"], result["recording_duration"]) == (12, 10)
    assert seconds_on_disk(studio) == {name: 10.0}


@pytest.mark.parametrize("restarts", [False, True])
async def test_an_aborted_call_keeps_its_recording_so_far(studio: House, *, restarts: bool) -> None:
    """The recording lasts 2.25 s. Its stored duration is rounded up."""
    campaign_id = await recording(studio)
    await studio.advance(9.25)
    if restarts:
        studio.restart()
    await studio.move(campaign_id, CampaignStatus.ABORT)
    (result,) = studio.rows(SurveyResult)
    assert result["recording_duration"] == 3
    assert seconds_on_disk(studio) == {result["record_file"]: 2.25}


async def test_a_callee_who_hangs_up_before_the_tone_has_no_recording(studio: House) -> None:
    campaign_id = await recording(studio)
    await studio.advance(6)
    await studio.move(campaign_id, CampaignStatus.ABORT)
    assert studio.rows(SurveyResult) == []
    assert not studio.media.exists()


async def test_a_folder_that_cannot_be_written_holds_the_call_up_and_loses_nothing(studio: House) -> None:
    await recording(studio)
    studio.media.write_text("a file where the folder should be")
    with pytest.raises(StorageUnavailableError):
        await studio.advance(60)
    assert studio.worker.problem() == "storage"
    assert studio.rows(Cdr) == studio.rows(SurveyResult) == studio.rows(Transfer) == []
    studio.media.unlink()
    await studio.advance(60)
    assert studio.worker.problem() is None
    assert [row["billsec"] for row in studio.rows(Cdr)] == [12]
    assert list(seconds_on_disk(studio).values()) == [10.0]


async def test_a_worker_without_a_folder_keeps_the_row(sociable: House) -> None:
    await recording(sociable)
    await sociable.advance(60)
    assert [row["recording_duration"] for row in sociable.rows(SurveyResult)] == [10]
    assert not sociable.media.exists()
