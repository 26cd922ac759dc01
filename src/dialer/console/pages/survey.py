"""A survey: its graph, what its check finds, its sections, and a call through it by hand."""

from collections.abc import Sequence
from http import HTTPStatus
from typing import Any, Final, NamedTuple

from litestar import Response, get
from litestar.params import FromPath
from sqlalchemy import select

from dialer.api.crud import records
from dialer.api.crud.resource import Unit
from dialer.api.records.surveys import SECTION_TEMPLATES, SURVEY_TEMPLATES
from dialer.api.service import ApiRequest
from dialer.console.charts.survey_graph import SECTIONS_MAX, draw_survey
from dialer.console.findings import shown_findings
from dialer.console.pages.record import identity_in
from dialer.console.services import page
from dialer.console.state_words import words_of
from dialer.console.survey_keys import key_in_words, keys_of
from dialer.domain.enums import SectionType
from dialer.domain.survey.check import check_survey
from dialer.domain.survey.survey import Section, Survey
from dialer.store.sealed_surveys import read_survey

PLACE: Final = "surveys"
_templates = SECTION_TEMPLATES.table


class ShownBranch(NamedTuple):
    """A branch: its key, in words, too, and the question to which it leads; empty: hang up."""

    key: str
    words: str
    target: str


class ShownSection(NamedTuple):
    """A section in the list."""

    section: Section
    type: str
    branches: list[ShownBranch]
    keys: list[tuple[str, str]]
    """The keys for which a branch can be made, each with its words."""
    audio: int | None
    """The id of its recording."""
    earlier: str
    """The order in which it is one place earlier, as the ids of all sections with commas; empty for the first one."""
    later: str


class _Read(NamedTuple):
    name: str
    survey: Survey
    audio: dict[int, int]
    """The ids of the sections' recordings."""


@get("/surveys/{record_id:str}", media_type="text/html")
async def show_survey_template(request: ApiRequest, record_id: FromPath[str]) -> Response[Any]:
    """Show a survey."""
    return await show_survey_page(request, identity_in(record_id))


async def show_survey_page(
    request: ApiRequest, identity: int, messages: list[str] | None = None, status: int = HTTPStatus.OK
) -> Response[Any]:
    """Return the page of a survey, with messages above it."""
    found = await request.service.read(request, lambda unit: _read(unit, identity))
    return page(
        request,
        "survey.html",
        PLACE,
        status,
        identity=identity,
        name=found.name,
        graph=draw_survey(found.survey, {}),
        sections=_sections(found),
        findings=shown_findings(check_survey(found.survey), found.survey),
        messages=messages or [],
    )


def _read(unit: Unit, identity: int) -> _Read:
    record: Any = records.read_record(unit, SURVEY_TEMPLATES, identity)
    query = select(_templates.c.id, _templates.c.audiofile_id).where(
        _templates.c.survey_id == identity, _templates.c.audiofile_id.is_not(None)
    )
    audio = dict(map(tuple, unit.connection.execute(query)))
    return _Read(record.name, read_survey(unit.connection, identity), audio)


def _sections(found: _Read) -> list[ShownSection]:
    survey = found.survey
    questions = {section.id: section.question or f"No. {section.id}" for section in survey.sections}
    ids = [section.id for section in survey.sections]
    return [
        ShownSection(
            section,
            words_of(SectionType(section.type)),
            [
                ShownBranch(key, key_in_words(section, key), "" if target is None else questions.get(target, ""))
                for key, target in section.branches.items()
            ],
            [(key, key_in_words(section, key)) for key in keys_of(section)],
            found.audio.get(section.id),
            _moved(ids, place, place - 1),
            _moved(ids, place, place + 1),
        )
        for place, section in enumerate(survey.sections)
    ]


def _moved(ids: Sequence[int], place: int, target: int) -> str:
    """Return the order in which a section has changed places with the one at `target`; empty if there is none."""
    if not 0 <= target < len(ids) <= SECTIONS_MAX:
        return ""
    moved = list(ids)
    moved[place], moved[target] = moved[target], moved[place]
    return ",".join(map(str, moved))
