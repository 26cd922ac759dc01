"""Tests of links to reports: opened without an account, only while they hold, and only that one report."""

import csv
import io
from typing import Final
from urllib.parse import urlsplit

import pytest
from sqlalchemy import select, update

from dialer.app.campaigns.report_links import LINKS_MAX, OPENED_A_MINUTE_MAX
from dialer.app.erasure.erasure import erase_number
from dialer.store.database.database import Database
from dialer.store.tables import AuditLog, ReportLink, User
from tests.api.harness import NOW_MS, Caller, FakeWorker
from tests.console.building import HOSTILE, campaign, store
from tests.console.test_summary import polled
from tests.console.visitor import Visitor, words

MINUTE_MS: Final = 60_000


def path_of(link: str) -> str:
    """Return the path of a link after `/console/`."""
    return urlsplit(link).path.removeprefix("/console/")


def shared(api: Caller, campaign_id: int, **fields: str) -> str:
    """Make a link to a report, and return its path."""
    made = api.create("report-link", name="Board", campaign=f"/rest-api/campaigns/{campaign_id}/", **fields)
    return path_of(made["link"])


def test_answers_are_opened_without_an_account(visitor: Visitor, api: Caller, database: Database) -> None:
    path = shared(api, polled(api, database), list_column="Ort")
    answer = visitor.request("GET", path)
    assert (answer.status_code, answer.headers["x-robots-tag"], answer.headers["referrer-policy"]) == (
        200,
        "noindex, nofollow",
        "no-referrer",
    )
    assert answer.headers["cache-control"] == "no-store"
    page = words(answer.text)
    assert "3 of 4 people answered." in page
    assert "2 of 3 answered: no." in page
    assert "By Ort: people, and their share of those in the same row who answered." in page
    assert "The link opens this until 02 Dec 2026, 11:06." in page
    assert "<script>alert" not in answer.text
    assert "+1202555" not in answer.text
    assert visitor.cookies == {}
    german = visitor.request("GET", path, headers={"Accept-Language": "de"})
    assert "2 von 3 haben geantwortet: no." in words(german.text)
    file = visitor.request("GET", f"{path}file/?format=csv").text.splitlines()
    assert file[0] == "Question,Ort,Answer,People,Share (%),Margin of error in points,Mean,Answers of the mean"
    assert any(line.endswith(",All,no,2,66.7,36.5,,") for line in file)
    assert visitor.request("GET", f"{path}file/?format=xlsx").content[:2] == b"PK"
    [link] = api.get("report-link/")["results"]
    assert (link["opened"], link["last_opened_date"], link["link"]) == (4, "2026-11-18T11:06:40Z", None)


def test_a_sheet_of_people_is_read_when_it_is_opened(visitor: Visitor, api: Caller, database: Database) -> None:
    path = shared(api, polled(api, database), report="people")
    page = visitor.text(path)
    assert "A row for each person of the campaign" in page
    assert "+1202555" not in page
    before = visitor.request("GET", f"{path}file/").text
    assert (before.count("+1202555010"), HOSTILE[:8] in before) == (4, True)
    erase_number(database, "+12025550103", lambda _: None, NOW_MS)
    after = visitor.request("GET", f"{path}file/").text
    assert "+12025550103" not in after


def test_a_link_opens_nothing_else_and_nothing_later(
    visitor: Visitor, api: Caller, database: Database, worker: FakeWorker
) -> None:
    campaign = polled(api, database)
    path = shared(api, campaign, expirationdate="2026-11-18T12:06:40Z")
    token = path.split("/")[1]
    for other in ("x", token[:-1], f"{token}x", "x" * 5_000, "%00"):
        for part in ("", "file/"):
            assert visitor.request("GET", f"shared/{other}/{part}").status_code == 404
    assert visitor.request("GET", f"campaigns/{campaign}/summary/").status_code == 303
    assert visitor.request("POST", path).status_code == 405
    worker.virtual.set(NOW_MS + 3_599_999)
    visitor.get(path)
    store(database, update(User).where(User.username == "alice").values(enabled=False))
    assert visitor.request("GET", path).status_code == 404
    store(database, update(User).where(User.username == "alice").values(enabled=True))
    worker.virtual.set(NOW_MS + 3_600_000)
    over = visitor.request("GET", path)
    assert (over.status_code, "It has expired, or it was taken back." in words(over.text)) == (404, True)
    api.change("report-link/1/", expirationdate="2026-11-20T12:00:00Z")
    visitor.get(path)
    assert api.request("DELETE", "report-link/1/").status_code == 204
    assert visitor.request("GET", path).status_code == 404


def test_a_link_ends_with_the_user_who_made_it(visitor: Visitor, api: Caller, database: Database) -> None:
    campaign = polled(api, database)
    of_admin, of_alice = shared(Caller(api.client, "admin"), campaign), shared(api, campaign)
    visitor.get(of_admin)
    store(database, update(User).where(User.username == "admin").values(enabled=False))
    assert visitor.request("GET", of_admin).status_code == 404
    visitor.get(of_alice)


def test_a_link_of_an_admin_to_the_report_of_another_account_ends_with_the_role(
    visitor: Visitor, api: Caller, database: Database
) -> None:
    campaign = polled(api, database)
    of_admin, of_alice = shared(Caller(api.client, "admin"), campaign), shared(api, campaign)
    visitor.get(of_admin)
    store(database, update(User).where(User.username == "admin").values(role="manager"))
    assert visitor.request("GET", of_admin).status_code == 404
    visitor.get(of_alice)


def test_a_link_is_opened_so_often_in_a_minute_and_counted(
    visitor: Visitor, api: Caller, database: Database, worker: FakeWorker
) -> None:
    path = shared(api, polled(api, database), report="people")
    for _ in range(OPENED_A_MINUTE_MAX):
        visitor.get(path)
    refused = visitor.request("GET", path)
    assert (refused.status_code, refused.headers["retry-after"]) == (429, "60")
    worker.virtual.set(NOW_MS + MINUTE_MS)
    visitor.get(path)
    assert api.get("report-link/1/")["opened"] == OPENED_A_MINUTE_MAX + 1


def test_a_link_to_people_has_what_its_hint_names(visitor: Visitor, api: Caller, database: Database) -> None:
    path = shared(api, polled(api, database), report="people")
    told = visitor.request("GET", f"{path}file/?format=csv").content.decode("utf-8-sig")
    head = next(csv.reader(io.StringIO(told)))
    assert head == ["Name", "Number", "State", HOSTILE, "Why? (seconds)", "How many stars?", "Ort"]


@pytest.mark.parametrize("none", [None, ""])
def test_a_link_cannot_lose_its_end(api: Caller, database: Database, none: str | None) -> None:
    shared(api, polled(api, database))
    answer = api.request("PATCH", "report-link/1/", json={"expirationdate": none})
    assert (answer.status_code, answer.json()) == (
        400,
        {"expirationdate": ["A link needs a day on which it ends."]},
    )


@pytest.mark.parametrize(("days", "is_right"), [(0, False), (90, True), (91, False)])
def test_a_link_holds_for_ninety_days_at_most(api: Caller, database: Database, days: int, *, is_right: bool) -> None:
    campaign = f"/rest-api/campaigns/{polled(api, database)}/"
    when = {0: "2026-11-18T11:06:40Z", 90: "2027-02-16T11:06:40Z", 91: "2027-02-17T11:06:40Z"}[days]
    answer = api.request("POST", "report-link/", json={"name": "x", "campaign": campaign, "expirationdate": when})
    assert (answer.status_code == 201) is is_right
    if not is_right:
        assert "A link holds for 90 days at most." in answer.json()["expirationdate"][0]


def test_links_belong_to_the_account_and_their_tokens_are_stored_nowhere(
    api: Caller, bob: Visitor, alice: Visitor, database: Database
) -> None:
    campaign = polled(api, database)
    path = shared(api, campaign)
    token = path.split("/")[1]
    assert Caller(api.client, "bob").get("report-link/")["count"] == 0
    refused = Caller(api.client, "bob").refused(
        "POST", "report-link/", name="x", campaign=f"/rest-api/campaigns/{campaign}/"
    )
    assert refused[0] == 400
    assert bob.request("GET", "records/report-link/1/").status_code == 404
    rows = database.read_now(lambda connection: connection.execute(select(AuditLog.after)).scalars().all())
    assert token not in "".join(rows)
    hashes = database.read_now(lambda connection: connection.execute(select(ReportLink.__table__)).one())
    assert token not in repr(hashes)
    assert "Links to reports" in alice.text(f"campaigns/{campaign}/")
    form = alice.get(f"records/report-link/new/?campaign={campaign}&report=answers&list_column=Ort&name=Board")
    assert 'value="Ort"' in form
    made = alice.send("records/report-link/", name="Board", campaign=str(campaign), report="answers")
    assert (made.status_code, "/console/shared/" in made.text) == (200, True)
    listed = alice.text(f"records/report-link/?campaign={campaign}")
    assert "Answers in words" in listed


def test_a_link_by_a_column_that_nobody_has_is_refused_with_the_columns_that_are_there(
    api: Caller, database: Database
) -> None:
    url = f"/rest-api/campaigns/{polled(api, database)}/"
    refused = api.refused("POST", "report-link/", name="x", campaign=url, list_column="ort")
    message = "The people of the campaign have no column ort. They have: Ort."
    assert refused == (400, {"list_column": [message]})


def test_a_link_to_people_without_columns_may_have_any_column(api: Caller) -> None:
    made = api.create("report-link", name="x", campaign=f"/rest-api/campaigns/{campaign(api)}/", list_column="Ort")
    assert made["list_column"] == "Ort"


def test_a_campaign_has_so_many_links(api: Caller, database: Database) -> None:
    campaign = polled(api, database)
    values = {"campaign_id": campaign, "name": "x", "expirationdate": NOW_MS, "created_date": 0, "updated_date": 0}
    store(
        database,
        *(ReportLink.__table__.insert().values(**values, token_hash=bytes([place])) for place in range(LINKS_MAX)),
    )
    refused = api.refused("POST", "report-link/", name="y", campaign=f"/rest-api/campaigns/{campaign}/")
    detail = "A campaign has at most 50 links to reports. Delete one first."
    assert refused == (409, {"detail": detail})
