"""Tests of call-backs that agents take themselves: nobody else gets them within their limit, and none is lost."""

import tempfile
from pathlib import Path
from typing import Any, Final, NamedTuple

import anyio
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dialer.app.call_centre.agents_and_queues import change_agent
from dialer.app.call_centre.dispositions import Disposed, dispose_of_call, disposition_of
from dialer.app.work.errors import InvalidFieldsError
from dialer.domain.words.enums import AgentDisposition, AgentStatus, CampaignStatus, DialMethod, QueueStrategy
from dialer.store.queries.promised_call_backs import promised_by_agent, promised_call_backs
from dialer.store.reconciliation.reconcile import audit
from dialer.store.tables import CallDisposition, CallRequest, Campaign, Subscriber, Transfer
from tests.runtime.house import House
from tests.runtime.test_queues import waiting
from tests.sizes import examples

PEOPLE: Final = tuple(f"+3319900123{digit}" for digit in range(6))
BEHAVIOUR: Final = (
    '{"answer": 1, "machine": 0, "busy": 0, "rejected": 0, "invalid": 0, "ring": 4, "talk": 40,'
    ' "patience": 3000, "key_delay": 2}'
)
"""A gateway whose callees answer 5 s after the dial, and wait for an agent as long as they must."""
LONG: Final = '{"talk": 600, "answer": 2}'
SHORT: Final = '{"talk": 20, "answer": 2}'
PROGRESSIVE: Final = DialMethod.PROGRESSIVE
WITHOUT_PREVIEW: Final = [one for one in DialMethod if one is not DialMethod.PREVIEW]
"""The ways of dialling in which no agent looks at a person before the call, so that the time of the dial is known."""


def talked(house: House) -> dict[int, int]:
    """Return the agent who talked in each call."""
    return {row["callrequest_id"]: row["agent_id"] for row in house.rows(Transfer) if row["answered_ms"] is not None}


def promise(house: House, call_id: int, at_ms: int) -> None:
    given_ = Disposed(AgentDisposition.CALL_BACK, "mine", at_ms, same_agent=True)
    house.perform(lambda unit: dispose_of_call(unit, call_id, given_))


def later(house: House) -> list[tuple[float, int | None]]:
    """Return each further attempt: the seconds from the promised time to its dial, and the agent who took it."""
    agents = talked(house)
    (due,) = {row["call_back_ms"] for row in house.rows(CallDisposition)}
    again = [row for row in house.rows(CallRequest) if row["attempt"] == 2]
    return [((row["started_ms"] - due) / 1_000, agents.get(row["id"])) for row in again]


async def promised(house: House, *, dial_method: int = PROGRESSIVE, wait_s: int = 300, **first: object) -> list[int]:
    """Let the first of two agents promise a call-back in ten minutes, and return both agents."""
    agents = [house.agent(name=name, parameters=SHORT, **first) for name in ("Ann", "Bob")]
    queue_id = house.queue(*agents, strategy=int(QueueStrategy.TOP_DOWN))
    campaign_id = await waiting(
        house,
        queue_id,
        PEOPLE[0],
        behaviour=BEHAVIOUR,
        dial_method=dial_method,
        call_back_wait=wait_s,
        end_when_done=False,
    )
    await house.advance(60)
    assert talked(house) == {1: agents[0]}
    promise(house, 1, house.now_ms() + 600_000)
    assert house.row(Campaign, campaign_id)["status"] == CampaignStatus.START
    return agents


def set_status(house: House, agent_id: int, status: AgentStatus) -> None:
    house.perform(lambda unit: change_agent(unit, agent_id, {"status": status}))


@pytest.mark.parametrize("dial_method", WITHOUT_PREVIEW)
@pytest.mark.parametrize("restarts", [False, True])
async def test_the_agent_who_promised_takes_the_call(house: House, dial_method: int, *, restarts: bool) -> None:
    """The other agent comes first in the queue by then."""
    agents = await promised(house, dial_method=dial_method)
    set_status(house, agents[0], AgentStatus.ON_BREAK)
    await house.advance(500)
    set_status(house, agents[0], AgentStatus.AVAILABLE)
    for seconds in (101, 4, 5, 3):
        if restarts:
            house.restart()
        await house.advance(seconds)
    await house.advance(60)
    assert later(house) == [(0, agents[0])]
    assert house.database.read_now(audit).differences == []


@pytest.mark.parametrize("dial_method", WITHOUT_PREVIEW)
async def test_the_call_waits_until_the_agent_is_back(house: House, dial_method: int) -> None:
    agents = await promised(house, dial_method=dial_method)
    set_status(house, agents[0], AgentStatus.ON_BREAK)
    await house.advance(700)
    house.restart()
    await house.advance(100)
    assert later(house) == []
    set_status(house, agents[0], AgentStatus.AVAILABLE)
    await house.advance(60)
    ((seconds, agent_id),) = later(house)
    assert (200 <= seconds < 205, agent_id) == (True, agents[0])


@pytest.mark.parametrize("dial_method", WITHOUT_PREVIEW)
@pytest.mark.parametrize("restarts", [False, True])
async def test_after_the_limit_any_agent_takes_the_call(house: House, dial_method: int, *, restarts: bool) -> None:
    agents = await promised(house, dial_method=dial_method)
    set_status(house, agents[0], AgentStatus.LOGGED_OUT)
    await house.advance(899)
    if restarts:
        house.restart()
    assert later(house) == []
    await house.advance(60)
    ((seconds, agent_id),) = later(house)
    assert (300 <= seconds < 305, agent_id) == (True, agents[1])


async def test_an_agent_who_leaves_while_the_callee_is_on_the_telephone_lets_nobody_wait(house: House) -> None:
    agents = await promised(house)
    await house.advance(603)
    set_status(house, agents[0], AgentStatus.LOGGED_OUT)
    await house.advance(60)
    assert later(house) == [(0, agents[1])]


async def test_no_other_call_takes_the_agent_who_waits_for_one(house: House) -> None:
    """The other agent is on a break, and somebody is added who would be called at once."""
    agents = await promised(house)
    set_status(house, agents[1], AgentStatus.ON_BREAK)
    await house.advance(602)
    (book,) = {row["phonebook_id"] for row in house.rows(Subscriber)}
    house.contact(book, PEOPLE[1])
    await house.advance(20)
    assert [row["phone_number"] for row in house.rows(CallRequest)][1:] == [PEOPLE[0]]
    await house.advance(100)
    assert list(talked(house).values()) == [agents[0]] * 3


async def test_a_promise_is_listed_taken_back_and_refused_where_nobody_can_keep_it(house: House) -> None:
    agents = await promised(house)
    (listed,) = house.database.read_now(lambda c: promised_call_backs(c, house.user_id))
    assert (listed.agent_id, listed.same_agent) == (agents[0], True)
    by_agent = [house.database.read_now(lambda c, of=of: promised_by_agent(c, house.user_id, of, 20)) for of in agents]  # type: ignore[misc]
    assert by_agent == [[listed], []]
    said = house.database.read_now(lambda c: disposition_of(c, 1))
    assert said is not None
    assert said.same_agent
    house.perform(lambda unit: dispose_of_call(unit, 1, Disposed(AgentDisposition.SUCCESS)))
    row = house.row(Subscriber, 1)
    assert (row["promised_agent_id"], row["promised_until_ms"]) == (None, 0)
    for given_ in (
        Disposed(AgentDisposition.CALL_BACK, same_agent=True),
        Disposed(AgentDisposition.SUCCESS, same_agent=True),
    ):
        with pytest.raises(InvalidFieldsError) as caught:
            house.perform(lambda unit, given_=given_: dispose_of_call(unit, 1, given_))  # type: ignore[misc] # bound
        assert list(caught.value.errors) == ["same_agent"]


class Centre(NamedTuple):
    """A small call centre: what varies from one to the next."""

    dial_method: int
    wait_s: int
    talks_s: list[int]
    wrap_up_s: int
    due_s: list[int]
    """The seconds from the last promise to each call-back."""
    pauses_s: list[int]
    """The seconds between the restarts after that."""


centres = st.builds(
    Centre,
    st.sampled_from(list(DialMethod)),
    st.sampled_from([0, 30, 300]),
    st.lists(st.sampled_from([5, 60, 400]), min_size=2, max_size=3),
    st.sampled_from([0, 20]),
    st.lists(st.integers(1, 120), min_size=len(PEOPLE), max_size=len(PEOPLE)),
    st.lists(st.integers(1, 90), max_size=4),
)


async def check_promises(centre: Centre) -> None:
    with tempfile.TemporaryDirectory() as folder:
        house = House(Path(folder))
        agents = [
            house.agent(parameters=f'{{"talk": {talk_s}, "answer": 2}}', wrap_up_time=centre.wrap_up_s)
            for talk_s in centre.talks_s
        ]
        settings_: dict[str, Any] = {
            "dial_method": centre.dial_method,
            "call_back_wait": centre.wait_s,
            "end_when_done": False,
        }
        queue_id = house.queue(*agents)
        await waiting(house, queue_id, *PEOPLE, behaviour=BEHAVIOUR, callmaxduration=3_000, **settings_)
        await house.advance(3_600)
        first = talked(house)
        assert len(first) == len(PEOPLE)
        for call_id, due_s in zip(first, centre.due_s, strict=True):
            promise(house, call_id, house.now_ms() + due_s * 1_000)
        for pause_s in centre.pauses_s:
            await house.advance(pause_s)
            house.restart()
        await house.advance(2 * 3_600)
        limits = {row["id"]: (row["promised_agent_id"], row["promised_until_ms"]) for row in house.rows(Subscriber)}
        again = {row["id"]: limits[row["subscriber_id"]] for row in house.rows(CallRequest) if row["attempt"] == 2}
        legs = [row for row in house.rows(Transfer) if row["callrequest_id"] in again]
        # None is lost: each is placed, and somebody talks in it.
        assert sorted(row["callrequest_id"] for row in legs if row["answered_ms"] is not None) == sorted(again)
        assert len(again) == len(PEOPLE)
        for row in legs:
            agent_id, until_ms = again[row["callrequest_id"]]
            assert row["agent_id"] == agent_id or row["started_ms"] >= until_ms
        assert house.database.read_now(audit).differences == []
        house.database.close()


@pytest.mark.sqlite_only("makes a database for each example")
@settings(max_examples=examples(15))
@given(centres)
def test_nobody_else_gets_a_promised_call_within_its_limit_and_none_is_lost(centre: Centre) -> None:
    anyio.run(check_promises, centre)
