"""`GET …/statistics/`: the figures of a campaign, or of all campaigns of the caller."""

from typing import Final

from litestar import get
from litestar.params import FromPath

from dialer.api.http.known_parameters import LISTS_OPTION, PARAMETERS_OPTION
from dialer.api.routes.statistics_answer import (
    AFTER,
    BEFORE,
    GROUP_BY,
    INTERVAL,
    ZONE,
    statistics_answer,
    statistics_question,
)
from dialer.api.routes.statistics_shapes import StatisticsRead
from dialer.api.service import ApiRequest
from dialer.app.campaigns.statistics import RowsAsked, TooManyRowsError, read_statistics
from dialer.domain.words.sentences import message_of
from dialer.resources.crud import records
from dialer.resources.crud.fields import FieldError
from dialer.resources.crud.resource import Resource, Unit
from dialer.resources.crud.urls import identity_in
from dialer.resources.records.campaigns import CAMPAIGNS
from dialer.resources.records.messages import SMS_CAMPAIGNS
from dialer.resources.records.purposes import PURPOSE, PURPOSES
from dialer.resources.words.errors import InvalidError
from dialer.store.queries.currencies import currency_of_sums
from dialer.store.queries.statistics import WhoseCalls

_KNOWN: Final = {LISTS_OPTION: (), PARAMETERS_OPTION: (INTERVAL, GROUP_BY, ZONE, AFTER, BEFORE)}
_KNOWN_OF_ALL: Final = {LISTS_OPTION: (), PARAMETERS_OPTION: (INTERVAL, GROUP_BY, ZONE, AFTER, BEFORE, PURPOSE)}


@get("/campaigns/{record_id:str}/statistics", tags=[CAMPAIGNS.path], opt=_KNOWN)
async def read_campaign_statistics(request: ApiRequest, record_id: FromPath[str]) -> StatisticsRead:
    """Return the statistics of a voice campaign. The cost does not depend on the number of calls."""
    return await _read(request, CAMPAIGNS, record_id)


@get("/sms-campaigns/{record_id:str}/statistics", tags=[SMS_CAMPAIGNS.path], opt=_KNOWN)
async def read_sms_campaign_statistics(request: ApiRequest, record_id: FromPath[str]) -> StatisticsRead:
    """Return the statistics of an SMS campaign. The cost does not depend on the number of messages."""
    return await _read(request, SMS_CAMPAIGNS, record_id)


@get("/statistics", tags=[CAMPAIGNS.path], opt=_KNOWN_OF_ALL)
async def read_all_statistics(request: ApiRequest) -> StatisticsRead:
    """Return the statistics of all campaigns of the caller, deleted ones included unless a purpose is asked for.

    An admin gets those of everyone, a viewer those of the manager.
    """
    return await _read(request, None, "")


async def _read(request: ApiRequest, resource: Resource | None, record_id: str) -> StatisticsRead:
    identity = None if resource is None else identity_in(record_id)
    question = statistics_question(request.query_params, request.service.conventions(request))
    purpose = _purpose(request) if resource is None else None
    return await request.service.read(request, lambda unit: _statistics(unit, resource, identity, question, purpose))


def _purpose(request: ApiRequest) -> str | None:
    """Return the purpose of the campaigns that are asked for; None for all."""
    asked = request.query_params.get(PURPOSE)
    if asked is None:
        return None
    try:
        return PURPOSES.parse(asked, request.service.conventions(request))
    except FieldError as error:
        raise InvalidError({PURPOSE: [message_of(error)]}) from None


def _statistics(
    unit: Unit, resource: Resource | None, identity: int | None, question: RowsAsked, purpose: str | None
) -> StatisticsRead:
    links = unit.conventions.links
    campaign = None
    account_id = None if unit.actor.is_admin else unit.actor.sees_as
    scope = WhoseCalls(user_id=account_id, purpose=purpose)
    if resource is not None and identity is not None:
        account_id = records.load(unit, resource, identity)["user_id"]
        scope, campaign = WhoseCalls(campaign_id=identity), links.record(resource.path, identity)
    try:
        found = read_statistics(unit.connection, scope, question, unit.now_ms)
    except TooManyRowsError as error:
        raise InvalidError({INTERVAL: [message_of(error)]}) from None
    currency = currency_of_sums(unit.connection, account_id, unit.conventions.currency)
    return statistics_answer(found, campaign, question, links, currency)
