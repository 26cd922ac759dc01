"""Tests of reports of which webhooks are told: one event, with a link that is not readable in the database."""

from typing import Any

import msgspec
import pytest
from sqlalchemy import func, select, text, update

from dialer.api.actions.webhook_sender import encoded_event
from dialer.app.campaigns.report_schedules import LEASE_MS, WAITS_MS, WEBHOOKS
from dialer.console.reports.kinds import NO_ADDRESS
from dialer.console.reports.sender import ReportSender
from dialer.console.reports.telling import NO_EVENTS
from dialer.mail.server import MailOutcome
from dialer.store.database.database import Database
from dialer.store.rows.account_events import CURRENCY_OF_EVENT
from dialer.store.tables import AccountEvent, ReportLink, User
from dialer.webhooks.event_data import EVENT_DATA
from tests.api.harness import Caller
from tests.console.building import store
from tests.console.reports.test_harm import TO_EIGHT_MS
from tests.console.reports.test_sender import ADA, Post, scheduled
from tests.loops import ProcessEnd

LINK = "https://dialer.example.com/console/shared/"


@pytest.fixture
def post(database: Database) -> Post:
    return Post(database)


def told(api: Caller, database: Database, **fields: Any) -> dict[str, Any]:  # noqa: ANN401 - of the API
    """Make a schedule of which webhooks are told, in an account that keeps its events."""
    api.request("PATCH", "events/", json={"enabled": True})
    return scheduled(api, database, **{"recipients": [], "tells_webhooks": True, **fields})


def events(database: Database) -> list[dict[str, Any]]:
    """Return the events of reports as webhooks get them."""
    query = (
        select(AccountEvent.__table__, CURRENCY_OF_EVENT)
        .where(AccountEvent.type == "report.ready")
        .order_by(AccountEvent.id)
    )
    rows = database.read_now(lambda connection: connection.execute(query).all())
    return [msgspec.json.decode(encoded_event(row, "https://dialer.example.com")) for row in rows]


def test_webhooks_get_one_event_with_a_link_that_the_database_does_not_tell(
    api: Caller, database: Database, post: Post
) -> None:
    made = told(api, database)
    assert post.look(TO_EIGHT_MS) == post.look(1_000) == []
    assert post.deliveries() == [(WEBHOOKS, "sent", 1, "")]
    (event,) = events(database)
    data = event["data"]
    msgspec.convert(data, EVENT_DATA["report.ready"])
    assert event["subject"] == f"report-schedule/{made['id']}"
    assert data.pop("url").startswith(LINK)
    assert data == {
        "campaign": 1,
        "schedule": made["id"],
        "name": "Board",
        "report": "answers",
        "starting_date": None,
        "ending_date": "2026-11-19T07:00:00Z",
        "url_expires": "2026-12-03T07:00:00Z",
        "links": dict.fromkeys(
            ("self", "schedule"), f"https://dialer.example.com/rest-api/report-schedule/{made['id']}/"
        ),
    }
    (row,) = [one for one in api.get("events/")["results"] if one["type"] == "report.ready"]
    assert row["data"].keys() == data.keys()
    kept = database.read_now(lambda c: c.execute(text("SELECT secret_url, data FROM account_event")).all())
    assert not any("shared" in str(value) for found in kept for value in found)
    assert api.get(made["url"])["state"] == "sends"


def test_the_link_opens_the_report_until_it_ends(api: Caller, database: Database, post: Post) -> None:
    told(api, database, report="people")
    post.look(TO_EIGHT_MS)
    (event,) = events(database)
    path = event["data"]["url"].removeprefix("https://dialer.example.com")
    assert api.client.get(path).status_code == 200
    store(database, update(ReportLink).values(expirationdate=1))
    assert api.client.get(path).status_code == 404


def test_a_report_about_agents_names_its_day_and_has_no_link(api: Caller, database: Database, post: Post) -> None:
    told(api, database, report="agent_hours", campaign=None)
    post.look(TO_EIGHT_MS)
    ((data),) = [event["data"] for event in events(database)]
    assert (data["starting_date"], data["ending_date"]) == ("2026-11-17T23:00:00Z", "2026-11-18T23:00:00Z")
    assert (data["url"], data["url_expires"], "campaign" in data) == (None, None, False)
    msgspec.convert(data, EVENT_DATA["report.ready"])


def test_a_process_that_ends_tells_it_once(
    api: Caller, database: Database, post: Post, monkeypatch: pytest.MonkeyPatch
) -> None:
    told(api, database, recipients=[ADA])

    def end(*_: object, **__: object) -> None:
        raise ProcessEnd

    monkeypatch.setattr(ReportSender, "_tell", end)
    with pytest.raises(BaseExceptionGroup):
        post.look(TO_EIGHT_MS)
    monkeypatch.undo()
    assert events(database) == []
    assert post.look(LEASE_MS) == []
    assert (len(events(database)), post.deliveries()[1][:2]) == (1, (WEBHOOKS, "sent"))
    assert post.look(LEASE_MS) == []
    assert len(events(database)) == 1


def test_a_disabled_account_tells_nothing(api: Caller, database: Database, post: Post) -> None:
    told(api, database)
    store(database, update(User).where(User.username == "alice").values(enabled=False))
    post.look(TO_EIGHT_MS)
    assert (events(database), post.deliveries()) == ([], [])


def test_webhooks_are_told_although_mails_fail(api: Caller, database: Database, post: Post) -> None:
    made = told(api, database, recipients=[ADA])
    post.answers = {ADA: MailOutcome("450 Busy")}
    post.look(TO_EIGHT_MS)
    assert len(events(database)) == 1
    assert api.get(made["url"])["problem"] == "450 Busy"
    api.change(made["url"], tells_webhooks=False)
    post.answers = {}
    assert len(post.look(WAITS_MS[0])) == 1
    assert len(events(database)) == 1


def test_a_schedule_says_why_nobody_was_told(api: Caller, database: Database) -> None:
    made = told(api, database)
    nowhere = Post(database, "")
    nowhere.look(TO_EIGHT_MS)
    assert api.get(made["url"])["problem"] == NO_ADDRESS
    api.request("PATCH", "events/", json={"enabled": False})
    nowhere.look(WAITS_MS[0])
    assert (api.get(made["url"])["problem"], nowhere.deliveries()[0][1]) == (NO_EVENTS, "failed")
    links = database.read_now(lambda connection: connection.scalar(select(func.count()).select_from(ReportLink)))
    assert (events(database), links) == ([], 0)


def test_a_schedule_has_a_receiver(api: Caller, database: Database) -> None:
    made = told(api, database)
    refused = {"recipients": ["Give at least one address of mail, or tell webhooks."]}
    assert api.refused("PATCH", made["url"], tells_webhooks=False) == (400, refused)
    people = {"report": "people", "sent_as": "words"}
    api.change(made["url"], **people)  # Only mails have a form.
    assert api.refused("PATCH", made["url"], recipients=[ADA])[0] == 400
