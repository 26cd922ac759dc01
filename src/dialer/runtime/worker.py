"""The worker: drives the engine over the service's clock, and commits what it decides.

A step is one unit of work. It begins with the write lock in its hand, tells the engine what has changed, lets happen
what is due, writes it all and commits. So what the engine knew when it decided is still true when it is written: a
campaign that was paused, a number that was put on a do-not-call list or money that was spent before a dial's commit is
known to that dial. When a step fails nothing of it is there; the engine is built again from the rows.
"""

import contextlib
from collections import Counter
from collections.abc import AsyncIterator, Callable
from typing import Final

import anyio
import structlog
from sqlalchemy import Connection

from dialer.carriers.port import Line
from dialer.domain import events
from dialer.domain.engine import Engine
from dialer.domain.invariants import BrokenInvariantError
from dialer.domain.plans import GatewayPlan
from dialer.runtime.clock import Clock, RealClock, VirtualClock, open_clock
from dialer.runtime.guard import Guard
from dialer.runtime.jumps import Jumps
from dialer.runtime.kernel import CampaignStore, Kernel
from dialer.runtime.quarantine import Aside
from dialer.runtime.tally import StepTally, Tally
from dialer.store.collecting import collect_campaign, has_uncollected
from dialer.store.database import Database, StorageUnavailableError
from dialer.store.invariants import pause_user, started_users
from dialer.store.journal.journal import JournalStore, Recordings
from dialer.store.queries.floor import call_backs_of
from dialer.store.queries.loading import LoadedRows, Loader
from dialer.store.service_state import State, open_state, read_state, save_state

EVENTS_PER_STEP: Final = 4_000
"""Events that one commit covers: some tens of milliseconds, for which other writers wait."""
IDLE_SECONDS_MAX: Final = 1.0
"""How long a live worker rests at most, so that the clock it stores is never far behind."""
SAVE_AFTER_MS: Final = 1_000
"""How far the stored clock may lag behind a clock that goes by itself."""
RETRY_SECONDS: Final = 1.0
LAG_MS_MAX: Final = 1_000
"""A worker on the real clock that comes later than this goes on from now: it does not catch up what it missed."""
_TAKEN_UP: Final = ("calls", "messages", "call_backs")
"""What a start takes up again: calls in progress, messages on their way, and who is expected to call back."""

_log = structlog.get_logger(__name__)


NewLine = Callable[[int], Line]
"""Makes the carriers behind the gateways, from the service's seed."""
NewKernel = Callable[[Engine, Line, CampaignStore, int], Kernel]
"""Makes the kernel that drives an engine: it stands at a moment in milliseconds since the epoch."""


class NotVirtualError(Exception):
    """Raised when a clock that goes by itself is told to advance."""


def _new_kernel(engine: Engine, carrier: Line, store: CampaignStore, now_ms: int) -> Kernel:
    return Kernel(engine, carrier, store, now_ms=now_ms)


class Worker:
    """The live loop over one database.

    `running` keeps it going; `settle` and `advance` are for those who changed something.
    """

    def __init__(
        self,
        database: Database,
        clock: Clock,
        *,
        seed: int,
        service_zone: str,
        new_line: NewLine,
        recordings: Recordings | None = None,
        new_kernel: NewKernel = _new_kernel,
    ) -> None:
        self.clock = clock
        self.seed: Final = seed
        self._new_line: Final = new_line
        self._database: Final = database
        self._service_zone: Final = service_zone
        self._recordings: Final = recordings
        self._new_kernel: Final = new_kernel
        self._step_turn = anyio.Lock()
        self._settle_turn = anyio.Lock()
        self._settling: _Settling | None = None
        """The one that has not begun yet."""
        self._nudged = anyio.Event()
        self._live: _Live | None = None
        self._problem: str | None = None
        self._figures: Final = Tally()
        self._aside: Final = Aside()
        self._jumps: Final = Jumps(database)

    def problem(self) -> str | None:
        """Why dialling does not work just now; None if it does."""
        return self._problem

    @property
    def calls_in_progress(self) -> int:
        """How many calls are in progress."""
        return 0 if self._live is None else self._live.engine.calls_in_progress

    def figures(self) -> Tally:
        """What the dialling has come to since the process started, as far as it is committed."""
        return self._figures

    @contextlib.asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """While this is entered, what is due happens by itself (on a virtual clock: when it is told to advance)."""
        await self._take_up()
        await self.settle()
        async with anyio.create_task_group() as tasks:
            if not isinstance(self.clock, VirtualClock):
                tasks.start_soon(self._go_on)
            yield
            tasks.cancel_scope.cancel()

    async def _take_up(self) -> None:
        """Build the engine from the rows, do what is due first, and say what the rows had and how long that took.

        What fails is tried again by whoever comes next.
        """
        began_s = anyio.current_time()
        with contextlib.suppress(Exception):
            async with self._step_turn:
                await self._one_step(self.clock.now_ms())
        if self._live is not None:
            took_ms = round((anyio.current_time() - began_s) * 1_000)
            _log.info("dialling_taken_up", **self._live.taken_up, took_ms=took_ms)

    async def settle(self) -> None:
        """Let everything happen that is due now, changes that were just committed included.

        What falls due while this runs is left to `running`: where the clock goes faster than the machine can follow,
        it would never return. What was changed is committed already, so nothing is raised here: a step that fails is
        logged, `problem` tells of it, and it is tried again. All who ask before it begins share one.
        """
        while not await self._settle_together():
            pass  # Whoever was to do it for all was cancelled.
        self._nudged.set()

    async def _settle_together(self) -> bool:
        """Settle for all who ask until it begins; whether that came to its end."""
        if self._settling is not None:
            shared = self._settling
            await shared.is_over.wait()
            return shared.is_done
        mine = self._settling = _Settling()
        try:
            async with self._settle_turn:
                self._settling = None  # What is changed from here on may come too late for it.
                with contextlib.suppress(Exception):
                    # A large phonebook is collected behind whoever has started its campaign, if there is anybody to.
                    await self._run_until(None, collects=isinstance(self.clock, VirtualClock))
                mine.is_done = True
        finally:
            if self._settling is mine:
                self._settling = None
            mine.is_over.set()
        return True

    async def advance(self, to_ms: int) -> None:
        """Let everything happen that is due until `to_ms`, and set the virtual clock there.

        Raises:
            NotVirtualError: the clock goes by itself.
            StorageUnavailableError: it came only so far as could be committed.
        """
        if not isinstance(self.clock, VirtualClock):
            raise NotVirtualError
        await self._run_until(to_ms)

    async def _run_until(self, until_ms: int | None, *, collects: bool = True) -> None:
        """Let happen what is due until then; None: until now, the now of the beginning.

        Without `collects`, subscribers that are still to be collected are left for later.
        """
        latest_ms = self.clock.now_ms() if until_ms is None else until_ms
        is_done = False
        while not is_done:
            async with self._step_turn:
                is_done = await self._one_step(latest_ms) and not (collects and self._has_more_to_collect)

    async def _one_step(self, until_ms: int) -> bool:
        try:
            await self._follow_jumps()
            is_done = await self._try_step(until_ms)
        except Exception as error:
            self._live = None
            self._problem = "storage" if isinstance(error, StorageUnavailableError) else "engine"
            _log.exception("step_failed", problem=self._problem)
            raise
        self._problem = None
        if self._live is not None:
            done = self._live.tally.committed()
            for medium, gateway_id in done.rests:
                _log.warning("gateway_rests", medium=medium, gateway_id=gateway_id)
            self._figures.add(done)
            self._count_ignored(self._live.engine)
            if isinstance(self.clock, VirtualClock):
                self.clock.set(self._live.kernel.now_ms)
        return is_done

    def _count_ignored(self, engine: Engine) -> None:
        """Reports that changed nothing may tell that a carrier is confused: the last ones stand in the log."""
        self._figures.reports_ignored += engine.reports_ignored
        engine.reports_ignored = 0
        for report in engine.kept_aside:
            _log.warning("report_ignored", report=type(report).__name__, call_id=report.call_id)
        engine.kept_aside.clear()

    async def _try_step(self, until_ms: int) -> bool:
        try:
            return await self._database.write(lambda connection: self._step(connection, until_ms), alone=True)
        except BrokenInvariantError as broken:
            self._live = None
            await self._contain(broken)
            return False

    async def _contain(self, broken: BrokenInvariantError) -> None:
        """Stop what a broken rule concerns, and nothing else.

        At first its user dials no more, while calls in progress end and are charged. If it is one of these that breaks
        rules, it is set aside. So whatever is broken, the next step has less to do with it.

        Raises:
            BrokenInvariantError: there is nothing left of this user to stop.
        """
        user_id, now_ms = broken.user_id, self.clock.now_ms()
        paused = await self._database.write(lambda connection: pause_user(connection, user_id, now_ms))
        self._figures.broken[broken.rule] += 1
        _log.error(
            "invariant_broken",
            rule=broken.rule.value,
            what=str(broken),
            user_id=user_id,
            campaign_id=broken.campaign_id,
            call_id=broken.call_id,
            campaigns_paused=paused,
        )
        if not paused:
            self._aside.put(broken)

    async def _follow_jumps(self) -> None:
        """Where the machine's clock was put, build the engine again: the rows of what is in progress were moved."""
        if isinstance(self.clock, RealClock):
            done_until_ms = None if self._live is None else self._live.kernel.now_ms
            if await self._jumps.follow(self.clock, done_until_ms):
                self._live = None

    def _step(self, connection: Connection, until_ms: int) -> bool:
        live = self._live
        if self._aside.owners() and (started := started_users(connection, self._aside.owners())):
            self._aside.take_back(started)
            live = None
        if live is None:
            live = self._live = _Live(
                connection,
                self.clock,
                seed=self.seed,
                service_zone=self._service_zone,
                new_line=self._new_line,
                recordings=self._recordings,
                new_kernel=self._new_kernel,
                aside=self._aside,
            )
        elif live.version != self._database.version(connection) or live.has_more_to_collect:
            live.refresh(connection)
        is_done = live.step(connection, until_ms)
        units, others = self._database.version(connection)
        live.version = units + 1, others  # this step's own commit included
        return is_done

    async def _go_on(self) -> None:
        """The loop of a clock that goes by itself. Whatever fails, it goes on with the rows as they are."""
        rest = 0.0
        while True:
            with anyio.move_on_after(rest) as resting:
                await self._nudged.wait()
            self._nudged = anyio.Event()
            try:
                if resting.cancelled_caught:  # Who nudges has just let happen what was due.
                    await self._run_until(None)
                rest = self._seconds_to_rest()
            except Exception:  # noqa: BLE001 - logged where it was caught first; dialling must not stop for good
                rest = RETRY_SECONDS

    @property
    def _has_more_to_collect(self) -> bool:
        return self._live is not None and self._live.has_more_to_collect

    def _seconds_to_rest(self) -> float:
        if self._has_more_to_collect:
            return 0.0
        due_ms = None if self._live is None else self._live.kernel.next_due_ms
        if due_ms is None:
            return IDLE_SECONDS_MAX
        return min(IDLE_SECONDS_MAX, self.clock.seconds_until(due_ms) or 0.0)


def open_worker(
    database: Database,
    *,
    mode: str,
    clock_start_ms: int | None,
    seed: int,
    service_zone: str,
    new_line: NewLine,
    recordings: Recordings | None = None,
) -> Worker:
    """A worker on a migrated database, its clock going on from where the service stood.

    `mode` is a setting's `real`, `virtual` or `xN`. On a database that never ran, a clock that is not real begins at
    `clock_start_ms`, or now. Without `recordings`, what callees say onto a recording is not kept.
    """
    state = database.read_now(read_state)
    first_ms = RealClock().now_ms() if clock_start_ms is None else clock_start_ms
    clock = open_clock(mode, first_ms if state is None else state.now_ms)
    return Worker(database, clock, seed=seed, service_zone=service_zone, new_line=new_line, recordings=recordings)


class _Settling:
    """A `settle`, for all who wait for it."""

    def __init__(self) -> None:
        self.is_over: Final = anyio.Event()
        self.is_done = False
        """Whether it came to its end, and was not given up half-way."""


class _Live:
    """An engine with all that it needs, built from the rows and thrown away when a commit fails."""

    def __init__(
        self,
        connection: Connection,
        clock: Clock,
        *,
        seed: int,
        service_zone: str,
        new_line: NewLine,
        recordings: Recordings | None,
        new_kernel: NewKernel,
        aside: Aside,
    ) -> None:
        state = open_state(connection, clock.now_ms())
        now_ms = max(state.now_ms, clock.now_ms())
        self._clock: Final = clock
        self._seed: Final = seed
        self._loader: Final = Loader(service_zone=service_zone)
        self._carrier: Final = new_line(seed)
        self._parameters: dict[int, str] = {}
        self._open: set[int] = set()
        self._queues: set[int] = set()
        self._agents: set[int] = set()
        self._is_new = True
        self._aside: Final = aside
        self.tally: Final = StepTally()
        self._guard: Final = Guard()
        self.journal: Final = JournalStore(
            next_cdr_id=state.last_cdr_id + 1, recordings=recordings, observers=(self._guard, self.tally)
        )
        self.journal.begin(connection)
        self._saved = state
        self._is_stored = False
        """Whether nothing has happened since the clock's position was stored last."""
        self.version = (0, 0)
        """The version of the database that the engine knows."""
        self.has_more_to_collect = False
        self.engine: Final = Engine(seed=seed, first_call_id=state.last_callrequest_id + 1)
        self.kernel: Final = new_kernel(self.engine, self._carrier, self.journal, now_ms)
        self._unreadable: set[int] = set()
        self._restored: Final = Counter(dict.fromkeys(_TAKEN_UP, 0))
        self._tell(self._collect_and_read(connection), restore=connection)
        self.taken_up: Final = {"campaigns": len(self._open), **self._restored}
        """How much of each the rows had."""

    def refresh(self, connection: Connection) -> None:
        """Tell the engine how the world stands now: something may have changed it."""
        self._is_stored = False
        self.journal.begin(connection)
        self._tell(self._collect_and_read(connection))

    def step(self, connection: Connection, until_ms: int) -> bool:
        """Let happen what is due, write it, and say whether all of it was done."""
        self.journal.begin(connection)
        if not isinstance(self._clock, VirtualClock):  # It may have been put back meanwhile.
            until_ms = min(until_ms, self._clock.now_ms())
        until_ms = max(self.kernel.now_ms, until_ms)
        if isinstance(self._clock, RealClock) and self._lag_ms(until_ms) > LAG_MS_MAX:
            self.kernel.now_ms = until_ms
        due_ms = self.kernel.next_due_ms
        self._is_stored = self._is_stored and (due_ms is None or due_ms > until_ms)
        is_done = self.kernel.run(until_ms, EVENTS_PER_STEP)
        self.journal.close_step(self.engine.board)
        self._save(connection)
        return is_done

    def _lag_ms(self, now_ms: int) -> int:
        """How late what is due next is already; not above zero if it is not."""
        due_ms = self.kernel.next_due_ms
        return 0 if due_ms is None else now_ms - due_ms

    def _save(self, connection: Connection) -> None:
        """Remember how far it has come; where only time has passed by itself, once a second is enough.

        After a restart nothing happens again that had happened by then, even if no row tells of it.
        """
        state = State(self.kernel.now_ms, self.engine.next_call_id - 1, self.journal.next_cdr_id - 1)
        is_soon = self._is_stored and state.now_ms - self._saved.now_ms < SAVE_AFTER_MS
        if state != self._saved and (isinstance(self._clock, VirtualClock) or not is_soon):
            save_state(connection, state)
            self._saved = state
        self._is_stored = True

    def _collect_and_read(self, connection: Connection) -> LoadedRows:
        world = self._loader.world(connection, self.kernel.now_ms, with_past=self._is_new)
        self.has_more_to_collect = False
        uncollected = [one.plan.id for one in world.campaigns if has_uncollected(connection, one.plan.id)]
        for campaign_id in uncollected:
            is_last = collect_campaign(connection, campaign_id, self.kernel.now_ms)
            self.has_more_to_collect = self.has_more_to_collect or not is_last
        if uncollected:
            world = self._loader.world(connection, self.kernel.now_ms, with_past=self._is_new)
        self._is_new = False
        return _without(world, self._aside.users)

    def _report_unreadable(self, world: LoadedRows) -> None:
        """A campaign nobody can make sense of stands still, loudly; it does not hold up the others."""
        for campaign_id, reason in world.unreadable.items():
            if campaign_id not in self._unreadable:
                _log.error("campaign_unreadable", campaign_id=campaign_id, reason=reason)
        self._unreadable = set(world.unreadable)

    def _tell(self, world: LoadedRows, restore: Connection | None = None) -> None:
        kernel = self.kernel
        self._report_unreadable(world)
        self._guard.told(world)
        for account in world.accounts:
            kernel.apply(account)
        for gateway in world.gateways:
            self._open_gateway(gateway.plan.id, world.parameters[gateway.plan.id])
            kernel.apply(gateway)
        self._tell_floor(world)
        if restore is not None:
            self._restore_calls(restore)
        still_open = {opened.plan.id for opened in world.campaigns}
        for campaign_id in sorted((self._open - still_open) | set(world.aborted)):
            kernel.apply(events.CampaignClosed(campaign_id))
        told: list[events.Event] = [*world.campaigns, *map(events.CampaignRenewed, world.over)]
        for one in told:
            kernel.apply(one)
        # Calls are hung up last: what comes free must not be taken by a campaign that has not been told to stop.
        for campaign_id in world.aborted:
            kernel.apply(events.CampaignClosed(campaign_id, is_aborted=True))
        self._open = still_open

    def _tell_floor(self, world: LoadedRows) -> None:
        """Queues, agents and the numbers that others call."""
        kernel = self.kernel
        queues = {one.plan.id for one in world.queues}
        agents = {one.plan.id for one in world.agents}
        for queue_id in sorted(self._queues - queues):
            kernel.apply(events.QueueClosed(queue_id))
        for agent_id in sorted(self._agents - agents):
            kernel.apply(events.AgentClosed(agent_id))
        kernel.apply(events.DidsForgotten())
        told: list[events.Event] = [*world.agents, *world.queues, *world.dids]
        for one in told:
            kernel.apply(one)
        self._queues, self._agents = queues, agents

    def _restore_calls(self, connection: Connection) -> None:
        for due_ms, arrived in call_backs_of(connection):
            self.kernel.expect_call_back(due_ms, arrived)
            self._restored["call_backs"] += 1
        for call in self._loader.calls(connection, self._seed):
            if self._aside.has(call):
                continue
            self._restored["messages" if call.parts else "calls"] += 1
            line = call.plan.gateway_id
            if line not in self._parameters:
                # The campaign has moved to another gateway, and this one was deleted: the call still has to end.
                self._open_gateway(line, "{}")
                self.kernel.apply(events.GatewayOpened(GatewayPlan(line)))
            self.journal.restored(call)
            self.kernel.restore(call, self._saved.now_ms)

    def _open_gateway(self, gateway_id: int, parameters: str) -> None:
        if self._parameters.get(gateway_id) != parameters:
            self._carrier.open_gateway(gateway_id, parameters)
            self._parameters[gateway_id] = parameters


def _without(world: LoadedRows, user_ids: set[int]) -> LoadedRows:
    """The world as if some users had no campaigns."""
    if not user_ids:
        return world
    return world._replace(
        campaigns=[one for one in world.campaigns if one.plan.user_id not in user_ids],
        dids=[one for one in world.dids if one.user_id not in user_ids],
    )
