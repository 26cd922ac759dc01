"""Statements that run for many rows at once, or very often, at the speed of the driver.

SQLAlchemy compiles a statement once; the rows then go to the driver's `executemany` as plain tuples.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cached_property
from operator import itemgetter
from typing import Any, Final

from sqlalchemy import Column, ColumnElement, Connection, Insert, Select, Table, Update, bindparam, insert, select

from dialer.store.backends.sqlite import DriverStatement, compiled

ASKED_AT_ONCE: Final = 500
"""Values that one query asks for."""

_InOrder = Callable[[tuple[Any, ...]], tuple[Any, ...]]
"""Puts the values of a row where the compiled statement wants them."""


class Bulk:
    """One statement with named parameters, run with tuples of their values in the order of `names`.

    What is the same for every row stands in the statement as a literal column.
    """

    def __init__(self, statement: Insert | Update, names: Sequence[str]) -> None:
        self._statement: Final = statement
        self._names: Final = tuple(names)

    def run(self, connection: Connection, rows: Sequence[tuple[Any, ...]]) -> int:
        """Run it once for each row; with no rows, not at all. How many rows of the table it has touched."""
        if not rows:
            return 0
        text, in_order = self._compiled
        placed = list(rows if in_order is None else map(in_order, rows))
        return connection.exec_driver_sql(text, placed).rowcount

    @cached_property
    def _compiled(self) -> tuple[str, _InOrder | None]:
        text, names, _ = compiled(self._statement, self._names)
        order = tuple(self._names.index(name) for name in names)
        return text, None if order == tuple(range(len(self._names))) else itemgetter(*order)


def bulk_insert(table: Table, *names: str) -> Bulk:
    """An insert of the named columns."""
    return Bulk(insert(table), names)


class Prepared:
    """A query with named parameters that finds whole numbers or texts, one in a row; none of them is a list."""

    def __init__(self, statement: Select[Any]) -> None:
        self._statement: Final = statement

    def run(self, connection: Connection, values: Mapping[str, Any]) -> list[Any]:
        """What it finds, with these values of its parameters."""
        text, names, constants = self._compiled
        given = tuple([values[name] if name in values else constants[name] for name in names])
        return [row[0] for row in connection.exec_driver_sql(text, given)]

    @cached_property
    def _compiled(self) -> DriverStatement:
        return compiled(self._statement)


class Among:
    """Which of many values a column has, in rows that meet conditions with parameters of their own.

    They are asked for `ASKED_AT_ONCE` at a time, the last ones filled up, so that the statement is always the same.
    """

    def __init__(self, column: Column[str], *conditions: ColumnElement[bool]) -> None:
        self._names: Final = [f"value_{place}" for place in range(ASKED_AT_ONCE)]
        asked = column.in_([bindparam(name, type_=column.type) for name in self._names])
        self._query: Final = Prepared(select(column).where(*conditions, asked))

    def run(self, connection: Connection, values: Collection[str], given: Mapping[str, Any]) -> set[str]:
        """Those values that there are, with the other parameters as they are `given`."""
        asked = list(values)
        found: set[str] = set()
        for start in range(0, len(asked), ASKED_AT_ONCE):
            some = asked[start : start + ASKED_AT_ONCE]
            some += some[-1:] * (ASKED_AT_ONCE - len(some))
            found.update(self._query.run(connection, {**given, **dict(zip(self._names, some, strict=True))}))
        return found
