"""The queries of lists: each is built once for each shape of request, and run with the values of the request.

Building a query takes longer than running it.

A list that is searched or ordered is read in one of two ways. If few records are selected, they are collected by the
indexes of the filters and then sorted. If many are, the index of the ordering is walked, and enough of its records are
among the selected ones. The exact count of the selected records decides.
"""

from collections import OrderedDict
from collections.abc import Sequence
from enum import Enum
from typing import Any, Final, NamedTuple

import msgspec
from sqlalchemy import ColumnElement, Select, and_, bindparam, func, not_, or_, select
from sqlalchemy import Row as Found

from dialer.api.crud.fields import Stored
from dialer.api.crud.filters import filters_of
from dialer.api.crud.ordering import Anchor, Sort, SortKey, label, sort_keys, steps_from
from dialer.api.crud.records import columns_shown
from dialer.api.crud.resource import Resource, Unit
from dialer.api.crud.searching import Search, search_conditions
from dialer.api.crud.visibility import visible
from dialer.store.backends import sqlite
from dialer.store.count_cache import count_once

QUERIES_KEPT_MAX: Final = 1_000
SORTED_MAX: Final = 5_000
"""Selected records that are collected and sorted for one page. A page of more is read along an index."""


class Asked(msgspec.Struct, frozen=True):
    """The records that a request asks for: the name and the value of each filter, the search, and the ordering."""

    filters: tuple[tuple[str, Stored], ...] = ()
    search: Search | None = None
    sorts: tuple[Sort, ...] = ()


class _Way(Enum):
    """The way in which a query finds records: by any index, by the filters' indexes, or along the ordering's index."""

    FREE = "free"
    COLLECTED = "collected"
    WALKED = "walked"


class _Shape(NamedTuple):
    """The parts of a request that decide the text of its query, without the values."""

    path: str
    is_admin: bool
    filters: tuple[str, ...]
    search: tuple[bool, int] | None
    sorts: tuple[Sort, ...] = ()
    way: _Way = _Way.FREE
    steps: tuple[str, ...] = ()
    is_backward: bool = False
    counts: int | None = None
    """The place of the search condition whose records are counted; None for a query of records."""


_kept: Final[OrderedDict[_Shape, Select[Any]]] = OrderedDict()


def count(unit: Unit, resource: Resource, asked: Asked) -> int:
    """Return the number of records that the filters and the search select. It is kept until the next commit."""
    key = (resource.path, unit.actor, asked.filters, asked.search)
    return count_once(unit.connection, key, lambda: _count(unit, resource, asked))


def _count(unit: Unit, resource: Resource, asked: Asked) -> int:
    """Count the records of each condition of the search that meet no earlier one: each is one range of an index."""
    parts = 1 if asked.search is None else len(search_conditions(resource, asked.search.shape))
    shape = _shape(unit, resource, asked)
    return sum(int(_run(unit, resource, asked, shape._replace(counts=part)).scalar_one()) for part in range(parts))


def read_rows(  # noqa: PLR0913 - the parts of one query
    unit: Unit,
    resource: Resource,
    asked: Asked,
    *,
    most: int,
    anchor: Anchor | None = None,
    is_backward: bool = False,
    skipped: int = 0,
) -> Sequence[Found[Any]]:
    """Return the first rows after an anchor, or the last ones before it if `is_backward`, nearest first.

    Without an anchor, return the rows that follow the first `skipped` ones.
    """
    shape = _shape(unit, resource, asked)._replace(sorts=asked.sorts, is_backward=is_backward)
    if asked.sorts or asked.search is not None:
        is_small = count(unit, resource, asked) <= SORTED_MAX
        shape = shape._replace(way=_Way.COLLECTED if is_small else _Way.WALKED)
    if anchor is None:
        return _run(unit, resource, asked, shape, most=most, skipped=skipped).all()
    rows: list[Found[Any]] = []
    values = {_anchor(place): value for place, value in enumerate(anchor)}
    for steps in steps_from(anchor, sort_keys(resource, asked.sorts), is_backward=is_backward):
        rows += _run(unit, resource, asked, shape._replace(steps=steps), most=most - len(rows), skipped=0, **values)
        if len(rows) == most:
            break
    return rows


def _shape(unit: Unit, resource: Resource, asked: Asked) -> _Shape:
    names = tuple(name for name, _ in asked.filters)
    return _Shape(resource.path, unit.actor.is_admin, names, asked.search and asked.search.shape)


def _run(unit: Unit, resource: Resource, asked: Asked, shape: _Shape, **values: Stored) -> Any:  # noqa: ANN401 - a result of rows
    query = _kept.get(shape)
    if query is None:
        query = _kept[shape] = _query(unit, resource, shape)
        if len(_kept) > QUERIES_KEPT_MAX:
            _kept.popitem(last=False)
    filters = {_parameter(name): value for name, value in asked.filters}
    searched = {} if asked.search is None else asked.search.values()
    return unit.connection.execute(query, {"actor_id": unit.actor.id, **filters, **searched, **values})


def _parameter(name: str) -> str:
    return f"filter_{name}"


def _anchor(place: int) -> str:
    return f"anchor_{place}"


def _query(unit: Unit, resource: Resource, shape: _Shape) -> Select[Any]:
    filters = filters_of(resource)
    given = [filters[name].condition(bindparam(_parameter(name))) for name in shape.filters]
    selected = and_(visible(resource, unit.actor, unit.resources), *given)
    found = [] if shape.search is None else search_conditions(resource, shape.search)
    if shape.counts is not None:
        return _counting(resource, selected, found, shape.counts)
    condition = and_(selected, or_(*found)) if found else selected
    if shape.way is _Way.WALKED:
        condition = sqlite.without_index(condition)
    keys = sort_keys(resource, shape.sorts)
    if shape.way is _Way.COLLECTED:
        keys = [key._replace(expression=sqlite.without_index(key.expression)) for key in keys]
    shown = [key.expression.label(label(place)) for place, key in enumerate(keys[:-1])]
    query = select(*columns_shown(resource), *shown).select_from(resource.table).where(condition)
    query = query.where(*[_compared(keys[place], step, place) for place, step in enumerate(shape.steps)])
    in_order = [
        key.expression.desc() if key.is_descending is not shape.is_backward else key.expression for key in keys
    ]
    return query.order_by(*in_order).limit(bindparam("most")).offset(bindparam("skipped"))


def _counting(
    resource: Resource, selected: ColumnElement[bool], found: Sequence[ColumnElement[bool]], part: int
) -> Select[Any]:
    query = select(func.count()).select_from(resource.table)
    if not found:
        return query.where(selected)
    return query.where(found[part], sqlite.without_index(and_(selected, *map(not_, found[:part]))))


def _compared(key: SortKey, step: str, place: int) -> ColumnElement[bool]:
    value: Any = bindparam(_anchor(place), type_=key.expression.type)
    match step:
        case "equal":
            return key.expression.is_not_distinct_from(value)
        case "above":
            return key.expression > value
        case "below":
            return key.expression < value
        case "null":
            return key.expression.is_(None)
        case _:
            return key.expression.is_not(None)
