"""Tests of `GET …/staffing-plan/`: the agents that a queue needs, by half hours."""

from datetime import UTC, datetime
from typing import Any, Final

import msgspec
import pytest

from dialer.domain.forecast.kept_forecast import ForecastHour, KeptForecast, Spread
from dialer.domain.queueing.typed_volumes import EXAMPLE
from dialer.store.database.database import Database
from dialer.store.tables import CampaignForecast
from tests.api.builders import Estate, stored
from tests.api.harness import Caller
from tests.api.queue_past import NINE_MS, busy_morning, called

NO_CALL: Final = "Agents took no call of the queue from 2026-10-21 to 2026-11-17; today does not count."
VOLUMES: Final = "mon-wed 09:00-10:00 30; sat,sun 10:00-12:00 8/day"


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
        "rests_on": "past",
        "simulated_weeks": 1000,
        "half_hours_short": 0,
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
    names = ("simulated_service_level", "service_level_margin", "simulated_busy", "busy_margin", "short_of")
    row = dict(zip(head.split(","), busy.split(","), strict=True))
    json = alice.get(plan)["half_hours"][0]
    assert {name: row[name] for name in names} == {name: str(json[name]) for name in names[:-1]} | {"short_of": ""}
    assert 0 < json["service_level_margin"] < 5


def test_half_hours_that_fall_short_after_all_are_marked(alice: Caller, plan: str) -> None:
    """A thousand agents are the most, and they are busier than promised: the other half hour keeps all."""
    asked = {"volumes": "tue 09:00-09:30 52190; tue 12:00-12:30 30", "talk_time": "30", "ring_time": "0"}
    asked |= {"wrap_up_time": "0", "busy": "87"}
    found = alice.get(plan, **asked)
    crowded, quiet = found["half_hours"]
    assert (found["half_hours_short"], found["simulated_weeks"]) == (1, 10)
    assert (crowded["agents"], crowded["short_of"], quiet["short_of"]) == (1_000, ["busy"], [])
    assert crowded["simulated_busy"] - crowded["busy_margin"] > 87
    lines = alice.request("GET", plan, params=asked | {"format": "csv"}).text.splitlines()
    assert [line.rsplit(",", 1)[1] for line in lines] == ["short_of", "busy", ""]


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
        ({"talk_time": "0"}, {"talk_time": ["'0' is not a whole number from 1 to 7200."]}),
        ({"campaign": "x"}, {"campaign": ["Give the id of a campaign."]}),
        ({"campaign": "99"}, {"campaign": ["There is no such campaign, or it is not yours."]}),
        ({"volumes": ";"}, {"volumes": ["No calls are expected. Give those of a half hour at least."]}),
        (
            {"volumes": VOLUMES, "campaign": "1"},
            {"volumes": ["Give the calls that you expect, or a campaign: not both."]},
        ),
        (
            {"volumes": "Montag 9-17 30"},
            {"volumes": [f"'Montag 9-17 30' says no calls of half hours. Write it as in: {EXAMPLE}"]},
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
        {"detail": f"{NO_CALL} Give the calls that you expect, the forecast of a campaign, or more weeks."},
    )
    assert bob.refused("GET", plan)[0] == 404


def test_a_plan_before_the_first_day_rests_on_the_calls_that_are_expected(alice: Caller, plan: str) -> None:
    """A new queue needs the length of a talk; one with a past has it, and the plan is simulated all the same."""
    new = alice.create("queue", name="new")["url"] + "staffing-plan/"
    length = "Agents took no call of the queue yet, so give the mean length of a talk in seconds."
    assert alice.refused("GET", f"{new}?volumes={VOLUMES}") == (400, {"talk_time": [length]})
    asked = {"volumes": VOLUMES, "talk_time": "100", "ring_time": "1", "wrap_up_time": "10"}
    found = alice.get(new, **asked)
    assert (found["rests_on"], found["past_calls"], found["talk_time"], found["wrap_up_time"]) == (
        "volumes",
        0,
        100.0,
        10.0,
    )
    days = [one["weekday"] for one in found["half_hours"]]
    assert (days.count("monday"), days.count("wednesday"), days.count("sunday"), len(days)) == (2, 2, 4, 14)
    first, last = found["half_hours"][0], found["half_hours"][-1]
    assert (first["start"], first["calls"], first["handling_time"], first["agents"]) == ("09:00", 30.0, 111.0, 4)
    assert (last["start"], last["calls"]) == ("11:30", 2.0)
    assert min(one["simulated_service_level"] for one in found["half_hours"]) >= 80
    again = alice.get(plan, volumes=VOLUMES)
    assert (again["rests_on"], again["half_hours"]) == ("volumes", found["half_hours"])


def test_a_plan_rests_on_the_forecast_of_a_campaign(
    alice: Caller, bob: Caller, estate: Estate, database: Database, plan: str
) -> None:
    """A quarter of the calls to come reaches a queue: as many in each half hour of an hour.

    The forecast is made in the first hour, of which 40 calls are over.
    """
    campaign = estate.campaign["id"]
    asked = {"campaign": str(campaign)}
    transfer = {"survey": estate.survey["url"], "type": 6, "question": "To us"}
    alice.create("section-template", **transfer, queue=estate.queue["url"])
    none = "No forecast with calls for agents is kept of this campaign. Make one on the page of the campaign."
    assert alice.refused("GET", f"{plan}?campaign={campaign}") == (400, {"campaign": [none]})
    monday = int(datetime(2026, 11, 16, 8, tzinfo=UTC).timestamp()) // 3_600
    nothing = Spread(0, 0, 0)
    hours = [ForecastHour(monday + place, Spread(1, calls, 999), nothing) for place, calls in enumerate((340, 100))]
    kept = KeptForecast(
        monday * 3_600_000 + 1, 5, 5, nothing, nothing, nothing, 0, hours, queued_per_call=0.25, calls_in_hour=40
    )
    document = msgspec.json.encode(kept).decode()
    stored(database, CampaignForecast, id=campaign, document=document)
    found = alice.get(plan, **asked, timezone="Europe/Madrid")
    assert [(one["weekday"], one["start"], one["calls"]) for one in found["half_hours"]] == [
        ("monday", "09:00", 37.5),
        ("monday", "09:30", 37.5),
        ("monday", "10:00", 12.5),
        ("monday", "10:30", 12.5),
    ]
    assert (found["rests_on"], found["talk_time"]) == ("forecast", 100.0)
    other = alice.create("queue", name="other")["url"]
    elsewhere = "The campaign does not lead to this queue alone, so its forecast does not tell the calls here."
    assert alice.refused("GET", f"{other}staffing-plan/?campaign={campaign}") == (400, {"campaign": [elsewhere]})
    alice.create("section-template", **transfer, queue=other)
    for queue in (plan, f"{other}staffing-plan/"):
        assert alice.refused("GET", f"{queue}?campaign={campaign}") == (400, {"campaign": [elsewhere]})
    queue = bob.create("queue", name="Bob's")["url"]
    assert bob.refused("GET", f"{queue}staffing-plan/?campaign={campaign}")[0] == 400
