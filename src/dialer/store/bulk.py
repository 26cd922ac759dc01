"""Statements that run for many rows at once, at the speed of the driver.

SQLAlchemy compiles a statement for the dialect once; the rows then go to the driver's `executemany` as plain tuples.
"""

from collections.abc import Sequence
from typing import Any, Final

from sqlalchemy import Connection, Insert, Table, Update, insert


class Bulk:
    """One statement with named parameters, run with tuples of their values in the order of `names`.

    What is the same for every row stands in the statement as a literal column.
    """

    def __init__(self, statement: Insert | Update, names: Sequence[str]) -> None:
        self._statement: Final = statement
        self._names: Final = tuple(names)
        self._compiled: dict[str, tuple[str, tuple[int, ...] | None]] = {}

    def run(self, connection: Connection, rows: Sequence[tuple[Any, ...]]) -> None:
        """Run it once for each row; with no rows, not at all."""
        if not rows:
            return
        text, order = self._for_dialect(connection)
        if order is not None:
            rows = [tuple([row[position] for position in order]) for row in rows]
        connection.exec_driver_sql(text, list(rows))

    def _for_dialect(self, connection: Connection) -> tuple[str, tuple[int, ...] | None]:
        known = self._compiled.get(connection.dialect.name)
        if known is None:
            compiled = self._statement.compile(dialect=connection.dialect, column_keys=list(self._names))
            order = tuple(self._names.index(name) for name in compiled.positiontup or ())
            known = str(compiled), None if order == tuple(range(len(self._names))) else order
            self._compiled[connection.dialect.name] = known
        return known


def bulk_insert(table: Table, *names: str) -> Bulk:
    """An insert of the named columns."""
    return Bulk(insert(table), names)
