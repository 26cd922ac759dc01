"""Tests of the pages of agents' days: the table of a period, one day as a band with its calls, and who sees them."""

import csv
import io
import re
from typing import Any, Final

import pytest
from sqlalchemy import insert, update

from dialer.domain.queueing.agent_periods import PeriodCall
from dialer.domain.words.enums import AgentStatus, CallRequestStatus, TransferStatus
from dialer.store.database.database import Database
from dialer.store.tables import Agent, AgentPeriod, CallDisposition, CallRequest
from tests.api.harness import NOW_MS, Caller
from tests.console.building import HOSTILE, campaign, store
from tests.console.test_wall_board import call
from tests.console.visitor import Visitor, words

TODAY: Final = "2026-11-18"
MIDNIGHT_MS: Final = NOW_MS // 86_400_000 * 86_400_000
GUS: Final = 5
ON, BREAK = AgentStatus.AVAILABLE, AgentStatus.ON_BREAK


def at(clock: str) -> int:
    """Return a moment of today, as `8:30`."""
    hour, minute = clock.split(":")
    return MIDNIGHT_MS + (int(hour) * 60 + int(minute)) * 60_000


def period(begin: str, end: str, **other: Any) -> Any:  # noqa: ANN401 - columns, and a statement
    plain = {"status": ON, "is_talking": False, "reason": "", "wraps_until_ms": 0, "call": PeriodCall.NONE}
    plain |= {"looks_from_ms": 0, "rings_from_ms": 0, "cause": "", "agent_id": 1}
    return insert(AgentPeriod).values({**plain, "from_ms": at(begin), "until_ms": at(end), **other})


@pytest.fixture
def ann(api: Caller, database: Database) -> str:
    """Return the URL of an agent who came at 8:00, had a call and a break, and went at 10:00, after a missed call."""
    campaign(api, name="Departures")
    queue = api.create("queue", name="Sales")["url"]
    agent: str = api.create("agent", name=f"Ann {HOSTILE}")["url"]
    api.create("tier", queue=queue, agent=agent)
    over = {"status": TransferStatus.OVER, "agent_id": 1, "joined_ms": at("8:29"), "answered_ms": at("8:30")}
    said = {"callrequest_id": 1, "user_id": 2, "disposition": "success", "word": "Sold", "created_date": NOW_MS}
    store(
        database,
        period("8:00", "8:30", call=PeriodCall.TAKEN, rings_from_ms=at("8:28"), looks_from_ms=at("8:20")),
        period("8:30", "9:00", is_talking=True),
        period("9:00", "9:30", wraps_until_ms=at("9:06"), cause="desk_closed"),
        period("9:30", "9:50", status=BREAK, reason="Lunch"),
        period("9:50", "10:00", call=PeriodCall.MISSED, rings_from_ms=at("9:59"), cause="agent"),
        *call(1, **over, ended_ms=at("9:00"), on_hold_ms=90_000),
        update(CallRequest).where(CallRequest.id == 1).values(status=CallRequestStatus.SUCCESS),
        insert(CallDisposition).values(**said, updated_date=NOW_MS),
        update(Agent).values(status=AgentStatus.LOGGED_OUT, counted_ms=at("10:00")),
    )
    return agent


def rows(visitor: Visitor, asked: str = "") -> list[dict[str, str]]:
    answer = visitor.request("GET", f"agent-days/export/?format=csv&{asked}")
    assert (answer.status_code, answer.headers["content-type"]) == (200, "text/csv; charset=utf-8")
    return list(csv.DictReader(io.StringIO(answer.text, newline="")))


SUMS: Final = {
    "Logged in (seconds)": "7200",
    "On a break (seconds)": "1200",
    "Break: Lunch (seconds)": "1200",
    "Available (seconds)": "3180",
    "Before a call (seconds)": "480",
    "Telephone rings (seconds)": "180",
    "Talked (seconds)": "1800",
    "Of it on hold (seconds)": "90",
    "Wrapping up (seconds)": "360",
    "Occupancy (%)": "44.0",
    "Calls taken": "1",
    "Calls missed": "1",
}


def test_a_row_has_the_times_of_an_agent_and_day(alice: Visitor, ann: str) -> None:
    (row,) = rows(alice)
    day = {"Day": TODAY, "First log-in": "08:00:00", "Last log-out": "10:00:00", "Remarks": "by the agent"}
    assert row == {"Agent": f"Ann {HOSTILE}", **day, **SUMS}
    (of_agent,) = rows(alice, "each=agent&period=7")
    assert of_agent == {"Agent": f"Ann {HOSTILE}", "Days": "1", **SUMS}
    assert rows(alice, "period=yesterday") == []
    text = alice.text("agent-days/")
    assert "Days and times are those of the zone UTC." in text
    assert "08:00:00 10:00:00 2:00 h 20:00 min 20:00 min 53:00 min 8:00 min 3:00 min" in text
    assert f'href="/console/agents/1/day/?day={TODAY}"' in alice.page
    assert "No agent was logged in on these days." in alice.text("agent-days/?period=yesterday")
    assert ann.endswith("/agent/1/")


def test_a_day_is_a_band_with_its_calls(alice: Visitor, ann: str) -> None:
    text = alice.text(f"agents/1/day/?day={TODAY}")
    page = alice.page
    assert "First log-in 08:00:00 Last log-out 10:00:00 by the agent Logged in 2:00 h" in text
    assert "Occupancy 44.0 %" in text
    assert "08:30:00 09:00:00 30:00 min Talks +12025550001 Departures Sold" in text
    assert "09:30:00 09:50:00 20:00 min On a break: Lunch the desk was closed" in text
    assert 'href="/console/callrequests/1/"' in page
    drawn = re.findall(r'<rect class="(\w+)" x="([\d.]+)" width="([\d.]+)"', page)
    names = ["available", "looking", "ringing", "talking", "wrapping_up", "available", "on_break", "available"]
    assert [name for name, _, _ in drawn] == [*names, "ringing"]
    assert drawn[3] == ("talking", "25.0", "25.0")
    assert sum(float(width) for _, _, width in drawn) == pytest.approx(100)
    assert "day/?day=2026-11-17" in page.replace('href="?', 'href="day/?')
    assert "The agent was not logged in on this day." in alice.text("agents/1/day/?day=2026-11-17")
    assert 'href="/console/agents/1/day/"' in alice.get("agents/1/")
    assert ann.endswith("/agent/1/")


def test_who_is_there_still_goes_on(alice: Visitor, ann: str, database: Database) -> None:
    store(database, update(Agent).values(status=ON, counted_ms=at("11:00")))
    (row,) = rows(alice)
    assert (row["Last log-out"], row["Remarks"], row["Logged in (seconds)"]) == ("", "still logged in", "7600")
    assert "still logged in" in alice.text("agents/1/day/")
    store(database, period("0:00", "0:30", from_ms=at("0:00") - 60_000))
    assert rows(alice)[0]["Remarks"] == "logged in since the day before, still logged in"
    assert ann.endswith("/agent/1/")


def test_others_see_no_days_and_an_agent_only_their_own(
    bob: Visitor, visitor: Visitor, ann: str, api: Caller, alice: Visitor
) -> None:
    assert alice.request("GET", "agents/1/day/").status_code == 200
    assert rows(bob) == []
    assert [bob.request("GET", f"agents/{one}/day/").status_code for one in (1, 9, "x")] == [404] * 3
    Caller(api.client, "admin").change(f"users/{GUS}/", manager="/rest-api/users/2/")
    visitor.cookies.clear()
    visitor.sign_in("gus")
    assert [visitor.request("GET", path).status_code for path in ("agents/1/day/", "agent-days/")] == [404, 403]
    api.change(ann, login=f"/rest-api/users/{GUS}/")
    assert "Talked 30:00 min 1:30 min of it on hold" in words(visitor.get("agents/1/day/"))
    assert "/console/agent-days/" not in visitor.page


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("agent-days/?each=week", "There are no such figures."),
        ("agent-days/?period=9", "There is no such period."),
        ("agent-days/?from=2026-11-18&until=2026-11-17", "The last day is before the first. Choose a later one."),
        ("agent-days/?from=2026-01-01&until=2026-11-17", "Ask for at most 92 days."),
        ("agent-days/?from=soon", "A day is written as 2026-11-18."),
        ("agents/1/day/?day=soon", "A day is written as 2026-11-18."),
    ],
)
def test_wrong_questions_are_told(alice: Visitor, ann: str, path: str, message: str) -> None:
    answer = alice.request("GET", path)
    assert (answer.status_code, message in words(answer.text)) == (400, True)
    assert ann.endswith("/agent/1/")


def test_too_much_for_one_answer_is_told(alice: Visitor, ann: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dialer.app.call_centre.agent_days.PERIODS_MAX", 2)
    for path in ("agent-days/", "agents/1/day/"):
        answer = alice.request("GET", path)
        assert answer.status_code == 400
        assert "There are too many rows. Ask for fewer days." in words(answer.text)
    assert ann.endswith("/agent/1/")


def test_a_table_too_long_for_a_page_is_offered_as_a_file(
    alice: Visitor, ann: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dialer.console.pages.agent_day_views.ROWS_MAX", 0)
    answer = alice.request("GET", "agent-days/")
    assert (answer.status_code, ann.endswith("/agent/1/")) == (400, True)
    assert "There are more than 0 rows. Ask for fewer days, or for a row an agent, or export them." in words(
        answer.text
    )
    (link,) = re.findall(r'href="/console/(agent-days/export/[^"]*format=csv)"', answer.text)
    assert alice.request("GET", link.replace("&amp;", "&")).status_code == 200
