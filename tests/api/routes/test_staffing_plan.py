"""Tests of `GET …/staffing-plan/`: the agents that a queue needs, by half hours."""

from typing import Any

import pytest

from dialer.store.database.database import Database
from tests.api.builders import Estate
from tests.api.harness import Caller
from tests.api.queue_past import NINE_MS, busy_morning, called


@pytest.fixture
def plan(estate: Estate, database: Database) -> str:
    """Return the address of the plan of a queue with 31 calls yesterday."""
    busy_morning(database, estate.call_id, estate.queue["id"], estate.agent["id"])
    return f"{estate.queue['url']}staffing-plan/"


def test_the_plan_rests_on_the_calls_of_the_last_weeks(
    alice: Caller, estate: Estate, database: Database, plan: str
) -> None:
    called(database, estate.call_id, estate.queue["id"], estate.agent["id"], NINE_MS, 98)  # Today does not count.
    found = alice.get(plan)
    assert {name: found[name] for name in found if name not in {"half_hours", "hours", "peak_people"}} == {
        "queue": estate.queue["url"],
        "timezone": "UTC",
        "first_day": "2026-10-21",
        "last_day": "2026-11-17",
        "past_calls": 31,
        "ring_time": 1.0,
        "talk_time": 100.0,
        "wrap_up_time": 10.0,
        "simulated_weeks": 50,
    }
    busy, quiet = found["half_hours"]
    assert [(one["weekday"], one["start"], one["calls"]) for one in (busy, quiet)] == [
        ("tuesday", "09:00", 30.0),
        ("tuesday", "09:30", 1.0),
    ]
    assert (busy["handling_time"], busy["agents"], busy["people"], quiet["agents"]) == (111.0, 4, 6, 1)
    assert busy["service_level"] == pytest.approx(91.0, abs=3)
    assert busy["simulated_service_level"] == pytest.approx(busy["service_level"], abs=5)
    assert busy["busy"] == pytest.approx(100 * 30 * 111 / 1_800 / 4, abs=0.1)
    assert found["hours"] == (busy["people"] + quiet["people"]) / 2
    elsewhere = alice.get(plan, timezone="America/New_York", change="100", shrinkage="0")["half_hours"]
    assert [(one["start"], one["calls"]) for one in elsewhere] == [("04:00", 60.0), ("04:30", 2.0)]
    assert elsewhere[0]["people"] == elsewhere[0]["agents"] > busy["agents"]


def test_the_plan_is_a_table_of_other_programs(alice: Caller, plan: str) -> None:
    answer = alice.request("GET", plan, params={"format": "csv"})
    head, busy, _ = answer.text.splitlines()
    assert answer.headers["content-type"].startswith("text/csv")
    assert head.startswith("weekday,start,calls,handling_time,agents,people,service_level")
    assert busy.startswith("tuesday,09:00,30.0,111.0,4,6,")


@pytest.mark.parametrize(
    ("parameters", "errors"),
    [
        ({"weeks": "13"}, {"weeks": ["'13' is not a whole number from 1 to 12."]}),
        ({"service_level": "100"}, {"service_level": ["'100' is not a whole number from 1 to 99."]}),
        ({"within": "0"}, {"within": ["'0' is not a whole number from 1 to 3600."]}),
        ({"busy": "1e2"}, {"busy": ["'1e2' is not a whole number from 1 to 100."]}),
        ({"shrinkage": "٣"}, {"shrinkage": ["'٣' is not a whole number from 0 to 90."]}),
        ({"change": "-91"}, {"change": ["'-91' is not a whole number from -90 to 900."]}),
        (
            {"timezone": "Mars/Base"},
            {"timezone": ["'Mars/Base' is not a time zone. Use an IANA name, such as Europe/Madrid."]},
        ),
        ({"format": "pdf"}, {"format": ["'pdf' is not a format. Use one of json, csv."]}),
    ],
)
def test_what_is_asked_has_bounds(alice: Caller, plan: str, parameters: dict[str, Any], errors: dict[str, Any]) -> None:
    answer = alice.request("GET", plan, params=parameters)
    assert (answer.status_code, answer.json()) == (400, errors)


def test_a_queue_without_calls_has_no_plan_and_strangers_see_none(alice: Caller, bob: Caller, plan: str) -> None:
    other = alice.create("queue", name="other")["url"]
    assert alice.refused("GET", f"{other}staffing-plan/") == (
        409,
        {"detail": "Agents took no call of the queue from 2026-10-21 to 2026-11-17. Give more weeks."},
    )
    assert bob.refused("GET", plan)[0] == 404
