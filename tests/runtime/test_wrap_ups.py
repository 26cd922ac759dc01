"""Tests of the time after a call: it is ended, made longer once, and lasts until a required outcome is said."""

from typing import Final

import pytest

from dialer.app.call_centre.chosen_people import Chosen, dial_chosen
from dialer.app.call_centre.consultations import change_consultation, consult
from dialer.app.call_centre.dispositions import Disposed, dispose_of_call
from dialer.app.call_centre.live_calls import TransferTarget, transfer_call
from dialer.app.call_centre.wrap_ups import end_wrap_up, figures_of, lengthen_wrap_up
from dialer.app.campaigns.delete import delete_campaign
from dialer.app.work.errors import ErrorCode, RefusedError
from dialer.app.work.unit import UnitOfWork
from dialer.domain.words.enums import (
    AgentActivity,
    AgentDisposition,
    AgentStatus,
    CampaignStatus,
    ConsultationMode,
    DialMethod,
)
from dialer.store.reconciliation.reconcile import audit
from dialer.store.rows.agent_hours import read_clock
from dialer.store.tables import Agent, CallRequest, Campaign, Transfer
from tests.runtime.house import House
from tests.runtime.test_manual_dialling import RULES
from tests.runtime.test_queues import waiting
from tests.runtime.test_same_agent import BEHAVIOUR, PEOPLE, set_status

TALKS: Final = '{"talk": 20, "answer": 2}'
LONG: Final = '{"talk": 60, "answer": 2}'
AGENTS: Final = ((1, "Ann"), (2, "Bob"))
SUCCESS: Final = Disposed(AgentDisposition.SUCCESS)


async def centre(house: House, *, agents: int = 1, wrap_up_time: int = 100, **queue: object) -> list[int]:
    """Start a campaign that dials for agents, and let the first calls end at the same time."""
    ids = [house.agent(name=name, parameters=TALKS, wrap_up_time=wrap_up_time) for name in ("Ann", "Bob")[:agents]]
    queue_id = house.queue(*ids, **queue)
    await waiting(house, queue_id, *PEOPLE, behaviour=BEHAVIOUR, dial_method=2, end_when_done=False)
    await house.advance(40)
    return ids


def talks(house: House) -> list[int]:
    """Return the calls in which somebody talked, and talks."""
    return [row["callrequest_id"] for row in house.rows(Transfer) if row["answered_ms"] is not None]


def activity(house: House, agent_id: int) -> AgentActivity | None:
    clock = house.database.read_now(lambda c: read_clock(c, agent_id))
    return None if clock is None else clock.activity(house.now_ms())


def owed(house: House, agent_id: int) -> int:
    """Return the call whose outcome an agent owes; 0 for none."""
    return house.database.read_now(lambda c: figures_of(c, agent_id)).outcome_call_id


def refusal(house: House, agent_id: int, order: object = end_wrap_up) -> ErrorCode:
    with pytest.raises(RefusedError) as caught:
        house.perform(lambda unit: order(unit, agent_id))  # type: ignore[operator] # one of the two orders
    return caught.value.code


@pytest.mark.parametrize("restarts", [False, True])
async def test_an_agent_who_is_ready_gets_the_next_call_at_once(house: House, *, restarts: bool) -> None:
    (agent_id,) = await centre(house)
    assert (talks(house), activity(house, agent_id)) == ([1], AgentActivity.WRAPPING_UP)
    house.perform(lambda unit: end_wrap_up(unit, agent_id))
    assert activity(house, agent_id) is AgentActivity.AVAILABLE
    if restarts:
        house.restart()
    await house.advance(12)
    assert (talks(house), activity(house, agent_id)) == ([1, 2], AgentActivity.TALKING)
    house.perform(lambda unit: end_wrap_up(unit, agent_id))
    assert activity(house, agent_id) is AgentActivity.TALKING
    await house.advance(300)
    assert house.database.read_now(audit).differences == []


@pytest.mark.parametrize("restarts", [False, True])
async def test_the_time_after_a_call_is_made_longer_once(house: House, *, restarts: bool) -> None:
    (agent_id,) = await centre(house, longer_wrap_up=300)
    free_at_ms = house.database.read_now(lambda c: figures_of(c, agent_id)).free_at_ms
    for _ in range(2):
        house.perform(lambda unit: lengthen_wrap_up(unit, agent_id))
    assert house.database.read_now(lambda c: figures_of(c, agent_id)).free_at_ms == free_at_ms + 300_000
    if restarts:
        house.restart()
    await house.advance((free_at_ms + 299_000 - house.now_ms()) / 1_000)
    assert (talks(house), activity(house, agent_id)) == ([1], AgentActivity.WRAPPING_UP)
    await house.advance(13)
    assert talks(house) == [1, 2]
    assert refusal(house, agent_id, lengthen_wrap_up) is ErrorCode.NOT_WRAPPING_UP
    await house.advance(30)
    house.perform(lambda unit: lengthen_wrap_up(unit, agent_id))
    assert house.database.read_now(lambda c: figures_of(c, agent_id)).is_wrap_up_longer


async def test_a_queue_may_allow_no_longer_time(house: House) -> None:
    (agent_id,) = await centre(house, longer_wrap_up=0)
    assert refusal(house, agent_id, lengthen_wrap_up) is ErrorCode.NOT_WRAPPING_UP


@pytest.mark.parametrize("restarts", [False, True])
async def test_the_next_call_waits_for_an_outcome_that_is_required(house: House, *, restarts: bool) -> None:
    """Neither the end of the time after the call, nor a break, nor a log-out takes its place."""
    (agent_id,) = await centre(house, outcome_required=True, wrap_up_time=5)
    await house.advance(600)
    assert refusal(house, agent_id) is ErrorCode.OUTCOME_MISSING
    for status in (AgentStatus.ON_BREAK, AgentStatus.LOGGED_OUT, AgentStatus.AVAILABLE):
        set_status(house, agent_id, status)
    if restarts:
        house.restart()
    await house.advance(600)
    assert (talks(house), activity(house, agent_id)) == ([1], AgentActivity.WRAPPING_UP)
    house.perform(lambda unit: dispose_of_call(unit, 1, SUCCESS))
    assert activity(house, agent_id) is AgentActivity.AVAILABLE
    if restarts:
        house.restart()
    await house.advance(12)
    assert talks(house) == [1, 2]
    assert house.database.read_now(audit).differences == []


async def test_an_agent_who_owes_an_outcome_dials_nobody(house: House) -> None:
    (agent_id,) = await centre(house, outcome_required=True, wrap_up_time=0)
    house.change(Campaign, 1, manual_dialling=True, dial_method=int(DialMethod.PREVIEW))
    assert refusal(house, agent_id, _dial) is ErrorCode.OUTCOME_MISSING


def _dial(unit: UnitOfWork, agent_id: int) -> None:
    dial_chosen(unit, agent_id, Chosen(1, "+33199009999"), RULES)


async def test_an_outcome_that_is_said_in_the_call_counts(house: House) -> None:
    (agent_id,) = await centre(house, outcome_required=True, wrap_up_time=0)
    house.perform(lambda unit: dispose_of_call(unit, 1, SUCCESS))
    await house.advance(12)
    house.perform(lambda unit: dispose_of_call(unit, 2, SUCCESS))
    house.restart()
    await house.advance(40)
    assert talks(house) == [1, 2, 3]
    await house.advance(60)
    assert (talks(house), owed(house, agent_id)) == ([1, 2, 3], 3)


async def test_an_outcome_that_is_saved_early_leaves_the_time_after_the_call(house: House) -> None:
    (agent_id,) = await centre(house, outcome_required=True)
    house.perform(lambda unit: dispose_of_call(unit, 1, SUCCESS))
    await house.advance(30)
    assert (talks(house), activity(house, agent_id)) == ([1], AgentActivity.WRAPPING_UP)
    await house.advance(100)
    assert talks(house) == [1, 2]


async def test_who_talks_last_says_the_outcome(house: House) -> None:
    agents = [house.agent(name=name, parameters='{"talk": 60, "answer": 2}') for name in ("Ann", "Bob")]
    queue_id = house.queue(*agents, outcome_required=True)
    await waiting(house, queue_id, PEOPLE[0], behaviour=BEHAVIOUR, dial_method=2, end_when_done=False)
    await house.advance(20)
    (first,) = [row["agent_id"] for row in house.rows(Transfer)]
    second = next(one for one in agents if one != first)
    house.perform(lambda unit: transfer_call(unit, 1, TransferTarget(agent_id=second)))
    await house.advance(200)
    assert ([owed(house, one) for one in (first, second)], talks(house)) == ([0, 1], [1, 1])


@pytest.mark.parametrize("consults", [False, True])
@pytest.mark.parametrize("requires_first", [False, True])
async def test_who_talks_last_says_what_any_queue_of_the_call_requires(
    house: House, *, consults: bool, requires_first: bool
) -> None:
    first, second = (house.agent(name=name, contact=f"+3319900000{place}", parameters=LONG) for place, name in AGENTS)
    queue_id = house.queue(first, outcome_required=requires_first)
    house.queue(second, outcome_required=not requires_first)
    await waiting(house, queue_id, PEOPLE[0], behaviour=BEHAVIOUR, dial_method=2, end_when_done=False)
    await house.advance(20)
    await _go_on(house, TransferTarget(agent_id=second), consults=consults)
    await house.advance(200)
    assert ([owed(house, one) for one in (first, second)], talks(house)) == ([0, 1], [1, 1])
    house.perform(lambda unit: dispose_of_call(unit, 1, SUCCESS))
    await house.advance(1)
    assert ([owed(house, one) for one in (first, second)], activity(house, second)) == ([0, 0], AgentActivity.AVAILABLE)


@pytest.mark.parametrize("restarts", [False, True])
@pytest.mark.parametrize("consults", [False, True])
async def test_who_gives_a_callee_to_a_number_says_the_outcome(house: House, *, consults: bool, restarts: bool) -> None:
    (agent_id,) = await talking_at_desk(house)
    await _go_on(house, TransferTarget("+33199009999"), consults=consults)
    if restarts:
        house.restart()
    await house.advance(20)
    assert (owed(house, agent_id), activity(house, agent_id)) == (1, AgentActivity.WRAPPING_UP)
    assert refusal(house, agent_id) is ErrorCode.OUTCOME_MISSING
    house.perform(lambda unit: dispose_of_call(unit, 1, SUCCESS))
    await house.advance(100)
    assert (owed(house, agent_id), activity(house, agent_id)) == (0, AgentActivity.AVAILABLE)


@pytest.mark.parametrize("restarts", [False, True])
async def test_a_callee_who_comes_back_finds_the_agent_free_who_says_one_outcome_then(
    house: House, *, restarts: bool
) -> None:
    (agent_id,) = await talking_at_desk(house)
    await _go_on(house, TransferTarget("+12025550112"), consults=False)
    assert owed(house, agent_id) == 1
    for seconds in (30, 30, 60):
        if restarts:
            house.restart()
        await house.advance(seconds)
    assert talks(house) == [1, 1]
    await house.advance(200)
    assert (owed(house, agent_id), activity(house, agent_id)) == (1, AgentActivity.WRAPPING_UP)
    assert house.database.read_now(audit).differences == []


@pytest.mark.parametrize("restarts", [False, True])
@pytest.mark.parametrize("is_required", [False, True])
async def test_who_gives_a_callee_to_a_queue_where_nobody_comes_says_the_outcome(
    house: House, *, restarts: bool, is_required: bool
) -> None:
    """The callee hangs up while they wait there. The agent has been free until then, and gets no other call."""
    (agent_id,) = await talking_at_desk(house, outcome_required=is_required)
    empty_id = house.queue(house.agent(name="Bob", status=int(AgentStatus.ON_BREAK)))
    house.perform(lambda unit: transfer_call(unit, 1, TransferTarget(queue_id=empty_id)))
    await house.advance(3)
    assert (talks(house), owed(house, agent_id)) == ([1], 0)
    if restarts:
        house.restart()
    await house.advance(3_600)
    expected = (1, AgentActivity.WRAPPING_UP) if is_required else (0, AgentActivity.AVAILABLE)
    assert (owed(house, agent_id), activity(house, agent_id)) == expected
    if is_required:
        assert refusal(house, agent_id) is ErrorCode.OUTCOME_MISSING
        house.perform(lambda unit: dispose_of_call(unit, 1, SUCCESS))
    assert (owed(house, agent_id), activity(house, agent_id)) == (0, AgentActivity.AVAILABLE)
    assert house.database.read_now(audit).differences == []


async def talking_at_desk(house: House, *, outcome_required: bool = True) -> list[int]:
    """Let one agent, whose queue requires outcomes unless said otherwise, talk in the only call at 20 s."""
    agent_id = house.agent(parameters=LONG, wrap_up_time=5)
    queue_id = house.queue(agent_id, outcome_required=outcome_required)
    await waiting(house, queue_id, PEOPLE[0], behaviour=BEHAVIOUR, dial_method=2, end_when_done=False)
    await house.advance(20)
    return [agent_id]


async def _go_on(house: House, to: TransferTarget, *, consults: bool) -> None:
    """Let the callee of the only call go on to somebody else, at once or after a talk with them."""
    if not consults:
        house.perform(lambda unit: transfer_call(unit, 1, to))
        await house.advance(3)
        return
    house.perform(lambda unit: consult(unit, 1, to))
    await house.advance(8)
    house.perform(lambda unit: change_consultation(unit, 1, ConsultationMode.HAND_OVER))
    await house.advance(3)


async def test_a_call_that_was_deleted_needs_no_outcome(house: House) -> None:
    (agent_id,) = await centre(house, outcome_required=True)
    assert len(house.rows(CallRequest)) >= 1
    figures = house.row(Agent, agent_id)["figures"].replace('"outcome_call_id":1', '"outcome_call_id":999')
    house.change(Agent, agent_id, figures=figures)
    house.restart()
    house.perform(lambda unit: end_wrap_up(unit, agent_id))
    await house.advance(12)
    assert talks(house) == [1, 2]


async def test_agents_who_owe_the_outcome_of_a_deleted_call_get_the_next_one(house: House) -> None:
    (agent_id,) = await centre(house, outcome_required=True)
    assert owed(house, agent_id) == 1
    (campaign,) = house.rows(Campaign)
    await house.move(campaign["id"], CampaignStatus.ABORT)
    await house.advance(60)
    house.perform(lambda unit: delete_campaign(unit, campaign["id"]))
    await house.advance(100)
    assert (owed(house, agent_id), activity(house, agent_id)) == (0, AgentActivity.AVAILABLE)
