"""Tests that the worker reads only touched records again. They count statements, and use no clock."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import pytest
from sqlalchemy import Connection, delete, event, insert, select, update

from dialer.app.campaigns.change import abort_campaign, start_campaign
from dialer.app.work.unit import UnitOfWork
from dialer.carriers.engine_port import CallPlacer
from dialer.domain.calls import campaign_effects, effects, events
from dialer.domain.calls.plans import GatewayKey
from dialer.domain.engine.engine import Engine
from dialer.domain.words.enums import CampaignStatus
from dialer.runtime.steps.clock import VirtualClock
from dialer.runtime.steps.kernel import CampaignStore, Kernel
from dialer.runtime.steps.worker import Worker
from dialer.sim.carrier import SimulatedCarrier
from dialer.store.database.touched import EVERYTHING, NOTHING, Touched, touch
from dialer.store.rows.joining import contact_collection
from dialer.store.tables import SMS, Agent, CallRequest, Campaign, Did, DncContact, Gateway, Phonebook, Queue, User
from tests.gateways import FIRST
from tests.runtime.house import ALL_ANSWER, CENTS, DAY_MS, MONDAY_NOON_MS, House

SHORT: Final = {"type": 1, "script": "word"}  # 1 s
LONG: Final = {"type": 1, "script": "word " * 150}  # 60 s
FEW: Final = 1
MANY: Final = 1_000
"""The number of open campaigns."""
ONE: Final = frozenset({1})
PEOPLE: Final = [f"+1202555{number:04d}" for number in range(1_000, 1_100)]
TOUCHES: Final = {
    "a campaign": Touched(campaigns=ONE),
    "an account": Touched(accounts=ONE),
    "a gateway": Touched(gateways=frozenset({FIRST})),
    "a gateway for text messages": Touched(gateways=frozenset({GatewayKey(SMS, 1)})),
    "a queue": Touched(queues=ONE),
    "an agent": Touched(agents=ONE),
    "a number that others call": Touched(dids=ONE),
}


def declare(house: House, touched: Touched, work: Callable[[Connection], object] = lambda _: None) -> None:
    """Commit work that states the touched records. It at least renames a phonebook, which the worker ignores."""

    def unit(connection: Connection) -> None:
        work(connection)
        connection.execute(update(Phonebook).values(name=Phonebook.name + "x"))
        touch(connection, touched)

    house.database.write_now(unit)


def changing(model: Any, row_id: int, **values: object) -> Callable[[Connection], object]:  # noqa: ANN401 - a table's class
    """Return a unit of work that changes a row."""
    return lambda connection: connection.execute(
        update(model.__table__).where(model.__table__.c.id == row_id).values(**values)
    )


def open_many(house: House, count: int) -> None:
    """Open `count` campaigns that begin tomorrow."""
    row = {
        "user_id": house.user_id,
        "name": "campaign",
        "created_date": MONDAY_NOON_MS,
        "updated_date": MONDAY_NOON_MS,
        "startingdate": MONDAY_NOON_MS + DAY_MS,
        "expirationdate": MONDAY_NOON_MS + 2 * DAY_MS,
        "status": CampaignStatus.START,
        "aleg_gateway_id": house.gateway_id,
        "object_id": 1,
    }
    rows = [{**row, "campaign_code": f"many{place}"} for place in range(count)]
    house.database.write_now(lambda connection: connection.execute(insert(Campaign), rows))


@contextmanager
def statements_of(house: House) -> Iterator[list[str]]:
    """Record every statement of the writer, without the begins of transactions."""
    statements: list[str] = []

    def hear(_connection: object, _cursor: object, statement: str, *_: object) -> None:
        if not statement.startswith("BEGIN"):
            statements.append(statement)

    engine = house.database._writer  # noqa: SLF001 - nothing else sees the statements
    event.listen(engine, "before_cursor_execute", hear)
    try:
        yield statements
    finally:
        event.remove(engine, "before_cursor_execute", hear)


async def statements_after(house: House, touched: Touched) -> int:
    """Return the number of statements that the worker needs after a commit that touched this."""
    declare(house, touched)
    with statements_of(house) as statements:
        await house.worker.settle()
    assert house.worker.problem() is None
    return len(statements)


@pytest.fixture
def furnished(house: House) -> House:
    """Return a service with an SMS gateway, a queue with an agent, and a DID."""
    house.add(Gateway, medium=SMS, name="texts")
    house.queue(house.agent())
    house.phonebook()
    house.add(Did, user_id=house.user_id, is_assigned=True, did_number="+15550100")
    return house


async def test_a_commit_that_touches_nothing_costs_no_statement(furnished: House) -> None:
    open_many(furnished, 3)
    await furnished.worker.settle()
    assert await statements_after(furnished, NOTHING) == 1  # The step asks whether subscribers have moved.


async def test_a_steps_own_writes_are_no_change(furnished: House) -> None:
    furnished.change(Gateway, 1, parameters=ALL_ANSWER)
    await furnished.started(furnished.survey(LONG), furnished.phonebook(*PEOPLE))
    await furnished.advance(10)
    with statements_of(furnished) as statements:
        await furnished.worker.settle()
    # The step asks whether subscribers have moved, and reads nothing else.
    assert (len(statements), "subscriber_move" in statements[0], len(furnished.dials_s())) == (1, True, 11)


@pytest.fixture(scope="module")
def costs(tmp_path_factory: pytest.TempPathFactory) -> dict[int, House]:
    """Build two services, one with few open campaigns and one with many."""
    return {count: _crowded(tmp_path_factory.mktemp("house"), count) for count in (FEW, MANY)}


def _crowded(folder: Path, count: int) -> House:
    house = House(folder)
    house.add(Gateway, medium=SMS, name="texts")
    house.queue(house.agent())
    house.phonebook()
    open_many(house, count)
    house.add(Did, user_id=house.user_id, is_assigned=True, did_number="+15550100", campaign_id=1)
    return house


@pytest.mark.parametrize("touched", TOUCHES.values(), ids=TOUCHES)
async def test_a_change_costs_the_same_however_many_campaigns_are_open(
    costs: dict[int, House], touched: Touched
) -> None:
    for house in costs.values():
        await house.worker.settle()
    few, many = [await statements_after(house, touched) for house in costs.values()]
    assert 0 < few == many <= 12


async def test_everything_costs_more_the_more_campaigns_are_open(costs: dict[int, House]) -> None:
    """This shows that the test above can fail."""
    for house in costs.values():
        await house.worker.settle()
    few, many = [await statements_after(house, EVERYTHING) for house in costs.values()]
    assert many > few + MANY


class Claiming(Kernel):
    """A kernel that records the campaigns that claim subscribers."""

    def __init__(
        self, engine: Engine, carrier: CallPlacer, store: CampaignStore, now_ms: int, claimed: list[int]
    ) -> None:
        super().__init__(engine, carrier, store, now_ms=now_ms)
        self._claimed = claimed

    def _claim(self, effect: effects.Effect) -> tuple[events.Event, ...]:
        if isinstance(effect, (campaign_effects.ClaimFresh, campaign_effects.ClaimRetries)):
            self._claimed.append(effect.campaign_id)
        return super()._claim(effect)


@pytest.fixture
def claimed(furnished: House) -> list[int]:
    """Return the list of campaigns that have claimed subscribers, one entry a claim."""
    found: list[int] = []
    furnished.change(Gateway, 1, parameters=ALL_ANSWER)
    furnished.worker = Worker(
        furnished.database,
        VirtualClock(MONDAY_NOON_MS),
        seed=1,
        service_zone="UTC",
        new_carrier=SimulatedCarrier,
        new_kernel=lambda engine, carrier, store, now_ms: Claiming(engine, carrier, store, now_ms, found),
    )
    return found


async def two_that_dial(house: House) -> None:
    """Start campaigns 1 and 2 of one user, with a dial a second each and full hoppers."""
    for people in (PEOPLE[:30], PEOPLE[30:60]):
        await house.started(house.survey(SHORT), house.phonebook(*people))
    await house.advance(5)


@pytest.mark.parametrize(
    "touched",
    [
        NOTHING,
        Touched(accounts=ONE, gateways=frozenset({FIRST}), queues=ONE, agents=ONE, dids=ONE),
        Touched(campaigns=ONE),
    ],
)
async def test_a_change_empties_no_hopper_but_that_of_the_campaign_it_touches(
    furnished: House, claimed: list[int], touched: Touched
) -> None:
    await two_that_dial(furnished)
    declare(furnished, touched)
    claimed.clear()
    await furnished.advance(5)
    assert set(claimed) == touched.campaigns
    assert len(furnished.dials_s()) == 22


async def test_a_number_that_is_called_off_stays_so_though_another_campaign_is_read_again(
    furnished: House, claimed: list[int]
) -> None:
    """The first campaign's callee asks for it, and is next in the hopper of the second, which uses the list, too."""
    dnc_id = furnished.dnc_list()
    survey_id = furnished.survey({"type": 9, "script": "word"})
    later = {"frequency": 1, "startingdate": MONDAY_NOON_MS + 1_000, "dnc_id": dnc_id}
    second_id = await furnished.started(survey_id, furnished.phonebook(PEOPLE[1], PEOPLE[0]), **later)
    first_id = furnished.campaign(survey_id, furnished.phonebook(PEOPLE[0]), dnc_id=dnc_id)
    await furnished.advance(2)
    await furnished.move(first_id, CampaignStatus.START)
    declare(furnished, Touched(campaigns=frozenset({first_id})))
    await furnished.advance(20)
    declare(furnished, Touched(campaigns=frozenset({first_id})))
    await furnished.advance(120)
    assert [row["number"] for row in furnished.rows(DncContact)] == [PEOPLE[1], PEOPLE[0]]
    called = [(row["campaign_id"], row["phone_number"]) for row in furnished.rows(CallRequest)]
    assert called == [(second_id, PEOPLE[1]), (first_id, PEOPLE[0])]
    assert claimed


async def test_a_payment_lets_waiting_campaigns_dial(furnished: House) -> None:
    """The first call holds the whole balance, and the payment touches only the account."""
    furnished.pay(-(100_000 - 2) * CENTS)
    furnished.change(Gateway, 1, parameters=ALL_ANSWER)
    await furnished.started(furnished.survey(LONG), furnished.phonebook(*PEOPLE[:3]), callmaxduration=60)
    await furnished.advance(10)
    assert furnished.dials_s() == [0]
    more = furnished.row(User, 1)["balance"] + 100 * CENTS
    declare(furnished, Touched(accounts=ONE), changing(User, 1, balance=more))
    await furnished.worker.settle()
    await furnished.advance(1)
    assert furnished.dials_s() == [0, 10, 11]


async def test_added_channels_let_waiting_campaigns_dial(furnished: House) -> None:
    furnished.change(Gateway, 1, parameters=ALL_ANSWER, max_channels=1)
    await furnished.started(furnished.survey(LONG), furnished.phonebook(*PEOPLE[:5]))
    await furnished.advance(10)
    declare(furnished, Touched(gateways=frozenset({FIRST})), changing(Gateway, 1, max_channels=3))
    await furnished.advance(5)
    assert furnished.dials_s() == [0, 10, 11]


async def test_a_campaign_that_is_aborted_loses_its_calls_and_no_other_does(furnished: House) -> None:
    furnished.change(Gateway, 1, parameters=ALL_ANSWER)
    for people in (PEOPLE[:3], PEOPLE[30:33]):
        await furnished.started(furnished.survey(LONG), furnished.phonebook(*people))
    await furnished.advance(10)
    now_ms = furnished.now_ms()
    furnished.database.write_now(lambda c: abort_campaign(UnitOfWork(connection=c, now_ms=now_ms), 1))
    await furnished.worker.settle()
    assert furnished.worker.calls_in_progress == 3
    await furnished.advance(120)
    assert [row["status"] for row in furnished.rows(Campaign)] == [CampaignStatus.ABORT, CampaignStatus.END]


async def test_agents_and_queues_come_and_go_one_by_one(furnished: House) -> None:
    """A second agent takes the second call. Then the first agent is deleted, and keeps their call."""
    to_the_queue = {"type": 6, "queue_id": 1, "script": "word", "completed": True}
    furnished.change(Gateway, 1, parameters=ALL_ANSWER)
    furnished.change(Agent, 1, parameters='{"talk": 600, "answer": 1}')
    await furnished.started(furnished.survey(to_the_queue), furnished.phonebook(*PEOPLE[:2]), frequency=6)
    await furnished.advance(9)
    row = {"user_id": 1, "name": "second", "status": 2, "figures": "", "parameters": '{"talk": 600, "answer": 1}'}
    stamps = {"created_date": 0, "updated_date": 0}
    tiers = Queue.metadata.tables["tier"]

    def join(connection: Connection) -> None:
        connection.execute(insert(Agent).values(**row, **stamps))
        connection.execute(insert(tiers).values(queue_id=1, agent_id=2, position=2, **stamps))

    declare(furnished, Touched(agents=frozenset({2}), queues=ONE), join)
    await furnished.advance(20)
    declare(furnished, Touched(agents=ONE), lambda c: c.execute(delete(Agent).where(Agent.id == 1)))
    await furnished.worker.settle()
    transfers = Queue.metadata.tables["transfer"].c
    talking = furnished.database.read_now(lambda c: c.scalars(select(transfers.agent_id).order_by(transfers.id)).all())
    assert (talking, furnished.worker.problem()) == ([None, 2], None)


async def test_a_phonebook_is_collected_to_its_end_without_the_others_being_read(
    furnished: House, claimed: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    await two_that_dial(furnished)
    monkeypatch.setattr(contact_collection, "COLLECT_CHUNK", 7)
    third_id = furnished.campaign(furnished.survey(SHORT), furnished.phonebook(*PEOPLE[60:]))
    await furnished.worker.settle()
    claimed.clear()
    now_ms = furnished.now_ms()
    furnished.database.write_now(lambda c: start_campaign(UnitOfWork(connection=c, now_ms=now_ms), third_id))
    await furnished.worker.settle()
    assert furnished.row(Campaign, third_id)["totalcontact"] == 40
    assert set(claimed) == {third_id}
    await furnished.advance(3_600)
    assert furnished.row(Campaign, third_id)["calls"] == 40


async def test_an_unreadable_campaign_stands_still_until_it_is_repaired(furnished: House) -> None:
    furnished.change(Gateway, 1, parameters=ALL_ANSWER)
    await two_that_dial(furnished)
    declare(furnished, Touched(campaigns=ONE), changing(Campaign, 1, daily_start_time="nonsense"))
    await furnished.advance(5)
    declare(furnished, NOTHING)
    await furnished.advance(5)
    declare(furnished, Touched(campaigns=ONE), changing(Campaign, 1, daily_start_time="00:00:00"))
    await furnished.advance(5)
    calls = [row["campaign_id"] for row in furnished.rows(CallRequest)]
    assert (calls.count(1), calls.count(2)) == (6 + 6, 6 + 15)
    assert furnished.worker.problem() is None
