"""Contact rules in made-up services, in some seeds. Rule I23 is about them: nobody is called too often."""

from collections.abc import Collection, Iterator
from typing import Any, Final

from sqlalchemy import Connection

from tests.vopr.dice import Dice
from tests.vopr.snapshot import Attempt, ask

Values = dict[str, Any]
SEEDS_WITH: Final = 20
"""Percentage of the seeds from `FIRST_SEED` on in which accounts have rules. The others are as they were."""
FIRST_SEED: Final = 150
_HOUR_MS: Final = 3_600_000
_UNITS_MS: Final = {"hours": _HOUR_MS}
_RULES: Final = "SELECT user_id, most, period, unit, scope, after FROM contact_rule ORDER BY id"
_CALLS: Final = """
    SELECT count(*) FROM callrequest WHERE user_id = ? AND phone_number = ? AND attempt > 0
    AND started_ms > ? AND started_ms <= ? AND (? = 0 OR campaign_id = ?)
    AND (SELECT (callrequest.started_ms, callrequest.id) <= (one.started_ms, one.id)
         AND callrequest.is_simulated <= one.is_simulated FROM callrequest AS one WHERE one.id = ?)"""
"""A call to a person counts calls to people. A rehearsal with simulated people holds no real person back.

Of two calls of one moment, the first did not know of the second.
"""
_TALKS: Final = """
    SELECT count(*) FROM cdr WHERE user_id = ? AND phone_number = ? AND attempt > 0 AND leg_type = 1 AND billsec > 0
    AND amd_status <> 2 AND starting_date + 1000 * duration > ? AND starting_date + 1000 * duration <= ?
    AND (SELECT is_simulated FROM callrequest WHERE id = cdr.callrequest_id)
        <= (SELECT is_simulated FROM callrequest WHERE id = ?)"""


def has_contact_rules(seed: int) -> bool:
    """Return whether accounts have rules in a seed."""
    return seed >= FIRST_SEED and Dice(seed, "are there contact rules").happens(SEEDS_WITH)


def draw_contact_rules(seed: int, rows: dict[str, list[Values]]) -> None:
    """Give accounts rules: limits of calls, and rests after a conversation."""
    if not has_contact_rules(seed):
        return
    dice = Dice(seed, "contact rules")
    rows["contact_rule"] = [
        {
            "user_id": user_id,
            "name": "rule",
            "most": dice.pick((1, 1, 2)) if not is_rest else 0,
            "after": "conversation" if is_rest else "",
            "period": dice.pick((1, 2, 6)),
            "unit": "hours",
            "scope": dice.pick(("account", "account", "campaign")),
        }
        for user_id in range(1, len(rows["user_account"]) + 1)
        for is_rest in (False, dice.happens(30))
    ]


def too_often(connection: Connection, new: Collection[Attempt]) -> Iterator[str]:
    """Yield new calls that a rule of their account forbids, counted apart from the product's code."""
    calls = [one for one in new if not one.gateway.startswith("sms:")]
    for user_id, most, period, unit, scope, after in ask(connection, _RULES) if calls else ():
        length_ms = period * _UNITS_MS[unit]
        for one in calls:
            if one.user_id != user_id:
                continue
            since = (user_id, one.number, one.started_ms - length_ms, one.started_ms)
            of_campaign = one.campaign_id if scope == "campaign" else 0
            if after:
                found = 0 if of_campaign else ask(connection, _TALKS, *since, one.id)[0][0]
            else:
                found = ask(connection, _CALLS, *since, of_campaign, of_campaign, one.id)[0][0]
            if found > most:
                yield f"I23: call {one.id} to {one.number}, after {found} in {period} {unit}, {most} allowed"
