"""Tests of the days of agents over the API: figures, times, CSV, whose days one sees, and the limits of a question."""

import csv
import io
from typing import Any, Final

import pytest

from dialer.domain.queueing.agent_periods import PeriodCall
from dialer.domain.words.enums import AgentStatus
from dialer.store.database.database import Database
from dialer.store.tables import AgentPeriod
from tests.api.builders import Estate, stored
from tests.api.harness import Caller
from tests.api.queue_past import DAY_MS, HOUR_MS, NINE_MS

MINUTE_MS: Final = 60_000
FIGURES: Final = {
    "logged_in_seconds": 5400.0,
    "available_seconds": 1_620.0,
    "looking_seconds": 0.0,
    "ringing_seconds": 120.0,
    "talking_seconds": 1800.0,
    "wrapping_up_seconds": 360.0,
    "on_break_seconds": 1500.0,
    "on_hold_seconds": 0.0,
    "occupancy": 55.38,
    "taken": 1,
    "missed": 0,
}


def worked(database: Database, agent_id: int, first_ms: int = NINE_MS) -> None:
    """Store the work of an agent from nine to half past ten: a call, its wrap-up time, and a break to the end."""

    def period(begin: int, end: int, **other: object) -> None:
        plain: dict[str, Any] = {"status": AgentStatus.AVAILABLE, "is_talking": False, "reason": "", "cause": ""}
        plain |= {"wraps_until_ms": 0, "call": PeriodCall.NONE, "looks_from_ms": 0, "rings_from_ms": 0}
        begin_ms, end_ms = first_ms + begin * MINUTE_MS, first_ms + end * MINUTE_MS
        stored(database, AgentPeriod, **plain | {"agent_id": agent_id, "from_ms": begin_ms, "until_ms": end_ms} | other)

    period(0, 20, call=PeriodCall.TAKEN, rings_from_ms=first_ms + 18 * MINUTE_MS)
    period(20, 50, is_talking=True)
    period(50, 65, wraps_until_ms=first_ms + 56 * MINUTE_MS, cause="desk_closed")
    period(65, 90, status=AgentStatus.ON_BREAK, reason="=Lunch", cause="agent")


def test_a_day_says_when_an_agent_came_and_went_and_what_calls_took(
    alice: Caller, estate: Estate, database: Database
) -> None:
    worked(database, estate.agent["id"])
    day = {
        "agent": estate.agent["url"],
        "name": "Ann",
        "date": "2026-11-18",
        "first_log_in": "2026-11-18T09:00:00Z",
        "last_log_out": "2026-11-18T10:30:00Z",
        "is_from_before": False,
        "goes_on": False,
        "ended_by": "agent",
        **FIGURES,
        "breaks": [{"reason": "=Lunch", "seconds": 1500.0}],
        "times": [],
    }
    asked = {"timezone": "UTC", "first_day": "2026-11-18", "last_day": "2026-11-18"}
    assert alice.get(f"{estate.agent['url']}days/") == {**asked, "results": [day]} == alice.get("agent-days/")
    (timed,) = alice.get(f"{estate.agent['url']}days/", times="true")["results"]
    assert [(one["state"], one["reason"], one["starting_date"][11:16]) for one in timed["times"]] == [
        ("available", "", "09:00"),
        ("ringing", "", "09:18"),
        ("talking", "", "09:20"),
        ("wrapping_up", "", "09:50"),
        ("available", "", "09:56"),
        ("on_break", "=Lunch", "10:05"),
    ]
    assert timed["times"][-1]["ended_by"] == "desk_closed"


def test_days_are_those_of_a_zone_and_of_the_days_asked_for(alice: Caller, estate: Estate, database: Database) -> None:
    for ago in (0, 1, 3):
        worked(database, estate.agent["id"], NINE_MS - ago * DAY_MS)
    path = f"{estate.agent['url']}days/"
    dates = [one["date"] for one in alice.get(path, first_day="2026-11-16")["results"]]
    assert dates == ["2026-11-17", "2026-11-18"]
    assert [one["date"] for one in alice.get(path, last_day="2026-11-15")["results"]] == ["2026-11-15"]
    # Midnight of this zone is 10:00 in UTC, so each day of work is split.
    found = alice.get(path, first_day="2026-11-15", last_day="2026-11-16", timezone="Pacific/Honolulu")
    assert [(one["date"], one["logged_in_seconds"], one["goes_on"]) for one in found["results"]] == [
        ("2026-11-15", 1800.0, False),
        ("2026-11-16", 3600.0, True),
    ]


def test_days_and_times_are_tables_of_other_programs(alice: Caller, estate: Estate, database: Database) -> None:
    worked(database, estate.agent["id"])

    def lines(**asked: str) -> list[dict[str, str]]:
        answer = alice.request("GET", "agent-days/", params={"format": "csv", **asked})
        assert answer.headers["content-type"].startswith("text/csv")
        return list(csv.DictReader(io.StringIO(answer.text, newline="")))

    (day,) = lines()
    assert (day["name"], day["first_log_in"], day["occupancy"]) == ("Ann", "2026-11-18T09:00:00Z", "55.38")
    assert day["breaks"] == '[{"reason":"=Lunch","seconds":1500.0}]'
    last = lines(times="true")[-1]
    assert last == {
        "agent": estate.agent["url"],
        "name": "Ann",
        "date": "2026-11-18",
        "state": "on_break",
        "reason": "'=Lunch",
        "starting_date": "2026-11-18T10:05:00Z",
        "ending_date": "2026-11-18T10:30:00Z",
        "ended_by": "desk_closed",
    }
    assert lines(last_day="2026-11-17") == []


def test_strangers_see_no_days_and_admins_all(
    admin: Caller, bob: Caller, both_estates: tuple[Estate, Estate], database: Database
) -> None:
    of_alice, of_bob = both_estates
    for estate in both_estates:
        worked(database, estate.agent["id"], NINE_MS - HOUR_MS)
    path = f"{of_alice.agent['url']}days/"
    assert bob.refused("GET", path) == bob.refused("GET", "agent/99/days/")
    assert [one["agent"] for one in bob.get("agent-days/")["results"]] == [of_bob.agent["url"]]
    assert {one["agent"] for one in admin.get("agent-days/")["results"]} == {of_alice.agent["url"], of_bob.agent["url"]}


@pytest.mark.parametrize(
    ("asked", "errors"),
    [
        ({"first_day": "20261118"}, {"first_day": ["'20261118' is not a day. Use YYYY-MM-DD."]}),
        ({"last_day": "1969-12-31"}, {"last_day": ["'1969-12-31' is not a day. Use YYYY-MM-DD."]}),
        ({"first_day": "2026-11-19"}, {"last_day": ["'2026-11-18' is before 2026-11-19. Choose a later day."]}),
        ({"first_day": "2026-08-18"}, {"first_day": ["Ask for at most 92 days."]}),
        ({"times": "1"}, {"times": ["'1' is neither true nor false."]}),
        ({"format": "pdf"}, {"format": ["'pdf' is not a format. Use one of json, csv."]}),
        (
            {"timezone": "Mars/Base"},
            {"timezone": ["'Mars/Base' is not a time zone. Use an IANA name, such as Europe/Madrid."]},
        ),
    ],
)
def test_a_question_has_limits(alice: Caller, estate: Estate, asked: dict[str, str], errors: dict[str, Any]) -> None:
    answer = alice.request("GET", f"{estate.agent['url']}days/", params=asked)
    assert (answer.status_code, answer.json()) == (400, errors)


def test_an_answer_has_a_largest_number_of_times(
    alice: Caller, estate: Estate, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    worked(database, estate.agent["id"])
    monkeypatch.setattr("dialer.api.routes.agent_days.TIMES_MAX", 5)
    answer = alice.request("GET", "agent-days/", params={"times": "true"})
    assert (answer.status_code, [*answer.json()]) == (400, ["first_day"])
    assert len(alice.get("agent-days/")["results"]) == 1
