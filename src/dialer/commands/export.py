"""`dialer export`: records as documents."""

import rich_click as click
from sqlalchemy import select

from dialer.commands.open_service import open_service
from dialer.commands.output import print_json
from dialer.sim.survey_document import document_of
from dialer.store.queries.campaigns import ID_MAX
from dialer.store.sealed_surveys import read_survey
from dialer.store.tables import SurveyTemplate


def survey(survey_id: int) -> None:
    """Print a survey as JSON: the `survey` part of a scenario."""
    is_it = SurveyTemplate.id == min(survey_id, ID_MAX)
    with open_service() as service:
        known = service.database.read_now(lambda connection: connection.scalar(select(SurveyTemplate.id).where(is_it)))
        if known is None:
            raise click.ClickException(f"there is no survey {survey_id}")
        found = service.database.read_now(lambda connection: read_survey(connection, known))
    print_json(document_of(found))
