"""`GET …/statistics/` of an agent and of a queue, and the days of agents."""

from typing import Any, Final

from litestar import Response, get
from litestar.params import FromPath

from dialer.api.http.known_parameters import LISTS_OPTION, PARAMETERS_OPTION
from dialer.api.routes import call_centre_shapes as shapes
from dialer.api.routes.statistics_answer import AFTER, BEFORE, ZONE, parse_hours
from dialer.api.service import ApiRequest
from dialer.app.call_centre.statistics import (
    AgentStatistics,
    QueueStatistics,
    read_agent_statistics,
    read_queue_statistics,
)
from dialer.domain.figures.statistics import WAITS_S, mean, percent
from dialer.domain.words.enums import AgentActivity
from dialer.resources.crud import records
from dialer.resources.crud.moments import show_timestamp
from dialer.resources.crud.resource import Unit
from dialer.resources.crud.urls import Links, identity_in
from dialer.resources.records.queues import AGENTS, QUEUES
from dialer.resources.words.errors import Errors, InvalidError
from dialer.store.queries.breaks import LongBreak
from dialer.store.queries.call_centre import TimeSpent
from dialer.store.queries.statistics import Hours

WITHIN: Final = "within"
WITHIN_S: Final = 20
"""Seconds of the service level, unless the client gives others."""
_OF_AGENT: Final = {LISTS_OPTION: (), PARAMETERS_OPTION: (AFTER, BEFORE)}
_OF_QUEUE: Final = {LISTS_OPTION: (), PARAMETERS_OPTION: (WITHIN, AFTER, BEFORE)}
_OF_DAYS: Final = {
    LISTS_OPTION: (),
    PARAMETERS_OPTION: (shapes.FIRST_DAY, shapes.LAST_DAY, ZONE, shapes.TIMES, shapes.FORMAT),
}


@get("/agent/{record_id:str}/statistics", tags=[AGENTS.path], opt=_OF_AGENT)
async def read_statistics_of_agent(request: ApiRequest, record_id: FromPath[str]) -> shapes.AgentStatisticsRead:
    """Return the statistics of an agent: time in each activity, calls, and the present."""
    agent_id = identity_in(record_id)
    errors: Errors = {}
    hours = parse_hours(request.query_params, request.service.conventions(request), errors)
    if errors:
        raise InvalidError(errors)
    return await request.service.read(request, lambda unit: _agent(unit, agent_id, hours))


@get("/queue/{record_id:str}/statistics", tags=[QUEUES.path], opt=_OF_QUEUE)
async def read_statistics_of_queue(request: ApiRequest, record_id: FromPath[str]) -> shapes.QueueStatisticsRead:
    """Return the statistics of a queue: calls, service level, waits, and the present."""
    queue_id = identity_in(record_id)
    errors: Errors = {}
    hours, within = (
        parse_hours(request.query_params, request.service.conventions(request), errors),
        request.query_params.get(WITHIN, str(WITHIN_S)),
    )
    kept = {str(seconds): seconds for seconds in WAITS_S}
    if within not in kept:
        errors[WITHIN] = [f"{within!r} is not a threshold in seconds that is counted. Use one of {', '.join(kept)}."]
    if errors:
        raise InvalidError(errors)
    return await request.service.read(request, lambda unit: _queue(unit, queue_id, hours, kept[within]))


@get("/agent/{record_id:str}/days", tags=[AGENTS.path], opt=_OF_DAYS)
async def read_days_of_agent(request: ApiRequest, record_id: FromPath[str]) -> Response[shapes.AgentDaysRead]:
    """Return the days on which an agent was logged in: log-in, log-out, the time in each state, and occupancy."""
    return await _days(request, identity_in(record_id))


@get("/agent-days", tags=[AGENTS.path], opt=_OF_DAYS)
async def read_days_of_agents(request: ApiRequest) -> Response[shapes.AgentDaysRead]:
    """Return the days of all agents of the caller. An admin gets those of everyone, a viewer those of the manager."""
    return await _days(request, None)


async def _days(request: ApiRequest, agent_id: int | None) -> Response[Any]:
    from dialer.api.routes.agent_days import answer_days  # noqa: PLC0415 - few programs ask for it

    return await answer_days(request, agent_id)


def _agent(unit: Unit, agent_id: int, hours: Hours) -> shapes.AgentStatisticsRead:
    records.require_seen(unit, AGENTS, agent_id)
    found = read_agent_statistics(unit.connection, agent_id, hours, unit.now_ms)
    return _shown_agent(found, agent_id, unit.now_ms, unit.conventions.links)


def _shown_agent(found: AgentStatistics, agent_id: int, now_ms: int, links: Links) -> shapes.AgentStatisticsRead:
    spent_s = {activity: _seconds(found.spent[activity].spent_ms) for activity in found.spent}
    talks = found.spent.get(AgentActivity.TALKING, TimeSpent(0, 0, 0))
    wrap_ups = found.spent.get(AgentActivity.WRAPPING_UP, TimeSpent(0, 0, 0))
    return shapes.AgentStatisticsRead(
        agent=links.record(AGENTS.path, agent_id),
        now=shapes.AgentNowRead(
            activity=found.activity.name.lower(),
            status=found.clock.status,
            break_reason=found.clock.break_reason,
            since=show_timestamp(found.since_ms),
            seconds=_seconds(max(0, now_ms - found.since_ms)),
            break_limit=found.break_limit_s,
            break_exceeded_by=_seconds(found.clock.break_exceeded_ms(found.break_limit_s, now_ms)),
        ),
        totals=shapes.AgentFiguresRead(
            available_seconds=spent_s.get(AgentActivity.AVAILABLE, 0),
            talking_seconds=spent_s.get(AgentActivity.TALKING, 0),
            wrapping_up_seconds=spent_s.get(AgentActivity.WRAPPING_UP, 0),
            on_break_seconds=spent_s.get(AgentActivity.ON_BREAK, 0),
            taken=talks.begun,
            missed=sum(one.missed for one in found.spent.values()),
            handling_time=mean(talks.spent_ms + wrap_ups.spent_ms, talks.begun * 1_000),
        ),
        breaks=[shapes.BreakRead(reason, _seconds(one.spent_ms), one.begun) for reason, one in found.breaks],
    )


def _queue(unit: Unit, queue_id: int, hours: Hours, within_s: int) -> shapes.QueueStatisticsRead:
    records.require_seen(unit, QUEUES, queue_id)
    found = read_queue_statistics(unit.connection, queue_id, hours, within_s, unit.now_ms)
    return _shown_queue(found, queue_id, within_s, unit)


def _shown_queue(found: QueueStatistics, queue_id: int, within_s: int, unit: Unit) -> shapes.QueueStatisticsRead:
    present, counts = found.present, found.counts
    links = unit.conventions.links
    longest_ms = 0 if present.oldest_ms is None else max(0, unit.now_ms - present.oldest_ms)
    return shapes.QueueStatisticsRead(
        queue=links.record(QUEUES.path, queue_id),
        now=shapes.QueueNowRead(
            present.waiting,
            _seconds(longest_ms),
            present.talking,
            found.on_break,
            [_shown_break(one, unit.now_ms, links) for one in found.long_breaks],
        ),
        totals=shapes.QueueFiguresRead(
            calls=counts.calls,
            taken=counts.taken,
            abandoned=counts.abandoned,
            hung_up=counts.abandoned,
            timed_out=counts.timed_out,
            within=within_s,
            taken_within=counts.taken_within,
            service_level=percent(counts.taken_within, counts.calls),
            late=counts.late,
            average_wait=mean(counts.taken_wait_ms, counts.taken * 1_000),
            longest_wait=_seconds(counts.longest_ms),
        ),
    )


def _shown_break(found: LongBreak, now_ms: int, links: Links) -> shapes.LongBreakRead:
    lasts_s = _seconds(now_ms - found.since_ms)
    return shapes.LongBreakRead(
        agent=links.record(AGENTS.path, found.agent_id),
        reason=found.reason,
        since=show_timestamp(found.since_ms),
        seconds=lasts_s,
        exceeded_by=lasts_s - found.limit_s,
    )


def _seconds(spent_ms: int) -> float:
    return spent_ms / 1_000
