"""The kinds of reports that are sent: each reads a table, and may tell it in words."""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from functools import partial
from typing import Final, NamedTuple
from zoneinfo import ZoneInfo

from sqlalchemy import Connection

from dialer.app.campaigns.figures import By, read_figures
from dialer.console.parts.crossed_figures import crossed_sheet
from dialer.console.parts.people_sheet import LongSheet, read_people_sheet
from dialer.console.parts.sheets import Sheet
from dialer.console.parts.told_answers import ToldAnswers, sheet_of_answers, tell_answers
from dialer.console.words.language import gettext_noop
from dialer.domain.calling_times.report_times import day_before
from dialer.domain.figures.statistics import HOUR_MS
from dialer.domain.words.reports import ScheduledReport
from dialer.store.database.database import Database
from dialer.store.queries.statistics import Hours, WhoseCalls

NO_ADDRESS: Final = gettext_noop("The service does not know its address for links: an admin sets DIALER_BASE_URL.")


class AskedReport(NamedTuple):
    """The report that is wanted: of a campaign, or of an account, as of a moment."""

    campaign_id: int | None
    user_id: int
    due_ms: int
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


KINDS: Final[Mapping[str, ReportKind]] = {
    ScheduledReport.ANSWERS: ReportKind(gettext_noop("Answers in words"), _answers),
    ScheduledReport.PEOPLE: ReportKind(gettext_noop("People, a row each"), _people),
    ScheduledReport.AGENT_OUTCOMES: ReportKind(
        gettext_noop("Agent and outcome"), partial(_agents, By.AGENT_DISPOSITION), is_of_day_before=True
    ),
    ScheduledReport.AGENT_HOURS: ReportKind(
        gettext_noop("Agent and hour of the day"), partial(_agents, By.AGENT_HOUR), is_of_day_before=True
    ),
}
"""The kinds of reports. A further one is an entry here, and a member of `ScheduledReport`."""
