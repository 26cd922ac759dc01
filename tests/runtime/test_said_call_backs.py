"""Tests of call-backs that agents promise while the call goes on: they follow its end, and no restart loses them."""

from typing import Final

import pytest

from dialer.app.call_centre.dispositions import Disposed, dispose_of_call
from dialer.app.work.errors import RefusedError
from dialer.domain.words.enums import AgentDisposition, AgentStatus, CampaignStatus, SubscriberStatus, TransferStatus
from dialer.store.queries.promised_call_backs import promised_call_backs
from dialer.store.reconciliation.reconcile import audit
from dialer.store.tables import CallDisposition, CallRequest, Campaign, DncContact, Subscriber, Transfer
from tests.runtime.house import House
from tests.runtime.test_queues import waiting
from tests.runtime.test_same_agent import BEHAVIOUR, PEOPLE, later, set_status

TALKS: Final = '{"talk": 60, "answer": 2}'
SUCCESS: Final = Disposed(AgentDisposition.SUCCESS)


async def talking(house: House, *, is_completed: bool = False, **values: object) -> list[int]:
    """Let the first of two agents talk with a person for a minute, and return both agents."""
    agents = [house.agent(name=name, parameters=TALKS) for name in ("Ann", "Bob")]
    settings = {"dial_method": 2, "end_when_done": False, "maxretry": 3, **values}
    await waiting(house, house.queue(*agents), PEOPLE[0], behaviour=BEHAVIOUR, is_completed=is_completed, **settings)
    await house.advance(20)
    (transfer,) = house.rows(Transfer)
    assert (transfer["status"], house.rows(Subscriber)[0]["status"]) == (
        TransferStatus.CONNECTED,
        SubscriberStatus.IN_PROCESS,
    )
    return [transfer["agent_id"], next(one for one in agents if one != transfer["agent_id"])]


def say(house: House, after_s: int, *, same_agent: bool = False) -> int:
    """Promise a call-back in the call that goes on, and return its time."""
    at_ms = house.now_ms() + after_s * 1_000
    said = Disposed(AgentDisposition.CALL_BACK, "later", at_ms, same_agent=same_agent)
    house.perform(lambda unit: dispose_of_call(unit, 1, said))
    return at_ms


def state(house: House) -> tuple[int, int]:
    row = house.row(Subscriber, 1)
    return row["status"], row["due_ms"]


@pytest.mark.parametrize("restarts", [False, True])
@pytest.mark.parametrize("same_agent", [False, True])
async def test_a_promise_in_the_call_is_kept_after_it(house: House, *, same_agent: bool, restarts: bool) -> None:
    """One step spans the rest of the call and the call-back."""
    agents = await talking(house, maxretry=0)
    at_ms = say(house, 600, same_agent=same_agent)
    if restarts:
        house.restart()
    if same_agent:
        set_status(house, agents[0], AgentStatus.ON_BREAK)
    await house.advance(3_600)
    if same_agent:
        assert later(house) == [(900, agents[1])]
    else:
        assert [seconds for seconds, _ in later(house)] == [0]
    assert [row["started_ms"] >= at_ms for row in house.rows(CallRequest)] == [False, True]
    assert house.database.read_now(audit).differences == []


async def test_a_promise_is_listed_once_the_call_is_over(house: House) -> None:
    agents = await talking(house)
    at_ms = say(house, 600, same_agent=True)
    assert house.database.read_now(lambda c: promised_call_backs(c, house.user_id)) == []
    await house.advance(100)
    (listed,) = house.database.read_now(lambda c: promised_call_backs(c, house.user_id))
    assert (listed.callrequest_id, listed.at_ms, listed.agent_id) == (1, at_ms, agents[0])
    assert state(house) == (SubscriberStatus.PENDING, at_ms)
    row = house.row(Subscriber, 1)
    assert (row["promised_agent_id"], row["failure_count"], row["completion_count"]) == (agents[0], 0, 0)


@pytest.mark.parametrize("restarts", [False, True])
async def test_what_an_agent_says_last_counts(house: House, *, restarts: bool) -> None:
    await talking(house)
    say(house, 600)
    await house.advance(5)
    house.perform(lambda unit: dispose_of_call(unit, 1, SUCCESS))
    if restarts:
        house.restart()
    await house.advance(3_600)
    assert (state(house), len(house.rows(CallRequest))) == ((SubscriberStatus.SENT, 0), 1)


async def test_a_time_that_passes_during_the_call_is_at_once(house: House) -> None:
    await talking(house)
    at_ms = say(house, 5)
    await house.advance(300)
    first, second = house.rows(CallRequest)
    assert at_ms < first["ended_ms"] <= second["started_ms"] < first["ended_ms"] + 5_000


async def test_a_person_who_completed_the_survey_is_called_back_and_has_completed_it(house: House) -> None:
    """It counts once, also when the call-back is taken back."""
    await talking(house, is_completed=True)
    at_ms = say(house, 600)
    await house.advance(100)
    assert (state(house), house.row(Campaign, 1)["completed"]) == ((SubscriberStatus.PENDING, at_ms), 0)
    house.perform(lambda unit: dispose_of_call(unit, 1, SUCCESS))
    assert (state(house), house.row(Campaign, 1)["completed"]) == ((SubscriberStatus.COMPLETED, 0), 1)
    assert house.database.read_now(audit).differences == []


async def test_nobody_is_called_back_who_must_not_be(house: House) -> None:
    await talking(house)
    say(house, 600)
    house.perform(lambda unit: dispose_of_call(unit, 1, Disposed(AgentDisposition.DO_NOT_CALL)))
    with pytest.raises(RefusedError, match="on a do-not-call list"):
        say(house, 600)
    await house.advance(3_600)
    assert (len(house.rows(CallRequest)), len(house.rows(DncContact))) == (1, 1)


async def test_an_aborted_campaign_calls_nobody_back(house: House) -> None:
    await talking(house)
    say(house, 600)
    await house.move(1, CampaignStatus.ABORT)
    await house.advance(3_600)
    assert (state(house)[0], len(house.rows(CallRequest))) == (SubscriberStatus.ABORT, 1)


async def test_a_call_without_an_agent_takes_no_promise(house: House) -> None:
    agents = await talking(house)
    for agent_id in agents:
        set_status(house, agent_id, AgentStatus.LOGGED_OUT)
    await waiting(house, 1, PEOPLE[1], behaviour=BEHAVIOUR)
    await house.advance(10)
    said = Disposed(AgentDisposition.CALL_BACK, "", house.now_ms() + 600_000)
    with pytest.raises(RefusedError, match="The call is in progress"):
        house.perform(lambda unit: dispose_of_call(unit, 2, said))
    assert house.rows(CallDisposition) == []
