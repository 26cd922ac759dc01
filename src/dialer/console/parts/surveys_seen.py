"""Surveys that the viewer may see."""

from sqlalchemy import select

from dialer.domain.survey.sections.table import queue_ids_of
from dialer.resources.crud.resource import Unit
from dialer.resources.crud.visibility import visible
from dialer.resources.records.surveys import SURVEY_TEMPLATES
from dialer.store.queries.sealed_surveys import read_survey
from dialer.store.tables import SurveyTemplate


def leads_to_queue(unit: Unit, survey_id: int | None) -> bool:
    """Return whether a visible survey can transfer a call to a queue."""
    if survey_id is None:
        return False
    query = select(SurveyTemplate.id).where(
        SurveyTemplate.id == survey_id, visible(SURVEY_TEMPLATES, unit.actor, unit.resources)
    )
    found = unit.connection.scalar(query, {"actor_id": unit.actor.sees_as})
    return found is not None and bool(queue_ids_of(read_survey(unit.connection, survey_id)))
