"""The form of one record: it is shown, and creates, changes and deletes the record."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, Final

from litestar import Response, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath
from msgspec.structs import replace

from dialer.api.answers.single_deletion import delete_one
from dialer.api.service import ApiRequest
from dialer.app.accounts.api_keys import revoke_api_keys
from dialer.app.work.errors import InvalidFieldsError, RefusedError, StillUsedError
from dialer.console.lists.list_choices import DNC_LIST
from dialer.console.pages.record_page import CAMPAIGNS, CONFIRMED, Shown, Wrong, record_page
from dialer.console.parts.carrier_inputs import STORED, parameters_given, place_of
from dialer.console.parts.cells import number_of
from dialer.console.parts.doubtful_lists import alarms_of_list
from dialer.console.parts.inputs import Input, doubts_in
from dialer.console.parts.line_states import line_of
from dialer.console.parts.queue_ticks import agents_of_queue
from dialer.console.parts.record_addresses import identity_in, record_url
from dialer.console.parts.record_fields import (
    USERS,
    account_waiting,
    facts_of,
    fields_in_forms,
    given_in,
    inputs_of_record,
    shape_of,
    with_break_reasons,
)
from dialer.console.parts.record_rights import checked, may, shown_page
from dialer.console.parts.sentences import error_in_words, joined_words
from dialer.console.parts.surveys_seen import leads_to_queue
from dialer.console.parts.zones import zone_of
from dialer.console.serving.campaign_way import release_people
from dialer.console.serving.confirmations import doubt_of
from dialer.console.serving.forms import FIELD, read_fields
from dialer.console.serving.services import ConsoleServices, go_to, page
from dialer.console.words.carrier_kinds import CARRIERS, KINDS, shown_kinds
from dialer.console.words.catalogue import PAGES, RecordPage
from dialer.console.words.field_titles import title_of
from dialer.console.words.language import gettext, gettext_noop
from dialer.console.words.proposals import proposed
from dialer.console.words.record_names import name_column
from dialer.domain.calls.plans import GatewayKey
from dialer.domain.words.states import IllegalMoveError
from dialer.resources.crud import records
from dialer.resources.crud.preparing import prepared
from dialer.resources.crud.resource import Resource, Unit
from dialer.resources.crud.shapes import Given, Parsed, parse_given
from dialer.resources.crud.urls import parse_id
from dialer.resources.records.carriers import PARAMETER_FIELDS
from dialer.resources.records.queues import AGENTS, QUEUES
from dialer.resources.records.surveys import SECTION_TEMPLATES, SURVEY_TEMPLATES
from dialer.resources.words.errors import Errors, InvalidError
from dialer.resources.words.preconditions import UNCONDITIONAL, PreconditionFailedError, if_version

VERSION: Final = "version"
"""The field of a form with the version of the record that it shows."""
CHANGED: Final = gettext_noop(
    "Somebody has changed this record since you opened it. Load the page again, and repeat your change."
)
PROTOCOL: Final = "protocol"
PARAMETERS: Final = "parameters"
LAW: Final = "row"
"""The column of contact rules with the id of a row of law."""
ENABLED: Final = "enabled"
KEEP_KEYS: Final = "keep_keys"
"""The field of a form that keeps the API keys of a user who gets a new password."""


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
    given, errors = _with_parameters(found, given_in(request, resource, filled), filled, "{}")
    errors = {**errors, **doubts_in(fields_in_forms(request, resource), filled)}
    parsed = await _parsed(request, resource, given)
    if errors:
        return await _show_new(request, found, _wrong(found, InvalidError({**parsed.errors, **errors}), filled))
    try:
        created = await request.service.write(request, lambda unit: records.create_record(unit, resource, parsed))
    except _REFUSALS as error:
        return await _show_new(request, found, _wrong(found, error, filled))
    url = record_url(found, created.record_id)
    if created.revealed:
        return page(request, "revealed.html", found.place, shown=found, revealed=created.revealed, url=url)
    over = parse_id(filled.get("object_id", "")) if found.path == CAMPAIGNS else None
    return go_to(url, *release_people(request, over))


@get("/records/{path:str}/{record_id:str}", media_type="text/html")
async def show_record(request: ApiRequest, path: FromPath[str], record_id: FromPath[str]) -> Response[Any]:
    """Show a record. A section is shown on the page of its survey."""
    found, identity = shown_page(request, path), identity_in(record_id)
    if path == SECTION_TEMPLATES.path:
        return go_to(record_url(found, identity))
    return await _show(request, found, identity, None)


@post("/records/{path:str}/{record_id:str}", media_type="text/html")
async def change_record(request: ApiRequest, path: FromPath[str], record_id: FromPath[str]) -> Response[Any]:
    """Change a record, if it still is as the form showed it."""
    found, identity, filled = shown_page(request, path), identity_in(record_id), await read_fields(request)
    resource = checked(request, found, "PATCH")
    errors = doubts_in(fields_in_forms(request, resource), filled)
    given = given_in(request, resource, filled)
    if found.path in CARRIERS:
        stored = await request.service.read(request, lambda unit: records.load(unit, resource, identity))
        with_protocol = {PROTOCOL: str(stored[PROTOCOL]), **filled}
        given, wrong = _with_parameters(found, given, with_protocol, str(stored["parameters"]))
        errors = {**errors, **wrong}
    parsed = await _parsed(request, resource, given)
    if errors:
        return await _show(request, found, identity, _wrong(found, InvalidError({**parsed.errors, **errors}), filled))
    condition = if_version(filled[VERSION]) if filled.get(VERSION) else UNCONDITIONAL

    def change(unit: Unit) -> None:
        records.change_record(unit, resource, identity, parsed, condition)
        if found.path == USERS and filled.get("password") and KEEP_KEYS not in filled:
            revoke_api_keys(unit, identity)

    try:
        await request.service.write(request, change, is_long=resource.takes_long(parsed.values))
    except _REFUSALS as error:
        return await _show(request, found, identity, _wrong(found, error, filled))
    return go_to(f"{record_url(found, identity, is_form=True)}?saved=1")


@post("/records/{path:str}/{record_id:str}/delete", media_type="text/html")
async def delete_record(request: ApiRequest, path: FromPath[str], record_id: FromPath[str]) -> Response[Any]:
    """Delete a record of a resource, after its confirmation."""
    found, identity, filled = shown_page(request, path), identity_in(record_id), await read_fields(request)
    resource = checked(request, found, "DELETE")
    try:
        await delete_one(request, resource, identity)
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
    given = given_in(request, resource, request.query_params)
    start = parse_given(shape_of(resource), given, request.service.conventions(request)).values

    def read(unit: Unit) -> Shown:
        computed = {} if resource.defaults is None else resource.defaults(unit, start)
        has_queue = found.path == CAMPAIGNS and leads_to_queue(unit, start.get("object_id"))
        values = proposed(found.path, computed, zone_of(request).key, has_queue=has_queue)
        inputs = inputs_of_record(request, unit, found, resource, {**values, **start})
        return Shown(gettext(found.add), inputs, [], "", protocol=protocol, is_for_agents=has_queue)

    shown = await request.service.read(request, read)
    return record_page(request, found, shown, wrong, identity=None, is_editable=True)


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
                for one in inputs_of_record(request, unit, found, resource, stored)
                if one.name not in fixed
            ]
            if stored.get(LAW):
                inputs = [one for one in inputs if one.name == ENABLED and request.user.is_admin]
            if found.path == AGENTS.path:
                inputs = with_break_reasons(unit, identity, inputs)
            version = records.tag_of(unit, resource, identity).version
        named = name_column(resource)
        name = getattr(record, named.name, None) if named is not None else None
        facts = facts_of(request, unit, found, record, {one.name for one in inputs})
        return Shown(
            str(name or number_of(identity)),
            inputs,
            facts,
            version,
            waits_for=account_waiting(unit, record),
            protocol=str(getattr(record, PROTOCOL, "")),
            parameters=str(stored.get(PARAMETERS, "")),
            alarms=alarms_of_list(unit.connection, identity) if found.path == DNC_LIST else (),
            ticked_agents=agents_of_queue(unit, identity) if found.path == QUEUES.path and is_editable else (),
            is_for_agents=found.path == CAMPAIGNS and leads_to_queue(unit, stored.get("object_id")),
            is_law=bool(stored.get(LAW)),
            line=line_of(unit, GatewayKey(CARRIERS[found.path], identity)) if found.path in CARRIERS else None,
        )

    shown = await request.service.read(request, read)
    return record_page(request, found, shown, wrong, identity=identity, is_editable=is_editable)
