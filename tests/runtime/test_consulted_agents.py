"""Tests of agents whom others consult over a simulated gateway: they answer as they take calls, without a telephone."""

import json
from typing import Any, Final

import pytest

from dialer.app.call_centre.consultations import third_person
from dialer.app.work.errors import InvalidFieldsError
from dialer.domain.words.enums import DialMethod
from dialer.store.tables import Agent, Subscriber, Transfer
from tests.runtime.house import House
from tests.runtime.test_consultations import HAND_OVER, begin, go_on, legs, order
from tests.runtime.test_desk_transfers import check
from tests.runtime.test_previews import ADA, AT_DESK, BEA, call, number_seen
from tests.runtime.test_queues import waiting

LONG: Final = '{"talk": 60, "answer": 2}'
CONTACTS: Final = ["", "201", "+12025550111", "agent/two"]
"""No telephone, an extension, a number that is always busy, and nonsense."""


@pytest.mark.parametrize("restarts", [False, True])
@pytest.mark.parametrize("contact", CONTACTS)
async def test_a_free_agent_answers_whatever_their_telephone_is(house: House, contact: str, *, restarts: bool) -> None:
    first = house.agent(parameters=LONG)
    await waiting(house, house.queue(first), callmaxduration=600)
    await house.advance(20)
    second = house.agent(parameters='{"talk": 100, "answer": 3}', contact=contact)
    house.queue(second)
    begin(house, agent_id=second)
    await go_on(house, 2, restarts=restarts)
    assert [row["answered_ms"] is None for row in house.rows(Transfer)] == [False, True]
    await go_on(house, 2, restarts=restarts)
    assert [house.row(Agent, one)["is_talking"] for one in (first, second)] == [True, True]
    order(house, HAND_OVER)
    await go_on(house, 2, restarts=restarts)
    assert [house.row(Agent, one)["is_talking"] for one in (first, second)] == [False, True]
    await go_on(house, 200, restarts=restarts)
    assert [row[:5] for row in legs(house)] == [
        ("agent 1", first, 0, "", 15),
        (contact or "agent 2", second, 2, "", 100),
    ]
    check(house)


async def test_an_agent_whose_telephone_is_an_emergency_number_is_never_called(house: House) -> None:
    first, second = house.agent(parameters=LONG), house.agent(contact="112")
    await waiting(house, house.queue(first), callmaxduration=600)
    house.queue(second)
    await house.advance(20)
    with pytest.raises(InvalidFieldsError) as refused:
        begin(house, agent_id=second)
    assert refused.value.errors == {"agent": ["The agent has no telephone that can be called."]}


async def test_an_agent_who_lets_it_ring_is_not_reached(house: House) -> None:
    first = house.agent(parameters=LONG)
    await waiting(house, house.queue(first), callmaxduration=600)
    await house.advance(20)
    second = house.agent(name="Bea", parameters='{"missed": 1}')
    house.queue(second)
    begin(house, agent_id=second)
    await house.advance(21)
    (call_id,) = {row["callrequest_id"] for row in house.rows(Transfer)}
    third = house.database.read_now(lambda c: third_person(c, call_id, first))
    assert third is not None
    assert (third.name, third.mode, third.reason) == ("Bea", None, "no_answer")


@pytest.mark.parametrize("restarts", [False, True])
async def test_an_agent_who_looks_at_a_person_is_free_for_a_consultation(house: House, *, restarts: bool) -> None:
    agents = [house.agent(parameters=parameters) for parameters in (LONG, AT_DESK)]
    queue_id = house.queue(agents[0])
    await waiting(house, queue_id, callmaxduration=600)
    await house.advance(20)
    settings: dict[str, Any] = {"dial_method": DialMethod.PREVIEW, "intervalretry": 120}
    await waiting(house, house.queue(agents[1]), ADA, BEA, **settings)
    await house.advance(2)
    assert number_seen(house, agents[1]) == ADA
    begin(house, agent_id=agents[1])
    await go_on(house, 3, restarts=restarts)
    assert (number_seen(house, agents[1]), house.row(Agent, agents[1])["is_talking"]) == (None, True)
    assert [row["reason"] for row in house.rows(Transfer)] == ["", ""]
    order(house, "end")
    await go_on(house, 30, restarts=restarts)
    assert number_seen(house, agents[1]) in {ADA, BEA}
    assert "skipped" not in {row["status_reason"] for row in house.rows(Subscriber)}


async def test_an_agent_who_calls_a_person_is_busy(house: House) -> None:
    agents = [house.agent(parameters=parameters) for parameters in (LONG, AT_DESK)]
    await waiting(house, house.queue(agents[0]), callmaxduration=600)
    await house.advance(20)
    await waiting(house, house.queue(agents[1]), ADA, dial_method=DialMethod.PREVIEW)
    await house.advance(2)
    call(house, agents[1])
    begin(house, agent_id=agents[1])
    await house.advance(1)
    assert [row["reason"] for row in house.rows(Transfer)][:2] == ["", "busy"]


@pytest.mark.parametrize("restarts", [False, True])
async def test_a_caller_who_waits_is_offered_to_a_consulted_agent_as_soon_as_they_are_free(
    house: House, *, restarts: bool
) -> None:
    long = '{"talk": 300, "answer": 2}'
    first = house.agent(parameters=long)
    await waiting(house, house.queue(first), callmaxduration=600)
    await house.advance(20)
    second = house.agent(parameters=long)
    queue_id = house.queue(second)
    begin(house, agent_id=second)
    await go_on(house, 2, restarts=restarts)
    await waiting(house, queue_id, BEA, callmaxduration=600)
    await go_on(house, 20, restarts=restarts)
    order(house, "end")
    await go_on(house, 0.1, restarts=restarts)
    (joined,) = (row for row in house.rows(Transfer) if row["queue_id"] == queue_id)
    assert json.loads(joined["offers"]) == {str(second): house.now_ms() - 100}
