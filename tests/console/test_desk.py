"""Tests of the page of an agent at work."""

import html
import math
import re
from datetime import UTC, datetime

import pytest
from sqlalchemy import insert, select, update

from dialer.store.database.database import Database
from dialer.store.tables import Agent, CallDisposition, CallRequest, Campaign, Cdr, Subscriber, Transfer, User
from tests.api.harness import NOW_MS, Caller
from tests.console.building import HOSTILE, campaign, store
from tests.console.visitor import Visitor, words

GUS = 5


@pytest.fixture
def gus(visitor: Visitor, api: Caller) -> Visitor:
    """Return Gus, who has signed in and is an agent of Alice's."""
    Caller(api.client, "admin").change(f"users/{GUS}/", manager="/rest-api/users/2/")
    api.create("agent", name="Gus", contact="+12025550150", login=f"/rest-api/users/{GUS}/", status=1)
    visitor.sign_in("gus")
    return visitor


def state(database: Database) -> tuple[int, str]:
    status, reason = database.read_now(lambda c: c.execute(select(Agent.status, Agent.break_reason)).one())
    return status, reason


def talk_to_gus(database: Database, identity: int) -> None:
    """Let somebody of a campaign talk to Gus for 65 seconds."""
    dates = {"created_date": NOW_MS, "updated_date": NOW_MS}
    person = {"id": 900, "campaign_id": identity, "number": "+12025550001", "duplicate_contact": "+12025550001"}
    person |= {"zone": "", "gmt_offset": "", "tz_code": "", "full_name": HOSTILE, "status": 6}
    call = {"id": 7, "callid": "7", "campaign_id": identity, "subscriber_id": 900, "user_id": 2, "gateway_id": 1}
    call |= {"attempt": 1, "phone_number": "+12025550001", "dialled_number": "+12025550001", "callerid": "+1"}
    call |= {"status": 7, "status_reason": "", "started_ms": NOW_MS - 70_000, "hold": 0, "call_rate": 0}
    leg = {"callrequest_id": 7, "agent_id": 1, "status": 2, "answered_ms": NOW_MS - 65_000, "place": 1}
    store(
        database,
        insert(Subscriber).values(**person, **dates, additional_vars='{"seat": "12A"}'),
        insert(CallRequest).values(**call, ring_limit_ms=1, talk_limit_ms=1),
        insert(Transfer).values(**leg, section_id=1, phone_number="+1", joined_ms=NOW_MS - 66_000),
    )


def test_those_who_press_a_button_see_the_change_at_once(
    gus: Visitor, alice: Visitor, api: Caller, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dialer.console.serving.live_parts.EVERY_S", math.inf)
    assert "You are logged out." in gus.text("desk/")
    gus.send("desk/status/", status="in")
    assert "You are ready for the next call." in gus.text("desk/")
    assert "Gus Available" in alice.text("board/")
    alice.get("records/agent/1/")
    assert alice.send("board/agents/1/", status="out").status_code == 303
    assert "Gus Logged out" in alice.text("board/")
    talk_to_gus(database, campaign(api))
    gus.send("desk/status/", status="in")
    gus.text("desk/")
    gus.send("desk/disposition/", call="7", disposition="success", note="Wants tea")
    assert "Wants tea" in gus.get("desk/")
    alice.get("overview/")
    alice.send("overview/stop/")
    assert "Paused" in alice.text("overview/")
    stopped = re.search(r'name="stopped" value="(\d+)"', alice.get(f"overview/?stopped={NOW_MS}"))
    assert stopped is not None
    alice.send("overview/resume/", stopped=stopped[1])
    assert "Paused" not in alice.text("overview/")


def test_an_agent_logs_in_and_takes_a_break(gus: Visitor, alice: Visitor, database: Database) -> None:
    assert gus.request("GET", "").headers["location"] == "/console/desk/"
    assert "Gus Logged out for" in gus.text("desk/")
    for fields, stored, said in (
        ({"status": "in", "reason": "none"}, (2, ""), "You are ready for the next call."),
        ({"status": "break", "reason": HOSTILE}, (4, HOSTILE[:100]), "You get no calls on a break."),
        ({"status": "out"}, (1, ""), "You are logged out."),
    ):
        assert gus.send("desk/status/", **fields).status_code == 303
        assert (state(database), said in gus.text("desk/")) == (stored, True)
        assert "<script>alert" not in gus.page
    assert gus.send("desk/status/", status="rich").status_code == 404
    assert gus.request("POST", "desk/status/", data={"status": "in"}).status_code == 403
    assert "No agent signs in with your user name." in alice.text("desk/")
    alice.get("account/")
    assert alice.send("desk/status/", status="in").status_code == 404
    assert state(database) == (1, "")


def test_an_agent_chooses_the_reason_of_a_break(gus: Visitor, api: Caller, database: Database) -> None:
    queue = api.create("queue", name="desk", break_reasons=f"Lunch, {HOSTILE}")
    api.create("tier", queue=queue["url"], agent="/rest-api/agent/1/")
    gus.get("desk/")
    gus.send("desk/status/", status="in")
    assert "<option>Lunch</option><option>" in gus.get("desk/")
    assert "<script>alert" not in gus.page
    assert gus.send("desk/status/", status="break", reason="Nap").status_code == 404
    assert (gus.send("desk/status/", status="break", reason="Lunch").status_code, state(database)) == (
        303,
        (4, "Lunch"),
    )


def test_an_agent_who_talks_sees_the_callee(gus: Visitor, bob: Visitor, api: Caller, database: Database) -> None:
    identity = campaign(api, name="Departures")
    talk_to_gus(database, identity)
    text = words(gus.get("desk/"))
    assert "1:05 min Number +12025550001 Campaign Departures seat 12A Outcome Success Not interested Call back" in text
    assert "Earlier calls with this person There is none yet." in text
    assert "<script>alert" not in gus.page
    assert "+12025550001" not in bob.get("desk/")
    assert "+12025550001" in gus.get("desk/live/")


def test_an_agent_opens_the_callee_in_another_program(gus: Visitor, api: Caller, database: Database) -> None:
    identity = campaign(api, name="Departures")
    path = f"campaigns/{identity}/"
    talk_to_gus(database, identity)
    assert "Open in the CRM" not in gus.get("desk/")
    template = "https://crm.example/?phone={phone_number}&seat={seat}&who={full_name}&call={call_id}&x={nosuch}"
    api.change(path, crm_url=template)
    link = re.findall(r'<a class="button" href="([^"]*)" target="_blank" rel="noopener noreferrer"', gus.get("desk/"))
    call_id = database.read_now(lambda c: c.scalar(select(CallRequest.id)))
    (filled,) = map(html.unescape, link)
    assert filled.startswith("https://crm.example/?phone=%2B12025550001&seat=12A&who=")
    assert filled.endswith(f"&call={call_id}&x=")
    assert "<script>alert" not in gus.page
    for wrong in ("javascript:alert(1)", "https://{phone_number}/", "crm.example", "https://a b/"):
        status, errors = api.refused("PATCH", path, crm_url=wrong)
        assert (status, list(errors)) == (400, ["crm_url"])
    store(database, update(Campaign).values(crm_url="javascript:alert(1)"))
    assert "javascript:" not in gus.get("desk/")


def test_an_agent_reads_what_to_say(gus: Visitor, api: Caller, database: Database) -> None:
    identity = campaign(api, name="Departures")
    path = f"campaigns/{identity}/"
    talk_to_gus(database, identity)
    assert "What you say" not in gus.text("desk/")
    api.change(path, agent_script="Good day, {full_name}!\nYour seat is {seat}. {nosuch}<b>Bye</b> {number")
    assert "What you say" in gus.text("desk/")
    said = html.unescape(re.findall(r'<p class="note">(.*?)</p>', gus.page, re.DOTALL)[0])
    assert said == f"Good day, {HOSTILE}!\nYour seat is 12A. <b>Bye</b> {{number"
    assert "<script>alert" not in gus.page
    assert "<b>Bye" not in gus.page
    status, errors = api.refused("PATCH", path, agent_script="x" * 4_001)
    assert (status, list(errors)) == (400, ["agent_script"])
    over = {"ended_ms": NOW_MS - 1_000, "status": 4, "hangup_cause_q850": 16}
    store(database, update(CallRequest).values(**over), update(Transfer).values(status=3))
    assert "What you say" in gus.text("desk/")


def test_an_agent_transfers_the_call(gus: Visitor, bob: Visitor, api: Caller, database: Database) -> None:
    queue = api.create("queue", name=HOSTILE)
    mona = api.create("agent", name="Mona", contact="+12025550151", status=2, skills="Spanish")
    otto = api.create("agent", name="Otto", status=4)
    for one in (mona, otto):
        api.create("tier", queue=queue["url"], agent=one["url"])
    Caller(api.client, "bob").create("queue", name="Theirs")
    talk_to_gus(database, campaign(api, name="Departures"))
    text = gus.text("desk/")
    assert re.search(r"Queue <script>.* Mona: Available, Spanish Otto: On a break Transfer the callee Talk first", text)
    assert "Theirs" not in text
    assert "<script>alert" not in gus.page

    def order() -> tuple[int | None, str]:
        columns = (Agent.transfer_call_id, Agent.transfer_to)
        call, to = database.read_now(lambda c: c.execute(select(*columns).where(Agent.id == 1)).one())
        return call, to

    wrong = gus.send("desk/transfer/", call="7", phone_number="112")
    assert (wrong.status_code, order()) == (400, (None, ""))
    assert "An emergency number is never dialled." in wrong.text
    for fields, stored in (
        ({"phone_number": " +1 202 555-0160"}, "+12025550160"),
        ({"to": "queue:1"}, "queue:1"),
        ({"to": "agent:2", "phone_number": ""}, "agent:2"),
    ):
        assert (gus.send("desk/transfer/", call="7", **fields).status_code, order()) == (303, (7, stored))
    assert gus.send("desk/transfer/", call="7", to="agent:x").status_code == 404
    bob.get("account/")
    assert bob.send("desk/transfer/", call="7", phone_number="+12025550160").status_code == 404
    path = "callrequest/7/transfer/"
    assert api.request("POST", path, json={"queue": queue["url"]}).json() == {"callrequest_id": 7}
    assert order() == (7, "queue:1")
    for body, field in (
        ({}, "phone_number"),
        ({"phone_number": "x"}, "phone_number"),
        ({"queue": "/rest-api/queue/2/"}, "queue"),
        ({"agent": "/rest-api/agent/1/"}, "agent"),
        ({"agent": []}, "agent"),
    ):
        answer = api.request("POST", path, json=body)
        assert (answer.status_code, list(answer.json())) == (400, [field])
    stranger = Caller(api.client, "bob").request("POST", path, json={"phone_number": "+12025550160"})
    assert (stranger.status_code, order()) == (404, (7, "queue:1"))


def say(gus: Visitor, path: str = "desk/disposition/", **fields: str) -> int:
    """Send the form with an outcome, and return the status of the answer."""
    answer = gus.send(path, **{"call": "7", "note": "", "call_back_date": "", **fields})
    gus.page = answer.text or gus.page
    return answer.status_code


def test_a_saved_outcome_is_confirmed_and_the_parts_of_the_name_are_not_shown_again(
    gus: Visitor, api: Caller, database: Database
) -> None:
    talk_to_gus(database, campaign(api, name="Departures"))
    named = '{"last_name": "Lovelace", "first_name": "Ada", "seat": "12A"}'
    store(
        database, update(Subscriber).where(Subscriber.id == 900).values(full_name="Ada LOVELACE", additional_vars=named)
    )
    shown = gus.text("desk/")
    assert ("seat 12A" in shown, "first_name" in shown, "Saved:" in shown) == (True, False, False)
    store(database, update(Subscriber).where(Subscriber.id == 900).values(full_name="Ms Ada L."))
    shown = gus.text("desk/")
    assert ("last_name Lovelace seat 12A" in shown, "first_name" in shown) == (True, False)
    assert say(gus, disposition="not_interested") == 303
    assert "Save outcome Saved: Not interested" in gus.text("desk/")
    store(database, update(Subscriber).where(Subscriber.id == 900).values(full_name=""))
    assert ('id="callee">Ada Lovelace</h2>' in gus.get("desk/"), "first_name" in gus.page) == (True, False)
    store(database, update(User).where(User.username == "gus").values(language="de"))
    assert "Ergebnis speichern Gespeichert: Kein Interesse" in gus.text("desk/")


def test_an_agent_says_what_came_of_a_call(gus: Visitor, bob: Visitor, api: Caller, database: Database) -> None:
    talk_to_gus(database, campaign(api, name="Departures"))
    gus.get("desk/")
    later = {"disposition": "call_back", "call_back_date": "2026-11-18T18:00", "note": HOSTILE, "same_agent": "1"}
    assert say(gus, **{**later, "call_back_date": "2026-11-17T18:00"}) == 400
    assert "The time is past. Use a later one." in words(gus.page)
    assert 'value="2026-11-17T18:00"' in gus.page
    assert say(gus, **later) == 303
    assert 'value="2026-11-18T18:00"' in gus.get("desk/")
    assert "<script>alert" not in gus.page
    assert [say(gus, disposition="rich"), say(gus, disposition="other", call="x")] == [400, 404]
    over = {"ended_ms": NOW_MS - 1_000, "status": 4, "hangup_cause_q850": 16}
    end = [update(CallRequest).values(**over), update(Transfer).values(status=3)]
    cdr = {"user_id": 2, "callid": "7", "callerid": "+1", "phone_number": "+12025550001", "starting_date": NOW_MS}
    cdr |= {"duration": 70, "billsec": 65, "call_cost": 0, "billed_duration": 65, "hangup_cause_q850": 16}
    cdr |= {"leg_type": 1, "amd_status": 0, "callrequest_id": 7, "subscriber_id": 900, "attempt": 1, "gateway_id": 1}
    second_leg = {**cdr, "callid": "8", "leg_type": 2, "phone_number": "102", "agent_id": 1}
    legs = [insert(Cdr).values(**leg) for leg in (cdr, second_leg)]
    store(database, *end, *legs, update(Subscriber).values(status=5))
    assert "102" not in words(gus.get("desk/")).partition("Your last calls")[2]
    assert say(gus, **later) == 303
    waits = database.read_now(
        lambda c: c.execute(select(Subscriber.status, Subscriber.due_ms).where(Subscriber.id == 900)).one()
    )
    at_ms = int(datetime(2026, 11, 18, 18, tzinfo=UTC).timestamp() * 1_000)
    assert tuple(waits) == (1, at_ms)
    assert "same agent" in gus.text("desk/").partition("Promised call-backs")[2]
    assert 'name="same_agent-7" value="1" checked' in gus.get("calls/1/")
    assert "The same agent takes the call, if they are free within 15" in words(gus.page)
    assert re.search(r"Answered Call back .* 1:05 min", words(gus.get("desk/")))
    page = gus.get("calls/1/")
    assert "Call back" in words(page)
    assert "<script>alert" not in page
    assert say(gus, "calls/1/disposition/", disposition="success") == 303
    of_callee = api.request("GET", "cdr/?format=csv&leg_type=1").text.splitlines()[-1]
    assert of_callee.endswith(",success,,")
    bob.get("account/")
    assert say(bob, "calls/1/disposition/", disposition="other") == 404
    assert bob.request("GET", "calls/1/").status_code == 404


def test_agents_choose_among_the_outcomes_of_the_campaign(gus: Visitor, api: Caller, database: Database) -> None:
    identity = campaign(api)
    path = f"campaigns/{identity}/"
    talk_to_gus(database, identity)
    gus.get("desk/")
    assert say(gus, disposition="wrong_person") == 303
    wrong = "'Sold' has no known outcome. Write one of these, or a word for it before a sign =: success,"
    for given in ("Sold", "Sold = rich", "call_back, Sold"):
        status, errors = api.refused("PATCH", path, dispositions=given)
        assert (status, list(errors)) == (400, ["dispositions"])
    assert wrong in api.refused("PATCH", path, dispositions="Sold")[1]["dispositions"][0]
    api.change(path, dispositions="Sold=success,<script>alert = other, call_back,Sold = success")
    text = words(gus.get("desk/"))
    assert "Outcome Sold <script>alert Call back Do not call again Note" in text
    assert "<script>alert" not in gus.page
    assert [say(gus, disposition="success"), say(gus, disposition="Bought = success")] == [400, 400]
    assert "The campaign has no outcome Bought = success. Choose one of these: Sold = success," in words(gus.page)
    assert say(gus, disposition="wrong_person", note="Kept, since it was saved before.") == 303
    assert say(gus, disposition="Sold = success") == 303
    assert 'value="Sold = success" required checked' in gus.get("desk/")
    shown = api.get("callrequest/7/disposition/")
    assert (shown["disposition"], shown["word"]) == ("success", "Sold")
    assert [say(gus, disposition=one) for one in ("do_not_call", "call_back")] == [303, 400]
    assert "Choose the time of the call-back." in words(gus.page)
    api.change(path, dispositions="Call later = call_back")
    assert "Choose “Call later”. The call comes at that time" in words(gus.get("desk/"))
    api.change(path, dispositions="Sold = success")
    assert "No outcome of the campaign promises a call-back." in words(gus.get("desk/"))
    api.change(path, dispositions="")
    assert "Choose “Call back”. The call comes at that time" in words(gus.get("desk/"))
    assert api.get(path)["dispositions"] == ""
    assert "Success Not interested" in words(gus.get("desk/"))


def test_the_desk_says_until_when_a_call_back_can_be_promised(gus: Visitor, api: Caller, database: Database) -> None:
    identity = campaign(api)
    talk_to_gus(database, identity)
    text = gus.text("desk/")
    assert "The campaign ends on 19 Nov 2026, 11:06, so promise an earlier time." in text
    assert "ask your manager to set a later end first" in text
    assert 'max="2026-11-19T11:06"' in gus.page
    store(database, update(Campaign).values(status=4, status_reason="completed"))
    assert "The campaign is over" not in gus.text("desk/")
    store(database, update(Campaign).values(status=4, status_reason="user"))
    assert "The campaign is over, so promise no call-back." in gus.text("desk/")


def test_promised_call_backs_stand_on_the_desk_on_the_board_and_in_the_api(
    gus: Visitor, alice: Visitor, bob: Visitor, api: Caller, database: Database
) -> None:
    talk_to_gus(database, campaign(api, name="Departures"))
    at_ms = NOW_MS + 3_600_000
    dates = {"created_date": NOW_MS, "updated_date": NOW_MS}
    said = {"callrequest_id": 7, "user_id": 2, "disposition": "call_back", "note": "after tea", "call_back_ms": at_ms}
    store(
        database,
        insert(CallDisposition).values(**said, **dates),
        update(CallRequest).values(status=4, ended_ms=NOW_MS),
        update(Transfer).values(status=3, ended_ms=NOW_MS),
        update(Subscriber).where(Subscriber.id == 900).values(status=1, due_ms=at_ms),
    )
    assert "Promised call-backs Call back Person Campaign Note" in gus.text("desk/")
    assert "after tea" in gus.text("desk/")
    board = alice.text("board/")
    assert "Promised call-backs Call back Person Campaign Promised by Note" in board
    assert "Departures Gus after tea" in board
    assert 'href="/console/callrequests/7/"' in alice.page
    assert "Promised call-backs" not in bob.text("board/")
    (one,) = api.get("promised-call-backs/")["results"]
    assert (one["call_back_date"], one["phone_number"], one["note"]) == (
        "2026-11-18T12:06:40Z",
        "+12025550001",
        "after tea",
    )
    assert one["agent"].endswith("/rest-api/agent/1/")
    assert Caller(api.client, "bob").get("promised-call-backs/") == {"results": []}


def test_an_agent_hangs_up_the_own_call_and_nobody_elses(
    gus: Visitor, bob: Visitor, api: Caller, database: Database
) -> None:
    def order() -> int | None:
        return database.read_now(lambda c: c.scalar(select(Agent.hang_up_call_id)))

    talk_to_gus(database, campaign(api, name="Departures"))
    assert 'data-key="h"' in gus.get("desk/")
    bob.get("account/")
    assert bob.send("desk/hang-up/", call="7").status_code == 404
    assert gus.request("POST", "desk/hang-up/", data={"call": "7"}).status_code == 403
    assert [gus.send("desk/hang-up/", call=call).status_code for call in ("x", "8", "")] == [404, 404, 404]
    store(database, update(Agent).values(login_id=2))
    assert gus.send("desk/hang-up/", call="7").status_code == 404
    store(database, update(Agent).values(login_id=GUS))
    assert order() is None
    assert gus.send("desk/hang-up/", call="7").status_code == 303
    assert order() == 7
    store(database, update(Transfer).values(status=3), update(Agent).values(hang_up_call_id=None))
    assert gus.send("desk/hang-up/", call="7").status_code == 303
    assert order() is None
    assert 'data-key="h"' not in gus.get("desk/")


def test_an_agent_holds_and_resumes_the_own_call(gus: Visitor, bob: Visitor, api: Caller, database: Database) -> None:
    def wanted() -> int | None:
        return database.read_now(lambda c: c.scalar(select(Agent.hold_call_id)))

    talk_to_gus(database, campaign(api, name="Departures"))
    assert 'form="hold" name="call" value="7" data-key="p"' in gus.get("desk/")
    bob.get("account/")
    assert [bob.send(f"desk/{order}/", call="7").status_code for order in ("hold", "resume")] == [404, 404]
    assert gus.request("POST", "desk/hold/", data={"call": "7"}).status_code == 403
    assert (gus.send("desk/hold/", call="7").status_code, wanted()) == (303, 7)
    store(database, update(Transfer).values(on_hold_from_ms=NOW_MS - 42_000))
    assert "The callee has been on hold for 42 s." in gus.text("desk/")
    assert 'form="resume" name="call" value="7" data-key="p"' in gus.page
    assert (gus.send("desk/resume/", call="7").status_code, wanted()) == (303, None)


@pytest.mark.usefixtures("gus")
def test_a_call_is_held_and_resumed_over_the_api(api: Caller, database: Database) -> None:
    talk_to_gus(database, campaign(api, name="Departures"))
    stranger, agent = Caller(api.client, "bob"), Caller(api.client, "gus")

    def status(who: Caller, order: str, call: int = 7) -> int:
        return int(who.request("POST", f"callrequest/{call}/{order}/").status_code)

    orders = ("hold", "hold", "resume", "resume")
    assert [status(agent, order) for order in orders] == [200, 200, 200, 200]
    assert [status(stranger, "hold"), status(stranger, "resume"), status(api, "hold", 8)] == [404, 404, 404]
    logged = [entry["action"] for entry in api.get("audit-log/")["results"]]
    assert [action for action in logged if action in {"call_held", "call_resumed"}] == ["call_held", "call_resumed"]
    store(database, update(Transfer).values(on_hold_from_ms=NOW_MS, on_hold_ms=5_000))
    shown = api.get("transfer/")["results"][0]
    assert (shown["hold_date"] is None, shown["on_hold_ms"]) == (False, 5_000)
    store(database, update(Transfer).values(status=3))
    assert [status(agent, order) for order in ("hold", "resume")] == [409, 409]


@pytest.mark.usefixtures("gus")
def test_a_call_is_hung_up_over_the_api(api: Caller, database: Database) -> None:
    path = "callrequest/7/hang-up/"
    talk_to_gus(database, campaign(api, name="Departures"))
    stranger, agent = Caller(api.client, "bob"), Caller(api.client, "gus")
    assert [stranger.request("POST", path).status_code, api.request("POST", "callrequest/8/hang-up/").status_code] == [
        404,
        404,
    ]
    assert [agent.request("POST", path).status_code, api.request("POST", path).status_code] == [200, 200]
    logged = [entry for entry in api.get("audit-log/")["results"] if entry["action"] == "call_hung_up"]
    assert [entry["after"]["callrequest_id"] for entry in logged] == [7, 7]
    store(database, update(Transfer).values(status=3))
    refused = api.request("POST", path)
    assert (refused.status_code, "No agent talks in the call" in refused.text) == (409, True)


def test_the_desk_says_what_is_recorded_and_pauses_it(gus: Visitor, api: Caller, database: Database) -> None:
    def ordered() -> str | None:
        return database.read_now(lambda c: c.scalar(select(CallRequest.recording_orders)))

    identity = campaign(api, name="Departures")
    talk_to_gus(database, identity)
    assert "recording" not in gus.text("desk/")
    store(database, update(CallRequest).values(is_simulated=True), update(Campaign).values(record="on_demand"))
    assert "The call is not recorded." in gus.text("desk/")
    for order, button, said in (
        ("start", "Pause the recording", "The call is recorded."),
        ("pause", "Resume the recording", "The recording is paused: nothing that is said now is kept."),
    ):
        assert f'form="recording" name="order" value="{order}"' in gus.get("desk/")
        assert gus.send("desk/recording/", call="7", order=order).status_code == 303
        assert (button in gus.text("desk/"), said in gus.text("desk/")) == (True, True)
    assert ordered() == '{"began_ms":70000,"silences":[70000]}'
    assert [gus.send("desk/recording/", call=call, order="resume").status_code for call in ("7", "8")] == [303, 404]
    assert ordered() == '{"began_ms":70000}'
    assert gus.send("desk/recording/", call="7", order="eat").status_code == 404
    store(database, update(Campaign).values(record="no"))
    assert gus.send("desk/recording/", call="7", order="pause").status_code == 303
    assert ordered() == '{"began_ms":70000}'
