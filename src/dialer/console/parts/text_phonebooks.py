"""The phonebooks whose people get a text: those of a survey, of a campaign of text messages, or of the viewer."""

from collections.abc import Mapping
from typing import Final

from sqlalchemy import select

from dialer.app.campaigns.placeholders import PHONEBOOKS_MAX, phonebooks_of_campaign, phonebooks_of_survey
from dialer.console.parts.record_addresses import identity_in
from dialer.resources.crud import records
from dialer.resources.crud.resource import Unit
from dialer.resources.crud.urls import parse_id
from dialer.resources.records.messages import SMS_CAMPAIGNS
from dialer.resources.records.surveys import SURVEY_TEMPLATES
from dialer.store.tables import Phonebook

TICKED: Final = "phonebook."
"""The beginning of the name of a box with which a phonebook is ticked."""


def phonebooks_of_text(unit: Unit, asked: Mapping[str, str]) -> list[int]:
    """Return the phonebooks of the `survey` or `campaign`, or those asked for, or else the newest of the viewer.

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
    return chosen_phonebooks(unit, asked.get("phonebook", "")) or _newest(unit)


def chosen_phonebooks(unit: Unit, chosen: str) -> list[int]:
    """Return the phonebooks with ids between commas, as far as the viewer sees them."""
    ids = [one for one in map(parse_id, chosen.split(",")[:PHONEBOOKS_MAX]) if one is not None]
    if not ids:
        return []
    query = select(Phonebook.id).where(Phonebook.id.in_(ids)).order_by(Phonebook.id.desc())
    own = query if unit.actor.is_admin else query.where(Phonebook.user_id == unit.actor.sees_as)
    return list(unit.connection.scalars(own))


def ticked_phonebooks(filled: Mapping[str, str]) -> str:
    """Return the ids of the phonebooks in the form or the address of a campaign, with commas between them."""
    ticked = [name.removeprefix(TICKED) for name in filled if name.startswith(TICKED)]
    ids = map(parse_id, ticked or filled.get("phonebook", "").split(","))
    return ",".join(str(one) for one in ids if one is not None)


def _newest(unit: Unit) -> list[int]:
    query = select(Phonebook.id).where(Phonebook.user_id == unit.actor.sees_as).order_by(Phonebook.id.desc())
    return list(unit.connection.scalars(query.limit(PHONEBOOKS_MAX)))
