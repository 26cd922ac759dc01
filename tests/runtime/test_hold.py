"""Tests of callees whom agents put on hold, over simulated gateways and over lines."""

from functools import partial
from pathlib import Path

import pytest
from sqlalchemy import delete

from dialer.app.call_centre.live_calls import hang_up_call, hold_call, resume_call
from dialer.app.work.errors import RefusedError
from dialer.app.work.unit import UnitOfWork
from dialer.domain.sessions.leg_protocol import Bridge, Hold, Order
from dialer.store.database.touched import Touched
from dialer.store.reconciliation.reconcile import audit
from dialer.store.tables import Agent, AudioFile, CallRequest, Cdr, Transfer
from tests.runtime.house import House
from tests.runtime.line_house import LineHouse
from tests.runtime.test_queues import waiting
from tests.runtime.test_second_legs import BEHAVIOUR, PATIENT_CALLER, caller, cdrs, is_clean, transferring

ON_SQLITE = pytest.mark.sqlite_only("works on a file of SQLite")
LONG = '{"talk": 60, "answer": 2}'


def hold(house: House) -> None:
    """Put the callee of the only call on hold."""
    (call,) = house.rows(CallRequest)
    house.perform(partial(hold_call, callrequest_id=call["id"]))


def resume(house: House) -> None:
    """Resume the only call."""
    (call,) = house.rows(CallRequest)
    house.perform(partial(resume_call, callrequest_id=call["id"]))


def on_hold(house: House) -> tuple[bool, int]:
    """Return whether the callee waits now, and the seconds of the holds before."""
    (transfer,) = house.rows(Transfer)
    return transfer["on_hold_from_ms"] is not None, round(transfer["on_hold_ms"] / 1_000)


def steered(house: LineHouse) -> list[list[Order]]:
    """Return the orders to both legs that part or connect them, without their turns, in the order of the legs."""
    orders: dict[str, list[Order]] = {}
    for line in house.side.lines:
        for key, order in line.orders:
            if isinstance(order, Hold):
                orders.setdefault(key, []).append(Hold(0, order.is_silent))
            elif isinstance(order, Bridge):
                orders.setdefault(key, []).append(Bridge(0, ""))
    return list(orders.values())


def music(house: LineHouse) -> list[str]:
    """Return the music of each order to wait with some sound."""
    orders = [order for line in house.side.lines for _, order in line.orders]
    return [order.file for order in orders if isinstance(order, Hold) and not order.is_silent]


async def talking(house: House, talk_s: int = 60) -> int:
    """Let an agent take a simulated call at 9 s, and return the agent at 20 s."""
    agent_id = house.agent(parameters=f'{{"talk": {talk_s}, "answer": 2}}', contact="+33199000001")
    await waiting(house, house.queue(agent_id), callmaxduration=2 * talk_s)
    await house.advance(20)
    return agent_id


async def talking_over_a_line(folder: Path, number: str = PATIENT_CALLER) -> LineHouse:
    """Let an agent talk over a line, with somebody who is as patient as one can be."""
    house = LineHouse(folder, behaviour=BEHAVIOUR)
    agent_id = house.agent(contact="+12025550150", parameters=LONG)
    await transferring(house, number, queue_id=house.queue(agent_id))
    await house.pass_s(12)
    return house


async def test_a_hold_changes_neither_the_length_of_a_simulated_call_nor_its_charge(house: House) -> None:
    await talking(house)
    with pytest.raises(RefusedError, match="No agent talks in the call"):
        house.perform(lambda unit: hold_call(unit, 99))
    for order, seconds in ((hold, 5), (hold, 5), (resume, 5), (resume, 5), (hold, 5)):
        order(house)
        await house.advance(seconds)
    assert on_hold(house) == (True, 10)
    await house.advance(200)
    assert [(row["leg_type"], row["billsec"]) for row in house.rows(Cdr)] == [(2, 60), (1, 64)]
    assert (on_hold(house), house.database.read_now(audit).differences) == ((False, 10 + 29), [])
    with pytest.raises(RefusedError, match="No agent talks in the call"):
        resume(house)


async def test_a_hold_and_its_end_outlive_the_process(house: House) -> None:
    await talking(house)
    hold(house)
    house.restart()
    await house.advance(5)
    house.restart()
    await house.advance(5)
    assert on_hold(house) == (True, 0)
    resume(house)
    house.restart()
    await house.advance(5)
    assert on_hold(house) == (False, 10)


async def test_a_forgotten_callee_talks_again_after_ten_minutes_and_can_be_put_on_hold_again(house: House) -> None:
    await talking(house, talk_s=3_000)
    hold(house)
    await house.advance(599)
    house.restart()
    assert on_hold(house) == (True, 0)
    await house.advance(2)
    assert (on_hold(house), [row["hold_call_id"] for row in house.rows(Agent)]) == ((False, 600), [None])
    house.restart()
    await house.advance(5)
    assert on_hold(house) == (False, 600)
    hold(house)
    await house.advance(5)
    assert on_hold(house) == (True, 600)


async def test_the_callee_of_an_agent_who_is_deleted_talks_again(house: House) -> None:
    """The talk goes on without a row of its agent, and a callee on hold would wait for nobody."""
    agent_id = await talking(house)
    hold(house)
    await house.advance(5)

    def remove(unit: UnitOfWork) -> None:
        unit.connection.execute(delete(Agent))
        unit.note(Touched(agents=frozenset({agent_id})))

    house.perform(remove)
    await house.advance(5)
    assert on_hold(house) == (False, 5)


@ON_SQLITE
@pytest.mark.usefixtures("quiet")
async def test_a_line_parts_both_legs_and_connects_them_again(tmp_path: Path) -> None:
    house = await talking_over_a_line(tmp_path)
    hold(house)
    await house.pass_s(40)
    assert (on_hold(house), house.side.bridges) == ((True, 0), {})
    resume(house)
    await house.pass_s(3)
    assert (on_hold(house), len(house.side.bridges)) == ((False, 40), 1)
    assert steered(house) == [[Hold(0), Bridge(0, ""), Hold(0), Bridge(0, "")], [Hold(0, is_silent=True)]]
    await house.pass_s(100)
    assert ([kind for kind, *_ in cdrs(house)], is_clean(house)) == ([2, 1], True)


@ON_SQLITE
@pytest.mark.usefixtures("quiet")
@pytest.mark.parametrize(("named", "heard"), [("Waiting music", "f.wav"), ("local_stream://moh", "")])
async def test_a_callee_hears_the_music_of_the_queue_while_waiting_and_on_hold(
    tmp_path: Path, named: str, heard: str
) -> None:
    house = LineHouse(tmp_path, behaviour=BEHAVIOUR)
    house.add(
        AudioFile,
        user_id=house.user_id,
        name="Waiting music",
        audio_file="f.wav",
        format="pcm_s16le",
        size=1,
        duration_ms=1,
    )
    agent_id = house.agent(contact="+12025550150", parameters=LONG)
    await transferring(house, PATIENT_CALLER, queue_id=house.queue(agent_id, moh_sound=named))
    await house.pass_s(12)
    hold(house)
    await house.pass_s(5)
    before = music(house)
    house.restart()
    await house.pass_s(5)
    assert (before, music(house)) == ([heard, heard], [heard])


@ON_SQLITE
@pytest.mark.usefixtures("quiet")
async def test_another_process_keeps_both_legs_parted(tmp_path: Path) -> None:
    house = await talking_over_a_line(tmp_path)
    hold(house)
    await house.pass_s(5)
    house.restart()
    await house.pass_s(5)
    assert (steered(house), house.side.bridges) == ([[Hold(0)], [Hold(0, is_silent=True)]], {})
    resume(house)
    house.restart()
    await house.pass_s(5)
    assert (steered(house)[0][-1], len(house.side.bridges)) == (Bridge(0, ""), 1)
    await house.pass_s(100)
    assert is_clean(house)


@ON_SQLITE
@pytest.mark.usefixtures("quiet")
async def test_a_callee_who_hangs_up_on_hold_ends_the_call(tmp_path: Path) -> None:
    house = await talking_over_a_line(tmp_path, caller(20))
    hold(house)
    await house.pass_s(30)
    assert (on_hold(house), is_clean(house)) == ((False, 13), True)
    assert [(kind, cause) for kind, _, _, cause in cdrs(house)] == [(2, 16), (1, 16)]


@ON_SQLITE
@pytest.mark.usefixtures("quiet")
@pytest.mark.parametrize("who", ["agent's telephone", "desk"])
async def test_an_agent_who_hangs_up_leaves_nobody_on_hold(tmp_path: Path, who: str) -> None:
    """The survey goes on if the telephone hangs up, and the call ends if the desk does."""
    house = await talking_over_a_line(tmp_path)
    hold(house)
    await house.pass_s(5)
    if who == "desk":
        house.perform(lambda unit: hang_up_call(unit, house.rows(CallRequest)[0]["id"]))
    else:
        (second,) = house.side.second_numbers
        house.side.phones[second].hang_up(house.now_ms())
    await house.pass_s(10)
    assert (on_hold(house), [kind for kind, *_ in cdrs(house)], is_clean(house)) == ((False, 5), [2, 1], True)


@ON_SQLITE
@pytest.mark.usefixtures("quiet")
async def test_a_callee_who_is_never_resumed_is_no_longer_in_the_call_than_any_other(tmp_path: Path) -> None:
    house = await talking_over_a_line(tmp_path)
    hold(house)
    await house.pass_s(200)
    assert ([billsec for kind, _, billsec, _ in cdrs(house) if kind == 1], is_clean(house)) == ([120], True)
