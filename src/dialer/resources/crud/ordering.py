"""Orderings: the parameter `ordering`, the SQL expressions that it becomes, and the cursors of ordered lists."""

import base64
import json
from collections.abc import Iterator
from typing import Any, Final, NamedTuple, TypeAlias

import msgspec
from sqlalchemy import Boolean, Column, ColumnElement, String
from sqlalchemy import Row as Found

from dialer.resources.crud.columns import column_of
from dialer.resources.crud.fields import FieldError, Text, echo
from dialer.resources.crud.resource import Resource
from dialer.resources.crud.shapes import fields_of
from dialer.resources.crud.urls import ID_MAX, parse_id
from dialer.store.backends.expressions import name_key

ORDERING: Final = "ordering"
ORDERED_BY_MAX: Final = 3
"""The most fields that order a list."""
CURSOR_MAX: Final = 4_096
"""Characters of the longest cursor. Names in it are shortened to their keys (`NAME_KEY_MAX`)."""
_ID: Final = "id"

Anchor: TypeAlias = tuple[Any, ...]
"""The place of a record in an ordered list: the values by which it is ordered, and its id."""


class Sort(msgspec.Struct, frozen=True):
    """A field that orders a list, and its direction."""

    field: str
    is_descending: bool


class SortKey(NamedTuple):
    """An SQL expression that orders a list."""

    expression: ColumnElement[Any]
    is_descending: bool
    is_nullable: bool


class CursorError(ValueError):
    """Raised for a cursor that this service did not make."""


def orderings_of(resource: Resource) -> tuple[str, ...]:
    """Return the fields by which a list of the resource can be ordered."""
    return (_ID, *resource.orderings)


def parse_ordering(resource: Resource, text: str) -> tuple[Sort, ...]:
    """Return the sort keys of an `ordering` parameter, without the id; none for the order of the ids.

    Raises:
        FieldError: a field cannot order the list, is given twice, or there are too many fields.
    """
    sorts = [Sort(part.strip().removeprefix("-"), part.strip().startswith("-")) for part in text.split(",")]
    if not text.strip():
        return ()
    orderings = orderings_of(resource)
    for sort in sorts:
        if sort.field not in orderings:
            raise FieldError(f'"{echo(sort.field)}" cannot order this list. Use one of: {", ".join(orderings)}.')
    most = 1 if resource.is_large else ORDERED_BY_MAX
    if len(sorts) > most:
        raise FieldError(f"Order this list by at most {most} of: {', '.join(orderings)}.")
    if len({sort.field for sort in sorts}) < len(sorts):
        raise FieldError("A field is given twice. Give each field once.")
    # The ids are unique, so fields after the id change nothing.
    end = next((place for place, sort in enumerate(sorts) if sort.field == _ID), len(sorts))
    needed = tuple(sorts[: end + 1])
    return () if needed == (Sort(_ID, is_descending=False),) else needed


def _expression(resource: Resource, field: str) -> ColumnElement[Any]:
    """Return the SQL expression by which a field orders a list; names are ordered without case and accents."""
    columns = resource.table.c
    kind = next(declared.kind for declared in fields_of(resource.read) if declared.name == field)
    column = column_of(resource.table, field, kind)
    if column is None:
        raise TypeError(f"{field} cannot order a list")
    if f"{field}_key" in columns:
        return columns[f"{field}_key"]
    if not isinstance(column.type, String):
        return column
    if field in resource.numbers:
        return columns.get("number", column)
    return name_key(column) if isinstance(kind, Text) and not resource.is_large else column


def sort_keys(resource: Resource, sorts: tuple[Sort, ...]) -> list[SortKey]:
    """Return the expressions that order a list. The last one is the id."""
    keys = [_sort_key(resource, sort) for sort in sorts]
    if not sorts or sorts[-1].field != _ID:
        keys.append(SortKey(resource.table.c[_ID], bool(sorts) and sorts[0].is_descending, is_nullable=False))
    return keys


def _sort_key(resource: Resource, sort: Sort) -> SortKey:
    expression = _expression(resource, sort.field)
    return SortKey(expression, sort.is_descending, isinstance(expression, Column) and bool(expression.nullable))


def label(place: int) -> str:
    """Return the name of the query column for the sort key at index `place`, such as `order_0`."""
    return f"order_{place}"


def anchor_of(row: Found[Any], sorts: tuple[Sort, ...]) -> Anchor:
    """Return the place of a row in the list."""
    mapping = row._mapping  # noqa: SLF001 - SQLAlchemy documents it
    return (*(mapping[label(place)] for place, sort in enumerate(sorts) if sort.field != _ID), mapping[_ID])


def steps_from(anchor: Anchor, keys: list[SortKey], *, is_backward: bool) -> Iterator[tuple[str, ...]]:
    """Yield the comparisons of the sort keys that lead away from an anchor, nearest records first.

    Null is before all values, as in SQLite. Each tuple is one range of an index: equal in all keys but the last.
    """
    for place in reversed(range(len(anchor))):
        before, key = tuple("null" if value is None else "equal" for value in anchor[:place]), keys[place]
        is_null = anchor[place] is None
        if key.is_descending == is_backward:
            yield (*before, "not null" if is_null else "above")
        elif not is_null:
            yield (*before, "below")
            if key.is_nullable:
                yield (*before, "null")


def write_cursor(side: str, anchor: Anchor) -> str:
    """Return the cursor of the records after (`a`) or before (`b`) an anchor."""
    if len(anchor) == 1:
        return f"{side}{anchor[0]}"
    text = json.dumps(anchor, separators=(",", ":"), ensure_ascii=False)
    return side + base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def read_cursor(resource: Resource, text: str, sorts: tuple[Sort, ...]) -> Anchor:
    """Return the anchor in a cursor of a list.

    Raises:
        CursorError: the cursor belongs to another ordering, or is damaged.
    """
    keys = sort_keys(resource, sorts)
    if len(text) > CURSOR_MAX:
        raise CursorError
    values = _decoded(text) if len(keys) > 1 else [parse_id(text)]
    if not isinstance(values, list) or len(values) != len(keys):
        raise CursorError
    if not all(_fits(key, value) for key, value in zip(keys, values, strict=True)) or values[-1] < 1:
        raise CursorError
    return tuple(values)


def _decoded(text: str) -> object:
    try:
        return json.loads(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)).decode())
    except (ValueError, RecursionError):
        raise CursorError from None


def _fits(key: SortKey, value: object) -> bool:
    if value is None:
        return key.is_nullable
    if isinstance(key.expression.type, Boolean):
        return isinstance(value, bool)
    if not isinstance(key.expression.type, String):
        return type(value) is int and abs(value) <= ID_MAX
    return isinstance(value, str) and not any(map(_is_in_no_text, value))


def _is_in_no_text(char: str) -> bool:
    return char == "\0" or "\ud800" <= char <= "\udfff"
