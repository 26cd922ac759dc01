"""A busy call centre, for tests of determinism and of invariants."""

import hashlib
from pathlib import Path

from dialer.store.tables import (
    SMS,
    Agent,
    CallBack,
    CallRequest,
    Campaign,
    Cdr,
    Did,
    DncContact,
    Gateway,
    LedgerEntry,
    Queue,
    SmsMessage,
    Subscriber,
    SurveyResult,
    Transfer,
    User,
)
from tests.runtime.house import CENTS, House

SHOWN = "+12025550150"
MONEY = 760
UNANSWERED = "+12025550151"
"""Caller IDs that callees call back. `SHOWN` reaches a campaign, and `UNANSWERED` reaches nothing."""
TABLES = (
    CallRequest,
    Cdr,
    SurveyResult,
    Subscriber,
    DncContact,
    LedgerEntry,
    Campaign,
    Transfer,
    SmsMessage,
    Agent,
    Queue,
    CallBack,
    User,
    Gateway,
)
POPULATION = (
    '{"answer": 0.75, "machine": 0.1, "busy": 0.05, "ring": [3, 40], "talk": [20, 90], "patience": [1, 60],'
    ' "call_back": 0.6, "call_back_after": [10, 900], "keys": {"1": 0.6, "2": 0.3}, "listen": 0.95}'
)


def number(place: int) -> str:
    """Return a number of one of three countries in three zones."""
    prefix = ("+1202556", "+4930123", "+6129123")[place % 3]
    return f"{prefix}{place:04d}"


def _staff(house: House) -> tuple[int, int]:
    """Add two queues that share their agents, one of whom never answers in time."""
    agents = [
        house.agent(wrap_up_time=10, contact="+33199000001"),
        house.agent(parameters='{"talk": [10, 200], "answer": [0, 3]}'),
        house.agent(status=3, wrap_up_time=5, parameters='{"answer": 4}'),
        house.agent(parameters='{"answer": [15, 30]}'),
    ]
    first = house.queue(*agents[:3], strategy=2, max_wait_time=40, time_base_score="system")
    second = house.queue(*agents[1:], strategy=9, tier_rules_apply=True, tier_rule_wait_second=8)
    return first, second


def _survey(house: House, queue_id: int) -> int:
    sections = (
        {"type": 2, "script": "press one or two", "key_1": "desk", "key_2": "number"},
        {"type": 6, "script": "one moment please", "queue_id": queue_id, "completed": True},
        {"type": 6, "phonenumber": "+33199000002", "confirm_script": "a call", "confirm_key": "5", "timeout": 3},
        {"type": 10, "sms_text": "Thank you {contact}"},
        {"type": 5, "script": "leave a message"},
        {"type": 8, "conference": "room"},
        {"type": 9, "script": "never again"},
    )
    branches: dict[int, dict[str, int | None]] = {
        0: {"1": 1, "2": 2, "timeout": 6},
        1: {"0": 3, "timeout": 2},
        2: {"0": 5, "timeout": 4},
        3: {"0": 4},
        4: {"0": None},
    }
    return house.survey(*sections, branches=branches)


async def centre(folder: Path) -> House:
    """Start a fixed-rate, a progressive and a predictive campaign for two queues that share their agents."""
    house = House(folder, seed=7)
    house.change(Gateway, house.gateway_id, max_channels=9, max_cps=1, parameters=POPULATION)
    sms_gateway_id = house.add(Gateway, medium=SMS, name="texts", max_cps=1, parameters='{"sms_reply_stop": 0.3}')
    house.change(User, house.user_id, sms_rate=3 * CENTS)
    house.pay(MONEY * CENTS - 100_000 * CENTS)
    first, second = _staff(house)
    same = {
        "dnc_id": house.dnc_list(number(3)),
        "sms_gateway_id": sms_gateway_id,
        "callerid": SHOWN,
        "maxretry": 1,
        "intervalretry": 300,
        "callmaxduration": 300,
        "calltimeout": 30,
    }
    books = [house.phonebook(*(number(place) for place in range(low, low + 50))) for low in (0, 40, 80)]
    answering = await house.started(_survey(house, first), books[0], **same, max_xfer=2, frequency=20, max_aleg=6)
    house.add(Did, user_id=house.user_id, is_assigned=True, did_number=SHOWN, campaign_id=answering)
    house.add(Did, user_id=house.user_id, is_assigned=True, did_number=UNANSWERED, campaign_id=None)
    progressive = same | {"callerid": UNANSWERED, "completion_maxretry": 1, "completion_intervalretry": 600}
    progressive |= {"abandoned_maxretry": 2, "abandoned_intervalretry": 200}
    await house.started(_survey(house, second), books[1], **progressive, dial_method=2, agent_dial_rate=150_000)
    detecting = {"voicemail": True, "amd_behavior": 2}
    await house.started(_survey(house, first), books[2], **same, **detecting, dial_method=3)
    return house


def digest(house: House) -> str:
    """Return a SHA-256 digest of every row that the engine wrote."""
    text = "\n".join(repr(tuple(row.values())) for table in TABLES for row in house.rows(table))
    return hashlib.sha256(text.encode()).hexdigest()
