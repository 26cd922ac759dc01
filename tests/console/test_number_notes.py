"""Tests of notes on numbers: on the page of a number, at the desk, and in an erasure."""

import re
from typing import Any

from litestar import Litestar
from litestar.testing import TestClient
from sqlalchemy import select

from dialer.store.database.database import Database
from dialer.store.tables import NumberNote
from tests.api.harness import Caller
from tests.console.building import HOSTILE, campaign
from tests.console.test_desk import gus, talk_to_gus
from tests.console.visitor import Visitor, token_of, words

__all__ = ["gus"]
PAGE = "number/?number=%2B12025550100"
NOTE = "Calls back on Mondays.\nSpeaks Welsh."


def keep(who: Visitor, text: str, number: str = "+1 (202) 555-0100") -> int:
    who.get(PAGE)
    return who.send("number/note/", number=number, note=text).status_code


def notes(database: Database) -> list[tuple[Any, ...]]:
    columns = NumberNote.user_id, NumberNote.number, NumberNote.text, NumberNote.author_id
    return [
        tuple(row) for row in database.read_now(lambda c: c.execute(select(*columns).order_by(NumberNote.id)).all())
    ]


def test_a_note_belongs_to_a_number_and_an_account(
    alice: Visitor, bob: Visitor, admin: Visitor, client: TestClient[Litestar], database: Database
) -> None:
    assert keep(alice, NOTE.replace("\n", "\r\n")) == 303
    assert notes(database) == [(2, "+12025550100", NOTE, 2)]
    shown = alice.text(f"{PAGE}&done=noted&of=2")
    assert "The note is kept." in shown
    assert "alice" in shown
    assert NOTE in alice.page
    vera = Visitor(client)
    vera.sign_in("vera")
    assert NOTE in vera.get(PAGE)
    assert "Keep the note" not in vera.page
    assert "Welsh" not in bob.get(PAGE)
    assert "Welsh" in admin.get(PAGE)
    assert keep(bob, "Bob's own") == 303
    assert keep(alice, "Shorter") == 303
    assert notes(database) == [(2, "+12025550100", "Shorter", 2), (3, "+12025550100", "Bob's own", 3)]
    assert keep(alice, " \r\n ") == 303
    assert "There is no note." in alice.text(f"{PAGE}&done=noted&of=2")
    assert notes(database) == [(3, "+12025550100", "Bob's own", 3)]


def test_hostile_and_wrong_notes(alice: Visitor, vera: Visitor, database: Database) -> None:
    assert keep(alice, HOSTILE) == 303
    assert "<script>alert" not in alice.get(PAGE)
    assert 'alert("x")' in words(alice.page)
    too_long = "x" * 2_001
    alice.get(PAGE)
    answer = alice.send("number/note/", number="+12025550100", note=too_long)
    assert (answer.status_code, too_long in answer.text) == (400, True)
    assert keep(alice, "nul \x00") == 400
    assert keep(alice, "whose?", number="nobody") == 400
    assert len(notes(database)) == 1
    vera.get("account/")
    assert vera.send("number/note/", number="+12025550100", note="mine").status_code == 403


def test_an_older_tab_does_not_overwrite_a_newer_note(alice: Visitor, database: Database) -> None:
    def known() -> str:
        return str(re.findall(r'name="known" value="([^"]*)"', alice.get(PAGE))[0])

    def send(text: str, version: str) -> Any:  # noqa: ANN401 - an answer
        return alice.send("number/note/", number="+12025550100", note=text, known=version)

    empty = known()
    assert send("The first", empty).status_code == 303
    first = known()
    for version in (empty, "nonsense"):
        answer = send("Of the older tab", version)
        assert answer.status_code == 409
        shown = words(answer.text)
        assert "Somebody has changed the note meanwhile" in shown
        assert ("Of the older tab" in shown, "The first" in shown) == (True, True)
        assert re.findall(r'name="known" value="([^"]*)"', answer.text) == [first]
    assert notes(database) == [(2, "+12025550100", "The first", 2)]
    assert send("Both", first).status_code == 303
    assert send("", first).status_code == 409
    assert send("", known()).status_code == 303
    assert notes(database) == []


def test_admins_are_told_whose_note_it_is(alice: Visitor, admin: Visitor) -> None:
    for who, agents in ((alice, True), (admin, False)):
        shown = who.text(PAGE)
        assert ("Agents see it at their desk" in shown, "of your own account" in shown) == (agents, not agents)


def test_why_a_note_is_refused_is_said_in_the_readers_language(alice: Visitor) -> None:
    alice.get(PAGE)
    filled = {"number": "+12025550100", "note": "x" * 2_001, "csrf": token_of(alice.page)}
    answer = alice.request("POST", "number/note/", data=filled, headers={"Accept-Language": "de"})
    assert (answer.status_code, "characters" in words(answer.text)) == (400, False)


def test_an_agent_sees_it_in_the_call(gus: Visitor, alice: Visitor, api: Caller, database: Database) -> None:
    keep(alice, NOTE, number="+12025550001")
    talk_to_gus(database, campaign(api, name="Departures"))
    assert NOTE in gus.get("desk/")
    assert "Note on the number" in words(gus.page)


def test_it_goes_with_the_person(alice: Visitor, admin: Visitor, database: Database) -> None:
    keep(alice, "of the one")
    keep(alice, "of another", number="+12025550101")
    admin.get(PAGE)
    assert "The person is erased." in words(admin.send("number/erase/", number="+12025550100").text)
    assert [text for _, _, text, _ in notes(database)] == ["of another"]
