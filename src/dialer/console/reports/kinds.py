"""The kinds of reports that are sent: each reads a table, and may tell it in words."""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from datetime import UTC, datetime
from functools import partial
from typing import Final, NamedTuple
from zoneinfo import ZoneInfo

from sqlalchemy import Connection

from dialer.app.call_centre.agent_days import read_days
from dialer.app.campaigns.figures import By, read_figures
from dialer.console.parts.agent_day_sheet import Each, days_sheet
from dialer.console.parts.crossed_figures import crossed_sheet
from dialer.console.parts.people_sheet import LongSheet, read_people_sheet
from dialer.console.parts.sheets import Sheet
from dialer.console.parts.told_answers import ToldAnswers, sheet_of_answers, tell_answers
from dialer.console.reports.files import FileTooLargeError
from dialer.console.words.language import gettext_noop
from dialer.domain.calling_times.report_times import day_before
from dialer.domain.figures.statistics import HOUR_MS
from dialer.domain.queueing.agent_days import days_between
from dialer.domain.words.reports import ScheduledReport
from dialer.store.database.database import Database
from dialer.store.queries.agent_periods import TooManyPeriodsError
from dialer.store.queries.statistics import Hours, WhoseCalls
from dialer.store.tables import Agent

NO_ADDRESS: Final = gettext_noop("The service does not know its address for links: an admin sets DIALER_BASE_URL.")


class AskedReport(NamedTuple):
    """The report that is wanted: of a campaign, or of an account, as of a moment."""

    campaign_id: int | None
    user_id: int
    due_ms: int
    now_ms: int
    """The present, which is later than `due_ms` if the report was not sent at first."""
    zone: ZoneInfo
    base: str
    """The address of the service."""
    by: str = ""
    """The column of the list by which answers are told."""


class ReadReport(NamedTuple):
    """A report that was read."""

    sheet: LongSheet
    told: ToldAnswers | None = None
    """Its answers in words, for reports that have them."""


class ReportKind(NamedTuple):
    """A kind of report: its title, and how it is read."""

    title: str
    read: Callable[[Database, AskedReport], Awaitable[ReadReport]]
    is_of_day_before: bool = False
    """True if it is about the day before; else it is about all that was until now."""
    of_day: str = gettext_noop("Calls of %(day)s.")
    """The sentence of its mail that names the day before."""


def at_once(sheet: Sheet) -> LongSheet:
    """Return a table that was read as a whole."""

    async def whole() -> AsyncIterator[Sheet]:
        yield sheet

    return LongSheet(sheet.columns, whole())


async def _answers(database: Database, asked: AskedReport) -> ReadReport:
    told = await tell_answers(database, asked.campaign_id or 0, asked.by)
    return ReadReport(at_once(sheet_of_answers(told)), told)


async def _people(database: Database, asked: AskedReport) -> ReadReport:
    return ReadReport(await read_people_sheet(database, asked.campaign_id or 0, asked.base, is_shared=True))


async def _agents(by: By, database: Database, asked: AskedReport) -> ReadReport:
    scope = WhoseCalls(campaign_id=asked.campaign_id, user_id=None if asked.campaign_id else asked.user_id)
    first_ms, end_ms = day_before(asked.due_ms, asked.zone)
    hours = Hours(-(-first_ms // HOUR_MS), -(-end_ms // HOUR_MS))

    def read(connection: Connection) -> Sheet:
        grouped = read_figures(connection, scope, by, asked.zone, hours, asked.due_ms)
        sheet, sums = crossed_sheet(grouped.groups, by)
        return sheet._replace(rows=[*sheet.rows, sums]) if sheet.rows else sheet

    return ReadReport(at_once(await database.read(read, is_long=True)))


async def _days(database: Database, asked: AskedReport) -> ReadReport:
    first_ms, _ = day_before(asked.due_ms, asked.zone)
    date = datetime.fromtimestamp(first_ms / 1_000, UTC).astimezone(asked.zone).date()
    days = days_between(date, date, asked.zone)

    def read(connection: Connection) -> Sheet:
        try:
            found = read_days(connection, Agent.user_id == asked.user_id, days, asked.now_ms)
        except TooManyPeriodsError:
            raise FileTooLargeError from None
        sheet, sums = days_sheet(found, Each.DAY, asked.zone)
        return sheet._replace(rows=[*sheet.rows, sums]) if found else Sheet(sheet.columns, [])

    return ReadReport(at_once(await database.read(read, is_long=True)))


KINDS: Final[Mapping[str, ReportKind]] = {
    ScheduledReport.ANSWERS: ReportKind(gettext_noop("Answers in words"), _answers),
    ScheduledReport.PEOPLE: ReportKind(gettext_noop("People, a row each"), _people),
    ScheduledReport.AGENT_OUTCOMES: ReportKind(
        gettext_noop("Agent and outcome"), partial(_agents, By.AGENT_DISPOSITION), is_of_day_before=True
    ),
    ScheduledReport.AGENT_HOURS: ReportKind(
        gettext_noop("Agent and hour of the day"), partial(_agents, By.AGENT_HOUR), is_of_day_before=True
    ),
    ScheduledReport.AGENT_DAYS: ReportKind(
        gettext_noop("Days of agents"),
        _days,
        is_of_day_before=True,
        of_day=gettext_noop("Log-ins and times of %(day)s."),
    ),
}
"""The kinds of reports. A further one is an entry here, and a member of `ScheduledReport`."""
