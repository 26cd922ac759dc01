"""One record: a form with its fields, and the buttons that create, change and delete it."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, Final, NamedTuple
from urllib.parse import urlencode

from litestar import Response, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath

from dialer.api.crud import records
from dialer.api.crud.resource import Resource, Unit, Values
from dialer.api.crud.shapes import Field, Given, Shape, fields_of, parse_given
from dialer.api.crud.urls import parse_id
from dialer.api.http.errors import Errors, InvalidError, RecordNotFoundError
from dialer.api.http.preconditions import UNCONDITIONAL, PreconditionFailedError, if_version
from dialer.api.service import ApiRequest
from dialer.app.accounts.api_keys import revoke_api_keys
from dialer.app.errors import InvalidFieldsError, RefusedError, StillUsedError
from dialer.console.catalogue import RECORDS, RecordPage
from dialer.console.cells import Cell, id_in, rows_of
from dialer.console.confirmations import doubt_of
from dialer.console.field_titles import title_of
from dialer.console.forms import FIELD, read_fields
from dialer.console.inputs import Input, inputs_of, members_of, refilled
from dialer.console.pages.records import checked, may, may_read, shown_page
from dialer.console.proposals import proposed
from dialer.console.record_names import name_column, names_of, options_of
from dialer.console.services import ConsoleServices, go_to, page
from dialer.console.zones import zone_of
from dialer.domain.states import IllegalMoveError

VERSION: Final = "version"
"""The field of a form with the version of the record that it shows."""
CHANGED: Final = "Somebody has changed this record since you opened it. Load the page again, and repeat your change."
USERS: Final = "users"
KEEP_KEYS: Final = "keep_keys"
"""The field of a form that keeps the API keys of a user who gets a new password."""
CONFIRMED: Final = frozenset({"api-key"})
"""Records that are created only with the password of the session's user."""
NOT_FORMS: Final = frozenset({"user", "is_assigned"})
"""Fields that only admins find in forms: the owner is the viewer, and admins assign numbers."""


class Shown(NamedTuple):
    """A record as its page shows it."""

    name: str
    inputs: list[Input]
    facts: list[tuple[str, Cell]]
    """The fields that nobody writes, with their titles."""
    version: str
    waits_for: str = ""
    """The account to which an admin has yet to assign a number for calls in; empty if nothing waits."""


class Wrong(NamedTuple):
    """A form that was refused: what was filled in, the errors by field, and messages about the whole."""

    filled: Mapping[str, str]
    errors: Errors
    messages: list[str]
    status: HTTPStatus


@get("/records/{path:str}/new", media_type="text/html")
async def show_new_record(request: ApiRequest, path: FromPath[str]) -> Response[Any]:
    """Show the form for a new record. Values in the address are filled in."""
    return await _show_new(request, shown_page(request, path), None)


@post("/records/{path:str}", media_type="text/html")
async def create_record(
    request: ApiRequest, path: FromPath[str], console: NamedDependency[ConsoleServices]
) -> Response[Any]:
    """Create a record."""
    found, filled = shown_page(request, path), await read_fields(request)
    resource = checked(request, found, "POST")
    doubt = await doubt_of(request, console, filled) if found.path in CONFIRMED else None
    if doubt is not None:
        refused = await _show_new(request, found, Wrong(filled, {}, [doubt.message], doubt.status))
        refused.headers.update(doubt.headers)
        return refused
    parsed = await records.prepared(
        resource, parse_given(_shape(resource), _given(request, resource, filled), request.service.conventions(request))
    )
    try:
        created = await request.service.write(request, lambda unit: records.create_record(unit, resource, parsed))
    except _REFUSALS as error:
        return await _show_new(request, found, _wrong(error, filled))
    url = _url(found, created.record_id)
    if created.revealed:
        return page(request, "revealed.html", found.place, shown=found, revealed=created.revealed, url=url)
    return go_to(url)


@get("/records/{path:str}/{record_id:str}", media_type="text/html")
async def show_record(request: ApiRequest, path: FromPath[str], record_id: FromPath[str]) -> Response[Any]:
    """Show a record."""
    return await _show(request, shown_page(request, path), identity_in(record_id), None)


@post("/records/{path:str}/{record_id:str}", media_type="text/html")
async def change_record(request: ApiRequest, path: FromPath[str], record_id: FromPath[str]) -> Response[Any]:
    """Change a record, if it still is as the form showed it."""
    found, identity, filled = shown_page(request, path), identity_in(record_id), await read_fields(request)
    resource = checked(request, found, "PATCH")
    given = _given(request, resource, filled)
    parsed = await records.prepared(
        resource, parse_given(_shape(resource), given, request.service.conventions(request))
    )
    condition = if_version(filled[VERSION]) if filled.get(VERSION) else UNCONDITIONAL

    def change(unit: Unit) -> None:
        records.change_record(unit, resource, identity, parsed, condition)
        if found.path == USERS and filled.get("password") and KEEP_KEYS not in filled:
            revoke_api_keys(unit, identity)

    try:
        await request.service.write(request, change)
    except _REFUSALS as error:
        return await _show(request, found, identity, _wrong(error, filled))
    return go_to(f"{_url(found, identity, is_form=True)}?saved=1")


@post("/records/{path:str}/{record_id:str}/delete", media_type="text/html")
async def delete_record(request: ApiRequest, path: FromPath[str], record_id: FromPath[str]) -> Response[Any]:
    """Delete a record."""
    found, identity, filled = shown_page(request, path), identity_in(record_id), await read_fields(request)
    resource = checked(request, found, "DELETE")
    try:
        await request.service.write(request, lambda unit: records.delete_record(unit, resource, identity))
    except _REFUSALS as error:
        return await _show(request, found, identity, _wrong(error, {FIELD: filled[FIELD]}))
    return go_to(found.url)


_REFUSALS: Final = (
    InvalidError,
    InvalidFieldsError,
    IllegalMoveError,
    PreconditionFailedError,
    RefusedError,
    StillUsedError,
)
"""The errors that a page shows beside its form."""


def _wrong(error: Exception, filled: Mapping[str, str]) -> Wrong:
    if isinstance(error, (InvalidError, InvalidFieldsError)):
        shown = {name: messages for name, messages in error.errors.items() if name in filled}
        besides = [f"{name}: {' '.join(messages)}" for name, messages in error.errors.items() if name not in filled]
        return Wrong(filled, shown, besides, HTTPStatus.BAD_REQUEST)
    text = CHANGED if isinstance(error, PreconditionFailedError) else str(error)
    return Wrong(filled, {}, [text], HTTPStatus.CONFLICT)


async def _show_new(request: ApiRequest, found: RecordPage, wrong: Wrong | None) -> Response[Any]:
    resource = checked(request, found, "POST")
    given = _given(request, resource, request.query_params)
    start = parse_given(_shape(resource), given, request.service.conventions(request)).values

    def read(unit: Unit) -> list[Input]:
        computed = {} if resource.defaults is None else resource.defaults(unit, start)
        return _inputs(request, unit, found, resource, {**proposed(found.path, computed), **start})

    shown = Shown(f"New {found.one}", await request.service.read(request, read), [], "")
    return _page(request, found, shown, wrong, identity=None, is_editable=True)


async def _show(request: ApiRequest, found: RecordPage, identity: int, wrong: Wrong | None) -> Response[Any]:
    resource = checked(request, found, "GET")
    is_editable = may(request, resource, "PATCH")

    def read(unit: Unit) -> Shown:
        record = records.read_record(unit, resource, identity)
        inputs: list[Input] = []
        version = ""
        if is_editable:
            inputs = _inputs(request, unit, found, resource, records.load(unit, resource, identity))
            version = records.tag_of(unit, resource, identity).version
        named = name_column(resource)
        name = getattr(record, named.name, None) if named is not None else None
        is_input = {one.name for one in inputs}
        facts = _facts(request, unit, found, record, is_input)
        return Shown(str(name or f"No. {identity}"), inputs, facts, version, _account_waiting(unit, record))

    shown = await request.service.read(request, read)
    return _page(request, found, shown, wrong, identity=identity, is_editable=is_editable)


def _page(
    request: ApiRequest,
    found: RecordPage,
    shown: Shown,
    wrong: Wrong | None,
    *,
    identity: int | None,
    is_editable: bool,
) -> Response[Any]:
    resource = request.service.resources[found.path]
    inputs = shown.inputs
    if wrong is not None:
        inputs = [
            refilled(one, wrong.filled, " ".join(wrong.errors.get(one.name, ()))) if one.name in wrong.filled else one
            for one in inputs
        ]
    main = [one for name in found.main for one in inputs if one.name == name] or inputs
    more = [one for one in inputs if one not in main]
    return page(
        request,
        "record.html",
        found.place,
        HTTPStatus.OK if wrong is None else wrong.status,
        shown=found,
        record=shown,
        identity=identity,
        url=f"/console/records/{found.path}/" if identity is None else _url(found, identity, is_form=True),
        main=main,
        more=more,
        is_open=any(one.error for one in more),
        messages=[] if wrong is None else wrong.messages,
        is_editable=is_editable,
        chosen=request.query_params if wrong is None else wrong.filled,
        is_saved="saved" in request.query_params and wrong is None,
        is_confirmed=identity is None and found.path in CONFIRMED,
        may_reset=found.path == USERS and identity not in {None, request.user.id} and request.user.is_admin,
        may_delete=identity is not None and may(request, resource, "DELETE"),
        within=[] if identity is None else _within(request, found, identity),
    )


def _within(request: ApiRequest, found: RecordPage, identity: int) -> list[tuple[str, str]]:
    """Return the titles and addresses of the lists of what belongs to a record."""
    return [
        (one.title, f"/console/records/{one.path}/?{urlencode({one.field: identity})}")
        for one in found.within
        if may_read(request, shown_page(request, one.path))
    ]


def _account_waiting(unit: Unit, record: Shape) -> str:
    """Return the name of the account to which an admin has yet to assign a number; empty for every other record."""
    if getattr(record, "is_assigned", True):
        return ""
    user_id = id_in(str(getattr(record, "user", "")))
    return names_of(unit, USERS, [user_id]).get(user_id, f"No. {user_id}")


def _inputs(request: ApiRequest, unit: Unit, found: RecordPage, resource: Resource, stored: Values) -> list[Input]:
    fields = _fields(request, resource)
    zone = zone_of(request)
    return list(inputs_of(found.path, fields, stored, lambda path: options_of(unit, path), zone))


def _facts(
    request: ApiRequest, unit: Unit, found: RecordPage, record: Shape, besides: set[str]
) -> list[tuple[str, Cell]]:
    resource = request.service.resources[found.path]
    zone = zone_of(request)
    names = [field.name for field in fields_of(resource.read) if field.name not in besides | {"id", "url"}]
    cells = rows_of(unit, resource, names, [record], zone)[0]
    return [(title_of(found.path, name), cell) for name, cell in zip(names, cells, strict=True)]


def _shape(resource: Resource) -> type[Shape]:
    if resource.write is None:
        raise RecordNotFoundError("These records are only read.")
    return resource.write


def _fields(request: ApiRequest, resource: Resource) -> dict[str, Field]:
    """Return the fields that the viewer finds in forms."""
    hidden = frozenset() if request.user.is_admin else NOT_FORMS
    return {field.name: field for field in fields_of(_shape(resource)) if field.name not in hidden}


def _given(request: ApiRequest, resource: Resource, filled: Mapping[str, str]) -> Given:
    zone = zone_of(request)
    nullable = {field.name for field in fields_of(resource.read) if field.nullable}
    return Given(members_of(_fields(request, resource), filled, zone, nullable))


def _url(found: RecordPage, identity: int, *, is_form: bool = False) -> str:
    """Return the address of a record, or that of its form."""
    return f"{RECORDS}{found.path}/{identity}/" if is_form else f"{found.record_url}{identity}/"


def identity_in(record_id: str, one: str = "record") -> int:
    """Return the id in an address; `one` is what the error calls a record.

    Raises:
        RecordNotFoundError: it is no id.
    """
    identity = parse_id(record_id)
    if identity is None:
        raise RecordNotFoundError(f"There is no such {one}, or it is not yours.")
    return identity
