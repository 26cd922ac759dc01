"""`GET /rest-api/survey-template/<id>/check/`: the errors of a survey, before a campaign plays it."""

from typing import Annotated

import msgspec
from litestar import get
from litestar.params import FromPath

from dialer.api.service import ApiRequest
from dialer.domain.survey.check import check_survey
from dialer.domain.survey.findings import Finding, FindingCode, FindingLevel
from dialer.domain.words.described import described
from dialer.resources.crud import records
from dialer.resources.crud.resource import Unit
from dialer.resources.crud.urls import Links, identity_in
from dialer.resources.records.surveys import SECTION_TEMPLATES, SURVEY_TEMPLATES
from dialer.store.queries.sealed_surveys import read_survey


class FindingRead(msgspec.Struct):
    """An error of a survey, or a warning.

    `section` is the section with the problem, null for the survey as a whole. `keys` are the branches that lead there
    from the first section.
    """

    level: Annotated[FindingLevel, described("The severity of the finding.")]
    code: Annotated[FindingCode, described("The kind of the fault, for programs.")]
    section: Annotated[
        str | None,
        described(
            "The URL of the section with the problem; null for the survey as a whole.",
            "https://dialer.example/rest-api/section-template/2/",
        ),
    ]
    message: Annotated[
        str, described("The problem in a sentence.", "The transfer has neither a phonenumber nor a queue.")
    ]
    keys: Annotated[list[str], described("The branches that lead from the first section to this one.", ["1"])]


class SurveyCheckRead(msgspec.Struct):
    """The errors and warnings of a survey. A campaign does not start with errors; it starts with warnings."""

    errors: Annotated[int, described("Number of errors. A campaign does not start with errors.", 1)]
    warnings: Annotated[int, described("Number of warnings. A campaign starts with warnings.", 0)]
    findings: Annotated[list[FindingRead], described("The errors and warnings, section by section.")]


@get("/survey-template/{record_id:str}/check", tags=[SURVEY_TEMPLATES.path])
async def check_survey_template(request: ApiRequest, record_id: FromPath[str]) -> SurveyCheckRead:
    """Check a survey, and list the sections, branches and answers that cannot work."""
    service = request.service
    identity = identity_in(record_id)
    return await service.read(request, lambda unit: _check(unit, identity))


def _check(unit: Unit, survey_id: int) -> SurveyCheckRead:
    records.require_seen(unit, SURVEY_TEMPLATES, survey_id)
    findings = check_survey(read_survey(unit.connection, survey_id))
    errors = sum(finding.level is FindingLevel.ERROR for finding in findings)
    links = unit.conventions.links
    return SurveyCheckRead(errors, len(findings) - errors, [_shown(finding, links) for finding in findings])


def _shown(finding: Finding, links: Links) -> FindingRead:
    place = finding.section_id
    return FindingRead(
        level=finding.level,
        code=finding.code,
        section=None if place is None else links.record(SECTION_TEMPLATES.path, place),
        message=str(finding.message),
        keys=[key for _, key in finding.path],
    )
