"""The queries of lists: each is built once for each shape of request, and run with the values of the request.

Building a query takes longer than running it.

A long list that is searched or ordered is read in one of three ways. If the filters select few records, these are read.
Else, if the search finds few, these are. If both find many, the index of the ordering is walked until the page is full.
The planner of the database cannot decide this, because it does not know the values. Few are counted, and never many.
"""

import json
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from enum import Enum
from functools import partial
from typing import Any, Final, NamedTuple

import msgspec
from sqlalchemy import ColumnElement, Select, String, and_, bindparam, func, literal, select
from sqlalchemy import Row as Found

from dialer.domain.words.roles import Role
from dialer.resources.crud.fields import Stored
from dialer.resources.crud.filters import filters_of
from dialer.resources.crud.ordering import Anchor, Sort, SortKey, label, sort_keys, steps_from
from dialer.resources.crud.records import columns_shown
from dialer.resources.crud.resource import Resource, Unit
from dialer.resources.crud.searching import (
    Search,
    accounts_seen,
    count_of_account,
    found_by_index,
    found_by_lead,
    found_by_phrase,
    found_in_row,
)
from dialer.resources.crud.visibility import visible
from dialer.store.backends.expressions import among, in_order, without_index
from dialer.store.database.count_cache import count_once
from dialer.store.tables import Contact

QUERIES_KEPT_MAX: Final = 1_000
LEADS_MAX: Final = 4
"""Words of a search that are counted to find the rarest."""
LED_MAX: Final = 200_000
"""Records up to which words are counted if each of them has more than `SORTED_MAX`."""
SORTED_MAX: Final = 5_000
"""Records that are read and sorted for one page. A page of more is read along the index of the ordering."""


class Asked(msgspec.Struct, frozen=True):
    """The records that a request asks for: the name and the value of each filter, the search, and the ordering."""

    filters: tuple[tuple[str, Stored], ...] = ()
    search: Search | None = None
    sorts: tuple[Sort, ...] = ()


class _Way(Enum):
    """The way in which a query finds records: by any index, or by one of the filters, the search or the ordering."""

    FREE = "free"
    FILTERED = "filtered"
    SEARCHED = "searched"
    FOUND = "found"
    """By the ids of the few records that the search has found."""
    WALKED = "walked"


class _Counts(Enum):
    """The records that a query counts: all, or up to `most` of those that the filters or a part of the search finds."""

    ALL = "all"
    SELECTED = "selected"
    LED = "led"
    PHRASE = "phrase"


class _Shape(NamedTuple):
    """The parts of a request that decide the text of its query, without the values."""

    path: str
    view: str
    filters: tuple[str, ...]
    search: tuple[int, int, bool] | None
    sorts: tuple[Sort, ...] = ()
    way: _Way = _Way.FREE
    steps: tuple[str, ...] = ()
    is_backward: bool = False
    counts: "_Counts | None" = None
    """None for a query of records."""


_kept: Final[OrderedDict[_Shape, Select[Any]]] = OrderedDict()


def count(unit: Unit, resource: Resource, criteria: Asked) -> int:
    """Return the number of records that the filters and the search select, as counted since the last change."""
    search = None if criteria.search is None else criteria.search.in_order
    key = (resource.path, unit.actor.view, unit.actor.sees_as, criteria.filters, search)
    counted = partial(count_now, unit, resource, criteria)
    return count_once(unit.connection, key, counted, users_alone_change_it=resource.users_alone_change_it)


def count_now(unit: Unit, resource: Resource, criteria: Asked) -> int:
    """Count the records that the filters and the search select, in any transaction."""
    criteria = _led(unit, resource, criteria)
    way = _Way.FREE
    if resource.is_large and criteria.search is not None:
        way = _Way.FILTERED if _is_few(unit, resource, criteria, _Counts.SELECTED) else _Way.SEARCHED
        is_read = way is _Way.SEARCHED and not _has_many_phrases(unit, resource, criteria)
        ids = _found(unit, resource, criteria) if is_read else None
        if ids is not None:
            if _counts_account(unit, resource, criteria):
                return ids.count(",") + (ids != "[]")
            way = _Way.FOUND
    return _number(unit, resource, criteria, _shape(unit, resource, criteria)._replace(way=way, counts=_Counts.ALL))


def _counts_account(unit: Unit, resource: Resource, counted: Asked | _Shape) -> bool:
    """Return whether all contacts that a search finds in indexes are counted: the indexes have those that are seen."""
    return resource.table is Contact.__table__ and not counted.filters and unit.actor.role is not Role.AGENT


def _led(unit: Unit, resource: Resource, criteria: Asked) -> Asked:
    """Return what is asked for, with the rarest of its longest words as the one that leads."""
    search = criteria.search
    if search is None or len(search.words) == 1 or not resource.is_large or not resource.names:
        return criteria
    tried = [msgspec.structs.replace(criteria, search=search.led_by(word)) for word in search.words[:LEADS_MAX]]
    least = min(tried, key=lambda one: _few(unit, resource, one, _Counts.LED))
    if _is_few(unit, resource, least, _Counts.LED):
        return least
    most = LED_MAX
    for one in tried:
        counted = _few(unit, resource, one, _Counts.LED, most)
        least, most = (one, counted) if counted <= most else (least, most)
    return least


def _is_few(unit: Unit, resource: Resource, criteria: Asked, counts: _Counts) -> bool:
    return _few(unit, resource, criteria, counts) <= SORTED_MAX


def _few(unit: Unit, resource: Resource, criteria: Asked, counts: _Counts, most: int | None = None) -> int:
    """Return the number of some records, or `most` and one if they are more, as counted since the last change."""
    most = SORTED_MAX if most is None else most
    filters = criteria.filters if counts is _Counts.SELECTED else ()
    search = None if counts is _Counts.SELECTED else criteria.search
    key = (resource.path, unit.actor.view, unit.actor.sees_as, filters, search, counts, most)
    shape = _shape(unit, resource, criteria)._replace(counts=counts)
    counted = partial(_number, unit, resource, criteria, shape, most)
    return count_once(unit.connection, key, counted, users_alone_change_it=resource.users_alone_change_it)


def _found(unit: Unit, resource: Resource, criteria: Asked) -> str | None:
    """Return the ids of the records that the search finds, as JSON and as found since the last change; None if many."""
    search = criteria.search
    key = (resource.path, unit.actor.view, unit.actor.sees_as, search and search.in_order, SORTED_MAX)

    def find() -> str | None:
        shape = _shape(unit, resource, criteria)._replace(filters=(), way=_Way.SEARCHED)
        ids = _run(unit, resource, criteria, shape, most=SORTED_MAX + 1).scalars().all()
        return json.dumps(sorted(set(ids)), separators=(",", ":")) if len(ids) <= SORTED_MAX else None

    return count_once(unit.connection, key, find, users_alone_change_it=resource.users_alone_change_it)


def _number(unit: Unit, resource: Resource, criteria: Asked, shape: _Shape, most: int = 0) -> int:
    return int(_run(unit, resource, criteria, shape, most=most + 1).scalar_one())


def read_rows(
    unit: Unit,
    resource: Resource,
    criteria: Asked,
    *,
    most: int,
    anchor: Anchor | None = None,
    is_backward: bool = False,
    skipped: int = 0,
) -> Sequence[Found[Any]]:
    """Return the first rows after an anchor, or the last ones before it if `is_backward`, nearest first.

    Without an anchor, return the rows that follow the first `skipped` ones.
    """
    criteria = _led(unit, resource, criteria)
    shape = _shape(unit, resource, criteria)._replace(sorts=criteria.sorts, is_backward=is_backward)
    if resource.is_large and (criteria.sorts or criteria.search is not None):
        shape = shape._replace(way=_way(unit, resource, criteria))
    rows: list[Found[Any]] = []
    if anchor is None:
        rows += _run(unit, resource, criteria, shape, most=most, skipped=skipped)
        return rows
    values = {_anchor(place): value for place, value in enumerate(anchor)}
    for steps in steps_from(anchor, sort_keys(resource, criteria.sorts), is_backward=is_backward):
        rows += _run(unit, resource, criteria, shape._replace(steps=steps), most=most - len(rows), skipped=0, **values)
        if len(rows) == most:
            break
    return rows


def _way(unit: Unit, resource: Resource, criteria: Asked) -> _Way:
    if _is_few(unit, resource, criteria, _Counts.SELECTED):
        return _Way.FILTERED
    if criteria.search is None or _has_many_phrases(unit, resource, criteria):
        return _Way.WALKED
    return _Way.WALKED if _found(unit, resource, criteria) is None else _Way.FOUND


def _has_many_phrases(unit: Unit, resource: Resource, criteria: Asked) -> bool:
    """Return whether many contacts have the words of the search one after another."""
    if resource.table is not Contact.__table__ or criteria.search is None or not criteria.search.phrase:
        return False
    return not _is_few(unit, resource, criteria, _Counts.PHRASE)


def _shape(unit: Unit, resource: Resource, criteria: Asked) -> _Shape:
    names = tuple(name for name, _ in criteria.filters)
    searched = None if criteria.search is None else criteria.search.shape
    return _Shape(resource.path, unit.actor.view, names, searched)


def _run(unit: Unit, resource: Resource, criteria: Asked, shape: _Shape, **values: Stored) -> Any:  # noqa: ANN401 - a result of rows
    query = _kept.get(shape)
    if query is None:
        query = _kept[shape] = _query(unit, resource, shape)
        if len(_kept) > QUERIES_KEPT_MAX:
            _kept.popitem(last=False)
    filters = {_parameter(name): value for name, value in criteria.filters}
    searched = {} if criteria.search is None else criteria.search.values()
    if shape.way is _Way.FOUND:
        searched[_IDS] = _found(unit, resource, criteria) or "[]"
    return unit.connection.execute(query, {"actor_id": unit.actor.sees_as, **filters, **searched, **values})


_IDS: Final = "found_ids"


def _parameter(name: str) -> str:
    return f"filter_{name}"


def _anchor(place: int) -> str:
    return f"anchor_{place}"


def _query(unit: Unit, resource: Resource, shape: _Shape) -> Select[Any]:
    filters = filters_of(resource)
    filtered = [filters[name].condition(bindparam(_parameter(name))) for name in shape.filters]
    selected = and_(visible(resource, unit.actor, unit.resources), *filtered)
    if shape.counts is not None:
        return _counting(unit, resource, shape, selected)
    if shape.way is _Way.SEARCHED and shape.search is not None:
        return found_by_index(resource, unit.actor, shape.search).limit(bindparam("most"))
    keys = sort_keys(resource, shape.sorts)
    if shape.way in {_Way.FILTERED, _Way.FOUND}:
        keys = [key._replace(expression=without_index(key.expression)) for key in keys]
    shown = [key.expression.label(label(place)) for place, key in enumerate(keys[:-1])]
    long = resource.long_texts
    columns = [literal("").label(one.name) if one.name in long else one for one in columns_shown(resource)]
    rows = select(*columns, *shown).select_from(resource.table)
    is_walked_far = shape.way is _Way.WALKED and shape.search is not None
    query = select(resource.table.c["id"]) if is_walked_far else rows
    query = query.where(*_conditions(unit, resource, shape, selected))
    query = query.where(*[_compared(keys[place], step, place) for place, step in enumerate(shape.steps)])
    query = query.order_by(*_ordered(keys, shape)).limit(bindparam("most")).offset(bindparam("skipped"))
    if not is_walked_far:
        return query
    # The rows that the search passes by are seen in the index only.
    keys = [key._replace(expression=without_index(key.expression)) for key in keys]
    return rows.where(resource.table.c["id"].in_(query.correlate(None))).order_by(*_ordered(keys, shape))


def _ordered(keys: Sequence[SortKey], shape: _Shape) -> list[ColumnElement[Any]]:
    return [_in_order(key, is_descending=key.is_descending is not shape.is_backward) for key in keys]


def _in_order(key: SortKey, *, is_descending: bool) -> ColumnElement[Any]:
    if key.is_nullable:
        return in_order(key.expression, is_descending=is_descending)
    return key.expression.desc() if is_descending else key.expression


def _counting(unit: Unit, resource: Resource, shape: _Shape, selected: ColumnElement[bool]) -> Select[Any]:
    """Return a query that counts."""
    some: Select[Any]
    if shape.counts is _Counts.SELECTED:
        some = select(resource.table.c["id"]).where(selected)
    elif shape.counts is _Counts.LED:
        some = found_by_lead(unit.actor)
    elif shape.counts is _Counts.PHRASE:
        some = found_by_phrase(unit.actor)
    else:
        if shape.search is not None and shape.way is _Way.SEARCHED and _counts_account(unit, resource, shape):
            return count_of_account(resource, unit.actor, shape.search)
        query = select(func.count()).select_from(resource.table)
        return query.where(*_conditions(unit, resource, shape, selected))
    return select(func.count()).select_from(some.limit(bindparam("most")).subquery())


def _conditions(
    unit: Unit, resource: Resource, shape: _Shape, selected: ColumnElement[bool]
) -> Iterator[ColumnElement[bool]]:
    """Yield the conditions of a query. It can use indexes only for the part that decides its way."""
    yield without_index(selected) if shape.way in {_Way.SEARCHED, _Way.FOUND, _Way.WALKED} else selected
    if shape.search is None:
        if shape.way is _Way.WALKED and _is_ordered_in_account(unit, resource, shape):
            yield accounts_seen(unit.actor, resource.table.c["user_id"])
        return
    if shape.way is _Way.SEARCHED:
        yield resource.table.c["id"].in_(found_by_index(resource, unit.actor, shape.search))
    elif shape.way is _Way.FOUND:
        yield among(resource.table.c["id"], bindparam(_IDS, type_=String))
    else:
        in_row = found_in_row(resource, shape.search)
        yield in_row if shape.way is _Way.FREE else without_index(in_row)
    if shape.way is _Way.WALKED and not shape.sorts and resource.table is Contact.__table__ and not unit.actor.is_admin:
        yield accounts_seen(unit.actor, resource.table.c["user_id"])


def _is_ordered_in_account(unit: Unit, resource: Resource, shape: _Shape) -> bool:
    """Return whether an index has the order of a list for the actor's account alone, without the rows of others."""
    if unit.actor.is_admin or unit.actor.role is Role.AGENT:
        return False
    first = sort_keys(resource, shape.sorts)[0].expression
    order = ["user_id", getattr(first, "key", None), "id"]
    return any([column.key for column in index.columns] == order for index in resource.table.indexes)


def _compared(key: SortKey, step: str, place: int) -> ColumnElement[bool]:
    value: Any = bindparam(_anchor(place), type_=key.expression.type)
    compared: dict[str, Callable[[], ColumnElement[bool]]] = {
        "equal": lambda: key.expression == value,
        "above": lambda: key.expression > value,
        "below": lambda: key.expression < value,
        "null": lambda: key.expression.is_(None),
        "not null": lambda: key.expression.is_not(None),
    }
    return compared[step]()
