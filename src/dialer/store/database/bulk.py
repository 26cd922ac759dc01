"""Statements that run for many rows at once, or very often, at the speed of the driver.

SQLAlchemy compiles a statement once; the rows then go to the driver's `executemany` as plain tuples.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from operator import itemgetter
from typing import Any, Final

from sqlalchemy import (
    ColumnElement,
    Connection,
    Delete,
    Insert,
    Select,
    SQLColumnExpression,
    String,
    Table,
    Update,
    bindparam,
    column,
    insert,
    select,
    table,
    tuple_,
    type_coerce,
)

from dialer.store.backends.backend import Backend, DriverStatement, ManyRows, backend_of
from dialer.store.tables.key_ring import Secret

Page = list[tuple[Any, ...]]
"""Rows of one query, as plain tuples."""
AT_ONCE_MIN: Final = 2
"""Number of rows from which a statement for all of them takes less time than one for each."""
COPIED_MIN: Final = 30
"""Number of rows from which a copy takes less time than a statement that waits for others."""
ASKED_AT_ONCE: Final = 500
"""Number of values in one query."""

Check = Callable[[int], object]
"""A function that gets the number of written rows, and raises an error if there should be others."""
_InOrder = Callable[[tuple[Any, ...]], tuple[Any, ...]]
"""A function that puts the values of a row into the order of the compiled statement."""


class Bulk:
    """A statement with named parameters, run with tuples of their values in the order of `names`.

    A value that all rows share stands in the statement as a literal column. Values go to the driver as they are: those
    of a column of secrets must be tokens (`stored`).
    """

    def __init__(self, statement: Insert | Update | Delete, names: Sequence[str]) -> None:
        self._statement: Final = statement
        self._names: Final = tuple(names)
        self._known: Final[dict[Backend, tuple[str, _InOrder | None]]] = {}
        """The compiled statement and the order of its values, for each kind of database."""

    def run(self, connection: Connection, rows: Sequence[tuple[Any, ...]]) -> int:
        """Run the statement once for each row. Return the number of rows of the table that it wrote."""
        if not rows:
            return 0
        text, placed = self._placed(backend_of(connection), rows)
        return connection.exec_driver_sql(text, placed).rowcount

    def put(self, connection: Connection, rows: Sequence[tuple[Any, ...]], check: Check | None = None) -> None:
        """Run the statement once for each row, before whatever else happens on the connection.

        `check` gets the number of rows of the table that it wrote.
        """
        if rows:
            backend = backend_of(connection)
            backend.postpone(connection, *self._placed(backend, rows), check)

    def _placed(self, backend: Backend, rows: Sequence[tuple[Any, ...]]) -> tuple[str, list[tuple[Any, ...]]]:
        """Return the compiled statement, and the values of its executions."""
        text, in_order = self._compiled(backend)
        return text, list(rows if in_order is None else map(in_order, rows))

    def _compiled(self, backend: Backend) -> tuple[str, _InOrder | None]:
        found = self._known.get(backend)
        if found is None:
            text, names, _ = backend.compiled(self._statement, self._names)
            order = tuple(self._names.index(name) for name in names)
            found = text, None if order == tuple(range(len(self._names))) else itemgetter(*order)
            self._known[backend] = found
        return found


class KeyedBulk(Bulk):
    """A statement for many rows of which no two have the same key, so that they can be written at once."""

    def __init__(self, statement: Insert | Update, names: Sequence[str]) -> None:
        super().__init__(statement, names)
        self._at_once: Final[dict[Backend, ManyRows | None]] = {}

    def _placed(self, backend: Backend, rows: Sequence[tuple[Any, ...]]) -> tuple[str, list[tuple[Any, ...]]]:
        at_once = self._for_many(backend) if len(rows) >= AT_ONCE_MIN else None
        if at_once is None:
            return super()._placed(backend, rows)
        return at_once.text, [at_once.values(self._names, rows)]

    def _for_many(self, backend: Backend) -> ManyRows | None:
        if backend not in self._at_once:
            text, names, _ = backend.compiled(self._statement, self._names)
            self._at_once[backend] = backend.many_rows(text, names)
        return self._at_once[backend]


class BulkInsert(KeyedBulk):
    """An INSERT of named columns. No row of the same key may be there.

    Other columns have the default that they have in the database.
    """

    def __init__(self, into: Table, names: Sequence[str]) -> None:
        columns: list[Any] = [column(name, into.c[name].type) for name in names]
        super().__init__(insert(table(into.name, *columns)).prefix_with("OR FAIL", dialect="sqlite"), names)
        self._table: Final = into

    def run(self, connection: Connection, rows: Sequence[tuple[Any, ...]]) -> int:
        """Insert rows, and return their number."""
        if rows and not backend_of(connection).copy_rows(connection, self._table.name, self._names, rows):
            Bulk.run(self, connection, rows)
        return len(rows)

    def put(self, connection: Connection, rows: Sequence[tuple[Any, ...]], check: Check | None = None) -> None:
        """Insert rows before whatever else happens on the connection."""
        if len(rows) < COPIED_MIN:
            super().put(connection, rows, check)
            return
        written = self.run(connection, rows)
        if check is not None:
            check(written)


def bulk_insert(into: Table, *names: str) -> BulkInsert:
    """Return an INSERT of the named columns."""
    return BulkInsert(into, names)


class PreparedQuery:
    """A query with named parameters, none of which is a list. Its rows have numbers, texts and Booleans."""

    def __init__(self, statement: Select[*tuple[Any, ...]]) -> None:
        self._statement: Final = statement
        self._known: Final[dict[Backend, DriverStatement]] = {}

    def rows(self, connection: Connection, values: Mapping[str, Any]) -> list[tuple[Any, ...]]:
        """Return the rows that the query finds with these parameters, as the driver has them."""
        return backend_of(connection).query(connection, *self._given(connection, values))

    def _given(self, connection: Connection, values: Mapping[str, Any]) -> tuple[str, tuple[Any, ...]]:
        """Return the compiled query, and its values in their order."""
        backend = backend_of(connection)
        found = self._known.get(backend)
        if found is None:
            found = self._known[backend] = backend.compiled(self._statement)
        text, names, constants = found
        return text, tuple([values[name] if name in values else constants[name] for name in names])


class PreparedStatement(PreparedQuery):
    """A query with named parameters that finds one integer or text a row. No parameter is a list."""

    def run(self, connection: Connection, values: Mapping[str, Any]) -> list[Any]:
        """Return the values that the query finds with these parameters."""
        return [row[0] for row in connection.exec_driver_sql(*self._given(connection, values))]


def stored(table: Table) -> list[ColumnElement[Any]]:
    """Return the columns of a table as they are stored, which is how bulk statements take them: secrets as tokens."""
    return [type_coerce(one, String).label(one.name) if isinstance(one.type, Secret) else one for one in table.c]


class Among:
    """A query for those of many values that a column has, in rows that meet further conditions.

    It asks for `ASKED_AT_ONCE` values at a time, and repeats the last value to fill up. So one statement serves for any
    number of values.
    """

    def __init__(self, column: SQLColumnExpression[str], *conditions: ColumnElement[bool]) -> None:
        self._names: Final = [f"value_{place}" for place in range(ASKED_AT_ONCE)]
        asked = column.in_([bindparam(name, type_=String()) for name in self._names])
        self._query: Final = PreparedStatement(select(column).where(*conditions, asked))

    def run(self, connection: Connection, values: Collection[str], given: Mapping[str, Any]) -> set[str]:
        """Return the values that occur in the column. `given` holds the parameters of the conditions."""
        backend_of(connection).plan_anew(connection)
        asked = list(values)
        found: set[str] = set()
        for start in range(0, len(asked), ASKED_AT_ONCE):
            some = asked[start : start + ASKED_AT_ONCE]
            some += some[-1:] * (ASKED_AT_ONCE - len(some))
            found.update(self._query.run(connection, {**given, **dict(zip(self._names, some, strict=True))}))
        return found


def pages(connection: Connection, query: Select[Any], key: Sequence[ColumnElement[Any]], most: int) -> Iterator[Page]:
    """Yield the rows of a query in the order of a unique key, `most` at a time. The key is the first columns."""
    ordered, after = query.order_by(*key).limit(most), None
    while rows := [tuple(row) for row in connection.execute(ordered if after is None else ordered.where(after))]:
        yield rows
        after = tuple_(*key) > tuple_(*rows[-1][: len(key)])
