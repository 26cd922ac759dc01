"""Manual dials in made-up services: in some seeds agents dial numbers all the time, allowed ones and others."""

from typing import Any, Final

from dialer.domain.words.enums import DialMethod
from tests.vopr.desks import has_desks, lead_to_agents
from tests.vopr.dice import Dice
from tests.vopr.previews import has_previews

Values = dict[str, Any]
SEEDS_WITH: Final = 12
"""Percentage of the seeds without previews and desks in which agents dial by hand. All others are as before."""
AGENTS_MAX: Final = 3
COUNTRIES: Final = ("US", "DE", "DE,US", "AU,IN,NP,US")
"""Countries to which an account may be limited."""
SPECIAL: Final = ("+499001234567", "+19005550123", "+8816123456")
"""Two premium-rate numbers, and one of a satellite telephone."""
_AT_DESK: Final = (
    '{"at_desk": true, "talk": [5, 40], "answer": [0, 4]}',
    '{"at_desk": true, "talk": [20, 200], "answer": [0, 6], "missed": 0.2}',
)
_DAYS: Final = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
OPEN: Final[Values] = {
    "daily_start_time": "00:00:00",
    "daily_stop_time": "23:59:59",
    **dict.fromkeys(_DAYS, True),
}
"""The window of a campaign that may call at any time."""


def has_manual_dials(seed: int) -> bool:
    """Return whether agents dial numbers all the time in a seed."""
    is_free = not has_desks(seed) and not has_previews(seed)
    return is_free and Dice(seed, "are there manual dials").happens(SEEDS_WITH)


def draw_manual_dials(seed: int, rows: dict[str, list[Values]], start_ms: int) -> None:
    """Let agents dial numbers within the rules of the campaigns, in a seed that has manual dials."""
    if not has_manual_dials(seed):
        return
    dice = Dice(seed, "manual dials")
    rows["agent"] = [
        {
            "user_id": 1,
            "name": f"agent{place}",
            "contact": "1001",
            "status": 2,
            "wrap_up_time": dice.pick((0, 0, 5)),
            "parameters": dice.pick(_AT_DESK),
        }
        for place in range(dice.between(2, AGENTS_MAX))
    ]
    rows["tier"] = [
        {"queue_id": queue_id, "agent_id": agent_id, "level": 1, "position": agent_id}
        for queue_id in range(1, len(rows["queue"]) + 1)
        for agent_id in range(1, len(rows["agent"]) + 1)
    ]
    rows["user_account"][0] |= {
        "allowed_countries": dice.pick(("", "", *COUNTRIES)),
        "call_rate": dice.pick((137, 2_000)),
    }
    for campaign in rows["campaign"]:
        if campaign["medium"] == "voice":
            lead_to_agents(dice, rows, campaign, start_ms)
            campaign |= {"dial_method": int(DialMethod.PREVIEW), "manual_dialling": True, "preview_calls": False}
            campaign |= {"preview_seconds": dice.pick((5, 30)), "startingdate": start_ms}


def some_number(dice: Dice) -> str:
    """Draw a number that may be forbidden by its country or its kind."""
    return dice.pick(
        (*SPECIAL, *(f"{prefix}{dice.between(0, 60):04d}" for prefix in ("+4930123", "+9771412", "+1202556")))
    )
