"""The phonebooks whose people get a text: those of a survey, of a campaign of text messages, or of the viewer."""

from collections.abc import Mapping

from sqlalchemy import select

from dialer.app.campaigns.placeholders import PHONEBOOKS_MAX, phonebooks_of_campaign, phonebooks_of_survey
from dialer.console.parts.record_addresses import identity_in
from dialer.resources.crud import records
from dialer.resources.crud.resource import Unit
from dialer.resources.records.messages import SMS_CAMPAIGNS
from dialer.resources.records.surveys import SURVEY_TEMPLATES
from dialer.store.tables import Phonebook


def phonebooks_of_text(unit: Unit, asked: Mapping[str, str]) -> list[int]:
    """Return the phonebooks of the `survey` or of the `campaign` that is asked for, else the newest of the viewer.

    Raises:
        RecordNotFoundError: there is no such record, or the viewer may not see it.
    """
    if asked.get("survey"):
        survey = identity_in(asked["survey"])
        owner_id = int(records.load(unit, SURVEY_TEMPLATES, survey)["user_id"])
        return phonebooks_of_survey(unit.connection, survey, owner_id)
    if asked.get("campaign"):
        campaign = identity_in(asked["campaign"])
        records.require_seen(unit, SMS_CAMPAIGNS, campaign)
        return phonebooks_of_campaign(unit.connection, campaign)
    query = select(Phonebook.id).where(Phonebook.user_id == unit.actor.sees_as).order_by(Phonebook.id.desc())
    return list(unit.connection.scalars(query.limit(PHONEBOOKS_MAX)))
