"""Forecasts: what is likely to come of a campaign, computed beside the service, which goes on as if nobody had asked.

A forecast changes nothing and costs nothing, so it takes no `Idempotency-Key`: it is simply asked for again.
"""

from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from http import HTTPStatus
from typing import Annotated, Final

import anyio
from litestar import Response, post
from litestar.di import NamedDependency
from litestar.openapi.spec import OpenAPIMediaType, Operation, RequestBody, Schema
from litestar.openapi.spec.enums import OpenAPIType
from litestar.params import FromPath

from dialer.api.crud import records
from dialer.api.crud.fields import Integer
from dialer.api.crud.resource import Resource, Unit
from dialer.api.crud.shapes import Parsed, Shape, fields_of, parse_whole
from dialer.api.crud.urls import parse_id
from dialer.api.http.body import ignored_header, read_if_any
from dialer.api.http.errors import AnsweredError, InvalidError, MalformedError, RecordNotFoundError
from dialer.api.records.campaigns import CAMPAIGNS
from dialer.api.records.messages import SMS_CAMPAIGNS
from dialer.api.service import ApiRequest
from dialer.domain.enums import CampaignStatus
from dialer.domain.states import move_campaign
from dialer.forecast.campaign_copy import people_of
from dialer.forecast.forecast import NoCampaignError
from dialer.forecast.order import FIRST_SEED_MAX, SEEDS, SEEDS_MAX, Order
from dialer.forecast.summary import Forecast
from dialer.store.database import Database

FORECAST_WORK_MAX: Final = 100_000
"""Seeds times people whom one request simulates; the command line has no such limit."""
FORECAST_SECONDS_MAX: Final = 120
"""How long one forecast may take."""
BUSY_RETRY_AFTER_S: Final = 10
"""When who met another forecast under way may try again."""
JSON: Final = "application/json"
_LATER: Final = {"Retry-After": str(BUSY_RETRY_AFTER_S)}

Forecasting = Callable[[Database, Order], Awaitable[Forecast]]
"""Computes a forecast: `dialer.forecast.subprocess.forecast_apart`, or one that raises the same."""


class ForecastAsked(Shape):
    """Under how many seeds, and from which on."""

    seeds: Annotated[int, Integer(1, SEEDS_MAX)] = SEEDS
    first_seed: Annotated[int, Integer(0, FIRST_SEED_MAX)] = 0


class Forecaster:
    """Computes forecasts, one at a time: each wants a processor for itself."""

    def __init__(self, forecasting: Forecasting, *, seconds_max: float = FORECAST_SECONDS_MAX) -> None:
        self._forecasting: Final = forecasting
        self._seconds_max: Final = seconds_max
        self._is_busy = False

    async def forecast(self, database: Database, order: Order) -> Forecast:
        """The forecast; an answer in its place if one is under way, or if it takes too long."""
        with self._turn():
            try:
                with anyio.fail_after(self._seconds_max):
                    return await self._forecasting(database, order)
            except TimeoutError:
                detail = f"It took longer than {self._seconds_max} s: ask for fewer seeds. {_elsewhere(order)}"
                raise AnsweredError(HTTPStatus.SERVICE_UNAVAILABLE, detail, _LATER) from None
            except NoCampaignError:
                raise RecordNotFoundError from None

    @contextmanager
    def _turn(self) -> Iterator[None]:
        if self._is_busy:
            raise AnsweredError(HTTPStatus.SERVICE_UNAVAILABLE, "Another forecast is being computed.", _LATER)
        self._is_busy = True
        try:
            yield
        finally:
            self._is_busy = False


@dataclass
class _Asking(Operation):
    """The body, which may be left out."""

    def __post_init__(self) -> None:
        schema = Schema(type=OpenAPIType.OBJECT, description=ForecastAsked.__doc__, properties=dict(_properties()))
        self.request_body = RequestBody(content={JSON: OpenAPIMediaType(schema=schema)}, required=False)


def _properties() -> Iterator[tuple[str, Schema]]:
    for field in fields_of(ForecastAsked):
        schema = field.kind.schema()
        schema.default = field.default
        yield field.name, schema


@post("/campaigns/{record_id:str}/forecast", tags=[CAMPAIGNS.path], status_code=HTTPStatus.OK, operation_class=_Asking)
async def forecast_campaign(
    request: ApiRequest, forecaster: NamedDependency[Forecaster], record_id: FromPath[str]
) -> Response[Forecast]:
    """Forecast a voice campaign: it is run to its end under some seeds, on a copy, and nothing of it is changed.

    Only what is still to come is counted. Other campaigns are left out: the gateways are all this one's, the balance is
    what it is now. One that runs under one of the seeds, with nothing changed on the way, gives exactly that seed's.
    """
    return await _forecast(request, forecaster, (CAMPAIGNS, record_id))


@post(
    "/sms-campaigns/{record_id:str}/forecast",
    tags=[SMS_CAMPAIGNS.path],
    status_code=HTTPStatus.OK,
    operation_class=_Asking,
)
async def forecast_sms_campaign(
    request: ApiRequest, forecaster: NamedDependency[Forecaster], record_id: FromPath[str]
) -> Response[Forecast]:
    """Forecast an SMS campaign: it is run to its end under some seeds, on a copy, and nothing of it is changed.

    Only what is still to come is counted. Other campaigns are left out: the gateways are all this one's, the balance is
    what it is now. One that runs under one of the seeds, with nothing changed on the way, gives exactly that seed's.
    """
    return await _forecast(request, forecaster, (SMS_CAMPAIGNS, record_id))


async def _forecast(request: ApiRequest, forecaster: Forecaster, which: tuple[Resource, str]) -> Response[Forecast]:
    service = request.service
    parsed = parse_whole(ForecastAsked, await read_if_any(request), service.conventions(request))
    work = partial(_order, which=which, parsed=parsed, zone=service.settings.timezone)
    order = await service.read(request, work, is_long=True)
    forecast = await _unless_gone(request, partial(forecaster.forecast, service.database, order))
    return Response(forecast, headers=ignored_header(parsed.ignored))


def _order(unit: Unit, *, which: tuple[Resource, str], parsed: Parsed, zone: str) -> Order:
    """What is to be computed, if the caller may ask for it, the campaign may start, and it is not too much."""
    resource, record_id = which
    identity = parse_id(record_id)
    if identity is None:
        raise RecordNotFoundError
    status = records.load(unit, resource, identity)["status"]
    if parsed.errors:
        raise InvalidError(parsed.errors)
    move_campaign(CampaignStatus(status), CampaignStatus.START)
    order = Order(identity, unit.now_ms, zone, parsed.values["seeds"], parsed.values["first_seed"])
    _refuse_too_much(order, people_of(unit.connection, identity))
    return order


def _refuse_too_much(order: Order, people: int) -> None:
    most = FORECAST_WORK_MAX // max(1, people)
    if order.seeds > most:
        found = f"The campaign has {people} subscribers and contacts: at most {most} seeds. {_elsewhere(order)}"
        raise InvalidError({"seeds": [found]})


def _elsewhere(order: Order) -> str:
    return f"Where the service runs: dialer forecast {order.campaign_id} --seeds {order.seeds}"


async def _unless_gone(request: ApiRequest, compute: Callable[[], Awaitable[Forecast]]) -> Forecast:
    """What is computed, unless the client goes first: then nobody needs it any more."""
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
        except Exception as error:  # noqa: BLE001 - raised below, outside of the group, as what it is
            failure = error
        tasks.cancel_scope.cancel()
    if failure is not None:
        raise failure
    if computed is None:
        raise MalformedError("The client has gone.")
    return computed
