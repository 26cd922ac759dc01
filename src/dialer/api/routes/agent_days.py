"""The days of agents as the API writes them: as JSON, and as CSV with a line for each day or for each time."""

from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime
from typing import Any, Final, NamedTuple
from zoneinfo import ZoneInfo

import anyio.to_thread
from litestar import Response
from sqlalchemy import ColumnElement, true

from dialer.api.answers.csv_lines import write_csv
from dialer.api.answers.downloads import content_disposition
from dialer.api.routes.call_centre_shapes import (
    FIRST_DAY,
    FORMAT,
    FORMATS,
    LAST_DAY,
    TIMES,
    AgentDayRead,
    AgentDaysRead,
    AgentTimeRead,
    BreakOfDayRead,
)
from dialer.api.routes.statistics_answer import ZONE
from dialer.api.service import ApiRequest
from dialer.app.call_centre.agent_days import DAYS_MAX, ReportedDay, read_days
from dialer.domain.calling_times.zones import is_zone
from dialer.domain.figures.statistics import rounded
from dialer.domain.queueing.agent_days import days_between, occupancy_of
from dialer.domain.queueing.agent_periods import WorkState
from dialer.resources.crud import records
from dialer.resources.crud.moments import YEAR_MAX, YEAR_MIN, show_timestamp
from dialer.resources.crud.resource import Unit
from dialer.resources.crud.urls import Links
from dialer.resources.records.queues import AGENTS
from dialer.resources.words.errors import Errors, InvalidError
from dialer.store.queries.agent_periods import TooManyPeriodsError
from dialer.store.tables import Agent

ANSWERED_DAYS_MAX: Final = 10_000
"""Days of agents in one answer: those of 100 agents in 92 days."""
TIMES_MAX: Final = 50_000
"""Times in one answer."""
_SWITCH: Final = {"true": True, "false": False}
_TOO_MANY: Final = "There are too many days or times for one answer. Ask for fewer days."


class DaysQuestion(NamedTuple):
    """A question for days."""

    first: date
    last: date
    zone: ZoneInfo
    with_times: bool
    is_csv: bool


async def answer_days(request: ApiRequest, agent_id: int | None) -> Response[Any]:
    """Answer with the days of one agent, or of all that the caller sees."""
    now_ms = request.service.worker.clock.now_ms()
    asked = days_asked(request.query_params, ZoneInfo(request.service.settings.timezone), now_ms)
    links = request.service.conventions(request).links
    found = await request.service.read(request, lambda unit: _read(unit, agent_id, asked), is_long=True)
    answer = await anyio.to_thread.run_sync(_answer, found, asked, links)
    if not asked.is_csv:
        return Response(answer)
    lines = await anyio.to_thread.run_sync(_csv, answer.results, asked.with_times)
    name = f"agent-days-{answer.first_day}-{answer.last_day}.csv"
    headers = {"Content-Disposition": content_disposition(name), "Cache-Control": "no-store"}
    return Response(lines, media_type="text/csv", headers=headers)


def days_asked(given: Mapping[str, str], zone: ZoneInfo, now_ms: int) -> DaysQuestion:
    """Return the question that query parameters ask; without any, it is that for today.

    Raises:
        InvalidError: some are wrong.
    """
    errors: Errors = {}
    named, times, wanted = given.get(ZONE), given.get(TIMES, "false"), given.get(FORMAT, FORMATS[0])
    if named is not None and not is_zone(named):
        errors[ZONE] = [f"{named!r} is not a time zone. Use an IANA name, such as Europe/Madrid."]
    elif named is not None:
        zone = ZoneInfo(named)
    if times not in _SWITCH:
        errors[TIMES] = [f"{times!r} is neither true nor false."]
    if wanted not in FORMATS:
        errors[FORMAT] = [f"{wanted!r} is not a format. Use one of {', '.join(FORMATS)}."]
    first, last = _day(given, FIRST_DAY, errors), _day(given, LAST_DAY, errors)
    last = last or datetime.fromtimestamp(now_ms / 1_000, UTC).astimezone(zone).date()
    first = first or last
    if not errors and last < first:
        errors[LAST_DAY] = [f"'{last}' is before {first}. Choose a later day."]
    elif not errors and (last - first).days >= DAYS_MAX:
        errors[FIRST_DAY] = [f"Ask for at most {DAYS_MAX} days."]
    if errors:
        raise InvalidError(errors)
    return DaysQuestion(first, last, zone, _SWITCH[times], wanted == "csv")


def _day(given: Mapping[str, str], name: str, errors: Errors) -> date | None:
    text = given.get(name)
    if text is None:
        return None
    try:
        day = date.fromisoformat(text)
    except ValueError:
        day = date.min
    if len(text) == len("2026-11-18") and YEAR_MIN <= day.year <= YEAR_MAX:
        return day
    errors[name] = [f"{text[:40]!r} is not a day. Use YYYY-MM-DD."]
    return None


def _read(unit: Unit, agent_id: int | None, asked: DaysQuestion) -> list[ReportedDay]:
    whose: ColumnElement[bool] = Agent.id == agent_id
    if agent_id is not None:
        records.require_seen(unit, AGENTS, agent_id)
    else:
        whose = true() if unit.actor.is_admin else Agent.user_id == unit.actor.sees_as
    try:
        found = read_days(unit.connection, whose, days_between(asked.first, asked.last, asked.zone), unit.now_ms)
    except TooManyPeriodsError:
        raise InvalidError({FIRST_DAY: [_TOO_MANY]}) from None
    times = sum(len(one.work.spans) for one in found) if asked.with_times else 0
    if len(found) > ANSWERED_DAYS_MAX or times > TIMES_MAX:
        raise InvalidError({FIRST_DAY: [_TOO_MANY]})
    return found


def _answer(found: Sequence[ReportedDay], asked: DaysQuestion, links: Links) -> AgentDaysRead:
    days = [_shown(one, links, with_times=asked.with_times) for one in found]
    return AgentDaysRead(asked.zone.key, asked.first.isoformat(), asked.last.isoformat(), days)


def _shown(one: ReportedDay, links: Links, *, with_times: bool) -> AgentDayRead:
    work, spent = one.work, one.work.spent
    return AgentDayRead(
        agent=links.record(AGENTS.path, one.agent_id),
        name=one.name,
        date=one.day.date.isoformat(),
        first_log_in=_moment(work.first_log_in_ms),
        last_log_out=None if work.goes_on else _moment(work.last_log_out_ms),
        is_from_before=work.is_from_before,
        goes_on=work.goes_on,
        ended_by=str(work.ended_by),
        logged_in_seconds=spent.total() / 1_000,
        **{f"{state.value}_seconds": spent[state] / 1_000 for state in WorkState},
        on_hold_seconds=one.on_hold_ms / 1_000,
        occupancy=rounded(occupancy_of(spent)),
        taken=work.taken,
        missed=work.missed,
        breaks=[BreakOfDayRead(reason, spent_ms / 1_000) for reason, spent_ms in work.breaks.most_common()],
        times=_times(one) if with_times else [],
    )


def _times(one: ReportedDay) -> list[AgentTimeRead]:
    return [
        AgentTimeRead(
            span.state.value, span.reason, show_timestamp(span.from_ms), show_timestamp(span.to_ms), str(span.cause)
        )
        for span in one.work.spans
    ]


def _moment(at_ms: int | None) -> str | None:
    return None if at_ms is None else show_timestamp(at_ms)


def _csv(days: Sequence[AgentDayRead], with_times: bool) -> bytes:  # noqa: FBT001 - a thread takes no names
    """Return the days as CSV. With their times, each line is a time, with the agent and the day before it."""
    times = [(day, time) for day in days for time in day.times]
    if with_times:
        own, names = ("agent", "name", "date"), AgentTimeRead.__struct_fields__
        of_days = [[name, *(getattr(day, name) for day, _ in times)] for name in own]
        return write_csv([*of_days, *([name, *(getattr(time, name) for _, time in times)] for name in names)])
    columns = [name for name in AgentDayRead.__struct_fields__ if name != TIMES]
    return write_csv([[name, *(getattr(day, name) for day in days)] for name in columns])
