"""Tests of the options of imports: columns, dry runs, charsets, forms, and reports as CSV."""

import csv
import io
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dialer.api.answers.spreadsheets import XLSX
from dialer.app.imports.imports import CHUNK_ROWS
from dialer.app.imports.report import CSV_ERRORS_MAX
from tests.api.harness import Caller
from tests.console.workbooks import filtered, workbook

CSV = {"Content-Type": "text/csv"}
NONE: dict[str, object] = {
    "imported": 0,
    "duplicates": 0,
    "not_to_be_called": 0,
    "rejected": 0,
    "errors": [],
    "warned": 0,
    "warnings": [],
    "kinds": {},
    "file_warnings": [],
    "hidden": 0,
    "totals": 0,
    "on_dnc": 0,
    "on_other_dnc": 0,
}
BOOK = "phonebook/1/import/"
NO_PAIR = "is no pair. Write the name in the file, a colon, and the name to read it as."
NUMBERS = ["+12025550100", "+12025550101", "+12025550102", "911", "x", "+1202555", ""]


@pytest.fixture(autouse=True)
def _lists(alice: Caller) -> None:
    alice.create("phonebook", name="book")
    alice.create("dnc-list", name="list")


NOT_COMPARED: dict[str, Any] = {
    "warned": 0,
    "warnings": [],
    "kinds": {},
    "file_warnings": [],
    "hidden": 0,
    "totals": 0,
}


def load(caller: Caller, content: bytes, path: str = BOOK, **params: str) -> tuple[int, Any]:
    answer = caller.request("POST", path, content=content, headers=CSV, params=params)
    return answer.status_code, answer.json()


def contacts(caller: Caller) -> list[tuple[str, str, str]]:
    return [
        (one["contact"], one["full_name"], one["additional_vars"])
        for one in caller.get("contact/", page_size=1_000)["results"]
    ]


def test_columns_are_read_under_other_names(alice: Caller) -> None:
    content = b'Phone;First;"City, State";Notes\n+12025550100;Ada;Rome;x\n'
    columns = 'phone:contact, First:full_name,"City, State":city,notes:'
    assert load(alice, content, columns=columns) == (200, {**NONE, "imported": 1})
    assert contacts(alice) == [("+12025550100", "Ada", '{"city":"Rome"}')]
    listed = load(alice, b"id,Tel\n1,+12025550100\n", "dnc-list/1/import/", columns="Tel:phone_number")
    assert listed == (200, {**NONE, "imported": 1})


def test_names_can_be_exchanged(alice: Caller) -> None:
    assert load(alice, b"contact,spare\nAda,+12025550100\n", columns="contact:name,spare:contact")[0] == 200
    assert contacts(alice) == [("+12025550100", "", '{"name":"Ada"}')]


@pytest.mark.parametrize(
    ("columns", "field", "message"),
    [
        (
            "contact",
            "columns",
            "'contact' is no pair. Write the name in the file, a colon, and the name to read it as.",
        ),
        (":x", "columns", "':x' is no pair. Write the name in the file, a colon, and the name to read it as."),
        ("a:x,A:y", "columns", "The column 'A' is named twice. Name each column of the file once."),
        ("a:x,b:X", "columns", "Two columns are read as 'X'. Give each another name."),
        ("a:" + "x" * 256, "columns", "The name after 'a' has a NUL character or more than 255 characters."),
        ("a:x\0", "columns", "The name after 'a' has a NUL character or more than 255 characters."),
        (",".join(f"c{n}:d{n}" for n in range(101)), "columns", "101 pairs are given. Give at most 100."),
        ("a\rb:x", "columns", "'a\\rb:x' cannot be read. Write pairs such as Phone:contact,First:first_name."),
        ("color:x", "detail", "The header has no column 'color'. It has: contact, city."),
        ("city:contact", "detail", "Two columns are read as contact. Give one of them another name."),
        (
            "tel:contact,contact:x",
            "detail",
            (
                "The first line must name the columns, with commas, semicolons, tabs or bars, tel (read as contact)"
                " among them."
            ),
        ),
    ],
)
def test_wrong_columns_are_refused(alice: Caller, columns: str, field: str, message: str) -> None:
    status, body = load(alice, b"contact,city\n+12025550100,Rome\n", columns=columns)
    assert (status, body) == (400, {field: message if field == "detail" else [message]})
    assert contacts(alice) == []


def test_wrong_options_are_all_told(alice: Caller) -> None:
    status, body = load(alice, b"", columns="x", charset="klingon", dry_run="perhaps", report="pdf")
    assert (status, sorted(body)) == (400, ["charset", "columns", "dry_run", "report"])
    assert body["charset"][0].startswith("'klingon' is not a known charset. Use one of utf-8, ")
    assert body["report"] == ["'pdf' is not a report. Use one of json, csv."]


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.sampled_from(NUMBERS), max_size=8))
def test_a_dry_run_gives_the_report_and_stores_nothing(alice: Caller, numbers: list[str]) -> None:
    book = alice.create("phonebook", name="book")["id"]
    alice.create("contact", contact="+12025550100", phonebook=book)
    content = "".join(f"{line}\n" for line in ["contact,a", *(f"{number},1" for number in numbers)]).encode()
    path, before = f"phonebook/{book}/import/", alice.get("contact/", page_size=1)["count"]
    dry = load(alice, content, path, dry_run="true")
    assert alice.get("contact/", page_size=1)["count"] == before
    assert load(alice, content, path, dry_run="false") == dry


def test_a_dry_run_knows_the_numbers_of_earlier_chunks(alice: Caller) -> None:
    rows = b"".join(b"+1202%d\n" % (2_000_000 + number) for number in range(CHUNK_ROWS + 1))
    content = b"phone_number\n" + rows + b"+12022000000\n"
    report = {**NONE, "imported": CHUNK_ROWS + 1, "duplicates": 1}
    assert load(alice, content, "dnc-list/1/import/", dry_run="1") == (200, report)
    assert load(alice, content, "dnc-list/1/import/") == (200, report)


@pytest.mark.parametrize(
    ("charset", "codec"),
    [("utf-16", "utf-16"), ("UTF-16LE", "utf-16-le"), ("utf-16be", "utf-16-be"), ("utf-16", "utf-16-le")],
)
@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(name=st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=40))
def test_files_in_utf16_are_read(alice: Caller, charset: str, codec: str, name: str) -> None:
    name = name.strip().replace('"', "").replace("'", "").strip()
    book = alice.create("phonebook", name="book")["id"]
    content = f'contact,full_name\r\n+12025550100,"{name}"\r\n'.encode(codec)
    assert load(alice, content, f"phonebook/{book}/import/", charset=charset) == (200, {**NONE, "imported": 1})
    assert alice.get("contact/", phonebook_id=book)["results"][0]["full_name"] == name


def test_files_in_windows_1252_are_read(alice: Caller) -> None:
    content = "contact;full_name\n+12025550100;Zoë €\n".encode("cp1252")
    headers = {"Content-Type": "text/csv; charset=Windows-1252"}
    assert alice.request("POST", BOOK, content=content, headers=headers).status_code == 200
    assert contacts(alice)[0][1] == "Zoë €"


@pytest.mark.parametrize(
    ("charset", "content", "line", "found"),
    [
        ("windows-1252", b"contact\n+12025550100\n\x81\n", 3, "81"),
        ("utf-16", "contact\n+12025550100\n".encode("utf-16") + b"\x00\xd8\n\x00", 3, "00 d8"),
        ("utf-16be", "contact\n1001\n".encode("utf-16-be") + b"\x00", 3, "00"),
    ],
)
def test_bytes_that_are_not_of_the_charset_are_told_with_their_line(
    alice: Caller, charset: str, content: bytes, line: int, found: str
) -> None:
    status, body = load(alice, content, charset=charset)
    assert (status, body["detail"].partition(". ")[0]) == (
        400,
        f"Line {line} is not {charset}: it has the bytes {found}",
    )


def test_a_form_is_read_too(alice: Caller) -> None:
    file = ("a.csv", b"Tel,full_name\n+12025550100,Ada\n", "text/csv")
    parts = {"note": (None, b"contact\n1\n"), "file": file}
    answer = alice.request("POST", BOOK, files=parts, params={"columns": "Tel:contact"})
    assert (answer.status_code, answer.json()) == (200, {**NONE, "imported": 1})
    assert contacts(alice) == [("+12025550100", "Ada", "{}")]


def test_a_form_has_one_file(alice: Caller) -> None:
    without = alice.request("POST", BOOK, files={"data": ("a.csv", b"contact\n1001\n")})
    assert (without.status_code, without.json()) == (400, {"file": ["This field is required."]})
    two = [("file", ("a.csv", b"contact\n1001\n")), ("file", ("b.csv", b"1002\n"))]
    answer = alice.request("POST", BOOK, files=two)
    assert (answer.status_code, answer.json()) == (400, {"file": ["Send one file, not several."]})
    headers = {"Content-Type": "multipart/form-data; boundary=x"}
    for body in (b"", b"--x\r\n", b'--x\r\nContent-Disposition: form-data; name="file"\r\n\r\ncontact\n1'):
        assert alice.request("POST", BOOK, content=body, headers=headers).status_code == 400


@pytest.mark.parametrize("asked", ["header", "parameter"])
def test_rejected_rows_come_as_csv_that_is_safe_in_a_spreadsheet(alice: Caller, asked: str) -> None:
    content = b'contact\n+12025550100\n"=1+1,x"\n911\n'
    headers, params = {**CSV, "Accept": "text/csv"}, {"report": "csv"}
    if asked == "header":
        answer = alice.request("POST", BOOK, content=content, headers=headers)
    else:
        answer = alice.request("POST", BOOK, content=content, headers=CSV, params=params)
    assert answer.headers["content-type"] == "text/csv; charset=utf-8"
    assert answer.headers["x-import-report"] == (
        "imported=1, duplicates=0, not_to_be_called=0, rejected=2, warned=0, hidden=0, totals=0,"
        " on_dnc=0, on_other_dnc=0"
    )
    rows = list(csv.reader(io.StringIO(answer.text, newline="")))
    assert [(row[0], row[1], row[3]) for row in rows] == [
        ("line", "kind", "value"),
        ("3", "wrong_character", "'=1+1,x"),
        ("4", "emergency", "911"),
    ]


def test_a_report_as_csv_has_more_rows_and_may_have_none(alice: Caller) -> None:
    content = b"contact\n" + b"x\n" * (CSV_ERRORS_MAX + 1)
    answer = alice.request("POST", BOOK, content=content, headers=CSV, params={"report": "csv"})
    assert answer.text.count("\r\n") == 1 + CSV_ERRORS_MAX
    assert f"rejected={CSV_ERRORS_MAX + 1}" in answer.headers["x-import-report"]
    answer = alice.request("POST", BOOK, content=b"contact\n", headers=CSV, params={"report": "csv"})
    assert answer.text == "line,kind,reason,value\r\n"


_SPELLINGS = st.from_regex(r" ?[+=]?\(?1?\)?[ .-]?202[ .-]555[ -]?[0-9]{4} ?", fullmatch=True) | st.sampled_from(
    ["-2025550100", "911", "+44 20 7946 0000", "0049 30 1234567", "'1234"]
)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(numbers=st.lists(_SPELLINGS, max_size=6))
def test_an_exported_do_not_call_list_is_imported_as_it_was(alice: Caller, numbers: list[str]) -> None:
    first, second = (alice.create("dnc-list", name=name)["id"] for name in ("first", "second"))
    alice.request("POST", "dnc-contact/bulk/", json=[{"dnc": first, "phone_number": number} for number in numbers])
    exported = alice.request("GET", "dnc-contact/", params={"format": "csv", "dnc_id": first}).content
    stored = [one["phone_number"] for one in alice.get("dnc-contact/", dnc_id=first)["results"]]
    report = {**NONE, "imported": len(stored)}
    status, told = load(alice, exported, f"dnc-list/{second}/import/")
    assert (status, {**told, **NOT_COMPARED}) == (200, report)
    assert [one["phone_number"] for one in alice.get("dnc-contact/", dnc_id=second)["results"]] == stored


def test_a_workbook_is_imported(alice: Caller) -> None:
    first, second = ["contact", "full_name", "n"], ["+12025550100", "Ada", 5]
    content = workbook(sheets={"Empty": [], "People": [first, second], "Others": [first, ["+12025550101", "Bo", 6.5]]})
    for headers in ({"Content-Type": XLSX}, CSV):
        answer = alice.request("POST", BOOK, content=content, headers=headers, params={"dry_run": "true"})
        assert (answer.status_code, answer.json()) == (200, {**NONE, "imported": 1})
    answer = alice.request("POST", BOOK, files={"file": ("a.xlsx", content)}, params={"sheet": "Others"})
    assert (answer.status_code, answer.json()) == (200, {**NONE, "imported": 1})
    assert contacts(alice) == [("+12025550101", "Bo", '{"n":"6.5"}')]
    status, body = load(alice, content, sheet="Nowhere")
    assert (status, body["detail"]) == (
        400,
        "The workbook has no sheet 'Nowhere'. It has: Sheet, Empty, People, Others.",
    )


def test_separator_header_and_country_can_be_named(alice: Caller) -> None:
    content = b"030/230 00 74|Ada, B.|x\n;;|no number|\n"
    columns = "column_1:contact,column_2:full_name,column_3:"
    params = {"separator": "bar", "header": "false", "columns": columns, "region": "de"}
    status, report = load(alice, content, **params)
    assert (status, report["imported"], report["rejected"], report["errors"][0]["line"]) == (200, 1, 1, 2)
    assert contacts(alice) == [("030/230 00 74", "Ada, B.", "{}")]
    assert len(alice.get("contact/", contact="+49302300074")["results"]) == 1
    status, body = load(alice, content, separator="dot", header="perhaps", region="QQ")
    assert (status, sorted(body)) == (400, ["header", "region", "separator"])


def test_numbers_that_were_shortened_have_a_kind_of_their_own(alice: Caller) -> None:
    _, report = load(alice, b"contact\n4.91701E+11\n+12025550100 x7\n+12025550100/17\n;\n")
    assert [one["kind"] for one in report["errors"]] == ["shortened", "extension", "several", "no_digits"]


@pytest.mark.parametrize(
    "media_type", ["text/vcard", "text/x-vcard; charset=windows-1252", "text/directory", "text/csv"]
)
def test_contacts_of_a_telephone_are_imported(alice: Caller, media_type: str) -> None:
    card = "BEGIN:VCARD\nVERSION:3.0\nFN:J\u00f6rg\nTEL;TYPE=CELL:+12025550112\nTEL:+12025550111\nEND:VCARD\n".encode(
        "cp1252"
    )
    headers = {"Content-Type": media_type}
    for path, imported in ((BOOK, 1), ("dnc-list/1/import/", 2)):
        answer = alice.request("POST", path, content=card, headers=headers)
        assert (answer.status_code, answer.json()) == (200, {**NONE, "imported": imported})
    assert [(number, name) for number, name, _ in contacts(alice)] == [("+12025550112", "J\u00f6rg")]


def test_hidden_rows_of_a_workbook_are_left_out_unless_they_are_wanted(alice: Caller) -> None:
    told = [({}, 2, 1), ({"hidden": "true", "dry_run": "true"}, 1, 0), ({"hidden": "false"}, 0, 1)]
    for params, imported, hidden in told:
        answer = alice.request("POST", BOOK, content=filtered(), headers={"Content-Type": XLSX}, params=params)
        report = {**NONE, "imported": imported, "duplicates": 0 if hidden and imported else 2, "hidden": hidden}
        assert answer.json() == report
    assert alice.request("POST", BOOK, content=b"", headers=CSV, params={"hidden": "x"}).status_code == 400
