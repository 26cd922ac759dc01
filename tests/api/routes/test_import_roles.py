"""Imports over the API whose columns say more about the number, or who must not be called."""

import json

import pytest

from dialer.domain.calling_times.own_zones import own_zones
from dialer.domain.calling_times.states import zones_of_states
from tests.api.harness import Caller

BOOK = "phonebook/1/import/"
LIST = "dnc-list/1/import/"


@pytest.fixture(autouse=True)
def _lists(alice: Caller) -> None:
    alice.create("phonebook", name="book")
    alice.create("dnc-list", name="list")


def load(alice: Caller, path: str, content: bytes, **options: str) -> dict[str, object]:
    answer = alice.request("POST", path, content=content, headers={"Content-Type": "text/csv"}, params=options)
    assert answer.status_code == 200, answer.text
    report: dict[str, object] = answer.json()
    return report


def stored(alice: Caller) -> list[str]:
    return [one["contact"] for one in alice.get("contact/")["results"]]


def listed(alice: Caller) -> list[tuple[str, str, str]]:
    entries = alice.get("dnc-contact/")["results"]
    return [(one["phone_number"], one["source"], one["said"]) for one in entries]


def test_a_country_beside_the_number_is_that_of_the_number(alice: Caller) -> None:
    rows = b"phone_code,phone_number\n44,2079460018\n1,2025550143\n49,0171 3920012\nGermany,+12025550144\n"
    columns = "phone_code:country_code,phone_number:contact"
    assert load(alice, BOOK, rows, columns=columns, region="US")["imported"] == 4
    assert stored(alice) == ["+442079460018", "+12025550143", "+491713920012", "+12025550144"]


def test_an_area_code_stands_before_the_number(alice: Caller) -> None:
    columns = "column_1:area_code,column_2:phone_number"
    report = load(alice, LIST, b"212,5550101\n305,5550102\n", columns=columns, header="false", region="US")
    assert (report["imported"], report["file_warnings"]) == (2, [])
    assert [one[0] for one in listed(alice)] == ["+12125550101", "+13055550102"]


def test_the_next_column_is_read_where_the_first_has_no_number(alice: Caller) -> None:
    rows = b"Phone,Mobile\n,+12025550143\nnone,+12025550144\n+12025550145,+12025550146\n,\n"
    assert load(alice, BOOK, rows, columns="Phone:contact,Mobile:contact")["imported"] == 3
    assert stored(alice) == ["+12025550143", "+12025550144", "+12025550145"]


def test_of_several_numbers_people_have_the_first_and_lists_have_all(alice: Caller) -> None:
    cell = "+12025550143 ::: +12025550144"
    assert load(alice, BOOK, f"contact\n{cell}\n".encode())["imported"] == 1
    assert load(alice, LIST, f"phone_number\n{cell}\n".encode())["imported"] == 2
    numbers = [one["contact"] for one in alice.get("contact/")["results"]]
    assert [number.replace(" ", "") for number in numbers] == ["+12025550143"]


def test_those_who_must_not_be_called_go_on_the_list_of_the_account(alice: Caller) -> None:
    rows = b"contact,Do Not Call\n+12025550143,0\n+12025550144,1\n+12025550145,\n+12025550144,0\n"
    report = load(alice, BOOK, rows, columns="Do Not Call:do_not_call")
    counts = {name: report[name] for name in ("imported", "duplicates", "not_to_be_called", "rejected")}
    assert counts == {"imported": 2, "duplicates": 0, "not_to_be_called": 2, "rejected": 0}
    assert report["file_warnings"] == []
    assert stored(alice) == ["+12025550143", "+12025550145"]
    assert listed(alice) == [("+12025550144", "import", "Do Not Call: 1")]


def test_nobody_is_called_without_the_consent_that_the_file_asks_for(alice: Caller) -> None:
    rows = b"contact,Consent\n+12025550143,yes\n+12025550144,\n+12025550145,no\n"
    report = load(alice, BOOK, rows, columns="Consent:may_be_called")
    assert (report["imported"], report["not_to_be_called"], report["rejected"]) == (1, 1, 1)
    assert [one[0] for one in listed(alice)] == ["+12025550145"]


def test_a_dry_run_lists_nobody_and_has_the_same_counts(alice: Caller) -> None:
    rows = b"contact,DNC\n+12025550143,x\n+12025550144,\n"
    tried = load(alice, BOOK, rows, columns="DNC:do_not_call", dry_run="true")
    assert (stored(alice), listed(alice)) == ([], [])
    assert load(alice, BOOK, rows, columns="DNC:do_not_call") == tried


def test_a_column_that_nobody_has_named_is_a_warning(alice: Caller) -> None:
    report = load(alice, BOOK, b"contact,Do Not Call\n+12025550143,1\n")
    assert report["imported"] == 1
    assert report["file_warnings"] == [
        {
            "reason": "The column 'Do Not Call' may say who must not be called, and was read as a text. Give its"
            " meaning with columns=\u2026:do_not_call.",
            "kind": "do_not_call_column",
            "column": "Do Not Call",
        }
    ]


def test_a_file_of_another_country_is_a_warning(alice: Caller) -> None:
    rows = "".join(f"20255501{place}\n" for place in range(20, 40))
    report = load(alice, BOOK, f"contact\n{rows}".encode(), region="DE")
    assert report["file_warnings"] == [
        {
            "reason": "20 of 20 numbers without a country look like numbers of US, and were read as numbers of DE.",
            "kind": "other_country",
            "column": "",
        }
    ]
    assert load(alice, BOOK, f"contact\n{rows}".encode(), region="US")["file_warnings"] == []


@pytest.mark.parametrize("columns", ["a:country_code,b:country_code", "a:area_code,b:area_code"])
def test_a_number_has_one_country_and_one_area(alice: Caller, columns: str) -> None:
    answer = alice.request(
        "POST", BOOK, content=b"contact,a,b\n1,2,3\n", headers={"Content-Type": "text/csv"}, params={"columns": columns}
    )
    assert (answer.status_code, list(answer.json())) == (400, ["columns"])


def test_a_role_of_a_column_that_is_not_there_is_refused(alice: Caller) -> None:
    options = {"columns": "Sperre:do_not_call"}
    answer = alice.request(
        "POST", BOOK, content=b"contact\n+12025550143\n", headers={"Content-Type": "text/csv"}, params=options
    )
    assert answer.json() == {"detail": "The header has no column 'sperre'. It has: contact."}


@pytest.mark.parametrize(
    ("columns", "where", "zone", "variables"),
    [
        ("", "n/a", "", {"zip": "n/a", "Code": "90210", "Region": "TX", "Where": "n/a"}),
        ("", "America/Denver", "America/Denver", {"Region": "TX", "Where": "America/Denver"}),
        ("Code:postal_code", "n/a", "America/Los_Angeles@US", {"postal_code": "90210", "Region": "TX"}),
        ("Region:state", "n/a", "America/Chicago&America/Denver@US", {"state": "TX", "Code": "90210"}),
        ("Region:state,Where:country", "Kanada", "CANADA", {"state": "TX", "country": "Kanada"}),
        ("Where:time_zone", "America/Denver", "America/Denver", {"time_zone": "America/Denver", "Region": "TX"}),
        ("Where:tz_code", "America/Denver", "America/Denver", {"Region": "TX"}),
    ],
)
def test_a_column_is_renamed_to_say_where_the_person_is(
    alice: Caller, columns: str, where: str, zone: str, variables: dict[str, str]
) -> None:
    rows = f"contact,zip,Code,Region,Where\n+12125550100,n/a,90210,TX,{where}\n".encode()
    assert load(alice, BOOK, rows, columns=columns)["imported"] == 1
    (contact,) = alice.get("contact/")["results"]
    if zone == "CANADA":  # Texas is not there, so it is anywhere in the country.
        assert contact["tz_code"] == own_zones(zones_of_states("CA"), "CA")
    else:
        assert contact["tz_code"] == zone
    stored = json.loads(contact["additional_vars"])
    assert (variables.items() <= stored.items(), "tz_code" in stored) == (True, False)


def test_a_column_of_another_meaning_is_renamed_to_say_nothing_of_places(alice: Caller) -> None:
    rows = b"contact,State\n+12125550100,CA\n"
    assert load(alice, BOOK, rows, columns="State:Status")["imported"] == 1
    (contact,) = alice.get("contact/")["results"]
    assert (contact["tz_code"], contact["additional_vars"]) == ("", '{"Status":"CA"}')


def test_a_check_searches_all_rows_for_words_that_refuse_calls(alice: Caller) -> None:
    alice.create("phonebook", name="notes")
    lines = [f"+12025550{number},{'Nicht mehr anrufen!' if number == 290 else 'ok'}" for number in range(100, 300)]
    content = "\n".join(["contact,Remark", *lines]).encode()
    headers = {"Content-Type": "text/csv"}
    report = alice.request("POST", "phonebook/1/import/?dry_run=true", content=content, headers=headers).json()
    assert report["file_warnings"] == [
        {
            "reason": "The column 'Remark' has words that refuse calls in 1 row, and was read as a text. Give its"
            " meaning with columns=\u2026:do_not_call_notes.",
            "kind": "do_not_call_column",
            "column": "Remark",
        }
    ]
