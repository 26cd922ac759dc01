"""Tests of the page of an agent: the present, the figures of today, the last calls, and who may give orders."""

import re

import pytest
from sqlalchemy import insert, update

from dialer.domain.words.enums import AgentActivity, CallRequestStatus, Cause, LegType, TransferStatus
from dialer.store.database.database import Database
from dialer.store.tables import Agent, AgentHour, CallDisposition, CallRequest, Cdr, Transfer
from tests.api.harness import NOW_MS, Caller
from tests.console.building import campaign, store
from tests.console.test_wall_board import call
from tests.console.visitor import Visitor, words

MINUTE_MS = 60_000
GUS = 5


@pytest.fixture
def ann(api: Caller, database: Database) -> str:
    """Return the URL of an agent of Alice's who talks, after a call that is over."""
    campaign(api, name="Departures")
    queue = api.create("queue", name="Sales", max_break_time=900)["url"]
    agent: str = api.create("agent", name="Ann", status=2)["url"]
    api.create("tier", queue=queue, agent=agent)
    hour = {"agent_id": 1, "hour": NOW_MS // 3_600_000}
    spent = [
        {"activity": AgentActivity.TALKING, "reason": "", "spent_ms": 10 * MINUTE_MS, "begun": 2, "missed": 0},
        {"activity": AgentActivity.WRAPPING_UP, "reason": "", "spent_ms": 2 * MINUTE_MS, "begun": 1, "missed": 0},
        {"activity": AgentActivity.AVAILABLE, "reason": "", "spent_ms": MINUTE_MS, "begun": 1, "missed": 3},
        {"activity": AgentActivity.ON_BREAK, "reason": "Lunch", "spent_ms": 5 * MINUTE_MS, "begun": 1, "missed": 0},
    ]
    began_ms, talk_ms = NOW_MS - 4 * MINUTE_MS, NOW_MS - 65_000
    over = {"status": TransferStatus.OVER, "agent_id": 1, "joined_ms": began_ms, "answered_ms": began_ms}
    cdr = {"user_id": 2, "callid": "1", "callrequest_id": 1, "campaign_id": 1, "gateway_id": 1, "subscriber_id": 1}
    cdr |= {"callerid": "", "phone_number": "+12025550001", "starting_date": began_ms, "attempt": 1, "billsec": 90}
    cdr |= {"hangup_cause_q850": Cause.NORMAL_CLEARING, "leg_type": LegType.A_LEG, "duration": 90, "call_cost": 0}
    cdr |= {"billed_duration": 90, "amd_status": 0, "first_increment": 1, "next_increment": 1}
    said = {"callrequest_id": 1, "user_id": 2, "disposition": "success", "word": "Sold", "created_date": NOW_MS}
    said["updated_date"] = NOW_MS
    store(
        database,
        *(insert(AgentHour).values(**hour, **one) for one in spent),
        *call(1, **over, ended_ms=began_ms + 90_000, on_hold_ms=20_000),
        update(CallRequest).where(CallRequest.id == 1).values(status=CallRequestStatus.SUCCESS),
        insert(Cdr).values(id=41, **cdr),
        insert(CallDisposition).values(**said),
        *call(2, status=TransferStatus.CONNECTED, agent_id=1, joined_ms=talk_ms, answered_ms=talk_ms),
        update(Transfer).where(Transfer.callrequest_id == 2).values(on_hold_from_ms=NOW_MS - 10_000),
        update(Agent).values(is_talking=True, counted_ms=talk_ms),
    )
    return agent


def test_it_shows_the_call_now_the_figures_of_today_and_the_last_calls(alice: Visitor, ann: str, api: Caller) -> None:
    """A talk, a hold and a break that go on count until now."""
    text = alice.text("agents/1/")
    assert "Ann Talking for 1:05 min, since 11:05" in text
    assert "The call now +12025550002 Departures · Sales" in text
    assert "Calls today 2 3 missed Talked 11:05 min 30 s of it on hold Wrap-up 2:00 min" in text
    assert "Breaks 5:00 min at most 15:00 min at once" in text
    assert "+12025550001 11:02 1:30 min Departures Sales Sold" in text
    assert alice.text("agents/1/live/") in text
    assert "The agent has taken no call yet." in alice.text(f"agents/{api.create('agent', name='Ben')['id']}/")
    assert ann.endswith("/agent/1/")


def test_its_links_lead_to_a_call_that_is_over_and_to_the_number_of_one_that_goes_on(
    alice: Visitor, bob: Visitor, ann: str
) -> None:
    links = re.findall(r'href="(/console/callrequests/\d+/)"', alice.get("agents/1/"))
    assert links == ["/console/callrequests/2/", "/console/callrequests/1/"]
    led = [alice.request("GET", link.removeprefix("/console/")).headers["location"] for link in links]
    assert led == ["/console/number/?number=%2B12025550002", "/console/calls/41/"]
    assert "+12025550001" in alice.text("calls/41/")
    bob.get("account/")
    refused = ("agents/1/", "agents/1/live/", "callrequests/1/", "callrequests/9/", "agents/x/")
    assert [bob.request("GET", path).status_code for path in refused] == [404] * 5
    assert bob.send("agents/1/status/", status="out").status_code == 404
    assert ann.endswith("/agent/1/")


def test_viewers_give_no_orders_and_agents_only_to_themselves(
    alice: Visitor, visitor: Visitor, ann: str, api: Caller
) -> None:
    assert "Log Ann out? The call goes on, and no further one comes." in alice.text("agents/1/")
    visitor.sign_in("vera")
    text = visitor.text("agents/1/")
    assert ("Ann Talking" in text, "Log out" in text) == (True, False)
    assert visitor.send("agents/1/status/", status="out").status_code == 403
    Caller(api.client, "admin").change(f"users/{GUS}/", manager="/rest-api/users/2/")
    visitor.cookies.clear()
    visitor.sign_in("gus")
    assert visitor.request("GET", "agents/1/").status_code == 404
    api.change(ann, login=f"/rest-api/users/{GUS}/")
    page = visitor.get("agents/1/")
    assert "The call now +12025550002 Departures · Sales" in words(page)
    assert ("/console/campaigns/" in page, "/console/callrequests/2/" in page) == (False, False)
    assert visitor.send("agents/1/status/", status="out").status_code == 303
    assert (api.get(ann)["status"], "End the break" in visitor.get("agents/1/")) == (1, False)
    assert visitor.request("GET", "callrequests/2/").status_code == 404


def test_the_list_of_agents_shows_what_they_do_now(alice: Visitor, ann: str, api: Caller, database: Database) -> None:
    assert re.search(r"Ann Talking", alice.text("records/agent/"))
    assert 'href="/console/agents/1/"' in alice.page
    api.change(ann, status=4, break_reason="Lunch")
    store(database, update(Agent).values(is_talking=False, counted_ms=NOW_MS - 20 * MINUTE_MS, began_ms=0))
    assert "Ann On a break, over the limit Lunch" in alice.text("records/agent/")


def test_the_form_of_an_agent_offers_the_reasons_of_the_queues(alice: Visitor, ann: str, api: Caller) -> None:
    field = r'<(\w+) id="break_reason"'
    assert re.findall(field, alice.get("records/agent/1/")) == ["input"]
    api.change("queue/1/", break_reasons="Lunch, Training")
    page = alice.get("records/agent/1/")
    assert re.findall(field, page) == ["select"]
    assert "None Lunch Training Why the agent is on a break" in words(page)
    refused = alice.send("records/agent/1/", status="4", break_reason="Nap")
    assert refused.status_code == 400
    assert "'Nap' is no reason of the agent's queues. Give one of these: Lunch, Training." in words(refused.text)
    assert api.get(ann)["status"] == 2
    assert alice.send("records/agent/1/", status="4", break_reason="Lunch").status_code == 303
    assert (api.get(ann)["status"], api.get(ann)["break_reason"]) == (4, "Lunch")
