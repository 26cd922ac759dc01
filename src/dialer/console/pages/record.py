"""One record: a form with its fields, and the buttons that create, change and delete it."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, Final, NamedTuple
from urllib.parse import urlencode

from litestar import Response, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath
from msgspec.structs import replace

from dialer.api.service import ApiRequest
from dialer.app.accounts.api_keys import revoke_api_keys
from dialer.app.call_centre.break_reasons import break_reasons_of
from dialer.app.work.errors import InvalidFieldsError, RefusedError, StillUsedError
from dialer.console.lists.list_choices import DNC_LIST
from dialer.console.pages.records import checked, may, may_read, shown_page
from dialer.console.parts.audit_filters import changes_url
from dialer.console.parts.audit_words import AUDIT_LOG, with_audit_words
from dialer.console.parts.carrier_inputs import STORED, carrier_inputs, parameters_given, place_of
from dialer.console.parts.cells import Cell, id_in, number_of, rows_of
from dialer.console.parts.doubtful_lists import alarms_of_list
from dialer.console.parts.inputs import Input, InputGroup, grouped, inputs_of, members_of, refilled
from dialer.console.parts.line_states import GatewayLine, line_of
from dialer.console.parts.sentences import error_in_words, joined_words
from dialer.console.parts.surveys_seen import leads_to_queue
from dialer.console.parts.zones import zone_of
from dialer.console.serving.confirmations import doubt_of
from dialer.console.serving.forms import FIELD, read_fields
from dialer.console.serving.services import REAL, ConsoleServices, go_to, page
from dialer.console.words.carrier_kinds import CARRIERS, KINDS, kind_title, shown_kinds
from dialer.console.words.catalogue import PAGES, RECORDS, RecordPage
from dialer.console.words.field_titles import title_of
from dialer.console.words.language import gettext, gettext_noop
from dialer.console.words.proposals import proposed
from dialer.console.words.record_names import name_column, names_of, options_of
from dialer.domain.calls.plans import SIMULATED, GatewayKey
from dialer.domain.words.sentences import Sentence
from dialer.domain.words.states import IllegalMoveError
from dialer.resources.crud import records
from dialer.resources.crud.preparing import prepared
from dialer.resources.crud.resource import Resource, Unit, Values
from dialer.resources.crud.shapes import Field, Given, Parsed, Shape, fields_of, parse_given
from dialer.resources.crud.urls import parse_id
from dialer.resources.records.carriers import PARAMETER_FIELDS
from dialer.resources.records.queues import AGENTS
from dialer.resources.records.surveys import SECTION_TEMPLATES, SURVEY_TEMPLATES
from dialer.resources.words.errors import Errors, InvalidError, RecordNotFoundError
from dialer.resources.words.preconditions import UNCONDITIONAL, PreconditionFailedError, if_version

VERSION: Final = "version"
"""The field of a form with the version of the record that it shows."""
CHANGED: Final = gettext_noop(
    "Somebody has changed this record since you opened it. Load the page again, and repeat your change."
)
PROTOCOL: Final = "protocol"
PARAMETERS: Final = "parameters"
USERS: Final = "users"
CAMPAIGNS: Final = "campaigns"
BREAK_REASON: Final = "break_reason"
KEEP_KEYS: Final = "keep_keys"
"""The field of a form that keeps the API keys of a user who gets a new password."""
CONFIRMED: Final = frozenset({"api-key"})
"""Records that are created only with the password of the session's user."""
NOT_FORMS: Final = frozenset({"user", "is_assigned"})
"""Fields that only admins find in forms: the owner is the viewer, and admins assign numbers."""


class Shown(NamedTuple):
    """A record with the texts and links of its page."""

    name: str
    inputs: list[Input]
    facts: list[tuple[str, Cell]]
    """The fields that nobody writes, with their titles."""
    version: str
    waits_for: str = ""
    """The account to which an admin has yet to assign a number for calls in; empty if nothing waits."""
    protocol: str = ""
    """The protocol of a gateway."""
    parameters: str = "{}"
    """The parameters of a gateway, with its secrets, which no page shows."""
    line: GatewayLine | None = None
    """The state of a gateway's line."""
    alarms: tuple[str, ...] = ()
    """Loud warnings about the numbers on a do-not-call list."""


class Wrong(NamedTuple):
    """A form that was refused: what was filled in, the errors by field, and messages about the whole."""

    filled: Mapping[str, str]
    errors: Errors
    messages: list[str]
    status: HTTPStatus


@get("/records/{path:str}/new", media_type="text/html")
async def show_new_record(request: ApiRequest, path: FromPath[str]) -> Response[Any]:
    """Show the form for a new record, with the values of the address. A section is made on the page of its survey."""
    if path == SECTION_TEMPLATES.path:
        survey = parse_id(request.query_params.get("survey", ""))
        return go_to(PAGES[SURVEY_TEMPLATES.path].url if survey is None else f"/console/surveys/{survey}/")
    return await _show_new(request, shown_page(request, path), None)


@post("/records/{path:str}", media_type="text/html")
async def create_record(
    request: ApiRequest, path: FromPath[str], console: NamedDependency[ConsoleServices]
) -> Response[Any]:
    """Create a record of a resource from a form."""
    found, filled = shown_page(request, path), await read_fields(request)
    resource = checked(request, found, "POST")
    doubt = await doubt_of(request, console, filled) if found.path in CONFIRMED else None
    if doubt is not None:
        refused = await _show_new(request, found, Wrong(filled, {}, [doubt.message], doubt.status))
        refused.headers.update(doubt.headers)
        return refused
    given, errors = _with_parameters(found, _given(request, resource, filled), filled, "{}")
    parsed = await _parsed(request, resource, given)
    if errors:
        return await _show_new(request, found, _wrong(found, InvalidError({**parsed.errors, **errors}), filled))
    try:
        created = await request.service.write(request, lambda unit: records.create_record(unit, resource, parsed))
    except _REFUSALS as error:
        return await _show_new(request, found, _wrong(found, error, filled))
    url = _url(found, created.record_id)
    if created.revealed:
        return page(request, "revealed.html", found.place, shown=found, revealed=created.revealed, url=url)
    return go_to(url)


@get("/records/{path:str}/{record_id:str}", media_type="text/html")
async def show_record(request: ApiRequest, path: FromPath[str], record_id: FromPath[str]) -> Response[Any]:
    """Show a record. A section is shown on the page of its survey."""
    found, identity = shown_page(request, path), identity_in(record_id)
    if path == SECTION_TEMPLATES.path:
        return go_to(_url(found, identity))
    return await _show(request, found, identity, None)


@post("/records/{path:str}/{record_id:str}", media_type="text/html")
async def change_record(request: ApiRequest, path: FromPath[str], record_id: FromPath[str]) -> Response[Any]:
    """Change a record, if it still is as the form showed it."""
    found, identity, filled = shown_page(request, path), identity_in(record_id), await read_fields(request)
    resource = checked(request, found, "PATCH")
    errors: Errors = {}
    given = _given(request, resource, filled)
    if found.path in CARRIERS:
        stored = await request.service.read(request, lambda unit: records.load(unit, resource, identity))
        with_protocol = {PROTOCOL: str(stored[PROTOCOL]), **filled}
        given, errors = _with_parameters(found, given, with_protocol, str(stored["parameters"]))
    parsed = await _parsed(request, resource, given)
    if errors:
        return await _show(request, found, identity, _wrong(found, InvalidError({**parsed.errors, **errors}), filled))
    condition = if_version(filled[VERSION]) if filled.get(VERSION) else UNCONDITIONAL

    def change(unit: Unit) -> None:
        records.change_record(unit, resource, identity, parsed, condition)
        if found.path == USERS and filled.get("password") and KEEP_KEYS not in filled:
            revoke_api_keys(unit, identity)

    try:
        await request.service.write(request, change)
    except _REFUSALS as error:
        return await _show(request, found, identity, _wrong(found, error, filled))
    return go_to(f"{_url(found, identity, is_form=True)}?saved=1")


@post("/records/{path:str}/{record_id:str}/delete", media_type="text/html")
async def delete_record(request: ApiRequest, path: FromPath[str], record_id: FromPath[str]) -> Response[Any]:
    """Delete a record of a resource, after its confirmation."""
    found, identity, filled = shown_page(request, path), identity_in(record_id), await read_fields(request)
    resource = checked(request, found, "DELETE")
    try:
        await request.service.write(request, lambda unit: records.delete_record(unit, resource, identity))
    except _REFUSALS as error:
        return await _show(request, found, identity, _wrong(found, error, {FIELD: filled[FIELD]}))
    return go_to(found.url)


async def _parsed(request: ApiRequest, resource: Resource, given: Given) -> Parsed:
    conventions = request.service.conventions(request)
    return await prepared(resource, parse_given(shape_of(resource), given, conventions), conventions, request.user)


_REFUSALS: Final = (
    InvalidError,
    InvalidFieldsError,
    IllegalMoveError,
    PreconditionFailedError,
    RefusedError,
    StillUsedError,
)
"""The errors that a page shows beside its form."""


def _wrong(found: RecordPage, error: Exception, filled: Mapping[str, str]) -> Wrong:
    if isinstance(error, (InvalidError, InvalidFieldsError)):
        errors: Errors = {}
        for name, messages in error.errors.items():
            is_whole = name == PARAMETERS and name not in filled and filled.get(PROTOCOL) in PARAMETER_FIELDS
            place = place_of(filled[PROTOCOL], " ".join(messages)) if is_whole else name
            errors[place] = [*errors.get(place, []), *messages]
        shown = {name: messages for name, messages in errors.items() if name in filled}
        besides = [
            f"{gettext(title_of(found.path, name))}: {joined_words(messages)}"
            for name, messages in errors.items()
            if name not in filled
        ]
        return Wrong(filled, shown, besides, HTTPStatus.BAD_REQUEST)
    text = gettext(CHANGED) if isinstance(error, PreconditionFailedError) else error_in_words(error)
    return Wrong(filled, {}, [text], HTTPStatus.CONFLICT)


def _with_parameters(found: RecordPage, given: Given, filled: Mapping[str, str], stored: str) -> tuple[Given, Errors]:
    """Return what a form gives, with the parameters of a carrier that its inputs give; and their errors."""
    protocol = filled.get(PROTOCOL, "")
    if found.path not in CARRIERS or protocol not in PARAMETER_FIELDS or PARAMETERS in filled:
        return given, {}
    parameters, errors = parameters_given(protocol, filled, stored)
    return (given if parameters is None else Given({**given.members, PARAMETERS: parameters})), errors


async def _show_new(request: ApiRequest, found: RecordPage, wrong: Wrong | None) -> Response[Any]:
    resource = checked(request, found, "POST")
    protocol = str((request.query_params if wrong is None else wrong.filled).get(PROTOCOL, ""))
    if found.path in CARRIERS and (found.path, protocol) not in KINDS:
        return page(request, "new_carrier.html", found.place, shown=found, kinds=shown_kinds())
    given = _given(request, resource, request.query_params)
    start = parse_given(shape_of(resource), given, request.service.conventions(request)).values

    def read(unit: Unit) -> list[Input]:
        computed = {} if resource.defaults is None else resource.defaults(unit, start)
        values = proposed(found.path, computed, has_queue=leads_to_queue(unit, start.get("object_id")))
        return _inputs(request, unit, found, resource, {**values, **start})

    shown = Shown(gettext(found.add), await request.service.read(request, read), [], "", protocol=protocol)
    return _page(request, found, shown, wrong, identity=None, is_editable=True)


async def _show(request: ApiRequest, found: RecordPage, identity: int, wrong: Wrong | None) -> Response[Any]:
    resource = checked(request, found, "GET")
    is_editable = may(request, resource, "PATCH")

    def read(unit: Unit) -> Shown:
        record = records.read_record(unit, resource, identity)
        inputs: list[Input] = []
        stored, version = {}, ""
        if is_editable:
            stored = records.load(unit, resource, identity)
            fixed = resource.shapes.fixed
            inputs = [
                replace(one, hint=f"{one.hint} {gettext(STORED)}", required=False) if one.control == "password" else one
                for one in _inputs(request, unit, found, resource, stored)
                if one.name not in fixed
            ]
            if found.path == AGENTS.path:
                inputs = _with_break_reasons(unit, identity, inputs)
            version = records.tag_of(unit, resource, identity).version
        named = name_column(resource)
        name = getattr(record, named.name, None) if named is not None else None
        facts = _facts(request, unit, found, record, {one.name for one in inputs})
        return Shown(
            str(name or number_of(identity)),
            inputs,
            facts,
            version,
            waits_for=_account_waiting(unit, record),
            protocol=str(getattr(record, PROTOCOL, "")),
            parameters=str(stored.get(PARAMETERS, "")),
            alarms=alarms_of_list(unit.connection, identity) if found.path == DNC_LIST else (),
            line=line_of(unit, GatewayKey(CARRIERS[found.path], identity)) if found.path in CARRIERS else None,
        )

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
    groups, more = grouped(resource.shapes.form, shown.inputs)
    if is_editable and shown.protocol in PARAMETER_FIELDS:
        main, others = carrier_inputs(shown.protocol, shown.parameters)
        is_simulated = shown.protocol == SIMULATED
        title = gettext("Simulated people") if is_simulated else gettext("The carrier")
        further = gettext("More about their behaviour") if is_simulated else gettext("More about the carrier")
        groups.insert(1, InputGroup(title, tuple(main)))
        more.insert(0, InputGroup(further, tuple(others)))
    if wrong is not None:
        groups, more = ([_refilled(group, wrong) for group in several] for several in (groups, more))
    return page(
        request,
        "record.html",
        found.place,
        HTTPStatus.OK if wrong is None else wrong.status,
        shown=found,
        record=shown,
        identity=identity,
        url=f"/console/records/{found.path}/" if identity is None else _url(found, identity, is_form=True),
        top=groups,
        more=more,
        kind=kind_title(found.path, shown.protocol) if found.path in CARRIERS else "",
        medium=CARRIERS.get(found.path, ""),
        is_simulated=shown.protocol == SIMULATED,
        has_real_clock=request.service.worker.clock.mode == REAL,
        filled={},
        errors={},
        is_focused=False,
        needs_gateway=found.path == CAMPAIGNS and identity is None and _has_no_gateway(groups),
        has_errors=bool(wrong is not None and wrong.errors),
        is_open=any(one.error for group in more for one in group.inputs),
        focused=next((one.name for group in groups for one in group.inputs if identity is None and wrong is None), ""),
        messages=[] if wrong is None else wrong.messages,
        is_editable=is_editable,
        chosen=request.query_params if wrong is None else wrong.filled,
        is_saved="saved" in request.query_params and wrong is None,
        is_confirmed=identity is None and found.path in CONFIRMED,
        may_reset=found.path == USERS and identity not in {None, request.user.id} and request.user.is_admin,
        may_delete=identity is not None and may(request, resource, "DELETE"),
        within=[] if identity is None else _within(request, found, identity),
    )


def _refilled(group: InputGroup, wrong: Wrong) -> InputGroup:
    inputs = [
        refilled(one, wrong.filled, joined_words(wrong.errors.get(one.name, ()))) if one.name in wrong.filled else one
        for one in group.inputs
    ]
    return InputGroup(group.title, tuple(inputs))


def _has_no_gateway(groups: list[InputGroup]) -> bool:
    inputs = (one for group in groups for one in group.inputs)
    return any(one.name == "aleg_gateway" and one.control == "select" and not one.options for one in inputs)


def _within(request: ApiRequest, found: RecordPage, identity: int) -> list[tuple[str, str]]:
    """Return the titles and addresses of the lists of what belongs to a record."""
    lists = [
        (gettext(one.title), f"/console/records/{one.path}/?{urlencode({one.field: identity})}")
        for one in found.within
        if may_read(request, shown_page(request, one.path))
    ]
    resource: Resource = request.service.resources[found.path]
    is_logged = resource.write is not None and not resource.is_personal and may_read(request, PAGES[AUDIT_LOG])
    return [*lists, (gettext("Changes"), changes_url(found.path, identity))] if is_logged else lists


def _account_waiting(unit: Unit, record: Shape) -> str:
    """Return the name of the account to which an admin has yet to assign a number; empty for every other record."""
    if getattr(record, "is_assigned", True):
        return ""
    user_id = id_in(str(getattr(record, "user", "")))
    return names_of(unit, USERS, [user_id]).get(user_id) or number_of(user_id)


def _inputs(request: ApiRequest, unit: Unit, found: RecordPage, resource: Resource, stored: Values) -> list[Input]:
    fields = _fields(request, resource)
    zone = zone_of(request)
    return list(inputs_of(found.path, fields, stored, lambda path: options_of(unit, path), zone))


def _with_break_reasons(unit: Unit, agent_id: int, inputs: list[Input]) -> list[Input]:
    """Return the inputs of an agent, of whom the reason of a break is chosen if the agent's queues have reasons."""
    reasons = break_reasons_of(unit.connection, agent_id)
    if not reasons:
        return inputs
    return [
        replace(
            one, control="select", options=tuple((text, text) for text in dict.fromkeys([*reasons, one.value]) if text)
        )
        if one.name == BREAK_REASON
        else one
        for one in inputs
    ]


def _facts(
    request: ApiRequest, unit: Unit, found: RecordPage, record: Shape, besides: set[str]
) -> list[tuple[str, Cell]]:
    resource = request.service.resources[found.path]
    zone = zone_of(request)
    left_out = besides | {"id", "url"} | resource.shapes.form.hidden
    names = [field.name for field in fields_of(resource.read) if field.name not in left_out]
    rows = rows_of(unit, resource, names, [record], zone)
    (cells,) = with_audit_words(unit, [record], names, rows, zone) if found.path == AUDIT_LOG else rows
    return [(gettext(title_of(found.path, name)), cell) for name, cell in zip(names, cells, strict=True)]


def shape_of(resource: Resource) -> type[Shape]:
    """Return the shape of what forms give.

    Raises:
        RecordNotFoundError: nobody writes such records.
    """
    if resource.write is None:
        raise RecordNotFoundError("These records are only read.")
    return resource.write


def _fields(request: ApiRequest, resource: Resource) -> dict[str, Field]:
    """Return the fields that the viewer finds in forms."""
    hidden = frozenset() if request.user.is_admin else NOT_FORMS
    return {field.name: field for field in fields_of(shape_of(resource)) if field.name not in hidden}


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
        raise RecordNotFoundError(Sentence("There is no such %(record)s, or it is not yours.", record=one))
    return identity
