"""Tests of the first page of an account without work: the way to a first campaign, and no zeros."""

import re

from litestar import Litestar
from litestar.testing import TestClient
from sqlalchemy import insert, update

from dialer.domain.calls.plans import SIP
from dialer.domain.figures.statistics import HOUR_MS, Grouping
from dialer.store.database.database import Database
from dialer.store.tables import AuditLog, Gateway, ServiceState, UserHour
from tests.api.harness import NOW_MS, Caller
from tests.console.building import campaign, store
from tests.console.visitor import Visitor, words

STEP = re.compile(r"<li><span class=\"badge[^>]*>(.*?)</span></span>\s*<div><b>(.*?)</b>.*?</div>(.*?)</li>", re.DOTALL)


def steps_on(page: str) -> list[tuple[str, bool, str]]:
    """Return the steps of the checklist: their titles, whether they are done, and the pages that they lead to."""
    links = ((title, "Done" in mark, re.search(r'href="([^"]+)"', rest)) for mark, title, rest in STEP.findall(page))
    return [(title, done, "" if link is None else link[1].removeprefix("/console/")) for title, done, link in links]


def test_a_new_account_sees_the_way_to_a_first_campaign_and_no_zeros(alice: Visitor, admin: Visitor) -> None:
    page = alice.get("overview/")
    assert steps_on(page) == [
        ("A carrier", False, ""),
        ("A list of people", False, "new-campaign/"),
        ("A survey", False, "surveys/new/"),
        ("A voice", False, "recordings/new/"),
        ("A test call", False, ""),
        ("The start", False, "new-campaign/"),
    ]
    shown = words(page)
    assert "Your first campaign 0 of 6 done" in shown
    assert "Only an admin can add one: ask yours." in shown
    assert "Figures come here with the first call." in shown
    for absent in ("Calls now", "Calls a minute", "Stop everything", "There is no carrier", "There are no agents"):
        assert absent not in shown
    assert steps_on(admin.get("overview/"))[0] == ("A carrier", False, "records/gateway/new/")
    assert "Install espeak-ng on the server" in admin.text("overview/")


def test_each_step_says_that_it_is_done_and_the_list_goes_with_the_first_call(
    alice: Visitor, admin: Visitor, bob: Visitor, api: Caller, database: Database
) -> None:
    identity = campaign(api, started="no")
    store(database, insert(ServiceState).values(id=1, now_ms=NOW_MS, speech_down=""))
    assert steps_on(alice.get("overview/")) == [
        ("A carrier", True, "records/gateway/"),
        ("A list of people", True, "records/phonebook/"),
        ("A survey", True, "surveys/1/"),
        ("A test call", False, f"campaigns/{identity}/test/"),
        ("The start", False, f"campaigns/{identity}/"),
    ]
    assert ("A test call", False, f"campaigns/{identity}/test/") in steps_on(admin.get("overview/"))
    assert "It is simulated: it calls nobody" in alice.text("overview/")
    assert steps_on(bob.get("overview/"))[:2] == [
        ("A carrier", True, "records/gateway/"),
        ("A list of people", False, "new-campaign/"),
    ]
    called = {"created_date": NOW_MS, "via": "console", "action": "trial_call_placed", "user_id": 1}
    api.change(f"campaigns/{identity}/", status="1")
    store(
        database,
        update(Gateway).values(protocol=SIP),
        insert(AuditLog).values(before="{}", after="{}", **called),
        update(ServiceState).values(speech_down="espeak-ng is not installed"),
    )
    assert ("A test call", True, f"campaigns/{identity}/test/") in steps_on(admin.get("overview/"))
    shown = alice.text("overview/")
    assert "It is out of order: espeak-ng is not installed." in shown
    assert "A campaign is started." in shown
    assert "Calls now" in shown
    assert "Stop everything" in shown
    store(database, insert(UserHour).values(user_id=2, hour=NOW_MS // 3_600_000, grouping=0, member="", calls=1))
    assert [steps_on(one.get("overview/")) for one in (alice, admin)] == [[], []]
    assert "Show the way to a first campaign" not in alice.text("overview/")
    assert "1 of 6 done" in bob.text("overview/")


def test_a_carrier_of_texts_is_no_carrier_of_calls(admin: Visitor, client: TestClient[Litestar]) -> None:
    Caller(client, "admin").create("sms-gateway", name="Texts", protocol="sim")
    first = steps_on(admin.get("overview/"))[0]
    assert first == ("A carrier", False, "records/gateway/new/")


def test_the_list_can_be_put_away_and_found_again(alice: Visitor, bob: Visitor, visitor: Visitor) -> None:
    alice.get("overview/")
    assert alice.send("overview/first-steps/", away="1").headers["location"] == "/console/overview/"
    assert "Your first campaign" not in alice.text("overview/")
    bob.cookies = {**alice.cookies, **bob.cookies}
    assert "Your first campaign" in bob.text("overview/")
    assert "Show the way to a first campaign" in words(alice.page)
    alice.send("overview/first-steps/")
    assert "Your first campaign" in alice.text("overview/")
    visitor.sign_in("vera")
    text = visitor.text("overview/")
    assert ("Your first campaign" in text, "Figures come here" in text) == (False, True)


def test_administration_is_for_admins_and_others_find_their_lists_at_their_account(
    alice: Visitor, admin: Visitor
) -> None:
    assert [">Administration<" in one.get("overview/") for one in (alice, admin)] == [False, True]
    assert "Lists of your account: API keys , Webhooks , Audit log , Users" in alice.text("account/")
    assert "Lists of your account" not in admin.text("account/")
    current = re.findall(r'href="([^"]+)" aria-current="page"', alice.get("records/audit-log/"))
    assert current == ["/console/account/", "/console/records/audit-log/"]


def test_a_test_is_no_call_of_a_campaign_and_makes_no_old_account_new(alice: Visitor, database: Database) -> None:
    """The campaigns and their tests are deleted. The counters know of both."""
    counted = {"user_id": 2, "hour": NOW_MS // HOUR_MS, "member": "", "calls": 1}
    store(database, insert(UserHour).values(grouping=int(Grouping.TESTS), **counted))
    assert "Your first campaign" in alice.text("overview/")
    store(database, insert(UserHour).values(grouping=int(Grouping.TOTAL), **counted))
    assert "Your first campaign" not in alice.text("overview/")
