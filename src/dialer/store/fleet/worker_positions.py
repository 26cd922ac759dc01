"""Seats: the position of each worker, and the ids that it may give."""

from typing import Any, Final, NamedTuple

from sqlalchemy import Connection, bindparam, insert, select, update

from dialer.store.database.service_state import State, open_state, save_state
from dialer.store.fleet.leases import alive, all_leases
from dialer.store.tables import WorkerPosition

ID_BLOCK: Final = 1 << 20
"""Number of ids of call requests, and of CDRs, that a worker is given at once."""


class PositionRow(NamedTuple):
    """The position of a worker."""

    id: int
    worker_id: int | None
    turn: int
    now_ms: int
    last_callrequest_id: int
    callrequest_ids_end: int
    last_cdr_id: int
    cdr_ids_end: int
    seen: int
    wishes: int

    @property
    def state(self) -> State:
        """Return the position of a worker as a service's state."""
        return State(self.now_ms, self.last_callrequest_id, self.last_cdr_id)

    @property
    def ids_left(self) -> int:
        """Return the number of further calls for which the worker has ids."""
        left = self.callrequest_ids_end - self.last_callrequest_id, self.cdr_ids_end - self.last_cdr_id
        return min(left)


_ALL: Final = select(*[WorkerPosition.__table__.c[name] for name in PositionRow._fields]).order_by(WorkerPosition.id)
_LATE: Final = select(WorkerPosition.worker_id).where(
    WorkerPosition.seen < bindparam("change"), WorkerPosition.worker_id.is_not(None)
)
_SAVE: Final = (
    update(WorkerPosition)
    .where(
        WorkerPosition.id == bindparam("seat"),
        WorkerPosition.worker_id == bindparam("worker"),
        WorkerPosition.turn == bindparam("its_turn"),
    )
    .values(
        {name: bindparam(f"new_{name}") for name in ("now_ms", "last_callrequest_id", "last_cdr_id", "seen", "wishes")}
    )
)


def all_positions(connection: Connection) -> list[PositionRow]:
    """Return the positions of all workers' seats, also of seats without a worker."""
    return [PositionRow(*row) for row in connection.execute(_ALL)]


def position_of(connection: Connection, worker_id: int) -> PositionRow | None:
    """Return the seat of a worker; None if it has none."""
    row = connection.execute(_ALL.where(WorkerPosition.worker_id == worker_id)).one_or_none()
    return None if row is None else PositionRow(*row)


def is_seen_by_all(connection: Connection, change: int, now_ms: int) -> bool:
    """Return whether every worker that is alive knows a change."""
    late = {row[0] for row in connection.execute(_LATE, {"change": change})}
    return not late or not alive(connection, [one for one in all_leases(connection) if one.id in late], now_ms)


def take_position(connection: Connection, worker_id: int, now_ms: int) -> None:
    """Give a worker the first free seat, or a new one."""
    free = connection.scalar(
        select(WorkerPosition.id).where(WorkerPosition.worker_id.is_(None)).order_by(WorkerPosition.id).limit(1)
    )
    if free is None:
        ids = _new_ids(connection, now_ms)
        connection.execute(insert(WorkerPosition).values(worker_id=worker_id, now_ms=0, **ids))
    else:
        connection.execute(update(WorkerPosition).where(WorkerPosition.id == free).values(worker_id=worker_id))


def renew_ids(connection: Connection, worker_position: PositionRow, now_ms: int) -> None:
    """Give a worker a new range of ids, for which it builds its engine again."""
    values: dict[str, Any] = {**_new_ids(connection, now_ms), "turn": WorkerPosition.turn + 1}
    connection.execute(update(WorkerPosition).where(WorkerPosition.id == worker_position.id).values(values))


def begin_turn(connection: Connection, worker_id: int) -> None:
    """Note that a worker must build its engine again, because its shards have changed."""
    connection.execute(
        update(WorkerPosition).where(WorkerPosition.worker_id == worker_id).values(turn=WorkerPosition.turn + 1)
    )


def leave_position(connection: Connection, worker_id: int) -> None:
    """Free the seat of a worker that was replaced."""
    left: dict[str, Any] = {"worker_id": None, "turn": WorkerPosition.turn + 1}
    connection.execute(update(WorkerPosition).where(WorkerPosition.worker_id == worker_id).values(left))


def save_position(connection: Connection, worker_position: PositionRow) -> bool:
    """Store the position of a worker. Return False if it has lost its seat, or its shards have changed."""
    kept = {"seat": worker_position.id, "worker": worker_position.worker_id, "its_turn": worker_position.turn}
    values = {
        f"new_{name}": getattr(worker_position, name)
        for name in ("now_ms", "last_callrequest_id", "last_cdr_id", "seen", "wishes")
    }
    return connection.execute(_SAVE, {**kept, **values}).rowcount == 1


def _new_ids(connection: Connection, now_ms: int) -> dict[str, int]:
    """Return ids that were never given. The row of the service holds the end of the last block."""
    state = open_state(connection, now_ms)
    last = state._replace(
        last_callrequest_id=state.last_callrequest_id + ID_BLOCK, last_cdr_id=state.last_cdr_id + ID_BLOCK
    )
    save_state(connection, last)
    return {
        "last_callrequest_id": state.last_callrequest_id,
        "callrequest_ids_end": last.last_callrequest_id,
        "last_cdr_id": state.last_cdr_id,
        "cdr_ids_end": last.last_cdr_id,
    }
