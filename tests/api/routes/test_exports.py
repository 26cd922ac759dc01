"""Tests of exports of whole lists as CSV and NDJSON, with the values of JSON and without formulas."""

import csv
import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialer.api.answers.csv_lines import write_csv
from dialer.domain.formats.formula_guard import guard
from dialer.resources.crud.pagination import CHUNK_SIZE
from tests.api.builders import Estate
from tests.api.harness import Caller

PATHS = ["cdr", "contact", "dnc-contact", "subscriber-list", "survey-result"]


@pytest.fixture(autouse=True)
def _book(alice: Caller) -> None:
    alice.create("phonebook", name="book")
    alice.create("phonebook", name="other")


def contact(caller: Caller, number: str, **fields: object) -> None:
    caller.create("contact", phonebook=1, contact=number, **fields)


def table(caller: Caller, path: str, **params: object) -> list[dict[str, str]]:
    answer = caller.request("GET", path, params={"format": "csv", **params})
    assert answer.status_code == 200, answer.text
    return list(csv.DictReader(io.StringIO(answer.text, newline="")))


def test_csv_has_the_fields_and_values_of_json(alice: Caller) -> None:
    contact(alice, "+12025550100", full_name='Ada "A", L.\nB', additional_vars={"city": "K\u00f6ln"})
    (record,) = alice.get("contact/")["results"]
    assert table(alice, "contact/") == [{name: str(value) for name, value in record.items()}]


def test_ndjson_is_a_record_in_each_line(alice: Caller) -> None:
    contact(alice, "+12025550100")
    contact(alice, "+12025550101")
    answer = alice.request("GET", "contact/", headers={"Accept": "application/x-ndjson"})
    lines = [json.loads(line) for line in answer.text.splitlines()]
    assert lines == alice.get("contact/")["results"]


@pytest.mark.parametrize("path", PATHS)
def test_every_long_list_can_be_exported_even_when_it_is_empty(alice: Caller, path: str) -> None:
    as_csv = alice.request("GET", f"{path}/?format=csv")
    as_ndjson = alice.request("GET", f"{path}/?format=ndjson")
    assert as_csv.headers["content-type"] == "text/csv; charset=utf-8"
    assert as_csv.headers["content-disposition"] == f'attachment; filename="{path}.csv"'
    assert as_csv.text.startswith("id,")
    assert as_csv.text.count("\r\n") == 1
    assert (as_ndjson.headers["content-type"], as_ndjson.text) == ("application/x-ndjson", "")


@pytest.mark.parametrize(
    ("accept", "media_type"),
    [
        ("text/csv", "text/csv; charset=utf-8"),
        ("text/csv;q=0.5, application/x-ndjson", "application/x-ndjson"),
        ("text/html, */*", "application/json"),
        ("application/json", "application/json"),
        ("image/png", "application/json"),
        ("text/csv;q=nonsense;;=, /,", None),
        ("text/csv;q=0", "application/json"),
        ("text/csv; Q=0.000, application/x-ndjson;q=0.01", "application/x-ndjson"),
        ("", "application/json"),
    ],
)
def test_the_accept_header_chooses(alice: Caller, accept: str, media_type: str | None) -> None:
    answer = alice.request("GET", "contact/", headers={"Accept": accept})
    assert answer.status_code == 200
    assert media_type is None or answer.headers["content-type"] == media_type


def test_the_parameter_wins_over_the_header_and_must_be_known(alice: Caller) -> None:
    answer = alice.request("GET", "contact/?format=json", headers={"Accept": "text/csv"})
    assert answer.json()["count"] == 0
    refused = alice.refused("GET", "contact/?format=xml")
    assert refused == (400, {"format": ["'xml' is not a format. Use one of csv, ndjson, json, xlsx."]})


def test_filters_and_ownership_hold_and_pages_do_not(alice: Caller, bob: Caller) -> None:
    for number in range(12):
        contact(alice, f"+1202555010{number}")
    alice.create("contact", phonebook=2, contact="+12025550199")
    assert len(table(alice, "contact/", phonebook_id=1, page=2, page_size=5)) == 12
    assert table(bob, "contact/") == []
    assert alice.refused("GET", "contact/?format=csv&phonebook_id=x")[0] == 400


def test_a_list_of_many_chunks_is_whole_and_in_order(alice: Caller) -> None:
    rows = "".join(f"+1202{number:07d}\n" for number in range(CHUNK_SIZE + 1))
    content = f"contact\n{rows}".encode()
    alice.request("POST", "phonebook/1/import/", content=content, headers={"Content-Type": "text/csv"})
    assert [row["contact"] for row in table(alice, "contact/")] == rows.split()


@pytest.mark.parametrize(
    ("full_name", "cell"),
    [
        ("=1+1", "'=1+1"),
        ("+1+1", "'+1+1"),
        ("-1-1", "'-1-1"),
        ("@SUM(A1)", "'@SUM(A1)"),
        ("\t=1", "'\t=1"),
        ("\r=1", "'\r=1"),
        ("+12025550100", "+12025550100"),
        ("-12.34000", "-12.34000"),
        ("a=1", "a=1"),
        ("", ""),
    ],
)
def test_no_cell_is_a_formula(alice: Caller, full_name: str, cell: str) -> None:
    contact(alice, "+12025550100", full_name=full_name)
    (row,) = table(alice, "contact/")
    assert (row["full_name"], row["contact"]) == (cell, "+12025550100")


def test_null_is_an_empty_cell_and_an_object_is_json(admin: Caller, alice: Caller) -> None:
    admin.create("gateway", name="g")
    alice.create("survey-template", name="s")
    alice.create("campaigns", name="c", aleg_gateway=1, object_id=1)
    alice.create("subscriber-list", campaign=1, duplicate_contact="+12025550100", additional_vars={"a": 1})
    (row,) = table(alice, "subscriber-list/")
    (record,) = alice.get("subscriber-list/")
    assert (row["contact"], row["last_attempt"], json.loads(row["additional_vars"])) == ("", "", {"a": 1})
    assert row["count_attempt"] == str(record["count_attempt"])


@given(st.lists(st.tuples(st.integers(), st.none() | st.text(alphabet="ab \",;'\r\n\t\x00\u2028%s{}\\")), min_size=1))
def test_lines_are_quoted_exactly_as_the_csv_module_quotes_them(rows: list[tuple[int, str | None]]) -> None:
    guarded = [(number, text and guard(text)) for number, text in rows]
    buffer = io.StringIO()
    csv.writer(buffer).writerows(guarded)
    assert write_csv(list(zip(*rows, strict=True))) == buffer.getvalue().encode()


def test_variables_of_subscribers_are_columns_of_their_own(estate: Estate) -> None:
    estate.owner.change(estate.subscriber["url"], additional_vars={"city": "K\u00f6ln", "n": 1})
    rows = table(estate.owner, "subscriber-list/", ordering="-id", variables="city,n,other")
    found = {row["id"]: (row["city"], row["n"], row["other"]) for row in rows}
    assert found[str(estate.subscriber["id"])] == ("K\u00f6ln", "1", "")
