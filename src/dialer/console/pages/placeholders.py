"""The placeholders that a text can have: built-in names, and the columns of the phonebooks that it concerns."""

from typing import Any, Final

from litestar import Response, get
from sqlalchemy import select

from dialer.api.service import ApiRequest
from dialer.app.campaigns.placeholders import (
    BUILT_IN_OFFERED,
    PHONEBOOKS_MAX,
    offered_names,
    phonebooks_of_campaign,
    phonebooks_of_survey,
)
from dialer.console.parts.record_addresses import identity_in
from dialer.console.serving.services import page
from dialer.resources.crud import records
from dialer.resources.crud.resource import Unit
from dialer.resources.records.messages import SMS_CAMPAIGNS
from dialer.resources.records.surveys import SURVEY_TEMPLATES
from dialer.store.tables import Phonebook

PLACE: Final = "surveys"


@get("/placeholders", media_type="text/html")
async def show_placeholders(request: ApiRequest) -> Response[Any]:
    """Show the placeholders for a survey, for a campaign of text messages, or for any text of the viewer's."""
    asked = request.query_params
    survey, campaign = (identity_in(asked[name]) if asked.get(name) else None for name in ("survey", "campaign"))
    names = await request.service.read(request, lambda unit: _names(unit, survey, campaign))
    return page(request, "placeholders.html", PLACE, names=names, has_columns=len(names) > len(BUILT_IN_OFFERED))


def _names(unit: Unit, survey: int | None, campaign: int | None) -> list[str]:
    connection = unit.connection
    if survey is not None:
        owner_id = int(records.load(unit, SURVEY_TEMPLATES, survey)["user_id"])
        return offered_names(connection, phonebooks_of_survey(connection, survey, owner_id))
    if campaign is not None:
        records.require_seen(unit, SMS_CAMPAIGNS, campaign)
        return offered_names(connection, phonebooks_of_campaign(connection, campaign))
    query = select(Phonebook.id).where(Phonebook.user_id == unit.actor.sees_as).order_by(Phonebook.id.desc())
    return offered_names(connection, connection.scalars(query.limit(PHONEBOOKS_MAX)).all())
