"""Tests of `dialer agents profile`: the profiles of agents, measured and given to simulated ones."""

import json
from pathlib import Path
from typing import Any, Final

import pytest
from sqlalchemy import update

from dialer.domain.figures.statistics import HOUR_MS
from dialer.domain.words.enums import AgentActivity, CallRequestStatus, TransferStatus
from dialer.sim.agent_profile import parse_agent
from dialer.store.tables import Agent, AgentHour, CallRequest, Campaign, Queue, Transfer
from tests.commands.conftest import Run
from tests.runtime.house import DAY_MS, MONDAY_NOON_MS, House

VIRTUAL: Final = {"DIALER_CLOCK": "virtual", "DIALER_CLOCK_START": "2026-03-02T12:00:00Z"}
MEASURED: Final[dict[str, Any]] = {
    "answer": {"deciles": [1.0, 3.0, 5.0, 7.0, 9.0, 11.0, 13.0, 15.0, 17.0, 19.0, 21.0]},
    "talk": {"deciles": [10.0, 30.0, 50.0, 70.0, 90.0, 110.0, 130.0, 150.0, 170.0, 190.0, 210.0]},
    "missed": 0.16,
    "wrap_up": 30.0,
    "breaks": 0.143,
    "break_length": {"mean": 600.0},
}


@pytest.fixture
def house(tmp_path: Path) -> House:
    """Create a database with an agent who took 21 calls in the last weeks, and one who took two; and both tests."""
    one = House(tmp_path)
    busy, new = one.agent(name="Ann", wrap_up_time=5), one.agent(name="Ben")
    campaign_id = one.campaign(one.survey({"type": 1, "script": "Hello"}), one.phonebook("+12025550101"))
    for place in range(21):
        took(one, campaign_id, busy, 1 + place, 10 + 10 * place)
    took(one, campaign_id, busy, 600, 7_000, days=40)
    for _ in range(2):
        took(one, campaign_id, new, 1, 10)
    test_id = one.campaign(one.survey({"type": 1, "script": "Hello"}), one.phonebook("+12025550101"))
    is_test = update(Campaign).where(Campaign.id == test_id).values(trial_of_id=campaign_id)
    one.database.write_now(lambda unit: unit.execute(is_test))
    for _ in range(20):
        took(one, test_id, busy, 3_000, 3_000)
        took(one, test_id, new, 1, 10)
    hour = MONDAY_NOON_MS // HOUR_MS - 24
    spent = {"agent_id": busy, "hour": hour, "reason": ""}
    one.add(AgentHour, **spent, activity=AgentActivity.WRAPPING_UP, spent_ms=20 * 30_000, begun=20)
    one.add(AgentHour, **spent, activity=AgentActivity.ON_BREAK, spent_ms=3 * 600_000, begun=3)
    one.add(AgentHour, **spent, activity=AgentActivity.AVAILABLE, spent_ms=1, begun=1, missed=4)
    one.database.close()
    return one


def took(house: House, campaign_id: int, agent_id: int, answer_s: int, talk_s: int, days: int = 1) -> None:
    """Add a call that an agent took some days ago."""
    joined_ms = MONDAY_NOON_MS - days * DAY_MS
    call = house.add(
        CallRequest,
        user_id=house.user_id,
        campaign_id=campaign_id,
        callid=f"{len(house.rows(CallRequest))}",
        phone_number="+12025550101",
        callerid="+12025550199",
        gateway_id=house.gateway_id,
        status=CallRequestStatus.SUCCESS,
        started_ms=joined_ms,
        ended_ms=joined_ms + HOUR_MS,
        **dict.fromkeys(("attempt", "ring_limit_ms", "talk_limit_ms", "hold", "call_rate"), 1),
    )
    house.add(
        Transfer,
        callrequest_id=call,
        user_id=house.user_id,
        place=1,
        section_id=1,
        agent_id=agent_id,
        status=TransferStatus.OVER,
        joined_ms=joined_ms,
        score_from_ms=joined_ms,
        started_ms=joined_ms,
        answered_ms=joined_ms + 1_000 * answer_s,
        ended_ms=joined_ms + 1_000 * (answer_s + talk_s),
        parameters="{}",
    )


@pytest.mark.usefixtures("house")
def test_agents_are_measured_from_their_last_weeks(run: Run) -> None:
    found = run("agents", "profile", "--json", **VIRTUAL).data
    assert found == [
        {"agent": 1, "name": "Ann", "calls": 21, "parameters": MEASURED},
        {"agent": 2, "name": "Ben", "calls": 2, "parameters": None},
    ]
    shown = run("agents", "profile", **VIRTUAL).out
    assert ["Ann", "(1)", "21", "11.00", "110.00", "30.00", "16.00", "14.30", "600.00"] in map(
        str.split, shown.splitlines()
    )
    assert "Agents with fewer than 20 calls are not measured." in shown


def test_saved_profiles_are_those_of_simulated_agents(run: Run, house: House) -> None:
    done = run("agents", "profile", "--save", **VIRTUAL)
    assert "Wrote the profiles of 1 agents into their parameters." in done.out
    ann, ben = (json.loads(row["parameters"]) for row in house.rows(Agent))
    assert (ann, ben) == (MEASURED, {})
    assert parse_agent(ann).talk.mean_ms == 110_000  # type: ignore[union-attr]


def test_a_plan_says_how_many_agents_a_queue_needs(run: Run, house: House) -> None:
    assert "there is no queue Sales: give its id or its name" in run("agents", "plan", "Sales", **VIRTUAL).told[-1]
    queue_id = house.add(Queue, user_id=house.user_id, name="Sales")
    assert "Agents took no call of the queue" in run("agents", "plan", "Sales", **VIRTUAL).told[-1]
    house.database.write_now(lambda connection: connection.execute(update(Transfer).values(queue_id=queue_id)))
    found = run("agents", "plan", "Sales", "--json", **VIRTUAL).data
    assert [(one["weekday"], one["start"], one["calls"]) for one in found["half_hours"]] == [("sunday", "12:00", 23.0)]
    assert (found["queue"], found["past_calls"], found["ring_time"]) == ("Sales", 23, 10.1)
    (half_hour,) = found["half_hours"]
    shown = run("agents", "plan", str(queue_id), **VIRTUAL).out
    cells = ["Sunday", "12:00", "23.00", f"{half_hour['handling_time']:.2f}", str(half_hour["agents"])]
    assert any(line.split()[: len(cells)] == cells for line in shown.splitlines()), shown
    lines = run("agents", "plan", "Sales", "--csv", **VIRTUAL).out.splitlines()
    assert lines[1].startswith(f"sunday,12:00,23.0,{half_hour['handling_time']},{half_hour['agents']},")
    slow = run("agents", "plan", "Sales", "--abandoned", "3", **VIRTUAL)
    assert slow.told[-1].startswith("Agents answer their telephones after 10.1 s on average")
    wrong = run("agents", "plan", "Sales", "--service-level", "0", **VIRTUAL)
    assert (wrong.code, wrong.told[-1]) == (1, "--service-level: '0' is not a whole number from 1 to 99.")
    assert run("agents", "plan", "Sales", "--csv", "--json", **VIRTUAL).code == 2
