"""Tests of notes on numbers: one for each number of an account, in normal form, with who wrote it last."""

from dialer.app.erasure.erasure import erase_number
from dialer.store.database.database import Database
from tests.api.harness import NOW_MS, Caller

ALICE, BOB = 2, 3
NUMBER = "+442079460000"


def test_a_note_is_kept_in_normal_form_once_in_an_account(alice: Caller, bob: Caller) -> None:
    made = alice.create("number-note", number="+44 20 7946 0000", text="Prefers mornings")
    assert (made["number"], made["text"], made["user"], made["author"]) == (
        *(NUMBER, "Prefers mornings"),
        *["http://testserver.local/rest-api/users/2/"] * 2,
    )
    status, errors = alice.refused("POST", "number-note/", number="+44 (0)20 7946 0000", text="Again")
    assert (status, errors) == (400, {"number": [f"The account has a note on {NUMBER} already. Change that one."]})
    assert bob.create("number-note", number=NUMBER, text="Bob's")["text"] == "Bob's"
    assert [one["text"] for one in alice.get(f"number-note/?search={NUMBER}")["results"]] == ["Prefers mornings"]
    assert bob.request("GET", made["url"]).status_code == 404
    alice.change(made["url"], text="Never on Mondays")
    assert alice.refused("PATCH", made["url"], number="+442079460001")[0] == 400
    changed = alice.get(made["url"])
    assert (changed["text"], changed["number"]) == ("Never on Mondays", NUMBER)
    assert alice.refused("PATCH", made["url"], text=" ") == (400, {"text": ["This field may not be blank."]})


def test_an_admin_writes_the_note_of_an_account_and_is_its_author(alice: Caller, admin: Caller) -> None:
    made = admin.create("number-note", number=NUMBER, text="Look at the contract", user=ALICE)
    assert (made["user"], made["author"]) == tuple(f"http://testserver.local/rest-api/users/{one}/" for one in (2, 1))
    assert alice.get(made["url"])["text"] == "Look at the contract"
    file = alice.request("GET", "number-note/?format=csv").text
    assert "Look at the contract" in file
    assert alice.refused("POST", "number-note/", number="+442079460005", text="x", user=BOB)[0] == 400


def test_an_erased_number_has_no_note(alice: Caller, database: Database) -> None:
    made = alice.create("number-note", number=NUMBER, text="Prefers mornings")
    erase_number(database, NUMBER, lambda _: None, NOW_MS)
    assert alice.request("GET", made["url"]).status_code == 404
