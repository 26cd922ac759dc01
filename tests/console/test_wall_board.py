"""Tests of the wall board: agents, queues, and the buttons of an agent."""

from typing import Any

from sqlalchemy import insert, select, update

from dialer.domain.enums import CallRequestStatus, TransferStatus
from dialer.store.database import Database
from dialer.store.tables import Agent, CallRequest, Gateway, LiveLeg, QueueHour, Transfer
from tests.api.harness import NOW_MS, Caller
from tests.console.building import campaign, store
from tests.console.visitor import Visitor, words


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
    assert "Sales 1 30 s 1 13 8 over 2 s 3 2 over 2 s 3 3 over 2 s 13 26.3 % 68.4 %" in text
    assert "Ann Talking · +12025550001 1:05 min Ben Available" in text
    assert "Cleo On a break · lunch" in text
    assert alice.text("board/live/") in text
    other = bob.text("board/")
    assert ("Sales" in other, "Ann" in other) == (False, False)


def test_agents_are_logged_in_and_out(alice: Visitor, bob: Visitor, api: Caller) -> None:
    api.create("agent", name="Ann", status=1)
    for button, status in (("in", 2), ("break", 4), ("out", 1)):
        alice.get("records/agent/1/")
        assert alice.send("board/agents/1/", status=button).headers["location"] == "/console/board/"
        assert api.get("agent/1/")["status"] == status
    assert alice.send("board/agents/1/", status="fly").status_code == 404
    bob.get("account/")
    assert bob.send("board/agents/1/", status="in").status_code == 404


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
    assert "Whisper" not in alice.text("board/")
    store(database, update(Gateway).values(protocol="sip"))
    assert "Listen in Whisper Join" in alice.text("board/")
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
    assert visitor.send("board/listen/", call="1").status_code == 403
