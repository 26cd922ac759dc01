"""The parameters and the example of statistics in the OpenAPI document."""

from typing import Any, Final

import msgspec

from dialer.api.crud.enumerations import DESCRIPTIONS, VARNAMES, text_schema
from dialer.api.routes.call_centre_shapes import (
    AgentFiguresRead,
    AgentNowRead,
    AgentStatisticsRead,
    BreakRead,
    QueueFiguresRead,
    QueueNowRead,
    QueueStatisticsRead,
)
from dialer.api.routes.call_centre_statistics import WITHIN, WITHIN_S
from dialer.api.routes.statistics_answer import GROUP_BY, INTERVAL, ZONE, shown_figures
from dialer.api.routes.statistics_hours import AFTER, BEFORE
from dialer.api.routes.statistics_shapes import (
    AgentsNow,
    PresentRead,
    StatisticsOutcome,
    StatisticsRead,
    StatisticsRowRead,
    SubscriberFiguresRead,
    SubscriberStateRead,
)
from dialer.app.campaigns.statistics import GROUPS, Interval
from dialer.domain.statistics import WAITS_S, Figures

_CALLS: Final = ("read_campaign_statistics", "read_sms_campaign_statistics", "read_all_statistics")
_AGENT: Final = "read_statistics_of_agent"
_QUEUE: Final = "read_statistics_of_queue"
_TEXT: Final = {"type": "string"}
_INTERVAL_MEANINGS: Final = {"hour": "One row an hour.", "day": "One row a day of the time zone."}
_GROUP_MEANINGS: Final = {
    "agent": "One row an agent.",
    "phonebook": "One row a phonebook.",
    "gateway": "One row a gateway.",
    "zone": "One row a time zone of callees.",
    "attempt": "One row a number of attempts.",
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
_FIGURES: Final = shown_figures(
    Figures(calls=1_200, answered=480, live=431, completed=212, talk_s=35_640, answer_s=4_560, cost=6_144_000)
)


def _asked(name: str, schema: dict[str, Any], description: str, example: str | int) -> dict[str, Any]:
    return {
        "name": name,
        "in": "query",
        "required": False,
        "description": description,
        "schema": schema,
        "example": example,
    }


def _range(did: str) -> tuple[dict[str, Any], ...]:
    return (
        _asked(AFTER, _MOMENT, f"{did} in or after the hour of this moment are counted.", "2026-11-20T08:00:00Z"),
        _asked(BEFORE, _MOMENT, f"{did} in or before the hour of this moment are counted.", "2026-11-27T08:00:00Z"),
    )


_OF_CALLS: Final = (
    _asked(INTERVAL, _INTERVAL, "The length of the rows' intervals.", "day"),
    _asked(GROUP_BY, _GROUP, "The property by which the rows group calls.", "gateway"),
    _asked(ZONE, _TEXT, "Time zone of days, an IANA name. By default that of the service.", "Europe/Madrid"),
    *_range("Calls dialled"),
)
_OF_QUEUE: Final = (
    _asked(WITHIN, _WITHIN, "The threshold of the service level: a wait in seconds.", WITHIN_S),
    *_range("Calls that joined the queue"),
)
STATISTICS_PARAMETERS: Final = {**dict.fromkeys(_CALLS, _OF_CALLS), _AGENT: _range("Activities"), _QUEUE: _OF_QUEUE}
"""The query parameters of statistics, by operation."""
_CALLS_EXAMPLE: Final = msgspec.to_builtins(
    StatisticsRead(
        campaign="https://dialer.example/rest-api/campaigns/1/",
        now=PresentRead(22, 2, 5, 40, AgentsNow(3, 5, 1, 2, 4)),
        totals=_FIGURES,
        subscribers=SubscriberFiguresRead(1_000, 870, 87.0, [SubscriberStateRead(4, "no_answer", 31)]),
        outcomes=[StatisticsOutcome("16", 480, 40.0, 96, 14, 0)],
        rows=[StatisticsRowRead("2026-11-20T00:00:00Z", None, _FIGURES)],
    )
)
_AGENT_EXAMPLE: Final = msgspec.to_builtins(
    AgentStatisticsRead(
        agent="https://dialer.example/rest-api/agent/1/",
        now=AgentNowRead("talking", 2, "", "2026-11-20T08:00:00Z", 42.5),
        totals=AgentFiguresRead(5_400.0, 15_120.5, 1_800.0, 2_700.0, 120, 3, 141.0),
        breaks=[BreakRead("lunch", 2_700.0, 1)],
    )
)
_QUEUE_EXAMPLE: Final = msgspec.to_builtins(
    QueueStatisticsRead(
        queue="https://dialer.example/rest-api/queue/1/",
        now=QueueNowRead(2, 11.5, 5),
        totals=QueueFiguresRead(400, 380, 15, 5, 20, 340, 85.0, 8.25, 61.5),
    )
)
STATISTICS_EXAMPLES: Final = {**dict.fromkeys(_CALLS, _CALLS_EXAMPLE), _AGENT: _AGENT_EXAMPLE, _QUEUE: _QUEUE_EXAMPLE}
"""The examples of answers, by operation."""
