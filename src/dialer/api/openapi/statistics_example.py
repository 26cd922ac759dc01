"""The parameters and the example of statistics in the OpenAPI document."""

from typing import Final

import msgspec

from dialer.api.openapi.examples import answer
from dialer.api.openapi.parts import TEXT, Json, parameter
from dialer.api.routes.call_centre_shapes import (
    FIRST_DAY,
    FORMAT,
    FORMATS,
    LAST_DAY,
    TIMES,
    AgentDayRead,
    AgentDaysRead,
    AgentNowRead,
    AgentStatisticsRead,
    QueueStatisticsRead,
)
from dialer.api.routes.call_centre_statistics import WITHIN, WITHIN_S
from dialer.api.routes.statistics_answer import AFTER, BEFORE, GROUP_BY, INTERVAL, ZONE, shown_figures
from dialer.api.routes.statistics_shapes import (
    AbandonedCountRead,
    AbandonedLimitRead,
    AbandonedSharesRead,
    DoubtfulEntriesRead,
    StatisticsRead,
    StatisticsRowRead,
    TestsRead,
)
from dialer.domain.figures.statistics import GROUPS, WAITS_S, Figures, Interval
from dialer.domain.rules.doubtful_entries import DoubtfulEntries, in_words
from dialer.resources.crud.enumerations import DESCRIPTIONS, VARNAMES, text_schema
from dialer.resources.crud.moments import YEARS
from dialer.resources.records.purposes import PURPOSE, PURPOSES

_CALLS: Final = ("read_campaign_statistics", "read_sms_campaign_statistics", "read_all_statistics")
_AGENT: Final = "read_statistics_of_agent"
_QUEUE: Final = "read_statistics_of_queue"
_DAYS: Final = ("read_days_of_agent", "read_days_of_agents")
_INTERVAL_MEANINGS: Final = {"hour": "One row an hour.", "day": "One row a day of the time zone."}
_GROUP_MEANINGS: Final = {
    "agent": "One row an agent.",
    "phonebook": "One row a phonebook.",
    "gateway": "One row a gateway.",
    "zone": "One row a time zone of callees.",
    "attempt": "One row a number of attempts.",
    "disposition": "One row an outcome that agents gave, and one for calls without any.",
    "disposition_word": "One row an outcome in the words of the campaign, such as `Sold = success`.",
    "agent_disposition_word": "One row an agent and an outcome in the words of the campaign.",
}
_INTERVAL: Final = text_schema([one.value for one in Interval], _INTERVAL_MEANINGS, "StatisticsInterval").to_schema()
_GROUP: Final = text_schema(GROUPS, _GROUP_MEANINGS, "StatisticsGroup").to_schema()
_WITHIN: Final = {
    "type": "integer",
    "enum": list(WAITS_S),
    VARNAMES: [f"SECONDS_{wait_s}" for wait_s in WAITS_S],
    DESCRIPTIONS: [f"Waits of up to {wait_s} seconds." for wait_s in WAITS_S],
    "default": WITHIN_S,
}
_MOMENT: Final = {"type": "string", "format": "date-time"}
_DAY: Final = {"type": "string", "format": "date", "pattern": YEARS}
_FORMAT_MEANINGS: Final = {
    "json": "JSON.",
    "csv": "CSV with a header line, one line a day; one line a time with `times`.",
}
_FORMAT: Final = text_schema(FORMATS, _FORMAT_MEANINGS, "AgentDaysFormat").to_schema()
_FIGURES: Final = msgspec.to_builtins(
    shown_figures(
        Figures(calls=1_200, answered=480, live=431, completed=212, talk_s=35_640, answer_s=4_560, cost=6_144_000)
    )
)


def _range(did: str) -> tuple[Json, ...]:
    return (
        parameter(AFTER, _MOMENT, f"{did} in or after the hour of this moment are counted.", "2026-11-20T08:00:00Z"),
        parameter(BEFORE, _MOMENT, f"{did} in or before the hour of this moment are counted.", "2026-11-27T08:00:00Z"),
    )


_ZONE: Final = parameter(
    ZONE, TEXT, "Time zone of days, an IANA name. By default that of the service.", "Europe/Madrid"
)
_OF_CALLS: Final = (
    parameter(INTERVAL, _INTERVAL, "The length of the rows' intervals.", "day"),
    parameter(GROUP_BY, _GROUP, "The property by which the rows group calls.", "gateway"),
    _ZONE,
    *_range("Calls dialled"),
)
_PURPOSE: Final = parameter(
    PURPOSE, PURPOSES.schema().to_schema(), "Only campaigns with this purpose, without deleted ones.", "survey"
)
_OF_QUEUE: Final = (
    parameter(WITHIN, _WITHIN, "The threshold of the service level: a wait in seconds.", WITHIN_S),
    *_range("Calls that joined the queue"),
)
_OF_DAYS: Final = (
    parameter(FIRST_DAY, _DAY, "The first day. By default the last one.", "2026-11-18"),
    parameter(LAST_DAY, _DAY, "The last day, at most 91 days later. By default today.", "2026-11-18"),
    _ZONE,
    parameter(TIMES, {"type": "boolean", "default": False}, "Whether the days have their times.", example=True),
    parameter(FORMAT, _FORMAT, "The format of the response.", "csv"),
)
STATISTICS_PARAMETERS: Final = {
    **dict.fromkeys(_CALLS, _OF_CALLS),
    "read_all_statistics": (*_OF_CALLS, _PURPOSE),
    _AGENT: _range("Activities"),
    _QUEUE: _OF_QUEUE,
    **dict.fromkeys(_DAYS, _OF_DAYS),
}
"""The query parameters of statistics, by operation."""
_ROW: Final = answer(
    StatisticsRowRead, starting_date="2026-11-20T00:00:00Z", group=None, figures=_FIGURES, disposition_word=None
)
_SHARE: Final = answer(AbandonedCountRead)
_ABANDONED: Final = answer(
    AbandonedSharesRead,
    last_24_hours=_SHARE,
    last_30_days=_SHARE,
    campaign=_SHARE,
    limits=[answer(AbandonedLimitRead)],
)
_DO_NOT_CALL: Final = answer(DoubtfulEntriesRead, warnings=[*map(str, in_words(DoubtfulEntries(2, 0, 10_000)))])
_OF_AGENT: Final = answer(AgentStatisticsRead, now=answer(AgentNowRead, break_reason=""))
STATISTICS_EXAMPLES: Final = {
    **dict.fromkeys(
        _CALLS,
        answer(
            StatisticsRead,
            totals=_FIGURES,
            rows=[_ROW],
            abandoned_shares=_ABANDONED,
            tests=answer(TestsRead),
            do_not_call=_DO_NOT_CALL,
        ),
    ),
    _AGENT: _OF_AGENT,
    _QUEUE: answer(QueueStatisticsRead),
    **dict.fromkeys(_DAYS, answer(AgentDaysRead, results=[answer(AgentDayRead)])),
}
"""The examples of answers, by operation."""
DAY_TABLES: Final = dict.fromkeys(
    _DAYS, ",".join(name for name in AgentDayRead.__struct_fields__ if name != TIMES) + "\r\n"
)
"""The first line of days of agents as CSV, by operation."""
