"""The button that forecasts a campaign: a copy of it is run to its end, and the outcome is kept beside it."""

from datetime import datetime
from http import HTTPStatus
from typing import Any, Final, NamedTuple

import msgspec
from litestar import Response, post
from litestar.di import NamedDependency
from litestar.params import FromPath

from dialer.api.actions.forecast import Forecaster, compute_forecast, order_of, seeds_within
from dialer.api.service import ApiRequest
from dialer.app.campaigns.keep_forecast import keep_forecast
from dialer.app.work.errors import InvalidFieldsError, RefusedError
from dialer.console.pages.campaign import check_seen, resource_of, show_campaign_page
from dialer.console.parts.record_addresses import identity_in
from dialer.console.serving.errors import messages_of
from dialer.console.serving.forms import read_fields
from dialer.console.serving.services import ConsoleServices, go_to
from dialer.domain.billing.money import parse_money
from dialer.domain.figures.statistics import HOUR_MS, Figures, Grouping
from dialer.domain.forecast.kept_forecast import ForecastHour, KeptForecast, KeptRuleCost, Spread
from dialer.domain.forecast.rehearsed_rules import RehearsedRule
from dialer.domain.words.reasons import CampaignReason
from dialer.domain.words.states import IllegalMoveError
from dialer.forecast.forecast import CampaignOverError
from dialer.forecast.parameters import CHECK_SEEDS, Order
from dialer.forecast.spreads import CountSpread, DateSpread, MoneySpread
from dialer.forecast.summary import Forecast
from dialer.resources.crud.resource import Unit
from dialer.resources.words.errors import AnsweredError, InvalidError
from dialer.store.queries.statistics import Hours, WhoseCalls, count_calls

RUNS: Final = 10
"""Runs of a forecast, fewer if the campaign is large: somebody waits for them."""
COMPLETED: Final = "completed"
_REFUSALS: Final = (AnsweredError, CampaignOverError, IllegalMoveError, InvalidError, InvalidFieldsError, RefusedError)


class _Before(NamedTuple):
    """The figures of a campaign when its forecast began: of all its calls, and of those of the hour under way."""

    total: Figures
    hour: Figures


@post("/campaigns/{record_id:str}/forecast", media_type="text/html")
async def forecast_campaign(
    request: ApiRequest,
    console: NamedDependency[ConsoleServices],
    forecaster: NamedDependency[Forecaster],
    record_id: FromPath[str],
) -> Response[Any]:
    """Forecast a campaign, and keep the forecast."""
    identity = identity_in(record_id, "campaign")
    fields = await read_fields(request)
    obeyed = {name: True if fields.get(name) else None for name in ("obey_calling_hours", "obey_contact_rules")}

    def begin(unit: Unit) -> tuple[Order, _Before]:
        check_seen(unit, identity)
        seeds = seeds_within(unit, identity, RUNS)
        order = order_of(unit, resource_of(unit, identity), identity, request.service.settings, seeds=seeds)
        return msgspec.structs.replace(order, **obeyed), _before(unit, identity)

    try:
        order, before = await request.service.read(request, begin, is_long=True)
        forecast = await compute_forecast(request, forecaster, order)
        paid = await _if_paid(request, forecaster, order, forecast)
    except _REFUSALS as error:
        return await show_campaign_page(
            request, (console, forecaster), identity, messages_of(error), HTTPStatus.CONFLICT
        )
    kept = msgspec.structs.replace(
        _kept(forecast, order.now_ms, before), obeys_law=bool(order.obey_contact_rules), held=_held(forecast)
    )
    if paid is not None:
        kept = msgspec.structs.replace(kept, cost_if_paid=parse_money(paid.cost.p50) + before.total.cost)

    def keep(unit: Unit) -> None:
        check_seen(unit, identity)
        keep_forecast(unit, identity, kept)

    await request.service.write(request, keep)
    return go_to(f"/console/campaigns/{identity}/")


async def _if_paid(request: ApiRequest, forecaster: Forecaster, order: Order, forecast: Forecast) -> Forecast | None:
    """Return the forecast if the owner's balance suffices, which a short one of its own says if it does not.

    None if the short one is refused or too slow: the forecast that there is stays good without it.
    """
    if all(one.name != CampaignReason.NO_CREDIT for one in forecast.stop_reasons):
        return forecast
    seeds = min(CHECK_SEEDS, order.seeds)
    try:
        return await compute_forecast(request, forecaster, msgspec.structs.replace(order, seeds=seeds, is_rich=True))
    except _REFUSALS:
        return None


def _before(unit: Unit, identity: int) -> _Before:
    scope, hour = WhoseCalls(campaign_id=identity), unit.now_ms // HOUR_MS
    total = count_calls(unit.connection, scope, Grouping.TOTAL, None, 1, by_hour=False)
    present = count_calls(unit.connection, scope, Grouping.TOTAL, Hours(hour, hour + 1), 1, by_hour=False)
    return _Before(*(found[0].figures if found else Figures() for found in (total, present)))


def _kept(forecast: Forecast, now_ms: int, before: _Before) -> KeptForecast:
    present = now_ms // HOUR_MS
    calls, calls_in_hour = (figures.calls + figures.messages for figures in before)
    cost = before.total.cost
    hours = [(_ms(one.hour) // HOUR_MS, one) for one in forecast.per_hour]
    return KeptForecast(
        made_ms=now_ms,
        seeds=forecast.seeds,
        completing=sum(one.count for one in forecast.stop_reasons if one.name == COMPLETED),
        finish_ms=_dates(forecast.finish_date),
        calls=_counts(forecast.calls).plus(calls),
        cost=_amounts(forecast.cost).plus(cost),
        cost_before=cost,
        hours=[
            ForecastHour(
                hour, _counts(one.calls).plus(calls_in_hour * (hour == present)), _amounts(one.cost).plus(cost)
            )
            for hour, one in hours
        ],
        machines=_counts(forecast.machine_answered).plus(before.total.machines),
        obeys_hours=RehearsedRule.CALLING_HOURS in forecast.rules_obeyed,
        queued_per_call=_queued_per_call(forecast),
        calls_in_hour=calls_in_hour,
    )


def _held(forecast: Forecast) -> list[KeptRuleCost]:
    """Return the costs of contact rules, of those that hold somebody back in half of the runs."""
    return [
        KeptRuleCost(one.name, one.people.p50, one.delay.p50 * 1_000, one.too_late.p50)
        for one in forecast.held
        if one.people.p50
    ]


def _queued_per_call(forecast: Forecast) -> float:
    calls = forecast.calls.p50
    return forecast.queues.queued.p50 / calls if forecast.queues and calls else 0.0


def _dates(spread: DateSpread) -> Spread:
    return Spread(_ms(spread.p10), _ms(spread.p50), _ms(spread.p90))


def _counts(spread: CountSpread) -> Spread:
    return Spread(spread.p10, spread.p50, spread.p90)


def _amounts(spread: MoneySpread) -> Spread:
    return Spread(*map(parse_money, (spread.p10, spread.p50, spread.p90)))


def _ms(text: str) -> int:
    return round(datetime.fromisoformat(text).timestamp() * 1_000)
