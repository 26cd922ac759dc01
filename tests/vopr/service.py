"""A service under test: a worker that can crash, a database that fails, and a carrier that misreports."""

from collections.abc import Callable
from pathlib import Path
from typing import Final, TypeVar

from sqlalchemy import Connection

from dialer.carriers.engine_port import CallPlacer
from dialer.domain.calling_times.calling_hours import CallingHours
from dialer.domain.engine.engine import Engine
from dialer.runtime.steps.clock import VirtualClock
from dialer.runtime.steps.kernel import CampaignStore, Kernel
from dialer.runtime.steps.worker import Worker
from dialer.sim.carrier import SimulatedCarrier
from dialer.store.database.database import StorageUnavailableError
from tests.vopr.clocks import JumpingClock, PatientClock
from tests.vopr.database import CrashError, FaultyDatabase
from tests.vopr.faults import Fault, Mischief
from tests.vopr.kernel import FaultyKernel
from tests.vopr.logged import keeping_errors
from tests.vopr.rules_rows import ahead

Result = TypeVar("Result")
PROCEEDS: Final = 20
"""Steps of a worker on a patient clock after each pause. Each ends when something is due again, or a second later."""


class BrokenError(Exception):
    """A rule was broken, or an unexpected exception was raised."""


class Service:
    """A service of one process after another, on one database."""

    def __init__(
        self,
        database: FaultyDatabase,
        path: Path,
        *,
        seed: int,
        now_ms: int,
        zone: str,
        hours: CallingHours,
        mischief: Mischief,
    ) -> None:
        self.database: Final = database
        self._path: Final = path
        self.mischief = mischief
        self.complaints: Final[list[str]] = []
        self._seed: Final = seed
        self._zone: Final = zone
        self._hours: Final = hours
        self._kernels: list[FaultyKernel] = []
        self._raised: list[BaseException] = []
        self.clock: VirtualClock | JumpingClock = VirtualClock(now_ms)
        self._begin()

    @property
    def faults(self) -> int:
        """Return the number of the carrier's reports that were tampered with."""
        return sum(kernel.faults for kernel in self._kernels)

    def channels(self) -> dict[str, int]:
        """Return the number of calls that the engine counts on each gateway."""
        return self._kernels[-1].channels() if self._kernels else {}

    def now_ms(self) -> int:
        """Return the time of the service's clock."""
        return self.clock.now_ms()

    def read(self, work: Callable[[Connection], Result]) -> Result:
        """Run a unit of work that reads, and return its result."""
        return self.database.read_now(work)

    def restart(self) -> None:
        """Start another process, which has lost everything that was only in memory."""
        if isinstance(self.clock, JumpingClock):
            self.clock = self.clock.reopened()
        self._begin()

    def write(self, work: Callable[[Connection], Result], fault: Fault | None = None) -> Result:
        """Commit a client's request, and return its result.

        Raises:
            StorageUnavailableError: the client gets a 503, or no answer at all.
        """
        self.database.plan(fault if fault is not Fault.FULL else Fault.LOST)
        try:
            return self.database.write_now(work)
        except CrashError:
            self.restart()
            raise

    async def run(self, to_ms: int | None, fault: Fault | None = None, statement: int = 0) -> bool:
        """Let the worker do everything that is due, by `to_ms` if the clock is virtual. Return true if nothing failed.

        On a patient clock the worker may decide ahead, unless `to_ms` is None, as after a user's change.

        Raises:
            BrokenError: the worker raised an unexpected exception.
        """
        self.database.plan(fault, statement)
        self._raised.clear()
        with keeping_errors(self._raised):
            try:
                await self._step(to_ms)
            except StorageUnavailableError as error:
                self._raised.append(error)
            except Exception as error:  # noqa: BLE001 - any exception is a finding
                self._raised.append(error)
        if any(isinstance(one, CrashError) for one in self._raised):
            self.restart()
        strange = [one for one in self._raised if not isinstance(one, StorageUnavailableError)]
        if strange:
            raise BrokenError(f"raised: {type(strange[0]).__name__}: {strange[0]}") from strange[0]
        return not self._raised

    async def _step(self, to_ms: int | None) -> None:
        if isinstance(self.clock, VirtualClock):
            await self.worker.advance(self.clock.now_ms() if to_ms is None else to_ms)
        elif isinstance(self.clock, PatientClock) and to_ms is not None:
            await self._proceed(self.clock)
        else:
            await self.worker.settle()

    async def _proceed(self, clock: PatientClock) -> None:
        """Run steps. If one of the later ones dials ahead, what comes next happens before that call begins."""
        for number in range(PROCEEDS):
            clock.waits = number < PROCEEDS // 2
            await self.worker.proceed()
            if clock.waits:
                continue
            if self.read(lambda connection: list(ahead(connection, clock.now_ms()))):
                break
            clock.catch_up()
        clock.waits = True

    def _begin(self) -> None:
        self.database.open(self._path)
        self.worker = Worker(
            self.database,
            self.clock,
            seed=self._seed,
            service_zone=self._zone,
            new_carrier=SimulatedCarrier,
            new_lines=None,
            hours=self._hours,
            new_kernel=self._new_kernel,
        )

    def _new_kernel(self, engine: Engine, carrier: CallPlacer, store: CampaignStore, now_ms: int) -> Kernel:
        kernel = FaultyKernel(
            engine,
            carrier,
            store,
            now_ms=now_ms,
            seed=self._seed,
            mischief=self.mischief,
            complain=self.complaints.append,
        )
        self._kernels.append(kernel)
        return kernel
