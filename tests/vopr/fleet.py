"""A fleet under test: workers that share one database, and freeze, die, join, and lose their network or their lease.

No thread and no lock is involved: the units of work of all workers follow each other in an order that the seed draws.
Two steps on PostgreSQL share no row either, so no other interleaving exists.
"""

import hashlib
from collections import deque
from collections.abc import Awaitable, Callable, Hashable
from typing import ClassVar, Final, TypeVar

import anyio
import anyio.lowlevel
from sqlalchemy import Connection, text, update

from dialer.app.work.errors import RefusedError
from dialer.domain.calling_times.calling_hours import read_calling_hours
from dialer.domain.calls.plans import VOICE, GatewayKey
from dialer.runtime.fleet.fleet_coordinator import FleetCoordinator
from dialer.runtime.fleet.fleet_member import FleetMember
from dialer.runtime.steps.clock import NANOSECONDS, RealClock
from dialer.runtime.steps.coordinator import LeaseLostError
from dialer.runtime.steps.worker import Worker
from dialer.sim.carrier import SimulatedCarrier
from dialer.store.backends.sqlite import version
from dialer.store.database.database import Database, StorageUnavailableError
from dialer.store.database.touched import NOTHING, Touched, touch
from dialer.store.fleet.leases import LEASE_MS
from dialer.store.fleet.shards import disband
from dialer.store.tables import FleetWorker
from tests.vopr.actions import perform
from tests.vopr.building import Folder, contents, digest_of, fill
from tests.vopr.dice import Dice
from tests.vopr.faults import PAYS, SETS_BACK, Action, troubles_of
from tests.vopr.fleet_rules import FleetRules, Shares, unowned
from tests.vopr.fleet_worlds import busy_world_of
from tests.vopr.logged import keeping_errors
from tests.vopr.observer import Observer
from tests.vopr.run import EVENTS_KEPT, OPEN, SeedOutcome
from tests.vopr.service import BrokenError
from tests.vopr.snapshot import ask
from tests.vopr.worlds import HOUR_MS, World, calling

MEMBERS_MAX: Final = 4
PAUSE_MS_MAX: Final = 20_000
"""Maximum time between two actions of users."""
STEPS_MAX: Final = 12
SKEW_MS_MAX: Final = HOUR_MS
"""Maximum difference of a machine's clock to that of the database."""
_TICKS_MS: Final = (40, 120, 300, 300, 1_000, 1_700)
_TROUBLE_MS: Final = (900, 6_000, LEASE_MS - 1, LEASE_MS + 3_000, 3 * LEASE_MS)
_HEALED_MS: Final = LEASE_MS + 5_000
_SLOW_EACH: Final = 4
"""One in so many seeds has a slow database."""
_WAITS_MS: Final = (20, 90, 290, 900)
_SAVED: Final = "UPDATE gateway SET updated_date = updated_date + 1 WHERE id = :id"

Result = TypeVar("Result")


class MemberDatabase:
    """The database as one worker sees it: its network can be cut."""

    def __init__(self, database: Database, wait: Callable[[], Awaitable[None]]) -> None:
        self._database: Final = database
        self._wait: Final = wait
        self.is_cut = False

    async def read(self, work: Callable[[Connection], Result]) -> Result:
        """Run a unit of work that reads."""
        self._check()
        await self._wait()
        return await self._database.read(work)

    async def write(
        self, work: Callable[[Connection], Result], *, is_step: bool = False, is_long: bool = False
    ) -> Result:
        """Run a unit of work that writes."""
        self._check()
        await self._wait()
        return await self._database.write(work, is_step=is_step, is_long=is_long)

    async def write_without_lock(self, work: Callable[[Connection], Result]) -> Result:
        """Run a unit of work that writes."""
        self._check()
        return await self._database.write_without_lock(work)

    def has_waiting(self) -> bool:
        """Return whether units of work of this process wait for their turn to write."""
        return self._database.has_waiting()

    def _check(self) -> None:
        if self.is_cut:
            raise StorageUnavailableError("the network carries nothing")


class Member:
    """A worker process."""

    def __init__(self, run: "FleetRun", number: int) -> None:
        skew_ms = run.dice.between(-SKEW_MS_MAX, SKEW_MS_MAX)

        def steady_ms() -> int:
            return run.now_ms + skew_ms

        clock = RealClock(lambda: run.now_ms * NANOSECONDS, lambda: steady_ms() * NANOSECONDS)
        self.name: Final = f"w{number}"
        self.database: Final = MemberDatabase(run.database, run.wait)
        self.fleet: Final = FleetCoordinator(self.name, clock, database_ms=lambda _: run.now_ms, steady_ms=steady_ms)
        self.worker: Final = Worker(
            self.database,  # type: ignore[arg-type] # the part of a database that a worker uses
            clock,
            seed=run.seed,
            service_zone=run.world.service_zone,
            new_carrier=SimulatedCarrier,
            new_lines=None,
            hours=read_calling_hours(run.world.calling_hours),
            coordinator=self.fleet,
        )
        self.keeper: Final = FleetMember(self.database, self.worker, self.fleet)  # type: ignore[arg-type] # as above
        self.frozen_until_ms = 0
        self.cut_until_ms = 0


class FleetRun:
    """A run of one seed: a made-up world, its users, and a few workers with troubles of their own."""

    member_type: ClassVar[type[Member]] = Member
    ticks_ms: ClassVar[tuple[int, ...]] = _TICKS_MS

    def __init__(
        self,
        seed: int,
        folder: Folder,
        *,
        members: int | None = None,
        world: World | None = None,
        workers: int | None = None,
    ) -> None:
        self.seed: Final = seed
        self.world: Final = world or busy_world_of(seed)
        self.dice: Final = Dice(seed, "fleet")
        self.now_ms = self.world.start_ms
        self.database: Final = folder.database
        self._folder: Final = folder
        self._name: Final = f"fleet-{seed}"
        self._is_calm: Final = members is not None
        self._wanted: Final = members or workers or self.dice.between(1, MEMBERS_MAX)
        self._members: list[Member] = []
        self._born = 0
        self._observer: Final = Observer(self.world.service_zone, self.world.calling_hours, has_fleet=True)
        self._rules: Final = FleetRules()
        self._version: Hashable = None
        self._shares: Shares | None = None
        self._raised: list[BaseException] = []
        self._trace: Final = hashlib.sha256()
        self._events: Final[deque[str]] = deque(maxlen=EVENTS_KEPT)
        self._step = 0
        self.faults = 0
        self.rows_digest = ""
        self._is_slow: Final = members is None and seed % _SLOW_EACH == _SLOW_EACH - 1
        """True if units of work wait for each other, so that workers are late."""
        self._waits: Final = Dice(seed, "waits")

    async def outcome(self) -> SeedOutcome:
        """Run the seed, and return its outcome."""
        broken = ""
        self.database.open(self._folder.new_database(self._name))
        try:
            with keeping_errors(self._raised):
                await self._live()
                await self._heal()
        except BrokenError as error:
            broken = str(error)
        finally:
            self.database.close()
            self._folder.remove(self._name)
        return SeedOutcome(
            seed=self.seed,
            ok=not broken,
            steps=self._step,
            calls=self._observer.calls,
            faults=self.faults,
            digest=self._trace.hexdigest(),
            step=self._step if broken else None,
            broken=broken,
            events=tuple(self._events) if broken else (),
        )

    # --- life -------------------------------------------------------------------------------------------------------

    async def _live(self) -> None:
        self._fill()
        for step in troubles_of(self.seed).steps[:STEPS_MAX]:
            self._step += 1
            await self._pass(min(step.pause_ms, PAUSE_MS_MAX))
            for action in (step.action, *step.then):
                self._act(action)
                self._learn()

    def _fill(self) -> None:
        """Write the rows of the world, and let the workers join."""
        self.database.write_now(lambda connection: fill(connection, self.world))
        self._learn()
        for _ in range(self._wanted):
            self._join()

    def _act(self, action: Action) -> None:
        """Perform the action of a user."""
        finished = self._finished(action)
        try:
            done = self.database.write_now(
                lambda connection: perform(connection, action, self.now_ms, self.world.rules)
            )
        except RefusedError as error:
            done = f"{action.do}: refused, {error}"
        self._observer.memory.again.update(finished - self._finished(action))
        if action.do in PAYS:
            self._learn_payments()
        self._note(done)

    def _finished(self, action: Action) -> set[int]:
        """Return the subscribers who are done, if this action may set one of them back to be called again."""
        if action.do not in SETS_BACK:
            return set()
        query = f"SELECT id FROM subscriber WHERE status NOT IN ({OPEN})"  # noqa: S608 - numbers
        return {row[0] for row in self.database.read_now(lambda connection: ask(connection, query))}

    async def _pass(self, pause_ms: int) -> None:
        """Let time pass, in small steps of which each worker uses some."""
        until_ms = self.now_ms + pause_ms
        while self.now_ms < until_ms:
            self.now_ms += min(self.dice.pick(self.ticks_ms), until_ms - self.now_ms)
            if not self._is_calm:
                self._trouble()
            for member in self._in_any_order():
                member.database.is_cut = self.now_ms < member.cut_until_ms
                if member in self._members and self.now_ms >= member.frozen_until_ms:
                    await self._turn(member)

    async def wait(self) -> None:
        """Let time pass before a unit of work, which waits for those of others. Tasks of its worker go on meanwhile."""
        if self._is_slow:
            await anyio.lowlevel.checkpoint()
            if self._waits.happens(20):
                self.now_ms += self._waits.pick(_WAITS_MS)

    async def _turn(self, member: Member) -> None:
        """Let a worker do what its loops do, in any order."""
        if self._is_slow:
            await self._slow_turn(member)
            return
        turns = [member.keeper.beat, member.worker.settle, member.keeper.lend]
        for place in range(len(turns)):
            await self._take(turns[place] if self._is_calm else self.dice.pick(turns), member)

    async def _slow_turn(self, member: Member) -> None:
        """Let a worker do what its loops do at the same time, while users save what they have not changed."""
        if self._waits.happens(30):
            self._save_gateway()

        async def settle_and_lend() -> None:
            async with anyio.create_task_group() as tasks:
                turns = [member.worker.settle, member.keeper.lend]
                for turn in turns if self._waits.happens(50) else reversed(turns):
                    tasks.start_soon(turn)

        await self._take(member.keeper.beat, member)
        await self._take(settle_and_lend, member)

    def _save_gateway(self) -> None:
        """Save a gateway as it is, as a form does."""
        gateway_id = self._waits.between(1, calling(self.world.rows))

        def save(connection: Connection) -> None:
            connection.execute(text(_SAVED), {"id": gateway_id})
            touch(connection, Touched(gateways=frozenset({GatewayKey(VOICE, gateway_id)})))

        self.database.write_now(save)
        self._learn()

    async def _take(self, turn: Callable[[], Awaitable[None]], member: Member) -> None:
        self._raised.clear()
        try:
            await turn()
        except Exception as error:  # noqa: BLE001 - any exception is a finding
            self._raised.append(error)
        self._check(f"{member.name} {turn.__name__}")

    def _trouble(self) -> None:
        if self._members and self.dice.happens(12):
            member = self.dice.pick(self._members)
            self.faults += 1
            self.dice.pick((self._freeze, self._cut, self._kill, self._lose_lease))(member)
        if len(self._members) < self._wanted and self.dice.happens(10):
            self._join()

    def _freeze(self, member: Member) -> None:
        member.frozen_until_ms = self.now_ms + self.dice.pick(_TROUBLE_MS)
        self._note(f"{member.name} freezes until {member.frozen_until_ms - self.world.start_ms}")

    def _cut(self, member: Member) -> None:
        member.cut_until_ms = self.now_ms + self.dice.pick(_TROUBLE_MS)
        self._note(f"{member.name} is cut off until {member.cut_until_ms - self.world.start_ms}")

    def _kill(self, member: Member) -> None:
        self._members.remove(member)
        if self.dice.happens(50):  # Told to end, it ends its lease; killed, it does not.
            self.database.write_now(member.fleet.leave)
        self._note(f"{member.name} ends")

    def _lose_lease(self, member: Member) -> None:
        worker_id = member.fleet.worker_id

        def lose(connection: Connection) -> None:
            connection.execute(update(FleetWorker).where(FleetWorker.id == worker_id).values(lease_until_ms=0))
            touch(connection, NOTHING)

        self.database.write_now(lose)
        self._note(f"{member.name} loses its lease")

    def _join(self) -> None:
        self._born += 1
        self._members.append(self.member_type(self, self._born))
        self._note(f"w{self._born} joins")

    def _in_any_order(self) -> list[Member]:
        members = list(self._members)
        if self._is_calm:
            return members
        return [members.pop(self.dice.between(0, len(members) - 1)) for _ in range(len(members))]

    # --- end --------------------------------------------------------------------------------------------------------

    async def _heal(self) -> None:
        """Let the faults end. Every shard must have an owner soon, and every call an end."""
        for member in self._members:
            member.frozen_until_ms = member.cut_until_ms = 0
        if not self._members:
            self._join()
        self._step += 1
        for _ in range(_HEALED_MS // 1_000):
            self.now_ms += 1_000
            for member in self._members:
                member.database.is_cut = False
                for turn in (member.keeper.beat, member.worker.settle, member.keeper.lend):
                    await self._take(turn, member)
        self._fail_for([*self._left_over(), *self._rules.crowded(self._observer.memory)])
        self.database.write_now(lambda connection: disband(connection, self.now_ms))
        self.rows_digest = digest_of(self.database.read_now(contents))
        self._note(f"rows {self.rows_digest}")

    def _left_over(self) -> list[str]:
        """Return what must not be when all faults have ended."""
        return self.database.read_now(lambda one: list(unowned(one, self.now_ms)))

    # --- rules ------------------------------------------------------------------------------------------------------

    def _learn(self) -> None:
        self._shares = self.database.read_now(self._rules.read)
        self.database.read_now(lambda connection: self._rules.learn_limits(connection, self.now_ms))
        self._fail_for(self.database.read_now(lambda connection: self._observer.before(connection, self.now_ms)))

    def _learn_payments(self) -> None:
        paid = self._observer.memory.paid
        paid.clear()
        for user_id, amount in self.database.read_now(lambda one: ask(one, "SELECT user_id, amount FROM payment")):
            paid[user_id] += amount

    def _check(self, what: str) -> None:
        strange = [one for one in self._raised if not isinstance(one, StorageUnavailableError | LeaseLostError)]
        if strange:
            raise BrokenError(f"raised: {type(strange[0]).__name__}: {strange[0]}") from strange[0]
        broken = self._changes() if self._has_written() else []
        self._note(what)
        self._fail_for(broken)

    def _has_written(self) -> bool:
        """Return whether anything was committed since the last call."""
        before, self._version = self._version, self.database.read_now(version)
        return before != self._version

    def _changes(self) -> list[str]:
        """Return the rules that the last unit of work of a worker has broken."""
        broken = self.database.read_now(
            lambda connection: self._observer.after(connection, self.now_ms, has_worked=False)
        )
        broken += self._rules.crowds(self._observer.memory, self.database)
        before, self._shares = self._shares, self.database.read_now(self._rules.read)
        if before is not None:
            broken += self.database.read_now(lambda one: list(self._rules.moved(one, before, self.now_ms)))
        return broken

    def _fail_for(self, broken: list[str]) -> None:
        if broken:
            raise BrokenError(broken[0])

    def _note(self, what: str) -> None:
        line = f"{self._step} {self.now_ms - self.world.start_ms} {self._observer.calls} {what}"
        self._events.append(line)
        self._trace.update(line.encode() + b"\n")


async def run_fleet(seed: int, folder: Folder) -> SeedOutcome:
    """Run a seed with several workers."""
    return await FleetRun(seed, folder).outcome()
