"""Leases: each worker has a number and a time until which it is taken to be alive."""

from collections.abc import Iterable
from typing import Any, Final, NamedTuple

from sqlalchemy import Connection, delete, insert, select, update

from dialer.store.backends.backend import backend_of
from dialer.store.tables import FleetWorker

LEASE_MS: Final = 15_000
"""Time after which a worker that does not renew its lease is replaced."""


class LeaseRow(NamedTuple):
    """A worker that is alive, or that has not been replaced yet."""

    id: int
    name: str
    started_ms: int
    lease_until_ms: int
    mark: str


def register(connection: Connection, name: str, now_ms: int, mark: str) -> int:
    """Give a new worker its number and its first lease."""
    values = {"name": name, "started_ms": now_ms, "lease_until_ms": now_ms + LEASE_MS, "mark": mark}
    key: Any = connection.execute(insert(FleetWorker).values(values)).inserted_primary_key
    return int(key[0])


def renew(connection: Connection, worker_id: int, now_ms: int, mark: str) -> bool:
    """Renew the lease of a worker. Return False if it has run out."""
    renewed = update(FleetWorker).where(FleetWorker.id == worker_id, FleetWorker.lease_until_ms > now_ms)
    return connection.execute(renewed.values(lease_until_ms=now_ms + LEASE_MS, mark=mark)).rowcount == 1


def end_lease(connection: Connection, worker_id: int) -> None:
    """End the lease of a worker, so that other workers replace it at once."""
    connection.execute(update(FleetWorker).where(FleetWorker.id == worker_id).values(lease_until_ms=0))


def all_leases(connection: Connection) -> list[LeaseRow]:
    """Return the leases of all workers, in the order of their numbers."""
    query = select(*[FleetWorker.__table__.c[name] for name in LeaseRow._fields]).order_by(FleetWorker.id)
    return [LeaseRow(*row) for row in connection.execute(query)]


def alive(connection: Connection, leases: Iterable[LeaseRow], now_ms: int) -> list[LeaseRow]:
    """Return the workers that have a lease and whose process has not ended, as far as the database can tell."""
    valid = [one for one in leases if one.lease_until_ms > now_ms]
    marks = {one.mark for one in valid if one.mark}
    ended = marks - backend_of(connection).present(connection, marks) if marks else marks
    return [one for one in valid if one.mark not in ended]


def strike_off(connection: Connection, worker_id: int) -> None:
    """Delete the lease of a worker that was replaced."""
    connection.execute(delete(FleetWorker).where(FleetWorker.id == worker_id))
