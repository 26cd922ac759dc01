"""Rows that can be read, and rows that somebody has edited so that they cannot: these are left out, with a reason."""

from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any, Final, NamedTuple, TypeAlias, TypeVar

import msgspec
from sqlalchemy import Boolean, Integer, LargeBinary, RowMapping, String, Table

from dialer.store.tables.carriers import kind_of

Found = TypeVar("Found")
UNREADABLE: Final = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError, msgspec.MsgspecError)
"""Errors that a row raises if no version of dialer has written it."""
Unreadable: TypeAlias = dict[tuple[str, int], str]
"""Reasons why rows cannot be read, by table and id."""
_SHOWN_MAX: Final = 60


class _Column(NamedTuple):
    """A column as far as its values can be checked."""

    name: str
    kinds: tuple[type, ...]
    is_nullable: bool


def readable(
    rows: Iterable[RowMapping], table: Table, read: Callable[[RowMapping], Found], unreadable: Unreadable
) -> list[Found]:
    """Return the objects that `read` makes of rows. Rows that it cannot read go to `unreadable`."""
    found = []
    for row in rows:
        try:
            check_types(row, table)
            found.append(read(row))
        except UNREADABLE as error:
            unreadable[kind_of(table, row), row["id"]] = str(error) or type(error).__name__
    return found


def check_types(row: RowMapping, table: Table) -> None:
    """Check that the values of a row have the types of their columns.

    SQLite stores any value in any column.

    Raises:
        ValueError: a value has another type.
    """
    for name, kinds, is_nullable in _columns(table):
        value = row.get(name, kinds[0]())
        if not isinstance(value, kinds) and not (value is None and is_nullable):
            raise ValueError(f"{name} is {ascii(value)[:_SHOWN_MAX]}, and should be {kinds[-1].__name__}")


@lru_cache(maxsize=128)
def _columns(table: Table) -> tuple[_Column, ...]:
    return tuple(
        _Column(column.name, kinds, bool(column.nullable)) for column in table.c if (kinds := _kinds(column.type))
    )


def _kinds(column_type: Any) -> tuple[type, ...]:  # noqa: ANN401 - a type of SQLAlchemy
    if isinstance(column_type, Boolean):
        return (int, bool)
    if isinstance(column_type, Integer):
        return (int,)
    if isinstance(column_type, LargeBinary):
        return (bytes,)
    return (str,) if isinstance(column_type, String) else ()
