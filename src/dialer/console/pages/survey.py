"""A survey: its graph, what its check finds, its sections, and a call through it by hand."""

from typing import Any, Final, NamedTuple

from litestar import Response, get
from litestar.params import FromPath

from dialer.api.crud import records
from dialer.api.crud.resource import Unit
from dialer.api.records.surveys import SURVEY_TEMPLATES
from dialer.api.service import ApiRequest
from dialer.console.pages.record import identity_in
from dialer.console.services import page
from dialer.console.survey_graph import draw_survey
from dialer.console.survey_trial import walk
from dialer.console.words import word_of
from dialer.domain.enums import SectionType
from dialer.domain.survey.callflow import CallFlow
from dialer.domain.survey.check import check_survey
from dialer.domain.survey.survey import Section, Survey
from dialer.store.sealing import read_survey

PLACE: Final = "surveys"


class ShownSection(NamedTuple):
    """A section in the list, with its branches: each key with the question to which it leads; empty: hang up."""

    section: Section
    type: str
    branches: list[tuple[str, str]]


class _Read(NamedTuple):
    name: str
    survey: Survey


@get("/surveys/{record_id:str}", media_type="text/html")
async def show_survey_template(request: ApiRequest, record_id: FromPath[str]) -> Response[Any]:
    """Show a survey."""
    identity = identity_in(record_id)
    found = await request.service.read(request, lambda unit: _read(unit, identity))
    return page(
        request,
        "survey.html",
        PLACE,
        identity=identity,
        name=found.name,
        graph=draw_survey(found.survey, {}),
        sections=_sections(found.survey),
        findings=check_survey(found.survey),
    )


@get("/surveys/{record_id:str}/try", media_type="text/html")
async def try_survey(request: ApiRequest, record_id: FromPath[str]) -> Response[Any]:
    """Show a call through a survey; the address has the inputs so far, one `keys` for each."""
    identity = identity_in(record_id)
    found = await request.service.read(request, lambda unit: _read(unit, identity))
    inputs: list[str] = request.query_params.getall("keys", [])
    trial = walk(CallFlow(found.survey), inputs)
    return page(request, "survey_trial.html", PLACE, identity=identity, name=found.name, trial=trial, inputs=inputs)


def _read(unit: Unit, identity: int) -> _Read:
    record: Any = records.read_record(unit, SURVEY_TEMPLATES, identity)
    return _Read(record.name, read_survey(unit.connection, identity))


def _sections(survey: Survey) -> list[ShownSection]:
    questions = {section.id: section.question for section in survey.sections}
    return [
        ShownSection(
            section,
            word_of(SectionType(section.type)),
            [(key, "" if target is None else questions.get(target, "")) for key, target in section.branches.items()],
        )
        for section in survey.sections
    ]
