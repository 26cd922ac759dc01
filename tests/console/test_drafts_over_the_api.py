"""Tests of programs that read, keep and delete what an agent has typed about a call, beside the desk."""

from typing import Any, Final

import pytest
from sqlalchemy import insert, select

from dialer.store.database.database import Database
from dialer.store.tables import CallDraft, Transfer
from tests.api.harness import NOW_MS, Caller
from tests.console.building import store
from tests.console.test_agent_fields import contact as contact  # noqa: PLC0414 - a fixture
from tests.console.test_desk import gus as gus  # noqa: PLC0414 - a fixture
from tests.console.test_drafts import end_call, erase, write_records
from tests.console.visitor import Visitor

PATH: Final = "callrequest/7/draft/"
NOTHING: Final[dict[str, Any]] = {
    "disposition": None,
    "word": "",
    "note": "",
    "call_back_date": None,
    "same_agent": False,
    "fields": {},
}
TYPED: Final = {
    "disposition": "call_back",
    "word": "After summer",
    "note": "Wants a red one, by Fri",
    "call_back_date": "2026-11-18T17:30:00Z",
    "same_agent": True,
    "fields": {"email": "ada@example.com"},
}

SAVED: Final = {name: TYPED[name] for name in ("note", "call_back_date", "fields")} | {"disposition": "call_back"}


@pytest.fixture
def program(gus: Visitor, contact: str, api: Caller) -> Caller:  # noqa: ARG001 - are there
    """Return a program of the agent Gus, who talks in call 7."""
    return Caller(api.client, "gus")


def shown(agent: int, typed: dict[str, Any], *older: dict[str, Any]) -> dict[str, Any]:
    """Return the answer with the draft of an agent, and those of others."""
    return {"agent": agent, **typed, "older": list(older)}


def put(who: Caller, **typed: object) -> tuple[int, Any]:
    answer = who.request("PUT", PATH, json=typed)
    return answer.status_code, answer.json()


def test_a_draft_of_a_program_is_that_of_the_desk(program: Caller, gus: Visitor) -> None:
    assert program.request("GET", PATH).status_code == 404
    assert put(program, **TYPED) == (200, shown(1, TYPED))
    assert program.get(PATH) == shown(1, TYPED)
    page = gus.get("desk/")
    assert (">\nWants a red one, by Fri</textarea>" in page, 'value="ada@example.com"' in page) == (True, True)
    gus.send("desk/draft/", call="7", **{"note-7": "by the desk", "disposition-7": "Sold = success"})
    typed = {**NOTHING, "disposition": "success", "word": "Sold", "note": "by the desk"}
    assert program.get(PATH) == shown(1, typed)
    assert put(program, note="shorter") == (200, shown(1, {**NOTHING, "note": "shorter"}))


def test_a_tab_of_the_desk_sends_only_what_is_typed_in_it(program: Caller, gus: Visitor) -> None:
    def send(**typed: str) -> dict[str, Any]:
        gus.get("desk/")
        assert gus.send("desk/draft/", call="7", partial="1", **typed).status_code == 303
        return dict(program.get(PATH))

    put(program, **TYPED)
    assert send(**{"note-7": "by a tab"}) == shown(1, {**TYPED, "note": "by a tab"})
    assert send(**{"same_agent-7": "", "field-7-interest": "hot"}) == shown(
        1,
        {**TYPED, "note": "by a tab", "same_agent": False, "fields": {"email": "ada@example.com", "interest": "hot"}},
    )
    left = {**TYPED, "note": "by a tab", "same_agent": False, "fields": {"interest": "hot"}}
    assert send(**{"not-7-email": "1"}) == shown(1, left)
    assert send(**{"disposition-7": "success"}) == shown(1, {**left, "disposition": "success", "word": ""})
    saved = {"disposition": "call_back", "note": "by a tab", "call_back_date": left["call_back_date"]}
    assert (
        program.request("PUT", "callrequest/7/disposition/", json={**saved, "fields": left["fields"]}).status_code
        == 200
    )
    assert program.request("GET", PATH).status_code == 404
    again = {**NOTHING, **saved, "fields": {}, "note": "over what is saved"}
    assert send(**{"note-7": "over what is saved"}) == shown(1, again)


def test_a_draft_goes_when_it_is_deleted_empty_or_the_outcome_is_saved(program: Caller, database: Database) -> None:
    deletes = (
        lambda: program.request("DELETE", PATH).status_code == 204,
        lambda: put(program) == (200, shown(1, NOTHING)),
        lambda: program.request("PUT", "callrequest/7/disposition/", json=SAVED).status_code == 200,
    )
    for delete in deletes:
        assert put(program, **TYPED)[0] == 200
        assert delete()
        assert program.request("GET", PATH).status_code == 404
        assert database.read_now(lambda c: c.scalar(select(CallDraft.id))) is None
    assert program.request("DELETE", PATH).status_code == 404


def test_a_program_replaces_columns_that_are_asked_for_no_longer_and_the_desk_keeps_them(
    program: Caller, gus: Visitor, api: Caller
) -> None:
    assert put(program, **TYPED)[0] == 200
    api.change("campaigns/1/", agent_fields="interest")
    gus.get("desk/")
    gus.send("desk/draft/", call="7", **{"note-7": "by the desk"})
    assert program.get(PATH) == shown(1, {**NOTHING, "note": "by the desk", "fields": TYPED["fields"]})
    told = {**NOTHING, "note": "by a program", "fields": {"interest": "hot"}}
    assert put(program, note="by a program", fields={"interest": "hot"}) == (200, shown(1, told))
    assert put(program) == (200, shown(1, NOTHING))
    assert program.request("GET", PATH).status_code == 404


def test_managers_read_the_newest_draft_and_strangers_none(program: Caller, api: Caller, database: Database) -> None:
    put(program, **TYPED)
    assert api.get(PATH) == shown(1, TYPED)
    api.create("agent", name="Hal", status=1)
    dates = {"created_date": NOW_MS, "updated_date": 4 * NOW_MS}
    newer = {"callrequest_id": 7, "agent_id": 2, "note": "newer", "fields": ""}
    store(database, insert(CallDraft).values(**newer, **dates))
    assert api.get(PATH) == shown(2, {**NOTHING, "note": "newer"}, {"agent": 1, **TYPED})
    assert program.get(PATH) == shown(1, TYPED)
    for method in ("PUT", "DELETE"):
        assert api.request(method, PATH, json={"note": "x"}).status_code == 404
    stranger = Caller(api.client, "bob")
    assert [stranger.request(method, PATH, json={}).status_code for method in ("GET", "PUT", "DELETE")] == [404] * 3
    assert program.get(PATH) == shown(1, TYPED)


def test_a_disposition_takes_from_the_draft_what_it_stores_and_no_more(program: Caller, api: Caller) -> None:
    def said(**given: object) -> dict[str, Any]:
        assert put(program, **TYPED)[0] == 200
        answer = program.request("PUT", "callrequest/7/disposition/", json={"disposition": "success", **given})
        assert answer.status_code == 200, answer.text
        found = program.request("GET", PATH)
        return dict(found.json()) if found.status_code == 200 else {}

    left = {**TYPED, "disposition": None, "word": ""}
    assert said() == shown(1, left)
    assert said(note="Sold at once") == shown(1, left)
    assert said(note=TYPED["note"]) == shown(1, {**left, "note": ""})
    assert said(fields=TYPED["fields"]) == shown(1, {**left, "fields": {}})
    kept = {**left, "note": "", "call_back_date": None, "same_agent": False, "fields": {}}
    promise = {"disposition": "call_back", "call_back_date": TYPED["call_back_date"]}
    assert said(**promise) == shown(1, {**kept, "note": TYPED["note"], "fields": TYPED["fields"]})
    assert said(**promise, note=TYPED["note"], fields=TYPED["fields"]) == {}
    assert put(program, **TYPED)[0] == 200
    assert api.request("PUT", "callrequest/7/disposition/", json={"disposition": "other"}).status_code == 200
    assert program.get(PATH) == shown(1, TYPED)


def test_managers_read_on_the_page_of_a_call_what_agents_never_saved(
    program: Caller, gus: Visitor, alice: Visitor, api: Caller, database: Database
) -> None:
    put(program, **TYPED)
    api.create("agent", name="Hal <b>", status=1)
    older = {
        "callrequest_id": 7,
        "agent_id": 2,
        "note": "Hal's <i>note</i>",
        "fields": "",
        "disposition": "not_interested",
    }
    store(database, insert(CallDraft).values(**older, created_date=NOW_MS, updated_date=NOW_MS - 60_000))
    end_call(database)
    write_records(database)
    text = alice.text("calls/70/")
    words = "Typed by agents, and not saved Gus, 18 Nov 2026, 11:06 After summer Wants a red one, by Fri Call back at"
    assert words in text
    assert "email: ada@example.com" in text
    assert "Hal <b>, 18 Nov 2026, 11:05 Not interested Hal's <i>note</i>" in text
    assert [one["agent"] for one in api.get(PATH)["older"]] == [2]
    viewer = Visitor(gus.client)
    viewer.sign_in("vera")
    assert ("+12025550001" in viewer.text("calls/70/"), "Typed by agents" in viewer.page) == (True, False)
    assert Caller(api.client, "vera").get(PATH) == shown(1, TYPED)
    assert "Typed by agents" not in gus.text("calls/70/")
    assert program.get(PATH) == shown(1, TYPED)


@pytest.mark.parametrize(
    ("typed", "field"),
    [
        ({"note": "x" * 1_001}, "note"),
        ({"disposition": "rich"}, "disposition"),
        ({"word": "x" * 101}, "word"),
        ({"call_back_date": "tomorrow"}, "call_back_date"),
        ({"same_agent": "perhaps"}, "same_agent"),
        ({"fields": {"email": "e" * 256}}, "fields"),
        ({"fields": {"seat": "1"}}, "fields"),
        ({"fields": {"email": 1}}, "fields"),
        ({"fields": "[]"}, "fields"),
    ],
)
def test_a_wrong_draft_is_refused_and_loses_nothing(program: Caller, typed: dict[str, Any], field: str) -> None:
    put(program, **TYPED)
    status, errors = put(program, **typed)
    assert (status, list(errors)) == (400, [field])
    assert program.get(PATH) == shown(1, TYPED)


def test_an_agent_who_has_not_talked_or_whose_callee_was_erased_keeps_no_draft(
    program: Caller, admin: Visitor, database: Database
) -> None:
    put(program, **TYPED)
    end_call(database)
    erase(admin, "+12025550001")
    assert program.request("GET", PATH).status_code == 404
    assert put(program, note="x")[0] == 404
    store(database, Transfer.__table__.update().values(answered_ms=None))
    assert put(program, note="x")[0] == 404
