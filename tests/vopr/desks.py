"""Calls at desks in made-up services: some seeds have agents who hold, transfer and hang up calls, and dial numbers."""

from typing import Any, Final

from dialer.domain.words.enums import DialMethod, SectionType
from tests.vopr.dice import Dice

Values = dict[str, Any]
SEEDS_WITH: Final = 15
"""Percentage of the seeds in which agents give orders about their calls. All other seeds are as they were before."""
AGENTS_MAX: Final = 4
AT_DESK: Final = (
    '{"person": true, "answer": [0, 4]}',
    '{"at_desk": true, "talk": [20, 400], "answer": [0, 6]}',
    '{"at_desk": true, "talk": [20, 400], "missed": 0.2, "wrap_up": [0, 20], "breaks": 0.1}',
)
"""Agents who talk until somebody hangs up, and agents whose talks are simulated. All decide themselves whom to call."""
CONTACTS: Final = ("", "+33199000001", "1001", "+12025550160")
_DAYS: Final = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_PATIENT: Final = {"answer": 0.9, "machine": 0.0, "listen": 1.0, "talk": [60, 400], "patience": [60, 300]}
"""Callees who answer and wait, so that there are talks about which agents can give orders."""


def has_desks(seed: int) -> bool:
    """Return whether agents give orders about their calls in a seed."""
    return Dice(seed, "are there calls at desks").happens(SEEDS_WITH)


def draw_desks(seed: int, rows: dict[str, list[Values]], start_ms: int) -> None:
    """Let calls come to agents who give orders about them, in a seed that has such agents."""
    if not has_desks(seed):
        return
    dice = Dice(seed, "calls at desks")
    rows["agent"] = [_agent(dice, place) for place in range(dice.between(2, AGENTS_MAX))]
    queues, agents = len(rows["queue"]), len(rows["agent"])
    rows["tier"] = [
        {"queue_id": queue_id, "agent_id": agent_id, "level": 1, "position": agent_id}
        for queue_id in range(1, queues + 1)
        for agent_id in range(1, agents + 1)
        if agent_id == 1 or dice.happens(75)
    ]
    outcomes = Dice(seed, "are outcomes required")
    for queue in rows["queue"]:
        queue["outcome_required"] = outcomes.happens(40)
    for campaign in rows["campaign"]:
        if campaign["medium"] == "voice":
            lead_to_agents(dice, rows, campaign, start_ms)


def patient(parameters: Values) -> Values:
    """Return the behaviour of callees who answer and wait for agents."""
    return {**parameters, **_PATIENT}


def _agent(dice: Dice, place: int) -> Values:
    return {
        "user_id": 1,
        "name": f"agent{place}",
        "contact": dice.pick(CONTACTS),
        "status": dice.pick((2, 2, 2, 3)),
        "wrap_up_time": dice.pick((0, 5, 30)),
        "parameters": dice.pick(AT_DESK),
    }


def lead_to_agents(dice: Dice, rows: dict[str, list[Values]], campaign: Values, start_ms: int) -> None:
    """Make a campaign's first section a transfer to a queue, and let agents dial numbers beside other campaigns."""
    campaign |= {"user_id": 1, "callmaxduration": dice.pick((60, 300, 900)), "calltimeout": 45}
    if dice.happens(85):
        campaign |= {"daily_start_time": "00:00:00", "daily_stop_time": "23:59:59", **dict.fromkeys(_DAYS, True)}
        campaign |= {"startingdate": start_ms, "frequency": dice.pick((20, 60, 300))}
    theirs = [place for place, one in enumerate(rows["section_template"]) if one["survey_id"] == campaign["object_id"]]
    section = rows["section_template"][theirs[0]]
    section |= {"type": int(SectionType.CALL_TRANSFER), "queue_id": dice.between(1, len(rows["queue"]))}
    for name in ("phonenumber", "confirm_script", "confirm_key"):
        section.pop(name, None)
    after = {"section_id": theirs[0] + 1, "keys": "0", "goto_id": dice.pick([*(one + 1 for one in theirs[1:]), None])}
    rows["branching_template"] = [one for one in rows["branching_template"] if one["section_id"] != theirs[0] + 1]
    rows["branching_template"].append(after)
    method = dice.pick(list(DialMethod))
    campaign["dial_method"] = int(method)
    if method is DialMethod.PREVIEW:
        campaign |= {"preview_seconds": dice.pick((5, 30, 600)), "manual_dialling": dice.happens(80)}
        campaign["preview_calls"] = False
