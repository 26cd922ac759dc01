"""Readiness: the conditions under which a campaign may start."""

from collections.abc import Mapping
from typing import Any, Final

from sqlalchemy import Connection

from dialer.app.campaigns.callerid_check import callerid_errors
from dialer.app.campaigns.line_check import line_errors
from dialer.app.campaigns.placeholders import TEXT, known_names, text_findings
from dialer.app.work.errors import CampaignNotReadyError, FieldErrors
from dialer.domain.survey.check import check_survey
from dialer.domain.survey.findings import Finding, FindingLevel
from dialer.domain.survey.placeholders import KnownNames, names_section
from dialer.domain.survey.sections.table import queue_ids_of, sends_messages
from dialer.domain.survey.survey import Survey, named_section
from dialer.domain.words.enums import DialMethod
from dialer.domain.words.sentences import FieldName, Sentence
from dialer.store.queries.sealed_surveys import read_survey, seal, sealed_survey
from dialer.store.tables import SMS, VOICE

FINDINGS_NAMED_MAX: Final = 5
"""Errors of a survey that the refusal of a start names."""


def make_ready(connection: Connection, campaign: Mapping[str, Any], now_ms: int) -> None:
    """Check that a campaign can start, and seal its survey at the first start; later starts play the sealed copy.

    Raises:
        CampaignNotReadyError: fields or the survey are not ready; the error names them all.
    """
    survey, is_sealed = ready_survey(connection, campaign, now_ms)
    if not is_sealed:
        seal(connection, campaign["id"], survey)


def ready_survey(connection: Connection, campaign: Mapping[str, Any], now_ms: int) -> tuple[Survey, bool]:
    """Return the survey of a campaign that can start, and whether it is sealed already. Nothing is written.

    Raises:
        CampaignNotReadyError: fields or the survey are not ready; the error names them all.
    """
    survey, is_sealed = survey_of(connection, campaign)
    errors = field_errors(connection, campaign, survey, now_ms)
    known = known_names(connection, campaign["id"])
    if not is_sealed:
        errors |= _wrong_survey(survey, known)
    for finding in text_findings(connection, campaign, known):
        if _is_error(finding):
            errors.setdefault(finding.field, []).append(finding.message)
    if errors:
        raise CampaignNotReadyError(errors)
    return survey, is_sealed


def survey_of(connection: Connection, campaign: Mapping[str, Any]) -> tuple[Survey, bool]:
    """Return the survey that a campaign plays or would play, and whether it is sealed already.

    A campaign of text messages plays none.
    """
    if campaign["medium"] != VOICE:
        return Survey(()), True
    survey = sealed_survey(connection, campaign["id"])
    return (read_survey(connection, campaign["object_id"]), False) if survey is None else (survey, True)


def field_errors(connection: Connection, campaign: Mapping[str, Any], survey: Survey, now_ms: int) -> FieldErrors:
    """Return the errors that keep a campaign from starting, by field, without those in its survey."""
    errors = _wrong_fields(campaign, now_ms) | callerid_errors(connection, campaign)
    errors |= line_errors(connection, campaign, survey, now_ms)
    if campaign["medium"] == VOICE:
        errors |= agents_missing(campaign["dial_method"], survey) | _gateway_missing(campaign, survey)
    return errors


def agents_missing(dial_method: int, survey: Survey) -> FieldErrors:
    """Return an error if the dial method needs agents, and the survey transfers no call to a queue."""
    if dial_method == DialMethod.FIXED_RATE or queue_ids_of(survey):
        return {}
    message = Sentence("2 (progressive), 3 (predictive) and 4 (preview) need a survey that transfers calls to a queue.")
    return {"dial_method": [message]}


def _gateway_missing(campaign: Mapping[str, Any], survey: Survey) -> FieldErrors:
    if campaign["sms_gateway_id"] is not None or not sends_messages(survey):
        return {}
    return {"sms_gateway": [Sentence("The survey sends text messages. Set %(field)s.", field=FieldName("sms_gateway"))]}


def _wrong_fields(campaign: Mapping[str, Any], now_ms: int) -> FieldErrors:
    errors: FieldErrors = {}
    if campaign["expirationdate"] <= now_ms:
        errors["expirationdate"] = [
            Sentence("The campaign has expired. Set a later %(field)s.", field=FieldName("expirationdate"))
        ]
    if campaign["medium"] == SMS and not campaign["text_message"].strip():
        errors[TEXT] = [Sentence("The text is empty. Set the text to send.")]
    return errors


def _is_error(finding: Finding) -> bool:
    return finding.level is FindingLevel.ERROR


def _wrong_survey(survey: Survey, known: KnownNames) -> FieldErrors:
    """Return the errors of a survey, at most `FINDINGS_NAMED_MAX`, and the number of the others."""
    sections = {section.id: section for section in survey.sections}
    survey_errors = [finding for finding in check_survey(survey, known) if _is_error(finding)]
    messages: list[str] = [
        finding.message
        if finding.section_id is None or names_section(finding.message)
        else Sentence(
            "Section %(section)s: %(message)s",
            section=named_section(sections[finding.section_id]),
            message=finding.message,
        )
        for finding in survey_errors[:FINDINGS_NAMED_MAX]
    ]
    if len(survey_errors) > FINDINGS_NAMED_MAX:
        more = len(survey_errors) - FINDINGS_NAMED_MAX
        messages.append(Sentence("And %(count)s more: the check of the survey template lists all.", count=more))
    return {"object_id": messages} if messages else {}
