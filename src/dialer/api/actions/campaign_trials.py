"""Trials of campaigns for the API and the console: what is asked for, the order, and what came of it."""

from collections.abc import Callable
from typing import Any, Final

from sqlalchemy import ColumnElement, select

from dialer.api.service import ApiRequest
from dialer.app.campaigns.campaign_trials import CampaignTrial, begin_trial
from dialer.app.campaigns.trial_calls import TrialRules
from dialer.app.campaigns.trial_progress import TrialView, newest_trial, stop_trials
from dialer.resources.crud.declaration import writable
from dialer.resources.crud.fields import Boolean, PhoneNumber
from dialer.resources.crud.resource import Unit
from dialer.resources.crud.shapes import Given, parse_whole, request_shape
from dialer.resources.records.campaign_life import new_code
from dialer.resources.words.errors import InvalidError, RecordNotFoundError
from dialer.store.tables import Campaign

Seen = Callable[[Unit], ColumnElement[bool]]
"""Returns the condition that a campaign may be tried, or looked at, by the caller."""

OwnTestAsked: Final = request_shape(
    "OwnTestAsked",
    {
        "number": writable(PhoneNumber(), "Your own telephone, with its country code."),
        "any_hour": writable(
            Boolean(),
            "True if it is your own telephone, and wants the test also outside of the calling hours.",
            default=False,
        ),
    },
    "The telephone that a test of a campaign reaches.",
)


async def begin(request: ApiRequest, campaign_id: int, seen: Seen, given: Given) -> tuple[str, ...]:
    """Try a campaign with a telephone; return the names of fields that were ignored.

    Raises:
        InvalidError: a field has a wrong value.
        InvalidFieldsError: the number may not be called by a test, or the campaign lacks what a start needs.
        RecordNotFoundError: there is no such campaign, or the caller may not see it.
        RefusedError: the number may not be called, or not now.
    """
    service = request.service
    parsed = parse_whole(OwnTestAsked, given, service.conventions(request))
    if parsed.errors:
        raise InvalidError(parsed.errors)
    values: dict[str, Any] = parsed.values

    def work(unit: Unit) -> int:
        _check_seen(unit, campaign_id, seen)
        order = CampaignTrial(campaign_id, values["number"], values["any_hour"], unit.actor.id, new_code(unit))
        return begin_trial(unit, order, rules_of(unit))

    await service.write(request, work)
    return parsed.ignored


async def look(request: ApiRequest, campaign_id: int, seen: Seen) -> TrialView | None:
    """Return the newest trial of a campaign; None if there was none.

    Raises:
        RecordNotFoundError: there is no such campaign, or the caller may not see it.
    """

    def read(unit: Unit) -> TrialView | None:
        _check_seen(unit, campaign_id, seen)
        return newest_trial(unit.connection, campaign_id, unit.now_ms, rules_of(unit))

    return await request.service.read(request, read)


async def stop(request: ApiRequest, campaign_id: int, seen: Seen) -> None:
    """Hang up the trial of a campaign, or take it back.

    Raises:
        RecordNotFoundError: there is no such campaign, or the caller may not see it.
    """

    def work(unit: Unit) -> None:
        _check_seen(unit, campaign_id, seen)
        stop_trials(unit, Campaign.id == campaign_id)

    await request.service.write(request, work)


def rules_of(unit: Unit) -> TrialRules:
    """Return the rules by which a number is judged."""
    conventions = unit.conventions
    return TrialRules(conventions.region, str(conventions.zone), conventions.hours)


def _check_seen(unit: Unit, campaign_id: int, seen: Seen) -> None:
    if unit.connection.scalar(select(Campaign.id).where(Campaign.id == campaign_id, seen(unit))) is None:
        raise RecordNotFoundError("There is no such campaign, or it is not yours.")
