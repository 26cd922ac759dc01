"""Tests of the days of agents on rows: they equal the talks and the counters, and outlive the process."""

from datetime import date
from functools import partial
from itertools import pairwise
from typing import Final

import pytest
from sqlalchemy import true

from dialer.app.call_centre.agent_days import read_calls_of_day, read_day, read_days
from dialer.app.call_centre.agents_and_queues import change_agent, delete_agent
from dialer.app.call_centre.statistics import read_agent_statistics
from dialer.domain.queueing.agent_days import Day, WorkDay
from dialer.domain.queueing.agent_periods import WorkState
from dialer.domain.words.enums import AgentActivity, AgentStatus
from dialer.store.queries.statistics import Hours
from dialer.store.reconciliation.reconcile import audit
from dialer.store.tables import AgentPeriod, CallRequest, Transfer
from tests.runtime.house import House
from tests.runtime.test_consultations import begin, go_on, order
from tests.runtime.test_desk_transfers import talking
from tests.runtime.test_previews import call, previewing, skip
from tests.runtime.test_queues import waiting
from tests.runtime.test_transfers import BEHAVIOUR, second
from tests.store.rows.test_old_calls import removal

EVER: Final = Day(date(2026, 11, 16), 0, 2**50)
STATES: Final = {
    AgentActivity.AVAILABLE: {WorkState.AVAILABLE, WorkState.LOOKING, WorkState.RINGING},
    AgentActivity.TALKING: {WorkState.TALKING},
    AgentActivity.WRAPPING_UP: {WorkState.WRAPPING_UP},
    AgentActivity.ON_BREAK: {WorkState.ON_BREAK},
}


def work_of(house: House, agent_id: int) -> WorkDay:
    return house.database.read_now(lambda c: read_day(c, agent_id, EVER, house.now_ms())).work


def check_days(house: House, agent_ids: list[int]) -> None:
    """Compare the days of agents with their counters, with which they share nothing but the moments."""
    for agent_id in agent_ids:
        day = work_of(house, agent_id)
        counted = house.database.read_now(
            partial(read_agent_statistics, agent_id=agent_id, hours=Hours(0, 2**40), now_ms=house.now_ms())
        )
        spent = {activity: sum(day.spent[one] for one in states) for activity, states in STATES.items()}
        assert spent == {one: counted.spent[one].spent_ms if one in counted.spent else 0 for one in STATES}
        assert day.breaks == {reason: one.spent_ms for reason, one in counted.breaks if one.spent_ms}
        talks = counted.spent.get(AgentActivity.TALKING)
        assert day.taken == (talks.begun if talks else 0)
        assert day.missed == sum(one.missed for one in counted.spent.values())
        assert all(one.to_ms <= two.from_ms for one, two in pairwise(day.spans))


def told(house: House, agent_id: int) -> list[tuple[str, float, float]]:
    """Return the day of an agent as states with the seconds of their begin and end."""
    return [(span.state.value, second(span.from_ms), second(span.to_ms)) for span in work_of(house, agent_id).spans]


@pytest.mark.parametrize("restarts", [False, True])
async def test_a_call_is_a_ring_a_talk_and_a_wrap_up(house: House, *, restarts: bool) -> None:
    agent_id = house.agent(parameters='{"talk": 20}', wrap_up_time=5)
    await waiting(house, house.queue(agent_id))
    for seconds in (15, 30, 30):
        await house.advance(seconds)
        if restarts:
            house.restart()
    (transfer,) = house.rows(Transfer)
    assert [second(transfer[name]) for name in ("started_ms", "answered_ms", "ended_ms")] == [7, 8, 28]
    assert told(house, agent_id)[-4:] == [
        ("ringing", 7, 8),
        ("talking", 8, 28),
        ("wrapping_up", 28, 33),
        ("available", 33, second(house.now_ms())),
    ]
    assert len(house.rows(AgentPeriod)) == 2
    calls = house.database.read_now(lambda c: read_calls_of_day(c, agent_id, EVER._replace(to_ms=house.now_ms())))
    assert [(one.id, one.talked_ms) for one in calls] == [(house.rows(CallRequest)[0]["id"], 20_000)]
    check_days(house, [agent_id])


@pytest.mark.parametrize("restarts", [False, True])
async def test_looks_at_people_are_told_from_waiting(house: House, *, restarts: bool) -> None:
    (agent_id,) = await previewing(house)
    await house.advance(10)
    skip(house, agent_id)
    await house.advance(10)
    call(house, agent_id)
    await house.advance(5)
    if restarts:
        house.restart()
    await house.advance(40)
    states = [state for state, _, _ in told(house, agent_id)]
    assert states == ["looking", "ringing", "talking", "looking"]
    check_days(house, [agent_id])


@pytest.mark.parametrize("is_handed_over", [False, True])
@pytest.mark.parametrize("restarts", [False, True])
async def test_an_agent_who_is_consulted_talks(house: House, *, restarts: bool, is_handed_over: bool) -> None:
    """The talk before a hand-over is part of their day, and only with the hand-over they have taken a call."""
    agents = await talking(house)
    house.queue(agents[1])
    begin(house, agent_id=agents[1])
    await go_on(house, 7, restarts=restarts)
    order(house, "hand_over" if is_handed_over else "end")
    await go_on(house, 3, 200, restarts=restarts)
    third = house.rows(Transfer)[1]
    rings, talks, ends = (second(third[name]) for name in ("started_ms", "answered_ms", "ended_ms"))
    after = [("wrapping_up", ends, ends + 5), ("available", ends + 5, second(house.now_ms()))]
    assert told(house, agents[1])[-4 if is_handed_over else -3 :] == [
        ("ringing", rings, talks),
        ("talking", talks, ends),
        *(after if is_handed_over else [("available", ends, second(house.now_ms()))]),
    ]
    assert [work_of(house, one).taken for one in agents] == [1, int(is_handed_over)]
    assert house.database.read_now(audit).differences == []
    check_days(house, agents)


async def test_missed_calls_end_in_a_break_with_its_cause(house: House) -> None:
    agent_id = house.agent(parameters='{"missed": 1}')
    await waiting(house, house.queue(agent_id), behaviour=BEHAVIOUR)
    await house.advance(45)
    change = {"status": AgentStatus.ON_BREAK, "break_reason": "", "break_cause": "desk_closed"}
    house.perform(lambda unit: change_agent(unit, agent_id, change))
    await house.advance(60)
    day = work_of(house, agent_id)
    assert day.missed == sum(state == "ringing" for state, _, _ in told(house, agent_id)) > 0
    assert (day.ended_by, day.goes_on, day.spans[-1].cause) == ("desk_closed", True, "desk_closed")
    house.perform(lambda unit: change_agent(unit, agent_id, {"status": AgentStatus.LOGGED_OUT}, 77))
    await house.advance(60)
    day = work_of(house, agent_id)
    assert (day.ended_by, day.goes_on, second(day.last_log_out_ms or 0)) == ("others", False, 105)
    check_days(house, [agent_id])
    found = house.database.read_now(lambda c: read_days(c, true(), [EVER], house.now_ms()))
    assert [(one.agent_id, one.work) for one in found] == [(agent_id, day)]
    house.perform(lambda unit: delete_agent(unit, agent_id))
    assert house.rows(AgentPeriod) == []


async def test_periods_are_removed_as_old_calls_are_and_the_rest_stays(house: House) -> None:
    """A break of many days is kept until its end is too old."""
    agent_id = house.agent()
    for status, days in ((AgentStatus.ON_BREAK, 20), (AgentStatus.AVAILABLE, 15), (AgentStatus.LOGGED_OUT, 20)):
        house.perform(partial(change_agent, agent_id=agent_id, values={"status": status, "break_reason": ""}))
        await house.advance(days * 86_400)
    before = [(row["status"], row["until_ms"]) for row in house.rows(AgentPeriod)]
    assert [status for status, _ in before] == [AgentStatus.ON_BREAK, AgentStatus.AVAILABLE]
    assert await removal(house).remove() == 1
    assert [(row["status"], row["until_ms"]) for row in house.rows(AgentPeriod)] == before[1:]
    assert await removal(house).remove() == 0
