"""The parameters and the example of statistics in the OpenAPI document."""

from typing import Any, Final

import msgspec

from dialer.api.routes.statistics_answer import AFTER, BEFORE, GROUP_BY, INTERVAL, ZONE, shown_figures
from dialer.api.routes.statistics_shapes import (
    AgentsNow,
    PresentRead,
    StatisticsOutcome,
    StatisticsRead,
    StatisticsRowRead,
    SubscriberFiguresRead,
    SubscriberStateRead,
)
from dialer.app.statistics import GROUPS, Interval
from dialer.domain.statistics import Figures

STATISTICS: Final = ("read_campaign_statistics", "read_sms_campaign_statistics", "read_all_statistics")
"""The operations that answer with statistics."""
_TEXT: Final = {"type": "string"}
_MOMENT: Final = {"type": "string", "format": "date-time"}
_FIGURES: Final = shown_figures(
    Figures(calls=1_200, answered=480, live=431, completed=212, talk_s=35_640, answer_s=4_560, cost=6_144_000)
)


def _asked(name: str, schema: dict[str, Any], description: str, example: str) -> dict[str, Any]:
    return {
        "name": name,
        "in": "query",
        "required": False,
        "description": description,
        "schema": schema,
        "example": example,
    }


STATISTICS_PARAMETERS: Final = (
    _asked(INTERVAL, {**_TEXT, "enum": [str(one) for one in Interval]}, "The length of the rows' intervals.", "day"),
    _asked(GROUP_BY, {**_TEXT, "enum": list(GROUPS)}, "The property by which the rows group calls.", "gateway"),
    _asked(ZONE, _TEXT, "Time zone of days, an IANA name. By default that of the service.", "Europe/Madrid"),
    _asked(AFTER, _MOMENT, "Calls dialled in or after the hour of this moment are counted.", "2026-11-20T08:00:00Z"),
    _asked(BEFORE, _MOMENT, "Calls dialled in or before the hour of this moment are counted.", "2026-11-27T08:00:00Z"),
)
"""The query parameters of statistics."""
STATISTICS_EXAMPLE: Final = msgspec.to_builtins(
    StatisticsRead(
        campaign="https://dialer.example/rest-api/campaigns/1/",
        now=PresentRead(22, 2, 5, 40, AgentsNow(3, 5, 1, 2, 4)),
        totals=_FIGURES,
        subscribers=SubscriberFiguresRead(1_000, 870, 87.0, [SubscriberStateRead(4, "no_answer", 31)]),
        outcomes=[StatisticsOutcome("16", 480, 40.0, 96, 14, 0)],
        rows=[StatisticsRowRead("2026-11-20T00:00:00Z", None, _FIGURES)],
    )
)
"""The example of an answer."""
