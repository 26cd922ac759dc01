"""Tests of callees whom agents transfer at the desk, over simulated gateways and over lines."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from dialer.app.call_centre.consultations import consult
from dialer.app.call_centre.live_calls import TransferTarget, hang_up_call, hold_call, transfer_call
from dialer.app.work.errors import InvalidFieldsError, RefusedError
from dialer.domain.words.enums import AgentStatus
from dialer.store.reconciliation.reconcile import audit
from dialer.store.tables import HELD, Agent, CallRequest, Campaign, Cdr, DncList, Gateway, Transfer, User
from tests.runtime.house import House
from tests.runtime.line_house import LineHouse
from tests.runtime.test_queues import waiting
from tests.runtime.test_second_legs import BEHAVIOUR as LINE_BEHAVIOUR
from tests.runtime.test_second_legs import PATIENT_CALLER, cdrs, is_clean, transferring

ON_SQLITE = pytest.mark.sqlite_only("works on a file of SQLite")
LONG = '{"talk": 60, "answer": 2}'
OTHER = "+33199009999"
NOBODY = "+12025550112"
"""A number that rings until the time-out."""


def transfer(house: House, **to: object) -> None:
    """Transfer the callee of the only call."""
    (call,) = house.rows(CallRequest)
    house.perform(partial(transfer_call, callrequest_id=call["id"], to=TransferTarget(**to)))  # type: ignore[arg-type] # tests


def legs(house: House) -> list[tuple[str, int | None, str, int | None]]:
    """Return each transfer: its number, its agent, its reason, and the seconds of its talk."""
    return [
        (row["phone_number"], row["agent_id"], row["reason"], _talk_s(row["answered_ms"], row["ended_ms"]))
        for row in house.rows(Transfer)
    ]


def _talk_s(answered_ms: int | None, ended_ms: int | None) -> int | None:
    return None if answered_ms is None or ended_ms is None else (ended_ms - answered_ms) // 1_000


async def talking(house: House) -> list[int]:
    """Let the first of two agents take a simulated call at 9 s, and return both at 20 s."""
    agents = [house.agent(parameters=LONG, contact=f"+3319900000{place}", wrap_up_time=5) for place in (1, 2)]
    await waiting(house, house.queue(*agents, strategy=3), callmaxduration=600)
    await house.advance(20)
    return agents


def check(house: House) -> None:
    assert house.row(User, house.user_id)["held"] == 0
    assert house.database.read_now(audit).differences == []


@pytest.mark.parametrize("restarts", [False, True])
async def test_a_callee_goes_on_to_a_number_and_each_leg_is_charged(house: House, *, restarts: bool) -> None:
    agents = await talking(house)
    transfer(house, phone_number=OTHER)
    for seconds in (1, 2, 10, 100):
        if restarts:
            house.restart()
        await house.advance(seconds)
    assert legs(house) == [("+33199000001", agents[0], "", 11), (OTHER, None, "", 40)]
    assert [(row["leg_type"], row["phone_number"], row["billsec"]) for row in house.rows(Cdr)][:2] == [
        (2, "+33199000001", 11),
        (2, OTHER, 40),
    ]
    agent = house.row(Agent, agents[0])
    assert (agent["is_talking"], agent["transfer_call_id"]) == (False, None)
    check(house)
    with pytest.raises(RefusedError, match="No agent talks in the call"):
        transfer(house, phone_number=OTHER)


@pytest.mark.parametrize("restarts", [False, True])
async def test_a_callee_whose_new_target_does_not_answer_comes_back_to_the_agent(
    house: House, *, restarts: bool
) -> None:
    agents = await talking(house)
    transfer(house, phone_number=NOBODY)
    for seconds in (1, 20, 40, 3, 200):
        if restarts:
            house.restart()
        await house.advance(seconds)
    assert [row[:3] for row in legs(house)] == [
        ("+33199000001", agents[0], ""),
        (NOBODY, None, "no_answer"),
        ("+33199000001", agents[0], ""),
    ]
    check(house)


async def test_a_callee_comes_back_to_another_agent_if_the_first_has_left(house: House) -> None:
    agents = await talking(house)
    transfer(house, phone_number=NOBODY)
    await house.advance(5)
    house.change(Agent, agents[0], status=int(AgentStatus.LOGGED_OUT))
    house.restart()
    await house.advance(300)
    assert legs(house)[-1][:3] == ("+33199000002", agents[1], "")
    check(house)


@pytest.mark.parametrize("restarts", [False, True])
@pytest.mark.parametrize("to_agent", [False, True])
async def test_a_callee_goes_on_to_a_queue_or_another_agent(house: House, *, to_agent: bool, restarts: bool) -> None:
    agents = await talking(house)
    target = {"agent_id": agents[1]} if to_agent else {"queue_id": house.queue(agents[1])}
    house.perform(partial(hold_call, callrequest_id=house.rows(CallRequest)[0]["id"]))
    await house.advance(2)
    transfer(house, **target)
    for seconds in (1, 3, 100):
        if restarts:
            house.restart()
        await house.advance(seconds)
    assert legs(house)[:2] == [("+33199000001", agents[0], "", 13), ("+33199000002", agents[1], "", 60)]
    assert [row["is_abandoned"] for row in house.rows(Transfer)] == [False, False]
    check(house)


async def test_a_transferred_call_can_be_hung_up_by_its_new_agent(house: House) -> None:
    agents = await talking(house)
    transfer(house, agent_id=agents[1])
    await house.advance(10)
    house.perform(partial(hang_up_call, callrequest_id=house.rows(CallRequest)[0]["id"]))
    await house.advance(60)
    assert [row[3] for row in legs(house)] == [11, 8]
    check(house)


@pytest.mark.parametrize("restarts", [False, True])
async def test_a_callee_who_comes_back_is_on_hold_only_if_the_agent_orders_it_again(
    house: House, *, restarts: bool
) -> None:
    await talking(house)
    (call,) = house.rows(CallRequest)
    house.perform(partial(hold_call, callrequest_id=call["id"]))
    await house.advance(2)
    transfer(house, phone_number=NOBODY)
    await house.advance(60)
    if restarts:
        house.restart()
    await house.advance(1)
    assert [row["on_hold_from_ms"] for row in house.rows(Transfer)] == [None, None, None]
    house.perform(partial(hold_call, callrequest_id=call["id"]))
    await house.advance(1)
    assert [row["on_hold_from_ms"] is not None for row in house.rows(Transfer)] == [False, False, True]


async def test_a_wrong_target_is_refused_and_changes_nothing(house: House) -> None:
    agents = await talking(house)
    stranger = house.add(User, username="bob", password_hash="-")
    theirs = house.agent(user_id=stranger)
    house.queue(theirs)
    for field, to in (
        ("phone_number", {}),
        ("phone_number", {"phone_number": OTHER, "queue_id": 1}),
        ("phone_number", {"phone_number": "nobody"}),
        ("phone_number", {"phone_number": "112"}),
        ("queue", {"queue_id": 99}),
        ("agent", {"agent_id": agents[0]}),
        ("agent", {"agent_id": theirs}),
    ):
        with pytest.raises(InvalidFieldsError) as caught:
            transfer(house, **to)
        assert list(caught.value.errors) == [field]
    await house.advance(200)
    assert legs(house) == [("+33199000001", agents[0], "", 60)]


@pytest.mark.parametrize("order", [consult, transfer_call])
async def test_a_number_is_judged_as_one_that_is_dialled_by_hand(house: House, order: Callable[..., None]) -> None:
    await talking(house)
    (call,) = house.rows(CallRequest)
    held = house.add(DncList, user_id=house.user_id, name="Held", keeps_wishes_of=HELD)
    house.call_off(held, "+33199003333")
    house.change(Campaign, call["campaign_id"], dnc_id=house.dnc_list(OTHER))
    house.change(Gateway, house.gateway_id, removeprefix="+33199000")
    house.change(User, house.user_id, allowed_countries="FR")
    for number, why in (
        (OTHER, "The number is on a do-not-call list of the campaign."),
        ("+33199003333", "The person has perhaps asked not to be called, and nobody has looked yet."),
        ("+33199000112", "An emergency number is never dialled."),
        ("+12025550150", "The account may not call this number."),
    ):
        with pytest.raises(InvalidFieldsError) as caught:
            house.perform(partial(order, callrequest_id=call["id"], to=TransferTarget(number)))
        assert caught.value.errors == {"phone_number": [why]}
    await house.advance(1)
    assert len(house.rows(Transfer)) == 1


async def talking_over_a_line(folder: Path, *, parameters: str = LONG) -> tuple[LineHouse, list[int]]:
    house = LineHouse(folder, behaviour=LINE_BEHAVIOUR)
    agents = [house.agent(contact=f"+1202555015{place}", parameters=parameters) for place in (0, 1)]
    await transferring(house, PATIENT_CALLER, queue_id=house.queue(*agents, strategy=3))
    await house.pass_s(12)
    return house, agents


@ON_SQLITE
@pytest.mark.usefixtures("quiet")
@pytest.mark.parametrize("restarts", [False, True])
async def test_a_line_connects_the_callee_with_the_new_leg(tmp_path: Path, *, restarts: bool) -> None:
    house, agents = await talking_over_a_line(tmp_path)
    transfer(house, agent_id=agents[1])
    for seconds in (1, 4, 10):
        if restarts:
            house.restart()
        await house.pass_s(seconds)
    assert [row[:3] for row in legs(house)] == [
        ("+12025550150", agents[0], ""),
        ("+12025550151", agents[1], ""),
    ]
    assert len(house.side.bridges) == 1
    await house.pass_s(200)
    assert ([kind for kind, *_ in cdrs(house)], is_clean(house)) == ([2, 2, 1], True)


@ON_SQLITE
@pytest.mark.usefixtures("quiet")
@pytest.mark.parametrize("restarts", [False, True])
async def test_over_a_line_a_callee_comes_back_from_a_number_that_does_not_answer(
    tmp_path: Path, *, restarts: bool
) -> None:
    house, agents = await talking_over_a_line(tmp_path)
    transfer(house, phone_number=NOBODY)
    for seconds in (1, 30, 30, 5):
        await house.pass_s(seconds)
        if restarts:
            house.restart()
    assert [row[:3] for row in legs(house)] == [
        ("+12025550150", agents[0], ""),
        (NOBODY, None, "no_answer"),
        ("+12025550150", agents[0], ""),
    ]
    await house.pass_s(200)
    assert is_clean(house)


@ON_SQLITE
@pytest.mark.usefixtures("quiet")
@pytest.mark.parametrize("to_agent", [False, True])
@pytest.mark.parametrize("hangs_up_first", [False, True])
async def test_a_call_that_is_hung_up_and_transferred_at_once_is_over(
    tmp_path: Path, *, to_agent: bool, hangs_up_first: bool
) -> None:
    house, agents = await talking_over_a_line(tmp_path)
    (call,) = house.rows(CallRequest)
    orders = [
        partial(hang_up_call, callrequest_id=call["id"]),
        partial(
            transfer_call,
            callrequest_id=call["id"],
            to=TransferTarget(agent_id=agents[1]) if to_agent else TransferTarget(OTHER),
        ),
    ]
    for order in orders if hangs_up_first else orders[::-1]:
        house.perform(order)
    await house.pass_s(200)
    assert ([row[1] for row in legs(house)], len(house.side.second_numbers)) == ([agents[0]], 1)
    assert ([kind for kind, *_ in cdrs(house)], is_clean(house)) == ([2, 1], True)
