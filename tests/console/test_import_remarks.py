"""Tests of what pages say of numbers that were read kindly, that have lost a 0, and that protect nobody."""

import pytest

from dialer.console.pages import imports
from tests.api.harness import Caller
from tests.console.test_importing import BOOK, change, look, press, upload
from tests.console.visitor import Visitor, words

LIST = "records/dnc-list/1/import/"
ITALIANS = b"Phone,full_name\n0612345670,Ada\n612345678,Bo\n3123456789,Cy\n"
DOUBTFUL = b"phone_number\n1001\n+1202555\n+1 202 555 0104 ext. 5\n"
PROTECTS_NOBODY = "2 numbers on do-not-call lists protect nobody: they are too short, or nobody can have them."


def test_zeros_are_mended_if_the_box_is_ticked(alice: Visitor, api: Caller) -> None:
    api.create("phonebook", name="Book")
    look(alice, BOOK, ITALIANS)
    shown = change(alice, region="IT")
    assert "1 number has lost a 0 that belongs to it" in shown
    assert "Give the numbers back the 0 that they have lost" in shown
    shown = change(alice, mend_zeros="1")
    assert "1 number got a 0 back that it had lost." in shown
    assert "→ +390612345678 " in shown
    done = words(press(alice, **{"import": "1"}).text)
    assert "1 number got a 0 back that it had lost." in done
    assert {one["contact"] for one in api.get("contact/")["results"]} >= {"+390612345678"}


def test_a_box_that_was_not_seen_mends_nothing_yet(alice: Visitor, api: Caller) -> None:
    api.create("phonebook", name="Book")
    look(alice, BOOK, ITALIANS)
    change(alice, region="IT")
    answer = press(alice, **{"import": "1", "mend_zeros": "1"})
    assert (answer.status_code, api.get("contact/")["count"]) == (303, 0)


@pytest.mark.parametrize(
    ("file", "region", "is_offered"),
    [
        (b"Phone,full_name\n+390612345670,Ada\n+39 612345678,Bo\n", "", True),
        (b"Phone,full_name\n0612345670,Ada\n3123456789,Cy\n", "IT", True),
        (b"Phone,full_name\n+390612345670,Ada\n030 23007400,Cy\n", "DE", False),
    ],
)
def test_a_large_list_that_is_not_checked_yet_offers_to_mend_zeros(
    alice: Visitor, api: Caller, monkeypatch: pytest.MonkeyPatch, file: bytes, region: str, *, is_offered: bool
) -> None:
    api.create("phonebook", name="Book")
    monkeypatch.setattr(imports, "CHECKED_BYTES_MAX", 0)
    address = upload(alice, BOOK, file).headers["location"].removeprefix("/console/")
    shown = alice.text(f"{address}&region={region}")
    assert "The file is large, so only its first lines were read." in shown
    assert ("Give the numbers back the 0 that they have lost" in shown) is is_offered


def test_numbers_that_protect_nobody_are_loud_at_the_import_and_on_the_page_of_the_list(
    alice: Visitor, api: Caller
) -> None:
    api.create("dnc-list", name="Never")
    assert "protect nobody" not in alice.text("records/dnc-list/1/")
    shown = look(alice, LIST, DOUBTFUL)
    assert PROTECTS_NOBODY in shown
    assert "The extension of 1 number was left out." in shown
    assert PROTECTS_NOBODY in words(press(alice, **{"import": "1"}).text)
    assert PROTECTS_NOBODY in alice.text("records/dnc-list/1/")


def test_a_list_whose_few_names_may_be_of_several_sets_asks_how_they_are_spelled(alice: Visitor, api: Caller) -> None:
    api.create("phonebook", name="Book")
    shown = look(alice, BOOK, "Phone,full_name\n+4930123456,\u015eahin\n".encode("cp1254"))
    assert "How are the names spelled?" in shown
    for reading in ("\u015eahin \u2013 Windows-1254 (Turkish)", "\u00deahin \u2013 Windows-1252", "\u017dahin \u2013"):
        assert reading in shown
    refused = words(press(alice, **{"import": "1"}).text)
    assert "Choose how the names are spelled." in refused
    assert api.get("contact/")["count"] == 0
    shown = change(alice, answer="charset:windows-1254")
    assert "How are the names spelled?" not in shown
    assert "Will be stored 1" in shown
    press(alice, **{"import": "1"})
    assert [one["full_name"] for one in api.get("contact/")["results"]] == ["\u015eahin"]


def test_the_country_of_the_numbers_tells_how_names_are_spelled(alice: Visitor, api: Caller) -> None:
    """Everywhere else, `Pe\u0144a` would be read as `Pe\u00f1a` without a question."""
    api.create("phonebook", name="Book")
    for number in ("+48221234567", "22 123 45 67"):
        address = upload(alice, BOOK, f"Phone,full_name\n{number},Pe\u0144a\n".encode("cp1250")).headers["location"]
        shown = alice.text(f"{address.removeprefix('/console/')}&region=PL")
        assert "Pe\u0144a \u2013 Windows-1250" in shown
    spanish = "Phone,full_name\n+34612345678,Pe\u00f1a\n".encode("cp1252")
    assert "How are the names spelled?" not in look(alice, BOOK, spanish)
