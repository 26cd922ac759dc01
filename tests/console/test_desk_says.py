"""Tests of what the desk and the wall board say of the moment: calls that ring or wait, orders that wait, promises."""

from typing import Any

import pytest
from sqlalchemy import insert, select, update

from dialer.store.database.database import Database
from dialer.store.tables import Agent, CallDisposition, CallRequest, Cdr, Subscriber, Transfer
from tests.api.harness import NOW_MS, Caller
from tests.console.building import HOSTILE, campaign, store
from tests.console.test_desk import gus as gus  # noqa: PLC0414 - a fixture
from tests.console.test_desk import state, talk_to_gus
from tests.console.visitor import Visitor

DATES = {"created_date": NOW_MS, "updated_date": NOW_MS}


@pytest.fixture
def queue(gus: Visitor, api: Caller) -> Any:  # noqa: ANN401, ARG001 - JSON
    """Return a queue that Gus serves."""
    queue = api.create("queue", name="Sales")
    api.create("tier", queue=queue["url"], agent="/rest-api/agent/1/")
    return queue


def wait_in_queue(database: Database, queue_id: int, offers: str, *, is_new: bool = True) -> None:
    """Let the person of the call wait for an agent, since 66 s."""
    values = {"status": 1, "agent_id": None, "answered_ms": None, "queue_id": queue_id, "offers": offers}
    store(database, update(Transfer).values(**values, score_from_ms=NOW_MS - 66_000))
    if is_new:
        store(database, update(Agent).values(status=2, is_talking=False))


def test_the_desk_and_the_board_say_that_the_telephone_rings_and_for_whom(
    gus: Visitor,
    alice: Visitor,
    api: Caller,
    database: Database,
    queue: Any,  # noqa: ANN401 - JSON
) -> None:
    talk_to_gus(database, campaign(api, name="Departures"))
    wait_in_queue(database, queue["id"], f'{{"1": {NOW_MS - 12_000}}}')
    text = gus.text("desk/")
    assert "Your telephone rings. Take the call: <script>alert" in text
    assert "for 12 s." in text
    assert "Telephone rings for 12 s" in text
    assert "Available for" not in text
    assert "You are ready for the next call." not in text
    assert "wait in your queues" not in text
    assert "<script>alert" not in gus.page
    assert "the telephone rings for 12 s" in alice.text("board/")
    parts = {"full_name": "", "additional_vars": '{"first_name": "Ada", "last_name": "Byron"}'}
    store(database, update(Subscriber).values(**parts))
    assert "Your telephone rings. Take the call: Ada Byron, for 12 s." in gus.text("desk/live/")
    wait_in_queue(database, queue["id"], "{}")
    text = gus.text("desk/live/")
    assert "1 call waits in your queues, for 1:06 min." in text
    api.change(queue["url"], skills="Loans")
    assert "in your queues" not in gus.text("desk/live/")
    api.change("agent/1/", skills="loans")
    assert "1 call waits in your queues, for 1:06 min." in gus.text("desk/live/")
    assert "Your telephone rings" not in text
    assert "the telephone rings" not in alice.text("board/")


def test_an_order_that_waits_for_the_end_of_the_call_is_shown_and_taken_back(
    gus: Visitor, alice: Visitor, api: Caller, database: Database
) -> None:
    talk_to_gus(database, campaign(api, name="Departures"))
    store(database, update(Agent).values(is_talking=True, status=2))
    gus.get("desk/")
    for fields, said, on_board, button in (
        ({"status": "out"}, "You are logged out when the call is over.", "logged out after the call", "Log out"),
        ({"status": "break", "reason": HOSTILE}, "You go on a break when the call is over:", "break after", "Break…"),
        ({"status": "break"}, "You go on a break when the call is over.", "break after", "Break…"),
    ):
        gus.send("desk/status/", **fields)
        text = gus.text("desk/")
        assert (said in text, "Stay available" in text, button in text) == (True, True, False)
        assert "<script>alert" not in gus.page
        assert on_board in alice.text("board/")
        gus.send("desk/status/", status="in")
        text = gus.text("desk/")
        assert ("Stay available" in text, state(database)) == (False, (2, ""))


def test_a_promise_and_its_note_stand_on_top_during_the_call_and_before_it(
    gus: Visitor,
    api: Caller,
    database: Database,
    queue: Any,  # noqa: ANN401 - JSON
) -> None:
    identity = campaign(api, name="Departures")
    talk_to_gus(database, identity)
    assert "Promised call-back" not in gus.text("desk/")
    earlier = {"id": 6, "callid": "6", "attempt": 0, "status": 4, "ended_ms": NOW_MS - 90_000}
    columns = [one for one in CallRequest.__table__.c if one.name not in earlier]
    row = database.read_now(lambda c: c.execute(select(*columns).where(CallRequest.id == 7)).mappings().one())
    leg = {"callrequest_id": 6, "agent_id": 1, "status": 3, "answered_ms": 1, "place": 1, "section_id": 1}
    cdr = {"user_id": 2, "callid": "6", "callerid": "+1", "phone_number": "+12025550001", "starting_date": NOW_MS}
    cdr |= {"duration": 70, "billsec": 65, "call_cost": 0, "billed_duration": 65, "hangup_cause_q850": 16}
    cdr |= {"leg_type": 1, "amd_status": 0, "callrequest_id": 6, "subscriber_id": 900, "attempt": 1, "gateway_id": 1}
    said = {"callrequest_id": 6, "disposition": "call_back", "call_back_ms": NOW_MS - 60_000, "note": f"Mail {HOSTILE}"}
    store(
        database,
        insert(CallRequest).values(**{**row, **earlier}),
        update(Transfer).values(id=9),
        insert(Transfer).values(**leg, id=8, phone_number="+1", joined_ms=0),
        insert(Cdr).values(**cdr),
        insert(CallDisposition).values(**said, **DATES),
    )
    text = gus.text("desk/live/")
    promise, _, history = text.partition("Earlier calls with this person")
    assert "Promised call-back by Gus, 18 Nov 2026, 11:05 Mail <script>alert" in promise
    assert "Call back Mail <script>alert" in history
    assert "<script>alert" not in gus.page
    store(database, update(Transfer).where(Transfer.id == 9).values(status=1, answered_ms=None, queue_id=queue["id"]))
    store(database, update(Transfer).where(Transfer.id == 9).values(offers=f'{{"1": {NOW_MS}}}'))
    assert "Promised call-back by Gus" in gus.text("desk/")
    store(database, update(CallDisposition).values(call_back_ms=None))
    assert "Promised call-back" not in gus.text("desk/live/")
