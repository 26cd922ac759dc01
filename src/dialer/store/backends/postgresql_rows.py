"""PostgreSQL: rows in bulk, and the ids that tables gave."""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any, Final

import psycopg
from sqlalchemy import Connection, text
from sqlalchemy.exc import DBAPIError

from dialer.store.backends import postgresql_functions

ANY_TIME: Final = "dialer, without limits"
"""Name of a session whose transaction may take any time, and be silent meanwhile."""
COPY_MIN: Final = 5
"""Number of rows from which COPY takes less time, half of it, than a statement for each row."""
_PARAMETER: Final = re.compile(r"%s::(\w+)")
_VALUES: Final = re.compile(r"VALUES \(([^()]*)\)")
_TEXTS: Final = frozenset({"VARCHAR", "TEXT"})
_WORDS: Final = {"None": "NULL", "True": "1", "False": "0"}
ROWS: Final = "rows_written"
"""Key of a connection's note of the number of rows that it has written."""
_SEQUENCES: Final = "SELECT sequencename, last_value FROM pg_sequences WHERE schemaname = current_schema()"
_OF_IDS: Final = "_id_seq"
"""End of the name of the sequence that gives the ids of a table."""


def copy_rows(connection: Connection, table: str, names: Sequence[str], rows: Sequence[tuple[Any, ...]]) -> bool:
    """Insert rows with COPY, unless they are few: it takes a round trip more."""
    if len(rows) < COPY_MIN:
        return False
    columns = ", ".join([f'"{name}"' for name in names])
    with errors_of_sqlalchemy(connection), driver_of(connection).cursor() as cursor:
        with cursor.copy(f'COPY "{table}" ({columns}) FROM STDIN') as copy:
            for row in rows:
                copy.write_row(row)
        connection.info[ROWS] = connection.info.get(ROWS, 0) + cursor.rowcount
    return True


class ArrayStatement:
    """A statement that changes many rows at once, from an array of the values of each column.

    It takes a third of the time of a statement for each row, and its triggers run once. `text` is the statement for one
    row, whose parameters all have a type and have these names.
    """

    def __init__(self, text: str, names: Sequence[str]) -> None:
        types = dict(zip(names, _PARAMETER.findall(text), strict=True))
        arrays = ", ".join([f"%s::{kind}[]" for kind in types.values()])
        quoted = ", ".join([f'"{name}"' for name in types])
        given = f"FROM unnest({arrays}) AS given ({quoted})"
        in_order = iter(names)
        one = _PARAMETER.sub(lambda _: f'given."{next(in_order)}"', text)
        if text.startswith("UPDATE"):
            changed, _, condition = one.partition(" WHERE ")
            self.text = f"{changed} {given} WHERE {condition}"
        else:
            self.text = _VALUES.sub(lambda row: f"SELECT {row[1]} {given}", one)
        self._names: Final = tuple(types)
        self._are_texts: Final = [kind in _TEXTS for kind in types.values()]

    def values(self, names: Sequence[str], rows: Sequence[tuple[Any, ...]]) -> tuple[str, ...]:
        """Return the arrays of the statement for rows of values in the order of `names`."""
        columns = dict(zip(names, zip(*rows, strict=True), strict=True))
        return tuple(
            (_texts if is_text else _numbers)(columns[name])
            for name, is_text in zip(self._names, self._are_texts, strict=True)
        )


def many_rows(text: str, names: Sequence[str]) -> ArrayStatement | None:
    """Return the statement for many rows; None if a parameter has no type that arrays are made of, such as bytes."""
    return ArrayStatement(text, names) if len(_PARAMETER.findall(text)) == len(names) else None


def _numbers(values: Sequence[int | None]) -> str:
    """Return numbers as the text of an array, faster than the driver does."""
    listed = f"{{{','.join(map(str, values))}}}"
    for value, written in _WORDS.items():
        listed = listed.replace(value, written)
    return listed


def _texts(values: Sequence[str | None]) -> str:
    """Return texts as the text of an array."""
    quoted = ["NULL" if one is None else '"' + one.replace("\\", "\\\\").replace('"', '\\"') + '"' for one in values]
    return f"{{{','.join(quoted)}}}"


def joining_together(connection: Connection, campaign_id: int) -> AbstractContextManager[object]:  # noqa: ARG001 - part of the seam
    """Return a context that does nothing: a trigger notes all subscribers of a statement together."""
    return nullcontext()


def plan_anew(connection: Connection) -> None:
    """Let the rest of a transaction plan each statement for the tables as they are now.

    A prepared statement keeps a plan that was made for a small table, until `ANALYZE` has seen how it grew.
    """
    driver_of(connection).execute("SET LOCAL plan_cache_mode = force_custom_plan")


def analyze(connection: Connection) -> None:
    """Read samples of all tables. Until then, or until autovacuum does, the database takes tables for small."""
    driver_of(connection).execute("ANALYZE")


def without_limits(connection: Connection) -> None:
    """Let the rest of a transaction take any time: its statements, and its pauses between them."""
    driver = driver_of(connection)
    for limit in ("statement_timeout", "idle_in_transaction_session_timeout"):
        driver.execute(f"SET LOCAL {limit} = 0")
    driver.execute(f"SET LOCAL application_name = '{ANY_TIME}'")


@contextmanager
def without_triggers(connection: Connection) -> Iterator[None]:
    """Disable the triggers, and enable them again at the end. A transaction that fails has changed nothing."""
    for table in postgresql_functions.TRIGGERS:
        connection.exec_driver_sql(f"ALTER TABLE {table} DISABLE TRIGGER USER")
    yield
    for table in postgresql_functions.TRIGGERS:
        connection.exec_driver_sql(f"ALTER TABLE {table} ENABLE TRIGGER USER")


def last_ids(connection: Connection) -> dict[str, int]:
    """Return the highest id that each table ever gave, without tables that gave none."""
    found = connection.exec_driver_sql(_SEQUENCES)
    return {name.removesuffix(_OF_IDS): last for name, last in found if last is not None and name.endswith(_OF_IDS)}


def keep_last_ids(connection: Connection, ids: Mapping[str, int]) -> None:
    """Set the highest id that each table ever gave. Tables without one gave none. A ROLLBACK does not undo it."""
    given = connection.exec_driver_sql(_SEQUENCES).scalars().all()
    for name in (name for name in given if name.endswith(_OF_IDS)):
        last = ids.get(name.removesuffix(_OF_IDS))
        values = {"name": name, "last": last or 1, "is_given": last is not None}
        connection.execute(text("SELECT setval(CAST(:name AS regclass), :last, :is_given)"), values)


@contextmanager
def errors_of_sqlalchemy(connection: Connection) -> Iterator[None]:
    """Raise errors of the driver as SQLAlchemy does."""
    try:
        yield
    except psycopg.Error as error:
        raise DBAPIError.instance(
            None, None, error, psycopg.Error, hide_parameters=True, dialect=connection.dialect
        ) from error


def driver_of(connection: Connection) -> Any:  # noqa: ANN401 - psycopg's connection, which SQLAlchemy does not declare
    """Return the connection of the database driver."""
    return connection.connection.driver_connection
