"""Tests of pauses of recordings: what the line is told, what a restart keeps, and what the record says."""

from pathlib import Path
from typing import Any, Final

import msgspec
import pytest

from dialer.app.call_centre.recording_orders import RecordingOrder, order_recording
from dialer.app.campaigns import line_check
from dialer.app.work.errors import ErrorCode, RefusedError
from dialer.domain.calls.call_recording import PAUSES_MAX, TapeState
from dialer.domain.sessions.leg_protocol import Tape
from dialer.runtime.lines import switchboard
from dialer.store.tables import CallRecording, CallRequest, Campaign, Gateway, SectionTemplate
from tests.runtime.house import ALL_ANSWER, House
from tests.runtime.line_house import LineHouse
from tests.runtime.other_side import FAKE
from tests.vopr.faults import Fault

CALLEE: Final = "+12025550101"
KEEPING, SILENT, WAITING = TapeState.KEEPING, TapeState.SILENT, TapeState.WAITING
ANSWERS: Final = dict.fromkeys(("busy", "rejected", "invalid", "congestion", "machine"), 0)
BEHAVIOUR: Final[dict[str, object]] = {**ANSWERS, "answer": 1, "listen": 1, "ring": [2, 2]}


@pytest.fixture
def house(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> LineHouse:
    """Return a house whose line records calls."""
    monkeypatch.setattr(switchboard, "SIP", FAKE)
    monkeypatch.setattr(line_check, "RECORDED", {FAKE})
    return LineHouse(tmp_path, behaviour=BEHAVIOUR)


def begin(house: LineHouse, *sections: dict[str, Any], record: str = "all") -> None:
    """Start a campaign that calls one person."""
    onward: dict[int, dict[str, int | None]] = {
        at: dict.fromkeys(("0", "any", "timeout", "invalid"), at + 1) for at in range(len(sections) - 1)
    }
    survey_id = house.survey(*sections, branches=onward)
    campaign_id = house.campaign(survey_id, house.phonebook(CALLEE))
    house.change(Campaign, campaign_id, record=record)
    house.start(campaign_id)


def long_message(house: LineHouse) -> dict[str, Any]:
    return {"type": 1, "audiofile_id": house.recording(40_000)}


def order(house: House, wanted: RecordingOrder) -> None:
    call_id = house.rows(CallRequest)[0]["id"]
    house.perform(lambda unit: order_recording(unit, call_id, wanted))


def tape(house: LineHouse) -> TapeState:
    return next(iter(house.side.tapes.values()))


def paused(house: House) -> list[list[float]]:
    """Return the pauses of the only recording, in seconds."""
    (kept,) = house.rows(CallRecording)
    return [[at_ms / 1_000 for at_ms in span] for span in msgspec.json.decode(kept["paused"] or "[]")]


async def test_an_order_reaches_the_line_and_is_in_the_record(house: LineHouse) -> None:
    begin(house, long_message(house))
    await house.pass_s(8)
    assert tape(house) is KEEPING
    order(house, RecordingOrder.PAUSE)
    order(house, RecordingOrder.PAUSE)
    await house.pass_s(6)
    assert tape(house) is SILENT
    order(house, RecordingOrder.RESUME)
    order(house, RecordingOrder.RESUME)
    await house.pass_s(60)
    assert tape(house) is KEEPING
    (span,) = paused(house)
    assert span[1] - span[0] == 6


async def test_sections_ask_for_silence_from_their_first_sound_to_that_of_the_next(house: LineHouse) -> None:
    begin(
        house,
        {"type": 1, "audiofile_id": house.recording(5_000)},
        {"type": 4, "audiofile_id": house.recording(5_000), "timeout": 3},
        {"type": 1, "audiofile_id": house.recording(5_000)},
    )
    await house.pass_s(60)
    given = [one for _, one in house.side.lines[-1].orders]
    states = [one.state for one in given if isinstance(one, Tape)]
    kinds = [type(one).__name__ for one in given]
    assert (states, kinds[:5]) == ([SILENT, KEEPING], ["Play", "Tape", "Ask", "Tape", "Play"])
    (span,) = paused(house)
    assert span[0] == 5
    assert span[1] > 10


async def test_a_section_whose_sound_is_wanted_is_kept(house: LineHouse) -> None:
    begin(house, {"type": 4, "audiofile_id": house.recording(5_000), "record_pause": False})
    await house.pass_s(60)
    assert paused(house) == []


async def test_sound_is_kept_only_while_neither_a_section_nor_an_order_wants_silence(house: LineHouse) -> None:
    begin(
        house,
        {"type": 4, "audiofile_id": house.recording(8_000), "timeout": 3},
        {"type": 1, "audiofile_id": house.recording(12_000)},
    )
    await house.pass_s(5)
    assert tape(house) is SILENT
    order(house, RecordingOrder.PAUSE)
    order(house, RecordingOrder.RESUME)
    await house.pass_s(1)
    assert tape(house) is SILENT
    order(house, RecordingOrder.PAUSE)
    await house.pass_s(12)
    assert tape(house) is SILENT
    order(house, RecordingOrder.RESUME)
    await house.pass_s(1)
    assert tape(house) is KEEPING
    await house.pass_s(60)
    assert len(paused(house)) == 1


@pytest.mark.parametrize("takes_up", [False, True])
async def test_a_pause_holds_over_a_restart_of_either_process(house: LineHouse, *, takes_up: bool) -> None:
    begin(house, long_message(house))
    await house.pass_s(8)
    order(house, RecordingOrder.PAUSE)
    await house.pass_s(1)
    house.side.takes_up = takes_up
    seen: list[TapeState] = []
    house.restart()
    for _ in range(20):
        await house.pass_s(0.1)
        seen.append(tape(house))
    assert set(seen) == {SILENT}
    order(house, RecordingOrder.RESUME)
    await house.pass_s(1)
    assert tape(house) is KEEPING


@pytest.mark.parametrize("faults", [[Fault.CRASH_BEFORE], [Fault.CRASH_AFTER]])
async def test_an_order_whose_step_crashes_is_followed_after_it(house: LineHouse, faults: list[Fault]) -> None:
    begin(house, long_message(house))
    await house.pass_s(8)
    order(house, RecordingOrder.PAUSE)
    await house.crash(*faults)
    await house.pass_s(1)
    assert tape(house) is SILENT
    order(house, RecordingOrder.RESUME)
    await house.crash(*faults)
    await house.pass_s(1)
    assert tape(house) is KEEPING


async def test_on_demand_the_recording_begins_when_somebody_wants_it(house: LineHouse) -> None:
    begin(house, long_message(house), record="on_demand")
    await house.pass_s(8)
    assert tape(house) is WAITING
    with pytest.raises(RefusedError) as refused:
        order(house, RecordingOrder.PAUSE)
    assert refused.value.code is ErrorCode.NOT_RECORDED
    house.restart()
    await house.pass_s(4)
    order(house, RecordingOrder.START)
    order(house, RecordingOrder.START)
    await house.pass_s(2)
    assert tape(house) is KEEPING
    order(house, RecordingOrder.PAUSE)
    await house.pass_s(60)
    (kept,) = house.rows(CallRecording)
    (call,) = house.rows(CallRequest)
    assert kept["start_date"] - call["started_ms"] == 12_000
    assert kept["seconds"] / 100 == call["ended_ms"] - kept["start_date"]
    assert paused(house) == [[2, (call["ended_ms"] - kept["start_date"]) / 1_000]]


async def test_on_demand_a_call_that_nobody_wants_has_no_record(house: LineHouse) -> None:
    begin(house, long_message(house), record="on_demand")
    await house.pass_s(60)
    assert house.rows(CallRecording) == []
    with pytest.raises(RefusedError):
        order(house, RecordingOrder.START)


async def test_a_call_that_is_not_recorded_takes_no_order(house: LineHouse) -> None:
    begin(house, long_message(house), record="no")
    await house.pass_s(8)
    for wanted in RecordingOrder:
        with pytest.raises(RefusedError) as refused:
            order(house, wanted)
        assert refused.value.code is ErrorCode.NOT_RECORDED


async def test_after_too_many_pauses_the_rest_is_silent(house: LineHouse) -> None:
    begin(house, long_message(house))
    await house.pass_s(8)
    for _ in range(PAUSES_MAX - 1):
        order(house, RecordingOrder.PAUSE)
        await house.pass_s(0.01)
        order(house, RecordingOrder.RESUME)
        await house.pass_s(0.01)
    order(house, RecordingOrder.PAUSE)
    await house.pass_s(0.01)
    with pytest.raises(RefusedError) as refused:
        order(house, RecordingOrder.RESUME)
    assert refused.value.code is ErrorCode.LIMIT_REACHED
    await house.pass_s(1)
    assert tape(house) is SILENT


async def test_pauses_of_simulated_calls_are_in_their_records(tmp_path: Path) -> None:
    house = House(tmp_path)
    house.change(Gateway, house.gateway_id, parameters=ALL_ANSWER)
    survey_id = house.survey({"type": 1, "script": "one two three four five six " * 20})
    await house.started(survey_id, house.phonebook(CALLEE), record="all")
    await house.advance(6)
    order(house, RecordingOrder.PAUSE)
    await house.advance(5)
    order(house, RecordingOrder.RESUME)
    await house.advance(120)
    (span,) = paused(house)
    assert span[1] - span[0] == 5


@pytest.mark.parametrize("is_wanted", [True, False])
async def test_a_simulated_call_is_recorded_from_the_moment_at_which_somebody_wants_it(
    tmp_path: Path, *, is_wanted: bool
) -> None:
    house = House(tmp_path)
    house.change(Gateway, house.gateway_id, parameters=ALL_ANSWER)
    survey_id = house.survey({"type": 1, "script": "one two three four five six " * 20})
    await house.started(survey_id, house.phonebook(CALLEE), record="on_demand")
    await house.advance(6)
    ordered_ms = house.now_ms()
    if is_wanted:
        order(house, RecordingOrder.START)
    await house.advance(120)
    found = [(row["start_date"], row["state"]) for row in house.rows(CallRecording)]
    assert found == ([(ordered_ms, "waiting")] if is_wanted else [])


def test_sections_of_digits_ask_for_silence_unless_their_author_says_otherwise(house: LineHouse) -> None:
    house.survey({"type": 4, "script": "a"}, {"type": 4, "script": "b", "record_pause": False})
    assert [row["record_pause"] for row in house.rows(SectionTemplate)] == [None, False]
