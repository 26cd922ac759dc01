"""The queries of a list: put together once for each shape that requests have, and run with their values.

To put a query together takes longer than to run it.
"""

from collections import OrderedDict
from enum import Enum
from typing import Any, Final, NamedTuple

from sqlalchemy import BindParameter, Select, bindparam, func, select

from dialer.api.crud.fields import Stored
from dialer.api.crud.filters import filters_of
from dialer.api.crud.records import columns_shown
from dialer.api.crud.resource import Resource, Unit
from dialer.api.crud.visibility import visible

QUERIES_KEPT_MAX: Final = 1_000
Asked = tuple[tuple[str, Stored], ...]
"""The filters of a request, and the values that they are to have."""


class Part(Enum):
    """What is asked of a list."""

    COUNT = "count"
    BY_NUMBER = "by number"
    AFTER = "after"
    BEFORE = "before"


class _Shape(NamedTuple):
    """What two requests have in common that run the same query."""

    path: str
    is_admin: bool
    filters: tuple[str, ...]
    part: Part


_kept: Final[OrderedDict[_Shape, Select[Any]]] = OrderedDict()


def run(unit: Unit, resource: Resource, asked: Asked, part: Part, **values: int) -> Any:  # noqa: ANN401 - a result of rows
    """The result of a part's query; `values` are `most` rows from `anchor` on, which is an id, or a row's place."""
    shape = _Shape(resource.path, unit.actor.is_admin, tuple(name for name, _ in asked), part)
    query = _kept.get(shape)
    if query is None:
        query = _kept[shape] = _query(unit, resource, shape)
        if len(_kept) > QUERIES_KEPT_MAX:
            _kept.popitem(last=False)
    filters = {_parameter(name): value for name, value in asked}
    return unit.connection.execute(query, {"actor_id": unit.actor.id, **filters, **values})


def _parameter(name: str) -> str:
    return f"filter_{name}"


def _query(unit: Unit, resource: Resource, shape: _Shape) -> Select[Any]:
    filters, table = filters_of(resource), resource.table
    given = [filters[name].condition(bindparam(_parameter(name))) for name in shape.filters]
    is_theirs = visible(resource, unit.actor, unit.resources)
    what = (func.count(),) if shape.part is Part.COUNT else columns_shown(resource)
    query: Select[Any] = select(*what).select_from(table).where(is_theirs, *given)
    if shape.part is Part.COUNT:
        return query
    identity = table.c["id"]
    anchor: BindParameter[int] = bindparam("anchor")
    query = query.limit(bindparam("most"))
    if shape.part is Part.BEFORE:
        return query.where(identity < anchor).order_by(identity.desc())
    query = query.order_by(identity)
    return query.offset(anchor) if shape.part is Part.BY_NUMBER else query.where(identity > anchor)
