"""Tests of the choice of the calls that are recorded, which holds from the dial to the end of a call."""

from pathlib import Path
from typing import Final

import pytest

from dialer.app.work.touched_records import touched_campaigns
from dialer.runtime.lines import switchboard
from dialer.store.tables import CallRecording, Campaign, Cdr, Gateway
from tests.runtime.house import ALL_ANSWER, House
from tests.runtime.line_house import LineHouse
from tests.runtime.other_side import FAKE

CALLEE: Final = "+12025550101"
CHANGES: Final = pytest.mark.parametrize(("before", "after", "count"), [("all", "no", 1), ("no", "all", 0)])


def change_record(house: House, campaign_id: int, record: str) -> None:
    """Change which calls of a campaign are recorded, as its page does."""
    house.perform(lambda unit: unit.note(touched_campaigns(campaign_id)))
    house.change(Campaign, campaign_id, record=record)


@CHANGES
async def test_a_change_during_a_simulated_call_does_not_concern_it(
    tmp_path: Path, before: str, after: str, count: int
) -> None:
    house = House(tmp_path)
    house.change(Gateway, house.gateway_id, parameters=ALL_ANSWER)
    survey_id = house.survey({"type": 1, "script": "one two three four five six"})
    campaign_id = await house.started(survey_id, house.phonebook(CALLEE), record=before)
    await house.advance(6)
    change_record(house, campaign_id, after)
    await house.advance(60)
    assert len(house.rows(Cdr)) == 1
    assert len(house.rows(CallRecording)) == count


@CHANGES
async def test_a_change_during_a_call_over_a_line_does_not_concern_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, before: str, after: str, count: int
) -> None:
    monkeypatch.setattr(switchboard, "SIP", FAKE)
    house = LineHouse(tmp_path)
    survey_id = house.survey({"type": 1, "audiofile_id": house.recording(9_000)})
    campaign_id = house.campaign(survey_id, house.phonebook(CALLEE))
    house.start(campaign_id)
    change_record(house, campaign_id, before)
    await house.pass_s(8)
    change_record(house, campaign_id, after)
    await house.pass_s(60)
    assert len(house.rows(Cdr)) == 1
    kept = house.rows(CallRecording)
    assert [(row["state"], row["file"] != "", row["sound_key"] is not None) for row in kept] == (
        [("waiting", True, True)] * count
    )
