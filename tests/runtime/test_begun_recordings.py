"""Tests of recordings while their calls go on: they are rows at once, and the same rows when the calls are over."""

from functools import partial
from pathlib import Path
from typing import Any, Final

import pytest
from sqlalchemy import update

from dialer.app.call_centre.recording_orders import RecordingOrder, order_recording
from dialer.app.campaigns import line_check
from dialer.runtime.lines import switchboard
from dialer.store.database.touched import NOTHING
from dialer.store.journal.begun_recordings import end_forgotten
from dialer.store.rows.call_recordings import erase_recordings, remove_recordings
from dialer.store.tables import CallRecording, CallRequest, Campaign
from tests.runtime.house import House
from tests.runtime.line_house import LineHouse
from tests.runtime.other_side import FAKE

CALLEE: Final = "+12025550101"
ANSWERS: Final = dict.fromkeys(("busy", "rejected", "invalid", "congestion", "machine"), 0)
BEHAVIOUR: Final[dict[str, object]] = {**ANSWERS, "answer": 1, "listen": 1, "ring": [2, 2]}


@pytest.fixture(autouse=True)
def _records(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the fake line record calls."""
    monkeypatch.setattr(switchboard, "SIP", FAKE)
    monkeypatch.setattr(line_check, "RECORDED", {FAKE})


def begin(folder: Path, *keys: str, record: str = "all", **settings: object) -> LineHouse:
    """Start a campaign with a message of 20 s, whose only callee answers after 2 s or 3 s."""
    house = LineHouse(folder, behaviour={**BEHAVIOUR, "numbers": {CALLEE: {"keys": list(keys), "key_delay": 1}}})
    survey_id = house.survey({"type": 1, "audiofile_id": house.recording(20_000)})
    campaign_id = house.campaign(survey_id, house.phonebook(CALLEE))
    if "record_refuse_key" in settings:
        settings["record_notice_id"] = house.recording(4_000)
    house.change(Campaign, campaign_id, record=record, **settings)
    house.start(campaign_id)
    return house


def kept(house: House) -> list[tuple[Any, ...]]:
    """Return the id, the state, and whether there are a file and a key, of each recording."""
    return [
        (row["id"], row["state"], row["file"] != "", row["sound_key"] is not None) for row in house.rows(CallRecording)
    ]


GOES_ON: Final = [(1, "in_progress", True, True)]
OVER: Final = [(1, "waiting", True, True)]


async def test_a_recording_is_a_row_from_the_answer_on_and_stays_the_same_one(tmp_path: Path) -> None:
    house = begin(tmp_path)
    await house.pass_s(1)
    assert kept(house) == []
    await house.pass_s(9)
    assert kept(house) == GOES_ON
    (row,) = house.rows(CallRecording)
    assert (row["seconds"], row["phone_number"], row["callrequest_id"]) == (0, CALLEE, 1)
    house.change(CallRecording, 1, legal_hold=True)
    await house.pass_s(60)
    assert kept(house) == OVER
    (after,) = house.rows(CallRecording)
    assert (after["start_date"], after["file"], after["legal_hold"]) == (row["start_date"], row["file"], True)
    assert after["seconds"] > 0


async def test_one_on_demand_is_a_row_from_its_beginning_on(tmp_path: Path) -> None:
    house = begin(tmp_path, record="on_demand")
    await house.pass_s(8)
    assert kept(house) == []
    house.perform(partial(order_recording, callrequest_id=1, order=RecordingOrder.START))
    await house.pass_s(1)
    assert kept(house) == GOES_ON
    await house.pass_s(60)
    assert kept(house) == OVER


async def test_another_process_writes_no_second_row(tmp_path: Path) -> None:
    house = begin(tmp_path)
    await house.pass_s(8)
    for takes_up in (True, False):
        house.side.takes_up = takes_up
        house.restart()
        await house.pass_s(2)
        assert kept(house) == GOES_ON
    await house.pass_s(90)
    assert kept(house) == OVER


async def test_a_refusal_deletes_the_key_while_the_call_goes_on(tmp_path: Path) -> None:
    house = begin(tmp_path, "9", record_refuse_key="9")
    await house.pass_s(5)
    assert kept(house) == GOES_ON
    await house.pass_s(6)
    assert [row[1:] for row in kept(house)] == [("removed", True, False)]
    (row,) = house.rows(CallRecording)
    assert row["refused"]
    await house.pass_s(60)
    assert [row[:2] for row in kept(house)] == [(1, "removed")]


async def test_an_erasure_during_the_call_holds_once_it_is_over(tmp_path: Path) -> None:
    house = begin(tmp_path, record_days=7)
    await house.pass_s(8)

    def erase(unit: Any) -> None:  # noqa: ANN401 - a unit of work
        erase_recordings(unit.connection, CallRecording.id == 1, unit.now_ms)
        remove_recordings(unit.connection, CallRecording.id == 1, unit.now_ms)
        unit.note(NOTHING)

    house.perform(erase)
    assert kept(house) == GOES_ON
    await house.pass_s(60)
    assert kept(house) == OVER
    (row,) = house.rows(CallRecording)
    assert row["kept_until_ms"] == 0, "it is removed at the next look"


async def test_a_recording_whose_call_is_forgotten_ends_after_a_day(tmp_path: Path) -> None:
    house = begin(tmp_path)
    await house.pass_s(8)
    (row,) = house.rows(CallRecording)

    def end(unit: Any) -> int:  # noqa: ANN401 - a unit of work
        unit.note(NOTHING)
        return end_forgotten(unit.connection, row["start_date"] + 1)

    assert (house.perform(end), kept(house)) == (0, GOES_ON)

    def forget(unit: Any) -> None:  # noqa: ANN401 - a unit of work
        unit.note(NOTHING)
        unit.connection.execute(update(CallRequest).values(status=2))

    house.perform(forget)
    assert (house.perform(end), kept(house)) == (1, OVER)
