"""Lists: filters, pages, and the links between them.

A page is found by its number, or, when a link of ours was followed, by the id it begins after or ends before: that
costs the same on every page.
"""

from collections.abc import AsyncIterator, Callable
from functools import lru_cache, partial
from typing import Any, Final
from urllib.parse import urlencode

import msgspec
from sqlalchemy import Column, ColumnElement, Function, Select, Table, func, select

from dialer.api.crud import shown
from dialer.api.errors import Errors, InvalidError, RecordNotFoundError
from dialer.api.fields import (
    Conventions,
    FieldError,
    Identity,
    Integer,
    Kind,
    PhoneNumber,
    Reference,
    Stored,
    Text,
    Timestamp,
)
from dialer.api.links import parse_id
from dialer.api.resource import Resource, Unit, column_of, references_of, table_of
from dialer.api.service import ApiRequest, Service
from dialer.api.shapes import Shape, fields_of
from dialer.api.visibility import visible
from dialer.domain.numbers import normalise

PAGE_SIZE: Final = 10
PAGE_SIZE_MAX: Final = 1_000
CHUNK_SIZE: Final = 1_000
"""Records that a streamed list reads at once."""
INVALID_PAGE: Final = "Invalid page."

_AFTER: Final = "_after"
_BEFORE: Final = "_before"
_PAGING: Final = ("page", "page_size", "cursor")

Parameters = list[tuple[str, str]]


class Filter(msgspec.Struct, frozen=True):
    """One parameter that narrows a list: how its value is read, and the condition it becomes."""

    kind: Kind
    condition: Callable[[Any], ColumnElement[bool]]


class Selection(msgspec.Struct, frozen=True):
    """What a request asks of a list: conditions, which page of what size, and the parameters that links repeat."""

    conditions: tuple[ColumnElement[bool], ...]
    page: int | None
    page_size: int
    after: int | None
    before: int | None
    kept: tuple[tuple[str, str], ...]


class Page(msgspec.Struct):
    """One page of a list, with the URLs of its neighbours."""

    count: int
    next: str | None
    previous: str | None
    results: list[Any]


@lru_cache(maxsize=256)
def filters_of(resource: Resource) -> dict[str, Filter]:
    """The filters of a resource by the names of their parameters."""
    kinds = {field.name: field.kind for field in fields_of(resource.read)}
    found = {name: _filter(resource, name, kinds) for name in resource.filters}
    for name, kind in references_of(resource.read).items():
        parameter = name if name.endswith("_id") else f"{name}_id"
        found[parameter] = Filter(Identity(), _reference_condition(resource, name, kind))
    return found


def _filter(resource: Resource, name: str, kinds: dict[str, Kind]) -> Filter:
    for suffix in (_AFTER, _BEFORE):
        field = name.removesuffix(suffix)
        if field != name and isinstance(kinds[field], Timestamp):
            return _bound(resource.table.c[field], suffix)
    kind = kinds[name]
    column = column_of(resource.table, name, kind)
    if column is None:
        raise TypeError(f"{name} cannot be filtered by equality")
    if isinstance(kind, PhoneNumber):
        return Filter(kind, _number_condition(resource, column))
    if isinstance(kind, Integer):
        return Filter(Identity(minimum=0), lambda value: column == value)
    return Filter(kind, lambda value: column == value)


def _bound(column: Column[Any], suffix: str) -> Filter:
    if suffix == _AFTER:
        return Filter(Timestamp(), lambda value: column >= value)
    return Filter(Timestamp(), lambda value: column <= value)


def _number_condition(resource: Resource, column: Column[Any]) -> Callable[[Any], ColumnElement[bool]]:
    """Numbers are compared in normal form where there is one beside them."""
    if "number" in resource.table.c:
        return lambda value: resource.table.c["number"] == value
    return lambda value: column == value


def _reference_condition(resource: Resource, name: str, kind: Reference) -> Callable[[Any], ColumnElement[bool]]:
    column = column_of(resource.table, name, kind)
    if column is not None:
        return lambda value: column == value
    association = resource.association(name)
    table = table_of(association.model)
    owner, target = table.c[association.owner], table.c[association.target]
    return lambda value: resource.table.c["id"].in_(select(owner).where(target == value))


def parse_selection(resource: Resource, parameters: Parameters, conventions: Conventions) -> Selection:
    """What the parameters of a request select; those that are unknown are none of a list's business.

    Raises:
        InvalidError: a filter has a value of the wrong type.
        RecordNotFoundError: the page is no positive integer.
    """
    given = dict(parameters)
    conditions, errors = _conditions(resource, given, conventions)
    page_size = PAGE_SIZE
    try:
        page_size = min(Integer(1).parse(given.get("page_size", PAGE_SIZE), conventions), PAGE_SIZE_MAX)
    except FieldError as error:
        errors["page_size"] = [str(error)]
    if errors:
        raise InvalidError(errors)
    after, before = _cursor(given.get("cursor", ""))
    return Selection(
        conditions=tuple(conditions),
        page=_page(given["page"]) if "page" in given else None,
        page_size=page_size,
        after=after,
        before=before,
        kept=tuple((name, value) for name, value in parameters if name not in _PAGING),
    )


def _conditions(
    resource: Resource, given: dict[str, str], conventions: Conventions
) -> tuple[list[ColumnElement[bool]], Errors]:
    filters = filters_of(resource)
    conditions: list[ColumnElement[bool]] = []
    errors: Errors = {}
    for name, text in given.items():
        if name not in filters or (text == "" and isinstance(filters[name].kind, Text)):
            continue
        try:
            value = filters[name].kind.parse(text, conventions)
            conditions.append(filters[name].condition(_normal(filters[name].kind, value, conventions)))
        except FieldError as error:
            errors[name] = [str(error)]
    return conditions, errors


def _normal(kind: Kind, value: Stored, conventions: Conventions) -> Stored:
    return normalise(value, conventions.region) if isinstance(kind, PhoneNumber) else value


def _page(text: str) -> int:
    page = parse_id(text)
    if page is None:
        raise RecordNotFoundError(INVALID_PAGE)
    return page


def _cursor(text: str) -> tuple[int | None, int | None]:
    """A cursor is `a` and the id that the page begins after, or `b` and the id it ends before."""
    if not text:
        return None, None
    anchor = parse_id(text[1:])
    if text[0] not in "ab" or anchor is None:
        raise RecordNotFoundError(INVALID_PAGE)
    return (anchor, None) if text[0] == "a" else (None, anchor)


def read_page(unit: Unit, resource: Resource, selection: Selection) -> Page:
    """One page of a resource.

    Raises:
        RecordNotFoundError: the page is past the end.
    """
    page = selection.page or 1
    count = unit.connection.execute(_selected(unit, resource, selection, func.count())).scalar_one()
    if page > 1 and (page - 1) * selection.page_size >= count:
        raise RecordNotFoundError(INVALID_PAGE)
    results, is_last = _records(unit, resource, selection, page)
    first, last = (results[0].id, results[-1].id) if results else (0, 0)
    return Page(
        count=count,
        next=None if is_last else _link(unit, resource, selection, page + 1, f"a{last}"),
        previous=_link(unit, resource, selection, page - 1, f"b{first}") if page > 1 and results else None,
        results=list(results),
    )


def _selected(unit: Unit, resource: Resource, selection: Selection, what: Table | Function[int]) -> Select[Any]:
    condition = visible(resource, unit.actor, unit.resources)
    return select(what).select_from(resource.table).where(condition, *selection.conditions)


def _records(unit: Unit, resource: Resource, selection: Selection, page: int) -> tuple[list[Any], bool]:
    """The records of a page, and whether it is the last one."""
    size = selection.page_size
    identity = resource.table.c["id"]
    query = _selected(unit, resource, selection, resource.table).limit(size + 1)
    if selection.before is not None:
        backwards = query.where(identity < selection.before).order_by(identity.desc())
        rows = unit.connection.execute(backwards).mappings().all()[:size]
        return shown(unit, resource, rows[::-1]), False
    query = query.order_by(identity)
    by_number = selection.after is None
    query = query.offset((page - 1) * size) if by_number else query.where(identity > selection.after)
    rows = unit.connection.execute(query).mappings().all()
    return shown(unit, resource, rows[:size]), len(rows) <= size


def _link(unit: Unit, resource: Resource, selection: Selection, page: int, cursor: str) -> str:
    parameters: list[tuple[str, object]] = [*selection.kept, ("page", page)]
    if selection.page_size != PAGE_SIZE:
        parameters.append(("page_size", selection.page_size))
    if page > 1:
        parameters.append(("cursor", cursor))
    return f"{unit.conventions.links.collection(resource.path)}?{urlencode(parameters)}"


async def read_chunks(
    service: Service, request: ApiRequest, resource: Resource, selection: Selection
) -> AsyncIterator[list[Shape]]:
    """All that is selected in id order, a thousand records at a time, each time from a snapshot of its own."""
    after = 0
    while True:
        work = partial(_chunk, resource=resource, selection=selection, after=after)
        chunk, after = await service.read(request, work)
        if chunk:
            yield chunk
        if len(chunk) < CHUNK_SIZE:
            return


def _chunk(unit: Unit, resource: Resource, selection: Selection, after: int) -> tuple[list[Shape], int]:
    identity = resource.table.c["id"]
    query = _selected(unit, resource, selection, resource.table).where(identity > after)
    rows = unit.connection.execute(query.order_by(identity).limit(CHUNK_SIZE)).mappings().all()
    return shown(unit, resource, rows), rows[-1]["id"] if rows else after
