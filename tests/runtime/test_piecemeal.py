"""Tests that an engine with incremental refreshes equals an engine that is rebuilt from the rows."""

import tempfile
from collections.abc import Callable, Sequence
from contextlib import closing
from functools import cache
from pathlib import Path
from typing import Any, Final

import anyio
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import structs
from sqlalchemy import Connection, delete, insert, select, update

from dialer.app.accounts.payments import record_payment
from dialer.app.campaigns.change import abort_campaign, end_campaign, pause_campaign, start_campaign
from dialer.app.work.unit import UnitOfWork
from dialer.domain.calls.plans import CampaignPlan
from dialer.domain.engine.engine import Engine
from dialer.domain.engine.state import ACTIVE, OpenCampaign
from dialer.domain.words.enums import CampaignStatus
from dialer.domain.words.states import CAMPAIGN_MOVES
from dialer.runtime.steps.coordinator import Alone
from dialer.runtime.steps.live_engine import LiveEngine
from dialer.runtime.steps.step_extent import StepExtent
from dialer.runtime.steps.worker import Worker
from dialer.store.database.touched import EVERYTHING, NOTHING, Touched, touch
from dialer.store.rows.joining import contact_collection
from dialer.store.tables import (
    Agent,
    CallRequest,
    Campaign,
    Cdr,
    Contact,
    Did,
    DncContact,
    Gateway,
    LedgerEntry,
    Phonebook,
    Queue,
    SectionTemplate,
    Subscriber,
    Tier,
    Transfer,
    User,
)
from tests.gateways import FIRST, SECOND
from tests.runtime.house import CENTS, House
from tests.sizes import REFRESH_STORIES

Change = Callable[[Connection, int, int], Touched]
"""A change of rows at a moment, which varies with a number and returns the touched records."""
Step = tuple[Change, int, int]
"""A change, its number, and the seconds that pass after it."""
QUEUE: Final = {"type": 6, "queue_id": 1, "script": "word", "completed": True}
TALK: Final = {"type": 1, "script": "word " * 50}  # 20 s
CAMPAIGNS: Final = 3
PEOPLE: Final = [f"+1202555{number:04d}" for number in range(1_000, 1_060)]
SHOWN: Final = "+33199000000"
BEHAVIOUR: Final = '{"answer": 0.6, "machine": 0, "ring": [2, 9], "call_back": 0.5, "call_back_after": 20, "talk": 15}'
WRITTEN: Final = (CallRequest, Cdr, Transfer, Subscriber, Campaign, Agent, LedgerEntry)
_STAMPS: Final = {"created_date": 0, "updated_date": 0}


def home(folder: Path) -> House:
    """Build three campaigns, two of which use a queue with two agents, with two gateways and a DID."""
    house = House(folder)
    house.change(Gateway, 1, parameters=BEHAVIOUR)
    house.add(Gateway, name="second", parameters=BEHAVIOUR)
    house.queue(house.agent(), house.agent(parameters='{"talk": 30}'))
    dnc_id = house.dnc_list(PEOPLE[5])
    for place, section in enumerate((TALK, QUEUE, QUEUE)):
        book_id = house.phonebook(*PEOPLE[place * 20 : place * 20 + 20])
        limits = {"maxretry": 1, "intervalretry": 30, "dnc_id": dnc_id, "callerid": SHOWN}
        house.campaign(house.survey(section), book_id, **limits)
        house.add(Did, user_id=1, is_assigned=True, did_number=f"{SHOWN[:-1]}{place}", campaign_id=1)
    return house


@cache
def _furnished() -> bytes:
    """Build the database of `home` once, and return its bytes."""
    with tempfile.TemporaryDirectory() as folder:
        home(Path(folder)).database.close()
        return (Path(folder) / "dialer.db").read_bytes()


def _change(connection: Connection, model: Any, row_id: int, **values: object) -> None:  # noqa: ANN401 - a table's class
    table = model.__table__
    connection.execute(update(table).where(table.c.id == row_id).values(**values))


def _add(connection: Connection, model: Any, **values: object) -> int:  # noqa: ANN401 - a table's class
    table = model.__table__
    stamps = {name: 0 for name in _STAMPS if name in table.c}
    result = connection.execute(insert(table).values(**stamps, **values))
    return int((result.inserted_primary_key or (0,))[0])


def _ids(*ids: int) -> frozenset[int]:
    return frozenset(ids)


def _campaign(number: int) -> int:
    return number % CAMPAIGNS + 1


MOVES = {
    CampaignStatus.START: start_campaign,
    CampaignStatus.PAUSE: pause_campaign,
    CampaignStatus.ABORT: abort_campaign,
    CampaignStatus.END: end_campaign,
}


def move_a_campaign(connection: Connection, number: int, now_ms: int) -> Touched:
    """Start a campaign if possible; else pause, abort or end it."""
    campaign_id = _campaign(number)
    stands = CampaignStatus(connection.scalar(select(Campaign.status).where(Campaign.id == campaign_id)) or 0)
    ways = sorted(CAMPAIGN_MOVES[stands] - {stands})
    if not ways:
        return NOTHING
    wanted = CampaignStatus.START if CampaignStatus.START in ways else ways[number % len(ways)]
    MOVES[wanted](UnitOfWork(connection=connection, now_ms=now_ms), campaign_id)
    return Touched(campaigns=_ids(campaign_id))


def change_settings(connection: Connection, number: int, _now_ms: int) -> Touched:
    """Change the pace, the limits and the gateway of a campaign."""
    some = ({"frequency": 600}, {"max_aleg": 2}, {"maxretry": 0}, {"aleg_gateway_id": 2}, {"intervalretry": 5})
    _change(connection, Campaign, _campaign(number), **some[number % len(some)])
    return Touched(campaigns=_ids(_campaign(number)))


def pay(connection: Connection, number: int, now_ms: int) -> Touched:
    amount = (number % 7 + 1) * CENTS
    record_payment(UnitOfWork(connection=connection, now_ms=now_ms), 1, amount)
    return Touched(accounts=_ids(1))


def change_prices(connection: Connection, number: int, _now_ms: int) -> Touched:
    _change(connection, User, 1, call_rate=(number % 5 + 1) * CENTS)
    return Touched(accounts=_ids(1))


def change_a_gateway(connection: Connection, number: int, _now_ms: int) -> Touched:
    """Change the prefix of a gateway. Its behaviour stays, because callees would differ after a restart."""
    some = ({"addprefix": "00"}, {"max_cps": 3}, {"removeprefix": "+"}, {"max_channels": 8})
    _change(connection, Gateway, number % 2 + 1, **some[number % len(some)])
    return Touched(gateways=frozenset({(FIRST, SECOND)[number % 2]}))


def change_an_agent(connection: Connection, number: int, _now_ms: int) -> Touched:
    some: tuple[dict[str, object], ...] = ({"status": 1}, {"status": 2}, {"status": 3}, {"wrap_up_time": 7})
    _change(connection, Agent, number % 3 + 1, **some[number % len(some)])
    return Touched(agents=_ids(number % 3 + 1))


def add_an_agent(connection: Connection, number: int, _now_ms: int) -> Touched:
    agent_id = _add(connection, Agent, user_id=1, name="new", status=2, figures="", parameters='{"talk": 5}')
    if connection.scalar(select(Queue.id)) is not None:
        _add(connection, Tier, queue_id=1, agent_id=agent_id, position=number % 5 + 1)
    return Touched(agents=_ids(agent_id), queues=_ids(1))


def delete_an_agent(connection: Connection, number: int, _now_ms: int) -> Touched:
    """Delete an agent and their tiers, without touching the queues."""
    connection.execute(delete(Agent).where(Agent.id == number % 3 + 1))
    return Touched(agents=_ids(number % 3 + 1))


def change_the_queue(connection: Connection, number: int, _now_ms: int) -> Touched:
    _change(connection, Queue, 1, max_wait_time=number % 30, strategy=number % 3 + 1)
    return Touched(queues=_ids(1))


def delete_the_queue(connection: Connection, _number: int, _now_ms: int) -> Touched:
    connection.execute(update(SectionTemplate).values(queue_id=None))
    connection.execute(delete(Queue).where(Queue.id == 1))
    return Touched(queues=_ids(1))


def change_a_number(connection: Connection, number: int, _now_ms: int) -> Touched:
    """Change a DID: remove or change its campaign, or set its number to the one that is shown."""
    did_id = number % 4 + 1
    some: tuple[dict[str, object], ...] = (
        {"campaign_id": None},
        {"campaign_id": _campaign(number)},
        {"did_number": SHOWN},
    )
    _change(connection, Did, did_id, **some[number % len(some)])
    return Touched(dids=_ids(did_id))


def add_a_number(connection: Connection, number: int, _now_ms: int) -> Touched:
    did_id = _add(connection, Did, user_id=1, is_assigned=True, did_number=SHOWN, campaign_id=_campaign(number))
    return Touched(dids=_ids(did_id))


def delete_a_number(connection: Connection, number: int, _now_ms: int) -> Touched:
    connection.execute(delete(Did).where(Did.id == number % 4 + 1))
    return Touched(dids=_ids(number % 4 + 1))


def call_off(connection: Connection, number: int, _now_ms: int) -> Touched:
    """Put a number on the do-not-call list, which all campaigns use."""
    called = PEOPLE[number % len(PEOPLE)]
    known = connection.scalar(select(DncContact.id).where(DncContact.number == called))
    if known is not None:
        return NOTHING
    _add(connection, DncContact, dnc_id=1, phone_number=called, number=called)
    return Touched(campaigns=_ids(1, 2, 3))


def add_a_contact(connection: Connection, number: int, now_ms: int) -> Touched:
    book_id, called = _campaign(number), f"+1202556{number:04d}"
    known = connection.scalar(select(Contact.id).where(Contact.phonebook_id == book_id, Contact.number == called))
    if known is not None:
        return NOTHING
    contact_id = _add(connection, Contact, phonebook_id=book_id, contact=called, number=called, zone="")
    contact_collection.collect_contact(connection, contact_id, now_ms)
    return Touched(campaigns=_ids(book_id))


def rename_a_phonebook(connection: Connection, number: int, _now_ms: int) -> Touched:
    _change(connection, Phonebook, 1, name=f"name {number}")
    return NOTHING


CHANGES: Final = (
    move_a_campaign,
    move_a_campaign,
    change_settings,
    pay,
    change_prices,
    change_a_gateway,
    change_an_agent,
    add_an_agent,
    delete_an_agent,
    change_the_queue,
    delete_the_queue,
    change_a_number,
    add_a_number,
    delete_a_number,
    call_off,
    add_a_contact,
    rename_a_phonebook,
)
STARTS: Final[list[Step]] = [(move_a_campaign, number, 3) for number in range(CAMPAIGNS)]
steps = st.lists(st.tuples(st.sampled_from(CHANGES), st.integers(0, 59), st.integers(0, 40)), min_size=1, max_size=12)


def commit(house: House, change: Change, number: int) -> Touched:
    """Make a change in one unit of work, and return the touched records."""

    def work(connection: Connection) -> Touched:
        touched = change(connection, number, house.now_ms())
        touch(connection, touched)
        return touched

    return house.database.write_now(work)


def known(engine: Engine) -> dict[str, object]:
    """Return the state of an engine that comes from the rows."""
    engine_state, transfers = engine.engine_state, engine._transfers  # noqa: SLF001 - there is no public access
    distributor, inbound = transfers._distributor, engine._inbound  # noqa: SLF001 - there is no public access
    return {
        "accounts": {
            user_id: (one.balance, one.held, one.rate, one.sms_rate, one.card)
            for user_id, one in engine_state.accounts.items()
        },
        "gateways": {
            gateway_id: (one.plan, one.in_progress, one.breaker) for gateway_id, one in engine_state.gateways.items()
        },
        "campaigns": {campaign_id: _standing(one) for campaign_id, one in engine_state.campaigns.items()},
        "calls": sorted(engine_state.calls),
        "agents": {one: (distributor._agents[one].plan, distributor._agents[one].figures) for one in transfers._agents},  # noqa: SLF001
        "queues": {one: distributor._lines[one].plan for one in transfers._legs.queue_ids},  # noqa: SLF001
        "dids": {
            did_id: (one.number, one.user_id, None if one.plan is None else _settings(one.plan))
            for found in inbound._dids.values()  # noqa: SLF001
            for did_id, one in found.items()
        },
    }


def _standing(one: OpenCampaign) -> tuple[object, ...]:
    """Return the status, with all final ones as one, because none of them dials."""
    in_progress = (one.in_progress, one.inbound, one.legs)
    if one.status not in ACTIVE:
        return _settings(one.plan), *in_progress
    return _settings(one.plan), *in_progress, one.status, one.next_dial_us, one.callerid_turns


def _settings(plan: CampaignPlan) -> dict[str, Any]:
    """Return all settings but the call flow, which never changes."""
    return {name: value for name, value in structs.asdict(plan).items() if name != "flow"}


class _UndoneError(Exception):
    """An error that rolls back."""


def live_of(worker: Worker) -> LiveEngine:
    live = worker._live  # noqa: SLF001 - the test compares its state
    assert live is not None
    return live


def known_anew(house: House) -> dict[str, object]:
    """Return the state of an engine that is newly built from the rows."""
    found: dict[str, object] = {}
    worker = house.worker

    def build(connection: Connection) -> None:
        parts = worker._engine_parts._replace(  # noqa: SLF001 - a new engine of the same worker
            coordinator=Alone(house.database),
            turns_given={},
            extent=StepExtent(worker.clock, bool),
        )
        live = LiveEngine(connection, parts)
        live.build(connection)
        found.update(known(live.engine))
        raise _UndoneError

    with pytest.raises(_UndoneError):
        house.database.write_now(build)
    return found


async def refreshed(house: House, story: Sequence[Step]) -> None:
    """Make the changes, and check after each that the engine's state equals that of a new engine."""
    await house.worker.settle()
    for change, number, seconds in story:
        before = live_of(house.worker)
        touched = commit(house, change, number)
        await house.worker.settle()
        assert touched != EVERYTHING
        assert live_of(house.worker) is before, house.worker.problem()
        assert known(before.engine) == known_anew(house), change.__name__
        await house.advance(seconds)


async def rebuilt(house: House, story: Sequence[Step]) -> None:
    """Make the changes, and restart the service after each."""
    await house.worker.settle()
    for change, number, seconds in story:
        commit(house, change, number)
        house.restart()
        await house.worker.settle()
        await house.advance(seconds)


def outcome(tell: Callable[[House, Sequence[Step]], Any], story: Sequence[Step]) -> dict[str, object]:
    """Return the rows at the end of a story."""
    with tempfile.TemporaryDirectory() as folder:
        house = House(Path(folder))
        house.database.close()
        (Path(folder) / "dialer.db").write_bytes(_furnished())
        house.restart()
        with closing(house.database):

            async def run() -> None:
                await tell(house, [*STARTS, *story])
                await house.advance(900)

            anyio.run(run)
            return {model.__tablename__: house.rows(model) for model in WRITTEN}


@settings(max_examples=REFRESH_STORIES)
@given(steps)
def test_an_engine_with_incremental_refreshes_equals_a_rebuilt_one(story: list[Step]) -> None:
    assert outcome(refreshed, story) == outcome(rebuilt, story)
