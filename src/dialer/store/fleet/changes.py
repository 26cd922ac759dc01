"""Changes by users, in the order of their commits, for workers in other processes."""

from typing import Final, NamedTuple

import msgspec
from sqlalchemy import Connection, bindparam, delete, func, insert, select

from dialer.store.database.touched import EVERYTHING, NOTHING, TOUCHED_MAX, Touched
from dialer.store.tables import FleetChange

KEPT: Final = 10_000
"""Number of changes that are kept. A worker that has missed more reads all records."""

_LAST: Final = select(func.coalesce(func.max(FleetChange.id), 0))
_SINCE: Final = (
    select(FleetChange.id, FleetChange.touched)
    .where(FleetChange.id > bindparam("seen"))
    .order_by(FleetChange.id)
    .limit(TOUCHED_MAX)
)


class News(NamedTuple):
    """The records that users touched, up to a change."""

    last: int
    touched: Touched


def announce(connection: Connection, touched: Touched) -> None:
    """Note the records that a unit of work has touched, in its transaction."""
    if touched != NOTHING:
        connection.execute(insert(FleetChange).values(touched=msgspec.json.encode(touched).decode()))


def last_change(connection: Connection) -> int:
    """Return the id of the last change; 0 if there is none."""
    return int(connection.scalar(_LAST) or 0)


def news_since(connection: Connection, seen: int) -> News:
    """Return the changes after the change `seen`."""
    rows = [(row[0], row[1]) for row in connection.execute(_SINCE, {"seen": seen})]
    if not rows:
        return News(seen, NOTHING)
    # The ids of changes that were rolled back are missing, too: then all records are read in vain.
    if len(rows) == TOUCHED_MAX or rows[0][0] != seen + 1:
        return News(last_change(connection), EVERYTHING)
    touched = NOTHING
    for _, document in rows:
        touched |= msgspec.json.decode(document, type=Touched)
    return News(rows[-1][0], touched)


def forget_old_changes(connection: Connection) -> None:
    """Delete all noted changes but the last `KEPT`."""
    connection.execute(delete(FleetChange).where(FleetChange.id <= last_change(connection) - KEPT))
