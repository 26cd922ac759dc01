"""Changes of a survey as a whole: the branches between its sections, and their order."""

from collections.abc import Callable
from http import HTTPStatus
from typing import Any, Final

from litestar import Response, post
from litestar.params import FromPath
from sqlalchemy import select

from dialer.api.crud import records
from dialer.api.crud.resource import Resource, Unit
from dialer.api.crud.shapes import Given, Parsed, parse_given
from dialer.api.crud.urls import parse_id
from dialer.api.http.errors import InvalidError, RecordNotFoundError
from dialer.api.records.surveys import BRANCHING_TEMPLATES, SECTION_TEMPLATES, SURVEY_TEMPLATES
from dialer.api.service import ApiRequest
from dialer.console.charts.survey_graph import SECTIONS_MAX
from dialer.console.errors import messages_of
from dialer.console.forms import read_fields
from dialer.console.pages.record import identity_in
from dialer.console.pages.survey import show_survey_page
from dialer.console.services import go_to

STALE_ORDER: Final = "Somebody has added or deleted a section. Load the page again, and repeat your change."
_branches = BRANCHING_TEMPLATES.table
_sections = SECTION_TEMPLATES.table


@post("/surveys/{record_id:str}/branches", media_type="text/html")
async def set_branch(request: ApiRequest, record_id: FromPath[str]) -> Response[Any]:
    """Lead a key of a section to another section or to the end; a branch of this key is changed."""
    identity, filled = identity_in(record_id), await read_fields(request)
    section_id, goto = parse_id(filled.get("section", "")), filled.get("goto", "")

    def change(unit: Unit) -> None:
        _require_section(unit, identity, section_id)
        wanted = {
            "keys": filled.get("keys", ""),
            "section": section_id,
            "goto": int(goto) if goto.isdecimal() else None,
        }
        if goto and parse_id(goto) is None:
            raise InvalidError({"goto": ["There is no such section."]})
        of_key = (_branches.c.section_id == section_id) & (_branches.c["keys"] == wanted["keys"])
        before = unit.connection.scalar(select(_branches.c.id).where(of_key))
        parsed = _parsed(unit, BRANCHING_TEMPLATES, wanted)
        if before is None:
            records.create_record(unit, BRANCHING_TEMPLATES, parsed)
        else:
            records.change_record(unit, BRANCHING_TEMPLATES, before, parsed)

    return await _changed(request, identity, change)


@post("/surveys/{record_id:str}/branches/delete", media_type="text/html")
async def remove_branch(request: ApiRequest, record_id: FromPath[str]) -> Response[Any]:
    """Delete the branch of a key."""
    identity, filled = identity_in(record_id), await read_fields(request)
    section_id = parse_id(filled.get("section", ""))

    def change(unit: Unit) -> None:
        _require_section(unit, identity, section_id)
        of_key = (_branches.c.section_id == section_id) & (_branches.c["keys"] == filled.get("keys", ""))
        branch_id = unit.connection.scalar(select(_branches.c.id).where(of_key))
        if branch_id is not None:
            records.delete_record(unit, BRANCHING_TEMPLATES, branch_id)

    return await _changed(request, identity, change)


@post("/surveys/{record_id:str}/order", media_type="text/html")
async def order_sections(request: ApiRequest, record_id: FromPath[str]) -> Response[Any]:
    """Put the sections in an order, which is given by their ids with commas."""
    identity, filled = identity_in(record_id), await read_fields(request)
    wanted = [parse_id(part) for part in filled.get("order", "").split(",")[: SECTIONS_MAX + 1]]

    def change(unit: Unit) -> None:
        records.require_seen(unit, SURVEY_TEMPLATES, identity)
        query = select(_sections.c.id, _sections.c.order).where(_sections.c.survey_id == identity)
        places = {row[0]: row[1] for row in map(tuple, unit.connection.execute(query))}
        if len(wanted) != len(places) or set(wanted) != set(places):
            raise InvalidError({"order": [STALE_ORDER]})
        for place, section_id in enumerate(wanted, 1):
            if section_id is not None and places[section_id] != place:
                parsed = _parsed(unit, SECTION_TEMPLATES, {"order": place})
                records.change_record(unit, SECTION_TEMPLATES, section_id, parsed)

    return await _changed(request, identity, change)


async def _changed(request: ApiRequest, identity: int, change: Callable[[Unit], None]) -> Response[Any]:
    """Change a survey, and show it again; with messages if the change is refused."""
    try:
        await request.service.write(request, change)
    except InvalidError as error:
        return await show_survey_page(request, identity, messages_of(error), HTTPStatus.BAD_REQUEST)
    return go_to(f"/console/surveys/{identity}/")


def _parsed(unit: Unit, resource: Resource, members: dict[str, Any]) -> Parsed:
    if resource.write is None:
        raise RecordNotFoundError("These records are only read.")
    return parse_given(resource.write, Given(members), unit.conventions)


def _require_section(unit: Unit, survey_id: int, section_id: int | None) -> None:
    """Check that the viewer sees a survey, and that it has a section.

    Raises:
        RecordNotFoundError: there is no such section, or it is not the viewer's.
    """
    records.require_seen(unit, SURVEY_TEMPLATES, survey_id)
    is_one = (_sections.c.id == section_id) & (_sections.c.survey_id == survey_id)
    if unit.connection.scalar(select(_sections.c.id).where(is_one)) is None:
        raise RecordNotFoundError("There is no such section, or it is not yours.")
