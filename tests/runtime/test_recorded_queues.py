"""Tests of queues that record the calls which their agents take, whatever the campaign says."""

from pathlib import Path
from typing import Any, Final

import msgspec
import pytest
from sqlalchemy import update

from dialer.app.call_centre.recording_orders import RecordingOrder, order_recording, recording_now
from dialer.app.campaigns import line_check
from dialer.app.work.errors import ErrorCode, RefusedError
from dialer.app.work.unit import UnitOfWork
from dialer.domain.calls.call_recording import TapeState
from dialer.domain.sessions.leg_protocol import Bridge, Tape
from dialer.runtime.lines import switchboard
from dialer.store.database.service_state import read_state
from dialer.store.database.touched import EVERYTHING
from dialer.store.rows.clock_jumps import Jump, follow_jump
from dialer.store.tables import CallRecording, CallRequest, Campaign, Queue, Transfer
from tests.runtime.house import House
from tests.runtime.line_house import LineHouse
from tests.runtime.other_side import FAKE
from tests.runtime.test_consultations import HAND_OVER, begin, order
from tests.runtime.test_queues import waiting
from tests.runtime.test_second_legs import BEHAVIOUR, PATIENT_CALLER, caller, is_clean, transferring

ON_SQLITE = pytest.mark.sqlite_only("works on a file of SQLite")
pytestmark = pytest.mark.usefixtures("quiet")
TALK: Final = '{"talk": 20}'
OVER_A_LINE: Final = '{"talk": 30, "answer": 2}'


@pytest.fixture(autouse=True)
def _records(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the fake line record calls."""
    monkeypatch.setattr(switchboard, "SIP", FAKE)
    monkeypatch.setattr(line_check, "RECORDED", {FAKE})


def kept(house: House) -> list[tuple[Any, ...]]:
    """Return the agent, the queue, the length in seconds, the pauses and the refusal of each recording."""
    return [
        (row["agent_id"], row["queue_id"], row["seconds"] / 100_000, row["paused"], row["refused"])
        for row in house.rows(CallRecording)
    ]


def talks(house: House) -> list[float]:
    """Return the seconds from the answer of each agent to the end of the call."""
    ends = {row["id"]: row["ended_ms"] for row in house.rows(CallRequest)}
    return [
        (ends[row["callrequest_id"]] - row["answered_ms"]) / 1_000
        for row in house.rows(Transfer)
        if row["answered_ms"] is not None
    ]


def give_order(house: House, wanted: RecordingOrder) -> ErrorCode | None:
    """Give an order about the only call, and return the code of its refusal."""
    (call,) = house.rows(CallRequest)
    try:
        house.perform(lambda unit: order_recording(unit, call["id"], wanted))
    except RefusedError as error:
        return error.code
    return None


def now(house: House) -> TapeState | None:
    (call,) = house.rows(CallRequest)
    found = house.database.read_now(lambda connection: recording_now(connection, call["id"]))
    return None if found is None else found.state


def set_record(house: House, record: str) -> None:
    """Change which calls all queues record, as their pages do."""

    def work(unit: UnitOfWork) -> None:
        unit.connection.execute(update(Queue).values(record=record))
        unit.note(EVERYTHING)

    house.perform(work)


async def test_a_simulated_call_is_recorded_from_the_answer_of_the_agent_on(house: House) -> None:
    agent_id = house.agent(parameters=TALK)
    queue_id = house.queue(agent_id, record="all")
    await waiting(house, queue_id)
    await house.advance(4)
    assert (give_order(house, RecordingOrder.START), now(house)) == (ErrorCode.NOT_RECORDED, None)
    assert give_order(house, RecordingOrder.PAUSE) is ErrorCode.NOT_RECORDED
    await house.advance(6)
    assert now(house) is TapeState.KEEPING
    assert give_order(house, RecordingOrder.START) is None
    await house.advance(80)
    (talk_s,) = talks(house)
    assert kept(house) == [(agent_id, queue_id, talk_s, None, False)]


@pytest.mark.parametrize(("record", "count"), [("campaign", 0), ("all", 1)])
async def test_a_queue_leaves_it_to_the_campaign_unless_it_says_all(house: House, record: str, count: int) -> None:
    await waiting(house, house.queue(house.agent(parameters=TALK), record=record))
    await house.advance(90)
    assert len(kept(house)) == count


async def test_a_call_that_its_campaign_records_is_recorded_from_its_answer_on(house: House) -> None:
    await waiting(house, house.queue(house.agent(parameters=TALK), record="all"), record="all")
    await house.advance(90)
    ((*_, seconds, _paused, _refused),), (talk_s,) = kept(house), talks(house)
    assert seconds == talk_s + 3, "from the prompt before the queue on"


async def test_nothing_is_kept_of_a_call_that_no_agent_takes(house: House) -> None:
    await waiting(house, house.queue(house.agent(parameters='{"answer": 90}'), record="all", max_wait_time=10))
    await house.advance(120)
    assert (kept(house), len(house.rows(Transfer))) == ([], 1)


async def over_a_line(folder: Path) -> LineHouse:
    """Begin a call over a line that an agent of a queue which records takes at about 10 s."""
    house = LineHouse(folder, behaviour=BEHAVIOUR)
    agent_id = house.agent(contact="+12025550150", parameters=OVER_A_LINE)
    await transferring(house, PATIENT_CALLER, queue_id=house.queue(agent_id, record="all"))
    return house


def tape(house: LineHouse) -> TapeState:
    return next(iter(house.side.tapes.values()))


@ON_SQLITE
async def test_the_line_begins_when_the_agent_answers(tmp_path: Path) -> None:
    house = await over_a_line(tmp_path)
    await house.pass_s(6)
    assert tape(house) is TapeState.WAITING
    await house.pass_s(14)
    assert tape(house) is TapeState.KEEPING
    steered = [type(one) for _, one in house.side.lines[-1].orders if isinstance(one, Tape | Bridge)]
    assert steered[0] is Tape, "nothing that the agent says is lost"
    assert give_order(house, RecordingOrder.PAUSE) is None
    await house.pass_s(3)
    assert (tape(house), now(house)) == (TapeState.SILENT, TapeState.SILENT)
    assert give_order(house, RecordingOrder.RESUME) is None
    await house.pass_s(60)
    ((*_, seconds, paused, _refused),), (talk_s,) = kept(house), talks(house)
    ((from_ms, to_ms),) = msgspec.json.decode(paused)
    assert (seconds, to_ms - from_ms, is_clean(house)) == (talk_s, 3_000, True)


@ON_SQLITE
@pytest.mark.parametrize("takes_up", [False, True])
async def test_it_goes_on_after_a_restart_although_the_queue_records_no_more(tmp_path: Path, *, takes_up: bool) -> None:
    house = await over_a_line(tmp_path)
    await house.pass_s(20)
    set_record(house, "campaign")
    house.side.takes_up = takes_up
    house.restart()
    await house.pass_s(3)
    assert tape(house) is TapeState.KEEPING
    await house.pass_s(60)
    assert [row[2] for row in kept(house)] == talks(house)


@ON_SQLITE
async def test_a_queue_that_begins_to_record_does_so_from_the_next_call_on(tmp_path: Path) -> None:
    house = await over_a_line(tmp_path)
    set_record(house, "campaign")
    await house.pass_s(7)
    set_record(house, "all")
    await house.pass_s(90)
    assert (len(talks(house)), kept(house)) == (1, [])


@ON_SQLITE
async def test_whoever_refuses_at_the_notice_is_not_recorded_by_the_queue_either(tmp_path: Path) -> None:
    house = LineHouse(tmp_path, behaviour={**BEHAVIOUR, "numbers": {caller(20): {"outcome": "answer", "keys": ["9"]}}})
    agent_id = house.agent(contact="+12025550150", parameters=OVER_A_LINE)
    notice_id = house.recording(4_000)
    campaign_id = await transferring(house, caller(20), queue_id=house.queue(agent_id, record="all"))
    house.change(Campaign, campaign_id, record_notice_id=notice_id, record_refuse_key="9")
    house.restart()
    await house.pass_s(120)
    assert ([row[2:] for row in kept(house)], len(talks(house))) == ([(0, None, True)], 1)
    assert tape(house) is TapeState.REFUSED


@ON_SQLITE
async def test_a_call_that_is_handed_over_to_an_agent_of_the_queue_is_recorded_from_then_on(tmp_path: Path) -> None:
    house = LineHouse(tmp_path, behaviour=BEHAVIOUR)
    first, second = (house.agent(contact=f"+1202555015{at}", parameters=OVER_A_LINE) for at in range(2))
    await transferring(house, PATIENT_CALLER, queue_id=house.queue(first))
    house.queue(second, record="all")
    await house.pass_s(12)
    begin(house, agent_id=second)
    await house.pass_s(5)
    assert tape(house) is TapeState.WAITING
    order(house, HAND_OVER)
    await house.pass_s(1)
    assert tape(house) is TapeState.KEEPING
    await house.pass_s(180)
    ((agent_id, *_, seconds, _paused, _refused),), lengths = kept(house), talks(house)
    assert agent_id == second
    assert seconds < min(lengths), "what was said before the callee came is not in it"


@ON_SQLITE
async def test_a_jump_of_the_clock_moves_its_beginning_with_the_answer(tmp_path: Path) -> None:
    house = await over_a_line(tmp_path)
    await house.pass_s(20)
    (before,) = house.rows(Transfer)
    state = house.database.read_now(read_state)
    assert state is not None
    house.database.write_now(lambda connection: follow_jump(connection, Jump(state, house.now_ms(), 3_600_000)))
    (after,) = house.rows(Transfer)
    for name in ("answered_ms", "recorded_ms"):
        assert after[name] == before[name] + 3_600_000
