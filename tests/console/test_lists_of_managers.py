"""Lists as managers have them: their country and the wishes in them are read right, or asked for."""

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dialer.console.parts.zones import COOKIE
from dialer.domain.numbers.normal_form import normalise
from dialer.store.database.database import Database
from tests.api.harness import Caller
from tests.console.test_importing import BOOK, change, chosen, look, press
from tests.console.test_spreadsheets import stored_in
from tests.console.visitor import Visitor, words

QUESTION = "From which country are the numbers without one?"
FRENCH = "".join(f"Dupont;Anne{place};06 39 98 0{place} {20 + 3 * place}\n" for place in range(10))
SALESFORCE = b"First Name,Last Name,Phone,Do Not Call\nAda,Byron,+12025550143,0\nBo,Lee,+12025550144,1\nCy,Day,,1\n"


def in_berlin(visitor: Visitor, api: Caller) -> None:
    """Let the visitor come from Berlin, and make a phonebook."""
    visitor.cookies[COOKIE] = "Europe%2FBerlin"
    api.create("phonebook", name="Book")


def answer(visitor: Visitor, value: str) -> str:
    """Press the button with an answer, and return the words of the page that follows."""
    assert f'name="answer" value="{value}"' in visitor.page
    return change(visitor, answer=value)


def numbers(api: Caller) -> list[str]:
    return [one["contact"] for one in api.get("contact/", page_size=100)["results"]]


def test_a_french_list_in_berlin_is_asked_about_and_imported_with_one_click(alice: Visitor, api: Caller) -> None:
    in_berlin(alice, api)
    shown = look(alice, BOOK, f"Nom;Prénom;Téléphone\n{FRENCH}".encode())
    assert QUESTION in shown
    assert 'name="import"' not in alice.page
    refused = press(alice, **{"import": "1"})
    assert "Choose the country of the numbers without one." in words(refused.text)
    assert numbers(api) == []
    assert "Import 10 people" in answer(alice, "region:FR")
    assert "Stored 10" in words(press(alice, **{"import": "1"}).text)
    assert api.get("users/2/")["default_region"] == ""


def test_other_numbers_of_the_file_tell_its_country(alice: Visitor, api: Caller) -> None:
    in_berlin(alice, api)
    told = "Martin;Luc;+33 6 39 98 01 11\nMartin;Eve;0033 639980112\n"
    shown = look(alice, BOOK, f"Nom;Prénom;Téléphone\n{FRENCH}{told}".encode())
    assert (QUESTION in shown, "Import 12 people" in shown) == (False, True)
    assert chosen(alice.page)["region"] == "FR"


def test_people_who_must_not_be_called_are_left_out_and_listed(alice: Visitor, api: Caller) -> None:
    in_berlin(alice, api)
    shown = look(alice, BOOK, SALESFORCE)
    assert "Will be stored 1" in shown
    assert "Must not be called, left out 1" in shown
    done = words(press(alice, **{"import": "1"}).text)
    assert ("Stored 1" in done, "Must not be called, left out 1" in done) == (True, True)
    assert numbers(api) == ["+12025550143"]
    (entry,) = api.get("dnc-contact/")["results"]
    assert (entry["phone_number"], entry["source"], entry["said"]) == ("+12025550144", "import", "Do Not Call: 1")


def test_notes_with_words_of_refusal_are_asked_about(alice: Visitor, api: Caller) -> None:
    in_berlin(alice, api)
    rows = b"Phone,NOTES\n+12025550143,nice\n+12025550144,please do not call again\n"
    shown = look(alice, BOOK, rows)
    assert "Does the column \u201cNOTES\u201d say who must not be called?" in shown
    assert 'name="import"' not in alice.page
    assert "Import 1 person" in answer(alice, "m1:do_not_call_notes")
    assert "Import 2 people" in change(alice, m1="variable")


def test_a_changed_choice_is_looked_at_before_it_is_imported(alice: Visitor, api: Caller) -> None:
    in_berlin(alice, api)
    look(alice, BOOK, b"Phone,Mobile,Name\n+12025550143,,Ada\n+12025550144,+12025550145,Bo\n")
    assert [chosen(alice.page)[f"m{place}"] for place in range(3)] == ["number_2", "number", "full_name"]
    moved = press(alice, m0="number", m1="leave_out", **{"import": "1"})
    assert (moved.status_code, numbers(api)) == (303, [])
    shown = alice.text(moved.headers["location"].removeprefix("/console/"))
    assert ("You have changed something." in shown, "Import 2 people" in shown) == (True, True)
    press(alice, **{"import": "1"})
    assert numbers(api) == ["+12025550143", "+12025550144"]


_CELLS = st.one_of(
    st.from_regex(r"0[1-9][0-9]{7,9}", fullmatch=True),
    st.from_regex(r"[2-9][0-9]{2}\.[0-9]{3}\.[0-9]{4}", fullmatch=True),
    st.from_regex(r"\+(?:33|49|1202|44)[0-9]{7,9}", fullmatch=True),
)


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(cells=st.lists(_CELLS, min_size=1, max_size=6))
def test_no_number_gets_a_country_that_neither_the_file_nor_the_viewer_has_named(
    alice: Visitor, api: Caller, database: Database, cells: list[str]
) -> None:
    book = api.create("phonebook", name="Book")["id"]
    look(alice, f"records/phonebook/{book}/import/", "\n".join(["Phone", *cells]).encode())
    region = chosen(alice.page).get("region", "")
    assert press(alice, **{"import": "1"}).status_code < 500
    stored = {number for number, _ in stored_in(database, book)}
    explicit = {normalise(cell, None) for cell in cells if cell.startswith("+")}
    named = {normalise(cell, region) for cell in cells} if region not in {"", "ask"} else set()
    bare = {normalise(cell, None) for cell in cells}
    assert stored == set() if region == "ask" else stored <= explicit | named | bare
