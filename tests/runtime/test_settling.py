"""Tests of settling on a running clock: it ends, and no event happens twice after a restart."""

from collections.abc import Callable
from typing import Final, TypeVar

import anyio
import anyio.lowlevel
import pytest
from sqlalchemy import Connection

from dialer.domain.words.enums import TransferStatus
from dialer.runtime.steps.coordinator import Alone
from dialer.runtime.steps.worker import Worker
from dialer.sim.carrier import SimulatedCarrier
from dialer.store.database.database import Database
from dialer.store.database.touched import Touched
from dialer.store.tables import Cdr, Gateway, Transfer
from tests.runtime.house import ALL_ANSWER, MONDAY_NOON_MS, House

Result = TypeVar("Result")
SHORT: Final = {"type": 1, "script": "word"}
TO_THE_QUEUE: Final = {"type": 6, "queue_id": 1, "script": "word", "completed": True}


class HandClock:
    """A running clock that the test moves, and that advances by `hurry_ms` at each reading."""

    mode = "x60"

    def __init__(self) -> None:
        self.at_ms = MONDAY_NOON_MS
        self.hurry_ms = 0

    def now_ms(self) -> int:
        """Return the time, after advancing it."""
        self.at_ms += self.hurry_ms
        return self.at_ms

    def seconds_until(self, at_ms: int) -> float | None:
        """Return the seconds until a moment, as a real clock does."""
        return (at_ms - self.at_ms) / 1_000


class Counting(Alone):
    """The coordinator of a single worker, which counts steps."""

    steps = 0

    def begin(self, connection: Connection) -> Touched | None:
        """Count a step, and return what was touched before it."""
        self.steps += 1
        return super().begin(connection)


async def test_settling_ends_though_more_falls_due_all_the_time(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each step handles one event, and each reading adds a minute. Only events due at the beginning are handled."""
    monkeypatch.setattr("dialer.runtime.steps.live_engine.EVENTS_PER_STEP", 1)
    people = house.phonebook(*(f"+1202555{number}" for number in range(1_000, 1_030)))
    clock = HandClock()
    house.worker = Worker(house.database, clock, seed=1, service_zone="UTC", new_carrier=SimulatedCarrier)
    await house.started(house.survey(SHORT), people, frequency=6)
    clock.hurry_ms = 60_000
    await house.worker.settle()
    assert house.dials_s() == [0, 10, 20, 30, 40, 50, 60]
    assert house.worker.problem() is None


async def test_events_of_a_call_do_not_happen_again(house: House) -> None:
    """The call enters its queue half a second after the clock was last stored; then the process ends."""
    house.change(Gateway, house.gateway_id, parameters=ALL_ANSWER)
    house.queue(house.agent(parameters='{"talk": 20, "answer": 3}'))
    clock = HandClock()
    house.worker = Worker(house.database, clock, seed=1, service_zone="UTC", new_carrier=SimulatedCarrier)
    await house.started(house.survey(TO_THE_QUEUE), house.phonebook("+12025551000"))
    for _ in range(60):
        clock.at_ms += 700
        await house.worker.settle()
        house.worker = Worker(house.database, clock, seed=1, service_zone="UTC", new_carrier=SimulatedCarrier)
        await house.worker.settle()
    transfers = [(row["place"], row["status"]) for row in house.rows(Transfer)]
    assert (transfers, len(house.rows(Cdr))) == ([(1, TransferStatus.OVER)], 2)


class Counted(Database):
    """A database that counts units of work."""

    writes = 0

    async def write(
        self, work: Callable[[Connection], Result], *, is_step: bool = False, is_long: bool = False
    ) -> Result:
        self.writes += 1
        return await super().write(work, is_step=is_step, is_long=is_long)


def counted(house: House) -> Counted:
    """Replace the service's database by one that counts, and its clock by a running one."""
    house.database.close()
    database = house.database = Counted(house.url)
    house.worker = Worker(database, HandClock(), seed=1, service_zone="UTC", new_carrier=SimulatedCarrier)
    return database


async def test_requests_before_a_settling_begins_share_it(house: House) -> None:
    """Changes after its beginning may be too late for it, so later requests share the next one."""
    database = counted(house)
    await house.worker.settle()
    database.writes = 0
    async with anyio.create_task_group() as tasks:
        for _ in range(10):
            tasks.start_soon(house.worker.settle)
        while not database.writes:
            await anyio.lowlevel.checkpoint()
        for _ in range(10):
            tasks.start_soon(house.worker.settle)
    assert database.writes == 2


async def test_a_change_before_the_request_is_settled(house: House) -> None:
    """Ten campaigns are started one after another, while others are settled. All have dialled."""
    counted(house)
    survey = house.survey(SHORT)
    people = [house.phonebook(f"+1202555{number}") for number in range(1_000, 1_010)]
    dialled: list[int] = []

    async def start(phonebook_id: int) -> None:
        await house.started(survey, phonebook_id)
        dialled.append(len(house.dials_s()))

    async with anyio.create_task_group() as tasks:
        for phonebook_id in people:
            tasks.start_soon(start, phonebook_id)
    assert len(dialled) == len(people)
    assert all(count >= place for place, count in enumerate(dialled, start=1))


async def test_a_request_behind_a_cancelled_settling_gets_another(house: House) -> None:
    database = counted(house)
    await house.worker.settle()
    database.writes = 0
    scope = anyio.CancelScope()
    settled: list[bool] = []

    async def settle(scope: anyio.CancelScope) -> None:
        with scope:
            await house.worker.settle()
            settled.append(True)

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(settle, anyio.CancelScope())
        while not database.writes:
            await anyio.lowlevel.checkpoint()
        tasks.start_soon(settle, scope)
        tasks.start_soon(settle, anyio.CancelScope())
        await anyio.lowlevel.checkpoint()
        scope.cancel()
    assert (settled, database.writes) == ([True, True], 2)


async def test_a_settling_is_not_followed_by_a_second_step(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dialer.runtime.steps.worker.IDLE_SECONDS_MAX", 3_600)
    database = counted(house)
    async with house.worker.running():
        await anyio.wait_all_tasks_blocked()
        await house.worker.settle()
        await anyio.wait_all_tasks_blocked()
        database.writes = 0
        await house.worker.settle()
        await anyio.wait_all_tasks_blocked()
        assert database.writes == 1


@pytest.mark.parametrize(("others_wait", "steps"), [(True, 3), (False, 1)])
async def test_a_step_ends_early_if_others_wait_to_write(
    house: House, monkeypatch: pytest.MonkeyPatch, *, others_wait: bool, steps: int
) -> None:
    """Ten dials and their ends are due. Others wait for a few of these events only, and not for all."""
    monkeypatch.setattr("dialer.runtime.steps.step_extent.EVENTS_PER_PORTION", 10)
    monkeypatch.setattr(house.database, "has_waiting", lambda: others_wait)
    clock, counting = HandClock(), Counting(house.database)
    house.worker = Worker(
        house.database, clock, seed=1, service_zone="UTC", new_carrier=SimulatedCarrier, coordinator=counting
    )
    people = house.phonebook(*(f"+1202555{number}" for number in range(1_000, 1_010)))
    await house.started(house.survey(SHORT), people, frequency=6)
    counting.steps = 0
    clock.at_ms += 120_000
    await house.worker.settle()
    assert house.dials_s() == [10 * place for place in range(10)]
    assert counting.steps == steps
