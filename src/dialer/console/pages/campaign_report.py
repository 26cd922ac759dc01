"""The report of a campaign: one page that prints well."""

from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple
from zoneinfo import ZoneInfo

from litestar import Response, get
from litestar.di import NamedDependency
from litestar.params import FromPath
from sqlalchemy import Connection, select

from dialer.api.service import ApiRequest
from dialer.app.campaigns.figures import By, GroupedFigures, read_figures
from dialer.app.campaigns.keep_forecast import ForecastRecord, kept_forecast, record_of_forecasts
from dialer.app.campaigns.readiness import survey_of
from dialer.app.campaigns.statistics import TooManyRowsError
from dialer.app.campaigns.view import CampaignView, view_campaign
from dialer.app.contacts.replies import read_replies
from dialer.console.charts.columns import ColumnChart
from dialer.console.pages.campaign import check_seen, finish_of, funnel_of, outcomes_of, rightness_of
from dialer.console.pages.campaigns import PLACE, seen_campaigns
from dialer.console.pages.figures import BY_WORDS, chart_of, sheet_of
from dialer.console.pages.overview import PERCENT_UNIT
from dialer.console.parts.answers import ShownQuestion, queue_names, shown_questions
from dialer.console.parts.doubtful_lists import alarms_of_campaign
from dialer.console.parts.record_addresses import identity_in
from dialer.console.parts.replies import replies_in_words
from dialer.console.parts.sheets import Sheet, Value, ValueKind
from dialer.console.parts.zones import zone_of
from dialer.console.serving.services import ConsoleServices, page
from dialer.console.words.language import gettext, gettext_noop
from dialer.console.words.state_words import ABANDONED_MEANING, campaign_state, reason_of_campaign
from dialer.domain.figures.statistics import agent_and_outcome, unrounded_percent
from dialer.domain.forecast.kept_forecast import KeptForecast
from dialer.resources.crud.resource import Unit
from dialer.store.queries.rates import has_rate
from dialer.store.queries.statistics import Hours, WhoseCalls
from dialer.store.tables import SMS, CampaignPhonebook, Gateway, Phonebook, SurveyTemplate, User

LISTS_MAX: Final = 50
ROWS_MAX: Final = 31
"""Rows of a table of the report: the largest groups, or the latest days. The page of figures has them all."""
WEEKDAYS: Final = (
    ("monday", gettext_noop("Monday")),
    ("tuesday", gettext_noop("Tuesday")),
    ("wednesday", gettext_noop("Wednesday")),
    ("thursday", gettext_noop("Thursday")),
    ("friday", gettext_noop("Friday")),
    ("saturday", gettext_noop("Saturday")),
    ("sunday", gettext_noop("Sunday")),
)
_BY: Final = (
    *(By.DISPOSITION_WORD, By.AGENT_DISPOSITION, By.DAY, By.HOUR_OF_DAY, By.ATTEMPT, By.AGENT, By.PHONEBOOK),
    By.ZONE,
)
_EVER: Final = Hours(0, 2**40)


class ReportTable(NamedTuple):
    """A table of the report."""

    by: By
    title: str
    sheet: Sheet
    totals: tuple[Value, ...]
    chart: ColumnChart | None
    left_out: int
    """Rows that are not shown."""


class _Read(NamedTuple):
    view: CampaignView
    owner: str
    survey: str
    lists: list[str]
    gateway: str
    questions: list[ShownQuestion]
    kept: KeptForecast | None
    record: ForecastRecord
    """The forecasts of all campaigns that the viewer sees, and how many came true."""
    grouped: list[tuple[By, GroupedFigures | None]]
    """The figures of each table; None for one that would have too many rows."""
    has_rate: bool
    replies: str
    """The sentence about the people who replied by text; empty without any."""
    alarms: tuple[str, ...]
    """Warnings that numbers on its do-not-call lists protect nobody."""


@get("/campaigns/{record_id:str}/report", media_type="text/html")
async def show_report(
    request: ApiRequest, console: NamedDependency[ConsoleServices], record_id: FromPath[str]
) -> Response[Any]:
    """Show the report of a campaign."""
    identity, zone = identity_in(record_id, "campaign"), zone_of(request)

    def read(unit: Unit) -> _Read:
        check_seen(unit, identity)
        connection, scope = unit.connection, WhoseCalls(campaign_id=identity)
        view = view_campaign(connection, identity, unit.now_ms)
        row = view.row
        survey, _ = survey_of(connection, row)
        answers = console.answers.read(connection, identity, anew=True)
        return _Read(
            view,
            str(connection.scalar(select(User.username).where(User.id == row["user_id"]))),
            _name(connection, SurveyTemplate, row["object_id"]),
            _lists(connection, identity),
            _gateway(connection, row),
            shown_questions(survey, answers, queue_names(unit, survey)),
            kept_forecast(connection, identity),
            record_of_forecasts(connection, seen_campaigns(unit)),
            list(_grouped(connection, scope, zone, unit.now_ms)),
            view.totals.cost > 0 or has_rate(connection, row["user_id"]),
            replies_in_words(read_replies(connection, identity)),
            alarms_of_campaign(connection, identity, row["dnc_id"]),
        )

    found = await request.service.read(request, read, is_long=True)
    view, row, totals = found.view, found.view.row, found.view.totals
    state = campaign_state(row["status"])
    return page(
        request,
        "campaign_report.html",
        PLACE,
        identity=identity,
        row=row,
        state=state,
        reason=reason_of_campaign(row["status_reason"]),
        totals=totals,
        answered=unrounded_percent(totals.answered, totals.calls),
        abandoned=unrounded_percent(totals.abandoned, totals.for_agents),
        abandoned_max=row["abandon_rate_max"] / PERCENT_UNIT,
        abandoned_meaning=gettext(ABANDONED_MEANING),
        funnel=funnel_of(view),
        outcomes=outcomes_of(view),
        tables=[table for by, one in found.grouped if one is not None and (table := _table(by, one)) is not None],
        too_long=[(by.value, gettext(BY_WORDS[by])) for by, one in found.grouped if one is None],
        days=[gettext(words) for name, words in WEEKDAYS if row[name]],
        is_every_day=all(row[name] for name, _ in WEEKDAYS),
        kinds=ValueKind,
        was_right=rightness_of(view, found.kept),
        finish=finish_of(view, found.kept),
        **found._asdict(),
    )


def _grouped(
    connection: Connection, scope: WhoseCalls, zone: ZoneInfo, now_ms: int
) -> Iterator[tuple[By, GroupedFigures | None]]:
    """Yield the figures of each table; None for too many, which the page of figures has for fewer days."""
    for by in _BY:
        try:
            yield by, read_figures(connection, scope, by, zone, _EVER, now_ms)
        except TooManyRowsError:
            yield by, None


def _name(connection: Connection, model: Any, identity: int | None) -> str:  # noqa: ANN401 - a table with names
    name = connection.scalar(select(model.name).where(model.id == identity))
    return "" if name is None else str(name)


def _gateway(connection: Connection, row: Mapping[str, Any]) -> str:
    key = row["sms_gateway_id"] if row["medium"] == SMS else row["aleg_gateway_id"]
    name = connection.scalar(select(Gateway.name).where(Gateway.id == key, Gateway.medium == row["medium"]))
    return "" if name is None else str(name)


def _lists(connection: Connection, identity: int) -> list[str]:
    query = select(Phonebook.name).join(CampaignPhonebook, CampaignPhonebook.phonebook_id == Phonebook.id)
    query = query.where(CampaignPhonebook.campaign_id == identity).order_by(Phonebook.name).limit(LISTS_MAX)
    return list(connection.scalars(query))


def _table(by: By, grouped: GroupedFigures) -> ReportTable | None:
    """Return a table of the report; None if it would say nothing: without groups, or with the one of all calls."""
    groups = grouped.groups
    is_said = by in {By.DAY, By.HOUR_OF_DAY, By.AGENT} or len(groups) > 1
    if by is By.AGENT_DISPOSITION:
        is_said = any(agent_and_outcome(str(group.key))[1] for group in groups)
    if not groups or not is_said:
        return None
    sheet, totals = sheet_of(grouped, by, with_times=False)
    rows = sheet.rows[-ROWS_MAX:] if by is By.DAY else sheet.rows[:ROWS_MAX]
    left_out = len(sheet.rows) - len(rows)
    return ReportTable(by, gettext(BY_WORDS[by]), sheet._replace(rows=rows), totals, chart_of(groups, by), left_out)
