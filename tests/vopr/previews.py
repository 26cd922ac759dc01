"""Previews in made-up services: some seeds have campaigns whose agents see each person before the call."""

from typing import Any, Final

from dialer.domain.words.enums import DialMethod
from tests.vopr.dice import Dice

SEEDS_WITH: Final = 12
"""Percentage of the seeds that have previews. All other seeds are as they were before there were any."""
AT_DESK: Final = '{"talk": [5, 90], "answer": [0, 4], "at_desk": true}'
"""An agent who decides at the desk, by actions of the timetable."""
LOOKING: Final = '{"preview": [0, 20], "skipped": 0.3, "talk": [5, 40]}'
"""An agent who is simulated."""
METHODS: Final = (DialMethod.FIXED_RATE, DialMethod.PROGRESSIVE, DialMethod.PREDICTIVE)
"""The methods that are drawn for all seeds."""


def has_previews(seed: int) -> bool:
    """Return whether a seed has previews."""
    return Dice(seed, "are there previews").happens(SEEDS_WITH)


def draw_previews(seed: int, rows: dict[str, list[dict[str, Any]]]) -> None:
    """Let the agents of campaigns that dial for agents see each person first, in a seed that has previews."""
    if not has_previews(seed):
        return
    dice = Dice(seed, "previews")
    is_at_desk = dice.happens(60)
    for campaign in rows["campaign"]:
        if campaign["dial_method"] != DialMethod.FIXED_RATE or (_has_queue(rows, campaign) and dice.happens(50)):
            campaign["dial_method"] = int(DialMethod.PREVIEW)
            campaign["preview_seconds"] = dice.pick((5, 30, 600))
            campaign["manual_dialling"] = True
            campaign["preview_calls"] = not is_at_desk and dice.happens(40)
    for agent in rows["agent"]:
        agent["parameters"] = AT_DESK if is_at_desk else LOOKING
        agent["status"] = 2


def _has_queue(rows: dict[str, list[dict[str, Any]]], campaign: dict[str, Any]) -> bool:
    sections = [one for one in rows["section_template"] if one["survey_id"] == campaign["object_id"]]
    return any(section.get("queue_id") for section in sections)
