"""FleetMember: renews the lease of a worker, replaces workers that are gone, and shares gateways with the others."""

import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from functools import partial
from typing import Final, NamedTuple

import anyio
import structlog
from sqlalchemy import Connection

from dialer.domain.calls.plans import GatewayKey, Lent
from dialer.runtime.fleet.fleet_coordinator import FleetCoordinator
from dialer.runtime.fleet.notifications import CHANGED, SEEN, Notifications
from dialer.runtime.steps.gateway_use import demands
from dialer.runtime.steps.live_engine import LiveEngine
from dialer.runtime.steps.worker import Worker
from dialer.store.backends.backend import Presence
from dialer.store.database.database import Database, StorageUnavailableError
from dialer.store.database.touched import NOTHING, touch
from dialer.store.fleet.changes import last_change
from dialer.store.fleet.slices import Demand, SliceRow, all_slices, is_news, new_slice, settle_slice, wanted_of

BEAT_S: Final = 1.0
"""Time between two looks at the other workers."""
WATCH_S: Final = 0.25
"""Time between two looks for workers that are gone."""
LEND_S: Final = 0.3
"""Time between two negotiations about gateways."""
LOOK_S: Final = 0.02
"""Time between two looks for changes of users, where nobody can wake this process."""
SLOW_LOOK_S: Final = 0.25
"""Time between two such looks where users wake it: a ring may be lost, and commands do not ring."""

_log = structlog.get_logger(__name__)


class FleetMember:
    """The part of a worker that renews its lease and takes over shards of other workers.

    `show` returns a sign that this process lives. Without it, others wait for the end of the lease.
    """

    def __init__(
        self,
        database: Database,
        worker: Worker,
        fleet: FleetCoordinator,
        *,
        show: Callable[[], Awaitable[Presence]] | None = None,
    ) -> None:
        self._database: Final = database
        self._worker: Final = worker
        self._fleet: Final = fleet
        self._show: Final = show
        self._notifications: Final = Notifications(database, CHANGED)
        fleet.tell = partial(self._notifications.ring, SEEN)

    @contextlib.asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Be a member of the fleet and dial while the context is entered. Other workers take over at its end."""
        await self.beat()
        try:
            async with self._worker.running(), self._notifications.listening(), anyio.create_task_group() as tasks:
                tasks.start_soon(self._look_on)
                for work, every_s in ((self.beat, BEAT_S), (self._watch, WATCH_S), (self.lend, LEND_S)):
                    tasks.start_soon(_repeat, work, every_s)
                yield
                tasks.cancel_scope.cancel()
        finally:
            with anyio.CancelScope(shield=True), contextlib.suppress(StorageUnavailableError):
                await self._database.write(self._fleet.leave)
            if self._fleet.presence is not None:
                self._fleet.presence.close()

    async def beat(self) -> None:
        """Join, or renew the lease; then see to the workers that are gone, and to those with fewer shards."""
        before = self._fleet.worker_id
        with contextlib.suppress(StorageUnavailableError):
            await self._show_again()
            if before is None:
                await self._database.write(self._fleet.join)
            else:
                await self._database.write_without_lock(self._fleet.renew)
            if await self._database.read(self._fleet.needs_arrangement):
                await self._database.write(self._fleet.arrange)
        if self._fleet.worker_id != before:
            _log.info("fleet_membership_changed", name=self._fleet.name, worker_id=self._fleet.worker_id)

    async def _show_again(self) -> None:
        """Show that this process lives, unless others can see it. The renewal of the lease then tells them how."""
        fleet = self._fleet
        if self._show is not None and (fleet.presence is None or fleet.is_lost):
            fleet.presence = await self._show()

    async def _watch(self) -> None:
        """Replace workers that are gone, and dial for them at once. Show that this process lives, if that was lost."""
        if self._fleet.is_lost:
            await self.beat()
        with contextlib.suppress(StorageUnavailableError):
            if self._fleet.may_step() and await self._database.read(self._fleet.has_gone):
                await self._database.write(self._fleet.arrange)
                await self._worker.settle()

    async def lend(self) -> None:
        """Give back what the engine does not need of gateways, and take what it needs."""
        with contextlib.suppress(StorageUnavailableError):
            await self._worker.between_steps(self._negotiate)
            if self._fleet.is_lent_anew:
                await self._worker.settle()

    async def _negotiate(self, live: LiveEngine) -> None:
        needs, worker_id = demands(live.engine.engine_state, live.kernel.now_ms), self._fleet.worker_id
        if not needs or worker_id is None:
            return
        terms = _Terms(self._fleet, worker_id, self._worker.clock.now_ms(), needs)
        wanted = await self._database.read(terms.wanted)
        for gateway_id, lent in wanted.items():
            live.lend_less(gateway_id, lent)  # Use less, then give back.
        if wanted:
            is_settled = await self._database.write(lambda connection: terms.settle(connection, wanted))
            if is_settled:
                self._fleet.lend_anew(frozenset(wanted))  # Take, then use.

    async def _look_on(self) -> None:
        """Wake the worker when users have changed something, for ever."""
        ring = self._notifications.next()
        while True:
            is_rung = await self._notifications.wait(ring, deaf_s=LOOK_S, hearing_s=SLOW_LOOK_S)
            ring = self._notifications.next()
            try:
                is_new = is_rung or await self._database.read(last_change) > self._fleet.seen
                if is_new and self._fleet.may_step():
                    await self._worker.settle()
            except StorageUnavailableError:
                continue  # The next look finds the change.
            except Exception:  # noqa: BLE001 - as in `_repeat`
                _log.exception("keeper_failed")


class _Terms(NamedTuple):
    """One negotiation of a worker about all gateways, while its engine stands still."""

    fleet: FleetCoordinator
    worker_id: int
    now_ms: int
    demands: list[Demand]

    def wanted(self, connection: Connection) -> dict[GatewayKey, Lent]:
        """Return the channels and calls per second that the worker should hold, by gateway."""
        rows, shares = all_slices(connection), {}
        for demand in self.demands:
            slices = rows.get(demand.limits.id, [])
            mine = self._own(slices, demand)
            lent = wanted_of(slices, demand, mine, self.now_ms)
            held = Lent(mine.channels, mine.cps)
            if lent != held or is_news(slices, demand, mine) or self.fleet.gives_back(demand.limits.id):
                self.fleet.keep(demand.limits.id, held, lent)
                shares[demand.limits.id] = lent
        return shares

    def settle(self, connection: Connection, wanted: dict[GatewayKey, Lent]) -> bool:
        """Store the slices of the worker. Return False if its engine does not know all its calls in progress."""
        touch(connection, NOTHING)
        if not self.fleet.has_engine_of(connection):
            return False
        rows = all_slices(connection)
        for demand in self.demands:
            lent = wanted.get(demand.limits.id)
            if lent is not None:
                slices = rows.get(demand.limits.id, [])
                settle_slice(connection, slices, demand, self._own(slices, demand), lent, self.now_ms)
        return True

    def _own(self, slices: list[SliceRow], demand: Demand) -> SliceRow:
        own = next((slice_row for slice_row in slices if slice_row.worker_id == self.worker_id), None)
        return own or new_slice(self.worker_id, demand.limits.id, self.now_ms)


async def _repeat(work: Callable[[], Awaitable[None]], every_s: float) -> None:
    while True:
        await anyio.sleep(every_s)
        try:
            await work()
        except Exception:  # noqa: BLE001 - a worker that does not renew its lease stops by itself
            _log.exception("keeper_failed")
