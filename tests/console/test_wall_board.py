"""Tests of the wall board: agents, queues, and the buttons of an agent."""

import re
from typing import Any

import msgspec
import pytest
from sqlalchemy import insert, select, update

from dialer.app.call_centre import wall_board
from dialer.domain.queueing.plans import AgentFigures
from dialer.domain.words.enums import AgentActivity, CallRequestStatus, TransferStatus
from dialer.domain.words.moments import NEVER_MS
from dialer.store.database.database import Database
from dialer.store.tables import (
    Agent,
    AgentHour,
    CallRequest,
    Gateway,
    LiveLeg,
    QueueHour,
    Subscriber,
    Transfer,
    UserHour,
)
from tests.api.harness import NOW_MS, Caller
from tests.console.building import campaign, store
from tests.console.test_desk import GUS, gus, talk_to_gus
from tests.console.visitor import Visitor, words

__all__ = ["gus"]


def call(identity: int, **transfer: Any) -> tuple[Any, Any]:  # noqa: ANN401 - columns, and statements
    """Return the insertions of a call of Alice in progress and of its transfer."""
    request: dict[str, Any] = {
        "id": identity,
        "callid": str(identity),
        "campaign_id": 1,
        "subscriber_id": identity,
        "user_id": 2,
    }
    request |= {"gateway_id": 1, "attempt": 1, "phone_number": f"+1202555{identity:04}", "callerid": ""}
    request |= {"status": CallRequestStatus.CALLING, "started_ms": NOW_MS, "ring_limit_ms": 1, "talk_limit_ms": 1}
    request |= {"subscriber_id": identity, "hold": 0, "call_rate": 0, "first_increment": 1, "next_increment": 1}
    joined: dict[str, Any] = {
        "callrequest_id": identity,
        "place": 1,
        "section_id": 1,
        "queue_id": 1,
        "score_from_ms": 1,
    }
    joined |= {"first_increment": 1, "next_increment": 1, "parameters": ""}
    return (
        insert(CallRequest).values(request),
        insert(Transfer).values({**joined, **transfer}),
    )


def test_it_shows_who_talks_who_waits_and_how_today_goes(
    alice: Visitor, bob: Visitor, api: Caller, database: Database
) -> None:
    assert "There is no queue yet." in alice.text("board/")
    campaign(api)
    api.create("queue", name="Sales")
    for name in ("Ann", "Ben", "Cleo"):
        api.create("agent", name=name, status=2)
    api.change("agent/3/", status=4, break_reason="lunch")
    hour = {"queue_id": 1, "hour": NOW_MS // 3_600_000, "taken": 8, "abandoned": 2, "timed_out": 0, "within_s": 10}
    soon = {**hour, "taken": 5, "abandoned": 1, "within_s": 2, "taken_wait_ms": 900, "longest_ms": 400}
    never = {
        **hour,
        "taken": 0,
        "abandoned": 0,
        "timed_out": 3,
        "within_s": 30,
        "taken_wait_ms": 0,
        "longest_ms": 30_000,
    }
    store(
        database,
        *call(1, status=TransferStatus.CONNECTED, agent_id=1, joined_ms=NOW_MS - 70_000, answered_ms=NOW_MS - 65_000),
        *call(2, status=TransferStatus.WAITING, joined_ms=NOW_MS - 30_000),
        update(Agent).where(Agent.id == 1).values(is_talking=True),
        insert(QueueHour).values({**hour, "taken_wait_ms": 1_000, "longest_ms": 500}),
        insert(QueueHour).values(soon),
        insert(QueueHour).values(never),
    )
    text = alice.text("board/")
    assert "Waiting 1 longest 30 s" in text
    # 8 + 2 + 3 calls waited more than two seconds; 5 of 19 were taken before, and 13 within twenty.
    assert "Sales 1 30 s 1 0 13 (8 over 2 s) 3 (2 over 2 s) 3 (3 over 2 s) 13 26.3 % 68.4 %" in text
    assert "Ann Talking 1:05 min +12025550001 Campaign · Sales 0 0 0 s Actions Ben Available 0 s 0 0 0 s" in text
    assert "Cleo On a break lunch 0 s 0 0 0 s" in text
    assert 'href="/console/callrequests/1/"' in alice.page
    assert alice.text("board/live/") in text
    other = bob.text("board/")
    assert ("Sales" in other, "Ann" in other) == (False, False)


def test_it_says_how_many_callers_need_a_skill_that_nobody_on_duty_has(
    alice: Visitor, api: Caller, database: Database
) -> None:
    campaign(api)
    queue = api.create("queue", name="Sales", skills="Loans", skill_field="language")
    for name, skills in (("Ann", "Loans"), ("Ben", "Loans, Spanish"), ("Cleo", "Spanish")):
        agent = api.create("agent", name=name, status=2, skills=skills)
        api.create("tier", queue=queue["url"], agent=agent["url"])
    waits = [call(one, status=TransferStatus.WAITING, joined_ms=NOW_MS - 30_000) for one in (1, 2)]
    spanish = update(Subscriber).where(Subscriber.id == 1).values(additional_vars='{"language": "Spanish"}')
    store(database, *waits[0], *waits[1], spanish)
    lack = "needs a skill that nobody on duty has"
    text = alice.text("board/")
    assert (lack in text, "Sales 2 30 s 0 2 0" in text) == (False, True)
    api.change("agent/2/", status=4)
    assert f"Sales 2 1 {lack} 30 s 0 1 0" in alice.text("board/")
    api.change("agent/1/", status=4)
    assert f"Sales 2 2 {lack.replace('needs', 'need')} 30 s 0 0 0" in alice.text("board/")
    api.change("agent/1/", status=2)
    promised = update(Subscriber).where(Subscriber.id == 1)
    store(database, promised.values(promised_agent_id=1, promised_until_ms=NOW_MS + 60_000))
    assert lack not in alice.text("board/")
    store(database, promised.values(promised_until_ms=NOW_MS))
    assert f"Sales 2 1 {lack}" in alice.text("board/")


@pytest.mark.parametrize("agents_max", [500, 1])
def test_the_board_of_a_queue_has_the_agents_with_its_skills(
    alice: Visitor, api: Caller, monkeypatch: pytest.MonkeyPatch, agents_max: int
) -> None:
    """The agents, their number by activity, and the row of the queue agree, even for agents beyond the limit."""
    monkeypatch.setattr(wall_board, "AGENTS_MAX", agents_max)
    queue = api.create("queue", name="Sales", skills="Loans")
    for name, skills in (("Ann", "loans"), ("Ben", "LOANS, Spanish"), ("Cleo", "Spanish"), ("Dora", "")):
        agent = api.create("agent", name=name, status=2, skills=skills)
        api.create("tier", queue=queue["url"], agent=agent["url"])
    text = alice.text(f"board/?queue={queue['id']}")
    shown = [name for name in ("Ann", "Ben", "Cleo", "Dora") if f"{name} Available" in text]
    assert shown == ["Ann", "Ben"][:agents_max]
    assert ("Available 2 agents" in text, "Sales 0 0 2 " in text) == (True, True)


def test_agents_whose_break_lasts_too_long_come_first_the_longest_first(
    alice: Visitor, api: Caller, database: Database
) -> None:
    """Not by colour alone. The calls and the breaks of today are counted, with the break that goes on."""
    queue = api.create("queue", name="Sales", max_break_time=900)["url"]
    for name, minutes in (("Ann", 10), ("Ben", 20), ("Cleo", 180)):
        agent = api.create("agent", name=name, status=4, break_reason="Lunch")
        api.create("tier", queue=queue, agent=agent["url"])
        store(
            database,
            update(Agent).where(Agent.name == name).values(counted_ms=NOW_MS - minutes * 60_000, wrap_up_time=0),
        )
    hour = {"agent_id": 2, "hour": NOW_MS // 3_600_000, "reason": ""}
    of_hour = [{"activity": AgentActivity.TALKING, "spent_ms": 600_000, "begun": 7, "missed": 2}]
    of_hour += [{"activity": AgentActivity.ON_BREAK, "spent_ms": 300_000, "begun": 1, "missed": 0}]
    store(database, *(insert(AgentHour).values(**hour, **one) for one in of_hour))
    text = alice.text("board/")
    rows = (
        "Cleo On a break Lunch 2:45 h over the limit of 15:00 min 3:00 h 0 0 3:00 h Actions",
        "Ben On a break Lunch 5:00 min over the limit of 15:00 min 20:00 min 7 2 25:00 min Actions",
        "Ann On a break Lunch 10:00 min 0 0 10:00 min Actions",
    )
    assert " ".join(rows) in text


def test_an_agent_whose_telephone_rings_in_vain_is_named_on_the_board_and_the_overview(
    alice: Visitor, bob: Visitor, api: Caller, database: Database
) -> None:
    for name, status in (("Ann", 2), ("Ben", 2), ("Cleo", 4)):
        api.create("agent", name=name, status=status)
    hour = NOW_MS // 3_600_000
    for agent_id, ago, missed in ((1, 0, 2), (1, 1, 1), (1, 2, 8), (2, 0, 2), (3, 0, 9)):
        counted = {"agent_id": agent_id, "hour": hour - ago, "activity": AgentActivity.AVAILABLE, "reason": ""}
        store(database, insert(AgentHour).values(**counted, missed=missed))
    text = alice.text("board/")
    assert "Ann Available missed 3 calls since 10:00" in text
    assert text.count("calls since") == 1  # Two are few, and nobody rings Cleo.
    named = "Ann has missed 3 calls since 10:00: the telephone rings, and nobody answers."
    assert (named in alice.text("overview/"), alice.page.count("missed"), named in bob.text("overview/")) == (
        True,
        1,
        False,
    )


def names_on(page: str) -> list[str]:
    return re.findall(r'<th scope="row"><a class="cut" href="/console/agents/\d+/">([^<]*)</a>', page)


def test_a_viewer_chooses_the_queue_the_order_and_limits(
    alice: Visitor, bob: Visitor, api: Caller, database: Database
) -> None:
    campaign(api)
    sales, support = (api.create("queue", name=name) for name in ("Sales", "Support"))
    for place, name in enumerate(("Dan", "Ann", "Cleo", "Ben")):
        agent = api.create("agent", name=name, status=(2, 2, 4, 1)[place])
        for queue in (sales, support) if name == "Ann" else (sales,) if name != "Ben" else (support,):
            api.create("tier", queue=queue["url"], agent=agent["url"])
        store(database, update(Agent).where(Agent.name == name).values(counted_ms=NOW_MS - (place + 1) * 60_000))
    talk = {"status": TransferStatus.CONNECTED, "agent_id": 1, "joined_ms": NOW_MS, "answered_ms": NOW_MS - 185_000}
    store(
        database,
        *call(1, **talk),
        *call(2, status=TransferStatus.WAITING, joined_ms=NOW_MS - 30_000),
        update(Agent).where(Agent.id == 1).values(is_talking=True),
    )
    assert names_on(alice.get("board/")) == ["Ann", "Cleo", "Dan", "Ben"]
    assert names_on(alice.get("board/?sort=time")) == ["Dan", "Cleo", "Ann", "Ben"]
    assert names_on(alice.get("board/?sort=state")) == ["Ann", "Dan", "Cleo", "Ben"]
    assert names_on(alice.get(f"board/?queue={support['id']}&sort=name")) == ["Ann", "Ben"]
    text = alice.text("board/")
    assert ("Sales 1 30 s 1 1 0" in text, "Support 0 0 1 0" in text, "Above your limit" in text) == (True, True, False)
    assert alice.text("board/?wait=29&talk=3").count("Above your limit") == 2
    assert "Above your limit" not in alice.text("board/?wait=30&talk=4")
    query = f"?queue={sales['id']}&sort=time&wait=5&talk=3"
    page = alice.get(f"board/{query}").replace("&amp;", "&")
    for address in (f'data-live="/console/board/live/{query}"', f'href="/console/board/{query}&agent=1"'):
        assert address in page
    alice.get("board/?agent=2")
    answer = alice.send(f"board/agents/2/{query}", status="break")
    assert (answer.status_code, answer.headers["location"]) == (303, f"/console/board/{query}")
    assert bob.request("GET", f"board/{query}").status_code == 404
    assert alice.request("GET", "board/?queue=99").status_code == 404
    for wrong in ("sort=moon", "queue=x", "wait=-1", "wait=86401", "talk=1.5", "talk=²"):
        refused = alice.request("GET", f"board/?{wrong}")
        assert (refused.status_code, 'role="alert"' in refused.text) == (400, True)
        assert alice.request("GET", f"board/live/?{wrong}").status_code == 400


def test_a_television_has_no_navigation_and_no_buttons(alice: Visitor, api: Caller) -> None:
    api.create("queue", name="Sales")
    api.create("agent", name="Ann", status=2)
    page = alice.get("board/?tv=1&sort=name")
    assert ("<nav" in page, "<button" in page, "<form" in page, "Actions" in page) == (False,) * 4
    assert names_on(page) == ["Ann"]
    assert 'href="/console/board/?sort=name"' in page


def test_abandoned_is_red_above_the_legal_limit_however_few_the_calls_are(
    alice: Visitor, api: Caller, database: Database
) -> None:
    campaign(api)
    counted = {"user_id": 2, "grouping": 0, "hour": NOW_MS // 3_600_000, "member": "", "calls": 13, "for_agents": 13}
    store(database, insert(UserHour).values(**counted, abandoned=0))
    assert "Above the limit." not in alice.text("board/")
    store(database, update(UserHour).values(abandoned=5))
    assert "38.5 % Above the limit. 5 of 13 calls" in alice.text("board/")
    store(database, update(UserHour).values(abandoned=3, for_agents=100))
    assert "Above the limit." not in alice.text("board/")


def test_agents_are_logged_in_and_out(alice: Visitor, bob: Visitor, api: Caller) -> None:
    api.create("agent", name="Ann", status=1)
    buttons = ("Log in", "End the break", "Send on a break", "Log the agent out")
    for button, status, offered in (("in", 2, [2, 3]), ("break", 4, [1, 3]), ("in", 2, [2, 3]), ("out", 1, [0])):
        alice.get("board/?agent=1")
        assert alice.send("board/agents/1/", status=button).headers["location"] == "/console/board/"
        assert api.get("agent/1/")["status"] == status
        page = alice.get("board/?agent=1")
        assert [one for one in buttons if f">{one}</button>" in page] == [buttons[place] for place in offered]
    assert alice.send("board/agents/1/", status="fly").status_code == 404
    bob.get("account/")
    assert bob.send("board/agents/1/", status="in").status_code == 404
    assert [alice.request("GET", f"board/?agent={who}").status_code for who in ("2", "x")] == [404, 404]


def test_a_break_has_a_reason_of_the_queue_if_it_has_some(alice: Visitor, api: Caller) -> None:
    agent = api.create("agent", name="Ann", status=2)["url"]
    assert '<input id="reason" form="order" name="reason"' in alice.get("board/?agent=1")
    queue = api.create("queue", name="Sales", break_reasons="Lunch, Training")["url"]
    api.create("tier", queue=queue, agent=agent)
    for path, form in (("board/?agent=1", "board/agents/1/"), ("agents/1/", "agents/1/status/")):
        alice.get(path)
        reasons = alice.page.partition('<select id="reason"')[2].partition("</select>")[0]
        assert re.findall(r"<option[^>]*>([^<]*)<", reasons) == ["Lunch", "Training", "No reason"]
        refused = alice.send(form, status="break", reason="Nap")
        assert refused.status_code == 400
        wrong = "'Nap' is no reason of the agent's queues. Give one of these: Lunch, Training."
        assert (wrong in words(refused.text), api.get(agent)["status"]) == (True, 2)
        assert alice.send(form, status="break", reason=" Training ").status_code == 303
        assert (api.get(agent)["status"], api.get(agent)["break_reason"]) == (4, "Training")
        assert alice.send(form, status="in").status_code == 303
        assert (api.get(agent)["status"], api.get(agent)["break_reason"]) == (2, "")


def test_a_supervisor_listens_from_the_board(alice: Visitor, bob: Visitor, api: Caller, database: Database) -> None:
    """Only calls over SIP have the buttons. A refusal is told on the page, and one of a call that is over is none."""

    def listening() -> tuple[int | None, str]:
        return database.read_now(lambda c: c.execute(select(Agent.supervised_call_id, Agent.supervision_mode)).one())

    campaign(api)
    api.create("queue", name="Sales")
    api.create("agent", name="Ann", status=2)
    talk = {"status": TransferStatus.CONNECTED, "agent_id": 1, "joined_ms": NOW_MS - 70_000, "answered_ms": NOW_MS}
    leg = {"call_id": 1, "key": "a", "medium": "voice", "gateway_id": 1, "dialling": "{}", "wanted_ms": NOW_MS}
    store(database, *call(1, **talk), update(Agent).values(is_talking=True), insert(LiveLeg).values(**leg, handle=""))
    text = alice.text("board/")
    assert ("Whisper" in text, "for simulated calls: there is nothing to hear." in text) == (False, True)
    store(database, update(Gateway).values(protocol="freeswitch"))
    text = alice.text("board/")
    assert ("Whisper" in text, "It is possible over SIP." in text, "simulated calls" in text) == (False, True, False)
    store(database, update(Gateway).values(protocol="sip"))
    text = alice.text("board/")
    assert ("Listen in Whisper Join" in text, "There is no “Listen in”" in text) == (True, False)
    refused = alice.send("board/listen/", call="1")
    assert refused.status_code == 409
    assert "You have no telephone. An admin enters it at your user." in words(refused.text)
    Caller(api.client, "admin").change("users/2/", telephone="1001")
    for order, mode in (("listen", "listen"), ("whisper", "whisper"), ("join", "join")):
        assert (alice.send(f"board/{order}/", call="1").status_code, listening()) == (303, (1, mode))
    alice.get("board/")
    assert 'form="join" name="call" value="1"' in alice.page
    assert alice.page.count('aria-pressed="true"') == 1
    bob.get("account/")
    assert [bob.send(f"board/{order}/", call="1").status_code for order in ("join", "stop-listening")] == [404, 404]
    assert alice.send("board/stop-listening/", call="1").status_code == 303
    assert (listening()[0], "Stop listening" in alice.text("board/")) == (None, False)
    store(database, update(Transfer).values(status=TransferStatus.OVER))
    assert [alice.send("board/join/", call=call).status_code for call in ("1", "9", "x")] == [303, 404, 404]


def test_a_viewer_has_no_buttons_to_listen(alice: Visitor, visitor: Visitor, api: Caller, database: Database) -> None:
    """The board of a viewer and that of a manager are not the same page."""
    campaign(api)
    api.create("queue", name="Sales")
    api.create("agent", name="Ann", status=2)
    talk = {"status": TransferStatus.CONNECTED, "agent_id": 1, "joined_ms": NOW_MS - 70_000, "answered_ms": NOW_MS}
    store(database, *call(1, **talk), update(Agent).values(is_talking=True), update(Gateway).values(protocol="sip"))
    assert "Whisper" in alice.text("board/")
    visitor.sign_in("vera")
    assert "Ann Talking" in visitor.text("board/")
    assert "Whisper" not in visitor.text("board/")
    assert "Actions" not in visitor.text("board/?agent=1")
    assert visitor.send("board/listen/", call="1").status_code == 403
    assert visitor.send("board/agents/1/", status="out").status_code == 403


def test_it_says_who_consults_whom(alice: Visitor, gus: Visitor, api: Caller, database: Database) -> None:
    """The agent who is consulted says so at the desk, too, without a call of their own."""
    talk_to_gus(database, campaign(api, name="Departures"))
    cleo = api.create("agent", name="Cleo", status=2)
    store(database, update(Agent).where(Agent.id == 1).values(is_talking=True))
    (talk,) = database.read_now(lambda c: c.execute(select(Transfer.__table__)).mappings().all())
    third = {**talk, "id": 99, "place": 2, "agent_id": None, "from_agent_id": 1, "for_agent_id": cleo["id"]}
    third |= {"consulted": 1, "queue_id": None, "score_from_ms": 0, "status": 1, "started_ms": NOW_MS - 3_000}
    store(database, insert(Transfer).values({**third, "answered_ms": None}))
    wish = {"consulted_call_id": 7, "consultation_to": f"agent:{cleo['id']}"}
    store(database, update(Agent).where(Agent.id == 1).values(wish))
    text = alice.text("board/")
    assert "Gus Talking consults Cleo" in text
    assert "Cleo Available the telephone rings for 3 s consulted by Gus" in text
    store(database, update(Agent).where(Agent.id == 1).values(login_id=None))
    store(database, update(Agent).where(Agent.id == cleo["id"]).values(login_id=GUS))
    rings = "Your telephone rings, for 3 s. Answer: Gus consults you while a callee waits."
    assert (rings in gus.text("desk/"), "ready for the next call" in words(gus.page)) == (True, False)
    store(database, update(Transfer).where(Transfer.id == 99).values(answered_ms=NOW_MS))
    store(database, update(Agent).where(Agent.id == cleo["id"]).values(is_talking=True))
    assert "Cleo Talking consulted by Gus" in alice.text("board/live/")
    assert "You talk with Gus, who consults you while a callee waits." in gus.text("desk/")


def test_agents_beyond_its_limit_count(alice: Visitor, api: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those logged in are shown first, on a break too, and a board of one queue has the agents of the queue."""
    monkeypatch.setattr(wall_board, "AGENTS_MAX", 2)
    queue = api.create("queue", name="Sales")
    for name, status in (("Ann", 1), ("Ben", 1), ("Cleo", 2), ("Dora", 4), ("Eve", 2)):
        agent = api.create("agent", name=name, status=status)
        if name in {"Ann", "Eve"}:
            api.create("tier", queue=queue["url"], agent=agent["url"])
    text = alice.text("board/")
    assert "Available 2 agents" in text
    assert [name in text for name in ("Ann", "Ben", "Cleo", "Dora", "Eve")] == [False, False, True, True, False]
    assert "2 of 5 agents are shown: those logged in first." in text
    assert "Sales 0 0 1 " in text
    text = alice.text(f"board/?queue={queue['id']}")
    assert [name in text for name in ("Ann", "Cleo", "Eve")] == [True, False, True]
    assert "agents are shown" not in text


def test_who_keeps_the_floor_waiting_for_an_outcome_is_first_and_named(
    alice: Visitor, api: Caller, database: Database
) -> None:
    """Within the time after the call nobody waits for it yet."""
    for name in ("Ann", "Ben", "Cleo"):
        api.create("agent", name=name, status=2)
    owing = {"is_talking": False, "wraps_until_ms": NEVER_MS}
    for identity, free_at_ms in ((2, NOW_MS + 60_000), (3, NOW_MS - 60_000)):
        figures = msgspec.json.encode(AgentFigures(free_at_ms=free_at_ms, outcome_call_id=7)).decode()
        store(database, update(Agent).where(Agent.id == identity).values(figures=figures, **owing))
    text = alice.text("board/")
    assert "Cleo Wrapping up the outcome of the call is missing 0 s 0 0 0 s Actions Ann Available 0 s" in text
    assert "Ben Wrapping up 0 s 0 0 0 s" in text
    assert '<a href="/console/callrequests/7/">the outcome of the call is missing</a>' in alice.page
    assert alice.text("board/?sort=name").index("Ann Available") < alice.text("board/?sort=name").index("Cleo Wrapping")


def test_outcomes_that_are_missing_come_before_the_limit_of_the_board(
    alice: Visitor, api: Caller, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wall_board, "AGENTS_MAX", 2)
    for name in ("Ann", "Ben", "Cleo", "Dora"):
        api.create("agent", name=name, status=2)
    figures = msgspec.json.encode(AgentFigures(free_at_ms=NOW_MS - 60_000, outcome_call_id=7)).decode()
    store(database, update(Agent).where(Agent.id == 4).values(figures=figures, wraps_until_ms=NEVER_MS))
    assert names_on(alice.get("board/")) == ["Dora", "Ann"]


def test_queues_whose_callers_wait_are_first(alice: Visitor, api: Caller, database: Database) -> None:
    """By name again, where the viewer wants agents in an order of their own."""
    campaign(api)
    ids = [api.create("queue", name=name)["id"] for name in ("Claims", "Renewals", "Sales")]
    waits = [call(one, status=TransferStatus.WAITING, queue_id=ids[one], joined_ms=NOW_MS - one) for one in (1, 2)]
    store(database, *waits[0], *waits[1])

    def queues(query: str) -> list[str]:
        return re.findall(r'href="/console/records/queue/\d+/">([^<]+)</a></th>', alice.get(f"board/{query}"))

    assert queues("") == ["Sales", "Renewals", "Claims"]
    assert queues("?sort=name") == ["Claims", "Renewals", "Sales"]
