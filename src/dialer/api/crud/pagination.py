"""Lists: filters, pages, and the links between pages.

A page is found by its number. A page that a client reached by a link is found by the id before or after it, which takes
equally long on every page.
"""

from collections.abc import AsyncIterator
from functools import partial
from typing import Any, Final
from urllib.parse import urlencode

import msgspec

from dialer.api.crud.fields import Conventions, FieldError, Integer, Kind, PhoneNumber, Stored, Text
from dialer.api.crud.filters import filters_of
from dialer.api.crud.list_queries import Asked, Part, run
from dialer.api.crud.records import shown, shown_columns
from dialer.api.crud.resource import Resource, Unit
from dialer.api.crud.urls import parse_id
from dialer.api.http.errors import Errors, InvalidError, RecordNotFoundError
from dialer.api.service import ApiRequest, Encode, Service
from dialer.domain.numbers.normal_form import normalise
from dialer.store.count_cache import count_once

PAGE_SIZE: Final = 10
PAGE_SIZE_MAX: Final = 1_000
CHUNK_SIZE: Final = 1_000
"""Records that one query of a streamed list reads."""
INVALID_PAGE: Final = "Invalid page."

_PAGING: Final = ("page", "page_size", "cursor")

Parameters = list[tuple[str, str]]


class ListSelection(msgspec.Struct, frozen=True):
    """The selection of a request to a list: filters, page, page size, and the parameters that links repeat."""

    asked: Asked
    page: int | None
    """None if the request names neither a page nor a page size."""
    page_size: int
    after: int | None
    before: int | None
    kept: tuple[tuple[str, str], ...]


class Page(msgspec.Struct):
    """One page of a list, with the URLs of the next and the previous page."""

    count: int
    next: str | None
    previous: str | None
    results: list[Any]


def parameters_of(resource: Resource) -> tuple[str, ...]:
    """Return the names of the query parameters that a list of the resource understands."""
    return (*_PAGING, *(("format",) if resource.exported else ()), *filters_of(resource))


def parse_selection(resource: Resource, parameters: Parameters, conventions: Conventions) -> ListSelection:
    """Return the records that the parameters of a request select. Unknown parameters are ignored.

    Raises:
        InvalidError: a filter has a value of the wrong type.
        RecordNotFoundError: the page is not a positive integer, or the cursor is not one of ours.
    """
    given = dict(parameters)
    asked, errors = _asked(resource, given, conventions)
    page_size = PAGE_SIZE
    try:
        page_size = min(Integer(1).parse(given.get("page_size", PAGE_SIZE), conventions), PAGE_SIZE_MAX)
    except FieldError as error:
        errors["page_size"] = [str(error)]
    if errors:
        raise InvalidError(errors)
    after, before = _cursor(given.get("cursor", ""))
    return ListSelection(
        asked=tuple(asked),
        page=_page(given.get("page", "1")) if given.keys() & {"page", "page_size"} else None,
        page_size=page_size,
        after=after,
        before=before,
        kept=tuple((name, value) for name, value in parameters if name not in _PAGING),
    )


def _asked(
    resource: Resource, given: dict[str, str], conventions: Conventions
) -> tuple[list[tuple[str, Stored]], Errors]:
    filters = filters_of(resource)
    asked: list[tuple[str, Stored]] = []
    errors: Errors = {}
    for name, text in given.items():
        if name not in filters or (text == "" and isinstance(filters[name].kind, Text)):
            continue
        try:
            value = filters[name].kind.parse(text, conventions)
            asked.append((name, _normal(filters[name].kind, value, conventions)))
        except FieldError as error:
            errors[name] = [str(error)]
    return asked, errors


def _normal(kind: Kind, value: Stored, conventions: Conventions) -> Stored:
    return normalise(value, conventions.region) if isinstance(kind, PhoneNumber) else value


def _page(text: str) -> int:
    page = parse_id(text)
    if page is None:
        raise RecordNotFoundError(INVALID_PAGE)
    return page


def _cursor(text: str) -> tuple[int | None, int | None]:
    """Return the ids after and before which the page lies.

    A cursor is `a` and the id that the page begins after, or `b` and the id that the page ends before.
    """
    if not text:
        return None, None
    anchor = parse_id(text[1:])
    if text[0] not in "ab" or anchor is None:
        raise RecordNotFoundError(INVALID_PAGE)
    return (anchor, None) if text[0] == "a" else (None, anchor)


def read_page(unit: Unit, resource: Resource, selection: ListSelection) -> Page:
    """Return one page of a resource.

    Raises:
        RecordNotFoundError: the page is past the end.
    """
    page = selection.page or 1
    count = count_once(
        unit.connection,
        (resource.path, unit.actor.view, unit.actor.sees_as, selection.asked),
        lambda: run(unit, resource, selection.asked, Part.COUNT).scalar_one(),
    )
    is_past_end = page > 1 and (page - 1) * selection.page_size >= count
    # Deleted records can move the page of a link past the last number, while records still follow the cursor.
    if is_past_end and selection.after is None:
        raise RecordNotFoundError(INVALID_PAGE)
    results, is_last = _records(unit, resource, selection, page)
    if is_past_end and not results:
        raise RecordNotFoundError(INVALID_PAGE)
    first, last = (results[0].id, results[-1].id) if results else (0, 0)
    return Page(
        count=count,
        next=None if is_last else _link(unit, resource, selection, page + 1, f"a{last}"),
        previous=_link(unit, resource, selection, page - 1, f"b{first}") if page > 1 and results else None,
        results=list(results),
    )


def _records(unit: Unit, resource: Resource, selection: ListSelection, page: int) -> tuple[list[Any], bool]:
    """Return the records of a page, and whether the page is the last one."""
    size, asked = selection.page_size, selection.asked
    if selection.before is not None:
        found = run(unit, resource, asked, Part.BEFORE, most=size, anchor=selection.before)
        return shown(unit, resource, found.all()[::-1]), False
    if selection.after is not None:
        found = run(unit, resource, asked, Part.AFTER, most=size + 1, anchor=selection.after)
    else:
        found = run(unit, resource, asked, Part.BY_NUMBER, most=size + 1, anchor=(page - 1) * size)
    rows = found.all()
    return shown(unit, resource, rows[:size]), len(rows) <= size


def _link(unit: Unit, resource: Resource, selection: ListSelection, page: int, cursor: str) -> str:
    parameters: list[tuple[str, object]] = [*selection.kept, ("page", page)]
    if selection.page_size != PAGE_SIZE:
        parameters.append(("page_size", selection.page_size))
    if page > 1:
        parameters.append(("cursor", cursor))
    return f"{unit.conventions.links.collection(resource.path)}?{urlencode(parameters)}"


async def read_chunks(
    service: Service, request: ApiRequest, resource: Resource, selection: ListSelection, encode: Encode
) -> AsyncIterator[bytes]:
    """Yield all selected records in id order, `CHUNK_SIZE` at a time, each chunk from a snapshot of its own.

    One thread job reads, shows and encodes a whole chunk, so that other requests do not wait.
    """
    after: int | None = 0
    while after is not None:
        work = partial(_chunk, resource=resource, selection=selection, after=after, encode=encode)
        chunk, after = await service.read(request, work, is_long=True)
        if chunk:
            yield chunk


def _chunk(
    unit: Unit, resource: Resource, selection: ListSelection, after: int, encode: Encode
) -> tuple[bytes, int | None]:
    """Return a chunk of encoded records, and the id after which to read on; None after the last chunk."""
    rows = run(unit, resource, selection.asked, Part.AFTER, most=CHUNK_SIZE, anchor=after).all()
    if not rows:
        return b"", None
    return encode(shown_columns(unit, resource, rows)), rows[-1].id if len(rows) == CHUNK_SIZE else None
