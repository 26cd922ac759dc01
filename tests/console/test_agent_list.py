"""Tests of many agents at once: a pasted list, and the ticks on the page of a queue."""

import re

import pytest
from sqlalchemy import insert

from dialer.store.database.database import Database
from dialer.store.tables import Agent
from tests.api.harness import NOW_MS, Caller
from tests.console.building import store
from tests.console.visitor import Visitor, words

LIST = "Ann Lee, ann.lee, 101\r\n\r\nBen Ray; ben; +12025550151; Support\r\nCleo"


@pytest.fixture
def queues(api: Caller) -> list[str]:
    """Return the addresses of two queues."""
    return [api.create("queue", name=name)["url"] for name in ("Sales", "Support")]


def paste(visitor: Visitor, text: str, **fields: str) -> tuple[int, str]:
    """Send a list with the first queue ticked, and return the status and the words of the page."""
    answer = visitor.send("agent-list/", list=text, **{"queue.1": "1"}, **fields)
    return answer.status_code, words(answer.text)


def test_a_pasted_list_makes_agents_with_sign_in_telephone_and_queue(
    alice: Visitor, visitor: Visitor, api: Caller, queues: list[str]
) -> None:
    assert 'href="/console/agent-list/">Several agents</a>' in alice.get("records/agent/")
    alice.get("agent-list/")
    status, looked = paste(alice, LIST)
    assert (status, "1 Ann Lee ann.lee 101" in looked, "Make 3 agents" in looked) == (200, True, True)
    assert api.get("agent/")["results"] == []
    answer = alice.send(
        "agent-list/", list=LIST, confirmed=LIST, skills="Spanish, Loans", wrap_up_time="20", **{"queue.1": "1"}
    )
    made = words(answer.text)
    assert "3 agents are made. Note the passwords: they are not shown again." in made
    passwords = re.findall(r"<code>([^<]+)</code>", answer.text)
    assert [len(password) for password in passwords] == [12, 12]
    agents = {one["name"]: one for one in api.get("agent/")["results"]}
    assert {name: (one["contact"], one["skills"], one["wrap_up_time"]) for name, one in agents.items()} == {
        "Ann Lee": ("101", "Spanish, Loans", 20),
        "Ben Ray": ("+12025550151", "Spanish, Loans", 20),
        "Cleo": ("", "Spanish, Loans", 20),
    }
    assert words(alice.get("records/queue/1/")).count("Spanish, Loans") == 3
    places = {(one["agent"], one["queue"]) for one in api.get("tier/")["results"]}
    of = [agents[name]["url"] for name in ("Ann Lee", "Ben Ray", "Cleo")]
    assert places == {(of[0], queues[0]), (of[1], queues[1]), (of[2], queues[0])}
    visitor.sign_in("ann.lee", passwords[0])
    assert "Ann Lee" in visitor.text("desk/")


@pytest.mark.usefixtures("queues")
@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("Ann, ann\nBen, ann", "User name: There is a user ann already. Choose another name."),
        ("Ann, an n", "User name: Enter 1 to"),
        ("Ben\n\nAnn, ann\nBEN", "Name: Line 2 has the same name. Give each agent a name of their own."),
        ("Ann, , 911", "Telephone:"),
        (", ann", "Name:"),
        ("Ann, , , Nowhere", "There is no queue called 'Nowhere'."),
        ("Ann, , , Twice", "Several queues are called 'Twice'. Leave the cell empty, and tick one."),
        ("Ann, alice", "User name: There is a user alice already."),
    ],
)
def test_one_wrong_line_makes_nobody(alice: Visitor, api: Caller, text: str, problem: str) -> None:
    for _ in range(2):
        api.create("queue", name="Twice")
    alice.get("agent-list/")
    for fields in ({}, {"confirmed": f"Zoe\n{text}"}):
        status, shown = paste(alice, f"Zoe\n{text}", **fields)
        assert (status, problem in shown, "1 line is wrong." in shown) == (400, True, True), shown
    assert (api.get("agent/")["results"], api.get("tier/")["results"]) == ([], [])
    assert Caller(api.client, "admin").get("users/?username=ann")["results"] == []


@pytest.mark.usefixtures("queues")
def test_a_wrong_time_after_a_call_makes_nobody(alice: Visitor, api: Caller) -> None:
    alice.get("agent-list/")
    status, shown = paste(alice, "Ann", confirmed="Ann", wrap_up_time="-1")
    assert (status, "Time after a call:" in shown) == (400, True)
    assert api.get("agent/")["results"] == []


@pytest.mark.usefixtures("queues")
def test_all_that_is_wrong_with_a_line_is_said_at_once(alice: Visitor) -> None:
    alice.get("agent-list/")
    status, shown = paste(alice, "Ann\nANN, alice, 911, Nowhere")
    wrong = (
        "There is no queue called 'Nowhere'.",
        "User name: There is a user alice already. Choose another name.",
        "Telephone: '911' is an emergency number. Enter a number that may be called.",
        "Name: Line 1 has the same name. Give each agent a name of their own.",
    )
    assert (status, [one for one in wrong if one not in shown]) == (400, [])


@pytest.mark.parametrize("header", ["Name;User name;Telephone;Queue\n", "name, user name\n", ""])
@pytest.mark.parametrize("line", ['"Lee, Ann",ann,101,"Sales, EMEA"', '"Lee, Ann"; ann; 101; Sales, EMEA'])
def test_a_list_from_a_spreadsheet_may_have_a_header_and_quotes(
    alice: Visitor, api: Caller, header: str, line: str
) -> None:
    queue = api.create("queue", name="Sales, EMEA")
    for number in range(200):
        api.create("queue", name=f"Queue {number}")
    alice.get("agent-list/")
    text = f"{header}{line}"
    assert alice.send("agent-list/", list=text, confirmed=text).status_code == 200
    assert [(one["name"], one["contact"]) for one in api.get("agent/")["results"]] == [("Lee, Ann", "101")]
    assert [one["queue"] for one in api.get("tier/")["results"]] == [queue["url"]]


def test_a_list_has_bounds_and_is_not_for_agents_and_viewers(alice: Visitor, visitor: Visitor) -> None:
    alice.get("agent-list/")
    assert paste(alice, " \n ") == (400, paste(alice, "\n")[1])
    assert "Name:" in paste(alice, "x" * 140_000)[1]
    assert "The list has 101 lines. Paste at most 100." in paste(alice, "Ann\n" * 101)[1]
    visitor.sign_in("vera")
    assert visitor.request("GET", "agent-list/").status_code == 403


def test_ticks_place_agents_in_a_queue_and_keep_levels(alice: Visitor, api: Caller, queues: list[str]) -> None:
    ann, ben, cleo = (api.create("agent", name=name) for name in ("Ann", "Ben", "Cleo"))
    kept = api.create("tier", agent=ann["url"], queue=queues[0], level=3)
    api.create("tier", agent=ben["url"], queue=queues[0])
    page = alice.get("records/queue/1/")
    assert re.findall(r'name="agent\.(\d+)" type="checkbox" value="1" checked', page) == ["1", "2"]
    shown = {f"shown.{one['id']}": "1" for one in (ann, ben, cleo)}
    answer = alice.send("queues/1/agents/", **shown, **{"agent.1": "1", "agent.3": "1"})
    assert (answer.status_code, answer.headers["location"].endswith("?saved=1")) == (303, True)
    found = {(one["agent"], one["queue"], one["level"]) for one in api.get("tier/")["results"]}
    assert found == {(ann["url"], queues[0], 3), (cleo["url"], queues[0], 1)}
    assert api.get(kept["url"])["level"] == 3
    api.create("tier", agent=ben["url"], queue=queues[0])  # Meanwhile, by somebody else: the page has not shown Ben.
    alice.send("queues/1/agents/", **{"shown.1": "1", "shown.3": "1", "agent.3": "1"})
    assert {one["agent"] for one in api.get("tier/")["results"]} == {ben["url"], cleo["url"]}


@pytest.mark.usefixtures("queues")
def test_nobody_ticks_agents_of_others(alice: Visitor, visitor: Visitor, api: Caller) -> None:
    ann = api.create("agent", name="Ann")
    stranger = Caller(api.client, "bob").create("agent", name="Bob's")
    alice.get("records/queue/1/")
    refused = alice.send("queues/1/agents/", **{f"agent.{stranger['id']}": "1", f"agent.{ann['id']}": "1"})
    assert refused.status_code == 400
    assert api.get("tier/")["results"] == []
    visitor.sign_in("bob")
    visitor.get("account/")
    assert visitor.send("queues/1/agents/", **{f"agent.{stranger['id']}": "1"}).status_code == 404


def test_the_ticks_are_the_agents_of_the_account_of_the_queue(
    alice: Visitor, admin: Visitor, api: Caller, database: Database, queues: list[str]
) -> None:
    Caller(api.client, "bob").create("agent", name="Bob's")
    api.create("agent", name="Ann")
    for visitor in (alice, admin):
        assert re.findall(r'name="agent\.(\d+)"', visitor.get("records/queue/1/")) == ["2"]
    dates = {"created_date": NOW_MS, "updated_date": NOW_MS, "figures": "", "preview": "", "preview_order": ""}
    store(database, *(insert(Agent).values(user_id=2, name=f"Agent {number}", **dates) for number in range(200)))
    assert (len(queues), re.findall(r'name="agent\.', alice.get("records/queue/1/"))) == (2, [])
    assert 'by <a href="/console/records/tier/?queue=1">assignments</a>' in alice.page
