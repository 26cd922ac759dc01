"""The way to a first campaign: the steps that a user has done."""

from typing import Final, NamedTuple

from sqlalchemy import ColumnElement, Connection, Select, and_, bindparam, exists, false, func, or_, select

from dialer.app.overview.examples import calls_of_examples, example_of
from dialer.domain.calls.plans import SIMULATED, VOICE
from dialer.domain.figures.statistics import Grouping
from dialer.domain.words.enums import CampaignStatus
from dialer.store.database.service_state import read_speech
from dialer.store.queries.selection import is_of
from dialer.store.tables import (
    AuditLog,
    Campaign,
    Contact,
    ExampleCampaign,
    Gateway,
    Phonebook,
    SurveyTemplate,
    UserHour,
)

CAMPAIGN_TRIED: Final = "campaign_tried"
"""The action of a campaign that was tried with a telephone."""
TEST_CALLS: Final = ("trial_call_placed", CAMPAIGN_TRIED)
"""The actions of the audit log that call somebody before a campaign does."""
_HAS_CALLED: Final = and_(
    Campaign.trial_of_id.is_(None),
    Campaign.calls > 0,
    ~exists().where(ExampleCampaign.campaign_id == Campaign.id),
)
# Built once: the overview asks it of everybody, and few have not called yet.
_CALLED_BY_ANY: Final = select(exists().where(_HAS_CALLED))
_CALLED_BY_USER: Final = select(exists().where(Campaign.user_id == bindparam("user"), _HAS_CALLED))


class FirstSteps(NamedTuple):
    """The steps to a first campaign that are done, and the records that they made."""

    has_carrier: bool
    """True if there is a carrier of calls."""
    calls_people: bool
    """True if one of these is not simulated."""
    has_people: bool
    was_called: bool
    """True if a test call was placed: by an admin over a carrier, or with a campaign of the user."""
    was_started: bool
    """True if a campaign has been started."""
    gateway: int | None
    """The id of the first carrier that calls people, for a test call."""
    survey: int | None
    """The id of the newest survey."""
    campaign: int | None
    """The id of the newest campaign."""
    why_silent: str | None
    """Why texts cannot be spoken. Empty: they can. None: the service has no voice."""
    example: int | None = None
    """The id of the example campaign of the viewer, which is no step."""


def has_called(connection: Connection, user_id: int | None) -> bool:
    """Return whether campaigns of a user have called or written to anybody, tests apart; None stands for all users.

    Hours in which nothing but examples called do not count.
    """
    query, values = query_of_called(user_id)
    if connection.scalar(query, values):
        return True
    examples = calls_of_examples(connection, user_id)
    shown = or_(false(), *(_is_all(owner, hour, calls) for (owner, hour), calls in examples.items()))
    total = UserHour.grouping == int(Grouping.TOTAL)
    return bool(connection.scalar(select(exists().where(is_of(UserHour.user_id, user_id), total, ~shown))))


def query_of_called(user_id: int | None) -> tuple[Select[bool], dict[str, int]]:
    """Return the query whether campaigns that exist have called anybody, which settles nearly all of `has_called`."""
    return (_CALLED_BY_ANY, {}) if user_id is None else (_CALLED_BY_USER, {"user": user_id})


def read_first_steps(connection: Connection, user_id: int | None, viewer_id: int) -> FirstSteps:
    """Return the steps to a first campaign that a user has done; None stands for all users.

    Examples count for nothing.
    """
    of_calls = Gateway.medium == VOICE
    own = and_(is_of(Campaign.user_id, user_id), Campaign.trial_of_id.is_(None), _is_no_example())
    is_real = and_(of_calls, Gateway.protocol != SIMULATED)
    of_example = exists().where(ExampleCampaign.phonebook_id == Phonebook.id)
    people = exists().where(Contact.phonebook_id == Phonebook.id, is_of(Phonebook.user_id, user_id), ~of_example)
    shown = exists().where(ExampleCampaign.survey_id == SurveyTemplate.id)
    survey = select(func.max(SurveyTemplate.id)).where(is_of(SurveyTemplate.user_id, user_id), ~shown)
    found = connection.execute(
        select(
            exists().where(of_calls),
            exists().where(is_real),
            people,
            exists().where(AuditLog.action.in_(TEST_CALLS), is_of(AuditLog.user_id, user_id)),
            exists().where(own, Campaign.status != CampaignStatus.NEW),
            select(func.min(Gateway.id)).where(is_real).scalar_subquery(),
            survey.scalar_subquery(),
            select(func.max(Campaign.id)).where(own).scalar_subquery(),
        )
    ).one()
    carrier, real, has_people, was_called, was_started = map(bool, found[:5])
    gateway, newest_survey, campaign = found[5:]
    return FirstSteps(
        has_carrier=carrier,
        calls_people=real,
        has_people=has_people,
        was_called=was_called,
        was_started=was_started,
        gateway=gateway,
        survey=newest_survey,
        campaign=campaign,
        why_silent=read_speech(connection),
        example=example_of(connection, viewer_id),
    )


def _is_all(user_id: int, hour: int, calls: int) -> ColumnElement[bool]:
    """Return the condition that an hour of a user has no more than these calls, and nothing else."""
    is_hour = and_(UserHour.user_id == user_id, UserHour.hour == hour)
    return and_(is_hour, UserHour.calls <= calls, UserHour.messages == 0, UserHour.inbound == 0)


def _is_no_example() -> ColumnElement[bool]:
    return ~exists().where(ExampleCampaign.campaign_id == Campaign.id)
