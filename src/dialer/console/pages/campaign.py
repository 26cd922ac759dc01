"""A campaign: its state in words, its people and calls as they move, its survey and answers, and its buttons."""

from collections.abc import Callable, Mapping
from http import HTTPStatus
from typing import Any, Final, NamedTuple
from zoneinfo import ZoneInfo

from litestar import Response, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath
from sqlalchemy import Connection, Row, Select, bindparam, select

from dialer.api.actions.forecast import Forecaster, ForecastUnderWay
from dialer.api.service import ApiRequest
from dialer.app.campaigns.change import abort_campaign, end_campaign, pause_campaign, start_campaign
from dialer.app.campaigns.check import findings_of_campaign
from dialer.app.campaigns.covered_people import covered_people
from dialer.app.campaigns.keep_forecast import kept_forecast
from dialer.app.campaigns.readiness import survey_of
from dialer.app.campaigns.statistics import results_of
from dialer.app.campaigns.view import CampaignView, view_campaign
from dialer.app.campaigns.why_waiting import WaitingView, view_waiting
from dialer.app.overview.examples import records_of_example
from dialer.app.work.errors import InvalidFieldsError, RefusedError
from dialer.app.work.unit import UnitOfWork
from dialer.console.charts.charts import line, share
from dialer.console.charts.forecast_chart import HOURS_READ, draw_hours, hours_to_read
from dialer.console.charts.survey_graph import draw_survey
from dialer.console.pages.campaign_before_start import BeforeStart, read_before_start
from dialer.console.pages.campaigns import PLACE, seen_campaigns, tried_by
from dialer.console.pages.overview import people_bar
from dialer.console.parts.activity_words import ShownActivity, shown_activity
from dialer.console.parts.answers import queue_names, shown_questions
from dialer.console.parts.audit_filters import changes_url
from dialer.console.parts.findings import ShownFinding, shown_findings
from dialer.console.parts.record_addresses import identity_in
from dialer.console.parts.rendering import render
from dialer.console.parts.sentences import in_viewers_words
from dialer.console.parts.wait_words import wait_words
from dialer.console.parts.zones import zone_of
from dialer.console.serving.errors import messages_of, status_of
from dialer.console.serving.forms import read_fields
from dialer.console.serving.live_parts import EVENT_STREAM, answer_live
from dialer.console.serving.services import ConsoleServices, go_to, page
from dialer.console.words.language import gettext, gettext_noop
from dialer.console.words.state_words import ABANDONED_MEANING, campaign_state, outcome_words, result_words
from dialer.domain.calls.plans import SIMULATED
from dialer.domain.figures.statistics import Grouping, unrounded_percent
from dialer.domain.forecast.kept_forecast import KeptForecast, Side
from dialer.domain.rules.abandoned_causes import AGENTS, SETTINGS, ExceededShare
from dialer.domain.rules.abandoned_limits import NO_CALLS, JudgedShare, Period
from dialer.domain.survey.survey import Survey
from dialer.domain.words.enums import CampaignStatus, SubscriberStatus
from dialer.domain.words.reasons import WAITS
from dialer.domain.words.roles import Permission
from dialer.domain.words.states import IllegalMoveError
from dialer.resources.crud.resource import Resource, Unit
from dialer.resources.crud.visibility import query_for
from dialer.resources.records.campaigns import CAMPAIGNS
from dialer.resources.records.messages import SMS_CAMPAIGNS
from dialer.resources.words.errors import RecordNotFoundError
from dialer.settings import Settings
from dialer.store.queries.rates import has_rate
from dialer.store.queries.statistics import Counted, WhoseCalls, count_calls
from dialer.store.queries.survey_results import SectionCount
from dialer.store.tables import SMS, VOICE, Campaign, Gateway

LINKED_MAX: Final = 20
"""Campaigns that call people of one again, as far as its page links to them."""
_CAMPAIGN: Final = select(Campaign.__table__).where(Campaign.id == bindparam("id"))
CampaignServices = tuple[ConsoleServices, Forecaster]
ACTIONS: Final[Mapping[str, Callable[[UnitOfWork, int], None]]] = {
    "start": start_campaign,
    "pause": pause_campaign,
    "end": end_campaign,
    "abort": abort_campaign,
}
"""The use cases of the buttons, which are those of the API."""
_POSSIBLE: Final[Mapping[CampaignStatus, tuple[str, ...]]] = {
    CampaignStatus.NEW: ("start", "end"),
    CampaignStatus.START: ("pause", "end", "abort"),
    CampaignStatus.PAUSE: ("start", "end", "abort"),
}
"""The buttons that are shown in each state."""
_SHARE_TITLES: Final[Mapping[Period, str]] = {
    Period.DAY: gettext_noop("Abandoned in 24 hours"),
    Period.MONTH: gettext_noop("Abandoned in 30 days"),
    Period.CAMPAIGN: gettext_noop("Abandoned"),
}
_OVER: Final = frozenset({CampaignStatus.END, CampaignStatus.ABORT})


class Linked(NamedTuple):
    """A campaign to which a page links."""

    id: int
    name: str


class _Still(NamedTuple):
    """The parts of the page that are read once."""

    name: str
    is_sms: bool
    state: CampaignStatus | None
    findings: list[ShownFinding]
    before: BeforeStart | None
    """The campaign as it is known before its start; None if it was started."""
    source: Linked | None
    """The campaign some of whose people this one calls again."""
    again: list[Linked]
    """The campaigns that call people of this one again."""
    is_example: bool
    """True if its people are made up, to show how campaigns go."""


_FINISHES: Final[Mapping[Side, str]] = {
    Side.BELOW: gettext_noop("earlier than in the forecast"),
    Side.INSIDE: gettext_noop("inside the forecast"),
    Side.ABOVE: gettext_noop("later than in the forecast"),
}


class _Moving(NamedTuple):
    """The parts of the page that move."""

    view: CampaignView
    minutes: list[int]
    hours: list[Counted]
    kept: KeptForecast | None
    waiting: WaitingView
    survey: Survey
    answers: dict[int, SectionCount]
    queues: dict[int, str]
    """The names of the queues to which the survey leads."""
    has_rate: bool
    is_simulated: bool
    """True if its gateway is simulated, so that calling hours can be obeyed or not."""


@get("/campaigns/{record_id:str}", media_type="text/html")
async def show_campaign(
    request: ApiRequest,
    console: NamedDependency[ConsoleServices],
    forecaster: NamedDependency[Forecaster],
    record_id: FromPath[str],
) -> Response[Any]:
    """Show the page of a campaign. A trial of a campaign leads to the page of its test."""
    identity = identity_in(record_id, "campaign")
    try:
        return await show_campaign_page(request, (console, forecaster), identity)
    except RecordNotFoundError:
        tried_id = await request.service.read(request, lambda unit: tried_by(unit, identity))
        if tried_id is None:
            raise
        return go_to(f"/console/campaigns/{tried_id}/test/")


@get("/campaigns/{record_id:str}/live", media_type=EVENT_STREAM)
async def stream_campaign(
    request: ApiRequest,
    console: NamedDependency[ConsoleServices],
    forecaster: NamedDependency[Forecaster],
    record_id: FromPath[str],
) -> Response[Any]:
    """Send the live part of a campaign."""
    identity = identity_in(record_id, "campaign")
    # A snapshot may be kept, so the right to see it is checked for each viewer.
    await request.service.read(request, lambda unit: check_seen(unit, identity))
    key = _key(request, identity)
    return await answer_live(
        request, console.snapshots, console.sessions, key, lambda: _make(request, (console, forecaster), identity)
    )


@post("/campaigns/{record_id:str}/state", media_type="text/html")
async def change_state(
    request: ApiRequest,
    console: NamedDependency[ConsoleServices],
    forecaster: NamedDependency[Forecaster],
    record_id: FromPath[str],
) -> Response[Any]:
    """Start, pause, end or abort a campaign."""
    identity, fields = identity_in(record_id, "campaign"), await read_fields(request)
    action = ACTIONS.get(fields.get("action", ""))
    if action is None:
        raise RecordNotFoundError("There is no such button.")

    def change(unit: Unit) -> None:
        check_seen(unit, identity)
        action(unit, identity)

    try:
        await request.service.write(request, change, is_long=action is start_campaign)
    except (IllegalMoveError, InvalidFieldsError, RefusedError) as error:
        services, messages = (console, forecaster), messages_of(error)
        return await show_campaign_page(request, services, identity, messages, status_of(error))
    console.snapshots.forget(_key(request, identity))
    return go_to(f"/console/campaigns/{identity}/")


def check_seen(unit: Unit, identity: int) -> None:
    """Check that a campaign exists and is visible to the viewer.

    Raises:
        RecordNotFoundError: there is no such campaign, or it is not the viewer's.
    """

    def query() -> Select[*tuple[Any, ...]]:
        return select(Campaign.id).where(Campaign.id == bindparam("wanted"), seen_campaigns(unit))

    values = {"wanted": identity, "actor_id": unit.actor.sees_as}
    if unit.connection.execute(query_for(unit.actor, "seen campaign", query), values).first() is None:
        raise RecordNotFoundError("There is no such campaign, or it is not yours.")


def resource_of(unit: Unit, identity: int) -> Resource:
    """Return the resource of a campaign that exists: that of calls, or that of text messages."""
    medium = unit.connection.scalar(select(Campaign.medium).where(Campaign.id == identity))
    return SMS_CAMPAIGNS if medium == SMS else CAMPAIGNS


def _key(request: ApiRequest, identity: int) -> tuple[object, ...]:
    zone = zone_of(request)
    return (PLACE, identity, request.user.may(Permission.CAMPAIGNS), zone.key)


async def show_campaign_page(
    request: ApiRequest,
    services: CampaignServices,
    identity: int,
    messages: list[str] | None = None,
    status: int = HTTPStatus.OK,
) -> Response[Any]:
    """Return the page of a campaign, with messages above it."""
    service = request.service
    still = await service.read(
        request, lambda unit: _read_still(unit, services[0], identity, service.settings), is_long=True
    )
    live = await services[0].snapshots.get(_key(request, identity), lambda: _make(request, services, identity))
    now_ms = service.worker.clock.now_ms()
    return page(
        request,
        "campaign.html",
        PLACE,
        status,
        identity=identity,
        live=live,
        messages=messages or [],
        changes_url=changes_url((SMS_CAMPAIGNS if still.is_sms else CAMPAIGNS).path, identity),
        at_start=_shown_at_start(still, now_ms, zone_of(request)),
        **still._asdict(),
    )


def _shown_at_start(still: _Still, now_ms: int, zone: ZoneInfo) -> ShownActivity | None:
    """Return the words for what a campaign would do if it were started now."""
    if still.before is None or still.before.at_start is None:
        return None
    return shown_activity(still.before.at_start, SMS if still.is_sms else VOICE, 0, now_ms, zone)


def _read_still(unit: Unit, console: ConsoleServices, identity: int, settings: Settings) -> _Still:
    service_zone = settings.timezone
    check_seen(unit, identity)
    console.answers.read(unit.connection, identity, anew=True)
    row = dict(unit.connection.execute(_CAMPAIGN, {"id": identity}).mappings().one())
    findings = findings_of_campaign(
        unit.connection,
        row,
        unit.now_ms,
        service_zone=service_zone,
        hours=unit.conventions.hours,
        covered=covered_people(unit.connection, row, unit.now_ms, service_zone),
        ears=settings.ears,
    )
    state = campaign_state(row["status"])
    is_over, survey = state in _OVER, survey_of(unit.connection, row)[0]
    before = read_before_start(unit, row, survey, service_zone) if state is CampaignStatus.NEW else None
    findings += [] if before is None else [*before.too_dear, *before.too_strict]
    return _Still(
        row["name"],
        row["medium"] == SMS,
        state,
        [] if is_over else shown_findings(findings, survey),
        before,
        None if row["source_campaign_id"] is None else next(iter(_linked(unit, "id", row["source_campaign_id"])), None),
        _linked(unit, "source_campaign_id", identity),
        records_of_example(unit.connection, identity) is not None,
    )


def _linked(unit: Unit, column: str, identity: int) -> list[Linked]:
    """Return the campaigns with a campaign in a column, as far as the viewer sees them, the oldest first."""

    def query() -> Select[*tuple[Any, ...]]:
        is_linked = Campaign.__table__.c[column] == bindparam("wanted")
        linked = select(Campaign.id, Campaign.name).where(is_linked, seen_campaigns(unit))
        return linked.order_by(Campaign.id).limit(LINKED_MAX)

    values = {"wanted": identity, "actor_id": unit.actor.sees_as}
    rows = unit.connection.execute(query_for(unit.actor, f"campaigns by {column}", query), values)
    return [Linked._make(row) for row in rows]


async def _make(request: ApiRequest, services: CampaignServices, identity: int) -> str:
    service, (console, forecaster) = request.service, services

    def read(unit: Unit) -> _Moving:
        check_seen(unit, identity)
        scope = WhoseCalls(campaign_id=identity)
        hours = hours_to_read(unit.now_ms)
        rules = (service.settings.timezone, unit.conventions.hours)
        view = view_campaign(unit.connection, identity, unit.now_ms)
        survey = survey_of(unit.connection, view.row)[0]
        return _Moving(
            view,
            console.minutes.read(unit.connection, scope, unit.now_ms),
            count_calls(unit.connection, scope, Grouping.TOTAL, hours, HOURS_READ, by_hour=True),
            kept_forecast(unit.connection, identity),
            view_waiting(unit.connection, view.row, unit.now_ms, *rules),
            survey,
            console.answers.read(unit.connection, identity),
            queue_names(unit, survey),
            view.totals.cost > 0 or has_rate(unit.connection, view.row["user_id"]),
            (gateway := gateway_of_campaign(unit.connection, view.row)) is not None and gateway.protocol == SIMULATED,
        )

    moving = await service.read(request, read, is_long=not console.answers.is_counted(identity))
    return _render(request, moving, service.worker.clock.now_ms(), forecaster.progress_of(identity))


def _render(request: ApiRequest, moving: _Moving, now_ms: int, forecasting: ForecastUnderWay | None) -> str:
    from dialer.console.charts.heat_map import heat_rows  # noqa: PLC0415 - one page draws it

    view = moving.view
    zone = zone_of(request)
    may_change = request.user.may(Permission.CAMPAIGNS)
    state = campaign_state(view.row["status"])
    totals, shown_share = view.totals, _shown_share(view)
    return render(
        "campaign_live.html",
        view=view,
        row=view.row,
        state=state,
        activity=shown_activity(moving.waiting.activity, view.row["medium"], view.row["calls"], now_ms, zone),
        actions=_POSSIBLE.get(state, ()) if may_change and state is not None else (),
        answered=unrounded_percent(totals.answered, totals.calls),
        shown_share=shown_share,
        share_title=gettext(_SHARE_TITLES[Period.CAMPAIGN if shown_share is None else shown_share.rule.period]),
        shares=[view.abandoned.get(period, NO_CALLS).share for period in Period],
        abandoned_meaning=gettext(ABANDONED_MEANING),
        wait_words=wait_words,
        exceeded_places=_places(view.exceeded, view.row["id"], may_change=may_change),
        bar=people_bar(view.people),
        funnel=funnel_of(view),
        outcomes=outcomes_of(view),
        minutes=moving.minutes,
        chart=line(moving.minutes),
        hours=draw_hours(moving.hours, moving.kept, now_ms),
        kept=moving.kept,
        was_right=rightness_of(view, moving.kept),
        finish=finish_of(view, moving.kept),
        forecasting=forecasting,
        is_simulated=moving.is_simulated,
        may_change=may_change,
        may_forecast=may_change and state not in _OVER,
        cost_by_now=None if moving.kept is None else moving.kept.cost_at(now_ms),
        next_people=moving.waiting.people,
        graph=draw_survey(moving.survey, moving.answers),
        questions=shown_questions(moving.survey, moving.answers, moving.queues),
        has_rate=moving.has_rate,
        waits=WAITS,
        heat=heat_rows(view.zone_hours, request.service.settings.timezone),
        now_ms=now_ms,
        zone=zone,
    )


def _shown_share(view: CampaignView) -> JudgedShare | None:
    """Return the share of abandoned calls that a rule counts: the one that is nearest to its limit, or above it most.

    None without calls for agents.
    """
    return max(view.judged, key=lambda one: (one.is_exceeded, (one.counted.share or 0) - one.limit), default=None)


def _places(exceeded: ExceededShare | None, identity: int, *, may_change: bool) -> list[tuple[str, str, str]]:
    """Return the causes of abandoned calls, each with the address and the title of the page with its remedy."""
    urls = {
        SETTINGS: (f"/console/records/campaigns/{identity}/", gettext("Edit settings")),
        AGENTS: ("/console/board/", gettext("Wall board")),
    }
    return [
        (in_viewers_words(cause.text), *(urls[cause.place] if may_change or cause.place == AGENTS else ("", "")))
        for cause in (() if exceeded is None else exceeded.causes)
    ]


def rightness_of(view: CampaignView, kept: KeptForecast | None) -> bool | None:
    """Return whether a campaign that has ended was inside its forecast; None without one, or before the end."""
    if kept is None or view.row["status"] != CampaignStatus.END:
        return None
    return kept.was_right(view.row["calls"], view.row["cost"])


def finish_of(view: CampaignView, kept: KeptForecast | None) -> str:
    """Return whether a campaign that has ended stopped dialling when its forecast said; empty without one.

    Nothing but a user's change alters the row of a campaign that has ended.
    """
    if kept is None or view.row["status"] != CampaignStatus.END:
        return ""
    return gettext(_FINISHES[kept.finish_ms.side(view.row["updated_date"])])


def gateway_of_campaign(connection: Connection, campaign: Mapping[str, Any]) -> Row[int, int, str] | None:
    """Return the limits and the protocol of a campaign's gateway; None without one."""
    medium = campaign["medium"]
    key = campaign["sms_gateway_id"] if medium == SMS else campaign["aleg_gateway_id"]
    query = select(Gateway.max_channels, Gateway.max_cps, Gateway.protocol)
    return connection.execute(query.where(Gateway.id == key, Gateway.medium == medium)).first()


def funnel_of(view: CampaignView) -> list[tuple[str, int, float]]:
    """Return the steps from all people to those who completed the survey, with their width in per cent."""
    attempted = sum(state.attempted for state in view.states)
    steps = [
        (gettext("People"), view.people.total),
        (gettext("Tried"), attempted),
        (gettext("Sent") if view.row["medium"] == SMS else gettext("Reached"), view.people.reached),
    ]
    completed = sum(state.subscribers for state in view.states if state.status == SubscriberStatus.COMPLETED)
    steps += [(gettext("Completed"), completed)] if completed else []
    return [(name, count, share(count, view.people.total)) for name, count in steps]


def outcomes_of(view: CampaignView) -> list[tuple[str, int, float]]:
    """Return the outcomes of calls or messages, the most frequent first, with their share in per cent."""
    if view.row["medium"] == SMS:
        messages = [(one.member, one.figures.messages) for one in view.outcomes]
        ordered = sorted(messages, key=lambda one: (-one[1], one[0]))
        counted = [(outcome_words(member), count) for member, count in ordered if count]
    else:
        counted = [(result_words(result), count) for result, count in results_of(view.outcomes).items()]
    total = sum(count for _, count in counted)
    return [(words, count, share(count, total)) for words, count in counted]
