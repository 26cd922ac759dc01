"""FleetCoordinator: the coordinator of a worker that shares its service with others.

A step reads, in its own transaction, whether its worker still has its seat, and stores its position only if it does.
Shards change hands under a lock that no step holds at the same time. So a worker that was replaced while it was frozen
finds that out before it decides, and stores nothing.
"""

from collections import Counter
from collections.abc import Callable
from typing import Final

import structlog
from msgspec import structs
from sqlalchemy import Connection

from dialer.domain.calls.campaign_events import GatewayOpened
from dialer.domain.calls.plans import NOTHING_LENT, GatewayKey, Lent
from dialer.domain.fleet.shards import ALL_SHARDS, gift_of, shard_of
from dialer.runtime.fleet.fleet_wishes import FleetWishes
from dialer.runtime.steps.clock import RealClock
from dialer.runtime.steps.coordinator import LeaseLostError, Wishes
from dialer.runtime.steps.process_health import Membership
from dialer.store.backends.backend import Presence
from dialer.store.database.service_state import State
from dialer.store.database.touched import EVERYTHING, NOTHING, Touched, touch
from dialer.store.fleet import changes, leases, shards, slices, worker_positions
from dialer.store.queries.selection import Shards

SAFETY_MS: Final = 1_000
"""Time before the end of its lease at which a worker stops."""
IDS_LEFT_MIN: Final = worker_positions.ID_BLOCK // 2
"""Number of ids below which a worker is given new ones."""

DRIFT_MS_MIN: Final = 20
"""Difference to the database's clock that is corrected. Smaller ones come from the time that the question took."""
DRIFT_MS_MAX: Final = 1_000
"""Difference to the database's clock that is too large for a drift."""

_log = structlog.get_logger(__name__)


class FleetCoordinator:
    """The part of one worker in sharing a service, from its own memory. Stored rows win over this memory.

    `database_ms` returns the time of the database's clock, which is the time of all leases. `steady_ms` is a clock of
    this machine that is never set; it judges whether the own lease has ended.
    """

    is_alone = False

    def __init__(
        self, name: str, clock: RealClock, *, database_ms: Callable[[Connection], int], steady_ms: Callable[[], int]
    ) -> None:
        self.name: Final = name
        self.worker_id: int | None = None
        """The number of this worker; None before it joins, and after it was replaced."""
        self.shards: Shards = frozenset()
        self.clock: Final = clock
        self._database_ms: Final = database_ms
        self._steady_ms: Final = steady_ms
        self.presence: Presence | None = None
        """The sign that this process lives. Without one, others wait for the end of its lease."""
        self.tell: Callable[[], None] = lambda: None
        """Notifications those who wait until this worker knows a change."""
        self._told = 0
        self._steps_fenced = 0
        self._has_jumped = False
        self._stops_at_ms = 0
        self._own_position: worker_positions.PositionRow | None = None
        """The seat as this worker left it; None until the engine is built."""
        self._done_ms: dict[int, int] = {}
        self._wishes: Final = FleetWishes()
        self._lent_anew: frozenset[GatewayKey] = frozenset()
        self._kept: dict[GatewayKey, Lent] = {}
        """Limits of the gateways of which this worker gives something back, as soon as calls have ended."""
        self.takeovers: Final[Counter[str]] = Counter()
        """Number of workers that this one has replaced, by reason: `left`, `process` or `lease`."""

    # --- membership -------------------------------------------------------------------------------------------------

    def may_step(self) -> bool:
        """Return whether the worker holds a lease by its own clock, and its presence lock."""
        return self.worker_id is not None and self._steady_ms() < self._stops_at_ms and not self.is_lost

    @property
    def is_lost(self) -> bool:
        """Return whether this process has lost its presence lock, so that other workers may take it for dead."""
        return self.presence is not None and self.presence.is_lost()

    @property
    def _mark(self) -> str:
        return "" if self.presence is None else self.presence.mark

    @property
    def lease_left_ms(self) -> int:
        """Time for which the worker may go on without a renewal."""
        return max(0, self._stops_at_ms - self._steady_ms()) if self.worker_id is not None else 0

    def join(self, connection: Connection) -> None:
        """Take a number, a seat, and the shards of workers that are gone."""
        asked_ms, now_ms = self._steady_ms(), self._now_ms(connection)
        worker_id = leases.register(connection, self.name, now_ms, self._mark)
        worker_positions.take_position(connection, worker_id, now_ms)
        shards.create_shards(connection, worker_id, now_ms)
        self._arrange(connection, worker_id, now_ms)
        touch(connection, NOTHING)
        self.worker_id, self._own_position = worker_id, None
        self._stops_at_ms = asked_ms + leases.LEASE_MS - SAFETY_MS

    def renew(self, connection: Connection) -> None:
        """Renew the lease. A worker whose lease has ended must join again, under another number."""
        if self.worker_id is None:
            return
        asked_ms = self._steady_ms()
        touch(connection, NOTHING)
        if leases.renew(connection, self.worker_id, self._now_ms(connection), self._mark):
            self._stops_at_ms = asked_ms + leases.LEASE_MS - SAFETY_MS
        else:
            self._lose()

    def leave(self, connection: Connection) -> None:
        """End the lease of this worker, so that other workers take over at once."""
        if self.worker_id is not None:
            leases.end_lease(connection, self.worker_id)
        touch(connection, NOTHING)
        self._lose()

    def _now_ms(self, connection: Connection) -> int:
        """Return the time of the database, and let the service's clock follow it in small steps.

        A large step is no drift: somebody has set the clock of the database. It is logged once, and not followed.
        """
        now_ms = self._database_ms(connection)
        apart_ms = now_ms - self.clock.now_ms()
        if DRIFT_MS_MIN < abs(apart_ms) <= DRIFT_MS_MAX:
            self.clock.follow(apart_ms)
        has_jumped = abs(apart_ms) > DRIFT_MS_MAX
        if has_jumped and not self._has_jumped:
            _log.error("database_clock_jumped", apart_ms=apart_ms)
        self._has_jumped = has_jumped
        return now_ms

    def after_commit(self) -> None:
        """Wake those who wait until this worker knows a change, if it knows more than before."""
        if self.seen > self._told:
            self._told = self.seen
            self.tell()

    def membership(self) -> Membership:
        """Return the number of shards that this worker owns, and the time left of its lease."""
        shards_owned = 0 if self._own_position is None else len(ALL_SHARDS if self.shards is None else self.shards)
        left_ms = self.lease_left_ms
        return Membership(self.name, self.worker_id, shards_owned, left_ms, self.takeovers, self._steps_fenced)

    def _fenced(self, reason: str) -> LeaseLostError:
        """Count a step that is given up, and return its error."""
        self._steps_fenced += 1
        return LeaseLostError(reason)

    def _lose(self) -> None:
        self.worker_id, self._own_position, self.shards = None, None, frozenset()

    # --- arrangement ------------------------------------------------------------------------------------------------

    def needs_arrangement(self, connection: Connection) -> bool:
        """Return whether `arrange` has work to do."""
        me = self.worker_id
        if me is None:
            return False
        if self.has_gone(connection):
            return True
        worker_position = worker_positions.position_of(connection, me)
        return (worker_position is not None and worker_position.ids_left < IDS_LEFT_MIN) or gift_of(
            _owned(connection), me
        ) is not None

    def has_gone(self, connection: Connection) -> bool:
        """Return whether a worker is gone whose shards no other worker has taken yet."""
        rows = leases.all_leases(connection)
        return len(leases.alive(connection, rows, self._database_ms(connection))) < len(rows)

    def arrange(self, connection: Connection) -> None:
        """Replace workers that are gone, and give shards to workers that have fewer."""
        me, now_ms = self.worker_id, self._database_ms(connection)
        touch(connection, NOTHING)
        if me is None or all(
            lease.id != me or lease.lease_until_ms <= now_ms for lease in leases.all_leases(connection)
        ):
            return
        self._arrange(connection, me, now_ms)
        gift = gift_of(_owned(connection), me)
        if gift is not None:
            shards.give(connection, me, gift)
        worker_position = worker_positions.position_of(connection, me)
        if worker_position is not None and worker_position.ids_left < IDS_LEFT_MIN:
            worker_positions.renew_ids(connection, worker_position, now_ms)

    def _arrange(self, connection: Connection, me: int, now_ms: int) -> None:
        rows = leases.all_leases(connection)
        alive = {lease.id for lease in leases.alive(connection, rows, now_ms)}
        for row in rows:
            if row.id != me and row.id not in alive:
                shards.take_over(connection, me, row.id)
                reason = _reason(row, now_ms)
                self.takeovers[reason] += 1
                _log.warning("worker_replaced", name=row.name, worker_id=row.id, by=me, reason=reason)
        slices.forget_returned(connection, now_ms)
        changes.forget_old_changes(connection)

    # --- steps ------------------------------------------------------------------------------------------------------

    def begin(self, connection: Connection) -> Touched | None:
        """Read the fence, and what users and other workers have changed."""
        position = self._own_position
        rows = {position_row.id: position_row for position_row in worker_positions.all_positions(connection)}
        if position is None:
            if all(position_row.worker_id != self.worker_id for position_row in rows.values()):
                self._lose()
                raise self._fenced("this worker was replaced")
            return None
        row = rows.get(position.id)
        if row is None or row.worker_id != self.worker_id:
            self._lose()
            raise self._fenced("this worker was replaced")
        if row.turn != position.turn:
            return None
        news = changes.news_since(connection, position.seen)
        self._own_position = position._replace(seen=news.last)
        return EVERYTHING if self._wishes.take_news(rows.values(), position.id) else news.touched

    def is_outdated(self, connection: Connection) -> bool:
        """Return whether other workers have added callees' wishes to do-not-call lists since `begin`."""
        own = self._own_position
        return own is not None and self._wishes.discard_step(worker_positions.all_positions(connection), own.id)

    def open_state(self, connection: Connection, first_now_ms: int) -> State:  # noqa: ARG002 - a seat has its own time
        """Read the seat and its shards, for a new engine."""
        rows = worker_positions.all_positions(connection)
        worker_position = next((row for row in rows if row.worker_id == self.worker_id), None)
        if worker_position is None or self.worker_id is None:
            self._lose()
            raise self._fenced("this worker was replaced")
        progress = shards.progress_of(connection, self.worker_id)
        shards.follow_seat(connection, self.worker_id)
        self._own_position = worker_position._replace(seen=changes.last_change(connection))
        self._done_ms = {shard: worker_position.now_ms if at_ms is None else at_ms for shard, at_ms in progress.items()}
        self.shards = None if progress.keys() == ALL_SHARDS else frozenset(progress)
        self._wishes.begin_engine(rows, worker_position.id)
        self._lent_anew = frozenset()
        return worker_position.state

    def done_until_ms(self, user_id: int) -> int:
        """Return the time until which the due events of an account's shard have happened."""
        return self._done_ms[shard_of(user_id)]

    def lent(self, connection: Connection, gateways: list[GatewayOpened]) -> list[GatewayOpened]:
        """Return gateways with the part of their limits that this worker may use."""
        if not gateways or self.worker_id is None:
            return gateways
        rows, with_shares = slices.all_slices(connection), []
        for gateway in gateways:
            lent = NOTHING_LENT
            if gateway.plan.max_channels or gateway.plan.max_cps:
                limits = slices.GatewayLimits(gateway.plan.id, gateway.plan.max_channels, gateway.plan.max_cps)
                lent = slices.lent_of(rows.get(gateway.plan.id, []), limits, self.worker_id)
                kept = self._kept.get(gateway.plan.id, lent)
                lent = Lent(min(lent.channels, kept.channels), min(lent.cps, kept.cps))
            with_shares.append(structs.replace(gateway, lent=lent))
        return with_shares

    def keep(self, gateway_id: GatewayKey, held: Lent, lent: Lent) -> None:
        """Use no more of a gateway than `lent` from now on, although the worker still holds what its calls use."""
        if lent.channels < held.channels or lent.cps < held.cps:
            self._kept[gateway_id] = lent
        else:
            self._kept.pop(gateway_id, None)

    def gives_back(self, gateway_id: GatewayKey) -> bool:
        """Return whether this worker returns a part of a gateway's limits, because it uses less than it holds."""
        return gateway_id in self._kept

    def take_lent(self) -> frozenset[GatewayKey]:
        """Return the gateways whose slices are to be read again."""
        lent, self._lent_anew = self._lent_anew, frozenset()
        return lent

    def lend_anew(self, gateway_ids: frozenset[GatewayKey]) -> None:
        """Let the next step read this worker's parts of gateways again, after all events that were due before."""
        self._lent_anew |= gateway_ids

    @property
    def is_lent_anew(self) -> bool:
        """Return whether the next step will read slices."""
        return bool(self._lent_anew)

    @property
    def seen(self) -> int:
        """The last change that the engine knows; 0 if there is no engine."""
        return 0 if self._own_position is None else self._own_position.seen

    def has_engine_of(self, connection: Connection) -> bool:
        """Return whether the engine has all shards of this worker. Only then it knows all calls in progress."""
        worker_position = None if self.worker_id is None else worker_positions.position_of(connection, self.worker_id)
        return (
            self._own_position is not None
            and worker_position is not None
            and worker_position.turn == self._own_position.turn
        )

    def save(self, connection: Connection, state: State | None, *, has_worked: bool, wishes: Wishes) -> None:
        """Store the position in the seat, if this worker still has it."""
        worker_position = self._own_position
        if worker_position is None:
            raise self._fenced("this worker was replaced")
        row = worker_position if state is None else worker_position._replace(**state._asdict())
        row = self._wishes.count(connection, row, wishes)
        if not has_worked and state is None:
            return
        if row.ids_left < 0:
            raise LeaseLostError("this worker has given all its ids")
        if not worker_positions.save_position(connection, row):
            self._lose()
            raise self._fenced("this worker was replaced during a step")
        self._own_position = row


def _reason(gone: leases.LeaseRow, now_ms: int) -> str:
    """Return why a worker is gone: it has left, its process has ended, or it has not renewed its lease."""
    if gone.lease_until_ms > now_ms:
        return "process"
    return "lease" if gone.lease_until_ms else "left"


def _owned(connection: Connection) -> dict[int, list[int]]:
    """Return the shards of all workers."""
    shards_of: dict[int, list[int]] = {lease.id: [] for lease in leases.all_leases(connection)}
    for shard, worker_id in shards.owners(connection).items():
        if worker_id in shards_of:
            shards_of[worker_id].append(shard)
    return shards_of
