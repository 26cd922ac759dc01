"""`GET /rest-api/surveyaggregate/<campaign id>/`: the answers of a campaign, counted by section and answer."""

from typing import Annotated, Final

import msgspec
from litestar import get
from litestar.params import FromPath
from sqlalchemy import select

from dialer.api.service import ApiRequest
from dialer.domain.figures.scales import mean_of
from dialer.domain.figures.statistics import rounded
from dialer.domain.survey.sections.table import definition_of
from dialer.domain.survey.survey import Section
from dialer.domain.words.described import described
from dialer.domain.words.enums import SectionType
from dialer.resources.crud import records
from dialer.resources.crud.resource import Unit
from dialer.resources.crud.urls import identity_in
from dialer.resources.crud.visibility import visible
from dialer.resources.records.calls import SURVEY_RESULTS
from dialer.resources.records.campaigns import CAMPAIGNS
from dialer.resources.records.surveys import SECTION_TEMPLATES
from dialer.store.queries.sealed_surveys import read_survey, sealed_survey
from dialer.store.queries.survey_results import SectionCount, count_answers, in_scale

PERCENT_PLACES: Final = 2


class AnswerShare(msgspec.Struct):
    """The count of one answer, and its share of all answers to the section, in per cent."""

    response: Annotated[str, described("The answer, as survey results show it.", "yes")]
    count: Annotated[int, described("Number of callees who gave it.", 3)]
    percent: Annotated[
        float, described("Its share of all answers to the section, in per cent, rounded to two decimals.", 75.0)
    ]


class SectionAggregate(msgspec.Struct):
    """The answers to one section, the most frequent first; those to a scale, such as 1 to 5, in its order.

    `section` is null if the section has been deleted since the campaign started. `others` counts the answers that are
    too rare to be listed.
    """

    section: Annotated[
        str | None,
        described(
            "The URL of the section template; null if it was deleted since the campaign started.",
            "https://dialer.example/rest-api/section-template/1/",
        ),
    ]
    section_id: Annotated[int, described("The id of the section template.", 1)]
    type: Annotated[SectionType, described("The type of the section.")]
    question: Annotated[
        str, described("The question, as it was when the campaign started.", "Will you come on Monday?")
    ]
    total: Annotated[int, described("Number of answers.", 4)]
    answers: Annotated[list[AnswerShare], described("The answers, most frequent first; of a scale, the lowest first.")]
    others: Annotated[int, described("Number of answers that are too rare to be listed.", 0)]
    unserved: Annotated[
        int,
        described("Number of calls that the section transferred and that nobody took; 0 if it transfers no calls.", 0),
    ]
    mean: Annotated[
        float | None,
        described(
            "The mean of the listed answers to a scale: a rating, or answers that are all numbers, rounded to two"
            " decimals. Null for other sections.",
            3.75,
        ),
    ]


class SurveyAggregate(msgspec.Struct):
    """The sections of a campaign's survey that can have answers, in their order."""

    campaign: Annotated[str, described("The URL of the campaign.", "https://dialer.example/rest-api/campaigns/1/")]
    sections: Annotated[list[SectionAggregate], described("The sections that can have answers, in their order.")]


@get("/surveyaggregate/{record_id:str}", tags=[SURVEY_RESULTS.path])
async def aggregate_survey(request: ApiRequest, record_id: FromPath[str]) -> SurveyAggregate:
    """Count the answers of a campaign by section and answer."""
    service = request.service
    identity = identity_in(record_id)
    return await service.read(request, lambda unit: _aggregate(unit, identity), is_long=True)


def _aggregate(unit: Unit, campaign_id: int) -> SurveyAggregate:
    campaign = records.load(unit, CAMPAIGNS, campaign_id)
    survey = sealed_survey(unit.connection, campaign_id) or read_survey(unit.connection, campaign["object_id"])
    counts, known = count_answers(unit.connection, campaign_id), _section_ids(unit, campaign["object_id"])
    links = unit.conventions.links
    sections = [
        _shown(
            section,
            counts.get(section.id),
            links.record(SECTION_TEMPLATES.path, section.id) if section.id in known else None,
        )
        for section in survey.sections
        if definition_of(section).has_answers
    ]
    return SurveyAggregate(links.record(CAMPAIGNS.path, campaign_id), sections)


def _section_ids(unit: Unit, survey_id: int) -> set[int]:
    """Return the ids of the sections that the template still has."""
    table = SECTION_TEMPLATES.table
    is_visible = visible(SECTION_TEMPLATES, unit.actor, unit.resources)
    query = select(table.c["id"]).where(table.c["survey_id"] == survey_id, is_visible)
    return set(unit.connection.execute(query).scalars())


def _shown(section: Section, count: SectionCount | None, url: str | None) -> SectionAggregate:
    total, answers = (0, []) if count is None else (count.total, count.answers)
    mean = None
    if definition_of(section).is_scale(section):
        answers, mean = in_scale(answers), mean_of({one.response: one.count for one in answers})
    shares = [AnswerShare(one.response, one.count, round(100 * one.count / total, PERCENT_PLACES)) for one in answers]
    return SectionAggregate(
        section=url,
        section_id=section.id,
        type=definition_of(section).type,
        question=section.question,
        total=total,
        answers=shares,
        others=total - sum(one.count for one in answers),
        unserved=0 if count is None else count.unserved,
        mean=None if mean is None else rounded(mean.value),
    )
