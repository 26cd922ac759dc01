"""A call that is over, with its inputs, its survey, and the survey from which that was sealed."""

from typing import Final, NamedTuple

from sqlalchemy import Connection, select

from dialer.domain.survey.heard import HeardError, HeardInput, read_heard
from dialer.domain.survey.survey import Survey
from dialer.store.queries.campaigns import ID_MAX
from dialer.store.queries.sealed_surveys import read_survey, sealed_survey
from dialer.store.tables import CallRequest, Campaign, SurveyTemplate

NAME_SHOWN: Final = 64
"""Maximum number of characters of an unknown call in an error message."""


class UnknownCallError(Exception):
    """There is no such call, or it cannot be replayed; the message is one line."""


class FinishedCall(NamedTuple):
    """A finished call, with the inputs that a replay needs."""

    id: int
    campaign_id: int
    campaign: str
    number: str
    started_ms: int
    heard: tuple[HeardInput, ...]
    survey: Survey
    """The survey that the campaign plays."""
    template_name: str
    template: Survey | None
    """The survey as it is now; None if it was deleted."""


def finished_call(connection: Connection, named: str) -> FinishedCall:
    """Return a call that is over, given by the id of its call request or by its call ID.

    Raises:
        UnknownCallError: there is none, it is in progress, or no survey was played in it.
    """
    is_number = named.isascii() and named.isdigit() and len(named) <= len(str(ID_MAX)) and int(named) <= ID_MAX
    is_it = CallRequest.id == int(named) if is_number else CallRequest.callid == named
    call = connection.execute(select(CallRequest.__table__).where(is_it)).mappings().one_or_none()
    if call is None:
        raise UnknownCallError(f"there is no call {named[:NAME_SHOWN]}: give the id of a call request, or a call ID")
    if call["ended_ms"] is None:
        raise UnknownCallError(f"call {call['id']} is in progress: replay it when it is over")
    survey = sealed_survey(connection, call["campaign_id"])
    try:
        heard = read_heard(call["heard"])
    except HeardError as error:
        raise UnknownCallError(f"the inputs of call {call['id']} cannot be read: {error}") from None
    if survey is None or not heard:
        raise UnknownCallError(f"no survey was played in call {call['id']}")
    campaign = connection.execute(
        select(Campaign.name, Campaign.object_id, SurveyTemplate.name.label("template"))
        .join(SurveyTemplate, SurveyTemplate.id == Campaign.object_id, isouter=True)
        .where(Campaign.id == call["campaign_id"])
    ).one()
    return FinishedCall(
        call["id"],
        call["campaign_id"],
        campaign.name,
        call["callerid"] if call["attempt"] < 0 else call["phone_number"],
        call["started_ms"],
        heard,
        survey,
        campaign.template or "",
        None if campaign.template is None else read_survey(connection, campaign.object_id),
    )
