"""Tests of orders from desks in a service of several processes: one has the call, and another one takes the order."""

from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack, asynccontextmanager, closing
from functools import partial
from pathlib import Path
from typing import Final

import pytest

from dialer.app.call_centre.live_calls import TransferTarget, hang_up_call, hold_call, resume_call, transfer_call
from dialer.app.call_centre.supervision import stop_supervising, supervise_call
from dialer.app.campaigns.change import start_campaign
from dialer.carriers.line_port import Exchange
from dialer.domain.fleet.shards import shard_of
from dialer.domain.sessions.leg_protocol import Supervise
from dialer.domain.words.enums import SupervisionMode, TransferStatus
from dialer.runtime.fleet.fleet_coordinator import FleetCoordinator
from dialer.runtime.fleet.fleet_member import FleetMember
from dialer.runtime.steps.clock import NANOSECONDS, RealClock
from dialer.runtime.steps.worker import Worker
from dialer.sim.carrier import SimulatedCarrier
from dialer.store.database.database import Database
from dialer.store.fleet.changes import announce
from dialer.store.fleet.leases import LEASE_MS
from dialer.store.fleet.shards import owners
from dialer.store.reconciliation.reconcile import audit
from dialer.store.tables import Agent, CallRequest, Cdr, Gateway, LiveLeg, Transfer, User
from tests.runtime.house import House
from tests.runtime.line_house import AFTERNOON_MS, kin_of
from tests.runtime.other_side import FAKE, FakeLine, OtherSide
from tests.runtime.test_second_legs import BEHAVIOUR, PATIENT_CALLER

pytestmark = pytest.mark.usefixtures("quiet")
TELEPHONE: Final = "+12025550160"
AGENTS: Final = ("+12025550150", "+12025550151")
TICK_MS: Final = 500
LONG: Final = '{"talk": 60, "answer": 2}'


class SharedHouse(House):
    """A service of two workers, each with a database connection and a line of its own, and of a process for orders."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        super().__init__(folder)
        self.database.close()
        self.database = stack.enter_context(closing(Database(self.url, announce=announce)))
        self.time_ms = AFTERNOON_MS
        self.side = OtherSide(self.now_ms, 1, BEHAVIOUR)
        self.side.kin = partial(kin_of, self)
        self.callerid = "+12025550199"
        self.change(Gateway, self.gateway_id, protocol=FAKE)
        self.lines: dict[str, FakeLine] = {}
        self.members = [self._member(name, stack) for name in ("w1", "w2")]
        self.alive = list(self.members)

    def now_ms(self) -> int:
        return getattr(self, "time_ms", AFTERNOON_MS)

    def _member(self, name: str, stack: ExitStack) -> FleetMember:
        clock = RealClock(lambda: self.time_ms * NANOSECONDS, lambda: self.time_ms * NANOSECONDS)
        fleet = FleetCoordinator(name, clock, database_ms=lambda _: self.time_ms, steady_ms=lambda: self.time_ms)
        database = stack.enter_context(closing(Database(self.url, announce=announce)))

        def new_line(_gateway_id: int, _parameters: str, exchange: Exchange) -> FakeLine:
            self.lines[name] = FakeLine(self.side, exchange)
            exchange.is_up("")
            return self.lines[name]

        worker = Worker(
            database,
            clock,
            seed=self.seed,
            service_zone="UTC",
            new_carrier=SimulatedCarrier,
            coordinator=fleet,
            new_lines={FAKE: new_line},
        )
        return FleetMember(database, worker, fleet)

    async def beat(self) -> None:
        """Let the workers that live renew their leases, and take over the accounts of those that do not."""
        for _ in range(3):
            for member in self.alive:
                await member.beat()
                await member.lend()
                await member._worker.settle()  # noqa: SLF001

    async def settle(self) -> None:
        """Let the workers make steps until all that was said is heard."""
        for _ in range(6):
            for member in self.alive:
                await member._worker.settle()  # noqa: SLF001
            self.side.lines = [self.lines[self.owner()._fleet.name]]  # noqa: SLF001
            if not self.side.speak():
                return

    async def pass_s(self, seconds: float) -> None:
        """Let time pass."""
        until_ms = self.time_ms + round(seconds * 1_000)
        while self.time_ms < until_ms:
            self.time_ms += TICK_MS
            if self.time_ms % (LEASE_MS // 3) < TICK_MS:
                await self.beat()
            await self.settle()

    def owner(self) -> FleetMember:
        """Return the worker that has the account."""
        owner_id = self.database.read_now(owners)[shard_of(self.user_id)]
        return next(one for one in self.members if one._fleet.worker_id == owner_id)  # noqa: SLF001

    async def die(self) -> None:
        """Let the worker of the account die, and the other one take over."""
        place = self.members.index(self.owner())
        self.alive = [self.members[1 - place]]
        await self.pass_s(LEASE_MS / 1_000 + 2)
        assert self.owner() is self.alive[0]

    def legs(self) -> list[tuple[str, int | None, str]]:
        """Return each transfer: its number, its agent and its reason."""
        return [(row["phone_number"], row["agent_id"], row["reason"]) for row in self.rows(Transfer)]

    def is_sound(self) -> bool:
        """Return whether nothing is left of the call, and each leg has one CDR."""
        held = self.row(User, self.user_id)["held"]
        left = (self.rows(LiveLeg), self.side.phones, held, self.database.read_now(audit).differences)
        dialled = [key for key, count in self.side.dialled.items() if count > 1]
        assert (left, dialled) == (([], {}, 0, []), [])
        assert [row["is_talking"] for row in self.rows(Agent)] == [False, False]
        answered = sum(row["answered_ms"] is not None for row in self.rows(Transfer))
        return sorted(row["leg_type"] for row in self.rows(Cdr)) == [1, *([2] * answered)]


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    with ExitStack() as one:
        yield one


@asynccontextmanager
async def talking(folder: Path, stack: ExitStack) -> AsyncIterator[tuple[SharedHouse, int]]:
    """Let an agent talk with a callee over the line of the worker that has the account."""
    house = SharedHouse(folder, stack)
    await house.beat()
    agents = [house.agent(contact=contact, parameters=LONG, wrap_up_time=1) for contact in AGENTS]
    survey_id = house.survey({"type": 6, "queue_id": house.queue(*agents, strategy=3)})
    dates = {"startingdate": AFTERNOON_MS, "expirationdate": AFTERNOON_MS + 3_600_000}
    limits = {"callmaxduration": 120, "calltimeout": 20, "frequency": 600}
    campaign_id = house.campaign(survey_id, house.phonebook(PATIENT_CALLER), **dates, **limits)
    house.change(User, house.user_id, telephone=TELEPHONE)
    house.perform(lambda unit: start_campaign(unit, campaign_id))
    await house.pass_s(12)
    (call,) = house.rows(CallRequest)
    assert [row["status"] for row in house.rows(Transfer)] == [TransferStatus.CONNECTED]
    yield house, call["id"]


async def test_an_order_of_another_process_moves_the_call(tmp_path: Path, stack: ExitStack) -> None:
    async with talking(tmp_path, stack) as (house, call_id):
        for order in (hold_call, resume_call, partial(transfer_call, to=TransferTarget(agent_id=2))):
            house.perform(partial(order, callrequest_id=call_id))
            await house.pass_s(4)
        assert house.legs() == [(AGENTS[0], 1, ""), (AGENTS[1], 2, "")]
        house.perform(partial(hang_up_call, callrequest_id=call_id))
        await house.pass_s(30)
        assert house.is_sound()


async def test_a_supervisor_of_another_process_hears_the_call(tmp_path: Path, stack: ExitStack) -> None:
    async with talking(tmp_path, stack) as (house, call_id):
        for mode in (SupervisionMode.LISTEN, SupervisionMode.JOIN):
            order = partial(supervise_call, callrequest_id=call_id, supervisor_id=house.user_id, mode=mode)
            house.perform(order)
            await house.pass_s(8)
        told = [one.mode for line in house.lines.values() for _, one in line.orders if isinstance(one, Supervise)]
        assert (set(told), house.side.seconds.count(TELEPHONE)) == (set(SupervisionMode) - {SupervisionMode.WHISPER}, 1)
        house.perform(partial(stop_supervising, callrequest_id=call_id))
        await house.pass_s(2)
        assert TELEPHONE not in {house.side.second_numbers.get(key) for key in house.side.phones}
        await house.pass_s(130)
        assert house.is_sound()


@pytest.mark.contract
async def test_an_order_outlives_the_worker_that_has_the_call(tmp_path: Path, stack: ExitStack) -> None:
    """The other worker takes the call over, and performs the order once."""
    async with talking(tmp_path, stack) as (house, call_id):
        house.perform(partial(transfer_call, callrequest_id=call_id, to=TransferTarget(agent_id=2)))
        await house.die()
        await house.pass_s(8)
        assert house.legs() == [(AGENTS[0], 1, ""), (AGENTS[1], 2, "")]
        await house.pass_s(130)
        assert house.is_sound()
