"""Changes of a survey: new sections, their fields and branches, their order, and the last changes undone."""

from collections.abc import Callable, Sequence
from http import HTTPStatus
from typing import Any, Final

from litestar import Response, post
from litestar.params import FromPath
from msgspec.structs import replace
from sqlalchemy import select

from dialer.api.service import ApiRequest
from dialer.app.campaigns.survey_changes import ChangeName, change_survey, redo_change, undo_change
from dialer.app.work.errors import InvalidFieldsError, RefusedError, StillUsedError
from dialer.app.work.unit import UnitOfWork
from dialer.console.charts.survey_graph import SECTIONS_MAX
from dialer.console.pages.record_form import CHANGED, VERSION
from dialer.console.pages.survey import START, Refused, section_in, show_survey_page, survey_with
from dialer.console.parts.record_addresses import identity_in
from dialer.console.parts.section_form import DESTINATION, END, NEW_QUEUE, ROWS_MAX, branches_in, members_in
from dialer.console.parts.sentences import error_in_words, in_viewers_words
from dialer.console.parts.zones import zone_of
from dialer.console.serving.errors import messages_of
from dialer.console.serving.forms import read_fields
from dialer.console.serving.services import go_to
from dialer.console.words.language import gettext, gettext_noop
from dialer.console.words.state_words import words_of
from dialer.domain.survey.editing import branches_of_type, branches_to, keys_onward, onward
from dialer.domain.survey.sections.table import SECTION_TYPES
from dialer.domain.survey.survey import Section, Survey
from dialer.domain.words.enums import SectionType
from dialer.resources.crud import records
from dialer.resources.crud.preparing import prepared
from dialer.resources.crud.resource import Resource, Unit
from dialer.resources.crud.shapes import Given, Parsed, parse_given
from dialer.resources.crud.urls import parse_id
from dialer.resources.records.agent_settings import ADDRESS
from dialer.resources.records.queues import QUEUES
from dialer.resources.records.surveys import BRANCHING_TEMPLATES, SECTION_TEMPLATES
from dialer.resources.words.errors import InvalidError, RecordNotFoundError
from dialer.resources.words.preconditions import UNCONDITIONAL, PreconditionFailedError, if_version

STALE_ORDER: Final = gettext_noop(
    "Somebody has added or deleted a section. Load the page again, and repeat your change."
)
NO_TYPE: Final = gettext_noop("Choose a kind of section.")
TOO_MANY: Final = gettext_noop("The survey is too large to add a section here.")
UNSET: Final = "unset"
"""The choice that a key has no branch."""
_ANSWERS: Final = {"key_1": gettext_noop("Yes"), "key_2": gettext_noop("No")}
"""The answers of a new choice."""
_REFUSALS: Final = (InvalidError, InvalidFieldsError, PreconditionFailedError, RefusedError, StillUsedError)
_branches = BRANCHING_TEMPLATES.table
_sections = SECTION_TEMPLATES.table


@post("/surveys/{record_id:str}/sections", media_type="text/html")
async def insert_section(request: ApiRequest, record_id: FromPath[str]) -> Response[Any]:
    """Insert a section of a type after some keys of another section, or at the start, and connect it."""
    identity, filled = identity_in(record_id), await read_fields(request)

    def change(unit: Unit) -> int:
        survey, kind = survey_with(unit, identity), _kind(filled.get("type", ""))
        if len(survey.sections) >= SECTIONS_MAX:
            raise InvalidError({"type": [gettext(TOO_MANY)]})
        words = words_of(kind)
        return change_survey(
            unit, identity, ChangeName("added", words), lambda: _insert(unit, identity, survey, kind, filled)
        )

    return await _changed(request, identity, change)


@post("/surveys/{record_id:str}/sections/{section_id:str}", media_type="text/html")
async def save_section(request: ApiRequest, record_id: FromPath[str], section_id: FromPath[str]) -> Response[Any]:
    """Change the fields and branches of a section, if it still is as the form showed it."""
    identity, one, filled = identity_in(record_id), identity_in(section_id, "section"), await read_fields(request)
    # Names are looked up, which may take seconds, before the transaction.
    address = Parsed({ADDRESS: filled.get(ADDRESS, "").strip()}, {}, ())
    checked = await prepared(SECTION_TEMPLATES, address, request.service.conventions(request), request.user)

    def change(unit: Unit) -> int:
        survey = survey_with(unit, identity)
        section = section_in(survey, one)
        members = members_in(SectionType(section.type), filled, zone_of(request)) | _new_queue(unit, filled)
        parsed = _parsed(unit, SECTION_TEMPLATES, members)
        if ADDRESS in members and section.agent_url != address.values[ADDRESS]:
            parsed = replace(parsed, errors={**checked.errors, **parsed.errors})
        condition = if_version(filled[VERSION]) if filled.get(VERSION) else UNCONDITIONAL
        chosen = branches_in(section, filled)
        retyped = _retyped(section, filled.get("type", ""))

        def write() -> None:
            records.change_record(unit, SECTION_TEMPLATES, one, parsed, condition)
            for key, goto in chosen.items() if retyped is None else ():
                _set_branch(unit, one, key, goto or UNSET)
            if retyped is not None:
                for key in section.branches.keys() - retyped.keys():
                    _set_branch(unit, one, key, UNSET)
                for key, target in retyped.items():
                    _set_branch(unit, one, key, END if target is None else str(target))

        change_survey(unit, identity, ChangeName("changed", section.question), write)
        return one

    return await _changed(request, identity, change, section_id=one, filled=filled, saved="&saved=1")


@post("/surveys/{record_id:str}/sections/{section_id:str}/delete", media_type="text/html")
async def delete_section(request: ApiRequest, record_id: FromPath[str], section_id: FromPath[str]) -> Response[Any]:
    """Delete a section. The branches that lead to it lead to the next one, or to the end."""
    identity, one = identity_in(record_id), identity_in(section_id, "section")
    await read_fields(request)

    def change(unit: Unit) -> None:
        survey = survey_with(unit, identity)
        section = section_in(survey, one)
        target = onward(survey, one)

        def write() -> None:
            for branch in branches_to(survey, one):
                _set_branch(unit, branch.section_id, branch.key, END if target is None else str(target))
            if target is not None and survey.sections[0].id == one:
                _order(unit, identity, [target, *(other.id for other in survey.sections if other.id != target)])
            records.delete_record(unit, SECTION_TEMPLATES, one)

        change_survey(unit, identity, ChangeName("deleted", section.question), write)

    return await _changed(request, identity, change)


@post("/surveys/{record_id:str}/branches", media_type="text/html")
async def set_branch(request: ApiRequest, record_id: FromPath[str]) -> Response[Any]:
    """Lead keys of a section, with commas, to another section or to the end; their branches are changed."""
    identity, filled = identity_in(record_id), await read_fields(request)
    section_id = parse_id(filled.get("section", ""))

    def change(unit: Unit) -> int:
        section = section_in(survey_with(unit, identity), section_id)

        def write() -> None:
            for key in filled.get("keys", "").split(",")[:ROWS_MAX]:
                _set_branch(unit, section.id, key, filled.get("goto", "") or END)

        change_survey(unit, identity, ChangeName("connected", section.question), write)
        return section.id

    return await _changed(request, identity, change)


@post("/surveys/{record_id:str}/order", media_type="text/html")
async def order_sections(request: ApiRequest, record_id: FromPath[str]) -> Response[Any]:
    """Put the sections in an order, which is given by their ids with commas."""
    identity, filled = identity_in(record_id), await read_fields(request)
    wanted = [parse_id(part) for part in filled.get("order", "").split(",")[: SECTIONS_MAX + 1]]

    def change(unit: Unit) -> None:
        known = [section.id for section in survey_with(unit, identity).sections]
        ordered = [one for one in wanted if one is not None]
        if len(wanted) != len(known) or set(ordered) != set(known):
            raise InvalidError({"order": [gettext(STALE_ORDER)]})
        change_survey(unit, identity, ChangeName("ordered"), lambda: _order(unit, identity, ordered))

    return await _changed(request, identity, change)


@post("/surveys/{record_id:str}/undo", media_type="text/html")
async def undo(request: ApiRequest, record_id: FromPath[str]) -> Response[Any]:
    """Undo the last change of a survey."""
    return await _turned(request, record_id, undo_change)


@post("/surveys/{record_id:str}/redo", media_type="text/html")
async def redo(request: ApiRequest, record_id: FromPath[str]) -> Response[Any]:
    """Repeat the change of a survey that was undone last."""
    return await _turned(request, record_id, redo_change)


async def _turned(request: ApiRequest, record_id: str, turn: Callable[[UnitOfWork, int], None]) -> Response[Any]:
    identity, filled = identity_in(record_id), await read_fields(request)
    section_id = parse_id(filled.get("section", ""))

    def change(unit: Unit) -> int | None:
        survey_with(unit, identity)
        turn(unit, identity)
        return next((one.id for one in survey_with(unit, identity).sections if one.id == section_id), None)

    return await _changed(request, identity, change)


async def _changed(
    request: ApiRequest,
    identity: int,
    change: Callable[[Unit], int | None],
    *,
    section_id: int | None = None,
    filled: dict[str, str] | None = None,
    saved: str = "",
) -> Response[Any]:
    """Change a survey, and show it again with the section that `change` returns; with messages if it is refused."""
    try:
        shown = await request.service.write(request, change)
    except _REFUSALS as error:
        return await show_survey_page(request, identity, _refused(error, section_id, filled or {}))
    return go_to(f"/console/surveys/{identity}/{'' if shown is None else f'?section={shown}{saved}'}")


def _refused(error: Exception, section_id: int | None, filled: dict[str, str]) -> Refused:
    if isinstance(error, (InvalidError, InvalidFieldsError)):
        besides = [
            in_viewers_words(message) for name, found in error.errors.items() if name not in filled for message in found
        ]
        shown = besides if besides or section_id is None else [gettext("Nothing was saved. See the fields below.")]
        return Refused(shown or messages_of(error), HTTPStatus.BAD_REQUEST, section_id, filled, error.errors)
    text = gettext(CHANGED) if isinstance(error, PreconditionFailedError) else error_in_words(error)
    return Refused([text], HTTPStatus.CONFLICT, section_id, filled)


def _kind(number: str) -> SectionType:
    kind = next((kind for kind in SectionType if str(kind.value) == number), None)
    if kind is None:
        raise InvalidError({"type": [gettext(NO_TYPE)]})
    return kind


def _insert(unit: Unit, survey_id: int, survey: Survey, kind: SectionType, filled: dict[str, str]) -> int:
    """Create a section, lead the keys of the one before to it, and it to where they led. Return its id."""
    answers = {key: gettext(label) for key, label in _ANSWERS.items()} if SECTION_TYPES[kind].names_answers else {}
    members = {"survey": survey_id, "type": kind.value, "question": words_of(kind), **answers}
    created = records.create_record(unit, SECTION_TEMPLATES, _parsed(unit, SECTION_TEMPLATES, members)).record_id
    ids = [section.id for section in survey.sections]
    if filled.get("after") == START:
        place, target = 0, next(iter(ids), None)
    else:
        before = section_in(survey, parse_id(filled.get("after", "")))
        keys = filled.get("keys", "").split(",")[:ROWS_MAX]
        place, target = ids.index(before.id) + 1, before.branches.get(keys[0])
        for key in keys:
            _set_branch(unit, before.id, key, str(created))
    if target in ids:
        for key in keys_onward(SECTION_TYPES[kind]):
            _set_branch(unit, created, key, str(target))
    _order(unit, survey_id, [*ids[:place], created, *ids[place:]])
    return created


def _new_queue(unit: Unit, filled: dict[str, str]) -> dict[str, int]:
    """Return the queue that a form names as a new one, made at once, as a member of a request; nothing without one."""
    name = filled.get(NEW_QUEUE, "").strip()
    if not name or filled.get(DESTINATION) != "queue":
        return {}
    return {"queue": records.create_record(unit, QUEUES, _parsed(unit, QUEUES, {"name": name})).record_id}


def _retyped(section: Section, number: str) -> dict[str, int | None] | None:
    """Return the branches of a section whose type a form changes; None if it keeps them."""
    kind = parse_id(number)
    return branches_of_type(section, SECTION_TYPES[kind]) if kind in SECTION_TYPES else None


def _set_branch(unit: Unit, section_id: int, key: str, goto: str) -> None:
    """Lead a key to the section with an id, to the end, or nowhere."""
    of_key = (_branches.c.section_id == section_id) & (_branches.c["keys"] == key)
    before = unit.connection.execute(select(_branches.c.id, _branches.c.goto_id).where(of_key)).first()
    if goto == UNSET:
        if before is not None:
            records.delete_record(unit, BRANCHING_TEMPLATES, before.id)
        return
    target = None if goto == END else parse_id(goto)
    if target is None and goto != END:
        raise InvalidError({"goto": [gettext("There is no such section.")]})
    parsed = _parsed(unit, BRANCHING_TEMPLATES, {"keys": key, "section": section_id, "goto": target})
    if before is None:
        records.create_record(unit, BRANCHING_TEMPLATES, parsed)
    elif before.goto_id != target:
        records.change_record(unit, BRANCHING_TEMPLATES, before.id, parsed)


def _order(unit: Unit, survey_id: int, wanted: Sequence[int]) -> None:
    """Write the places of the sections of a survey."""
    query = select(_sections.c.id, _sections.c.order).where(_sections.c.survey_id == survey_id)
    places = {row[0]: row[1] for row in map(tuple, unit.connection.execute(query))}
    for place, section_id in enumerate(wanted, 1):
        if places[section_id] != place:
            parsed = _parsed(unit, SECTION_TEMPLATES, {"order": place})
            records.change_record(unit, SECTION_TEMPLATES, section_id, parsed)


def _parsed(unit: Unit, resource: Resource, members: dict[str, Any]) -> Parsed:
    if resource.write is None:
        raise RecordNotFoundError("These records are only read.")
    return parse_given(resource.write, Given(members), unit.conventions)
