"""Worker: drives the engine over the service's clock, and commits its decisions.

A step is one unit of work under the write lock. It updates the engine about rows that others have touched, handles what
is due, writes the effects and commits. So everything that the engine knew at a decision is still true at its commit. A
dial therefore respects any pause, do-not-call entry or payment committed before it. When a step fails, nothing of it is
stored, and the engine is built again from the rows.
"""

import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import Final

import anyio
import structlog
from sqlalchemy import Connection

from dialer.carriers.engine_port import CallPlacer
from dialer.domain.calling_times.calling_hours import CallingHours
from dialer.domain.calls.plans import GatewayKey
from dialer.domain.engine.engine import Engine
from dialer.domain.rules.invariants import BrokenInvariantError, Rule
from dialer.runtime.lines.line_reports import LineReport
from dialer.runtime.lines.lines import Lines, NewLine
from dialer.runtime.steps.clock import Clock, RealClock, VirtualClock
from dialer.runtime.steps.clock_jumps import Jumps
from dialer.runtime.steps.committed_step import publish
from dialer.runtime.steps.coordinator import Alone, Coordinator, LeaseLostError, OutdatedStepError
from dialer.runtime.steps.dial_counters import DialCounters
from dialer.runtime.steps.engine_parts import EngineParts, NewCarrier, NewKernel
from dialer.runtime.steps.failed_steps import Containment
from dialer.runtime.steps.gateway_use import gateways_in_use
from dialer.runtime.steps.kernel import CampaignStore, Kernel
from dialer.runtime.steps.live_engine import LiveEngine
from dialer.runtime.steps.process_health import Durations, ProcessHealth
from dialer.runtime.steps.settling import Settling
from dialer.runtime.steps.step_extent import StepExtent
from dialer.store.database.database import Database, StorageUnavailableError
from dialer.store.database.touched import NOTHING, touch
from dialer.store.journal.unwritten_rows import Recordings
from dialer.store.queries.load_engine import Loader
from dialer.store.rows.invariants import started_users
from dialer.store.rows.live_legs import mark_handed

IDLE_SECONDS_MAX: Final = 1.0
"""Maximum rest of a live worker, so that the stored time is never far behind."""
RETRY_SECONDS: Final = 1.0
NO_LINES: Final[Mapping[str, NewLine]] = MappingProxyType({})

_log = structlog.get_logger(__name__)


class NotVirtualError(Exception):
    """Raised by an attempt to advance a clock that is not virtual."""


def _new_kernel(engine: Engine, carrier: CallPlacer, store: CampaignStore, now_ms: int) -> Kernel:
    return Kernel(engine, carrier, store, now_ms=now_ms)


class Worker:
    """The loop that drives the engine over one database.

    `running` keeps it going. `settle` and `advance` are for callers that changed something. `new_lines` are the real
    carriers by the protocol of their gateways; None simulates all gateways, as a forecast does. `beside` returns a
    context that is entered as long as the loop runs.
    """

    def __init__(  # noqa: PLR0913 - tests replace parts of it
        self,
        database: Database,
        clock: Clock,
        *,
        seed: int,
        service_zone: str,
        new_carrier: NewCarrier,
        hours: CallingHours = CallingHours(),  # noqa: B008 - it is immutable
        recordings: Recordings | None = None,
        new_kernel: NewKernel = _new_kernel,
        coordinator: Coordinator | None = None,
        new_lines: Mapping[str, NewLine] | None = NO_LINES,
        beside: Callable[[], contextlib.AbstractAsyncContextManager[None]] = contextlib.nullcontext,
    ) -> None:
        self.clock = clock
        self.seed: Final = seed
        self._database: Final = database
        self._beside: Final = beside
        self._step_turn = anyio.Lock()
        self._settling: Final = Settling(partial(self._run_until, None))
        self._nudged = anyio.Event()
        self._live: LiveEngine | None = None
        self._problem: str | None = None
        self._figures: Final = DialCounters()
        self._durations: Final = Durations()
        self._containment: Final = Containment(database, self._figures)
        self._jumps: Final = Jumps(database)
        self._extent: Final = StepExtent(clock, database.has_waiting)
        self._coordinator: Final = coordinator or Alone(database)
        self._lines: Final = Lines(new_lines or {}, clock.now_ms, self._nudge)
        self._engine_parts: Final = EngineParts(
            clock,
            seed,
            self._coordinator,
            loader=partial(Loader, service_zone, hours),
            new_carrier=new_carrier,
            turns_given=self._lines.turns_given,
            simulates_all=new_lines is None,
            recordings=recordings,
            new_kernel=new_kernel,
            quarantine=self._containment.quarantine,
            extent=self._extent,
        )

    def problem(self) -> str | None:
        """Return the reason why dialling fails at present, `storage` or `engine`, or None if it works."""
        return self._problem

    @property
    def calls_in_progress(self) -> int:
        """Number of calls in progress."""
        return 0 if self._live is None else self._live.engine.calls_in_progress

    def figures(self) -> DialCounters:
        """Return the committed totals since the process started."""
        self._figures.lines_down = sum(map(bool, self._states_of_lines().values()))
        return self._figures

    def _states_of_lines(self) -> dict[GatewayKey, str]:
        """Return why the line of each gateway does not work or rests; empty for one that works."""
        return self._lines.states() | self._containment.resting(self.clock.now_ms())

    def process_health(self) -> ProcessHealth:
        """Return the durations of steps, and the state of the engine at present."""
        live, member = self._live, self._coordinator.membership()
        late_ms = 0 if live is None else max(0, live.late_ms(self.clock.now_ms()))
        gateways = () if live is None else gateways_in_use(live.engine.engine_state, live.kernel.now_ms)
        return ProcessHealth(steps=self._durations, late_ms=late_ms, gateways=gateways, membership=member)

    @contextlib.asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Handle what is due, for as long as the context is entered. A virtual clock must be advanced instead."""
        await self._take_up()
        await self.settle()
        async with self._beside(), anyio.create_task_group() as tasks:
            if not isinstance(self.clock, VirtualClock):
                tasks.start_soon(self._go_on)
            yield
            tasks.cancel_scope.cancel()
        await self._lines.close()

    async def _take_up(self) -> None:
        """Build the engine from the rows, handle what is due, and log the restored counts and the time taken.

        A failure is not raised: the next step tries again.
        """
        began_s = anyio.current_time()
        with contextlib.suppress(Exception):
            async with self._step_turn:
                await self._one_step(self.clock.now_ms())
        if self._live is not None:
            took_ms = round((anyio.current_time() - began_s) * 1_000)
            _log.info("dialling_taken_up", **self._live.taken_up, took_ms=took_ms)

    async def settle(self) -> None:
        """Handle all events that are due now, including the effects of changes that were just committed.

        Events that become due meanwhile are left to `running`; otherwise `settle` would not return when the clock runs
        faster than the machine. Nothing is raised, because the caller's change is already committed. A step that fails
        is logged, reported by `problem`, and tried again. All callers that wait before it begins share one `settle`.
        """
        await self._settling.settle()
        self._nudged.set()
        # No dial follows the answer to a pause: those that were decided ahead have begun by then.
        if (seconds := self._extent.seconds_ahead()) > 0:
            await anyio.sleep(seconds)

    def next_ms(self) -> int | None:
        """Return the moment of the next event of the dialling; None if none is due."""
        return None if self._live is None else self._live.kernel.next_due_ms

    async def advance(self, to_ms: int) -> None:
        """Handle all events that are due until `to_ms`, and set the virtual clock to that time.

        Raises:
            NotVirtualError: the clock is not virtual.
            StorageUnavailableError: a commit failed. The clock stands at the last commit.
        """
        if not isinstance(self.clock, VirtualClock):
            raise NotVirtualError
        await self._run_until(to_ms)

    async def proceed(self) -> float:
        """Handle the events that are due, and those that share their commit. Return the seconds until the next event.

        Raises:
            Exception: a step failed. It is logged.
        """
        await self._run_until(None, is_ahead=True)
        return self._seconds_to_rest()

    async def _run_until(self, until_ms: int | None, *, is_ahead: bool = False) -> None:
        """Handle everything due until `until_ms`; None means the present at the time of this call.

        A virtual clock also waits until all contacts are collected. Any other clock runs on, and so does the dialling.
        """
        collects = isinstance(self.clock, VirtualClock)
        latest_ms = self.clock.now_ms() if until_ms is None else until_ms
        is_done = False
        while not is_done:
            async with self._step_turn:
                # A caller who stops waiting does not stop a step that hands over to lines.
                with anyio.CancelScope(shield=self._lines.are_in_use):
                    is_done = await self._one_step(latest_ms, is_ahead=is_ahead) and not (
                        collects and self._collects_in_s() is not None
                    )

    async def _one_step(self, until_ms: int, *, is_ahead: bool = False) -> bool:
        if not self._coordinator.may_step():
            self._live, self._problem = None, "lease"
            return True
        try:
            await self._follow_jumps()
            is_done = await self._try_step(until_ms, is_ahead=is_ahead)
            self._coordinator.after_commit()
            if self._live is not None:
                publish(self._figures, self._live)
                if isinstance(self.clock, VirtualClock):
                    self.clock.set(self._live.kernel.now_ms)
                await self._hand_over(self._live)
                if await self._containment.after_commit(self._live, self.clock.now_ms(), is_done=is_done):
                    self._live, is_done = None, False
        except LeaseLostError as lost:
            # Expected after a freeze or a cut: nothing of the step is stored, and the keeper joins again.
            self._live, self._problem = None, "lease"
            _log.warning("lease_lost", why=str(lost))
            raise
        except StorageUnavailableError as error:
            # Expected while the database restarts or its disk is full: the step is made again.
            self._live, self._problem = None, "storage"
            _log.warning("step_failed", problem="storage", reason=" ".join(str(error).split()))
            raise
        except Exception:
            self._live, self._problem = None, "engine"
            _log.exception("step_failed", problem="engine")
            raise
        self._problem = None
        return is_done

    async def _try_step(self, until_ms: int, *, is_ahead: bool) -> bool:
        began_s = anyio.current_time()
        reports, lines = self._lines.heard(), self._states_of_lines()
        try:
            return await self._database.write(
                lambda connection: self._step(connection, until_ms, reports, lines, is_ahead=is_ahead), is_step=True
            )
        except OutdatedStepError:
            self._live = None
            _log.info("step_outdated")
            return False
        except Exception as error:
            live, self._live = self._live, None
            if not await self._containment.contain(live, error, self.clock.now_ms()):
                raise
            return False
        finally:
            self._durations.add(anyio.current_time() - began_s)

    async def _hand_over(self, live: LiveEngine) -> None:
        """Give the lines what a committed step has for them, within the turn of the step.

        Legs to dial are marked in a commit of their own before. So after a crash in between, a leg without the mark was
        certainly never placed, and a leg with it may have been.

        Raises:
            StorageUnavailableError: the mark could not be stored, so nothing is dialled.
            LeaseLostError: another worker has taken over, and deleted these attempts.
        """
        self._lines.drop_reported(live.reports_given)
        await self._lines.follow(live.switchboard.settings)
        over = live.switchboard.take_hand_over()
        self._lines.perform(over)
        if over.dials:
            now_ms, keys = self.clock.now_ms(), [leg.key for leg in over.dials]
            are_marked = await self._database.write(lambda connection: _mark(connection, keys, now_ms), is_step=True)
            if not (are_marked and self._coordinator.may_step()):
                raise LeaseLostError("another worker has taken over the calls of this step")
            for leg in over.dials:
                leg.handed_ms = now_ms
            self._lines.dial(over.dials, live.cps_max())
        await self._lines.find(live.switchboard)

    async def _follow_jumps(self) -> None:
        """Follow a change of the machine's clock, and discard the engine, because the rows in progress were moved."""
        if isinstance(self.clock, RealClock) and self._coordinator.is_alone:
            done_until_ms = None if self._live is None else self._live.kernel.now_ms
            if await self._jumps.follow(self.clock, done_until_ms):
                self._live = None

    def _step(
        self,
        connection: Connection,
        until_ms: int,
        reports: Sequence[LineReport],
        lines: Mapping[GatewayKey, str],
        *,
        is_ahead: bool,
    ) -> bool:
        live, touched = self._live, self._coordinator.begin(connection)
        quarantine = self._containment.quarantine
        if quarantine.owners() and (started := started_users(connection, quarantine.owners())):
            quarantine.take_back(started)
            live = None
        if live is None or touched is None:
            self._live = None
            live = self._live = LiveEngine(connection, self._engine_parts)
            live.build(connection)
        else:
            live.refresh(connection, touched)
        try:
            allowance = self._containment.allowance(self.clock.now_ms())
            is_done = live.step(connection, until_ms, reports, lines, allowance, is_ahead=is_ahead)
        except BrokenInvariantError as broken:
            if broken.rule is Rule.DO_NOT_CALL and self._coordinator.is_outdated(connection):
                raise OutdatedStepError from broken
            raise
        touch(connection, NOTHING)  # The engine knows its own changes.
        return is_done

    async def between_steps(self, work: Callable[[LiveEngine], Awaitable[None]]) -> None:
        """Run `work` with the engine between two steps. Do nothing if there is no engine."""
        async with self._step_turn:
            if self._live is not None:
                await work(self._live)

    def _nudge(self) -> None:
        self._nudged.set()

    async def _go_on(self) -> None:
        """Run the loop of a clock that runs by itself. After any failure it continues from the rows as they are."""
        rest = 0.0
        while True:
            with anyio.move_on_after(rest) as resting:
                await self._nudged.wait()
            self._nudged = anyio.Event()
            try:
                # A nudge comes from a line, or from `settle`, which has just handled what was due.
                if resting.cancelled_caught or self._lines.has_news:
                    rest = await self.proceed()
                else:
                    rest = self._seconds_to_rest()
            except Exception:  # noqa: BLE001 - logged where it was caught first; dialling must not stop for good
                rest = RETRY_SECONDS

    def _collects_in_s(self) -> float | None:
        return None if self._live is None else self._live.collects_in_s

    def _seconds_to_rest(self) -> float:
        if self._lines.has_news:
            return 0.0
        collects_in_s = self._collects_in_s()
        rest_max_s = IDLE_SECONDS_MAX if collects_in_s is None else collects_in_s
        due_ms = self.next_ms()
        if due_ms is None:
            return rest_max_s
        return min(rest_max_s, self.clock.seconds_until(due_ms) or 0.0)


def _mark(connection: Connection, keys: Sequence[str], now_ms: int) -> bool:
    touch(connection, NOTHING)
    return mark_handed(connection, keys, now_ms)
