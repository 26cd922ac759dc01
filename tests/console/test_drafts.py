"""Tests of what agents type about their calls: it is kept by call until it is saved or discarded."""

import re
from urllib.parse import quote

import pytest
from sqlalchemy import delete, insert, select, update

from dialer.store.database.database import Database
from dialer.store.tables import CallDisposition, CallDraft, CallRequest, Cdr, ConsoleSession, Subscriber, Transfer
from tests.api.harness import NOW_MS, Caller
from tests.console.building import HOSTILE, campaign, store
from tests.console.test_desk import gus as gus  # noqa: PLC0414 - a fixture
from tests.console.test_desk import talk_to_gus
from tests.console.visitor import Visitor

FORM = re.compile('<div class="disposition" id="([^"]+)"')
SCRIPT = {"Accept": "application/json"}
TYPED = {"note-7": "Wants the offer", "disposition-7": "call_back", "call_back_date-7": "2026-11-18T18:00"}


SAVED = {"disposition": "other", "note": "Wants the offer"}


def drafts(database: Database) -> list[tuple[int, int, str, str]]:
    columns = (CallDraft.callrequest_id, CallDraft.agent_id, CallDraft.disposition, CallDraft.note)
    rows = database.read_now(lambda c: c.execute(select(*columns)).all())
    return [(row[0], row[1], row[2], row[3]) for row in rows]


def end_call(database: Database) -> None:
    """End the call that came to Gus."""
    over = {"ended_ms": NOW_MS - 1_000, "status": 4, "hangup_cause_q850": 16}
    store(database, update(CallRequest).values(**over), update(Transfer).values(status=3))


def write_records(database: Database) -> None:
    """Write the CDRs of the call that came to Gus."""
    cdr = {"id": 70, "user_id": 2, "callid": "7", "callerid": "+1", "phone_number": "+12025550001"}
    cdr |= {"duration": 70, "billsec": 65, "call_cost": 0, "billed_duration": 65, "hangup_cause_q850": 16}
    cdr |= {"leg_type": 1, "amd_status": 0, "callrequest_id": 7, "subscriber_id": 900, "attempt": 1, "gateway_id": 1}
    cdr |= {"starting_date": NOW_MS}
    agents_leg = {**cdr, "id": 71, "callid": "8", "leg_type": 2, "phone_number": "102", "agent_id": 1}
    store(database, insert(Cdr).values(**cdr), insert(Cdr).values(**agents_leg))


def begin_next_call(database: Database) -> None:
    """Let another caller talk to Gus, who is no subscriber."""
    call = {"id": 8, "callid": "8", "campaign_id": 1, "user_id": 2, "gateway_id": 1, "attempt": -1}
    call |= {"phone_number": "+1", "dialled_number": "+1", "callerid": "+12025550002", "status": 7}
    call |= {"status_reason": "", "started_ms": NOW_MS, "hold": 0, "call_rate": 0, "ring_limit_ms": 1}
    leg = {"callrequest_id": 8, "agent_id": 1, "status": 2, "answered_ms": NOW_MS, "place": 1, "section_id": 1}
    store(
        database,
        insert(CallRequest).values(**call, talk_limit_ms=1),
        insert(Transfer).values(**leg, phone_number="+1", joined_ms=NOW_MS),
    )


def test_a_person_whose_columns_have_the_name_is_named_beside_the_number(
    gus: Visitor, api: Caller, database: Database
) -> None:
    talk_to_gus(database, campaign(api, name="Departures"))
    parts = '{"first_name": "Ada", "last_name": "Byron"}'
    store(database, update(Subscriber).values(full_name="", additional_vars=parts))
    gus.get("desk/")
    assert gus.send("desk/draft/", call="7", **TYPED).status_code == 303
    end_call(database)
    begin_next_call(database)
    assert "Not saved yet: Ada Byron, +12025550001" in gus.text("desk/")


def test_what_is_typed_outlives_the_call_and_stands_beside_the_next_one(
    gus: Visitor, api: Caller, database: Database
) -> None:
    talk_to_gus(database, campaign(api, name="Departures"))
    assert "Typed, and not saved yet." not in gus.text("desk/")
    assert gus.send("desk/draft/", call="7", **TYPED).status_code == 303
    assert gus.send("desk/draft/", call="7", **{**TYPED, "note-7": f"Wants the offer {HOSTILE}"}).status_code == 303
    for change in (None, end_call, begin_next_call):
        if change is not None:
            change(database)
        assert "Typed, and not saved yet." in gus.text("desk/")
        assert "Wants the offer" in gus.page
        assert 'name="call_back_date-7" type="datetime-local" value="2026-11-18T18:00"' in gus.page
        assert 'name="disposition-7" value="call_back" required checked' in gus.page
        assert "<script>alert" not in gus.page
    assert re.findall(r'<section class="card" id="outcome-of-(\d+)"', gus.page) == ["8", "7"]
    assert "Not saved yet:" in gus.text("desk/live/")
    gus.get("desk/")
    assert gus.send("desk/disposition/", call="7", **{"disposition-7": "other", "note-7": "Done"}).status_code == 303
    assert (drafts(database), 'id="outcome-of-7"' in gus.get("desk/")) == ([], False)
    assert api.get("callrequest/7/disposition/")["note"] == "Done"


def test_a_refused_outcome_and_an_ended_session_keep_what_is_typed(
    gus: Visitor, api: Caller, database: Database
) -> None:
    talk_to_gus(database, campaign(api, name="Departures"))
    gus.get("desk/")
    gus.send("desk/draft/", call="7", **TYPED)
    empty = {"csrf": csrf(gus), "call": "7", "disposition-7": "", "note-7": "x"}
    nothing = gus.request("POST", "desk/disposition/", data=empty, headers=SCRIPT)
    assert (nothing.status_code, nothing.json()) == (400, {"messages": ["Choose the outcome of the call."]})
    assert gus.send("desk/disposition/", call="7", **{**TYPED, "disposition-7": "rich"}).status_code == 400
    store(database, delete(ConsoleSession))
    for path in ("desk/draft/", "desk/hold/"):
        ended = gus.request("POST", path, data={"csrf": csrf(gus), "call": "7"}, headers=SCRIPT)
        assert (ended.status_code, list(ended.json())) == (401, ["messages"])
    assert drafts(database) == [(7, 1, "call_back", "Wants the offer")]
    gus.sign_in("gus")
    assert "Wants the offer" in gus.get("desk/")


def csrf(gus: Visitor) -> str:
    found = re.search(r'name="csrf" value="([0-9a-f]{64})"', gus.page)
    assert found is not None
    return found[1]


def test_drafts_are_of_the_agent_who_talked_and_can_be_discarded(
    gus: Visitor, bob: Visitor, api: Caller, database: Database
) -> None:
    talk_to_gus(database, campaign(api, name="Departures"))
    gus.get("desk/")
    bob.get("account/")
    assert bob.send("desk/draft/", call="7", **TYPED).status_code == 404
    assert [gus.send("desk/draft/", call=call).status_code for call in ("x", "9", "")] == [404, 404, 404]
    assert gus.request("POST", "desk/draft/", data={"call": "7", **TYPED}).status_code == 403
    assert drafts(database) == []
    long = {"note-7": "n" * 5_000, "disposition-7": "d" * 5_000, "call_back_date-7": "soon"}
    assert gus.send("desk/draft/", call="7", **long).status_code == 303
    assert drafts(database) == [(7, 1, "d" * 160, "n" * 1_000)]
    assert "n" * 1_000 in gus.get("desk/")
    assert gus.send("desk/discard/", call="7").status_code == 303
    assert drafts(database) == []
    gus.send("desk/draft/", call="7", **TYPED)
    assert gus.send("desk/draft/", call="7", **{"note-7": "", "disposition-7": ""}).status_code == 303
    assert drafts(database) == []


def test_an_order_of_a_script_is_answered_without_a_page(gus: Visitor, api: Caller, database: Database) -> None:
    talk_to_gus(database, campaign(api, name="Departures"))
    gus.get("desk/")
    for path, fields in (("hold", {}), ("resume", {}), ("draft", TYPED), ("discard", {}), ("hang-up", {})):
        answer = gus.request("POST", f"desk/{path}/", data={"csrf": csrf(gus), "call": "7", **fields}, headers=SCRIPT)
        assert (answer.status_code, answer.content) == (204, b"")
    data = {"csrf": csrf(gus), "call": "7", "phone_number": "112"}
    wrong = gus.request("POST", "desk/transfer/", data=data, headers=SCRIPT)
    assert (wrong.status_code, wrong.json()) == (400, {"messages": ["An emergency number is never dialled."]})
    end_call(database)
    late = gus.request("POST", "desk/transfer/", data=data | {"phone_number": "+12025550160"}, headers=SCRIPT)
    told = "No agent talks in the call. Only a call that an agent has taken can be hung up, held or transferred."
    assert (late.status_code, late.json()) == (409, {"messages": [told]})


@pytest.mark.usefixtures("gus")
def test_an_erased_person_leaves_no_draft(admin: Visitor, api: Caller, database: Database) -> None:
    talk_to_gus(database, campaign(api, name="Departures"))
    end_call(database)
    dates = {"created_date": NOW_MS, "updated_date": NOW_MS}
    store(database, insert(CallDraft).values(callrequest_id=7, agent_id=1, note="Private", **dates))
    erase(admin, "+12025550001")
    assert drafts(database) == []


def erase(admin: Visitor, number: str) -> None:
    admin.get("account/")
    assert admin.send("number/erase/", number=number).status_code == 200


def test_nothing_is_typed_or_noted_about_an_erased_person(
    gus: Visitor, admin: Visitor, api: Caller, database: Database
) -> None:
    talk_to_gus(database, campaign(api, name="Departures"))
    gus.get("desk/")
    gus.send("desk/draft/", call="7", **TYPED)
    end_call(database)
    assert FORM.findall(gus.get("desk/")) == ["call-7"]
    erase(admin, "+12025550001")
    assert FORM.findall(gus.get("desk/")) == ["call-7-erased"]  # A box of another name keeps nothing.
    assert gus.send("desk/draft/", call="7", **TYPED).status_code == 404
    refused = gus.send("desk/disposition/", call="7", **{"disposition-7": "other", "note-7": "Private"})
    assert (refused.status_code, "The person was erased. Leave the note empty." in refused.text) == (400, True)
    assert drafts(database) == []
    assert gus.send("desk/disposition/", call="7", **{"disposition-7": "other", "note-7": ""}).status_code == 303
    assert api.get("callrequest/7/disposition/")["note"] == ""


def test_an_erased_caller_who_is_no_subscriber_leaves_no_words(
    gus: Visitor, admin: Visitor, api: Caller, database: Database
) -> None:
    talk_to_gus(database, campaign(api, name="Departures"))
    end_call(database)
    begin_next_call(database)
    end_call(database)
    gus.get("desk/")
    dates = {"created_date": NOW_MS, "updated_date": NOW_MS}
    said = {"disposition": "call_back", "note": "Private", "call_back_ms": NOW_MS + 1_000}
    store(
        database,
        insert(CallDisposition).values(callrequest_id=8, **said, **dates),
        insert(CallDraft).values(callrequest_id=8, agent_id=1, note="Private", **dates),
    )
    erase(admin, "+12025550002")
    columns = (CallDisposition.disposition, CallDisposition.note, CallDisposition.call_back_ms)
    left = database.read_now(lambda c: c.execute(select(*columns)).all())
    assert ([tuple(row) for row in left], drafts(database)) == ([("call_back", "", None)], [])
    assert gus.send("desk/draft/", call="8", **{"note-8": "Again"}).status_code == 404
    assert gus.send("desk/disposition/", call="8", **{"disposition-8": "other", "note-8": "x"}).status_code == 400


@pytest.mark.parametrize("zone", ["America/Los_Angeles", "Europe/Berlin", "Pacific/Kiritimati", "UTC"])
@pytest.mark.parametrize("time", ["9999-12-31T23:59", "0001-01-01T00:00", "2201-01-01T00:00", "1969-12-31T23:59"])
def test_a_time_that_no_page_can_show_is_no_part_of_a_draft(
    gus: Visitor, api: Caller, database: Database, zone: str, time: str
) -> None:
    talk_to_gus(database, campaign(api, name="Departures"))
    gus.cookies["dialer_zone"] = quote(zone, safe="")
    gus.get("desk/")
    assert gus.send("desk/draft/", call="7", **{**TYPED, "call_back_date-7": time}).status_code == 303
    assert 'name="call_back_date-7" type="datetime-local" value=""' in gus.get("desk/")
    wrong = gus.send("desk/disposition/", call="7", **{**TYPED, "call_back_date-7": time})
    assert (wrong.status_code, "Wants the offer" in wrong.text) == (400, True)
    assert gus.send("desk/discard/", call="7").status_code == 303


def test_an_outcome_that_its_agent_saves_elsewhere_takes_from_the_draft_what_it_stores(
    gus: Visitor, alice: Visitor, api: Caller, database: Database
) -> None:
    """The page of the call does not show the draft, so another note there ends nobody's: managers still read it."""
    talk_to_gus(database, campaign(api, name="Departures"))
    end_call(database)
    write_records(database)
    agents_own, of_page = Caller(api.client, "gus"), {"disposition": "other", "note": TYPED["note-7"]}
    for save_as_gus, left in (
        (lambda: gus.send("calls/70/disposition/", disposition="other", note="On its page"), TYPED["note-7"]),
        (lambda: gus.send("calls/70/disposition/", **of_page), ""),
        (lambda: agents_own.request("PUT", "callrequest/7/disposition/", json=SAVED), ""),
    ):
        gus.get("desk/")
        gus.send("desk/draft/", call="7", **{name: TYPED[name] for name in ("note-7", "disposition-7")})
        alice.get("account/")
        assert alice.send("calls/70/disposition/", disposition="success", note="By another").status_code == 303
        assert drafts(database) == [(7, 1, "call_back", "Wants the offer")]
        assert save_as_gus().status_code in {200, 303}
        assert drafts(database) == ([(7, 1, "", left)] if left else [])
        assert left or "Not saved yet" not in gus.text("desk/")


def test_a_form_that_lacks_a_time_tells_nobody_which_calls_there_are(
    gus: Visitor, bob: Visitor, api: Caller, database: Database
) -> None:
    talk_to_gus(database, campaign(api, name="Departures"))
    gus.get("desk/")
    bob.get("account/")
    fields = {"disposition": "call_back", "note": "", "call_back_date": ""}
    assert [bob.send("desk/disposition/", call=call, **fields).status_code for call in ("7", "9")] == [404, 404]
    assert gus.send("desk/disposition/", call="7", **fields).status_code == 400


def test_a_transfer_is_of_the_call_that_its_panel_was_opened_for(gus: Visitor, api: Caller, database: Database) -> None:
    talk_to_gus(database, campaign(api, name="Departures"))
    panels = re.findall(r'id="transfer-of-(\d+)" data-keep', gus.get("desk/"))
    end_call(database)
    begin_next_call(database)
    assert (panels, re.findall(r'id="transfer-of-(\d+)" data-keep', gus.get("desk/"))) == (["7"], ["8"])


def test_pages_of_calls_open_beside_the_desk(gus: Visitor, api: Caller, database: Database) -> None:
    talk_to_gus(database, campaign(api, name="Departures"))
    end_call(database)
    write_records(database)
    assert '<a href="/console/calls/70/" target="_blank">' in gus.get("desk/")
