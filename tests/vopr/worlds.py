"""Generated services: users, carriers, surveys, phonebooks and campaigns from a seed; small, with many edge cases.

Everything is a value: rows by table and column, as the service stores them. Ids count from 1 in the order of the rows.
"""

import json
from datetime import UTC, datetime
from typing import Any, Final

import msgspec

from dialer.app.call_centre.chosen_people import Rules
from dialer.domain.calling_times.calling_hours import read_calling_hours
from dialer.domain.calling_times.zones import zone_of_number
from dialer.domain.calls.plans import SMS
from dialer.domain.numbers.normal_form import normalise
from dialer.domain.words.enums import DialMethod, QueueStrategy
from tests.vopr.consents import draw_consents
from tests.vopr.contact_rules import draw_contact_rules
from tests.vopr.desks import draw_desks, has_desks, patient
from tests.vopr.dice import Dice
from tests.vopr.manual_dials import draw_manual_dials
from tests.vopr.previews import METHODS, draw_previews
from tests.vopr.skills import draw_skills
from tests.vopr.worlds_surveys import draw_survey

Values = dict[str, Any]
CENTS: Final = 1_000
"""One hundredth of a unit of currency, in integers of 1e-5."""
HOUR_MS: Final = 3_600_000
DAY_MS: Final = 24 * HOUR_MS
_WEEKDAYS: Final = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
# Days on which some country changes its clocks (of 2026), and two on which none does.
_DAYS: Final = (
    *("2026-03-08", "2026-03-29", "2026-04-05", "2026-10-04", "2026-10-25", "2026-11-01"),
    *("2026-01-31", "2026-06-10"),
)
_PREFIXES: Final = (
    "+1202556",
    "+4930123",
    "+6129123",
    "+9111234",
    "+9771412",
    "+6188123",
    "+1850555",
    "+614123",
    "7070",
)
"""Washington, Berlin, Sydney, Delhi (half an hour), Kathmandu (a quarter), Adelaide, Florida (two zones), an Australian
mobile (many zones), and numbers without a country."""
_OFFSETS_HOURS: Final = (0, -5, -4, 1, 2, 5.5, 5.75, 10, 10.5, 11)
"""The offsets from UTC of the zones of these numbers."""
_DIFFICULT_WINDOWS: Final = (
    ("09:00:00", "17:30:00"),
    ("22:00:00", "03:00:00"),
    ("02:30:00", "04:00:00"),
    ("00:00:00", "02:30:00"),
    ("00:30:00", "23:59:59"),
)
"""Windows that are difficult because of midnight or daylight saving."""
_FIXED_NUMBERS: Final = tuple(f"+120255501{place:02d}" for place in (*range(22), 30, 31, 32))
SHOWN: Final = ("+12025550150", "+12025550151")
"""Numbers that callees see and may call back."""
INBOUND_PERCENT: Final = 40
"""Percentage of the seeds whose numbers take the calls of people who call back."""
RESTING: Final = '{"answer": [10, 40], "missed": 0.1, "wrap_up": [0, 30], "breaks": 0.3, "break_length": {"mean": 60}}'
"""An agent who answers late, lets calls ring, and takes breaks."""


class World(msgspec.Struct, frozen=True):
    """A service before its first call."""

    start_ms: int
    service_zone: str
    money: dict[int, int]
    """The first payment of each user."""
    calling_hours: str | None
    """The setting DIALER_CALLING_HOURS; None: unset."""
    rows: dict[str, list[Values]]
    """The rows by table. The tables are in an order in which they can be filled."""

    @property
    def rules(self) -> Rules:
        """Return the settings by which the numbers are judged that agents dial."""
        return Rules(self.service_zone, read_calling_hours(self.calling_hours), None)


def world_of(seed: int) -> World:
    """Draw the world of a seed."""
    dice = Dice(seed, "world")
    day = datetime.fromisoformat(dice.pick(_DAYS)).replace(tzinfo=UTC)
    start_ms = int(day.timestamp()) * 1_000 + dice.between(-20, 12) * HOUR_MS
    rows: dict[str, list[Values]] = {"user_account": [_user(dice, place) for place in range(dice.between(1, 3))]}
    rows["gateway"] = [*[_gateway(dice) for _ in range(dice.between(1, 2))], _sms_gateway(dice)]
    rows["dnc_list"] = [{"user_id": 1, "name": "dnc"} for _ in range(dice.between(1, 2))]
    _draw_centre(dice, rows)
    _draw_phonebooks(dice, rows)
    _draw_campaigns(dice, rows, start_ms)
    _draw_dids(dice, rows)
    money = {
        user_id: dice.pick((0, 2, 5, 30, 200, 5_000)) * dice.pick((CENTS, 1_130))
        for user_id in range(1, len(rows["user_account"]) + 1)
    }
    if has_desks(seed) and Dice(seed, "riches").happens(80):
        money = dict.fromkeys(money, 50_000 * CENTS)
    _draw_lists(Dice(seed, "lists"), rows)
    draw_previews(seed, rows)
    draw_desks(seed, rows, start_ms)
    draw_manual_dials(seed, rows, start_ms)
    _assign_numbers(Dice(seed, "dids"), rows)
    if has_desks(seed):
        _draw_patience(Dice(seed, "patience"), rows)
    draw_skills(seed, rows)
    draw_contact_rules(seed, rows)
    draw_consents(seed, rows, start_ms)
    hours = _draw_calling_hours(Dice(seed, "calling hours"), rows)
    return World(start_ms, dice.pick(("UTC", "Asia/Kolkata", "America/New_York")), money, hours, rows)


def contact_of(number: str, zone: str | None = None) -> Values:
    """Return a contact as it is stored; its zone follows from its number unless another is given."""
    normal = normalise(number, None)
    return {"contact": number, "number": normal, "zone": zone_of_number(normal) if zone is None else zone}


def number_of(dice: Dice) -> str:
    """Draw a number: one with a fixed behaviour, one of a country, or one of no country."""
    if dice.happens(45):
        return dice.pick(_FIXED_NUMBERS)
    return f"{dice.pick(_PREFIXES)}{dice.between(0, 60):04d}"


def parameters_for(protocol: str, behaviour: str) -> str:
    """Return a gateway's parameters for callees who are simulated whatever its protocol is."""
    return behaviour if protocol == "sim" else f'{{"simulated":{behaviour}}}'


def parameters_of(dice: Dice) -> str:
    """Draw the behaviour of the callees behind a gateway, as JSON text."""
    return json.dumps(
        {
            "answer": dice.pick((0.2, 0.6, 0.9)),
            "busy": 0.05,
            "rejected": 0.03,
            "invalid": 0.02,
            "machine": dice.pick((0.0, 0.3)),
            "ring": dice.pick(([3, 25], [1, 50], [0, 3])),
            "listen": dice.pick((1.0, 0.9)),
            "talk": dice.pick(([5, 60], [30, 400])),
            "patience": dice.pick(([1, 20], [60, 300])),
            "call_back": dice.pick((0.0, 0.7)),
            "call_back_after": [5, 600],
            "keys": {"1": 0.4, "2": 0.3, "55": 0.05},
            "sms_delivered": 0.8,
            "sms_reply_stop": dice.pick((0.0, 0.3)),
        }
    )


def _draw_patience(dice: Dice, rows: dict[str, list[Values]]) -> None:
    """Add people who answer and wait for agents."""
    if dice.happens(75):
        for gateway in rows["gateway"]:
            gateway["parameters"] = json.dumps(patient(json.loads(gateway["parameters"])))
    books = len(rows["phonebook"])
    rows["contact"] += [
        {"phonebook_id": dice.between(1, books), **contact_of(f"{_PREFIXES[0]}{dice.between(100, 400):04d}")}
        for _ in range(dice.between(0, 25))
    ]


def _user(dice: Dice, place: int) -> Values:
    return {
        "username": f"user{place}",
        "password_hash": "-",
        "call_rate": dice.pick((0, 137, 2 * CENTS, 90 * CENTS)),
        "sms_rate": dice.pick((0, 333, 3 * CENTS)),
    }


def _gateway(dice: Dice) -> Values:
    return {
        "name": "gateway",
        "max_channels": dice.pick((0, 1, 2, 5)),
        "max_cps": dice.pick((0, 1, 2, 5)),
        "addprefix": dice.pick(("", "00")),
        "removeprefix": dice.pick(("", "+")),
        "parameters": parameters_of(dice),
    }


def _sms_gateway(dice: Dice) -> Values:
    return {"name": "texts", "medium": SMS, "max_cps": dice.pick((0, 1, 3)), "parameters": parameters_of(dice)}


def calling(rows: dict[str, list[Values]]) -> int:
    """Return the number of gateways for calls, whose ids count from 1."""
    return sum("medium" not in gateway for gateway in rows["gateway"])


def _draw_calling_hours(dice: Dice, rows: dict[str, list[Values]]) -> str | None:
    """Draw the service's calling hours and the gateways that are not simulated; most worlds have neither."""
    for gateway in rows["gateway"]:
        gateway["protocol"] = dice.pick(("sim", "sim", "sim", "trunk"))
        gateway["parameters"] = parameters_for(gateway["protocol"], gateway["parameters"])
    return dice.pick((None, None, None, None, "08:00-21:00", "00:00-23:00", "02:30-17:30", "off"))


def _draw_centre(dice: Dice, rows: dict[str, list[Values]]) -> None:
    """Draw agents, queues, and the tiers that join them."""
    rows["agent"] = [_agent(dice, place) for place in range(dice.between(0, 3))]
    rows["queue"] = [_queue(dice) for _ in range(dice.between(1, 2))]
    rows["tier"] = [
        {"queue_id": queue_id, "agent_id": agent_id, "level": dice.between(1, 2), "position": agent_id}
        for queue_id in range(1, len(rows["queue"]) + 1)
        for agent_id in range(1, len(rows["agent"]) + 1)
        if dice.happens(70)
    ]


def _agent(dice: Dice, place: int) -> Values:
    return {
        "user_id": 1,
        "name": f"agent{place}",
        "contact": dice.pick(("", "+33199000001")),
        "status": dice.pick((2, 2, 2, 3, 4, 1)),
        "wrap_up_time": dice.pick((0, 5, 30)),
        "parameters": dice.pick(("{}", '{"talk": [5, 90], "answer": [0, 4]}', RESTING)),
    }


def _queue(dice: Dice) -> Values:
    strategy = int(dice.pick(list(QueueStrategy)))
    return {
        "user_id": 1,
        "name": "queue",
        "strategy": strategy,
        "record": ("campaign", "all")[strategy % 2],
        "time_base_score": dice.pick(("queue", "system")),
        "tier_rules_apply": dice.happens(30),
        "tier_rule_wait_second": dice.pick((0, 5, 20)),
        "max_wait_time": dice.pick((0, 10, 60)),
        "max_wait_time_with_no_agent": dice.pick((0, 5, 120)),
        "max_wait_time_with_no_agent_time_reached": dice.pick((0, 5)),
        "discard_abandoned_after": dice.pick((0, 60, 14_400)),
    }


def _draw_phonebooks(dice: Dice, rows: dict[str, list[Values]]) -> None:
    rows["phonebook"] = [{"user_id": 1, "name": "phonebook"} for _ in range(dice.between(1, 3))]
    books = len(rows["phonebook"])
    rows["contact"] = [
        {
            "phonebook_id": dice.between(1, books),
            **contact_of(
                number_of(dice), dice.pick(("?", "Atlantis/Capital", "UTC+05:30")) if dice.happens(6) else None
            ),
        }
        for _ in range(dice.between(5, 40))
    ]
    rows["dnc_contact"] = _entries(dice, rows)


def _entries(dice: Dice, rows: dict[str, list[Values]]) -> list[Values]:
    numbers = sorted({one["number"] for one in rows["contact"]})
    return [
        {"dnc_id": dnc_id, "phone_number": number, "number": number}
        for dnc_id in range(1, len(rows["dnc_list"]) + 1)
        for number in dice.some(numbers, 3)
    ]


def _draw_lists(dice: Dice, rows: dict[str, list[Values]]) -> None:
    """Let lists hold for every campaign, and campaigns name several lists, with draws apart from all others."""
    for one in rows["dnc_list"]:
        one["is_global"] = dice.happens(15)
    rows["campaign_dnc_list"] = [
        {"campaign_id": campaign_id, "dnc_id": dnc_id}
        for campaign_id in range(1, len(rows["campaign"]) + 1)
        if dice.happens(40)
        for dnc_id in dice.some(range(1, len(rows["dnc_list"]) + 1), 2)
    ]


def _draw_campaigns(dice: Dice, rows: dict[str, list[Values]], start_ms: int) -> None:
    for name in ("survey_template", "section_template", "branching_template", "campaign", "campaign_phonebook"):
        rows[name] = []
    for campaign_id in range(1, dice.between(1, 4) + 1):
        sections, branches = draw_survey(dice, campaign_id, len(rows["section_template"]), len(rows["queue"]))
        rows["survey_template"].append({"user_id": 1, "name": "survey"})
        rows["section_template"] += sections
        rows["branching_template"] += branches
        has_queue = any(section.get("queue_id") for section in sections)
        rows["campaign"].append(_campaign(dice, rows, campaign_id, start_ms, has_queue=has_queue))
        books = list(range(1, len(rows["phonebook"]) + 1))
        rows["campaign_phonebook"] += [
            {"campaign_id": campaign_id, "phonebook_id": book} for book in dice.some(books, 2) or [dice.pick(books)]
        ]


def _campaign(dice: Dice, rows: dict[str, list[Values]], campaign_id: int, start_ms: int, *, has_queue: bool) -> Values:
    is_sms = dice.happens(15)
    starting_ms = start_ms + dice.pick((0, 0, 0, HOUR_MS, -DAY_MS))
    methods = METHODS if has_queue and not is_sms else [DialMethod.FIXED_RATE]
    return {
        "user_id": dice.between(1, len(rows["user_account"])),
        "name": "campaign",
        "campaign_code": f"code{campaign_id}",
        "medium": "sms" if is_sms else "voice",
        "text_message": "Hello {contact}" * dice.pick((1, 20)) if is_sms else "",
        "object_id": 0 if is_sms else campaign_id,
        "aleg_gateway_id": None if is_sms else dice.between(1, calling(rows)),
        "sms_gateway_id": 1,
        "callerid": dice.pick(SHOWN),
        "startingdate": starting_ms,
        "expirationdate": starting_ms + dice.pick((5 * HOUR_MS, DAY_MS, DAY_MS + 6 * HOUR_MS, 3 * DAY_MS)),
        "dnc_id": dice.pick((None, *range(1, len(rows["dnc_list"]) + 1))),
        "voicemail": dice.happens(30),
        "amd_behavior": dice.between(1, 3),
        "machine_is_reached": campaign_id % 2 == 0,
        "dial_method": int(dice.pick(methods)),
        "agent_dial_rate": dice.pick((100_000, 250_000)),
        **limits_of(dice),
        **window_of(dice, start_ms),
    }


def limits_of(dice: Dice) -> Values:
    """Draw the columns of a campaign that limit its calls: their rate, number and length."""
    limits: Values = {
        "frequency": dice.pick((1, 6, 20, 60, 300)),
        "max_aleg": dice.pick((0, 0, 1, 3)),
        "max_xfer": dice.pick((0, 0, 1, 2)),
        "callmaxduration": dice.pick((20, 60, 90, 300)),
        "calltimeout": dice.pick((5, 20, 45)),
        "maxretry": dice.pick((0, 0, 1, 2)),
        "intervalretry": dice.pick((0, 20, 300, 3_600)),
        "completion_maxretry": dice.pick((0, 0, 1)),
        "completion_intervalretry": dice.pick((0, 60, 900)),
    }
    limits |= {"abandoned_maxretry": limits["maxretry"], "abandoned_intervalretry": limits["intervalretry"]}
    return limits | {"carrier_maxretry": 3 * limits["completion_maxretry"]}


def window_of(dice: Dice, now_ms: int) -> Values:
    """Draw the columns of a campaign's window, which often opens or closes soon in some zone."""
    if dice.happens(40):
        return {"daily_start_time": "00:00:00", "daily_stop_time": "23:59:59", **dict.fromkeys(_WEEKDAYS, True)}
    days: Values = {day: dice.happens(75) for day in _WEEKDAYS}
    days[dice.pick(_WEEKDAYS)] = True
    if dice.happens(60):
        soon_s = now_ms // 1_000 + round(dice.pick(_OFFSETS_HOURS) * 3_600) + 60 * dice.between(-20, 60)
        ends = (
            (_wall(soon_s - 8 * 3_600), _wall(soon_s)) if dice.happens(70) else (_wall(soon_s), _wall(soon_s + 7_200))
        )
    else:
        ends = dice.pick(_DIFFICULT_WINDOWS)
    return {"daily_start_time": ends[0], "daily_stop_time": ends[1], **days}


def _wall(seconds: int) -> str:
    minutes, second = divmod(seconds % 86_400, 60)
    return f"{minutes // 60:02d}:{minutes % 60:02d}:{second:02d}"


def _draw_dids(dice: Dice, rows: dict[str, list[Values]]) -> None:
    campaigns = [None, *range(1, len(rows["campaign"]) + 1)]
    rows["did"] = [
        {"user_id": 1, "did_number": number, "campaign_id": dice.pick(campaigns)}
        for number in SHOWN
        if dice.happens(60)
    ]


def _assign_numbers(dice: Dice, rows: dict[str, list[Values]]) -> None:
    """Let the numbers of some seeds take calls."""
    is_assigned = dice.happens(INBOUND_PERCENT)
    for did in rows["did"]:
        did["is_assigned"] = is_assigned
