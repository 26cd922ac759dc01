"""SQLite: rows in bulk, whose triggers do less than for one row."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import chain
from typing import Any, Final

from sqlalchemy import Connection

from dialer.store.backends.sqlite_triggers import (
    BEGIN_BATCH,
    BEGIN_JOINING,
    END_BATCH,
    END_JOINING,
    INDEX_BATCH,
    LAST_JOINED,
    NOTE_JOINED,
)

BATCH_MIN: Final = 5
"""Number of contacts from which the words of all are written at once."""
ROWS_AT_ONCE: Final = 50
"""Number of rows that one statement inserts, in half the time of a statement for each. More of them gain little."""
_CONTACTS: Final = "contact"


def copy_rows(connection: Connection, table: str, names: Sequence[str], rows: Sequence[tuple[Any, ...]]) -> bool:
    """Insert many rows by statements for `ROWS_AT_ONCE` of them. Of contacts, write the words of all names at once."""
    if table == _CONTACTS and len(rows) >= BATCH_MIN:
        _copy_contacts(connection, names, rows)
    elif len(rows) >= ROWS_AT_ONCE:
        _insert_several(connection, f"INSERT OR FAIL INTO {table}", names, rows)
    else:
        return False
    return True


def _copy_contacts(connection: Connection, names: Sequence[str], rows: Sequence[tuple[Any, ...]]) -> None:
    last = connection.exec_driver_sql("SELECT coalesce(max(id), 0) FROM contact").scalar_one()
    connection.exec_driver_sql(BEGIN_BATCH)
    try:
        _insert_several(connection, "INSERT INTO contact", names, rows)
    finally:  # After an error, the rows before it are there, and the transaction can go on.
        connection.exec_driver_sql(END_BATCH)
        connection.exec_driver_sql(INDEX_BATCH, (last,))


def _insert_several(connection: Connection, into: str, names: Sequence[str], rows: Sequence[tuple[Any, ...]]) -> None:
    """Insert rows, many by one statement: on a table with triggers, SQLite prepares to undo each statement."""
    columns, values = ", ".join([f'"{name}"' for name in names]), f"({', '.join('?' * len(names))})"
    several = len(rows) - len(rows) % ROWS_AT_ONCE
    for some, at_once in ((rows[:several], ROWS_AT_ONCE), (rows[several:], 1)):
        if some:
            groups = [tuple(chain(*some[start : start + at_once])) for start in range(0, len(some), at_once)]
            connection.exec_driver_sql(f"{into} ({columns}) VALUES {', '.join([values] * at_once)}", groups)


@contextmanager
def joining_together(connection: Connection, campaign_id: int) -> Iterator[None]:
    """Note the subscribers whom a campaign gets meanwhile by one row for each phonebook, and not for each of them."""
    subscriber_id, move_id = connection.exec_driver_sql(LAST_JOINED).one()
    connection.exec_driver_sql(BEGIN_JOINING)
    try:
        yield
    finally:  # After an error, the transaction can go on.
        connection.exec_driver_sql(END_JOINING, (move_id,))
        connection.exec_driver_sql(NOTE_JOINED, (subscriber_id, campaign_id))
