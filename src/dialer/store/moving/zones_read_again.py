"""Stored zones of numbers, read again when they come from another table of places than that of this process.

The service's row has the digest of the rows from which the zones were last read, so a start without changes costs one
look-up. A start that is interrupted begins again.
"""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Final

from sqlalchemy import Connection, bindparam, select, update

from dialer.domain.calling_times.own_zones import person_zone_key
from dialer.domain.calling_times.zones import NUMBER_ZONES, zone_of_number
from dialer.store.database.database import Database
from dialer.store.database.touched import EVERYTHING, touch
from dialer.store.tables import Contact, ServiceState, Subscriber

SLICE: Final = 2_000
"""Rows that one unit of work reads."""
_ID: Final = "id_of_row"
_ZONE: Final = "new_zone"


def read_zones_again(database: Database) -> int:
    """Read the zones of all contacts and subscribers again if the places have changed; return how many are new."""
    digest = NUMBER_ZONES.places.digest()
    if database.read_now(_stored_digest) in {digest, None}:
        database.write_now(partial(_keep, digest))
        return 0
    changed = sum(_slices(database, _contacts)) + sum(_slices(database, _subscribers))
    database.write_now(partial(_keep, digest))
    return changed


def _slices(database: Database, change: Callable[[Connection, int], tuple[int, int]]) -> Iterator[int]:
    """Yield the number of changes of each slice."""
    after_id: int = 0
    while after_id >= 0:
        after_id, changed = database.write_now(partial(_changed, change, after_id))
        yield changed


def _changed(
    change: Callable[[Connection, int], tuple[int, int]], after_id: int, connection: Connection
) -> tuple[int, int]:
    last_id, changed = change(connection, after_id)
    if changed:
        touch(connection, EVERYTHING)
    return last_id, changed


def _contacts(connection: Connection, after_id: int) -> tuple[int, int]:
    query = select(Contact.id, Contact.zone, Contact.number, Contact.tz_code).where(Contact.id > after_id)
    rows = connection.execute(query.order_by(Contact.id).limit(SLICE)).all()
    found = [(row.id, row.zone, person_zone_key(row.tz_code, "", zone_of_number(row.number))) for row in rows]
    return _written(connection, Contact, found)


def _subscribers(connection: Connection, after_id: int) -> tuple[int, int]:
    query = select(Subscriber.id, Subscriber.zone, Subscriber.number, Subscriber.tz_code, Subscriber.gmt_offset).where(
        Subscriber.id > after_id
    )
    rows = connection.execute(query.order_by(Subscriber.id).limit(SLICE)).all()
    found = [
        (row.id, row.zone, person_zone_key(row.tz_code, row.gmt_offset, zone_of_number(row.number))) for row in rows
    ]
    return _written(connection, Subscriber, found)


def _written(
    connection: Connection, table: type[Contact | Subscriber], found: list[tuple[int, str, str]]
) -> tuple[int, int]:
    """Write the zones that differ; return the last id of the slice, -1 behind the last slice, and their number."""
    new = [{_ID: row_id, _ZONE: zone} for row_id, old, zone in found if old != zone]
    if new:
        rows = table.__table__
        connection.execute(update(rows).where(rows.c.id == bindparam(_ID)).values(zone=bindparam(_ZONE)), new)
    return (found[-1][0] if len(found) == SLICE else -1), len(new)


def _stored_digest(connection: Connection) -> str | None:
    """Return the digest of the rows from which the zones come; empty if it is not known, None without a service."""
    return connection.scalar(select(ServiceState.places_digest))


def _keep(digest: str, connection: Connection) -> None:
    connection.execute(update(ServiceState).values(places_digest=digest))
