"""An import counts the people whose numbers are on do-not-call lists, before and after it stores them."""

from typing import Any

import pytest

from dialer.app.imports import imports
from tests.api.harness import Caller

FILE = (
    b"contact,full_name\n+12025550101,Ann\n+12025550102,Ben\n+12025550103,Cem\n+493023007400,Dora\n+12025550104,Eve\n"
)
CSV = {"Content-Type": "text/csv"}
HEADER = (
    "imported=5, duplicates=0, not_to_be_called=0, rejected=0, warned=0, hidden=0, totals=0, on_dnc=2, on_other_dnc=1"
)


def load(caller: Caller, path: str, content: bytes = FILE) -> dict[str, Any]:
    answer = caller.request("POST", path, content=content, headers=CSV)
    assert answer.status_code == 200, answer.text
    report: dict[str, Any] = answer.json()
    return report


def counts(report: dict[str, Any]) -> tuple[int, int, int]:
    return report["imported"], report["on_dnc"], report["on_other_dnc"]


@pytest.fixture(autouse=True)
def _lists(alice: Caller, admin: Caller) -> None:
    """Give Alice her own list with Ann, a list for some campaigns with Ben and Ann, and the service one with Cem."""
    alice.create("phonebook", name="book")
    load(alice, "phonebook/1/import/?columns=DNC:do_not_call", b"contact,DNC\n+12025550101,1\n")
    named = alice.create("dnc-list", name="Some campaigns")
    for number in ("+12025550101", "+12025550102"):
        alice.create("dnc-contact", dnc=named["url"], phone_number=number)
    of_service = admin.create("dnc-list", name="Of the service", is_global=True)
    admin.create("dnc-contact", dnc=of_service["url"], phone_number="+12025550103")


@pytest.mark.parametrize("path", ["phonebook/1/import/?dry_run=true", "phonebook/0/import/?dry_run=true"])
def test_a_check_counts_what_the_import_counts(alice: Caller, path: str) -> None:
    told = load(alice, path)
    assert counts(told) == (5, 2, 1)
    assert load(alice, "phonebook/1/import/") == told
    assert counts(load(alice, "phonebook/1/import/")) == (0, 0, 0)


def test_a_report_as_csv_has_all_counts_in_its_header(alice: Caller) -> None:
    answer = alice.request("POST", "phonebook/1/import/?report=csv", content=FILE, headers=CSV)
    assert answer.headers["x-import-report"] == HEADER


def test_nobody_is_counted_twice_in_a_file_of_many_chunks(alice: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(imports, "CHUNK_ROWS", 2)
    twice = FILE + FILE.partition(b"\n")[2]
    assert counts(load(alice, "phonebook/0/import/?dry_run=true", twice)) == (5, 2, 1)
    assert counts(load(alice, "phonebook/1/import/", twice)) == (5, 2, 1)


def test_an_entry_without_a_country_counts_too(alice: Caller) -> None:
    named = alice.create("dnc-list", name="National")
    alice.create("dnc-contact", dnc=named["url"], phone_number="030 23007400")
    assert counts(load(alice, "phonebook/1/import/?dry_run=true")) == (5, 2, 2)


def test_the_lists_of_others_and_lists_of_numbers_count_for_nobody(alice: Caller, bob: Caller) -> None:
    bob.create("phonebook", name="Bob's")
    assert counts(load(bob, "phonebook/0/import/?dry_run=true")) == (5, 1, 0)
    numbers = FILE.replace(b"contact", b"phone_number")
    assert counts(load(alice, "dnc-list/0/import/?dry_run=true", numbers)) == (5, 0, 0)
