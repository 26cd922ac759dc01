"""The overview: everything that is going on, and what needs attention first."""

from collections.abc import Sequence
from http import HTTPStatus
from typing import Any, Final, NamedTuple
from zoneinfo import ZoneInfo

from litestar import Response, get, post
from litestar.di import NamedDependency

from dialer.api.service import ApiRequest
from dialer.app.campaigns.activity import activities_of
from dialer.app.campaigns.stop_everything import stopped_at
from dialer.app.overview.first_steps import FirstSteps, has_called, query_of_called, read_first_steps
from dialer.app.overview.live_overview import CampaignNow
from dialer.app.overview.overview import Overview, People, read_overview
from dialer.console.charts.charts import Slice, line, share, stack
from dialer.console.parts.activity_words import ShownActivity, shown_activity
from dialer.console.parts.attention import GATEWAY_PAGES, things_to_do
from dialer.console.parts.first_steps import steps_of
from dialer.console.parts.rendering import render
from dialer.console.parts.zones import day_of, zone_of
from dialer.console.serving.forms import read_fields
from dialer.console.serving.live_parts import EVENT_STREAM, answer_live
from dialer.console.serving.services import ConsoleServices, go_to, page
from dialer.console.serving.sessions import cookie, cookie_of, is_secure
from dialer.console.words.language import gettext
from dialer.console.words.state_words import ABANDONED_MEANING
from dialer.domain.figures.statistics import unrounded_percent
from dialer.domain.rules.abandoned_causes import exceeded_share, limit_of
from dialer.domain.rules.abandoned_limits import LEGAL_PERCENT
from dialer.domain.rules.campaign_activity import CampaignActivity
from dialer.domain.words.enums import AgentActivity
from dialer.domain.words.roles import Permission
from dialer.resources.crud.resource import Actor, Unit
from dialer.resources.crud.urls import parse_id
from dialer.store.queries.statistics import WhoseCalls

PLACE: Final = "overview"
AWAY: Final = "dialer_first_steps_"
"""The cookie of a viewer who has put the way to a first campaign away, before the viewer's id."""
AWAY_S: Final = 365 * 86_400
PERCENT_UNIT: Final = 100_000


class CampaignRow(NamedTuple):
    """A campaign in progress, as the overview shows it."""

    now: CampaignNow
    activity: ShownActivity
    people: People
    bar: list[Slice]
    answered: float | None
    abandoned: float | None
    abandoned_max: float
    """The limit on abandoned calls in per cent; 0 in a campaign that leads to no queue."""


class Glance(NamedTuple):
    """The figures of the overview at one moment."""

    overview: Overview
    minutes: list[int]
    activities: dict[int, CampaignActivity]
    """The activity of each campaign in progress, by its id."""
    is_new: bool
    """True if there is nothing to show: nobody has been called, and no campaign is open."""


@get("/overview", media_type="text/html")
async def show_overview(request: ApiRequest, console: NamedDependency[ConsoleServices]) -> Response[Any]:
    """Show the overview."""
    return await show_overview_page(request, console)


async def show_overview_page(
    request: ApiRequest, console: ConsoleServices, messages: Sequence[str] = (), status: int = HTTPStatus.OK
) -> Response[Any]:
    """Return the overview, with messages above it."""
    live = await console.snapshots.get(key_of(request), lambda: _make(request, console))
    asked = request.query_params
    stopped, resumed = parse_id(asked.get("stopped", "")), asked.get("resumed", "")
    steps = await _read_steps(request)
    are_away = steps is not None and bool(cookie_of(request, _away(request)))
    return page(
        request,
        "overview.html",
        PLACE,
        status,
        messages=messages,
        live=live,
        stopped=stopped,
        count=0 if stopped is None else await _count_of_stopped(request, stopped),
        resumed=(parse_id(resumed) or 0) if resumed else None,
        left=parse_id(asked.get("left", "")) or 0,
        first_steps=[] if steps is None or are_away else steps_of(steps, is_admin=request.user.is_admin),
        are_away=are_away,
        example=None if steps is None else steps.example,
        has_started=steps is None or steps.was_started,
    )


@post("/overview/first-steps", media_type="text/html")
async def put_first_steps_away(request: ApiRequest) -> Response[Any]:
    """Put the way to a first campaign away, or show it again."""
    away = "1" if (await read_fields(request)).get("away") else ""
    kept = cookie(_away(request), away, is_secure=is_secure(request), max_age_s=AWAY_S if away else 0)
    return go_to(f"/console/{PLACE}/", kept)


def _away(request: ApiRequest) -> str:
    return f"{AWAY}{request.user.id}"


async def _read_steps(request: ApiRequest) -> FirstSteps | None:
    """Return the steps to a first campaign, unless the viewer may take none, or a campaign has called already."""
    if not request.user.may(Permission.CAMPAIGNS):
        return None
    # Nearly everybody has called, which is read without a hop to another thread.
    rows = request.service.database.at_hand.rows(*query_of_called(_whose(request.user)))
    return None if rows and rows[0][0] else await request.service.read(request, _first_steps)


def _whose(actor: Actor) -> int | None:
    return None if actor.is_admin else actor.sees_as


def _first_steps(unit: Unit) -> FirstSteps | None:
    """Return the steps to a first campaign; None once a campaign of the viewer has called somebody."""
    user_id = _whose(unit.actor)
    return None if has_called(unit.connection, user_id) else read_first_steps(unit.connection, user_id, unit.actor.id)


async def _count_of_stopped(request: ApiRequest, moment_ms: int) -> int:
    return len(await request.service.read(request, lambda unit: stopped_at(unit.connection, unit.actor.id, moment_ms)))


@get("/overview/live", media_type=EVENT_STREAM)
async def stream_overview(request: ApiRequest, console: NamedDependency[ConsoleServices]) -> Response[Any]:
    """Send the live part of the overview."""
    return await answer_live(
        request, console.snapshots, console.sessions, key_of(request), lambda: _make(request, console)
    )


def key_of(request: ApiRequest) -> tuple[object, ...]:
    """Return the rights and the zone that decide what the part shows."""
    actor = request.user
    zone = zone_of(request)
    return (PLACE, actor.view, actor.sees_as, zone.key)


async def _make(request: ApiRequest, console: ConsoleServices) -> str:
    zone = zone_of(request)

    def read(unit: Unit) -> Glance:
        of_all = unit.actor.is_admin
        viewer_id, today = unit.actor.sees_as, day_of(unit.now_ms, zone)
        overview = read_overview(unit.connection, unit.now_ms, viewer_id, today, of_all=of_all)
        scope = WhoseCalls(user_id=None if of_all else viewer_id)
        campaigns = [now.campaign._asdict() for now in overview.situation.campaigns]
        rules = (str(unit.conventions.zone), unit.conventions.hours)
        activities = activities_of(unit.connection, campaigns, unit.now_ms, *rules)
        is_new = _is_quiet(overview) and not has_called(unit.connection, scope.user_id)
        return Glance(overview, console.minutes.read(unit.connection, scope, unit.now_ms), activities, is_new)

    reading = await request.service.read(request, read)
    now_ms = request.service.worker.clock.now_ms()
    problem = request.service.worker.problem() if request.user.is_admin else None
    return _render(reading, now_ms, zone, problem, of_all=request.user.is_admin)


def _is_quiet(overview: Overview) -> bool:
    situation, today = overview.situation, overview.today
    return not (situation.campaigns_open or situation.present.calls or today.calls or today.messages)


def _render(reading: Glance, now_ms: int, zone: ZoneInfo, problem: str | None, *, of_all: bool) -> str:
    overview, today = reading.overview, reading.overview.today
    return render(
        "overview_live.html",
        overview=overview,
        is_new=reading.is_new,
        situation=overview.situation,
        today=today,
        answered=unrounded_percent(today.answered, today.calls),
        abandoned=unrounded_percent(today.abandoned, today.for_agents),
        abandoned_max=LEGAL_PERCENT,
        is_exceeded=exceeded_share(today.abandoned, today.for_agents, LEGAL_PERCENT) is not None,
        abandoned_meaning=gettext(ABANDONED_MEANING),
        minutes=reading.minutes,
        chart=line(reading.minutes),
        rows=[
            _row(
                one,
                shown_activity(
                    reading.activities[one.campaign.id],
                    one.campaign.medium,
                    one.totals.calls + one.totals.messages,
                    now_ms,
                    zone,
                ),
                overview.people[one.campaign.id],
            )
            for one in overview.situation.campaigns
        ],
        gateways=[
            (one, share(min(one.in_use, one.max_channels), one.max_channels)) for one in overview.situation.gateways
        ],
        gateway_pages=GATEWAY_PAGES,
        agents=[(one, overview.situation.present.agents.get(one.name.lower(), 0)) for one in AgentActivity],
        todo=things_to_do(overview, reading.activities, now_ms, zone, problem),
        now_ms=now_ms,
        zone=zone,
        of_all=of_all,
    )


def _row(one: CampaignNow, activity: ShownActivity, people: People) -> CampaignRow:
    campaign, totals = one.campaign, one.totals
    return CampaignRow(
        one,
        activity,
        people,
        people_bar(people),
        unrounded_percent(totals.answered, totals.calls)
        if campaign.medium == "voice"
        else unrounded_percent(totals.delivered, totals.messages),
        unrounded_percent(totals.abandoned, totals.for_agents) if one.exceeded is None else one.exceeded.share,
        limit_of(campaign.abandon_rate_max / PERCENT_UNIT) if one.exceeded is None else one.exceeded.limit,
    )


def people_bar(people: People) -> list[Slice]:
    """Return the bar of a campaign's progress."""
    return stack(
        [
            ("reached", people.reached),
            ("machine", people.machines),
            ("unreached", people.unreached),
            ("refused", people.refused),
            ("waiting", people.waiting),
        ]
    )
