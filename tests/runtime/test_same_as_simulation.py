"""Tests that a campaign gives equal CDRs in the service and in the pure simulation."""

from pathlib import Path
from typing import Any, Final

import msgspec
import pytest

from dialer.domain.billing.money import format_money
from dialer.domain.figures.digest import cdr_digest
from dialer.domain.words.enums import CampaignStatus
from dialer.sim.report import cdr_record, show_date
from dialer.sim.scenario import parse_scenario
from dialer.sim.simulation import Simulation
from dialer.store.tables import SMS, Cdr, Did, Gateway, SmsMessage, SurveyResult, Tier, Transfer, User
from tests.runtime.house import CENTS, MONDAY_NOON_MS, House

NUMBERS: Final = [f"{('+1202555', '+4930123', '+6129123')[place % 3]}{place:04d}" for place in range(90)]
PARAMETERS: Final = {"listen": 0.8, "numbers": {NUMBERS[4]: {"attempts": [{"outcome": "busy"}, {"keys": ["2"]}]}}}
SETTINGS: Final[dict[str, Any]] = {
    "frequency": 47,
    "max_aleg": 5,
    "callerid": "+33199000000",
    "callmaxduration": 120,
    "maxretry": 2,
    "intervalretry": 300,
    "completion_maxretry": 1,
    "completion_intervalretry": 400,
    "voicemail": True,
    "amd_behavior": 2,
    "daily_start_time": "08:30:00",
    "daily_stop_time": "20:00:00",
}
SECTIONS: Final[list[dict[str, Any]]] = [
    {"type": 1, "script": "good day this is a call about your appointment"},
    {"type": 2, "script": "press one or two", "key_1": "yes", "key_2": "no", "retries": 1},
    {"type": 3, "script": "how many stars", "rating_laps": 5, "completed": True},
    {"type": 9, "script": "we will not call again"},
]
BRANCHES: Final[dict[int, dict[str, int | None]]] = {
    0: {"0": 1},
    1: {"1": 2, "2": 3, "timeout": None},
    2: {"any": None},
}


def simulated() -> Simulation:
    sections = [
        {
            **section,
            "id": place + 1,
            "question": f"question {place}",
            "branches": {keys: None if to is None else to + 1 for keys, to in BRANCHES.get(place, {}).items()},
        }
        for place, section in enumerate(SECTIONS)
    ]
    document = {
        "seed": 42,
        "start": show_date(MONDAY_NOON_MS),
        "account": {"balance": "1000", "call_rate": "0.02"},
        "gateway": {"max_channels": 4, "max_cps": 1, "parameters": PARAMETERS},
        "campaign": SETTINGS | {"expirationdate": show_date(MONDAY_NOON_MS + 3 * 86_400_000)},
        "survey": {"sections": sections},
        "contacts": [{"contact": number} for number in NUMBERS],
        "dnc": [NUMBERS[7]],
    }
    simulation = Simulation(parse_scenario(msgspec.json.encode(document)))
    simulation.run()
    return simulation


async def served(folder: Path) -> House:
    house = House(folder, seed=42)
    house.pay(1_000 * 100 * CENTS - 100_000 * CENTS)
    parameters = msgspec.json.encode(PARAMETERS).decode()
    house.change(Gateway, house.gateway_id, max_channels=4, max_cps=1, parameters=parameters)
    survey_id = house.survey(*SECTIONS, branches=BRANCHES)
    await house.started(survey_id, house.phonebook(*NUMBERS), dnc_id=house.dnc_list(NUMBERS[7]), **SETTINGS)
    await house.advance(3 * 86_400)
    return house


async def test_a_campaign_gives_the_same_calls_with_and_without_a_service(tmp_path: Path) -> None:
    simulation, house = simulated(), await served(tmp_path)
    rows = [
        {**row, "starting_date": show_date(row["starting_date"]), "call_cost": format_money(row["call_cost"])}
        for row in house.rows(Cdr)
    ]
    answers = [(row["callrequest_id"], row["section_id"], row["response"]) for row in house.rows(SurveyResult)]
    house.database.close()
    assert len(rows) > len(NUMBERS)
    assert cdr_digest(rows) == cdr_digest(map(cdr_record, simulation.store.cdrs))
    assert answers == [(call_id, result.section_id, result.response) for call_id, result in simulation.store.results]


# --- a call centre --------------------------------------------------------------------------------------------------

SHOWN: Final = "+33199000000"
POPULATION: Final = {
    "answer": 0.8,
    "call_back": 0.5,
    "patience": [2, 60],
    "talk": [20, 60],
    "keys": {"1": 0.6, "2": 0.4},
}
FLOOR: Final[list[dict[str, Any]]] = [
    {"type": 2, "script": "press one or two", "key_1": "desk", "key_2": "number"},
    {"type": 6, "script": "one moment", "queue": 1},
    {"type": 6, "phonenumber": "+33199000001", "confirm_script": "a call", "confirm_key": "5"},
    {"type": 10, "sms_text": "Thank you"},
    {"type": 5, "script": "leave a message"},
    {"type": 8, "conference": "room"},
]
WAYS: Final[dict[int, dict[str, int | None]]] = {
    0: {"1": 1, "2": 2, "timeout": None},
    1: {"0": 3, "timeout": 2},
    2: {"0": 5, "timeout": 4},
    3: {"0": 4},
}
AGENTS: Final[list[dict[str, Any]]] = [
    {"wrap_up_time": 10, "contact": "+33199000002"},
    {"parameters": {"talk": [10, 90], "answer": [0, 5]}},
]
PACED: Final[dict[str, Any]] = {
    "callerid": SHOWN,
    "calltimeout": 20,
    "callmaxduration": 300,
    "maxretry": 1,
    "max_xfer": 3,
}


def simulated_centre(dial_method: int) -> Simulation:
    sections = [
        {
            **section,
            "id": place + 1,
            "question": f"question {place}",
            "branches": {keys: None if to is None else to + 1 for keys, to in WAYS.get(place, {}).items()},
        }
        for place, section in enumerate(FLOOR)
    ]
    document = {
        "seed": 42,
        "start": show_date(MONDAY_NOON_MS),
        "account": {"balance": "1000", "call_rate": "0.02", "sms_rate": "0.03"},
        "gateway": {"max_channels": 9, "max_cps": 1, "parameters": POPULATION},
        "campaign": PACED
        | {"dial_method": dial_method, "frequency": 20, "expirationdate": show_date(MONDAY_NOON_MS + 3 * 86_400_000)},
        "survey": {"sections": sections},
        "queues": [{"id": 1, "max_wait_time": 40}],
        "agents": [{"id": place, **agent} for place, agent in enumerate(AGENTS, 1)],
        "dids": [SHOWN],
        "contacts": [{"contact": number} for number in NUMBERS[:60]],
    }
    simulation = Simulation(parse_scenario(msgspec.json.encode(document)))
    simulation.run()
    return simulation


async def served_centre(folder: Path, dial_method: int) -> House:
    house = House(folder, seed=42)
    house.pay(1_000 * 100 * CENTS - 100_000 * CENTS)
    house.change(User, house.user_id, sms_rate=3 * CENTS)
    parameters = msgspec.json.encode(POPULATION).decode()
    house.change(Gateway, house.gateway_id, max_channels=9, max_cps=1, parameters=parameters)
    sms_gateway_id = house.add(Gateway, medium=SMS, name="texts", parameters=parameters)
    agents = [
        house.agent(**agent | {"parameters": msgspec.json.encode(agent.get("parameters", {})).decode()})
        for agent in AGENTS
    ]
    queue_id = house.queue(*agents, max_wait_time=40)
    for tier in house.rows(Tier):
        house.change(Tier, tier["id"], position=1)
    sections = [
        {("queue_id" if name == "queue" else name): value for name, value in one.items()} | {"timeout": 5}
        for one in FLOOR
    ]
    assert queue_id == 1
    survey_id = house.survey(*sections, branches=WAYS)
    settings = PACED | {"dial_method": dial_method, "frequency": 20, "sms_gateway_id": sms_gateway_id}
    campaign_id = house.campaign(survey_id, house.phonebook(*NUMBERS[:60]), dnc_id=house.dnc_list(), **settings)
    house.add(Did, user_id=house.user_id, is_assigned=True, did_number=SHOWN, campaign_id=campaign_id)
    await house.move(campaign_id, CampaignStatus.START)
    await house.advance(3 * 86_400)
    return house


@pytest.mark.parametrize("dial_method", [1, 2, 3])
async def test_a_call_centre_has_the_same_calls_with_and_without_a_service(tmp_path: Path, dial_method: int) -> None:
    simulation, house = simulated_centre(dial_method), await served_centre(tmp_path, dial_method)
    rows = [
        {**row, "starting_date": show_date(row["starting_date"]), "call_cost": format_money(row["call_cost"])}
        for row in house.rows(Cdr)
    ]
    answers = [(row["callrequest_id"], row["section_id"], row["response"]) for row in house.rows(SurveyResult)]
    texts = [(row["id"], row["callrequest_id"], str(row["status"])) for row in house.rows(SmsMessage)]
    fates = sorted((row["callrequest_id"], row["place"], row["reason"]) for row in house.rows(Transfer))
    house.database.close()
    store = simulation.store
    assert {row["leg_type"] for row in rows} == {1, 2}
    assert any(row["callerid"] in NUMBERS and row["leg_type"] == 1 for row in rows)
    assert answers == [(call_id, result.section_id, result.response) for call_id, result in store.results]
    assert cdr_digest(rows) == cdr_digest(map(cdr_record, store.cdrs))
    assert texts == sorted((one.id, one.parent_id, str(outcome.message_status)) for one, outcome in store.messages)
    assert fates == sorted((one.id, transfer.place, transfer.reason) for one, transfer in store.transfers.values())
