"""Tests of agents of simulated campaigns whom a person plays at the desk."""

import pytest

from dialer.app.call_centre.desk import read_desk
from dialer.app.call_centre.dispositions import Disposed, dispose_of_call
from dialer.app.call_centre.live_calls import hang_up_call, hold_call, resume_call
from dialer.domain.words.enums import AgentActivity, AgentDisposition
from dialer.store.reconciliation.reconcile import audit
from dialer.store.tables import CallDisposition, Cdr, Transfer
from tests.runtime.house import House
from tests.runtime.test_queues import waiting

PLAYED = '{"person": true, "answer": 3, "talk": 5, "missed": 1, "wrap_up": 1, "breaks": 1}'
PEOPLE = ("+33199001234", "+33199001235")


def activity(house: House) -> AgentActivity:
    desk = house.database.read_now(lambda c: read_desk(c, house.user_id, house.now_ms()))
    assert desk is not None
    return desk.activity


@pytest.mark.parametrize("restarts", [False, True])
async def test_a_person_talks_until_they_hang_up(house: House, *, restarts: bool) -> None:
    agent_id = house.agent(parameters=PLAYED, login_id=house.user_id, wrap_up_time=30)
    await waiting(house, house.queue(agent_id), *PEOPLE, callmaxduration=600, dial_method=2)
    await house.advance(60)
    desk = house.database.read_now(lambda c: read_desk(c, house.user_id, house.now_ms()))
    assert desk is not None
    assert desk.call is not None
    assert (desk.activity, desk.call.number, desk.is_talking) == (AgentActivity.TALKING, PEOPLE[0], True)
    call_id = desk.call.id
    for order in (hold_call, resume_call, hang_up_call):
        if restarts:
            house.restart()
        house.perform(lambda unit, order=order: order(unit, call_id))  # type: ignore[misc] # bound at once
        await house.advance(20)
    (first,) = house.rows(Transfer)
    assert (first["agent_id"], first["answered_ms"] - first["started_ms"]) == (agent_id, 3_000)
    assert (first["ended_ms"] - first["answered_ms"], first["on_hold_ms"]) == (90_000, 20_000)
    assert activity(house) is AgentActivity.WRAPPING_UP
    house.perform(lambda unit: dispose_of_call(unit, call_id, Disposed(AgentDisposition.SUCCESS)))
    await house.advance(30)
    assert activity(house) is AgentActivity.TALKING
    await house.advance(1_200)
    assert [row["billsec"] for row in house.rows(Cdr) if row["leg_type"] == 1] == [95, 600]
    assert [row["disposition"] for row in house.rows(CallDisposition)] == ["success"]
    assert house.database.read_now(audit).differences == []


async def test_simulated_agents_work_beside_a_person(house: House) -> None:
    person = house.agent(parameters=PLAYED)
    others = [house.agent(parameters='{"talk": 20}') for _ in range(2)]
    people = [f"+3319900{place:04}" for place in range(30)]
    await waiting(house, house.queue(person, *others), *people, callmaxduration=3_000, dial_method=2)
    await house.advance(600)
    talks = [row["agent_id"] for row in house.rows(Transfer)]
    assert (talks.count(person), len(talks)) == (1, 30)
