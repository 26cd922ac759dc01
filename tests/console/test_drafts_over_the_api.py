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
from tests.console.test_drafts import end_call, erase
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
    "call_back_date": "2026-11-20T17:30:00Z",
    "same_agent": True,
    "fields": {"email": "ada@example.com"},
}


@pytest.fixture
def program(gus: Visitor, contact: str, api: Caller) -> Caller:  # noqa: ARG001 - are there
    """Return a program of the agent Gus, who talks in call 7."""
    return Caller(api.client, "gus")


def put(who: Caller, **typed: object) -> tuple[int, Any]:
    answer = who.request("PUT", PATH, json=typed)
    return answer.status_code, answer.json()


def test_a_draft_of_a_program_is_that_of_the_desk(program: Caller, gus: Visitor) -> None:
    assert program.request("GET", PATH).status_code == 404
    assert put(program, **TYPED) == (200, {"agent": 1, **TYPED})
    assert program.get(PATH) == {"agent": 1, **TYPED}
    page = gus.get("desk/")
    assert (">\nWants a red one, by Fri</textarea>" in page, 'value="ada@example.com"' in page) == (True, True)
    gus.send("desk/draft/", call="7", **{"note-7": "by the desk", "disposition-7": "Sold = success"})
    typed = {**NOTHING, "disposition": "success", "word": "Sold", "note": "by the desk"}
    assert program.get(PATH) == {"agent": 1, **typed}
    assert put(program, note="shorter") == (200, {"agent": 1, **NOTHING, "note": "shorter"})


def test_a_draft_goes_when_it_is_deleted_empty_or_the_outcome_is_saved(program: Caller, database: Database) -> None:
    deletes = (
        lambda: program.request("DELETE", PATH).status_code == 204,
        lambda: put(program) == (200, {"agent": 1, **NOTHING}),
        lambda: (
            program.request("PUT", "callrequest/7/disposition/", json={"disposition": "success"}).status_code == 200
        ),
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
    assert program.get(PATH) == {"agent": 1, **NOTHING, "note": "by the desk", "fields": TYPED["fields"]}
    told = {**NOTHING, "note": "by a program", "fields": {"interest": "hot"}}
    assert put(program, note="by a program", fields={"interest": "hot"}) == (200, {"agent": 1, **told})
    assert put(program) == (200, {"agent": 1, **NOTHING})
    assert program.request("GET", PATH).status_code == 404


def test_managers_read_the_newest_draft_and_strangers_none(program: Caller, api: Caller, database: Database) -> None:
    put(program, **TYPED)
    assert api.get(PATH) == {"agent": 1, **TYPED}
    api.create("agent", name="Hal", status=1)
    dates = {"created_date": NOW_MS, "updated_date": 4 * NOW_MS}
    newer = {"callrequest_id": 7, "agent_id": 2, "note": "newer", "fields": ""}
    store(database, insert(CallDraft).values(**newer, **dates))
    assert api.get(PATH) == {"agent": 2, **NOTHING, "note": "newer"}
    assert program.get(PATH) == {"agent": 1, **TYPED}
    for method in ("PUT", "DELETE"):
        assert api.request(method, PATH, json={"note": "x"}).status_code == 404
    stranger = Caller(api.client, "bob")
    assert [stranger.request(method, PATH, json={}).status_code for method in ("GET", "PUT", "DELETE")] == [404] * 3
    assert program.get(PATH) == {"agent": 1, **TYPED}


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
    assert program.get(PATH) == {"agent": 1, **TYPED}


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
