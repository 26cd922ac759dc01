"""Tests of the page with the staffing plan of a queue."""

import re

import pytest
from sqlalchemy import insert, update

from dialer.domain.words.enums import CallRequestStatus, DialMethod
from dialer.store.database.database import Database
from dialer.store.tables import CallRequest, Campaign, CampaignForecast
from tests.api.builders import stored
from tests.api.harness import NOW_MS, Caller
from tests.api.queue_past import busy_morning
from tests.console.building import campaign, queue_campaign, store
from tests.console.visitor import Visitor


@pytest.fixture
def queue(api: Caller, database: Database) -> int:
    """Return a queue with 31 calls of yesterday, between nine and ten."""
    made = api.create("queue", name="Sales")
    agent = api.create("agent", name="Ann")
    api.create("tier", queue=made["url"], agent=agent["url"])
    identity = campaign(api, started="no")
    row = api.get(f"campaigns/{identity}/")
    call_id = stored(
        database,
        CallRequest,
        campaign_id=row["id"],
        user_id=2,
        gateway_id=1,
        attempt=1,
        callid="call",
        phone_number="+12025550101",
        callerid="",
        status=CallRequestStatus.SUCCESS,
        started_ms=NOW_MS,
        **dict.fromkeys(("ring_limit_ms", "talk_limit_ms", "hold", "call_rate"), 0),
    )
    busy_morning(database, call_id, made["id"], agent["id"])
    return int(made["id"])


def test_the_plan_is_a_table_a_picture_and_a_file(alice: Visitor, queue: int) -> None:
    assert f'href="/console/queues/{queue}/staffing/">Staffing plan</a>' in alice.get(f"records/queue/{queue}/")
    text = alice.text(f"queues/{queue}/staffing/")
    assert "Tuesday 09:00 30.0 1:51 min 4 6" in text
    assert "Tuesday 09:30 1.0 1:51 min 1 2" in text
    assert "It rests on 31 calls from 2026-10-21 to 2026-11-17." in text
    assert alice.page.count('<rect class="hour"') == 2
    strict = alice.text(f"queues/{queue}/staffing/?service_level=99&within=5&busy=50&shrinkage=0&change=100&day=monday")
    assert "Tuesday 09:00 60.0 1:51 min" in strict
    assert "Tuesday 09:00 60.0 1:51 min 4 " not in strict
    answer = alice.request("GET", f"queues/{queue}/staffing/export/?shrinkage=0")
    head, first, _ = answer.text.splitlines()
    assert head.startswith("Day,Half hour,Calls,Handling time (seconds),Agents at work,People on the roster,")
    assert first.startswith("Tuesday,09:00,30.0,111.0,4,4,")
    assert alice.request("GET", f"queues/{queue}/staffing/export/?format=xlsx").content[:2] == b"PK"


def test_it_compares_what_is_needed_with_the_agents_of_the_queue(
    alice: Visitor, api: Caller, database: Database, queue: int
) -> None:
    text = alice.text(f"queues/{queue}/staffing/")
    few = "It needs up to 4 agents at work; the queue has 1 agent."
    assert f"{few} In 1 half hour of the week it needs more than the queue has. Agents at work" in text
    for name in ("Ben", "Cleo", "Dan"):
        agent = api.create("agent", name=name)
        api.create("tier", queue=f"/rest-api/queue/{queue}/", agent=agent["url"])
    text = alice.text(f"queues/{queue}/staffing/")
    assert "It needs up to 4 agents at work; the queue has 4 agents. Agents at work" in text

    store(database, update(Campaign).values(dial_method=DialMethod.PREDICTIVE))
    dialled = "a campaign dialled them for the agents who were there."
    assert dialled in alice.text(f"queues/{queue}/staffing/")
    assert dialled not in alice.text(f"queues/{queue}/staffing/?volumes=tue%2009:00-10:00%2030")


def test_wrong_promises_and_queues_without_calls_are_told(alice: Visitor, api: Caller, queue: int) -> None:
    refused = alice.request("GET", f"queues/{queue}/staffing/?busy=101&weeks=x")
    assert refused.status_code == 400
    assert "&#39;101&#39; is not a whole number from 1 to 100." in refused.text
    assert 'name="busy" type="number" inputmode="numeric" min="1" max="100" value="101"' in refused.text
    other = api.create("queue", name="Other")["id"]
    assert "Agents took no call of the queue from 2026-10-21" in alice.text(f"queues/{other}/staffing/")
    assert alice.request("GET", f"queues/{other}/staffing/export/").status_code == 400


def test_before_the_first_day_it_takes_the_calls_that_are_expected(alice: Visitor, api: Caller) -> None:
    other = api.create("queue", name="Other")["id"]
    page = alice.get(f"queues/{other}/staffing/")
    assert '<details class="more wide" open>' in page
    query = "volumes=tue%2009:00-10:00%2030%0D%0Asat%2010:00-11:00%204/day&talk_time=100&wrap_up_time=11"
    text = alice.text(f"queues/{other}/staffing/?{query}")
    assert "Tuesday 09:00 30.0 1:51 min 4 6" in text
    assert "It rests on the calls that you expect." in text
    assert "tue 09:00-10:00 30\r\nsat 10:00-11:00 4/day</textarea>" in alice.page
    answer = alice.request("GET", f"queues/{other}/staffing/export/?{query}")
    assert [line.split(",")[:3] for line in answer.text.splitlines()[1:]] == [
        ["Tuesday", "09:00", "30.0"],
        ["Tuesday", "09:30", "30.0"],
        ["Saturday", "10:00", "2.0"],
        ["Saturday", "10:30", "2.0"],
    ]
    refused = alice.request("GET", f"queues/{other}/staffing/?volumes=daily%2030")
    assert (refused.status_code, "says no calls of half hours" in refused.text) == (400, True)


def test_half_hours_that_fall_short_are_told_in_words(alice: Visitor, queue: int) -> None:
    assert "No half hour falls short of a goal by more than chance." in alice.text(f"queues/{queue}/staffing/")
    assert re.search(
        r"Tuesday 09:00 30\.0 1:51 min 4 6 . .* ± [0-9.]+ .* ± [0-9.]+ .* ± [0-9.]+ ",
        alice.text(f"queues/{queue}/staffing/"),
    )
    query = "volumes=tue%2009:00-09:30%2052190&talk_time=30&ring_time=0&wrap_up_time=0&busy=87"
    text = alice.text(f"queues/{queue}/staffing/?{query}")
    assert (
        "1 half hour of the week falls short of a goal by more than chance: Tuesday. The table says of which." in text
    )
    assert "1,000 1,429 Agents are busy" in text
    head, row = alice.request("GET", f"queues/{queue}/staffing/export/?{query}").text.splitlines()
    assert head.endswith(",Simulated: busy (%),Margin: busy (%)")
    assert ",1000,1429,Agents are busy," in row


def test_it_offers_the_forecasts_of_campaigns_that_lead_to_the_queue_alone(
    alice: Visitor, api: Caller, database: Database
) -> None:
    """A campaign without agents, and one of text messages, have forecasts as well."""
    identity, plain = queue_campaign(api), campaign(api, name="Plain", gateway="Plain")
    gateway = Caller(api.client, "admin").create("sms-gateway", name="Texts")
    texts = api.create("sms-campaigns", name="Texts", sms_gateway=gateway["url"])["id"]
    for one in (identity, plain, texts):
        store(database, insert(CampaignForecast).values(id=one, document="{}"))
    queue, other = api.get("queue/")["results"][0]["id"], api.create("queue", name="Other")["id"]
    assert f'<option value="{identity}">Desk</option></select>' in alice.get(f"queues/{queue}/staffing/")
    assert re.findall("<option value=.[0-9]+.>", alice.page) == [f'<option value="{identity}">']
    assert 'name="campaign"' not in alice.get(f"queues/{other}/staffing/")
    refused = alice.request("GET", f"queues/{other}/staffing/?campaign={identity}")
    assert (refused.status_code, "does not lead to this queue alone" in refused.text) == (400, True)


def test_others_see_no_plan(visitor: Visitor, queue: int) -> None:
    visitor.sign_in("bob")
    for page in ("", "export/"):
        assert visitor.request("GET", f"queues/{queue}/staffing/{page}").status_code == 404
