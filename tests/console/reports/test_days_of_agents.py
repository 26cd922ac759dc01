"""Tests of the days of agents by mail: each morning those of the day before, of all agents of the account."""

import re
from html import unescape
from typing import Any, Final

import pytest
from sqlalchemy import update

from dialer.domain.words.enums import AgentStatus
from dialer.store.database.database import Database
from dialer.store.tables import Agent, User
from tests.api.harness import Caller
from tests.console.building import store
from tests.console.reports.test_harm import TO_EIGHT_MS
from tests.console.reports.test_sender import ADA, DAY_MS, Post, parts_of
from tests.console.reports.test_telling import events
from tests.console.test_agent_days import ann
from tests.console.visitor import Visitor, words

__all__ = ["ann"]
ABOUT: Final = "Log-ins and times of 18 Nov 2026."
HEADS: Final = "Agent | Day | First log-in | Last log-out | Logged in | On a break | Break: Lunch | Available"
ROW: Final = "Ann | 2026-11-18 | 09:00:00 | 11:00:00 | 2:00 h | 20:00 min | 20:00 min | 53:00 min"
SUMS: Final = "All |  |  |  | 2:00 h | 20:00 min | 20:00 min | 53:00 min"


@pytest.fixture
def post(database: Database) -> Post:
    return Post(database)


def days(api: Caller, **fields: Any) -> dict[str, Any]:  # noqa: ANN401 - of the API
    """Schedule the days of agents, at eight in Berlin."""
    usual = {"name": "Floor", "report": "agent_days", "recipients": [ADA], "time_zone": "Europe/Berlin"}
    return dict(api.create("report-schedule", **{**usual, **fields}))


def test_the_day_before_is_sent_in_the_morning(api: Caller, database: Database, post: Post, ann: str) -> None:
    api.change(ann, name="Ann")
    made = days(api)
    assert (made["campaign"], made["next_due"]) == (None, "2026-11-19T07:00:00Z")
    assert post.look() == []
    (mail,) = post.look(TO_EIGHT_MS)
    assert mail["Subject"] == "alice: Days of agents, 18 Nov 2026"
    parts = parts_of(mail)
    lines = parts["text/plain"].splitlines()
    assert ABOUT in lines
    begun = [line for line in lines if line.startswith((HEADS, ROW, SUMS))]
    assert [line.count(" | ") for line in begun] == [lines[lines.index(begun[0])].count(" | ")] * 3
    assert begun[1].endswith(" | 44.0 % | 1 | 1 | by the agent")
    assert "Ann 2026-11-18 09:00:00 11:00:00 2:00 h 20:00 min 20:00 min 53:00 min" in words(parts["text/html"])
    assert post.look(1_000) == []
    store(database, update(User).where(User.username == "alice").values(language="de"))
    (german,) = post.look(DAY_MS)
    assert german["Subject"] == "alice: Tage der Agenten, 19. Nov. 2026"
    assert "Es gibt nichts zu berichten." in parts_of(german)["text/plain"]
    assert ann.endswith("/agent/1/")


def test_who_stayed_past_midnight_is_there_until_midnight(
    api: Caller, database: Database, post: Post, ann: str
) -> None:
    api.change(ann, name="Ann")
    days(api, sent_as="csv")
    store(database, update(Agent).values(status=AgentStatus.AVAILABLE))
    (mail,) = post.look(TO_EIGHT_MS + 5 * 3_600_000)
    (file,) = mail.iter_attachments()
    assert file.get_filename() == "agent_days-alice.csv"
    head, row, sums = file.get_content().splitlines()
    assert head.startswith("Agent,Day,First log-in,Last log-out,Logged in (seconds),On a break (seconds)")
    assert row.startswith("Ann,2026-11-18,09:00:00,,54000,1200")
    assert (row.endswith(",still logged in"), sums.startswith("All,,,,54000,1200")) == (True, True)
    assert ann.endswith("/agent/1/")


def test_agents_of_others_are_not_in_it(api: Caller, post: Post, ann: str) -> None:
    days(Caller(api.client, "bob"))
    (mail,) = post.look(TO_EIGHT_MS)
    assert mail["Subject"] == "bob: Days of agents, 18 Nov 2026"
    assert "There is nothing to report." in parts_of(mail)["text/plain"]
    assert "Ann" not in parts_of(mail)["text/html"]
    assert ann.endswith("/agent/1/")


def test_webhooks_hear_of_it(api: Caller, database: Database, post: Post, ann: str) -> None:
    api.request("PATCH", "events/", json={"enabled": True})
    days(api, recipients=[], tells_webhooks=True)
    assert post.look(TO_EIGHT_MS) == []
    ((data),) = [event["data"] for event in events(database)]
    assert (data["report"], data["url"], "campaign" in data) == ("agent_days", None, False)
    assert (data["starting_date"], data["ending_date"]) == ("2026-11-17T23:00:00Z", "2026-11-18T23:00:00Z")
    asked = api.get("agent-days/?first_day=2026-11-18&last_day=2026-11-18&timezone=Europe/Berlin")
    assert [one["logged_in_seconds"] for one in asked["results"]] == [7_200]
    assert ann.endswith("/agent/1/")


def test_too_many_periods_are_told(api: Caller, post: Post, ann: str, monkeypatch: pytest.MonkeyPatch) -> None:
    made = days(api)
    monkeypatch.setattr("dialer.app.call_centre.agent_days.PERIODS_MAX", 2)
    assert post.look(TO_EIGHT_MS) == []
    assert api.get(made["url"])["problem"] == "The report is too large for a mail."
    assert ann.endswith("/agent/1/")


def test_a_name_is_text_in_the_mail(api: Caller, post: Post, ann: str) -> None:
    days(api)
    (mail,) = post.look(TO_EIGHT_MS)
    page = parts_of(mail)["text/html"]
    assert ("<script>alert" in page, "&lt;script&gt;alert" in page) == (False, True)
    assert ann.endswith("/agent/1/")


@pytest.mark.parametrize(
    ("fields", "error"),
    [
        ({"sent_when": "end"}, {"sent_when": ["Days of agents are sent on days of the week."]}),
        ({"sent_as": "link"}, {"sent_as": ["A link cannot open this report. Send it in the mail, or as a file."]}),
        ({"sent_as": "pdf"}, {"sent_as": ["Only answers in words are a PDF. Send a CSV or Excel file."]}),
        (
            {"campaign": "/rest-api/campaigns/1/"},
            {"campaign": ["Days of agents are about the whole account. Choose no campaign."]},
        ),
    ],
)
def test_what_cannot_be_is_refused(api: Caller, ann: str, fields: dict[str, Any], error: dict[str, Any]) -> None:
    made = days(api)
    assert api.refused("PATCH", made["url"], **fields) == (400, error)
    assert ann.endswith("/agent/1/")


def test_the_page_of_the_table_leads_to_its_mail(alice: Visitor, ann: str) -> None:
    (path,) = re.findall(r'href="/console/(records/report-schedule/new/[^"]*)"', alice.get("agent-days/"))
    assert 'href="/console/records/report-schedule/"' in alice.page
    form = alice.get(unescape(path))
    chosen = [f'<option value="{one}" selected>' in form for one in ("agent_days", "daily", "1")]
    assert (chosen, 'value="Days of agents"' in form) == ([True, True, False], True)
    assert ann.endswith("/agent/1/")
