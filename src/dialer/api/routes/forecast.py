"""Forecasts over the API, computed in a separate process.

A forecast changes nothing and costs nothing, so the request takes no `Idempotency-Key`; a client can repeat it.
"""

from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from functools import partial
from http import HTTPStatus
from typing import Final

import anyio
from litestar import Response, post
from litestar.di import NamedDependency
from litestar.params import FromPath

from dialer.api.crud import records
from dialer.api.crud.declaration import writable
from dialer.api.crud.fields import Integer
from dialer.api.crud.properties import describe_request
from dialer.api.crud.resource import Resource, Unit
from dialer.api.crud.shapes import Parsed, parse_whole, request_shape
from dialer.api.crud.urls import parse_id
from dialer.api.http.body import read_if_any
from dialer.api.http.errors import AnsweredError, ConflictError, InvalidError, MalformedError, RecordNotFoundError
from dialer.api.http.ignored import ignored_header
from dialer.api.records.campaigns import CAMPAIGNS
from dialer.api.records.messages import SMS_CAMPAIGNS
from dialer.api.service import ApiRequest
from dialer.forecast.campaign_copy import people_of
from dialer.forecast.forecast import CampaignOverError, NoCampaignError, check_not_over
from dialer.forecast.order import FIRST_SEED_MAX, SEEDS, SEEDS_MAX, Order
from dialer.forecast.summary import Forecast
from dialer.settings import Settings
from dialer.store.database import Database

FORECAST_WORK_MAX: Final = 100_000
"""The largest product of seeds and people for one request; the command line has no such limit."""
FORECAST_SECONDS_MAX: Final = 120
"""The longest time that one forecast may take."""
BUSY_RETRY_AFTER_S: Final = 10
"""The time after which a client may try again if another forecast is running."""
JSON: Final = "application/json"
_LATER: Final = {"Retry-After": str(BUSY_RETRY_AFTER_S)}

Forecasting = Callable[[Database, Order], Awaitable[Forecast]]
"""Computes a forecast: `forecast_in_subprocess`, or a function that raises the same errors."""


ForecastAsked: Final = request_shape(
    "ForecastAsked",
    {
        "seeds": writable(
            Integer(1, SEEDS_MAX),
            default=SEEDS,
            description="The number of runs, each with the next seed. More runs give steadier percentiles.",
        ),
        "first_seed": writable(
            Integer(0, FIRST_SEED_MAX), default=0, description="The seed of the first run.", example=1
        ),
    },
    "The number of seeds of a forecast, and the first seed.",
)


class Forecaster:
    """The computation of forecasts, one at a time, because each keeps one processor busy."""

    def __init__(self, forecasting: Forecasting, *, seconds_max: float = FORECAST_SECONDS_MAX) -> None:
        self._forecasting: Final = forecasting
        self._seconds_max: Final = seconds_max
        self._is_busy = False

    async def forecast(self, database: Database, order: Order) -> Forecast:
        """Return the forecast.

        Raises:
            AnsweredError: another forecast is being computed, or this one takes too long.
            InvalidError: the campaign lacks something that a start needs.
            RecordNotFoundError: the campaign has been deleted.
        """
        with self._turn():
            try:
                with anyio.fail_after(self._seconds_max):
                    return await self._forecasting(database, order)
            except TimeoutError:
                detail = f"The forecast took over {self._seconds_max} s. Ask for fewer seeds. {_elsewhere(order)}"
                raise AnsweredError(HTTPStatus.SERVICE_UNAVAILABLE, detail, _LATER) from None
            except NoCampaignError:
                raise RecordNotFoundError from None

    @contextmanager
    def _turn(self) -> Iterator[None]:
        if self._is_busy:
            detail = f"Another forecast is running. Try again in {BUSY_RETRY_AFTER_S} s."
            raise AnsweredError(HTTPStatus.SERVICE_UNAVAILABLE, detail, _LATER)
        self._is_busy = True
        try:
            yield
        finally:
            self._is_busy = False


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
        forecast = await _unless_gone(request, partial(forecaster.forecast, service.database, order))
    except CampaignOverError as error:
        raise ConflictError(str(error)) from None
    return Response(forecast, headers=ignored_header(parsed.ignored))


def _order(unit: Unit, *, which: tuple[Resource, str], parsed: Parsed, settings: Settings) -> Order:
    """Return the forecast to compute.

    Raises:
        RecordNotFoundError: the campaign does not exist, or the caller may not see it.
        InvalidError: a field is wrong, or the forecast is too large.
        CampaignOverError: the campaign has ended.
    """
    resource, record_id = which
    identity = parse_id(record_id)
    if identity is None:
        raise RecordNotFoundError
    campaign = records.load(unit, resource, identity)
    if parsed.errors:
        raise InvalidError(parsed.errors)
    check_not_over(campaign)
    seeds, first_seed = parsed.values["seeds"], parsed.values["first_seed"]
    order = Order(identity, unit.now_ms, settings.timezone, seeds, first_seed, settings.calling_hours)
    _refuse_too_much(order, people_of(unit.connection, identity))
    return order


def _refuse_too_much(order: Order, people: int) -> None:
    most = FORECAST_WORK_MAX // max(1, people)
    if order.seeds > most:
        found = f"The campaign has {people} subscribers and contacts. Ask for at most {most} seeds. {_elsewhere(order)}"
        raise InvalidError({"seeds": [found]})


def _elsewhere(order: Order) -> str:
    return (
        f"Without this limit, on the machine of the service: dialer forecast {order.campaign_id} --seeds {order.seeds}"
    )


async def _unless_gone(request: ApiRequest, compute: Callable[[], Awaitable[Forecast]]) -> Forecast:
    """Return the computed forecast; stop the computation if the client disconnects."""
    computed: Forecast | None = None
    failure: Exception | None = None
    async with anyio.create_task_group() as tasks:

        async def watch() -> None:
            while (await request.receive())["type"] != "http.disconnect":
                pass
            tasks.cancel_scope.cancel()

        tasks.start_soon(watch)
        try:
            computed = await compute()
        except Exception as error:  # noqa: BLE001 - raised after the task group, which would wrap it
            failure = error
        tasks.cancel_scope.cancel()
    if failure is not None:
        raise failure
    if computed is None:
        raise MalformedError("The client has disconnected.")
    return computed
