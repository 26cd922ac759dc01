"""What callees say onto recordings: files beside the rows that name them."""

import wave
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from dialer.domain.enums import CampaignStatus
from dialer.store.database import StorageUnavailableError
from dialer.store.tables import Cdr, Gateway, SurveyResult, Transfer
from tests.runtime.house import ALL_ANSWER, House

CALLER: Final = "+33199001234"
RECORD: Final[dict[str, Any]] = {"type": 5, "script": "one two three four five"}
"""2 s of prompt: the recording begins 7 s after the dial."""


@pytest.fixture
def studio(tmp_path: Path) -> Iterator[House]:
    """A house in which everybody answers, and recordings are kept."""
    house = House(tmp_path, keeps_recordings=True)
    house.change(Gateway, house.gateway_id, parameters=ALL_ANSWER)
    yield house
    house.database.close()


async def recording(house: House) -> int:
    """A campaign that has just dialled its one subscriber."""
    return await house.started(house.survey(RECORD), house.phonebook(CALLER))


def seconds_on_disk(house: House) -> dict[str, float]:
    """The length of each file."""
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
async def test_of_a_call_that_is_aborted_there_is_what_was_said_until_then(studio: House, *, restarts: bool) -> None:
    """Two seconds and a quarter; of the duration a started second counts."""
    campaign_id = await recording(studio)
    await studio.advance(9.25)
    if restarts:
        studio.restart()
    await studio.move(campaign_id, CampaignStatus.ABORD)
    (result,) = studio.rows(SurveyResult)
    assert result["recording_duration"] == 3
    assert seconds_on_disk(studio) == {result["record_file"]: 2.25}


async def test_who_hung_up_before_the_tone_has_said_nothing(studio: House) -> None:
    campaign_id = await recording(studio)
    await studio.advance(6)
    await studio.move(campaign_id, CampaignStatus.ABORD)
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
