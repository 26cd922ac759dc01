"""A new survey from a template."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, Final

from litestar import Response, get, post

from dialer.api.service import ApiRequest
from dialer.console.charts.survey_graph import draw_survey
from dialer.console.pages.survey import PLACE
from dialer.console.parts.survey_blueprints import BLUEPRINTS, create_record_of, create_survey_of, survey_of
from dialer.console.serving.campaign_way import keep_people
from dialer.console.serving.errors import messages_of
from dialer.console.serving.forms import read_fields
from dialer.console.serving.services import go_to, page
from dialer.console.words.language import gettext, gettext_noop
from dialer.console.words.record_names import options_of
from dialer.resources.crud.resource import Unit
from dialer.resources.crud.urls import parse_id
from dialer.resources.records.queues import QUEUES
from dialer.resources.words.errors import InvalidError

NO_TEMPLATE: Final = gettext_noop("Choose how to begin.")
QUEUE: Final = gettext_noop("Agents")
"""The name of the queue that is made for a template."""


@get("/surveys/new", media_type="text/html")
async def show_templates(request: ApiRequest) -> Response[Any]:
    """Show the templates of surveys."""
    return await _show(request, request.query_params)


@post("/surveys/new", media_type="text/html")
async def create_survey(request: ApiRequest) -> Response[Any]:
    """Make a survey from a template, and show it."""
    filled = await read_fields(request)
    try:
        survey = await request.service.write(request, lambda unit: _create_survey(unit, filled))
    except InvalidError as error:
        return await _show(request, filled, messages_of(error))
    book = parse_id(filled.get("phonebook", ""))
    return go_to(f"/console/surveys/{survey}/", *([] if book is None else [keep_people(request, survey, book)]))


async def _show(request: ApiRequest, filled: Mapping[str, str], messages: list[str] | None = None) -> Response[Any]:
    queues = await request.service.read(request, lambda unit: options_of(unit, QUEUES.path))
    return page(
        request,
        "survey_templates.html",
        PLACE,
        HTTPStatus.BAD_REQUEST if messages else HTTPStatus.OK,
        templates=[(one, draw_survey(survey_of(one), {})) for one in BLUEPRINTS],
        queues=queues or [],
        new_queue=gettext(QUEUE),
        filled=filled,
        messages=messages or [],
    )


def _create_survey(unit: Unit, filled: Mapping[str, str]) -> int:
    template = next((one for one in BLUEPRINTS if one.key == filled.get("template")), None)
    if template is None:
        raise InvalidError({"template": [gettext(NO_TEMPLATE)]})
    name = filled.get("name", "").strip() or gettext(template.title)
    return create_survey_of(unit, template, name, _queue(unit, template.key, filled) if template.has_queue else None)


def _queue(unit: Unit, template: str, filled: Mapping[str, str]) -> int:
    """Return the queue that was chosen beside a template, or a new one. Each template has its own fields."""
    chosen, name = parse_id(filled.get(f"queue-{template}", "")), filled.get(f"new_queue-{template}", "").strip()
    return chosen or create_record_of(unit, QUEUES, name=name or gettext(QUEUE))
