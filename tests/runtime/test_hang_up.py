"""Tests of calls that are hung up at the desk of their agent, over simulated gateways and over lines."""

from pathlib import Path

import pytest

from dialer.app.call_centre.live_calls import hang_up_call
from dialer.app.work.errors import RefusedError
from dialer.domain.sessions.leg_protocol import Clear
from dialer.domain.words.enums import AgentStatus
from dialer.store.reconciliation.reconcile import audit
from dialer.store.tables import Agent, CallRequest, Cdr, Transfer, User
from tests.runtime.house import House
from tests.runtime.line_house import LineHouse
from tests.runtime.test_queues import waiting
from tests.runtime.test_second_legs import BEHAVIOUR as LINE_BEHAVIOUR
from tests.runtime.test_second_legs import PATIENT_CALLER, cdrs, is_clean, transferring

LONG = '{"talk": 60, "answer": 2}'


def hang_up(house: House) -> None:
    """Hang up the only call."""
    (call,) = house.rows(CallRequest)
    house.perform(lambda unit: hang_up_call(unit, call["id"]))


async def talking(house: House, **values: object) -> int:
    """Let an agent take a simulated call at 9 s, and return the agent at 20 s."""
    agent_id = house.agent(parameters=LONG, contact="+33199000001", wrap_up_time=5, **values)
    await waiting(house, house.queue(agent_id))
    await house.advance(20)
    return agent_id


async def test_both_legs_end_when_the_order_comes_and_are_charged_until_then(house: House) -> None:
    agent_id = await talking(house)
    hang_up(house)
    await house.advance(100)
    assert [(row["leg_type"], row["duration"], row["billsec"]) for row in house.rows(Cdr)] == [(2, 13, 11), (1, 20, 15)]
    (transfer,) = house.rows(Transfer)
    assert (transfer["reason"], transfer["agent_id"], transfer["ended_ms"] - transfer["answered_ms"]) == (
        "",
        agent_id,
        11_000,
    )
    assert house.row(Agent, agent_id)["is_talking"] is False
    assert house.row(User, house.user_id)["held"] == 0
    assert house.database.read_now(audit).differences == []
    with pytest.raises(RefusedError, match="No agent talks in the call"):
        hang_up(house)


async def test_an_order_that_is_read_again_ends_no_other_call(house: House) -> None:
    """The row of the agent keeps the order, and the agent's next call is another one."""
    agent_id = await talking(house, status=AgentStatus.AVAILABLE)
    hang_up(house)
    await house.advance(1)
    house.restart()
    await waiting(house, house.rows(Transfer)[0]["queue_id"], "+12025550177")
    await house.advance(20)
    house.restart()
    await house.advance(100)
    assert [row["billsec"] for row in house.rows(Cdr) if row["leg_type"] == 2][-1] == 60
    assert agent_id in {row["agent_id"] for row in house.rows(Transfer)}


async def test_an_order_outlives_the_process(house: House) -> None:
    await talking(house)
    hang_up(house)
    house.restart()
    await house.advance(1)
    assert [(row["leg_type"], row["billsec"]) for row in house.rows(Cdr)] == [(2, 11), (1, 15)]


@pytest.mark.sqlite_only("works on a file of SQLite")
@pytest.mark.usefixtures("quiet")
@pytest.mark.parametrize("is_restarted", [False, True])
async def test_lines_end_both_legs(tmp_path: Path, is_restarted: bool) -> None:  # noqa: FBT001 - a parameter
    house = LineHouse(tmp_path, behaviour=LINE_BEHAVIOUR)
    agent_id = house.agent(contact="+12025550150", parameters=LONG)
    await transferring(house, PATIENT_CALLER, queue_id=house.queue(agent_id))
    await house.pass_s(20)
    hang_up(house)
    if is_restarted:
        house.restart()
    await house.pass_s(2)
    ended = [(kind, cause) for kind, _, _, cause in cdrs(house)]
    assert (ended, is_clean(house)) == ([(2, 16), (1, 16)], True)
    (transfer,) = house.rows(Transfer)
    assert (transfer["agent_id"], transfer["reason"], house.row(Agent, agent_id)["is_talking"]) == (agent_id, "", False)
    cleared = {key for line in house.side.lines for key, order in line.orders if isinstance(order, Clear)}
    assert len(cleared) == 2
