"""Tests of agents who consult a third person during a call, over simulated gateways and over lines."""

from functools import partial
from pathlib import Path

import pytest
from msgspec.structs import replace
from sqlalchemy import delete, func, update

from dialer.app.call_centre.consultations import change_consultation, consult, third_person
from dialer.app.call_centre.live_calls import TransferTarget, hang_up_call, hold_call, transfer_call
from dialer.app.work.errors import InvalidFieldsError, RefusedError
from dialer.app.work.unit import UnitOfWork
from dialer.domain.sessions.leg_protocol import Bridge, Clear, Confer, Hold
from dialer.domain.words.enums import AgentStatus, ConsultationMode
from dialer.store.database.touched import Touched
from dialer.store.tables import Agent, CallRequest, Cdr, Gateway, LiveLeg, Transfer, User
from tests.carriers.media.test_supervision import Call
from tests.runtime.house import House
from tests.runtime.line_house import LineHouse
from tests.runtime.test_desk_transfers import NOBODY, ON_SQLITE, OTHER, check, talking, talking_over_a_line
from tests.runtime.test_queues import waiting
from tests.runtime.test_second_legs import OTHER as THIRD_NUMBER
from tests.runtime.test_second_legs import cdrs, is_clean

CALLEE, THIRD, ALL, HAND_OVER = "callee", "third", "all", "hand_over"


def begin(house: House, **to: object) -> None:
    """Let the agent of the only call consult somebody."""
    (call,) = house.rows(CallRequest)
    house.perform(partial(consult, callrequest_id=call["id"], to=TransferTarget(**to)))  # type: ignore[arg-type] # tests


def order(house: House, mode: str) -> None:
    """Change the consultation in the first call."""
    call, *_ = house.rows(CallRequest)
    house.perform(partial(change_consultation, callrequest_id=call["id"], mode=ConsultationMode(mode)))


def end(house: House) -> None:
    order(house, "end")


def legs(house: House) -> list[tuple[str, int | None, int, str, int | None, int]]:
    """Return each transfer: number, agent, part in a consultation, reason, seconds of talk and on hold."""
    return [
        (
            row["phone_number"],
            row["agent_id"],
            row["consulted"],
            row["reason"],
            None
            if row["answered_ms"] is None or row["ended_ms"] is None
            else (row["ended_ms"] - row["answered_ms"]) // 1_000,
            row["on_hold_ms"] // 1_000,
        )
        for row in house.rows(Transfer)
    ]


async def go_on(house: House, *seconds: float, restarts: bool) -> None:
    for each in seconds:
        if restarts:
            house.restart()
        await house.advance(each)


def reasons(house: House) -> list[str]:
    return [row["reason"] for row in house.rows(Transfer)]


def on_hold(house: House) -> list[bool]:
    return [row["on_hold_from_ms"] is not None for row in house.rows(Transfer)]


@pytest.mark.parametrize("restarts", [False, True])
async def test_an_agent_talks_with_a_third_person_and_comes_back(house: House, *, restarts: bool) -> None:
    agents = await talking(house)
    begin(house, phone_number=OTHER)
    await go_on(house, 1, restarts=restarts)
    assert on_hold(house) == [True, False]
    await go_on(house, 5, restarts=restarts)
    order(house, CALLEE)
    await go_on(house, 2, restarts=restarts)
    assert on_hold(house) == [False, True]
    order(house, THIRD)
    await go_on(house, 2, restarts=restarts)
    end(house)
    await go_on(house, 2, restarts=restarts)
    assert on_hold(house) == [False, False]
    assert house.row(Agent, agents[0])["consulted_call_id"] is None
    await go_on(house, 200, restarts=restarts)
    assert legs(house) == [("+33199000001", agents[0], 0, "", 60, 8), (OTHER, None, 1, "", 5, 2)]
    assert {(row["leg_type"], row["phone_number"], row["billsec"]) for row in house.rows(Cdr)} >= {
        (2, "+33199000001", 60),
        (2, OTHER, 5),
    }
    check(house)


@pytest.mark.parametrize("restarts", [False, True])
async def test_a_third_person_who_does_not_answer_leaves_the_callee_with_the_agent(
    house: House, *, restarts: bool
) -> None:
    agents = await talking(house)
    (call,) = house.rows(CallRequest)
    begin(house, phone_number=NOBODY)
    await go_on(house, 1, restarts=restarts)
    with pytest.raises(RefusedError, match="No third person has answered"):
        order(house, HAND_OVER)
    with pytest.raises(RefusedError, match="A third person is in the call already"):
        begin(house, phone_number=OTHER)
    with pytest.raises(RefusedError, match="End the consultation first"):
        house.perform(partial(hold_call, callrequest_id=call["id"]))
    await go_on(house, 46, restarts=restarts)
    assert (on_hold(house), house.row(Agent, agents[0])["consulted_call_id"]) == ([False, False], None)
    third = house.database.read_now(partial(third_person, callrequest_id=call["id"], agent_id=agents[0]))
    assert third is not None
    assert (third.name, third.mode, third.reason) == (NOBODY, None, "no_answer")
    await go_on(house, 300, restarts=restarts)
    assert legs(house) == [("+33199000001", agents[0], 0, "", 60, 45), (NOBODY, None, 1, "no_answer", None, 0)]
    check(house)


@pytest.mark.parametrize("restarts", [False, True])
@pytest.mark.parametrize("all_first", [False, True])
async def test_a_callee_is_handed_over_to_a_number(house: House, *, all_first: bool, restarts: bool) -> None:
    agents = await talking(house)
    begin(house, phone_number=OTHER)
    await go_on(house, 6, restarts=restarts)
    if all_first:
        order(house, ALL)
    await go_on(house, 1, restarts=restarts)
    order(house, HAND_OVER)
    await go_on(house, 1, restarts=restarts)
    row = house.row(Agent, agents[0])
    assert (row["is_talking"], row["consulted_call_id"], on_hold(house)) == (False, None, [False, False])
    await go_on(house, 2, 300, restarts=restarts)
    held_s = 6 if all_first else 7
    assert legs(house) == [("+33199000001", agents[0], 0, "", 18, held_s), (OTHER, None, 2, "", 40, 0)]
    assert {row["status"] for row in house.rows(CallRequest)} == {4}
    check(house)


@pytest.mark.parametrize("restarts", [False, True])
async def test_an_agent_takes_over_a_callee_from_another_one(house: House, *, restarts: bool) -> None:
    agents = await talking(house)
    (call,) = house.rows(CallRequest)
    house.queue(agents[1])
    begin(house, agent_id=agents[1])
    await go_on(house, 7, restarts=restarts)
    order(house, HAND_OVER)
    await go_on(house, 1, restarts=restarts)
    assert [house.row(Agent, one)["is_talking"] for one in agents] == [False, True]
    house.perform(partial(hold_call, callrequest_id=call["id"]))
    await go_on(house, 2, restarts=restarts)
    assert on_hold(house) == [False, True]
    house.perform(partial(hang_up_call, callrequest_id=call["id"]))
    await go_on(house, 3, 100, restarts=restarts)
    assert legs(house) == [
        ("+33199000001", agents[0], 0, "", 18, 7),
        ("+33199000002", agents[1], 2, "", 8, 2),
    ]
    assert [house.row(Agent, one)["is_talking"] for one in agents] == [False, False]
    check(house)


@pytest.mark.parametrize("restarts", [False, True])
@pytest.mark.parametrize("what", ["hang up", "all", HAND_OVER])
async def test_an_agent_who_took_over_a_callee_consults_a_third_agent(
    house: House, what: str, *, restarts: bool
) -> None:
    answers = '{"talk": 300, "answer": 2}'
    agents = [house.agent(parameters=answers, contact=f"+3319900000{place}") for place in (1, 2, 3)]
    await waiting(house, house.queue(*agents, strategy=3), callmaxduration=600)
    await house.advance(20)
    begin(house, agent_id=agents[1])
    await go_on(house, 7, restarts=restarts)
    order(house, HAND_OVER)
    await go_on(house, 3, restarts=restarts)
    begin(house, agent_id=agents[2])
    await go_on(house, 7, restarts=restarts)
    assert [house.row(Agent, one)["is_talking"] for one in agents] == [False, True, True]
    if what == "all":
        order(house, ALL)
        await go_on(house, 2, restarts=restarts)
        end(house)
        await go_on(house, 2, restarts=restarts)
        assert [house.row(Agent, one)["is_talking"] for one in agents] == [False, True, False]
    elif what == HAND_OVER:
        order(house, HAND_OVER)
        await go_on(house, 2, restarts=restarts)
        assert [house.row(Agent, one)["is_talking"] for one in agents] == [False, False, True]
    (call,) = house.rows(CallRequest)
    house.perform(partial(hang_up_call, callrequest_id=call["id"]))
    await go_on(house, 30, restarts=restarts)
    assert [house.row(Agent, one)["is_talking"] for one in agents] == [False, False, False]
    assert [row["status"] for row in house.rows(Transfer)] == [3, 3, 3]
    check(house)


@pytest.mark.parametrize("restarts", [False, True])
@pytest.mark.parametrize("what", ["hang up", "transfer", "delete the agent", "talk limit"])
async def test_no_leg_is_left_when_the_agent_is_gone(house: House, what: str, *, restarts: bool) -> None:
    agents = await talking(house)
    (call,) = house.rows(CallRequest)
    begin(house, phone_number=OTHER)
    await go_on(house, 7, restarts=restarts)
    if what == "hang up":
        house.perform(partial(hang_up_call, callrequest_id=call["id"]))
    elif what == "transfer":
        house.perform(partial(transfer_call, callrequest_id=call["id"], to=TransferTarget("+33199008888")))
    elif what == "delete the agent":
        house.perform(lambda unit: _delete(unit, agents[0]))
    else:
        await go_on(house, 60, restarts=restarts)
    await go_on(house, 1, restarts=restarts)
    assert [row["status"] for row in house.rows(Transfer) if row["consulted"]] == [3]
    assert not any(on_hold(house))
    await go_on(house, 200, restarts=restarts)
    assert {row["status"] for row in house.rows(CallRequest)} == {4}
    check(house)


async def test_wrong_third_persons_are_refused_and_change_nothing(house: House) -> None:
    agents = await talking(house)
    house.change(Agent, agents[1], status=int(AgentStatus.ON_BREAK))
    wrong: list[tuple[dict[str, object], str]] = [
        ({}, "one of the two"),
        ({"queue_id": 1}, "one of the two"),
        ({"phone_number": "112"}, "emergency"),
        ({"phone_number": "nobody"}, "digits"),
        ({"agent_id": agents[0]}, "No other agent"),
        ({"agent_id": agents[1]}, "not free"),
    ]
    for to, message in wrong:
        with pytest.raises(InvalidFieldsError) as refused:
            begin(house, **to)
        assert message in str(refused.value.errors), to
    end(house)
    await house.advance(1)
    assert [row["consulted"] for row in house.rows(Transfer)] == [0]
    with pytest.raises(RefusedError, match="No third person is in the call"):
        order(house, THIRD)


def _delete(unit: UnitOfWork, agent_id: int) -> None:
    unit.connection.execute(delete(Agent).where(Agent.id == agent_id))
    unit.note(Touched(agents=frozenset({agent_id})))


@ON_SQLITE
@pytest.mark.usefixtures("quiet")
@pytest.mark.parametrize("restarts", [False, True])
@pytest.mark.parametrize("who", ["number", "agent"])
async def test_over_a_line_each_hears_whom_the_agent_wants(tmp_path: Path, who: str, *, restarts: bool) -> None:
    house, agents = await talking_over_a_line(tmp_path)
    begin(house, **({"phone_number": THIRD_NUMBER} if who == "number" else {"agent_id": agents[1]}))
    await lives(house, 6, restarts=restarts)
    keys = {row["place"]: row["key"] for row in house.rows(LiveLeg)}
    assert (house.side.bridges, on_hold(house)) == ({keys[2]: keys[1]}, [True, False])
    order(house, CALLEE)
    await lives(house, 1, restarts=restarts)
    assert (house.side.bridges, on_hold(house)) == ({keys[0]: keys[1]}, [False, True])
    order(house, ALL)
    await lives(house, 1, restarts=restarts)
    assert (house.side.bridges, on_hold(house)) == ({}, [False, False])
    last = dict(house.side.lines[0].orders)
    assert [type(last[keys[place]]) for place in range(3)] == [Confer] * 3
    assert len({last[keys[place]].room for place in range(3)}) == 1  # type: ignore[union-attr] # as asserted
    order(house, THIRD)
    await lives(house, 1, restarts=restarts)
    assert house.side.bridges == {keys[2]: keys[1]}
    order(house, HAND_OVER)
    await lives(house, 1, restarts=restarts)
    assert house.side.bridges == {keys[0]: keys[2]}
    assert len(house.side.phones) == 2
    await lives(house, 200, restarts=restarts)
    third = agents[1] if who == "agent" else None
    assert [row[1:3] for row in legs(house)] == [(agents[0], 0), (third, 2)]
    assert ([kind for kind, *_ in cdrs(house)], is_clean(house)) == ([2, 2, 1], True)


@ON_SQLITE
@pytest.mark.usefixtures("quiet")
@pytest.mark.parametrize("contact", ["1002", "+12025550151"])
async def test_an_agent_is_consulted_at_the_number_at_which_calls_are_offered(tmp_path: Path, contact: str) -> None:
    house, agents = await talking_over_a_line(tmp_path)
    house.change(Agent, agents[1], contact=contact)
    house.change(Gateway, house.gateway_id, addprefix="9")
    house.change(User, house.user_id, allowed_countries="US")
    await house.pass_s(1)
    begin(house, agent_id=agents[1])
    await house.pass_s(2)
    assert [*house.side.second_numbers.values()][1:] == ["1002" if contact == "1002" else f"9{contact}"]


@ON_SQLITE
@pytest.mark.usefixtures("quiet")
@pytest.mark.parametrize("restarts", [False, True])
@pytest.mark.parametrize("number", [NOBODY, "+12025550113", "+12025550114", THIRD_NUMBER])
async def test_over_a_line_the_callee_is_back_whatever_becomes_of_the_third_person(
    tmp_path: Path, number: str, *, restarts: bool
) -> None:
    house, agents = await talking_over_a_line(tmp_path)
    begin(house, phone_number=number)
    await lives(house, 2, 4, restarts=restarts)
    if number == THIRD_NUMBER:
        end(house)
    await lives(house, 2, 45, restarts=restarts)
    (call, *seconds) = [row["key"] for row in house.rows(LiveLeg)]
    assert (house.side.bridges, on_hold(house)) == ({call: seconds[0]}, [False, False])
    assert house.row(Agent, agents[0])["consulted_call_id"] is None
    await lives(house, 200, restarts=restarts)
    assert (house.side.phones, is_clean(house)) == ({}, True)


async def lives(house: LineHouse, *seconds: int, restarts: bool) -> None:
    """Let time pass, with a new start of the process after it. Before its line is up, nobody is called."""
    for each in seconds:
        await house.pass_s(each)
        if restarts:
            house.restart()
            await house.pass_s(0)


@ON_SQLITE
@pytest.mark.usefixtures("quiet")
async def test_a_consultation_of_an_agent_whose_leg_is_gone_ends_at_once(tmp_path: Path) -> None:
    """Its money is free again, and nobody is called."""
    house, agents = await talking_over_a_line(tmp_path)
    agents_leg = next(row["key"] for row in house.rows(LiveLeg) if row["place"])
    house.database.write_now(lambda c: c.execute(delete(LiveLeg).where(LiveLeg.key == agents_leg)))
    house.restart()
    await house.pass_s(0)
    begin(house, phone_number=THIRD_NUMBER)
    await house.pass_s(1)
    assert house.row(Agent, agents[0])["consulted_call_id"] is None
    talk, third = house.rows(Transfer)
    assert (third["status"], third["on_hold_from_ms"], talk["on_hold_from_ms"]) == (3, None, None)
    assert house.row(User, house.user_id)["held"] == sum(row["hold"] for row in (*house.rows(CallRequest), talk))
    assert len(house.side.dialled) == 2


@ON_SQLITE
@pytest.mark.usefixtures("quiet")
async def test_a_consultation_whose_legs_are_lost_in_a_restart_is_charged_until_then(tmp_path: Path) -> None:
    house, _ = await talking_over_a_line(tmp_path)
    begin(house, phone_number=THIRD_NUMBER)
    await house.pass_s(6)
    (_, third) = house.rows(Transfer)
    house.database.write_now(lambda c: c.execute(delete(LiveLeg).where(LiveLeg.place > 0)))
    house.restart()
    await house.pass_s(0)
    (lost,) = [row for row in house.rows(Cdr) if row["phone_number"] == THIRD_NUMBER]
    talked_s = (house.rows(Transfer)[1]["ended_ms"] - third["answered_ms"]) // 1_000
    assert (lost["billsec"], talked_s > 0) == (talked_s, True)
    assert house.rows(Transfer)[1]["reason"] == ""


@ON_SQLITE
@pytest.mark.usefixtures("quiet")
@pytest.mark.parametrize("before", [CALLEE, THIRD, ALL])
async def test_after_a_refused_hand_over_all_is_possible_that_was_before(tmp_path: Path, before: str) -> None:
    """Here the leg of the third person is on record as not connected, so it can take over nobody."""
    house, agents = await talking_over_a_line(tmp_path)
    begin(house, phone_number=THIRD_NUMBER)
    await house.pass_s(4)
    order(house, before)
    await house.pass_s(1)
    unconnected = func.replace(LiveLeg.standing, '"is_connected":true,', "")
    house.database.write_now(
        lambda c: c.execute(update(LiveLeg).values(standing=unconnected).where(LiveLeg.place == 2))
    )
    house.restart()
    await house.pass_s(1)
    held = {CALLEE: [False, True], THIRD: [True, False], ALL: [False, False]}
    for _ in range(2):
        order(house, HAND_OVER)
        await house.pass_s(1)
        row = house.row(Agent, agents[0])
        assert (row["consultation_mode"], row["consulted_call_id"], on_hold(house)) == (before, 1, held[before])
        assert reasons(house) == ["", "not_handed_over"]
    for mode in (THIRD, CALLEE):
        order(house, mode)
        await house.pass_s(1)
        assert (on_hold(house), reasons(house)) == (
            held[mode],
            ["", "not_handed_over" if mode == before == THIRD else ""],
        )
    await house.pass_s(200)
    assert ([row[1:3] for row in legs(house)], is_clean(house)) == ([(agents[0], 0), (None, 1)], True)


@ON_SQLITE
@pytest.mark.usefixtures("quiet")
async def test_music_that_is_loaded_late_is_not_heard_after_a_hand_over(tmp_path: Path) -> None:
    """The third person is on hold when they get the callee, and the file of their music comes after that."""
    house, _ = await talking_over_a_line(tmp_path)
    begin(house, phone_number=THIRD_NUMBER)
    await house.pass_s(6)
    whose = {row["key"]: ("callee", "agent", "supervisor")[row["place"]] for row in house.rows(LiveLeg)}
    before = len(house.side.lines[0].orders)
    order(house, CALLEE)
    await house.pass_s(1)
    order(house, HAND_OVER)
    await house.pass_s(1)
    call, late = Call(), []
    for key, one in house.side.lines[0].orders[before:]:
        if isinstance(one, Hold) and not one.is_silent and whose[key] == "supervisor":
            late.append(one)
        elif isinstance(one, Clear):
            call.studio.router.remove(whose[key])
        else:
            call.studio.order(whose[key], replace(one, other=whose[one.other]) if isinstance(one, Bridge) else one)
    (music,) = late
    call.studio.order("supervisor", music)
    heard = call.talk("callee", "supervisor")
    assert (heard["callee"], heard["supervisor"]) == ({"supervisor"}, {"callee"})


@ON_SQLITE
@pytest.mark.usefixtures("quiet")
async def test_a_third_person_who_had_the_callee_was_handed_over_though_their_leg_is_lost(tmp_path: Path) -> None:
    house, _ = await talking_over_a_line(tmp_path)
    begin(house, phone_number=THIRD_NUMBER)
    await house.pass_s(6)
    order(house, HAND_OVER)
    await house.pass_s(5)
    (third,) = [row["key"] for row in house.rows(LiveLeg) if row["place"] == 2]
    del house.side.phones[third]
    house.restart()
    await house.pass_s(1)
    assert (reasons(house), house.rows(Transfer)[1]["ended_ms"] is not None) == (["", ""], True)
