"""Moving a service: all rows of its database are copied into an empty database of either kind, and compared.

Both databases stay locked meanwhile, and the target has one transaction. So whatever stops a move, the source is as
it was, and the target is empty or complete.
"""

import hashlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

import msgspec
from sqlalchemy import Column, Connection, Table, bindparam, delete, select, update
from sqlalchemy.exc import DBAPIError

from dialer.store.backends.backend import backend_of
from dialer.store.database.bulk import Bulk, bulk_insert, pages, stored
from dialer.store.reconciliation.reconcile import Audited, audit
from dialer.store.tables import KeyCheck, Row

MOVED_ROWS: Final = 5_000
"""Rows in memory at once."""
_TABLES: Final = Row.metadata.sorted_tables
"""A table comes after those that it refers to."""


class MoveError(Exception):
    """Raised when a database cannot be moved; nothing has changed, and the message is one line."""


class TableRows(msgspec.Struct, frozen=True):
    """The rows of one table that is moved."""

    name: str
    rows: int
    """Number of rows."""
    sha256: str
    """Digest of all values of all rows, in the order of their ids. Both databases have equal digests."""


class Moved(msgspec.Struct, frozen=True):
    """A finished move."""

    tables: list[TableRows]
    audit: Audited
    """The audit of the target, which is equal to that of the source."""


Tell = Callable[[str, str, int], object]
"""A function that is called after each `MOVED_ROWS` rows: with what is done (`copied` or `compared`), the name of the
table, and the number of its rows so far."""


def move(source: Connection, target: Connection, tell: Tell) -> Moved:
    """Copy all rows and the last given ids. Then read the target again, compare its tables, and audit both databases.

    `source` and `target` are in units of work that write.

    Raises:
        MoveError: the target is not empty, cannot hold a value, or differs from the source at the end.
    """
    for connection in (source, target):
        backend_of(connection).without_limits(connection)
    _refuse_rows(target)
    with backend_of(target).without_triggers(target):
        copied = [_copy(source, target, table, tell) for table in _TABLES]
    ids = backend_of(source).last_ids(source)
    backend_of(target).keep_last_ids(target, {table.name: ids[table.name] for table in _TABLES if table.name in ids})
    for rows in copied:
        if (found := _read(target, Row.metadata.tables[rows.name], tell)) != rows:
            raise MoveError(f"the copy of {rows.name} differs: {found.rows:,} rows of {rows.rows:,}, or other values")
    audited = audit(source)
    if audit(target) != audited:
        raise MoveError("the audits of the two databases differ: run `dialer audit` on the source")
    backend_of(target).analyze(target)
    return Moved(copied, audited)


def _refuse_rows(target: Connection) -> None:
    """Raise MoveError if the target has rows."""
    # An empty service may have a key already. The one of the moved service takes its place.
    target.execute(delete(KeyCheck))
    full = next((table.name for table in _TABLES if target.execute(select(table.c.id).limit(1)).first()), None)
    if full is not None:
        raise MoveError(f"the target is not empty: it has rows in {full}")


def _copy(source: Connection, target: Connection, table: Table, tell: Tell) -> TableRows:
    insert = bulk_insert(table, *table.c.keys())
    own = _references_to_itself(table)
    places = [table.c.keys().index(column.name) for column in own]
    references: list[tuple[Any, ...]] = []
    digest, count = hashlib.sha256(), 0
    for rows in _chunks(source, table):
        _digest(digest, rows)
        count += len(rows)
        references += [(*[row[place] for place in places], row[0]) for row in rows if any(row[at] for at in places)]
        try:
            insert.run(target, [_without(row, places) for row in rows])
        except (DBAPIError, OverflowError, ValueError) as error:
            said = " ".join(str(getattr(error, "orig", error)).split())
            raise MoveError(
                f"the target cannot hold a row of {table.name} with an id from {rows[0][0]} to {rows[-1][0]}: {said}"
            ) from error
        tell("copied", table.name, count)
    _refer(target, table, own, references)
    return TableRows(str(table.name), count, digest.hexdigest())


def _references_to_itself(table: Table) -> list[Column[Any]]:
    """Return the columns that refer to other rows of the same table, which may come later."""
    return [key.parent for key in table.foreign_keys if key.column.table is table]


def _without(row: tuple[Any, ...], places: Sequence[int]) -> tuple[Any, ...]:
    return tuple([None if place in places else value for place, value in enumerate(row)]) if places else row


def _refer(target: Connection, table: Table, own: list[Column[Any]], references: list[tuple[Any, ...]]) -> None:
    """Set the references of rows to other rows of the same table, once all are there."""
    if references:
        values: dict[str, Any] = {column.name: bindparam(f"to_{column.name}") for column in own}
        changed = update(table).where(table.c.id == bindparam("row_id")).values(values)
        Bulk(changed, [*[f"to_{column.name}" for column in own], "row_id"]).run(target, references)


def _read(connection: Connection, table: Table, tell: Tell) -> TableRows:
    digest, count = hashlib.sha256(), 0
    for rows in _chunks(connection, table):
        _digest(digest, rows)
        count += len(rows)
        tell("compared", table.name, count)
    return TableRows(str(table.name), count, digest.hexdigest())


def _chunks(connection: Connection, table: Table) -> Iterator[list[tuple[Any, ...]]]:
    """Yield all rows of a table in the order of their ids, `MOVED_ROWS` at a time. The first column is the id."""
    return pages(connection, select(*stored(table)), list(table.primary_key.columns), MOVED_ROWS)


def _digest(digest: Any, rows: list[tuple[Any, ...]]) -> None:  # noqa: ANN401 - of hashlib, which has no public type
    for row in rows:
        digest.update(msgspec.msgpack.encode(row))
