"""The service and the pure simulation are one engine: the same campaign gives the same call detail records."""

from pathlib import Path
from typing import Any, Final

import msgspec

from dialer.domain.digest import cdr_digest
from dialer.domain.money import format_money
from dialer.sim.report import cdr_record, show_date
from dialer.sim.scenario import parse_scenario
from dialer.sim.simulation import Simulation
from dialer.store.models import Cdr, Gateway, SurveyResult
from tests.worker.house import CENTS, MONDAY_NOON_MS, House

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
    assert cdr_digest(rows) == cdr_digest(map(cdr_record, simulation.book.cdrs))
    assert answers == [(call_id, result.section_id, result.response) for call_id, result in simulation.book.results]
