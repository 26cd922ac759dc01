"""Tests of the time since when an agent does what they do: nothing that happens meanwhile begins it anew."""

from functools import partial

import pytest

from dialer.app.call_centre.agents_and_queues import change_agent
from dialer.app.call_centre.dispositions import dispose_of_call
from dialer.app.call_centre.wrap_ups import lengthen_wrap_up
from dialer.domain.words.enums import AgentActivity, AgentStatus
from dialer.store.rows.agent_hours import read_clock
from tests.runtime.house import House
from tests.runtime.test_queues import waiting
from tests.runtime.test_same_agent import BEHAVIOUR, PEOPLE, set_status
from tests.runtime.test_wrap_ups import SUCCESS, TALKS, centre


def state(house: House, agent_id: int) -> tuple[AgentActivity, int]:
    """Return what an agent does, and for how many seconds."""
    clock = house.database.read_now(lambda c: read_clock(c, agent_id))
    assert clock is not None
    now_ms = house.now_ms()
    return clock.activity(now_ms), (now_ms - clock.since_ms(now_ms)) // 1_000


@pytest.mark.parametrize("restarts", [False, True])
async def test_a_time_after_a_call_is_one_however_it_is_changed(house: House, *, restarts: bool) -> None:
    (agent_id,) = await centre(house, longer_wrap_up=300)
    activity, begun_s = state(house, agent_id)
    for step in (lambda unit: lengthen_wrap_up(unit, agent_id), lambda unit: dispose_of_call(unit, 1, SUCCESS)):
        house.perform(step)
        if restarts:
            house.restart()
        await house.advance(10)
    assert state(house, agent_id) == (activity, begun_s + 20) == (AgentActivity.WRAPPING_UP, begun_s + 20)


async def test_a_talk_is_one_though_a_break_is_ordered_and_taken_back(house: House) -> None:
    (agent_id,) = await centre(house, wrap_up_time=0)
    await house.advance(5)
    activity, begun_s = state(house, agent_id)
    assert activity is AgentActivity.TALKING
    for status in (AgentStatus.ON_BREAK, AgentStatus.LOGGED_OUT, AgentStatus.AVAILABLE):
        set_status(house, agent_id, status)
        await house.advance(1)
    assert state(house, agent_id) == (AgentActivity.TALKING, begun_s + 3)


@pytest.mark.parametrize("restarts", [False, True])
async def test_who_misses_calls_has_been_available_since_the_log_in(house: House, *, restarts: bool) -> None:
    agent_id = house.agent(parameters='{"missed": 1}')
    await waiting(house, house.queue(agent_id), PEOPLE[0], behaviour=BEHAVIOUR, dial_method=2, end_when_done=False)
    _, begun_s = state(house, agent_id)
    await house.advance(60)
    if restarts:
        house.restart()
    await house.advance(60)
    assert state(house, agent_id) == (AgentActivity.AVAILABLE, begun_s + 120)


async def test_a_break_with_another_reason_is_another_break(house: House) -> None:
    agent_id = house.agent(parameters=TALKS)
    house.queue(agent_id)
    for reason, spent_s in (("Lunch", 0), ("Lunch", 10), ("Training", 0)):
        change = {"status": AgentStatus.ON_BREAK, "break_reason": reason}
        house.perform(partial(change_agent, agent_id=agent_id, values=change))
        assert state(house, agent_id) == (AgentActivity.ON_BREAK, spent_s)
        await house.advance(10)
