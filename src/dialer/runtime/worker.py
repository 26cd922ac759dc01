"""The worker: drives the engine over the service's clock, and commits what it decides.

A step is one unit of work. It begins with the write lock in its hand, tells the engine what others have touched, lets
happen what is due, writes it all and commits. So what the engine knew when it decided is still true when it is written:
a campaign that was paused, a number that was put on a do-not-call list or money that was spent before a dial's commit
is known to that dial. When a step fails nothing of it is there; the engine is built again from the rows.
"""

import contextlib
from collections.abc import AsyncIterator
from typing import Final

import anyio
import structlog
from sqlalchemy import Connection

from dialer.carriers.port import Line
from dialer.domain.engine import Engine
from dialer.domain.invariants import BrokenInvariantError
from dialer.runtime.clock import Clock, RealClock, VirtualClock
from dialer.runtime.jumps import Jumps
from dialer.runtime.kernel import CampaignStore, Kernel
from dialer.runtime.live_engine import LiveEngine, NewKernel, NewLine
from dialer.runtime.quarantine import Aside
from dialer.runtime.tally import Tally
from dialer.store.database import Database, StorageUnavailableError
from dialer.store.invariants import pause_user, started_users
from dialer.store.journal.journal import Recordings
from dialer.store.touched import NOTHING, touch

IDLE_SECONDS_MAX: Final = 1.0
"""How long a live worker rests at most, so that the clock it stores is never far behind."""
RETRY_SECONDS: Final = 1.0

_log = structlog.get_logger(__name__)


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
        self._live: LiveEngine | None = None
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
        live, touched = self._live, self._database.take_touched(connection)
        if self._aside.owners() and (started := started_users(connection, self._aside.owners())):
            self._aside.take_back(started)
            live = None
        if live is None:
            live = self._live = LiveEngine(
                connection,
                self.clock,
                seed=self.seed,
                service_zone=self._service_zone,
                new_line=self._new_line,
                recordings=self._recordings,
                new_kernel=self._new_kernel,
                aside=self._aside,
            )
        else:
            live.refresh(connection, touched)
        is_done = live.step(connection, until_ms)
        touch(connection, NOTHING)  # The engine knows what it has done itself.
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


class _Settling:
    """A `settle`, for all who wait for it."""

    def __init__(self) -> None:
        self.is_over: Final = anyio.Event()
        self.is_done = False
        """Whether it came to its end, and was not given up half-way."""
