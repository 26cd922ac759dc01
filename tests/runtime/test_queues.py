"""Tests of queued calls and their agents: rows, money, and changes meanwhile."""

import itertools
import tempfile
from pathlib import Path
from typing import Any, Final

import anyio
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import delete
from structlog.testing import capture_logs

from dialer.domain.words.enums import AgentStatus, CampaignStatus, LegType, SubscriberStatus, TransferStatus
from dialer.store.queries.survey_results import AnswerCount, SectionCount, count_answers
from dialer.store.tables import (
    Agent,
    CallRequest,
    Campaign,
    Cdr,
    Gateway,
    LedgerEntry,
    Queue,
    Row,
    SectionTemplate,
    SmsMessage,
    Subscriber,
    Transfer,
    User,
)
from tests.runtime.centre import centre
from tests.runtime.house import CENTS, House
from tests.runtime.test_transfers import BEHAVIOUR, CALLER, MINUTE, money, second
from tests.sizes import examples

QUICK: Final = '{"talk": 20}'
"""An agent who is offered a call at 7 s, takes it at 8 s, and talks until 28 s."""


async def waiting(
    house: House,
    queue_id: int,
    *numbers: str,
    behaviour: str = BEHAVIOUR,
    is_completed: bool = False,
    **values: object,
) -> int:
    """Start a campaign that has dialled its first subscriber and dials the next in a second."""
    house.change(Gateway, house.gateway_id, parameters=behaviour)
    section: dict[str, Any] = {"type": 6, "script": "one two three four five", "queue_id": queue_id}
    section["completed"] = is_completed
    goodbye = {"type": 7, "script": "one two three four five six seven eight nine ten"}
    survey_id = house.survey(section, goodbye, branches={0: {"timeout": 1, "0": None}})
    return await house.started(
        survey_id, house.phonebook(*(numbers or (CALLER,))), **{"callmaxduration": 120, **values}
    )


def fates(house: House) -> list[tuple[str, int | None, bool]]:
    """Return, for each transfer, its reason, its agent, and whether it was abandoned."""
    return [(row["reason"], row["agent_id"], row["is_abandoned"]) for row in house.rows(Transfer)]


def delete_queues(house: House) -> None:
    """Delete all queues as the deletion of an account does. The API would refuse that."""
    for section in house.rows(SectionTemplate):
        house.change(SectionTemplate, section["id"], queue_id=None)
    house.database.write_now(lambda connection: connection.execute(delete(Queue)))


async def test_an_agent_who_takes_a_call_leaves_rows(house: House) -> None:
    agent_id = house.agent(parameters=QUICK, wrap_up_time=5, contact="+33199000001")
    queue_id = house.queue(agent_id)
    await waiting(house, queue_id)
    await house.advance(60)
    b_leg, a_leg = house.rows(Cdr)
    names = ("leg_type", "callerid", "phone_number", "duration", "billsec", "call_cost")
    assert [b_leg[name] for name in names] == [2, CALLER, "+33199000001", 21, 20, MINUTE]
    assert [a_leg[name] for name in names] == [1, "", CALLER, 28, 23, MINUTE]
    (transfer,) = house.rows(Transfer)
    names = ("queue_id", "agent_id", "gateway_id", "status", "reason", "offers")
    assert [transfer[name] for name in names] == [queue_id, agent_id, 0, TransferStatus.OVER, "", "{}"]
    moments = ("joined_ms", "score_from_ms", "started_ms", "answered_ms", "ended_ms")
    assert [second(transfer[name]) for name in moments] == [7, 7, 7, 8, 28]
    (campaign,) = house.rows(Campaign)
    assert [campaign[name] for name in ("live_answered", "abandoned", "cost")] == [1, 0, 2 * MINUTE]
    assert house.row(Queue, queue_id)["last_agent_id"] == agent_id
    assert '"calls_answered":1' in house.row(Agent, agent_id)["figures"]
    assert money(house) == (2 * MINUTE, 2 * MINUTE, 0)


async def test_an_abandoned_call_is_counted_once(house: House) -> None:
    """One callee hangs up after a second, one is served too late, and one is never served."""
    numbers = [f"+3319900123{place}" for place in range(3)]
    impatient = f'{{"numbers": {{"{numbers[0]}": {{"outcome": "answer", "ring": 4, "patience": 1}}}}, '
    behaviour = impatient + BEHAVIOUR.removeprefix("{")
    agent_id = house.agent(parameters='{"talk": 200, "answer": 5}')
    await waiting(house, house.queue(agent_id), *numbers, behaviour=behaviour)
    await house.advance(300)
    assert fates(house) == [("gave_up", None, False), ("", agent_id, True), ("hung_up", None, True)]
    (campaign,) = house.rows(Campaign)
    assert [campaign[name] for name in ("live_answered", "abandoned")] == [3, 2]


@pytest.mark.parametrize("restarts", [False, True])
async def test_only_a_callee_whom_an_agent_takes_completes_a_transfer(house: House, *, restarts: bool) -> None:
    """The first is served until 28 s, the second leaves the queue after 5 s, and is called once more in vain."""
    numbers = CALLER, "+33199001235"
    agent_id = house.agent(parameters='{"talk": 100}')
    campaign_id = await waiting(
        house,
        house.queue(agent_id, max_wait_time=5),
        *numbers,
        is_completed=True,
        completion_maxretry=1,
        completion_intervalretry=30,
    )
    await house.advance(20)
    if restarts:
        house.restart()
    standing = [(row["status"], row["status_reason"]) for row in house.rows(Subscriber)]
    assert standing == [(SubscriberStatus.IN_PROCESS, ""), (SubscriberStatus.PENDING, "not_served")]
    await house.advance(300)
    assert fates(house) == [("", agent_id, False), *[("max_wait", None, True)] * 2]
    standing = [(row["status"], row["status_reason"]) for row in house.rows(Subscriber)]
    assert standing == [(SubscriberStatus.COMPLETED, ""), (SubscriberStatus.FAIL, "abandoned")]
    assert [row["is_completed"] for row in house.rows(Cdr) if row["leg_type"] == LegType.A_LEG] == [False, False, True]
    assert house.row(Campaign, campaign_id)["completed"] == 1
    counted = house.database.read_now(lambda connection: count_answers(connection, campaign_id))
    assert counted == {1: SectionCount(3, [AnswerCount("queue: 1", 3)], unserved=2, went_on=2)}


@pytest.mark.parametrize("restarts", [False, True])
@pytest.mark.parametrize(
    ("at_s", "legs", "fate"),
    [
        (6, [(1, 6)], []),
        (7.5, [(1, 8)], [("hung_up", None, False)]),
        (9, [(2, 2), (1, 9)], [("", 1, False)]),
    ],
)
async def test_a_campaign_that_is_aborted_leaves_no_agent_in_a_call(
    house: House, at_s: float, legs: list[tuple[int, int]], fate: list[tuple[str, int | None, bool]], *, restarts: bool
) -> None:
    """The abort comes during the prompt, the offer or the conversation. The agent is free for the next call."""
    queue_id = house.queue(house.agent(parameters=QUICK))
    campaign_id = await waiting(house, queue_id)
    await house.advance(at_s)
    if restarts:
        house.restart()
    await house.move(campaign_id, CampaignStatus.ABORT)
    assert [(row["leg_type"], row["duration"]) for row in house.rows(Cdr)] == legs
    assert fates(house) == fate
    assert money(house)[2] == 0
    await waiting(house, queue_id, "+33199001239")
    await house.advance(60)
    assert fates(house)[-1] == ("", 1, False)


@pytest.mark.parametrize("restarts", [False, True])
async def test_a_call_in_a_deleted_queue_goes_on(house: House, *, restarts: bool) -> None:
    """The call continues at once, as unserved. A later call finds no queue."""
    queue_id = house.queue(house.agent(status=AgentStatus.ON_BREAK))
    await waiting(house, queue_id, CALLER, "+33199001235")
    await house.advance(7.5)
    delete_queues(house)
    if restarts:
        house.restart()
    await house.advance(60)
    assert house.worker.problem() is None
    assert fates(house) == [("no_queue", None, False), ("no_queue", None, False)]
    assert [row["duration"] for row in house.rows(Cdr)] == [12, 11]
    assert [row["status"] for row in house.rows(Subscriber)] == [SubscriberStatus.SENT] * 2
    assert money(house)[2] == 0


@pytest.mark.parametrize("at_s", [7.5, 9])
@pytest.mark.parametrize("restarts", [False, True])
@pytest.mark.parametrize("also_later", [False, True])
async def test_an_agent_who_is_deleted_stops_no_service(
    house: House, at_s: float, *, restarts: bool, also_later: bool
) -> None:
    """A conversation goes on, and an offer is withdrawn."""
    await waiting(house, house.queue(house.agent(parameters=QUICK)))
    await house.advance(at_s)
    house.database.write_now(lambda connection: connection.execute(delete(Agent)))
    if restarts:
        house.restart()
    await house.advance(4)
    if also_later:
        house.restart()
    await house.advance(300)
    assert house.worker.problem() is None
    assert [row["duration"] for row in house.rows(Cdr)] == ([21, 28] if at_s == 9 else [125])
    assert [row["agent_id"] for row in house.rows(Transfer)] == [None]
    assert money(house)[2] == 0


@pytest.mark.parametrize("restarts", [False, True])
async def test_a_queue_that_is_deleted_while_its_caller_talks_changes_nothing(house: House, *, restarts: bool) -> None:
    await waiting(house, house.queue(house.agent(parameters=QUICK)))
    await house.advance(9)
    delete_queues(house)
    if restarts:
        house.restart()
    await house.advance(60)
    assert [(row["leg_type"], row["duration"]) for row in house.rows(Cdr)] == [(2, 21), (1, 28)]
    assert fates(house) == [("", 1, False)]


@pytest.mark.parametrize("restarts", [False, True])
async def test_a_queue_that_is_deleted_after_its_caller_left_it_stops_no_step(house: House, *, restarts: bool) -> None:
    """The call has left the queue after some seconds, and hears the goodbye when the queue is deleted."""
    await waiting(house, house.queue(max_wait_time=2))
    await house.advance(10)
    assert fates(house) == [("max_wait", None, False)]
    delete_queues(house)
    if restarts:
        house.restart()
    with capture_logs() as lines:
        await house.advance(60)
    assert [line["event"] for line in lines if line["log_level"] == "error"] == []
    assert [(row["leg_type"], row["duration"]) for row in house.rows(Cdr)] == [(1, 13)]


@pytest.mark.parametrize("restarts", [False, True])
async def test_an_agent_who_is_changed_while_they_talk_keeps_talking(house: House, *, restarts: bool) -> None:
    agent_id = house.agent(parameters=QUICK)
    await waiting(house, house.queue(agent_id))
    await house.advance(9)
    house.change(Agent, agent_id, parameters='{"talk": 5}', status=AgentStatus.LOGGED_OUT)
    if restarts:
        house.restart()
    await house.advance(60)
    assert [(row["leg_type"], row["duration"]) for row in house.rows(Cdr)] == [(2, 21), (1, 28)]


@pytest.mark.parametrize("restarts", [False, True])
async def test_an_agent_who_is_changed_during_an_offer_takes_the_call_by_the_new_settings(
    house: House, *, restarts: bool
) -> None:
    agent_id = house.agent(parameters='{"talk": 20, "answer": 10}')
    await waiting(house, house.queue(agent_id))
    await house.advance(8)
    house.change(Agent, agent_id, parameters='{"talk": 20, "answer": 4}')
    if restarts:
        house.restart()
    await house.advance(60)
    assert [second(row["answered_ms"]) for row in house.rows(Transfer)] == [11]


async def test_an_agent_who_logs_in_is_asked_at_once(house: House) -> None:
    agent_id = house.agent(status=AgentStatus.LOGGED_OUT, parameters=QUICK)
    await waiting(house, house.queue(agent_id))
    await house.advance(20)
    house.change(Agent, agent_id, status=AgentStatus.AVAILABLE)
    await house.worker.settle()
    await house.advance(60)
    assert [second(row["answered_ms"]) for row in house.rows(Transfer)] == [21]


async def test_an_agent_on_demand_takes_one_call_and_is_on_break_then(house: House) -> None:
    agent_id = house.agent(status=AgentStatus.AVAILABLE_ON_DEMAND, parameters=QUICK)
    await waiting(house, house.queue(agent_id), CALLER, "+33199001235")
    await house.advance(300)
    assert [row["agent_id"] for row in house.rows(Transfer)] == [agent_id, None]
    assert house.row(Agent, agent_id)["status"] == AgentStatus.ON_BREAK


async def test_the_hold_of_an_unserved_transfer_is_released_for_other_calls(house: House) -> None:
    """The balance is four minutes, and each leg holds two. The dial of 8.6 s waits until the queue gives up at 12 s."""
    house.pay(4 * MINUTE - 100_000 * CENTS)
    await waiting(house, house.queue(max_wait_time=5), CALLER, "+33199001235", frequency=7)
    await house.advance(15)
    assert house.dials_s() == [0, 12]


# --- what never happens ----------------------------------------------------------------------------------------------


def in_progress(house: House, model: type[Row], began: str, ended: str, **values: object) -> int:
    """Return the largest number of rows of a kind that were in progress at once."""
    rows = [row for row in house.rows(model) if all(row[name] == value for name, value in values.items())]
    moments = [(row[began], 1) for row in rows if row[began] is not None and row[began] < row[ended]]
    moments += [(row[ended], -1) for row in rows if row[began] is not None and row[began] < row[ended]]
    return max(itertools.accumulate(step for _, step in sorted(moments)), default=0)


def check_limits(house: House) -> None:
    """Check that no limit was exceeded, once all calls have ended."""
    for agent in house.rows(Agent):
        assert in_progress(house, Transfer, "answered_ms", "ended_ms", agent_id=agent["id"]) <= 1
    of_first = {row["id"] for row in house.rows(CallRequest) if row["campaign_id"] == 1}
    legs = [row for row in house.rows(Transfer) if row["callrequest_id"] in of_first and row["hold"]]
    moments = sorted(itertools.chain(((row["joined_ms"], 1) for row in legs), ((row["ended_ms"], -1) for row in legs)))
    assert max(itertools.accumulate(step for _, step in moments), default=0) <= 2
    placed = [(row["started_ms"], row["ended_ms"]) for row in house.rows(CallRequest) if row["attempt"] > 0]
    placed += [(row["started_ms"], row["ended_ms"]) for row in house.rows(Transfer) if row["gateway_id"]]
    moments = sorted(itertools.chain(((began, 1) for began, _ in placed), ((max(leg), -1) for leg in placed)))
    assert max(itertools.accumulate(step for _, step in moments), default=0) <= 9
    starts = sorted(began for began, ended in placed if ended > began)
    assert all(later - earlier >= 1_000 for earlier, later in itertools.pairwise(starts))


def check_money(house: House) -> None:
    """Check that the balance is payments less charges, and that each charge is that of a leg or a message."""
    user = house.row(User, house.user_id)
    assert user["balance"] == sum(row["amount"] for row in house.rows(LedgerEntry)) >= 0
    charged = -sum(row["amount"] for row in house.rows(LedgerEntry) if row["kind"] in {"call", "sms"})
    cost = sum(row["call_cost"] for row in house.rows(Cdr)) + sum(row["cost"] for row in house.rows(SmsMessage))
    assert charged == cost == sum(row["cost"] for row in house.rows(Campaign))
    calls = sum(row["hold"] for row in house.rows(CallRequest)) + sum(row["hold"] for row in house.rows(SmsMessage))
    legs = sum(row["hold"] for row in house.rows(Transfer) if row["status"] != TransferStatus.OVER)
    assert user["held"] == calls + legs <= user["balance"]


async def aborted(seconds: list[float], *, restarts: bool) -> None:
    """Run a busy call centre, check it at some moments, and abort it."""
    with tempfile.TemporaryDirectory() as folder:
        house = await centre(Path(folder))
        for passed in seconds:
            await house.advance(passed)
            check_money(house)
        if restarts:
            house.restart()
        for campaign in house.rows(Campaign):
            if campaign["status"] in {CampaignStatus.START, CampaignStatus.PAUSE}:
                await house.move(campaign["id"], CampaignStatus.ABORT)
        assert house.worker.calls_in_progress == 0 or house.rows(Campaign)[0]["status"] == CampaignStatus.END
        await house.advance(3_600)
        check_money(house)
        check_limits(house)
        assert house.row(User, house.user_id)["held"] == house.worker.calls_in_progress == 0
        assert {row["status"] for row in house.rows(Transfer)} <= {TransferStatus.OVER}
        a_legs = [row["callrequest_id"] for row in house.rows(Cdr) if row["leg_type"] == 1 and row["callrequest_id"]]
        assert sorted(a_legs) == [row["id"] for row in house.rows(CallRequest)]
        assert len({row["callid"] for row in house.rows(Cdr)}) == len(house.rows(Cdr))
        house.database.close()


@settings(max_examples=examples(5))
@given(seconds=st.lists(st.floats(0.5, 400), min_size=1, max_size=6), restarts=st.booleans())
def test_whenever_a_centre_is_aborted_nothing_is_left_over(seconds: list[float], *, restarts: bool) -> None:
    anyio.run(lambda: aborted(seconds, restarts=restarts))


async def test_no_limit_is_exceeded_all_day(tmp_path: Path) -> None:
    house = await centre(tmp_path)
    await house.advance(6 * 3_600)
    check_money(house)
    check_limits(house)
    assert in_progress(house, Transfer, "answered_ms", "ended_ms", gateway_id=0) > 1
    house.database.close()
