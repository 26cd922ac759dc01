"""The queries of lists: each is built once for each shape of request, and run with the values of the request.

Building a query takes longer than running it.
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
"""The filters of a request: the name and the value of each."""


class Part(Enum):
    """The part of a list that a query reads."""

    COUNT = "count"
    BY_NUMBER = "by number"
    AFTER = "after"
    BEFORE = "before"


class _Shape(NamedTuple):
    """The parts of a request that decide the text of its query, without the values."""

    path: str
    view: str
    filters: tuple[str, ...]
    part: Part


_kept: Final[OrderedDict[_Shape, Select[Any]]] = OrderedDict()


def run(unit: Unit, resource: Resource, asked: Asked, part: Part, **values: int) -> Any:  # noqa: ANN401 - a result of rows
    """Run the query of a part of a list.

    `values` are `most`, the limit of rows, and `anchor`: an id for `AFTER` and `BEFORE`, the number of rows to skip for
    `BY_NUMBER`.
    """
    shape = _Shape(resource.path, unit.actor.view, tuple(name for name, _ in asked), part)
    query = _kept.get(shape)
    if query is None:
        query = _kept[shape] = _query(unit, resource, shape)
        if len(_kept) > QUERIES_KEPT_MAX:
            _kept.popitem(last=False)
    filters = {_parameter(name): value for name, value in asked}
    return unit.connection.execute(query, {"actor_id": unit.actor.sees_as, **filters, **values})


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
