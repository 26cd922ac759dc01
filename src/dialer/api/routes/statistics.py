"""`GET …/statistics/`: the figures of a campaign, or of all campaigns of the caller."""

from typing import Final
from zoneinfo import ZoneInfo

from litestar import get
from litestar.params import FromPath

from dialer.api.crud import records
from dialer.api.crud.moments import show_timestamp
from dialer.api.crud.resource import Resource, Unit
from dialer.api.crud.urls import Links, parse_id
from dialer.api.http.errors import Errors, InvalidError, RecordNotFoundError
from dialer.api.http.ignored import LISTS_OPTION, PARAMETERS_OPTION
from dialer.api.records.campaigns import CAMPAIGNS
from dialer.api.records.messages import SMS_CAMPAIGNS
from dialer.api.routes.statistics_hours import AFTER, BEFORE, parse_hours
from dialer.api.routes.statistics_shapes import (
    AgentsNow,
    FiguresRead,
    PresentRead,
    StatisticsOutcome,
    StatisticsRead,
    StatisticsRowRead,
    SubscriberFiguresRead,
    SubscriberStateRead,
)
from dialer.api.service import ApiRequest
from dialer.app.statistics import GROUPS, Interval, RowsAsked, Statistics, TooManyRowsError, read_statistics
from dialer.domain.billing.money import format_money
from dialer.domain.statistics import Figures, SubscriberState, mean, percent, unit_cost
from dialer.domain.zones import is_zone
from dialer.store.queries.progress import SMS_LINES_FROM
from dialer.store.queries.statistics import Counted, Present, WhoseCalls

INTERVAL, GROUP_BY, ZONE = "interval", "group_by", "timezone"
_KNOWN: Final = {LISTS_OPTION: (), PARAMETERS_OPTION: (INTERVAL, GROUP_BY, ZONE, AFTER, BEFORE)}


@get("/campaigns/{record_id:str}/statistics", tags=[CAMPAIGNS.path], opt=_KNOWN)
async def read_campaign_statistics(request: ApiRequest, record_id: FromPath[str]) -> StatisticsRead:
    """Return the statistics of a voice campaign. The cost does not depend on the number of calls."""
    return await _read(request, CAMPAIGNS, record_id)


@get("/sms-campaigns/{record_id:str}/statistics", tags=[SMS_CAMPAIGNS.path], opt=_KNOWN)
async def read_sms_campaign_statistics(request: ApiRequest, record_id: FromPath[str]) -> StatisticsRead:
    """Return the statistics of an SMS campaign. The cost does not depend on the number of messages."""
    return await _read(request, SMS_CAMPAIGNS, record_id)


@get("/statistics", tags=[CAMPAIGNS.path], opt=_KNOWN)
async def read_all_statistics(request: ApiRequest) -> StatisticsRead:
    """Return the statistics of all campaigns of the caller, deleted ones included.

    An admin gets those of everyone, a viewer those of the manager.
    """
    return await _read(request, None, "")


async def _read(request: ApiRequest, resource: Resource | None, record_id: str) -> StatisticsRead:
    identity = parse_id(record_id)
    if resource is not None and identity is None:
        raise RecordNotFoundError
    question = _question(request)
    return await request.service.read(request, lambda unit: _statistics(unit, resource, identity, question))


def _statistics(unit: Unit, resource: Resource | None, identity: int | None, question: RowsAsked) -> StatisticsRead:
    links = unit.conventions.links
    campaign = None
    scope = WhoseCalls(user_id=None if unit.actor.is_admin else unit.actor.sees_as)
    if resource is not None and identity is not None:
        records.read_record(unit, resource, identity)
        scope, campaign = WhoseCalls(campaign_id=identity), links.record(resource.path, identity)
    try:
        found = read_statistics(unit.connection, scope, question, unit.now_ms)
    except TooManyRowsError as error:
        raise InvalidError({INTERVAL: [str(error)]}) from None
    return _shown(found, campaign, question, links)


def _question(request: ApiRequest) -> RowsAsked:
    """Return the question that the query parameters ask.

    Raises:
        InvalidError: parameters are invalid.
    """
    given, conventions = request.query_params, request.service.conventions(request)
    interval, group_by, zone = given.get(INTERVAL), given.get(GROUP_BY), given.get(ZONE)
    errors: Errors = {}
    if interval is not None and interval not in set(Interval):
        errors[INTERVAL] = [f"{interval!r} is not an interval. Use hour or day."]
    if group_by is not None and group_by not in GROUPS:
        errors[GROUP_BY] = [f"{group_by!r} is not a group. Use one of {', '.join(GROUPS)}."]
    if zone is not None and not is_zone(zone):
        errors[ZONE] = [f"{zone!r} is not a time zone. Use an IANA name, such as Europe/Madrid."]
    hours = parse_hours(request, errors)
    if errors:
        raise InvalidError(errors)
    return RowsAsked(
        None if interval is None else Interval(interval),
        group_by,
        conventions.zone if zone is None else ZoneInfo(zone),
        hours,
    )


def _shown(found: Statistics, campaign: str | None, question: RowsAsked, links: Links) -> StatisticsRead:
    return StatisticsRead(
        campaign=campaign,
        now=_present(found.present),
        totals=shown_figures(found.totals),
        subscribers=_subscribers(found.subscribers),
        outcomes=[_outcome(one, found.totals) for one in found.outcomes],
        rows=[
            StatisticsRowRead(
                None if row.from_ms is None else show_timestamp(row.from_ms),
                None if row.member is None else _group(question.group_by, row.member, links),
                shown_figures(row.figures),
            )
            for row in found.rows
        ],
    )


def _present(now: Present) -> PresentRead:
    names = AgentsNow.__struct_fields__
    agents = AgentsNow(**{name: now.agents.get(name, 0) for name in names})
    return PresentRead(now.calls, now.waiting, now.talking, now.calls_a_minute, agents)


def _subscribers(states: list[SubscriberState]) -> SubscriberFiguresRead:
    total, attempted = sum(one.subscribers for one in states), sum(one.attempted for one in states)
    by_state = [SubscriberStateRead(one.status, one.status_reason, one.subscribers) for one in states]
    return SubscriberFiguresRead(total, attempted, percent(attempted, total), by_state)


def _outcome(counted: Counted, totals: Figures) -> StatisticsOutcome:
    figures = counted.figures
    share = percent(figures.calls, totals.calls)
    return StatisticsOutcome(counted.member, figures.calls, share, figures.legs, figures.inbound, figures.messages)


def _group(group_by: str | None, member: str, links: Links) -> str:
    """Return the URL of a group's record, or the group itself. A subscriber without a phonebook has the group ''."""
    if group_by in {"zone", "attempt"} or group_by is None:
        return member
    record_id = int(member)
    if not record_id:
        return ""
    if group_by == "gateway" and record_id >= SMS_LINES_FROM:
        return links.record("sms-gateway", record_id - SMS_LINES_FROM)
    return links.record(group_by, record_id)


def shown_figures(one: Figures) -> FiguresRead:
    """Return figures with their rates, as the API writes them."""
    each = unit_cost(one.cost, one.completed)
    return FiguresRead(
        calls=one.calls,
        answered=one.answered,
        live_answered=one.live,
        completed=one.completed,
        asr=percent(one.answered, one.calls),
        acd=mean(one.talk_s, one.answered),
        answer_delay=mean(one.answer_s, one.answered),
        pdd=None if not one.signalled else round(one.post_dial_ms / one.signalled / 1_000, 2),
        talk_seconds=one.talk_s,
        contact_rate=percent(one.live, one.calls),
        completion_rate=percent(one.completed, one.live),
        abandoned=one.abandoned,
        abandoned_of=one.for_agents,
        abandoned_percent=percent(one.abandoned, one.for_agents),
        transfers=one.legs,
        transfers_answered=one.legs_answered,
        transfers_seconds=one.legs_talk_s,
        inbound=one.inbound,
        inbound_answered=one.inbound_answered,
        inbound_seconds=one.inbound_talk_s,
        messages=one.messages,
        delivered=one.delivered,
        delivery_rate=percent(one.delivered, one.messages),
        message_parts=one.parts,
        cost=format_money(one.cost),
        cost_per_completion=None if each is None else format_money(each),
    )
