"""Tests of previews on rows: an agent sees a person, calls or skips them, and all of it outlives the process."""

from functools import partial
from typing import Any, Final

import msgspec
import pytest
from sqlalchemy import Executable, delete, update

from dialer.app.call_centre.agents_and_queues import change_agent, delete_agent
from dialer.app.call_centre.previews import PreviewedPerson, call_previewed, read_preview, skip_previewed
from dialer.app.work.errors import RefusedError
from dialer.app.work.unit import UnitOfWork
from dialer.domain.words.enums import AgentStatus, CampaignStatus, DialMethod, SubscriberStatus
from dialer.store.database.touched import EVERYTHING, Touched
from dialer.store.reconciliation.reconcile import audit
from dialer.store.tables import (
    Agent,
    AgentPeriod,
    CallRequest,
    Campaign,
    Cdr,
    Gateway,
    Subscriber,
    Tier,
    Transfer,
    User,
)
from tests.runtime.house import House
from tests.runtime.test_queues import waiting
from tests.runtime.test_transfers import BEHAVIOUR

ADA: Final = "+12025550170"
BEA: Final = "+12025550171"
CLEO: Final = "+12025550172"
AT_DESK: Final = '{"talk": 20, "at_desk": true}'


async def previewing(house: House, *numbers: str, agents: int = 1, **values: object) -> list[int]:
    """Start a campaign whose agents decide at their desks, and return the agents."""
    agent_ids = [house.agent(parameters=AT_DESK, contact=f"+3319900000{index}") for index in range(agents)]
    queue_id = house.queue(*agent_ids)
    settings: dict[str, Any] = {"dial_method": DialMethod.PREVIEW, "intervalretry": 120, **values}
    await waiting(house, queue_id, *(numbers or (ADA, BEA, CLEO)), **settings)
    return agent_ids


def seen(house: House, agent_id: int) -> PreviewedPerson | None:
    return house.database.read_now(partial(read_preview, agent_id=agent_id))


def number_seen(house: House, agent_id: int) -> str | None:
    person = seen(house, agent_id)
    return None if person is None else person.number


def call(house: House, agent_id: int) -> None:
    person = seen(house, agent_id)
    assert person is not None
    house.perform(lambda unit: call_previewed(unit, agent_id, person.subscriber_id))


def skip(house: House, agent_id: int) -> None:
    person = seen(house, agent_id)
    assert person is not None
    house.perform(lambda unit: skip_previewed(unit, agent_id, person.subscriber_id))


def calls(house: House) -> list[tuple[str, int]]:
    """Return the numbers that were called, and the seconds from the start."""
    return [
        (row["phone_number"], int(at_s)) for row, at_s in zip(house.rows(CallRequest), house.dials_s(), strict=True)
    ]


def write(house: House, statement: Executable, touched: Touched) -> None:
    """Change rows, and tell the worker."""

    def work(unit: UnitOfWork) -> None:
        unit.connection.execute(statement)
        unit.note(touched)

    house.perform(work)


def is_sound(house: House) -> bool:
    """Return whether the books agree, and no money is held once no call is in progress."""
    held = house.row(User, house.user_id)["held"]
    return house.database.read_now(audit).differences == [] and held == 0


async def test_an_agent_calls_the_person_whom_they_see_and_talks_with_them(house: House) -> None:
    (agent_id,) = await previewing(house)
    await house.advance(30)
    person = seen(house, agent_id)
    assert person is not None
    assert (person.number, person.attempts, person.until_ms - person.from_ms, person.call_id) == (ADA, 0, 60_000, None)
    assert (calls(house), person.is_wanted) == ([], False)
    call(house, agent_id)
    person = seen(house, agent_id)
    assert person is not None
    assert person.is_wanted
    with pytest.raises(RefusedError, match="calls this person already"):
        skip(house, agent_id)
    await house.advance(5)
    (request,) = house.rows(CallRequest)
    person = seen(house, agent_id)
    assert (calls(house), person and person.call_id) == ([(ADA, 30)], request["id"])
    call(house, agent_id)
    with pytest.raises(RefusedError, match="calls this person already"):
        skip(house, agent_id)
    await house.advance(20)
    (transfer,) = house.rows(Transfer)
    assert (transfer["agent_id"], seen(house, agent_id)) == (agent_id, None)
    await house.advance(20)
    assert (number_seen(house, agent_id), calls(house), is_sound(house)) == (BEA, [(ADA, 30)], True)


async def test_a_person_who_is_skipped_waits_and_is_given_up_after_the_third_time(house: House) -> None:
    (agent_id,) = await previewing(house, ADA)
    for count in (1, 2, 3):
        skip(house, agent_id)
        await house.advance(1)
        (person,) = house.rows(Subscriber)
        assert (person["skip_count"], person["status_reason"], seen(house, agent_id)) == (count, "skipped", None)
        await house.advance(121)
    (person,), (campaign,) = house.rows(Subscriber), house.rows(Campaign)
    assert (person["status"], campaign["status"], calls(house)) == (SubscriberStatus.FAIL, CampaignStatus.END, [])
    assert is_sound(house)


async def test_an_agent_who_does_not_decide_is_on_a_break(house: House) -> None:
    (agent_id,) = await previewing(house, preview_seconds=20)
    await house.advance(21)
    row = house.row(Agent, agent_id)
    assert (seen(house, agent_id), row["status"], row["break_cause"]) == (None, AgentStatus.ON_BREAK, "preview_over")
    assert [period["cause"] for period in house.rows(AgentPeriod)][-1:] == ["preview_over"]
    assert (house.rows(Subscriber)[0]["status"], calls(house)) == (SubscriberStatus.PENDING, [])


async def test_a_campaign_can_call_when_the_time_is_over(house: House) -> None:
    (agent_id,) = await previewing(house, preview_seconds=20, preview_calls=True)
    await house.advance(25)
    assert (calls(house), house.row(Agent, agent_id)["status"]) == ([(ADA, 20)], AgentStatus.AVAILABLE)


@pytest.mark.parametrize("step", ["seen", "ordered", "dialled", "talking"])
async def test_the_end_of_a_process_changes_nothing(house: House, step: str) -> None:
    """Nobody is dialled twice, and each person whom an agent called talks with this agent."""
    first, second = await previewing(house, agents=2)
    await house.advance(1)
    assert (number_seen(house, first), number_seen(house, second)) == (ADA, BEA)
    if step == "seen":
        house.restart()
        await house.advance(1)
        assert (number_seen(house, first), number_seen(house, second)) == (ADA, BEA)
    call(house, second)
    if step == "ordered":
        house.restart()
    await house.advance(2)
    if step == "dialled":
        house.restart()
    await house.advance(10)
    if step == "talking":
        house.restart()
    call(house, first)
    await house.advance(100)
    by_number = {row["phone_number"]: row["id"] for row in house.rows(CallRequest)}
    talks = {row["callrequest_id"]: row["agent_id"] for row in house.rows(Transfer)}
    assert talks == {by_number[ADA]: first, by_number[BEA]: second}
    assert is_sound(house)


@pytest.mark.parametrize("end", ["break", "tier", "pause", "method", "dnc", "subscriber", "delete"])
async def test_a_look_ends_with_what_allows_it(house: House, end: str) -> None:
    """The order that comes in the same moment is not obeyed."""
    dnc_id = house.dnc_list("+33199009999")
    first, second = await previewing(house, ADA, agents=2, dnc_id=dnc_id)
    (campaign,), (person,) = house.rows(Campaign), house.rows(Subscriber)
    call(house, first)
    if end == "break":
        house.perform(lambda unit: change_agent(unit, first, {"status": AgentStatus.ON_BREAK}))
    elif end == "tier":
        tiers = delete(Tier).where(Tier.agent_id == first)
        write(house, tiers, EVERYTHING)
    elif end == "pause":
        await house.move(campaign["id"], CampaignStatus.PAUSE)
    elif end == "method":
        changed = update(Campaign).values(dial_method=DialMethod.PROGRESSIVE, agent_dial_rate=1)
        write(house, changed, EVERYTHING)
    elif end == "dnc":
        house.call_off(dnc_id, ADA)
    elif end == "subscriber":
        halted = update(Subscriber).values(status=SubscriberStatus.PAUSE)
        touched = Touched(campaigns=frozenset({campaign["id"]}))
        write(house, halted, touched)
    else:
        house.perform(lambda unit: delete_agent(unit, first))
    await house.advance(3)
    sees = end in {"break", "tier", "delete"}
    assert (number_seen(house, first), number_seen(house, second)) == (None, ADA if sees else None)
    assert calls(house) == []
    status = {"dnc": SubscriberStatus.NOT_AUTHORIZED, "subscriber": SubscriberStatus.PAUSE}
    assert house.row(Subscriber, person["id"])["status"] == status.get(end, SubscriberStatus.PENDING)


async def test_an_account_without_money_shows_nobody_and_pauses(house: House) -> None:
    house.pay(-house.row(User, house.user_id)["balance"])
    (agent_id,) = await previewing(house)
    await house.advance(5)
    (campaign,) = house.rows(Campaign)
    assert (seen(house, agent_id), campaign["status_reason"], calls(house)) == (None, "no_credit", [])


async def test_a_full_gateway_lets_the_call_wait_and_shows_nobody_further(house: House) -> None:
    house.change(Gateway, house.gateway_id, max_channels=1)
    first, second = await previewing(house, agents=2)
    await house.advance(1)
    call(house, first)
    call(house, second)
    await house.advance(10)
    assert len(calls(house)) == 1
    await house.advance(60)
    assert ([number for number, _ in calls(house)], is_sound(house)) == ([ADA, BEA], True)


async def test_a_simulated_agent_decides_by_their_profile(house: House) -> None:
    agent_ids = [house.agent(parameters='{"talk": 20, "preview": 4, "skipped": 0.5}') for _ in range(2)]
    numbers = [f"+331990010{index:02d}" for index in range(20)]
    settings: dict[str, Any] = {"dial_method": DialMethod.PREVIEW, "intervalretry": 10}
    await waiting(house, house.queue(*agent_ids), *numbers, **settings)
    house.change(Gateway, house.gateway_id, parameters=BEHAVIOUR)
    await house.advance(3_600)
    (campaign,) = house.rows(Campaign)
    ends = {SubscriberStatus(row["status"]) for row in house.rows(Subscriber)}
    assert (campaign["status_reason"], ends) == ("completed", {SubscriberStatus.SENT, SubscriberStatus.FAIL})
    called = [row["phone_number"] for row in house.rows(CallRequest)]
    assert (len(called), len(set(called))) == (sum(row["count_attempt"] > 0 for row in house.rows(Subscriber)),) * 2
    assert (campaign["abandoned"], is_sound(house)) == (0, True)
    assert {row["agent_id"] for row in house.rows(Transfer)} == set(agent_ids)


async def test_rows_of_agents_hold_what_they_see_and_nothing_else(house: House) -> None:
    (agent_id,) = await previewing(house, ADA)
    kept = msgspec.json.decode(house.row(Agent, agent_id)["preview"])
    assert set(kept) == {"campaign_id", "subscriber_id", "from_ms", "until_ms", "call_id", "is_chosen"}
    call(house, agent_id)
    await house.advance(100)
    row = house.row(Agent, agent_id)
    assert (row["preview"], row["preview_order"]) == ("", "")
    assert [leg["leg_type"] for leg in house.rows(Cdr)] == [2, 1]


async def test_many_agents_see_persons_at_once(house: House) -> None:
    numbers = [f"+331990020{index:02d}" for index in range(60)]
    agent_ids = await previewing(house, *numbers, agents=60)
    await house.advance(1)
    assert {number_seen(house, agent_id) for agent_id in agent_ids} == set(numbers)
    for agent_id in agent_ids:
        call(house, agent_id)
    await house.advance(100)
    assert ({number for number, _ in calls(house)}, is_sound(house)) == (set(numbers), True)
    assert [row["preview"] for row in house.rows(Agent)] == [""] * 60
