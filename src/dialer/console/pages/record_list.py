"""Lists of records: searched, ordered, and limited to those that belong to a record."""

from collections.abc import Mapping, Sequence
from datetime import tzinfo
from functools import partial
from typing import Any, Final, NamedTuple
from urllib.parse import urlencode, urlsplit

import msgspec
from litestar import Response, get
from litestar.params import FromPath
from sqlalchemy import func, select

from dialer.api.answers.list_chunks import read_chunks
from dialer.api.service import ApiRequest
from dialer.console.parts.agent_states import cells_of_agents
from dialer.console.parts.audit_filters import FILTERS, AuditFilters, audit_filters, record_asked
from dialer.console.parts.audit_words import AUDIT_LOG, with_audit_words
from dialer.console.parts.cells import Cell, rows_of
from dialer.console.parts.inputs import with_offset
from dialer.console.parts.line_states import cells_of_lines
from dialer.console.parts.record_rights import checked, may, may_read, shown_page
from dialer.console.parts.rendering import grouped
from dialer.console.parts.zones import zone_of
from dialer.console.serving.services import page
from dialer.console.words.carrier_kinds import CARRIERS
from dialer.console.words.catalogue import PAGES, RECORDS, RecordPage, Within, tabs_of
from dialer.console.words.field_titles import title_of
from dialer.console.words.language import gettext
from dialer.console.words.record_names import names_of
from dialer.domain.words.roles import Permission
from dialer.resources.crud.pagination import parse_selection, read_page
from dialer.resources.crud.resource import Resource, Unit, references_of
from dialer.resources.crud.searching import SEARCH, is_searchable
from dialer.resources.crud.urls import parse_id
from dialer.resources.records.contact_rules import CONTACT_RULES, IS_LAW
from dialer.resources.records.queues import AGENTS
from dialer.resources.words.errors import RecordNotFoundError
from dialer.store.queries.law_switch import LawState, law_states

ROWS: Final = 50
ORDERING: Final = "ordering"
CSV_FILE: Final = "csv"
_ID: Final = "_id"
_MOMENTS: Final = ("_date_after", "_date_before")
"""The ends of the names of parameters that are moments."""
_PAGING: Final = frozenset({"page", "cursor", "page_size"})


class Column(NamedTuple):
    """The head of a column; `url` orders the list by it."""

    title: str
    url: str = ""
    order: str = ""
    """`ascending` or `descending`, if the list is ordered by the column."""


class Owner(NamedTuple):
    """The record to which all records of a list belong."""

    name: str
    url: str


class Found(NamedTuple):
    """A page of a list."""

    ids: list[int]
    rows: list[list[Cell]]
    total: int
    next: str
    previous: str
    owners: list[Owner]
    filters: AuditFilters | None = None
    """The form of filters, which only the audit log has."""
    law: Sequence[LawState] = ()
    """The rows of law, which only the contact rules have."""


@get("/records/{path:str}", media_type="text/html")
async def show_records(request: ApiRequest, path: FromPath[str]) -> Response[Any]:
    """Show a page of a list of records."""
    found = shown_page(request, path)
    resource = checked(request, found, "GET")
    given = _given(request, resource)
    asked = {ORDERING: found.ordering, **given} if found.ordering else given
    zone = zone_of(request)
    # Rows of law have a table of their own on the page.
    without_law = {IS_LAW: "false"} if found.path == CONTACT_RULES.path else {}
    parameters = [*_filters(resource, {**asked, **without_law, "page_size": str(ROWS)}, zone)]
    selection = parse_selection(resource, parameters, request.service.conventions(request))

    def read(unit: Unit) -> Found:
        listed = read_page(unit, resource, selection)
        ids = [record.id for record in listed.results]
        rows = rows_of(unit, resource, found.columns, listed.results, zone)
        if found.path == AUDIT_LOG:
            rows = with_audit_words(unit, listed.results, found.columns, rows, zone)
        if found.path in CARRIERS:
            rows = _with_column(found, rows, "line_down", cells_of_lines(unit, CARRIERS[found.path], ids))
        if found.path == AGENTS.path:
            rows = _with_column(found, rows, "status", cells_of_agents(unit, ids))
        return Found(
            ids,
            _with_sizes(unit, found.within[0], ids, rows) if found.counts else rows,
            listed.count,
            _here(found, listed.next),
            _here(found, listed.previous),
            _owners(unit, resource, given),
            audit_filters(unit, given, zone) if found.path == AUDIT_LOG else None,
            law_states(unit.connection) if found.path == CONTACT_RULES.path else (),
        )

    return page(
        request,
        "records.html",
        found.place,
        shown=found,
        tabs=[one for one in tabs_of(found.place) if may_read(request, one)],
        listed=await request.service.read(request, read),
        columns=_columns(found, resource, asked),
        search=given.get(SEARCH, ""),
        is_searchable=is_searchable(resource),
        kept=[(name, value) for name, value in given.items() if name not in {SEARCH, "page", "cursor", "page_size"}],
        filter_names=FILTERS,
        is_narrowed=bool(given.keys() - {"page", "cursor", ORDERING}),
        new_url=_new_url(request, found, resource, given),
        export_url=f"/console/records/{path}/export/?{urlencode({**given, 'format': CSV_FILE})}"
        if resource.exported
        else "",
    )


@get("/records/{path:str}/export", media_type="text/csv")
async def export_records(request: ApiRequest, path: FromPath[str]) -> Response[Any]:
    """Send all records of a list as CSV, in its order and as far as it is narrowed down."""
    found, service = shown_page(request, path), request.service
    resource = checked(request, found, "GET")
    given = {name: value for name, value in _given(request, resource).items() if name not in _PAGING}
    asked = {ORDERING: found.ordering, **given} if found.ordering else given
    selection = parse_selection(resource, _filters(resource, asked, zone_of(request)), service.conventions(request))
    selection = msgspec.structs.replace(selection, is_export=True)
    rows = partial(read_chunks, service, request, resource, selection)
    exported = await service.export(request, resource, rows) if resource.exported else None
    if exported is None:
        raise RecordNotFoundError("There is no such page.")
    return exported


def _given(request: ApiRequest, resource: Resource) -> dict[str, str]:
    """Return the parameters of an address. Those that name a record have the name of its field."""
    fields = references_of(resource.read)
    given = {name: value for name, value in request.query_params.items() if value}
    return {field if (field := name.removesuffix(_ID)) in fields else name: value for name, value in given.items()}


def _filters(resource: Resource, given: Mapping[str, str], zone: tzinfo) -> list[tuple[str, str]]:
    """Return parameters as the API spells them: it filters by `campaign_id` where the field is `campaign`.

    A moment without an offset is one of the viewer's zone.
    """
    fields = references_of(resource.read)
    return [
        (f"{name}{_ID}" if name in fields else name, with_offset(value, zone) if name.endswith(_MOMENTS) else value)
        for name, value in given.items()
    ]


def _new_url(request: ApiRequest, found: RecordPage, resource: Resource, given: Mapping[str, str]) -> str:
    """Return the address of the form for a new record, which knows to what the list belongs; empty if there is none."""
    if found.new:
        return found.new if request.user.may(Permission.CAMPAIGNS) else ""
    if not may(request, resource, "POST"):
        return ""
    belongs = {name: value for name, value in given.items() if name in references_of(resource.read)}
    return f"/console/records/{found.path}/new/{f'?{urlencode(belongs)}' if belongs else ''}"


def _here(found: RecordPage, url: str | None) -> str:
    """Return the address of a page in the console from the one in the API; empty if there is no such page."""
    return "" if url is None else f"/console/records/{found.path}/?{urlsplit(url).query}"


def _with_column(found: RecordPage, rows: list[list[Cell]], name: str, cells: list[Cell]) -> list[list[Cell]]:
    """Return rows with other cells in the column of a field: those of a state at this moment."""
    place = found.columns.index(name)
    return [[*row[:place], cell, *row[place + 1 :]] for row, cell in zip(rows, cells, strict=True)]


def _with_sizes(unit: Unit, within: Within, ids: list[int], rows: list[list[Cell]]) -> list[list[Cell]]:
    """Return rows with a second cell: the number of records that belong to each record, as a link to them."""
    column = unit.resources[within.path].table.c[f"{within.field}_id"]
    query = select(column, func.count()).where(column.in_(ids)).group_by(column)
    sizes: dict[int, int] = dict(unit.connection.execute(query).all())
    url = f"{RECORDS}{within.path}/?{within.field}="
    cells = [Cell(grouped(sizes.get(identity, 0)), f"{url}{identity}", is_number=True) for identity in ids]
    return [[row[0], cell, *row[1:]] for row, cell in zip(rows, cells, strict=True)]


def _columns(found: RecordPage, resource: Resource, asked: Mapping[str, str]) -> list[Column]:
    columns = [_column(found, resource, name, asked) for name in found.columns]
    return [columns[0], Column(gettext(found.within[0].title)), *columns[1:]] if found.counts else columns


def _column(found: RecordPage, resource: Resource, name: str, given: Mapping[str, str]) -> Column:
    title = gettext(title_of(found.path, name))
    if name not in resource.orderings:
        return Column(title)
    order = {name: "ascending", f"-{name}": "descending"}.get(given.get(ORDERING, ""), "")
    kept = {key: value for key, value in given.items() if key not in {"page", "cursor", "page_size"}}
    query = urlencode({**kept, ORDERING: f"-{name}" if order == "ascending" else name})
    return Column(title, f"/console/records/{found.path}/?{query}", order)


def _owners(unit: Unit, resource: Resource, given: Mapping[str, str]) -> list[Owner]:
    """Return the records that the address names, of those that the viewer may see."""
    named = [
        (kind.path, int(given[name]))
        for name, kind in references_of(resource.read).items()
        if kind.path in PAGES and parse_id(given.get(name, "")) is not None
    ]
    asked = record_asked(given) if resource.path == AUDIT_LOG else None
    named += [] if asked is None else [asked]
    return [
        Owner(known, f"{PAGES[path].record_url}{identity}/")
        for path, identity in named
        for known in names_of(unit, path, [identity]).values()
    ]
