"""Tests of campaigns cost money, and are no result: the figures of an account leave them out and say what they cost."""

import pytest
from litestar import Litestar
from litestar.testing import TestClient

from dialer.store.queries.queue_loads import quarters_of_queue
from dialer.store.reconciliation.reconcile import audit
from tests.api.harness import Caller
from tests.console.visitor import Visitor
from tests.end_to_end.service import START_MS, advance
from tests.end_to_end.test_campaign_trials import OWN, campaign
from tests.end_to_end.test_messages import campaign as text_campaign

DAY_MS = 86_400_000
NOTHING = {"calls": 0, "answered": 0, "live_answered": 0, "completed": 0, "messages": 0, "cost": "0.00000"}


@pytest.fixture
def visitor(client: TestClient[Litestar]) -> Visitor:
    """Return a manager on the pages of the console."""
    visitor = Visitor(client)
    visitor.sign_in("ann")
    return visitor


def differences(client: TestClient[Litestar]) -> list[str]:
    """Return what the audit of the service's database finds."""
    database = client.app.state.service.database
    return [*map(str, database.read_now(audit).differences)]


def test_figures_of_an_account_leave_tests_out_and_its_money_has_them(
    ann: Caller, admin: Caller, visitor: Visitor, client: TestClient[Litestar]
) -> None:
    made = campaign(ann, admin)
    texts = text_campaign(ann, admin, "+12025551005")
    for path in (f"{made['url']}test-call/", f"{texts['url']}test-text/"):
        assert ann.request("POST", path, json={"number": OWN}).status_code == 201
        advance(admin, 300)
    (cdr,) = ann.get("cdr/")["results"]
    cost = f"{float(cdr['call_cost']) + 0.05:.5f}"
    found = ann.get("statistics/", interval="day", group_by="gateway")
    assert {name: found["totals"][name] for name in NOTHING} == NOTHING
    assert (found["outcomes"], found["rows"], found["results"]) == ([], [], [])
    assert found["tests"] == {"calls": 1, "messages": 1, "cost": cost}
    assert ann.get(f"{made['url']}statistics/")["tests"] is None
    shown = cost.rstrip("0")
    assert f"Spent {shown} in the last 24 hours; of it tests: {shown}" in visitor.text("money/")
    assert f"not in these figures: 1 call, 1 text, {shown}." in visitor.text("figures/")
    ann.change(made["url"], status=1)
    advance(admin, 600)
    found = ann.get("statistics/")
    own = ann.get(f"{made['url']}statistics/")
    assert found["totals"] == own["totals"] != {**found["totals"], **NOTHING}
    assert found["tests"] == {"calls": 1, "messages": 1, "cost": cost}
    spent = f"{float(cost) + float(own['totals']['cost']):.5f}".rstrip("0")
    told = visitor.text("overview/")
    assert f"Spent today {spent}" in told
    assert f"of it tests: {shown}" in told
    assert differences(client) == []


def test_a_cdr_stays_one_of_a_test_when_the_test_is_deleted(
    ann: Caller, admin: Caller, client: TestClient[Litestar]
) -> None:
    made = campaign(ann, admin)
    ann.request("POST", f"{made['url']}test-call/", json={"number": OWN})
    advance(admin, 300)
    tests = ann.get("cdr/", is_test="true")["results"]
    assert [(one["is_test"], one["tested_campaign_id"]) for one in tests] == [(True, made["id"])]
    assert ann.request("DELETE", made["url"]).status_code == 200
    (gone,) = ann.get("cdr/", is_test="true")["results"]
    assert gone == {**tests[0], "campaign": None, "callrequest": None, "tested_campaign_id": None}
    assert ann.get("cdr/", is_test="false")["results"] == []
    assert ann.get("statistics/")["tests"]["calls"] == 1
    assert differences(client) == []


def test_a_test_that_waits_for_an_agent_is_no_caller_of_the_queue(
    ann: Caller, admin: Caller, client: TestClient[Litestar]
) -> None:
    gateway = admin.create("gateway", name="trunk", protocol="sim")
    survey = ann.create("survey-template", name="desk")
    queue = ann.create("queue", name="sales", max_wait_time=20)
    ann.create("section-template", survey=survey["url"], type=6, question="Our desk", queue=queue["url"])
    book = ann.create("phonebook", name="friends")
    ann.create("contact", phonebook=book["url"], contact="+12025551000")
    made = ann.create(
        "campaigns",
        name="desk",
        callerid="+12025550199",
        aleg_gateway=gateway["url"],
        object_id=str(survey["id"]),
        phonebook=[book["url"]],
    )
    assert ann.request("POST", f"{made['url']}test-call/", json={"number": OWN}).status_code == 201
    advance(admin, 300)
    assert [one["queue"] for one in ann.get("transfer/")["results"]] == [queue["url"]]
    assert ann.get(f"queue/{queue['id']}/statistics/")["totals"]["calls"] == 0
    assert differences(client) == []
    database = client.app.state.service.database
    joined = (queue["id"], START_MS, START_MS + DAY_MS, 100)
    assert database.read_now(lambda connection: quarters_of_queue(connection, *joined)) == []
    ann.change(made["url"], status=1)
    advance(admin, 300)
    loads = database.read_now(lambda connection: quarters_of_queue(connection, *joined))
    assert [one.calls for one in loads] == [ann.get(f"queue/{queue['id']}/statistics/")["totals"]["calls"]] == [1]
