"""Leases: each worker has a number and a time until which it is taken to be alive."""

from typing import Any, Final, NamedTuple

from sqlalchemy import Connection, delete, insert, select, update

from dialer.store.tables import FleetWorker

LEASE_MS: Final = 15_000
"""Time after which a worker that does not renew its lease is replaced."""

_workers = FleetWorker.__table__


class LeaseRow(NamedTuple):
    """A worker that is alive, or that has not been replaced yet."""

    id: int
    name: str
    started_ms: int
    lease_until_ms: int


def register(connection: Connection, name: str, now_ms: int) -> int:
    """Give a new worker its number and its first lease."""
    values = {"name": name, "started_ms": now_ms, "lease_until_ms": now_ms + LEASE_MS}
    key: Any = connection.execute(insert(_workers).values(values)).inserted_primary_key
    return int(key[0])


def renew(connection: Connection, worker_id: int, now_ms: int) -> bool:
    """Renew the lease of a worker. Return False if it has run out."""
    renewed = update(_workers).where(_workers.c.id == worker_id, _workers.c.lease_until_ms > now_ms)
    return connection.execute(renewed.values(lease_until_ms=now_ms + LEASE_MS)).rowcount == 1


def end_lease(connection: Connection, worker_id: int) -> None:
    """Let other workers replace a worker at once."""
    connection.execute(update(_workers).where(_workers.c.id == worker_id).values(lease_until_ms=0))


def all_leases(connection: Connection) -> list[LeaseRow]:
    """Return all workers, in the order of their numbers."""
    query = select(*[_workers.c[name] for name in LeaseRow._fields]).order_by(_workers.c.id)
    return [LeaseRow(*row) for row in connection.execute(query)]


def strike_off(connection: Connection, worker_id: int) -> None:
    """Delete a worker that was replaced."""
    connection.execute(delete(_workers).where(_workers.c.id == worker_id))
