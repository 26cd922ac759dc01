"""Figures by group and time: of a campaign, and of all campaigns of the viewer's account; shown and exported."""

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta
from http import HTTPStatus
from typing import Any, Final, NamedTuple
from urllib.parse import urlencode
from zoneinfo import ZoneInfo

from litestar import Response, get
from litestar.params import FromPath
from sqlalchemy import select

from dialer.api.service import ApiRequest
from dialer.app.campaigns.figures import CROSSED, OF_ACCOUNTS, By, FigureGroup, GroupedFigures, read_figures
from dialer.app.campaigns.statistics import TooManyRowsError
from dialer.console.charts.columns import ColumnChart, draw_columns
from dialer.console.pages.campaigns import PLACE as CAMPAIGNS_PLACE
from dialer.console.pages.campaigns import seen_campaigns
from dialer.console.pages.dispositions import local_moment
from dialer.console.parts.crossed_figures import crossed_rows, crossed_sheet, outcome_in_words
from dialer.console.parts.record_addresses import identity_in
from dialer.console.parts.sheets import Sheet, SheetColumn, Value, ValueKind, answer_sheet
from dialer.console.parts.zones import zone_of, zones_in_words
from dialer.console.serving.errors import messages_of
from dialer.console.serving.services import page
from dialer.console.words.language import gettext, gettext_noop
from dialer.console.words.state_words import ABANDONED_MEANING, outcome_words, words_of
from dialer.domain.figures.statistics import HOUR_MS, NO_FIGURES, Figures, unrounded_mean, unrounded_percent
from dialer.domain.words.enums import AgentDisposition
from dialer.domain.words.reports import ScheduledReport
from dialer.resources.crud.resource import Unit
from dialer.resources.words.errors import InvalidError, RecordNotFoundError
from dialer.store.queries.statistics import Hours, WhoseCalls, count_tests
from dialer.store.tables import Campaign

PLACE: Final = "figures"
BY_WORDS: Final[Mapping[By, str]] = {
    By.DAY: gettext_noop("Day"),
    By.HOUR: gettext_noop("Hour"),
    By.HOUR_OF_DAY: gettext_noop("Hour of the day at the callee"),
    By.DISPOSITION: gettext_noop("Outcome said by agents"),
    By.DISPOSITION_WORD: gettext_noop("Outcome in the campaign's words"),
    By.OUTCOME: gettext_noop("Outcome of the call"),
    By.AGENT: gettext_noop("Agent"),
    By.AGENT_DISPOSITION: gettext_noop("Agent and outcome"),
    By.AGENT_HOUR: gettext_noop("Agent and hour of the day"),
    By.PHONEBOOK: gettext_noop("List"),
    By.ATTEMPT: gettext_noop("Attempt"),
    By.GATEWAY: gettext_noop("Carrier"),
    By.ZONE: gettext_noop("Time zone"),
    By.BREAK: gettext_noop("Reason of a break"),
}
PERIODS: Final[Mapping[str, str]] = {
    "all": gettext_noop("All the time"),
    "today": gettext_noop("Today"),
    "yesterday": gettext_noop("Yesterday"),
    "7": gettext_noop("Last 7 days"),
    "30": gettext_noop("Last 30 days"),
    "days": gettext_noop("These days"),
}
"""The periods among which people choose; `days` are those from `from` to `until`."""
_EVER: Final = Hours(0, 2**40)
_OF_DAYS: Final[Mapping[str, tuple[int, int]]] = {"today": (0, 0), "yesterday": (1, 1), "7": (6, 0), "30": (29, 0)}
"""The days since the begin and since the end of a period."""
_TIMED: Final = frozenset({By.DAY, By.HOUR, By.HOUR_OF_DAY})
_SENT: Final[Mapping[By, str]] = {
    By.AGENT_DISPOSITION: ScheduledReport.AGENT_OUTCOMES,
    By.AGENT_HOUR: ScheduledReport.AGENT_HOURS,
}
"""The scheduled report with the same table."""


class FiguresAsked(NamedTuple):
    """The period, grouping and filters of figures, from an address."""

    by: By
    period: str
    first: str
    """The first day, as the address gives it; empty for none."""
    last: str
    hours: Hours

    @property
    def query(self) -> str:
        """Return the part of an address that asks for the same."""
        days = {"from": self.first, "until": self.last} if self.period == "days" else {}
        return urlencode({"by": self.by.value, "period": self.period, **days})


class _Shown(NamedTuple):
    sheet: Sheet
    totals: tuple[Value, ...]
    chart: ColumnChart | None
    name: str
    """The name of the campaign; empty for all."""
    links: Sequence[str] = ()
    """The addresses of the calls of each row; none if rows are no agents."""
    tests: Figures = NO_FIGURES
    """Those of the account's tests of campaigns, which are in no row."""


class _Figure(NamedTuple):
    """A column of figures, which is left out if all its values are nothing, unless it is `always` there."""

    column: SheetColumn
    value: Callable[[Figures], Value]
    is_kept: bool = False


def _figure(
    title: str, value: Callable[[Figures], Value], kind: ValueKind = ValueKind.NUMBER, hint: str = ""
) -> _Figure:
    return _Figure(SheetColumn(title, kind, hint), value)


_OF_CALLS: Final = (
    _Figure(SheetColumn(gettext_noop("Calls")), lambda one: one.calls, is_kept=True),
    _figure(gettext_noop("Answered"), lambda one: one.answered),
    _figure(gettext_noop("Answered, share"), lambda one: unrounded_percent(one.answered, one.calls), ValueKind.SHARE),
    _figure(gettext_noop("By people"), lambda one: one.live, hint=gettext_noop("Answered, and not by a machine.")),
    _figure(
        gettext_noop("By machines"),
        lambda one: one.machines,
        hint=gettext_noop("Answered by an answering machine, as far as detection can tell."),
    ),
    _figure(
        gettext_noop("Completed"),
        lambda one: one.completed,
        hint=gettext_noop("A person came to a section marked as completed."),
    ),
    _figure(
        gettext_noop("Completed, share"),
        lambda one: unrounded_percent(one.completed, one.live),
        ValueKind.SHARE,
        gettext_noop("Completed calls of those that people answered."),
    ),
    _figure(gettext_noop("Abandoned"), lambda one: one.abandoned, hint=ABANDONED_MEANING),
    _figure(
        gettext_noop("Abandoned, share"),
        lambda one: unrounded_percent(one.abandoned, one.for_agents),
        ValueKind.SHARE,
        ABANDONED_MEANING,
    ),
    _figure(gettext_noop("Transfers"), lambda one: one.legs),
    _figure(gettext_noop("Talked"), lambda one: one.talk_s, ValueKind.SECONDS),
    _figure(gettext_noop("Talked on average"), lambda one: unrounded_mean(one.talk_s, one.answered), ValueKind.SECONDS),
    _figure(gettext_noop("Called in"), lambda one: one.inbound),
    _figure(gettext_noop("Messages"), lambda one: one.messages),
    _figure(gettext_noop("Delivered"), lambda one: one.delivered),
    _figure(
        gettext_noop("Delivered, share"), lambda one: unrounded_percent(one.delivered, one.messages), ValueKind.SHARE
    ),
    _figure(gettext_noop("Cost"), lambda one: one.cost, ValueKind.MONEY),
)
_OF_AGENTS: Final = (
    _Figure(SheetColumn(gettext_noop("Calls taken")), lambda one: one.legs_answered, is_kept=True),
    _figure(gettext_noop("Talked"), lambda one: one.legs_talk_s, ValueKind.SECONDS),
    _figure(
        gettext_noop("Talked on average"),
        lambda one: unrounded_mean(one.legs_talk_s, one.legs_answered),
        ValueKind.SECONDS,
    ),
    _figure(gettext_noop("Cost"), lambda one: one.cost, ValueKind.MONEY),
)
_TIMES: Final = (
    SheetColumn(gettext_noop("Available"), ValueKind.SECONDS),
    SheetColumn(gettext_noop("Wrapping up"), ValueKind.SECONDS),
    SheetColumn(gettext_noop("On a break"), ValueKind.SECONDS),
    SheetColumn(gettext_noop("Calls missed")),
)
_BREAKS: Final = (
    SheetColumn(gettext_noop("Breaks")),
    SheetColumn(gettext_noop("Time"), ValueKind.SECONDS),
    SheetColumn(gettext_noop("Time on average"), ValueKind.SECONDS),
)


@get("/figures", media_type="text/html")
async def show_figures(request: ApiRequest) -> Response[Any]:
    """Show the figures of all campaigns of the account, deleted ones included; to admins, those of all accounts."""
    return await _show(request, None)


@get("/figures/export")
async def export_figures(request: ApiRequest) -> Response[Any]:
    """Send the figures of the page as a file."""
    return await _export(request, None)


@get("/campaigns/{record_id:str}/figures", media_type="text/html")
async def show_campaign_figures(request: ApiRequest, record_id: FromPath[str]) -> Response[Any]:
    """Show the figures of a campaign."""
    return await _show(request, identity_in(record_id, "campaign"))


@get("/campaigns/{record_id:str}/figures/export")
async def export_campaign_figures(request: ApiRequest, record_id: FromPath[str]) -> Response[Any]:
    """Send the figures that the page of a campaign shows."""
    return await _export(request, identity_in(record_id, "campaign"))


async def _show(request: ApiRequest, campaign_id: int | None) -> Response[Any]:
    zone, messages = zone_of(request), list[str]()
    base = "/console/figures/" if campaign_id is None else f"/console/campaigns/{campaign_id}/figures/"
    choices = [by for by in By if campaign_id is None or by not in OF_ACCOUNTS]
    shown = _Shown(Sheet([], []), (), None, "")
    asked = FiguresAsked(By.DAY, "all", "", "", _EVER)
    try:
        asked = _asked(request, choices, zone)
        shown = await _read(request, campaign_id, asked, zone)
    except InvalidError as error:
        messages = messages_of(error)
    return page(
        request,
        "figures.html",
        PLACE if campaign_id is None else CAMPAIGNS_PLACE,
        HTTPStatus.BAD_REQUEST if messages else HTTPStatus.OK,
        campaign_id=campaign_id,
        base=base,
        asked=asked,
        messages=messages,
        by_words={by.value: gettext(BY_WORDS[by]) for by in choices},
        period_words={name: gettext(words) for name, words in PERIODS.items()},
        is_timed=asked.by in _TIMED,
        kinds=ValueKind,
        of_all=request.user.is_admin,
        sent_report=_SENT.get(asked.by, ""),
        **shown._asdict(),
    )


async def _export(request: ApiRequest, campaign_id: int | None) -> Response[Any]:
    zone = zone_of(request)
    choices = [by for by in By if campaign_id is None or by not in OF_ACCOUNTS]
    asked = _asked(request, choices, zone)
    shown = await _read(request, campaign_id, asked, zone)
    of = "" if campaign_id is None else f"-campaign-{campaign_id}"
    return await answer_sheet(request, shown.sheet, f"figures{of}-by-{asked.by.value}", zone)


def _asked(request: ApiRequest, choices: Sequence[By], zone: ZoneInfo) -> FiguresAsked:
    """Return the figures that an address asks for.

    Raises:
        InvalidError: a part of the address has a wrong value.
    """
    query = request.query_params
    by, first, last = query.get("by", By.DAY.value), query.get("from", "").strip(), query.get("until", "").strip()
    period = query.get("period", "days" if first or last else "30")
    if by not in set(choices):
        raise InvalidError({"by": [gettext("There are no such figures.")]})
    if period not in PERIODS:
        raise InvalidError({"period": [gettext("There is no such period.")]})
    today = datetime.fromtimestamp(request.service.worker.clock.now_ms() / 1_000, UTC).astimezone(zone).date()
    hours = _EVER
    if period in _OF_DAYS:
        begin, end = (today - timedelta(days=ago) for ago in _OF_DAYS[period])
        hours = _hours(begin, end, zone)
    elif period == "days":
        begin, end = day_in(first) or date(1970, 1, 2), day_in(last) or today
        if end < begin:
            raise InvalidError({"until": [gettext("The last day is before the first. Choose a later one.")]})
        hours = _hours(begin, end, zone)
    return FiguresAsked(By(by), period, first, last, hours)


def day_in(text: str) -> date | None:
    """Return the day that a field names; None if it is empty."""
    if not text:
        return None
    try:
        day = date.fromisoformat(text)
    except ValueError:
        day = date.min
    if not date(1970, 1, 2) <= day <= date(2200, 1, 1):
        raise InvalidError({"from": [gettext("A day is written as %(example)s.") % {"example": "2026-11-18"}]})
    return day


def _hours(first: date, last: date, zone: ZoneInfo) -> Hours:
    """Return the hours that begin in the days from `first` to `last` in a zone."""
    midnights = (datetime.combine(day, time(), zone) for day in (first, last + timedelta(days=1)))
    return Hours(*(-(-int(at.timestamp()) * 1_000 // HOUR_MS) for at in midnights))


async def _read(request: ApiRequest, campaign_id: int | None, asked: FiguresAsked, zone: ZoneInfo) -> _Shown:
    def read(unit: Unit) -> tuple[GroupedFigures, str, Figures]:
        name = ""
        scope = WhoseCalls(user_id=None if unit.actor.is_admin else unit.actor.sees_as)
        if campaign_id is not None:
            name, scope = name_of_campaign(unit, campaign_id), WhoseCalls(campaign_id=campaign_id)
        try:
            found = read_figures(unit.connection, scope, asked.by, zone, asked.hours, unit.now_ms)
            return found, name, count_tests(unit.connection, scope, asked.hours)
        except TooManyRowsError:
            message = gettext("There are too many rows. Ask for fewer days, or for days instead of hours.")
            raise InvalidError({"period": [message]}) from None

    grouped, name, tests = await request.service.read(request, read)
    sheet, totals = sheet_of(grouped, asked.by, with_times=campaign_id is None)
    links = [_calls_of(agent_id, campaign_id, asked.hours, zone) for agent_id in _agents_in(grouped.groups, asked.by)]
    return _Shown(sheet, totals, chart_of(grouped.groups, asked.by), name, links, tests)


def _agents_in(groups: list[FigureGroup], by: By) -> list[str]:
    """Return the ids of the agents of the rows, in their order; none if rows are no agents."""
    if by in CROSSED:
        return [row.agent_id for row in crossed_rows(groups)]
    return [str(group.key) for group in groups] if by is By.AGENT else []


def _calls_of(agent_id: str, campaign_id: int | None, hours: Hours, zone: ZoneInfo) -> str:
    """Return the address of the calls that an agent took in some hours."""
    asked = {"agent": agent_id} | ({} if campaign_id is None else {"campaign": str(campaign_id)})
    if hours != _EVER:
        last_ms = hours.end * HOUR_MS - 1
        asked |= {"from": local_moment(hours.first * HOUR_MS, zone), "until": local_moment(last_ms, zone)}
    return f"/console/calls/?{urlencode(asked)}"


def name_of_campaign(unit: Unit, identity: int) -> str:
    """Return the name of a campaign.

    Raises:
        RecordNotFoundError: there is no such campaign, or it is not the viewer's.
    """
    query = select(Campaign.name).where(Campaign.id == identity, seen_campaigns(unit))
    name = unit.connection.scalar(query)
    if name is None:
        raise RecordNotFoundError("There is no such campaign, or it is not yours.")
    return str(name)


def sheet_of(grouped: GroupedFigures, by: By, *, with_times: bool) -> tuple[Sheet, tuple[Value, ...]]:
    """Return figures as a table, and the row of their sums. Empty columns are left out."""
    if by is By.BREAK:
        return _breaks(grouped)
    if by in CROSSED:
        return crossed_sheet(grouped.groups, by)
    of_agents = by is By.AGENT
    figures = [
        one
        for one in (_OF_AGENTS if of_agents else _OF_CALLS)
        if one.is_kept or any(one.value(group.figures) for group in grouped.groups)
    ]
    first = SheetColumn(gettext(BY_WORDS[by]), _kind_of(by))
    columns = [first, *(_translated(one.column) for one in figures)]
    rows = [(label_of(group, by), *(one.value(group.figures) for one in figures)) for group in grouped.groups]
    totals: tuple[Value, ...] = (gettext("All"), *(one.value(grouped.totals) for one in figures))
    if of_agents and with_times:
        columns += [_translated(one) for one in _TIMES]
        times = [_times(group) for group in grouped.groups]
        rows = [(*row, *spent) for row, spent in zip(rows, times, strict=True)]
        totals = (*totals, *(map(sum, zip(*times, strict=True)) if times else (0,) * len(_TIMES)))
    return Sheet(columns, rows), totals


def _translated(column: SheetColumn) -> SheetColumn:
    return SheetColumn(gettext(column.title), column.kind, gettext(column.hint) if column.hint else "")


def _kind_of(by: By) -> ValueKind:
    return {By.DAY: ValueKind.DAY, By.HOUR: ValueKind.MOMENT}.get(by, ValueKind.TEXT)


def _times(group: FigureGroup) -> tuple[int, ...]:
    spent = group.time
    in_ms = (spent.available, spent.wrapping_up, spent.on_break)
    return (*(round(one / 1_000) for one in in_ms), spent.missed)


def _breaks(grouped: GroupedFigures) -> tuple[Sheet, tuple[Value, ...]]:
    columns = [SheetColumn(gettext(BY_WORDS[By.BREAK]), ValueKind.TEXT), *map(_translated, _BREAKS)]
    rows = [
        (
            one.reason or gettext("Without a reason"),
            one.begun,
            round(one.spent_ms / 1_000),
            unrounded_mean(one.spent_ms, one.begun * 1_000),
        )
        for one in grouped.breaks
    ]
    begun, spent_ms = sum(one.begun for one in grouped.breaks), sum(one.spent_ms for one in grouped.breaks)
    return Sheet(columns, list(rows)), (
        gettext("All"),
        begun,
        round(spent_ms / 1_000),
        unrounded_mean(spent_ms, begun * 1_000),
    )


def label_of(group: FigureGroup, by: By) -> Value:
    """Return the name of a group: for days and hours their moment in milliseconds."""
    key = group.key
    if isinstance(key, int):
        return f"{key:02}:00" if by is By.HOUR_OF_DAY else key
    if by is By.DISPOSITION:
        said = next((one for one in AgentDisposition if one.value == key), None)
        return gettext("None given") if not key else key if said is None else gettext(words_of(said))
    if by in {By.DISPOSITION_WORD, By.OUTCOME}:
        return outcome_in_words(key) if by is By.DISPOSITION_WORD else outcome_words(key)
    if by in {By.ATTEMPT, By.ZONE}:
        return (zones_in_words(key) if by is By.ZONE else key) or gettext("Unknown")
    if key == "0":
        return gettext("To agents") if by is By.GATEWAY else gettext("Without a list")
    return group.name or gettext("Deleted (%(number)s)") % {"number": key}


def chart_of(groups: Sequence[FigureGroup], by: By) -> ColumnChart | None:
    """Return a drawing of the calls or messages of days and hours; None for other groups, which have bars."""
    if by not in _TIMED or not groups:
        return None
    counts = {int(group.key): group.figures.calls + group.figures.messages for group in groups}
    if by is By.HOUR_OF_DAY:
        return draw_columns([(hour, counts.get(hour, 0)) for hour in range(24)])
    return draw_columns(sorted(counts.items()))
