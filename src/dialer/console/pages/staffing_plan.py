"""The staffing plan of a queue: a form for what is promised, and the agents that each half hour needs."""

from collections.abc import Mapping, Sequence
from datetime import date, datetime, time, timedelta
from functools import partial
from http import HTTPStatus
from typing import Any, Final, NamedTuple
from zoneinfo import ZoneInfo

import anyio.to_thread
from litestar import Response, get
from litestar.params import FromPath

from dialer.api.actions.staffing_plan import (
    CAMPAIGN,
    NUMBERS,
    TIMES,
    VOLUMES,
    Bounds,
    PlanQuestion,
    history_for,
    plan_question,
    require_campaign,
)
from dialer.api.service import ApiRequest
from dialer.app.campaigns.keep_forecast import forecasts_for_queue
from dialer.console.charts.columns import ColumnChart, draw_columns
from dialer.console.pages.campaigns import seen_campaigns
from dialer.console.parts.record_addresses import identity_in
from dialer.console.parts.rendering import decimal, percentage
from dialer.console.parts.sheets import Sheet, SheetColumn, Value, ValueKind, answer_sheet
from dialer.console.parts.zones import zone_of
from dialer.console.serving.errors import messages_of
from dialer.console.serving.services import page
from dialer.console.words.catalogue import PAGES
from dialer.console.words.language import gettext, gettext_noop
from dialer.domain.queueing.typed_volumes import EXAMPLE, TEXT_MAX
from dialer.domain.words.sentences import message_of
from dialer.forecast.queue_history import PlanSource, QueueHistory
from dialer.forecast.staffing_plan import PlannedHalfHour, StaffingPlan, StaffingPlanError, plan_of
from dialer.resources.crud import records
from dialer.resources.crud.resource import Unit
from dialer.resources.records.queues import QUEUES
from dialer.resources.words.errors import InvalidError
from dialer.store.queries.able_agents import able_agents
from dialer.store.queries.queue_loads import was_dialled_for_agents

DAY: Final = "day"
"""The parameter of the address with the day that is shown."""
WEEKDAY_WORDS: Final[Mapping[str, str]] = {
    "monday": gettext_noop("Monday"),
    "tuesday": gettext_noop("Tuesday"),
    "wednesday": gettext_noop("Wednesday"),
    "thursday": gettext_noop("Thursday"),
    "friday": gettext_noop("Friday"),
    "saturday": gettext_noop("Saturday"),
    "sunday": gettext_noop("Sunday"),
}
TITLES: Final[Mapping[str, str]] = {
    "weeks": gettext_noop("Weeks of the past"),
    "service_level": gettext_noop("Taken in time, % at least"),
    "within": gettext_noop("In time is, seconds"),
    "abandoned": gettext_noop("Wait over 2 s, % at most"),
    "busy": gettext_noop("Agents busy, % at most"),
    "shrinkage": gettext_noop("Paid time not at work, %"),
    "change": gettext_noop("More calls than before, %"),
}
TIME_TITLES: Final[Mapping[str, str]] = {
    "talk_time": gettext_noop("Talk, seconds"),
    "ring_time": gettext_noop("Agent's telephone rings, seconds"),
    "wrap_up_time": gettext_noop("Time after the call, seconds"),
}
_COLUMNS: Final = (
    SheetColumn(gettext_noop("Day"), ValueKind.TEXT),
    SheetColumn(gettext_noop("Half hour"), ValueKind.TEXT),
    SheetColumn(gettext_noop("Calls")),
    SheetColumn(
        gettext_noop("Handling time"),
        ValueKind.SECONDS,
        gettext_noop("Ringing of the agent's telephone, talk and time after the call."),
    ),
    SheetColumn(gettext_noop("Agents at work")),
    SheetColumn(
        gettext_noop("People on the roster"), hint=gettext_noop("More than agents at work, as some are not there.")
    ),
    SheetColumn(
        gettext_noop("Falls short of"), ValueKind.TEXT, gettext_noop("Goals that are missed by more than chance.")
    ),
    SheetColumn(gettext_noop("Taken in time"), ValueKind.SHARE, gettext_noop("By Erlang C.")),
    SheetColumn(gettext_noop("Wait over 2 s"), ValueKind.SHARE, gettext_noop("By Erlang C.")),
    SheetColumn(gettext_noop("Agents are busy"), ValueKind.SHARE, gettext_noop("By Erlang C.")),
)
_SIMULATED: Final = (
    gettext_noop("Simulated: taken in time"),
    gettext_noop("Simulated: wait over 2 s"),
    gettext_noop("Simulated: busy"),
)
_MARGINS: Final = (
    gettext_noop("Margin: taken in time"),
    gettext_noop("Margin: wait over 2 s"),
    gettext_noop("Margin: busy"),
)
_SHORT: Final[Mapping[str, str]] = {
    "service_level": gettext_noop("Taken in time"),
    "abandoned": gettext_noop("Wait over 2 s"),
    "busy": gettext_noop("Agents are busy"),
}
"""The words for goals that are missed."""
_HALF_HOUR: Final = 30


class NumberInput(NamedTuple):
    """A number of the form: its name, title, value and bounds."""

    name: str
    title: str
    value: str
    bounds: Bounds


@get("/queues/{record_id:str}/staffing", media_type="text/html")
async def show_staffing_plan(request: ApiRequest, record_id: FromPath[str]) -> Response[Any]:
    """Show the plan of a queue: by default for the day with the most people."""
    identity = identity_in(record_id)
    name, campaigns, staff = await request.service.read(
        request, lambda unit: (_name(unit, identity), _campaigns(unit, identity), _staff(unit, identity))
    )
    query, messages, plan, status = request.query_params, list[str](), None, HTTPStatus.OK
    try:
        plan = await _plan(request, identity, name)
    except InvalidError as error:
        messages, status = messages_of(error), HTTPStatus.BAD_REQUEST
    except StaffingPlanError as error:
        messages = messages_of(error)
    days = [] if plan is None else list(dict.fromkeys(one.weekday for one in plan.half_hours))
    day = query.get(DAY, "")
    shown = day if day in days or plan is None else max(plan.half_hours, key=lambda one: one.people).weekday
    is_past = plan is None or plan.rests_on == PlanSource.PAST
    half_hours = [] if plan is None else [one for one in plan.half_hours if one.weekday == shown]
    return page(
        request,
        "staffing_plan.html",
        PAGES[QUEUES.path].place,
        status,
        identity=identity,
        name=name,
        plan=plan,
        messages=messages,
        inputs=_inputs(query, TITLES, NUMBERS),
        times=_inputs(query, TIME_TITLES, TIMES),
        volumes=query.get(VOLUMES, ""),
        volumes_max=TEXT_MAX,
        example=EXAMPLE,
        campaigns=campaigns,
        campaign=query.get(CAMPAIGN, ""),
        staff=staff,
        peak=max((one.agents for one in plan.half_hours), default=0) if plan else 0,
        beyond=sum(one.agents > staff for one in plan.half_hours) if plan else 0,
        is_of_dialler=is_past and plan is not None and await _is_of_dialler(request, identity, plan),
        is_past=is_past,
        is_expected=any(query.get(each) for each in (VOLUMES, CAMPAIGN, *TIMES)) or plan is None,
        days=[(each, gettext(WEEKDAY_WORDS[each])) for each in days],
        day=shown,
        query=str(request.url.query),
        sheet=_shown(half_hours),
        short_days=_short_days(plan),
        chart=_chart(half_hours),
        kinds=ValueKind,
    )


@get("/queues/{record_id:str}/staffing/export")
async def export_staffing_plan(request: ApiRequest, record_id: FromPath[str]) -> Response[Any]:
    """Send the whole week of the plan as a file."""
    identity = identity_in(record_id)
    name = await request.service.read(request, lambda unit: _name(unit, identity))
    try:
        plan = await _plan(request, identity, name)
    except StaffingPlanError as error:
        raise InvalidError({"queue": [message_of(error)]}) from None
    return await answer_sheet(request, _exported(plan.half_hours), f"staffing-plan-{identity}", zone_of(request))


def _staff(unit: Unit, queue_id: int) -> int:
    """Return the number of agents who may take the calls of a queue, on duty or not."""
    return len(able_agents(unit.connection, [queue_id]))


async def _is_of_dialler(request: ApiRequest, queue_id: int, plan: StaffingPlan) -> bool:
    """Return whether the calls on which a plan rests were dialled for the agents who were there."""
    zone, first, last = ZoneInfo(plan.timezone), *map(date.fromisoformat, (plan.first_day, plan.last_day))
    days = (first, last + timedelta(days=1))
    since_ms, until_ms = (int(datetime.combine(day, time(), zone).timestamp()) * 1_000 for day in days)
    return await request.service.read(
        request, lambda unit: was_dialled_for_agents(unit.connection, queue_id, since_ms, until_ms)
    )


def _campaigns(unit: Unit, queue_id: int) -> list[tuple[int, str]]:
    return forecasts_for_queue(unit.connection, queue_id, seen_campaigns(unit))


def _inputs(query: Mapping[str, str], titles: Mapping[str, str], bounds: Mapping[str, Bounds]) -> list[NumberInput]:
    return [
        NumberInput(each, gettext(title), query.get(each, str(_usual(bounds[each]))), bounds[each])
        for each, title in titles.items()
    ]


def _usual(bounds: Bounds) -> int | str:
    return "" if bounds.default is None else bounds.default


def _name(unit: Unit, identity: int) -> str:
    return str(records.load(unit, QUEUES, identity)["name"])


async def _plan(request: ApiRequest, identity: int, name: str) -> StaffingPlan:
    question: PlanQuestion = plan_question(request.query_params, zone_of(request))

    def read(unit: Unit) -> QueueHistory:
        require_campaign(unit, question)
        return history_for(unit.connection, identity, question, unit.now_ms)

    history = await request.service.read(request, read, is_long=True)
    make = partial(plan_of, history, question.assumptions, queue=name, timezone=question.zone.key)
    return await anyio.to_thread.run_sync(make)


def _shown(half_hours: Sequence[PlannedHalfHour]) -> Sheet:
    """Return the table of the page, where a simulated share has its margin beside it."""
    hint = gettext("Chance moves the share by so much, in 95 of 100 simulations.")
    columns = [SheetColumn(gettext(title), ValueKind.TEXT, hint) for title in _SIMULATED]
    rows = [(*_row(one), *(_with_margin(*share) for share in _simulated(one))) for one in half_hours]
    return Sheet([*_columns(), *columns], rows)


def _exported(half_hours: Sequence[PlannedHalfHour]) -> Sheet:
    """Return the table of a file, where margins are columns of their own."""
    titles = [title for pair in zip(_SIMULATED, _MARGINS, strict=True) for title in pair]
    columns = [SheetColumn(gettext(title), ValueKind.SHARE) for title in titles]
    rows = [(*_row(one), *(value for share in _simulated(one) for value in share)) for one in half_hours]
    return Sheet([*_columns(), *columns], rows)


def _columns() -> list[SheetColumn]:
    return [SheetColumn(gettext(one.title), one.kind, gettext(one.hint) if one.hint else "") for one in _COLUMNS]


def _row(one: PlannedHalfHour) -> tuple[Value, ...]:
    return (
        gettext(WEEKDAY_WORDS[one.weekday]),
        one.start,
        one.calls,
        one.handling_time,
        one.agents,
        one.people,
        ", ".join(gettext(_SHORT[goal]) for goal in one.short_of) or None,
        one.service_level,
        one.abandoned,
        one.busy,
    )


def _simulated(one: PlannedHalfHour) -> tuple[tuple[float, float | None], ...]:
    """Return the simulated shares of a half hour with their margins."""
    return (
        (one.simulated_service_level, one.service_level_margin),
        (one.simulated_abandoned, one.abandoned_margin),
        (one.simulated_busy, one.busy_margin),
    )


def _with_margin(percent: float, margin: float | None) -> str:
    return percentage(percent) if margin is None else f"{percentage(percent)} ± {decimal(margin)}"


def _short_days(plan: StaffingPlan | None) -> list[str]:
    """Return the days with half hours that fall short of a goal, in words."""
    days = dict.fromkeys(one.weekday for one in plan.half_hours if one.short_of) if plan else ()
    return [gettext(WEEKDAY_WORDS[day]) for day in days]


def _chart(half_hours: Sequence[PlannedHalfHour]) -> ColumnChart | None:
    """Return the drawing of the agents at work, from the first half hour to the last, those without calls too."""
    agents = {_minute(one.start): one.agents for one in half_hours}
    if not agents:
        return None
    return draw_columns([(minute, agents.get(minute, 0)) for minute in range(min(agents), max(agents) + 1, _HALF_HOUR)])


def _minute(start: str) -> int:
    hour, minute = map(int, start.split(":"))
    return hour * 2 * _HALF_HOUR + minute
