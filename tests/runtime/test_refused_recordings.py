"""Tests of notices of recordings: callees are told before all else, and of a call that one refuses nothing is kept."""

from functools import partial
from pathlib import Path
from typing import Any, Final

import pytest

from dialer.app.call_centre.recording_orders import RecordingOrder, order_recording
from dialer.app.campaigns import line_check
from dialer.app.work.errors import RefusedError
from dialer.domain.calls.call_recording import TapeState
from dialer.domain.sessions.leg_protocol import Ask, Done, Play, Tape
from dialer.runtime.lines import switchboard
from dialer.store.tables import CallRecording, CallRequest, Campaign, Gateway, SurveyResult
from tests.runtime.house import ALL_ANSWER, House
from tests.runtime.line_house import LineHouse
from tests.runtime.other_side import FAKE

CALLEE: Final = "+12025550101"
ANSWERS: Final = dict.fromkeys(("busy", "rejected", "invalid", "congestion", "machine"), 0)
BEHAVIOUR: Final[dict[str, object]] = {**ANSWERS, "answer": 1, "listen": 1, "ring": [2, 2]}
REFUSED: Final = TapeState.REFUSED


@pytest.fixture(autouse=True)
def _records(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the fake line record calls."""
    monkeypatch.setattr(switchboard, "SIP", FAKE)
    monkeypatch.setattr(line_check, "RECORDED", {FAKE})


def begin(folder: Path, *keys: str, **settings: object) -> LineHouse:
    """Start a campaign with a notice of 4 s and a message of 20 s, whose only callee presses keys after prompts."""
    house = LineHouse(folder, behaviour={**BEHAVIOUR, "numbers": {CALLEE: {"keys": list(keys), "key_delay": 1}}})
    survey_id = house.survey({"type": 1, "audiofile_id": house.recording(20_000)})
    campaign_id = house.campaign(survey_id, house.phonebook(CALLEE))
    notice = {"record": "all", "record_notice_id": house.recording(4_000), "record_refuse_key": "9"}
    house.change(Campaign, campaign_id, **{**notice, **settings})
    house.start(campaign_id)
    return house


def given(house: LineHouse) -> list[Any]:
    """Return the files of the prompts of the line, and the states of its recording, in their order."""
    orders = [one for _, one in house.side.lines[-1].orders]
    return [
        one.state if isinstance(one, Tape) else [speech.file for speech in one.speeches]
        for one in orders
        if isinstance(one, Tape | Ask | Play)
    ]


def kept(house: House) -> list[tuple[Any, ...]]:
    names = ("state", "refused", "seconds", "size", "sound_key", "paused")
    return [tuple(row[name] for name in names) for row in house.rows(CallRecording)]


NOTHING: Final = ("removed", True, 0, 0, None, None)


async def test_whoever_refuses_hears_the_survey_and_nothing_of_the_call_is_kept(tmp_path: Path) -> None:
    house = begin(tmp_path, "9")
    await house.pass_s(60)
    assert given(house) == [["4000-ms.wav"], REFUSED, ["20000-ms.wav"]]
    assert kept(house) == [NOTHING]
    assert house.rows(SurveyResult) == []


@pytest.mark.parametrize("key", ["", "9"])
async def test_whoever_does_not_refuse_is_recorded_from_the_answer_on(tmp_path: Path, key: str) -> None:
    house = begin(tmp_path, record_refuse_key=key)
    await house.pass_s(60)
    assert given(house) == [["4000-ms.wav"], ["20000-ms.wav"]]
    assert [row[:3] for row in kept(house)] == [("waiting", False, (26 if key else 24) * 100_000)]


async def test_other_keys_begin_the_notice_again_and_the_survey_after_the_third_time(tmp_path: Path) -> None:
    house = begin(tmp_path, "1", "2", "3")
    await house.pass_s(60)
    assert given(house) == [["4000-ms.wav"]] * 3 + [["20000-ms.wav"]]
    assert [row[:2] for row in kept(house)] == [("waiting", False)]


@pytest.mark.parametrize("refuse_key", ["", "9"])
async def test_nothing_is_kept_of_a_call_whose_notice_could_not_be_played(tmp_path: Path, refuse_key: str) -> None:
    house = begin(tmp_path, record_refuse_key=refuse_key)
    await house.pass_s(4)
    line = house.side.lines[-1]
    ((key, order),) = ((key, one) for key, one in line.orders if isinstance(one, Ask | Play))
    line.hear(key, Done(order.turn, 0, is_unheard=True))
    await house.pass_s(60)
    assert given(house) == [["4000-ms.wav"], REFUSED, ["20000-ms.wav"]]
    assert kept(house) == [NOTHING]


async def test_nothing_is_kept_of_a_call_whose_notice_is_empty_for_its_callee(tmp_path: Path) -> None:
    house = begin(tmp_path, record_notice_id=None, record_notice_script="{full_name}")
    house.change(Campaign, house.rows(Campaign)[0]["id"], record_notice_script="{email}")
    await house.pass_s(60)
    assert given(house) == [REFUSED, ["20000-ms.wav"]]
    assert kept(house) == [NOTHING]


async def test_a_section_that_could_not_be_played_refuses_nothing(tmp_path: Path) -> None:
    house = begin(tmp_path, record_notice_id=None)
    await house.pass_s(4)
    line = house.side.lines[-1]
    ((key, order),) = ((key, one) for key, one in line.orders if isinstance(one, Play))
    line.hear(key, Done(order.turn, 0, is_unheard=True))
    await house.pass_s(60)
    assert [row[:2] for row in kept(house)] == [("waiting", False)]


@pytest.mark.parametrize("settings", [{"record": "no"}, {"record_notice_id": None}])
async def test_nobody_is_told_of_what_is_not_recorded(tmp_path: Path, settings: dict[str, object]) -> None:
    house = begin(tmp_path, **settings)
    await house.pass_s(60)
    assert given(house) == [["20000-ms.wav"]]


async def test_a_notice_is_spoken_with_the_name_of_the_callee(tmp_path: Path) -> None:
    house = begin(tmp_path, record_notice_id=None, record_notice_script="{full_name} is recorded.")
    await house.pass_s(10)
    (order,) = (one for _, one in house.side.lines[-1].orders if isinstance(one, Ask))
    assert [speech.text.endswith("is recorded.") and "{" not in speech.text for speech in order.speeches] == [True]


@pytest.mark.parametrize("takes_up", [False, True])
async def test_a_refusal_holds_over_a_restart_of_either_process(tmp_path: Path, *, takes_up: bool) -> None:
    house = begin(tmp_path, "9")
    await house.pass_s(12)
    house.side.takes_up = takes_up
    house.restart()
    for _ in range(10):
        await house.pass_s(0.1)
        assert set(house.side.tapes.values()) == {REFUSED}
    await house.pass_s(60)
    assert kept(house) == [NOTHING]


async def test_a_restart_within_the_notice_begins_it_again(tmp_path: Path) -> None:
    house = begin(tmp_path)
    await house.pass_s(4)
    house.restart()
    await house.pass_s(60)
    prompts = [one for one in given(house) if isinstance(one, list)]
    assert prompts == [["4000-ms.wav"], ["20000-ms.wav"]]


@pytest.mark.parametrize("record", ["all", "on_demand"])
async def test_nobody_records_a_call_whose_callee_has_refused(tmp_path: Path, record: str) -> None:
    house = begin(tmp_path, "9", record=record)
    await house.pass_s(14)
    call_id = house.rows(CallRequest)[0]["id"]
    for wanted in RecordingOrder:
        with pytest.raises(RefusedError, match="has refused"):
            house.perform(partial(order_recording, callrequest_id=call_id, order=wanted))
    await house.pass_s(60)
    assert kept(house) == [NOTHING]


async def test_a_simulated_callee_hears_the_notice_and_refuses_never(tmp_path: Path) -> None:
    house = House(tmp_path)
    house.change(Gateway, house.gateway_id, parameters=ALL_ANSWER)
    survey_id = house.survey({"type": 1, "script": "one two three"})
    lengths = []
    for settings in ({}, {"record_notice_script": "four five six", "record_refuse_key": "9"}):
        await house.started(survey_id, house.phonebook(CALLEE), record="all", **settings)
        await house.advance(60)
        lengths.append(house.rows(CallRecording)[-1]["seconds"])
    assert lengths[1] - lengths[0] > 200_000
