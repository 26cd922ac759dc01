"""Tests of people whom no agent took in time: they are called again when an agent is free, who is kept for the call."""

from typing import Any, Final

import pytest

from dialer.domain.words.enums import AgentStatus, DialMethod, SubscriberStatus
from dialer.store.reconciliation.reconcile import audit
from dialer.store.tables import Agent, CallRequest, Gateway, Queue, Subscriber, Tier
from tests.runtime.house import House
from tests.runtime.test_queues import waiting
from tests.runtime.test_same_agent import PEOPLE, SHORT, WITHOUT_PREVIEW, set_status, talked

CALLED: Final = (
    '{"answer": 1, "machine": 0, "busy": 0, "rejected": 0, "invalid": 0, "ring": 4, "talk": 40, "key_delay": 2,'
    ' "patience": 6}'
)
"""A gateway whose callees answer 5 s after the dial, and wait 6 s for an agent."""


def people(house: House) -> list[tuple[int, str, int]]:
    """Return the state of each person, and how often they were to be called again because no agent came."""
    return [(row["status"], row["status_reason"], row["abandoned_count"]) for row in house.rows(Subscriber)]


def dialled(house: House) -> list[str]:
    """Return the numbers of all calls in their order."""
    return [row["phone_number"] for row in house.rows(CallRequest)]


async def abandoned(house: House, dial_method: int, *numbers: str, **values: object) -> int:
    """Let the only agent go on a break while the callee is on the telephone, and return the agent."""
    agent_id = house.agent(parameters=SHORT)
    rule: dict[str, Any] = {"abandoned_maxretry": 1, "abandoned_intervalretry": 100} | values
    await waiting(
        house, house.queue(agent_id), *(numbers or PEOPLE[:1]), behaviour=CALLED, dial_method=dial_method, **rule
    )
    await house.advance(3)
    set_status(house, agent_id, AgentStatus.ON_BREAK)
    await house.advance(57)
    return agent_id


@pytest.mark.parametrize("dial_method", WITHOUT_PREVIEW)
@pytest.mark.parametrize("restarts", [False, True])
async def test_an_abandoned_person_is_called_when_an_agent_is_free_and_kept(
    house: House, dial_method: int, *, restarts: bool
) -> None:
    """The call is due at 1:53, and nobody is there. From 3:20 on the agent waits for it, whatever else there is."""
    agent_id = await abandoned(house, dial_method)
    assert people(house) == [(SubscriberStatus.PENDING, "abandoned", 1)]
    await house.advance(140)
    assert dialled(house) == [PEOPLE[0]]
    set_status(house, agent_id, AgentStatus.AVAILABLE)
    for _ in range(4):
        if restarts:
            house.restart()
        await house.advance(1)
    (book,) = {row["phonebook_id"] for row in house.rows(Subscriber)}
    house.contact(book, PEOPLE[1])
    assert f'"call_id":{2}' in house.row(Agent, agent_id)["preview"]
    await house.advance(60)
    assert talked(house)[2] == agent_id
    assert people(house)[0] == (SubscriberStatus.SENT, "", 1)
    assert house.database.read_now(audit).differences == []


async def test_nobody_else_is_dialled_for_the_agent_who_is_kept(house: House) -> None:
    agent_id = await abandoned(house, DialMethod.PROGRESSIVE, *PEOPLE[:2])
    assert dialled(house) == [PEOPLE[0]]
    await house.advance(100)
    set_status(house, agent_id, AgentStatus.AVAILABLE)
    await house.advance(7)
    assert dialled(house) == [PEOPLE[0], PEOPLE[0]]
    await house.advance(60)
    assert dialled(house) == [PEOPLE[0], PEOPLE[0], PEOPLE[1]]
    assert people(house) == [(SubscriberStatus.SENT, "", 1), (SubscriberStatus.SENT, "", 0)]


async def test_without_the_setting_an_abandoned_person_is_not_called_again_and_not_reached(house: House) -> None:
    await abandoned(house, DialMethod.PROGRESSIVE, abandoned_maxretry=0)
    assert people(house) == [(SubscriberStatus.FAIL, "abandoned", 0)]


async def test_a_person_with_a_kept_agent_who_is_not_reached_keeps_the_right_to_one(house: House) -> None:
    """The second call is busy, and the third has an agent, too."""
    agent_id = await abandoned(house, DialMethod.PREDICTIVE, maxretry=1, intervalretry=60)
    busy = f'{{"numbers": {{"{PEOPLE[0]}": {{"attempts": [{{}}, {{"outcome": "busy"}}, {{}}]}}}}, '
    house.change(Gateway, house.gateway_id, parameters=busy + CALLED.removeprefix("{"))
    await house.advance(100)
    set_status(house, agent_id, AgentStatus.AVAILABLE)
    await house.advance(40)
    assert people(house) == [(SubscriberStatus.PENDING, "busy", 1)]
    assert house.row(Agent, agent_id)["preview"] == ""
    await house.advance(26)
    assert '"call_id":3' in house.row(Agent, agent_id)["preview"]
    await house.advance(60)
    assert people(house) == [(SubscriberStatus.SENT, "", 1)]


@pytest.mark.parametrize("dial_method", WITHOUT_PREVIEW)
async def test_only_an_agent_with_the_skills_is_kept_for_somebody_who_was_abandoned(
    house: House, dial_method: int
) -> None:
    """An agent without Spanish is idle all the time. The call is due at 1:53, and Ann comes back at 3:20."""
    agent_id = await abandoned(house, dial_method)
    other_id, (queue,) = house.agent(parameters=SHORT), house.rows(Queue)
    house.add(Tier, queue_id=queue["id"], agent_id=other_id, position=2)
    house.change(Queue, queue["id"], skill_field="language")
    house.change(Agent, agent_id, skills="Spanish")
    house.change(Subscriber, 1, additional_vars='{"language": "Spanish"}')
    house.restart()
    await house.advance(140)
    assert dialled(house) == [PEOPLE[0]]
    set_status(house, agent_id, AgentStatus.AVAILABLE)
    await house.advance(60)
    assert (dialled(house), talked(house)) == ([PEOPLE[0]] * 2, {2: agent_id})
    assert house.database.read_now(audit).differences == []
