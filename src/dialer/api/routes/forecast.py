"""Forecasts over the API, computed in a separate process.

A forecast changes nothing and costs nothing, so the request takes no `Idempotency-Key`; a client can repeat it.
"""

from functools import partial
from http import HTTPStatus
from typing import Final

import msgspec
from litestar import Response, post
from litestar.di import NamedDependency
from litestar.params import FromPath

from dialer.api.actions.forecast import OBEY_CALLING_HOURS, OBEY_CONTACT_RULES, Forecaster, compute_forecast, order_of
from dialer.api.http.body import read_if_any
from dialer.api.service import ApiRequest
from dialer.app.work.errors import ErrorCode
from dialer.domain.words.sentences import message_of
from dialer.forecast.forecast import CampaignOverError
from dialer.forecast.parameters import FIRST_SEED_MAX, SEEDS, SEEDS_MAX, Order
from dialer.forecast.summary import Forecast
from dialer.resources.crud import records
from dialer.resources.crud.declaration import writable
from dialer.resources.crud.fields import Integer
from dialer.resources.crud.properties import describe_request
from dialer.resources.crud.resource import Resource, Unit
from dialer.resources.crud.shapes import Parsed, parse_whole, request_shape
from dialer.resources.crud.urls import identity_in
from dialer.resources.records.campaigns import CAMPAIGNS
from dialer.resources.records.messages import SMS_CAMPAIGNS
from dialer.resources.words.errors import ConflictError, InvalidError
from dialer.resources.words.ignored import ignored_header
from dialer.settings import Settings

ForecastAsked: Final = request_shape(
    "ForecastAsked",
    {
        "seeds": writable(
            Integer(1, SEEDS_MAX),
            "The number of runs, each with the next seed. More runs give steadier percentiles.",
            default=SEEDS,
        ),
        "first_seed": writable(Integer(0, FIRST_SEED_MAX), "The seed of the first run.", default=0, example=1),
        "obey_calling_hours": OBEY_CALLING_HOURS,
        "obey_contact_rules": OBEY_CONTACT_RULES,
    },
    "The number of seeds of a forecast, the first seed, and whether it obeys the calling hours and rows of law.",
)
_BODY: Final = describe_request(ForecastAsked, is_required=False)


@post("/campaigns/{record_id:str}/forecast", tags=[CAMPAIGNS.path], status_code=HTTPStatus.OK, operation_class=_BODY)
async def forecast_campaign(
    request: ApiRequest, forecaster: NamedDependency[Forecaster], record_id: FromPath[str]
) -> Response[Forecast]:
    """Forecast a voice campaign: run a copy of it to its end, once for each seed. The campaign itself does not change.

    The forecast counts only calls from now on. Other campaigns are left out: the copy has all gateways to itself, and
    the present balance. A service that runs with one of the seeds, and is not changed meanwhile, has exactly the
    forecast outcome. A forecast of a campaign that has ended is refused.
    """
    return await _forecast(request, forecaster, (CAMPAIGNS, record_id))


@post(
    "/sms-campaigns/{record_id:str}/forecast",
    tags=[SMS_CAMPAIGNS.path],
    status_code=HTTPStatus.OK,
    operation_class=_BODY,
)
async def forecast_sms_campaign(
    request: ApiRequest, forecaster: NamedDependency[Forecaster], record_id: FromPath[str]
) -> Response[Forecast]:
    """Forecast an SMS campaign: run a copy of it to its end, once for each seed. The campaign itself does not change.

    The forecast counts only messages from now on. Other campaigns are left out: the copy has all gateways to itself,
    and the present balance. A service that runs with one of the seeds, and is not changed meanwhile, has exactly the
    forecast outcome. A forecast of a campaign that has ended is refused.
    """
    return await _forecast(request, forecaster, (SMS_CAMPAIGNS, record_id))


async def _forecast(request: ApiRequest, forecaster: Forecaster, which: tuple[Resource, str]) -> Response[Forecast]:
    service = request.service
    parsed = parse_whole(ForecastAsked, await read_if_any(request), service.conventions(request))
    work = partial(_order, which=which, parsed=parsed, settings=service.settings)
    try:
        order = await service.read(request, work, is_long=True)
        forecast = await compute_forecast(request, forecaster, order)
    except CampaignOverError as error:
        raise ConflictError(message_of(error), code=ErrorCode.CAMPAIGN_OVER) from None
    return Response(forecast, headers=ignored_header(parsed.ignored))


def _order(unit: Unit, *, which: tuple[Resource, str], parsed: Parsed, settings: Settings) -> Order:
    """Return the forecast to compute.

    Raises:
        RecordNotFoundError: the campaign does not exist, or the caller may not see it.
        InvalidError: a field is wrong, or the forecast is too large.
        CampaignOverError: the campaign has ended.
    """
    resource, record_id = which
    identity = identity_in(record_id)
    records.load(unit, resource, identity)
    if parsed.errors:
        raise InvalidError(parsed.errors)
    seeds, first_seed = parsed.values["seeds"], parsed.values["first_seed"]
    order = order_of(unit, resource, identity, settings, seeds=seeds, first_seed=first_seed)
    obeyed = {name: parsed.values[name] for name in ("obey_calling_hours", "obey_contact_rules")}
    return msgspec.structs.replace(order, **obeyed)
