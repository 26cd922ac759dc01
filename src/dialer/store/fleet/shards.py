"""Shards: which worker owns which accounts, and how far it has come."""

from typing import Final

from sqlalchemy import Connection, delete, func, insert, select, update

from dialer.domain.calls.plans import GatewayKey
from dialer.domain.fleet.shards import ALL_SHARDS, Gift
from dialer.store.database.service_state import open_state, save_state
from dialer.store.fleet.leases import strike_off
from dialer.store.fleet.slices import adopt_slices, book_calls, move_channels
from dialer.store.fleet.worker_positions import begin_turn, leave_position, position_of
from dialer.store.tables import FleetWorker, Shard, WorkerPosition

_HAS_SHARDS: Final = select(Shard.id).limit(1)


def create_shards(connection: Connection, worker_id: int, now_ms: int) -> None:
    """Give all shards to the first worker of a service, if there are none yet."""
    if connection.scalar(_HAS_SHARDS) is None:
        done_ms = open_state(connection, now_ms).now_ms
        rows = [{"id": shard, "worker_id": worker_id, "done_ms": done_ms} for shard in sorted(ALL_SHARDS)]
        connection.execute(insert(Shard), rows)


def owners(connection: Connection) -> dict[int, int | None]:
    """Return the worker of each shard."""
    rows = connection.execute(select(Shard.id, Shard.worker_id).order_by(Shard.id))
    return {row[0]: row[1] for row in rows}


def progress_of(connection: Connection, worker_id: int) -> dict[int, int | None]:
    """Return the shards of a worker, each with the time until which its due events have happened.

    None means that the shard is as far as the worker's seat.
    """
    query = select(Shard.id, Shard.done_ms).where(Shard.worker_id == worker_id)
    return {row[0]: row[1] for row in connection.execute(query)}


def follow_seat(connection: Connection, worker_id: int) -> None:
    """Note that a worker's engine has loaded all its shards, whose progress is the worker's from now on."""
    is_late = Shard.worker_id == worker_id, Shard.done_ms.is_not(None)
    connection.execute(update(Shard).where(*is_late).values(done_ms=None))


def take_over(connection: Connection, taker: int, dead: int) -> int:
    """Replace a worker: its shards and slices go to another worker. Return the number of shards."""
    worker_position = position_of(connection, dead)
    done_ms = func.coalesce(Shard.done_ms, None if worker_position is None else worker_position.now_ms)
    taken = update(Shard).where(Shard.worker_id == dead).values(worker_id=taker, done_ms=done_ms)
    count = connection.execute(taken).rowcount
    adopt_slices(connection, taker, dead)
    leave_position(connection, dead)
    strike_off(connection, dead)
    if count:
        begin_turn(connection, taker)
    return count


def give(connection: Connection, giver: int, gift: Gift) -> None:
    """Give shards to another worker, with the channels that their calls use."""
    worker_position = position_of(connection, giver)
    done_ms = func.coalesce(Shard.done_ms, None if worker_position is None else worker_position.now_ms)
    given = update(Shard).where(Shard.worker_id == giver, Shard.id.in_(gift.shards))
    connection.execute(given.values(worker_id=gift.to, done_ms=done_ms))
    owned = {worker_id: frozenset(progress_of(connection, worker_id)) for worker_id in (giver, gift.to)}
    move_channels(connection, giver, gift.to, owned)
    begin_turn(connection, giver)
    begin_turn(connection, gift.to)


def limit_channels(connection: Connection, gateway_id: GatewayKey, now_ms: int) -> None:
    """Book the calls in progress of all workers over a gateway that gets a limit of channels now."""
    owned: dict[int, set[int]] = {}
    for shard, worker_id in owners(connection).items():
        if worker_id is not None:
            owned.setdefault(worker_id, set()).add(shard)
    book_calls(connection, gateway_id, owned, now_ms)


def disband(connection: Connection, now_ms: int) -> None:
    """End the sharing of a service: a single process serves it from now on, and continues from where the workers came.

    Only a process that knows that no worker is left may do this.
    """
    if connection.scalar(_HAS_SHARDS) is None:
        return
    reached = [connection.scalar(select(func.max(column))) for column in (Shard.done_ms, WorkerPosition.now_ms)]
    state = open_state(connection, now_ms)
    save_state(connection, state._replace(now_ms=max([state.now_ms, *(one for one in reached if one is not None)])))
    for table in (Shard.__table__, WorkerPosition.__table__, FleetWorker.__table__):
        connection.execute(delete(table))
