"""Lists: filters, pages, and the links between pages.

A page is found by its number. A page that a client reached by a link is found by the record before or after it, which
takes equally long on every page.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final
from urllib.parse import urlencode

import msgspec
from sqlalchemy import Row as Found

from dialer.domain.words.sentences import Sentence, message_of
from dialer.resources.crud.fields import Conventions, FieldError, Integer, Kind, PhoneNumber, Stored, Text
from dialer.resources.crud.filters import Filter, filters_of
from dialer.resources.crud.list_queries import Asked, count, read_rows
from dialer.resources.crud.ordering import (
    ORDERING,
    Anchor,
    CursorError,
    Sort,
    anchor_of,
    parse_ordering,
    read_cursor,
    write_cursor,
)
from dialer.resources.crud.records import shown, shown_columns
from dialer.resources.crud.resource import Resource, Unit
from dialer.resources.crud.searching import SEARCH, Search, is_searchable, parse_search
from dialer.resources.crud.shapes import Columns
from dialer.resources.crud.urls import parse_id
from dialer.resources.words.errors import Errors, InvalidError, RecordNotFoundError

PAGE_SIZE: Final = 10
VARIABLES: Final = "variables"
"""The parameter that names variables which an export as CSV has as columns."""
PAGE_SIZE_MAX: Final = 1_000
CHUNK_SIZE: Final = 1_000
"""Records that one query of a streamed list reads."""
INVALID_PAGE: Final = "Invalid page."

_PAGING: Final = ("page", "page_size", "cursor")

Parameters = list[tuple[str, str]]
Encode = Callable[[Columns], bytes]
"""Encode the columns of records."""


class ListSelection(msgspec.Struct, frozen=True):
    """The selection of a request to a list: filters, page, page size, and the parameters that links repeat."""

    criteria: Asked
    page: int | None
    """None if the request names neither a page nor a page size."""
    page_size: int
    after: Anchor | None
    before: Anchor | None
    kept: tuple[tuple[str, str], ...]
    is_export: bool = False
    """True if the records have the fields that only exports have."""


_UPPER: Final = {"after": "before", "min": "max"}
"""The upper bound of a range by its lower bound."""


class Page(msgspec.Struct):
    """One page of a list, with the URLs of the next and the previous page."""

    count: int
    next: str | None
    previous: str | None
    results: list[Any]


def parameters_of(resource: Resource) -> tuple[str, ...]:
    """Return the names of the query parameters that a list of the resource understands."""
    searched = (SEARCH,) if is_searchable(resource) else ()
    formats = ("format", VARIABLES) if resource.exported else ()
    return (*_PAGING, *formats, *searched, ORDERING, *filters_of(resource))


def parse_selection(resource: Resource, parameters: Parameters, conventions: Conventions) -> ListSelection:
    """Return what a request asks of a list: filters, search, order, page or cursor. Unknown parameters are ignored.

    Raises:
        InvalidError: a filter has a value of the wrong type, or the search or the ordering is not possible.
        RecordNotFoundError: the page is not a positive integer, or the cursor is not one of ours.
    """
    texts = dict(parameters)
    criteria, errors = parse_asked(resource, texts, conventions)
    page_size = PAGE_SIZE
    try:
        page_size = min(Integer(1).parse(texts.get("page_size", PAGE_SIZE), conventions), PAGE_SIZE_MAX)
    except FieldError as error:
        errors["page_size"] = [message_of(error)]
    if errors:
        raise InvalidError(errors)
    after, before = _cursor(resource, texts.get("cursor", ""), criteria.sorts)
    return ListSelection(
        criteria=criteria,
        page=_page(texts.get("page", "1")) if texts.keys() & {"page", "page_size"} else None,
        page_size=page_size,
        after=after,
        before=before,
        kept=tuple((name, value) for name, value in parameters if name not in _PAGING),
    )


def parse_asked(resource: Resource, texts: dict[str, str], conventions: Conventions) -> tuple[Asked, Errors]:
    """Return the filters, the search and the ordering of a request, and the errors in them."""
    filters, errors = _filters(resource, texts, conventions)
    search, sorts = _search_and_sorts(resource, texts, conventions, errors)
    return Asked(tuple(filters), search, sorts), errors


def _filters(
    resource: Resource, texts: dict[str, str], conventions: Conventions
) -> tuple[list[tuple[str, Stored]], Errors]:
    filters = filters_of(resource)
    parsed: list[tuple[str, Stored]] = []
    errors: Errors = {}
    for name, text in texts.items():
        if name not in filters or (text == "" and isinstance(filters[name].kind, Text)):
            continue
        try:
            value = filters[name].kind.parse(text, conventions)
            parsed.append((name, _normal(filters[name].kind, value, conventions)))
        except FieldError as error:
            errors[name] = [message_of(error)]
    return parsed, errors | _reversed_ranges(filters, dict(parsed))


def _reversed_ranges(filters: Mapping[str, Filter], values: Mapping[str, Stored]) -> Errors:
    """Return errors for both bounds of each range whose lower bound is above the upper one."""
    errors: Errors = {}
    for low in values:
        other = _UPPER.get(filters[low].bound)
        high = "" if other is None else f"{low.removesuffix(filters[low].bound)}{other}"
        if high in values and values[low] > values[high]:
            errors[low] = [
                Sentence("This is above %(high)s, so no record matches. Give a value up to %(high)s.", high=high)
            ]
            errors[high] = [
                Sentence("This is below %(low)s, so no record matches. Give a value from %(low)s on.", low=low)
            ]
    return errors


def _normal(kind: Kind, value: Stored, conventions: Conventions) -> Stored:
    return kind.normal_form(value, conventions) if isinstance(kind, PhoneNumber) else value


def _page(text: str) -> int:
    page = parse_id(text)
    if page is None:
        raise RecordNotFoundError(INVALID_PAGE)
    return page


def _search_and_sorts(
    resource: Resource, texts: dict[str, str], conventions: Conventions, errors: Errors
) -> tuple[Search | None, tuple[Sort, ...]]:
    """Return the search and the ordering of a request, and add their errors."""
    search: Search | None = None
    sorts: tuple[Sort, ...] = ()
    try:
        if is_searchable(resource):
            search = parse_search(texts.get(SEARCH, ""), conventions)
    except FieldError as error:
        errors[SEARCH] = [message_of(error)]
    try:
        sorts = parse_ordering(resource, texts.get(ORDERING, ""))
    except FieldError as error:
        errors[ORDERING] = [message_of(error)]
    return search, sorts


def _cursor(resource: Resource, text: str, sorts: tuple[Sort, ...]) -> tuple[Anchor | None, Anchor | None]:
    """Return the places after and before which the page lies.

    A cursor is `a` and the place that the page begins after, or `b` and the place that the page ends before.
    """
    if not text:
        return None, None
    try:
        anchor = read_cursor(resource, text[1:], sorts)
    except CursorError:
        raise RecordNotFoundError(INVALID_PAGE) from None
    if text[0] not in "ab":
        raise RecordNotFoundError(INVALID_PAGE)
    return (anchor, None) if text[0] == "a" else (None, anchor)


def read_page(unit: Unit, resource: Resource, selection: ListSelection) -> Page:
    """Return one page of a resource.

    Raises:
        RecordNotFoundError: the page is past the end.
    """
    page = selection.page or 1
    counted = count(unit, resource, selection.criteria)
    is_past_end = page > 1 and (page - 1) * selection.page_size >= counted
    # Deleted records can move the page of a link past the last number, while records still follow the cursor.
    if is_past_end and selection.after is None:
        raise RecordNotFoundError(INVALID_PAGE)
    rows, is_last = _rows(unit, resource, selection, page)
    if is_past_end and not rows:
        raise RecordNotFoundError(INVALID_PAGE)
    first, last = (_place(rows[0], selection, "b"), _place(rows[-1], selection, "a")) if rows else ("", "")
    return Page(
        count=counted,
        next=None if is_last else _link(unit, resource, selection, page + 1, last),
        previous=_link(unit, resource, selection, page - 1, first) if page > 1 and rows else None,
        results=list(shown(unit, resource, rows)),
    )


def _place(row: Found[Any], selection: ListSelection, side: str) -> str:
    return write_cursor(side, anchor_of(row, selection.criteria.sorts))


def _rows(unit: Unit, resource: Resource, selection: ListSelection, page: int) -> tuple[Sequence[Found[Any]], bool]:
    """Return the rows of a page, and whether the page is the last one."""
    size, criteria = selection.page_size, selection.criteria
    if selection.before is not None:
        return read_rows(unit, resource, criteria, most=size, anchor=selection.before, is_backward=True)[::-1], False
    if selection.after is not None:
        rows = read_rows(unit, resource, criteria, most=size + 1, anchor=selection.after)
    else:
        rows = read_rows(unit, resource, criteria, most=size + 1, skipped=(page - 1) * size)
    return rows[:size], len(rows) <= size


def _link(unit: Unit, resource: Resource, selection: ListSelection, page: int, cursor: str) -> str:
    parameters: list[tuple[str, object]] = [*selection.kept, ("page", page)]
    if selection.page_size != PAGE_SIZE:
        parameters.append(("page_size", selection.page_size))
    if page > 1:
        parameters.append(("cursor", cursor))
    return f"{unit.conventions.links.collection(resource.path)}?{urlencode(parameters)}"


def read_chunk(
    unit: Unit, resource: Resource, selection: ListSelection, after: Anchor | None, encode: Encode
) -> tuple[bytes, Anchor | None]:
    """Return the next `CHUNK_SIZE` records, encoded, and the place after which to go on; None after the last chunk."""
    criteria = selection.criteria
    rows = read_rows(unit, resource, criteria, most=CHUNK_SIZE, anchor=after)
    if not rows:
        return b"", None
    following = anchor_of(rows[-1], criteria.sorts) if len(rows) == CHUNK_SIZE else None
    is_left_out = resource.is_left_out if selection.is_export else None
    if is_left_out is not None and not (rows := [row for row in rows if not is_left_out(row)]):
        return b"", following
    columns, beside = shown_columns(unit, resource, rows), resource.exported_beside
    if selection.is_export and beside is not None:
        columns = [*columns, *beside.values(unit, [row.id for row in rows])]
    return encode(columns), following
