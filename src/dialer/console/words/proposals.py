"""Values that forms propose, where the API's defaults do not suit people who plan by the day."""

from typing import Any, Final

from dialer.domain.words.enums import AmdBehavior, DialMethod
from dialer.domain.words.reports import ScheduledReport, SentWhen
from dialer.resources.crud.resource import Values

MINUTE_MS: Final = 60_000
"""The unit of moments in forms."""
WEEK_MS: Final = 7 * 86_400_000
"""The length of a new campaign, so that agents can promise calls on the days after its start."""
SAFE_HOURS: Final = {"daily_start_time": "09:00:00", "daily_stop_time": "20:00:00"}
"""The daily hours of a new campaign. Few people are asleep or at table, and most laws allow calls then."""
WORKDAYS: Final = {"sunday": False}
"""The days of a new campaign: Monday to Saturday."""
FURTHER_CALLS: Final = {"maxretry": 2, "intervalretry": 7_200, "carrier_maxretry": 5}
"""The further calls to people who were not reached, two hours apart, so that they fall into another part of the day. A
carrier that fails for half a day uses up nobody."""
PEOPLE_ONLY: Final = {"amd_behavior": int(AmdBehavior.HUMAN_ONLY)}
"""The callees who hear the survey once machines are told from people: machines do not answer questions."""
AHEAD_OF_AGENTS: Final = {"dial_method": int(DialMethod.PREDICTIVE)}
"""The pace of a campaign whose survey leads to a queue: a fixed one abandons calls as soon as all agents talk."""
OF_ITS_END: Final = {"report": ScheduledReport.ANSWERS.value, "sent_when": SentWhen.END.value}
"""The report of a new schedule: what the board asks about first."""
_CAMPAIGNS: Final = frozenset({"campaigns", "sms-campaigns"})


def proposed(path: str, computed: Values, zone: str, *, has_queue: bool = False) -> dict[str, Any]:
    """Return the values of a new record in its form, from those that the API would give it.

    `zone` is the time zone of whoever fills it in. `has_queue` tells whether the survey of a campaign, which was chosen
    before, leads to a queue.
    """
    values = dict(computed)
    if path in _CAMPAIGNS:
        values["startingdate"] -= values["startingdate"] % MINUTE_MS
        values["expirationdate"] = values["startingdate"] + WEEK_MS
        values |= SAFE_HOURS | WORKDAYS
    if path == "campaigns":
        values |= FURTHER_CALLS | PEOPLE_ONLY | (AHEAD_OF_AGENTS if has_queue else {})
    if path == "report-schedule":
        values |= OF_ITS_END | {"time_zone": zone}
    return values
