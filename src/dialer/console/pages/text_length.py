"""The length of a text message while it is typed: characters, parts, and the letters that make it dear."""

from typing import Any, Final

from litestar import Response, post
from sqlalchemy import select

from dialer.api.service import ApiRequest
from dialer.app.campaigns.placeholders import PHONEBOOKS_MAX, phonebooks_of_campaign, phonebooks_of_survey
from dialer.app.campaigns.texts_to_send import Person, example_person
from dialer.console.parts.record_addresses import identity_in
from dialer.console.parts.rendering import html, render
from dialer.console.serving.forms import read_fields
from dialer.domain.messages.templates import fill
from dialer.domain.messages.text_length import length_of
from dialer.resources.crud import records
from dialer.resources.crud.resource import Unit
from dialer.resources.records.messages import SMS_CAMPAIGNS
from dialer.resources.records.surveys import SURVEY_TEMPLATES
from dialer.store.tables import Phonebook

TEXT_MAX: Final = 10_000
"""Characters of a text that are measured; forms refuse longer ones."""


@post("/text-length", media_type="text/html")
async def measure_text(request: ApiRequest) -> Response[Any]:
    """Say how long a text is, as the first person of its campaign, survey or owner gets it."""
    filled = await read_fields(request)
    text = filled.get("text", "")[:TEXT_MAX]
    person = await request.service.read(request, lambda unit: _person(unit, filled)) if "{" in text else None
    received = text if person is None else fill(text, *person)
    name = "" if person is None else person[0].strip() or person[2]
    return html(render("text_length.html", length=length_of(received), name=name))


def _person(unit: Unit, filled: dict[str, str]) -> Person | None:
    return example_person(unit.connection, _phonebooks(unit, filled))


def _phonebooks(unit: Unit, filled: dict[str, str]) -> list[int]:
    if filled.get("survey"):
        survey = identity_in(filled["survey"])
        owner_id = int(records.load(unit, SURVEY_TEMPLATES, survey)["user_id"])
        return phonebooks_of_survey(unit.connection, survey, owner_id)
    if filled.get("campaign"):
        campaign = identity_in(filled["campaign"])
        records.require_seen(unit, SMS_CAMPAIGNS, campaign)
        return phonebooks_of_campaign(unit.connection, campaign)
    query = select(Phonebook.id).where(Phonebook.user_id == unit.actor.sees_as).order_by(Phonebook.id.desc())
    return list(unit.connection.scalars(query.limit(PHONEBOOKS_MAX)))
