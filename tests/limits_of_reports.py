"""Limits of reports that are sent and shared, and of skills, as `docs/reference/limits.md` must have them."""

from typing import Final

from dialer.api.routes import agent_days as answered
from dialer.app.call_centre import agent_days
from dialer.app.campaigns import report_links as links
from dialer.app.campaigns import report_schedules as schedules
from dialer.console.pages import agent_day_views
from dialer.console.reports import files, letters
from dialer.domain.engine import aside
from dialer.domain.words import phrases
from dialer.resources.records import report_links, report_schedules

_HOUR_MS: Final = 3_600_000

LIMITS_OF_REPORTS: Final = {
    "Links to the reports of one campaign": f"{links.LINKS_MAX}",
    "Scheduled reports of one account; addresses of each": (
        f"{schedules.SCHEDULES_MAX}; {report_schedules.RECIPIENTS_MAX}"
    ),
    "Days of one report of agents' days; of all agents over the API; their times": (
        f"{agent_days.DAYS_MAX}; {answered.ANSWERED_DAYS_MAX:,}; {answered.TIMES_MAX:,}"
    ),
    "Periods of agents' work that such a report reads": f"{agent_days.PERIODS_MAX:,}",
    "Rows of agents' days on a page; times of one day; its calls": (
        f"{agent_day_views.ROWS_MAX:,}; {agent_day_views.SPANS_MAX:,}; {agent_days.CALLS_MAX:,}"
    ),
    "Mails with reports of one account in a day": f"{schedules.MAILS_A_DAY_MAX}",
    "A file in a mail": f"{files.FILE_BYTES_MAX // 1_000_000} MB",
    "Rows of a table in a mail": f"{letters.ROWS_MAX}",
    "Attempts to send a report": (
        f"{len(schedules.WAITS_MS) + 1} in about {sum(schedules.WAITS_MS) // _HOUR_MS} hours"
    ),
    "Days for which a link to a report holds": f"{report_links.DAYS_MAX}",
    "Openings of one link in a minute, its files included": f"{links.OPENED_A_MINUTE_MAX}",
    "Skills of an agent or a queue (`skills`); one of them": (
        f"{phrases.PHRASES_MAX}; {phrases.PHRASE_LENGTH_MAX} characters"
    ),
    "People of a campaign who wait in memory for agents with the same skills": f"{aside.ASIDE_MAX:,}",
    "Sets of skills for which people of a campaign wait in memory; those that nobody on duty has": (
        f"{aside.SETS_MAX}; {aside.SETS_MAX // 2}"
    ),
}
