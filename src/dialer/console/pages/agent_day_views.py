"""The answers of the pages of agents' days: the table of a period, and one day of an agent as a band with its calls."""

from collections.abc import Mapping
from datetime import UTC, date, datetime, timedelta
from http import HTTPStatus
from typing import Any, Final, NamedTuple
from urllib.parse import urlencode
from zoneinfo import ZoneInfo

import anyio.to_thread
from litestar import Response
from sqlalchemy import true

from dialer.api.service import ApiRequest
from dialer.app.call_centre.agent_days import DAYS_MAX, ReportedDay, read_calls_of_day, read_day, read_days
from dialer.console.charts.day_band import draw_band
from dialer.console.pages.agent_orders import read_ordered_agent
from dialer.console.pages.figures import PERIODS, PLACE, day_in
from dialer.console.parts.agent_day_sheet import OCCUPANCY, STATE_WORDS, Each, days_of_rows, days_sheet, end_in_words
from dialer.console.parts.record_addresses import identity_in
from dialer.console.parts.rendering import grouped
from dialer.console.parts.sheets import Sheet, Value, ValueKind, answer_sheet
from dialer.console.parts.zones import zone_of
from dialer.console.serving.errors import messages_of
from dialer.console.serving.services import page
from dialer.console.words.catalogue import PAGES
from dialer.console.words.language import gettext, gettext_noop
from dialer.console.words.state_words import said_in_words
from dialer.domain.queueing.agent_days import days_between, occupancy_of
from dialer.domain.words.roles import Permission
from dialer.resources.crud.resource import Unit
from dialer.resources.records.queues import AGENTS
from dialer.resources.words.errors import InvalidError
from dialer.store.queries.agent_calls import TakenCall
from dialer.store.queries.agent_periods import TooManyPeriodsError
from dialer.store.tables import Agent

SPANS_MAX: Final = 2_000
"""Times of one day that its page shows."""
ROWS_MAX: Final = 1_000
"""Rows of the table on a page. Files have more."""
TOO_LONG: Final = gettext_noop(
    "There are more than %(most)s rows. Ask for fewer days, or for a row an agent, or export them."
)
TOO_MANY: Final = gettext_noop("There are too many rows. Ask for fewer days.")
EACH_WORDS: Final[Mapping[Each, str]] = {
    Each.DAY: gettext_noop("Agent and day"),
    Each.AGENT: gettext_noop("Agent"),
}
_DAYS: Final[Mapping[str, tuple[int, int]]] = {"today": (0, 0), "yesterday": (1, 1), "7": (6, 0), "30": (29, 0)}
"""The days since the begin and since the end of a period."""
_SHOWN: Final = PAGES[AGENTS.path]


class DaysAsked(NamedTuple):
    """The days of a table, and its rows, from an address."""

    each: Each
    period: str
    first: date
    last: date

    @property
    def query(self) -> str:
        """Return the part of an address that asks for the same."""
        days = {"from": self.first.isoformat(), "until": self.last.isoformat()} if self.period == "days" else {}
        return urlencode({"each": self.each.value, "period": self.period, **days})


async def answer_days(request: ApiRequest) -> Response[Any]:
    """Show the days of the agents of the account; to admins, those of all accounts."""
    zone, messages = zone_of(request), list[str]()
    asked, days = DaysAsked(Each.DAY, "today", _today(request, zone), _today(request, zone)), list[ReportedDay]()
    try:
        asked = _asked(request, zone)
        days = await _read(request, asked, zone)
    except InvalidError as error:
        messages = messages_of(error)
    is_long = len(days_of_rows(days, asked.each)) > ROWS_MAX
    if is_long:
        days, messages = [], [gettext(TOO_LONG) % {"most": grouped(ROWS_MAX)}]
    sheet, totals = _sheet(days, asked, zone)
    periods = {name: gettext(PERIODS[name]) for name in (*_DAYS, "days")}
    return page(
        request,
        "agent_days.html",
        PLACE,
        HTTPStatus.BAD_REQUEST if messages else HTTPStatus.OK,
        asked=asked,
        messages=messages,
        each_words={one.value: gettext(words) for one, words in EACH_WORDS.items()},
        period_words=periods,
        kinds=ValueKind,
        sheet=sheet,
        is_long=is_long,
        totals=totals,
        links=[_link(some[0], asked) for some in days_of_rows(days, asked.each)],
        zone_name=zone.key,
    )


async def answer_export(request: ApiRequest) -> Response[Any]:
    """Send the table of the page as a file."""
    zone = zone_of(request)
    asked = _asked(request, zone)
    sheet, _ = await anyio.to_thread.run_sync(_sheet, await _read(request, asked, zone), asked, zone)
    return await answer_sheet(request, sheet, f"agents-by-{asked.each.value}-{asked.first}-{asked.last}", zone)


async def answer_day(request: ApiRequest, record_id: str) -> Response[Any]:
    """Show one day of an agent."""
    identity, zone, messages = identity_in(record_id), zone_of(request), list[str]()
    today = _today(request, zone)
    try:
        asked = day_in(request.query_params.get("day", "").strip()) or today
    except InvalidError as error:
        asked, messages = today, messages_of(error)
    (day,) = days_between(asked, asked, zone)

    def read(unit: Unit) -> tuple[ReportedDay, list[TakenCall]]:
        read_ordered_agent(unit, identity)
        try:
            found = read_day(unit.connection, identity, day, unit.now_ms)
        except TooManyPeriodsError:
            raise InvalidError({"day": [gettext(TOO_MANY)]}) from None
        return found, read_calls_of_day(unit.connection, identity, day)

    found, calls = await request.service.read(request, read)
    return page(
        request,
        "agent_day.html",
        _SHOWN.place,
        HTTPStatus.BAD_REQUEST if messages else HTTPStatus.OK,
        messages=messages,
        found=found,
        work=found.work,
        spent=found.work.spent,
        occupancy=occupancy_of(found.work.spent),
        occupancy_meaning=gettext(OCCUPANCY),
        band=draw_band(found.work.spans, day),
        states={state.value: gettext(words) for state, words in STATE_WORDS.items()},
        ended_by=end_in_words(found.work.ended_by),
        causes=[end_in_words(span.cause) for span in found.work.spans[:SPANS_MAX]],
        spans_max=SPANS_MAX,
        calls={call.answered_ms: (call, said_in_words(call.disposition, call.word)) for call in calls},
        before=asked - timedelta(days=1),
        after=asked + timedelta(days=1) if asked < today else None,
        zone_name=zone.key,
        may_read=request.user.may(Permission.READ),
    )


def _today(request: ApiRequest, zone: ZoneInfo) -> date:
    return datetime.fromtimestamp(request.service.worker.clock.now_ms() / 1_000, UTC).astimezone(zone).date()


def _asked(request: ApiRequest, zone: ZoneInfo) -> DaysAsked:
    """Return the days that an address asks for.

    Raises:
        InvalidError: a part of the address has a wrong value.
    """
    query, today = request.query_params, _today(request, zone)
    first, last = day_in(query.get("from", "").strip()), day_in(query.get("until", "").strip())
    each, period = query.get("each", Each.DAY.value), query.get("period", "days" if first or last else "today")
    if each not in set(Each):
        raise InvalidError({"each": [gettext("There are no such figures.")]})
    if period in _DAYS:
        first, last = (today - timedelta(days=ago) for ago in _DAYS[period])
    elif period != "days":
        raise InvalidError({"period": [gettext("There is no such period.")]})
    last = last or today
    first = first or last
    if last < first:
        raise InvalidError({"until": [gettext("The last day is before the first. Choose a later one.")]})
    if (last - first).days >= DAYS_MAX:
        raise InvalidError({"from": [gettext("Ask for at most %(days)s days.") % {"days": DAYS_MAX}]})
    return DaysAsked(Each(each), period, first, last)


async def _read(request: ApiRequest, asked: DaysAsked, zone: ZoneInfo) -> list[ReportedDay]:
    days = days_between(asked.first, asked.last, zone)

    def read(unit: Unit) -> list[ReportedDay]:
        whose = true() if unit.actor.is_admin else Agent.user_id == unit.actor.sees_as
        try:
            return read_days(unit.connection, whose, days, unit.now_ms)
        except TooManyPeriodsError:
            raise InvalidError({"period": [gettext(TOO_MANY)]}) from None

    return await request.service.read(request, read, is_long=True)


def _sheet(days: list[ReportedDay], asked: DaysAsked, zone: ZoneInfo) -> tuple[Sheet, tuple[Value, ...]]:
    return days_sheet(days, asked.each, zone) if days else (Sheet([], []), ())


def _link(one: ReportedDay, asked: DaysAsked) -> str:
    day = f"day/?day={one.day.date}" if asked.each is Each.DAY else ""
    return f"{_SHOWN.record_url}{one.agent_id}/{day}"
