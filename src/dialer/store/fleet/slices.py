"""Slices of gateways: rows that say how many channels and calls per second a worker may use."""

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from typing import Any, Final, NamedTuple

from sqlalchemy import Connection, delete, func, insert, select, update

from dialer.domain.calls.plans import NOTHING_LENT, GatewayKey, Lent
from dialer.domain.fleet.gateway_shares import Claim, booked, target_of
from dialer.store.queries.live_overview import use_of_gateways
from dialer.store.tables import CpsReturned, GatewaySlice

REST_MS: Final = 1_100
"""Time for which calls per second rest after the last dial of the worker that gave them back.

A second, and the difference between two clocks of the service.
"""


class SliceRow(NamedTuple):
    """The share of one worker of a gateway: channels and calls per second, those in use, and what waits for more."""

    worker_id: int
    medium: str
    gateway_id: int
    channels: int
    channels_in_use: int
    cps: int
    cps_in_use: int
    waiting: int
    campaigns: int
    since_ms: int

    @property
    def gateway(self) -> GatewayKey:
        """Return the key of the slice's gateway."""
        return GatewayKey(self.medium, self.gateway_id)

    def of_channels(self) -> Claim:
        """Return the claim to channels."""
        return Claim(
            self.worker_id, self.channels, self.channels_in_use, self.waiting > 0, self.campaigns, self.since_ms
        )

    def of_cps(self) -> Claim:
        """Return the claim to calls per second. Past dials need no calls per second."""
        used = min(self.cps, self.cps_in_use)
        return Claim(self.worker_id, self.cps, used, self.waiting > 0, self.campaigns, self.since_ms)


class GatewayLimits(NamedTuple):
    """A gateway as its users set it. 0 means no limit."""

    id: GatewayKey
    channels: int
    cps: int


class Demand(NamedTuple):
    """The use of a gateway and the demand for it, as the engine of a worker knows them."""

    limits: GatewayLimits
    in_use: int
    recent: int
    """Dials of the last second."""
    waiting: int
    campaigns: int
    last_dial_ms: int
    """Time of the last dial, possibly in the future; 0 if there was none."""


_ALL: Final = select(*[GatewaySlice.__table__.c[name] for name in SliceRow._fields]).order_by(GatewaySlice.worker_id)


def all_slices(connection: Connection) -> dict[GatewayKey, list[SliceRow]]:
    """Return the slices of all gateways."""
    found: dict[GatewayKey, list[SliceRow]] = {}
    for row in map(SliceRow._make, map(tuple, connection.execute(_ALL))):
        found.setdefault(row.gateway, []).append(row)
    return found


def resting_cps(connection: Connection, now_ms: int) -> dict[GatewayKey, int]:
    """Return the returned calls per second that may not be used yet, by gateway."""
    key = (CpsReturned.medium, CpsReturned.gateway_id)
    query = select(*key, func.sum(CpsReturned.cps)).where(CpsReturned.until_ms > now_ms).group_by(*key)
    return {GatewayKey(medium, number): int(cps) for medium, number, cps in connection.execute(query)}


def lent_of(slices: list[SliceRow], limits: GatewayLimits, worker_id: int) -> Lent:
    """Return the part of a gateway that a worker may use.

    That is nothing while more is booked than the gateway has, because a user has lowered its limits.
    """
    mine = next((one for one in slices if one.worker_id == worker_id), None)
    if mine is None:
        return NOTHING_LENT
    channels = mine.channels if booked(one.of_channels() for one in slices) <= limits.channels else 0
    cps = mine.cps if booked(one.of_cps() for one in slices) <= limits.cps else 0
    return Lent(channels, cps)


def wanted_of(slices: list[SliceRow], demand: Demand, mine: SliceRow, now_ms: int) -> Lent:
    """Return the channels and calls per second of a gateway that a worker should hold now."""
    limits, told = demand.limits, _with_demand(mine, demand)
    others = [one for one in slices if one.worker_id != mine.worker_id]
    channels, cps = (
        target_of(limit, claims, mine.worker_id, now_ms) if limit else 0
        for limit, claims in (
            (limits.channels, [one.of_channels() for one in (*others, told)]),
            (limits.cps, [one.of_cps() for one in (*others, told)]),
        )
    )
    return Lent(channels, cps)


def settle_slice(
    connection: Connection, slices: list[SliceRow], demand: Demand, mine: SliceRow, wanted: Lent, now_ms: int
) -> None:
    """Store the slice of a worker: give back what it no longer uses, and take of what it wants what is free."""
    limits, told = demand.limits, _with_demand(mine, demand)
    others = [one for one in slices if one.worker_id != mine.worker_id]
    all_channels, all_cps = ([one.of_channels() for one in (*others, told)], [one.of_cps() for one in (*others, told)])
    resting = resting_cps(connection, now_ms).get(limits.id, 0)
    channels = _held(told.of_channels(), wanted.channels, limits.channels - booked(all_channels))
    cps = _held(told.of_cps()._replace(in_use=0), wanted.cps, limits.cps - booked(all_cps) - resting)
    if cps < mine.cps:
        until_ms = max(now_ms, demand.last_dial_ms) + REST_MS
        values = {**limits.id.columns(), "cps": mine.cps - cps, "until_ms": until_ms}
        connection.execute(insert(CpsReturned).values(values))
    has_begun = (channels and not mine.channels) or (cps and not mine.cps)
    settled = told._replace(channels=channels, cps=cps, since_ms=now_ms if has_begun else mine.since_ms)
    _store(connection, settled)


def forget_returned(connection: Connection, now_ms: int) -> None:
    """Delete returned calls per second that may be used again."""
    connection.execute(delete(CpsReturned).where(CpsReturned.until_ms <= now_ms))


def adopt_slices(connection: Connection, taker: int, dead: int) -> None:
    """Add the slices of a replaced worker to those of another worker."""
    for rows in all_slices(connection).values():
        of = {one.worker_id: one for one in rows}
        if dead in of:
            theirs, mine = of[dead], of.get(taker)
            merged = theirs._replace(worker_id=taker) if mine is None else _merged(mine, theirs)
            _store(connection, merged)
    connection.execute(delete(GatewaySlice).where(GatewaySlice.worker_id == dead))


def move_channels(connection: Connection, giver: int, taker: int, owned: Mapping[int, AbstractSet[int]]) -> None:
    """Move channels with the calls of shards that have changed hands; `owned` are the shards of both after that."""
    used = {worker_id: use_of_gateways(connection, shards) for worker_id, shards in owned.items()}
    for gateway_id, rows in all_slices(connection).items():
        of = {one.worker_id: one for one in rows}
        mine = of.get(giver)
        if mine is None:
            continue
        theirs = of.get(taker) or mine._replace(worker_id=taker, channels=0, cps=0, cps_in_use=0)
        kept, needed = used[giver].get(gateway_id, 0), used[taker].get(gateway_id, 0)
        both = mine.channels + theirs.channels
        channels = min(both, max(theirs.channels, needed))
        _store(connection, mine._replace(channels=both - channels, channels_in_use=kept))
        _store(connection, theirs._replace(channels=channels, channels_in_use=needed))


def book_calls(
    connection: Connection, gateway_id: GatewayKey, owned: Mapping[int, AbstractSet[int]], now_ms: int
) -> None:
    """Store the channels of a gateway that the calls in progress of each worker use; `owned` are the workers' shards.

    Workers report nothing of a gateway without limits. When it gets one, others must know of these calls first.
    """
    of = {one.worker_id: one for one in all_slices(connection).get(gateway_id, [])}
    for worker_id, shards in owned.items():
        in_use = use_of_gateways(connection, shards).get(gateway_id, 0)
        if in_use or worker_id in of:
            mine = of.get(worker_id) or new_slice(worker_id, gateway_id, now_ms)
            _store(connection, mine._replace(channels_in_use=in_use))


def new_slice(worker_id: int, gateway_id: GatewayKey, now_ms: int) -> SliceRow:
    """Return the empty slice of a worker at a gateway."""
    return SliceRow(worker_id, *gateway_id, 0, 0, 0, 0, 0, 0, now_ms)


def is_news(slices: list[SliceRow], demand: Demand, mine: SliceRow) -> bool:
    """Return whether the stored demand of a worker differs in a way that matters to other workers."""
    told = _with_demand(mine, demand)
    if (told.waiting > 0, told.campaigns) != (mine.waiting > 0, mine.campaigns):
        return True
    is_shared = any(one.worker_id != mine.worker_id and (one.waiting or one.channels or one.cps) for one in slices)
    return is_shared and told != mine


def _with_demand(row: SliceRow, demand: Demand) -> SliceRow:
    return row._replace(
        channels_in_use=demand.in_use,
        cps_in_use=demand.recent,
        waiting=demand.waiting,
        campaigns=demand.campaigns,
    )


def _held(claim: Claim, wanted: int, free: int) -> int:
    """Return what a worker holds after it has given back, or taken of what is free."""
    if wanted < claim.held:
        return min(claim.held, max(wanted, claim.in_use))
    return min(wanted, claim.held + max(0, free))


def _merged(mine: SliceRow, theirs: SliceRow) -> SliceRow:
    sums = {
        name: getattr(mine, name) + getattr(theirs, name)
        for name in ("channels", "channels_in_use", "cps", "cps_in_use", "waiting", "campaigns")
    }
    return mine._replace(**sums)


def _store(connection: Connection, row: SliceRow) -> None:
    values: dict[str, Any] = row._asdict()
    is_it = [GatewaySlice.__table__.c[name] == values[name] for name in ("worker_id", "medium", "gateway_id")]
    if connection.execute(update(GatewaySlice).where(*is_it).values(values)).rowcount == 0:
        connection.execute(insert(GatewaySlice).values(values))
