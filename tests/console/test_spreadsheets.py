"""Spreadsheets as people have them go through the wizard: each becomes the right contacts, or says what to do."""

import datetime as dt
import io
import json
import zipfile
from html import unescape
from pathlib import Path
from typing import Any, Final, NamedTuple

import openpyxl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import select

from dialer.store.database.database import Database
from dialer.store.tables import Contact
from tests.api.harness import Caller
from tests.console.test_importing import change, chosen, look, press
from tests.console.visitor import Visitor, words
from tests.console.workbooks import SHEET, cells, saved, sheet_of, table, with_part, workbook

FOLDER: Final = Path(__file__).parent / "spreadsheets"
DE: Final = ("+49302300074", "+491701234567")


class Case(NamedTuple):
    """A file, the country of its numbers, and its contacts: number, name and variables, as an import stores them."""

    content: bytes
    region: str
    contacts: list[tuple[str, str]]
    variables: dict[str, str] | None = None
    """Variables of the first contact; None if they do not matter."""


def formulas() -> bytes:
    """Return a workbook whose cells are formulas, with the results that a spreadsheet program keeps beside them."""
    number = b'<c r="A2" t="str"><f>"+49"&amp;"302300074"</f><v>+49302300074</v></c><c r="B2" t="e"><v>#REF!</v></c>'
    rows = b"<row>" + cells("Telefon", "Name")[5:] + b"<row>" + number + b"</row>"
    return with_part(workbook(["x"]), SHEET, sheet_of(rows))


def merged() -> bytes:
    """Return a workbook with a title over several columns, and with a width for each column."""
    book = openpyxl.Workbook()
    sheet: Any = book.active
    sheet.append(["Kundenliste Fr\u00fchjahr 2026"])
    sheet.merge_cells("A1:C1")
    sheet.append([])
    sheet.append(["Telefon", "Name", "Ort"])
    sheet.append(["030/2300074", "Ann Other", "Berlin"])
    sheet.append(["0170 1234567", "Bob Else", "Bonn"])
    sheet.merge_cells("C4:C5")
    sheet.column_dimensions["A"].width = 30
    sheet.freeze_panes = "A4"
    return saved(book)


OUTLOOK: Final = ["Title", "First Name", "Middle Name", "Last Name", "Company", "Business Phone", "Home Phone"]
GOOGLE: Final = ["First Name", "Last Name", "E-mail 1 - Value", "Phone 1 - Label", "Phone 1 - Value"]
ANN: Final = [(DE[0], "Ann Other"), (DE[1], "Bob Else")]
CASES: Final = {
    "excel ANSI, Germany": Case(
        table(
            ["Telefonnummer", "Vorname", "Nachname", "Kundennummer"],
            ["030/230 00 74", "J\u00f6rg", "M\u00fcller", "0042"],
            ["(0170) 1234567", "Zo\u00eb", "Gro\u00df", "0043"],
            ["", "", "", ""],
            delimiter=";",
            charset="cp1252",
        ),
        "DE",
        [(DE[0], "J\u00f6rg M\u00fcller"), (DE[1], "Zo\u00eb Gro\u00df")],
        {"first_name": "J\u00f6rg", "last_name": "M\u00fcller", "Kundennummer": "0042"},
    ),
    "excel UTF-8 with a mark": Case(
        table(["Name", "Handy"], ["Ann Other", "030 2300074"], delimiter=";", charset="utf-8-sig"),
        "DE",
        ANN[:1],
    ),
    "excel Unicode text": Case(
        table(["Name", "Telefon"], ["Ann Other", "+49 30 2300074"], delimiter="\t", charset="utf-16"), "", ANN[:1]
    ),
    "UTF-16 without a mark, big-endian": Case(
        table(["Name", "Telefon"], ["Ann Other", "+49 30 2300074"], delimiter="\t", charset="utf-16-be"), "", ANN[:1]
    ),
    "a separator in the first line": Case(
        b"sep=;\r\n"
        + table(
            ["Nom", "Pr\u00e9nom", "T\u00e9l\u00e9phone"], ["Dupont", "\u00c9lodie", "06.12.34.56.78"], delimiter=";"
        ),
        "FR",
        [("+33612345678", "\u00c9lodie Dupont")],
    ),
    "France, Latin-1": Case(
        table(
            ["Civilit\u00e9", "Nom", "Pr\u00e9nom", "N\u00b0 de t\u00e9l\u00e9phone", "Ville"],
            ["Mme", "Lef\u00e8vre", "Anna\u00efs", "01 99 00 12 34", "N\u00eemes"],
            delimiter=";",
            charset="latin-1",
        ),
        "FR",
        [("+33199001234", "Anna\u00efs Lef\u00e8vre")],
        {"Civilit\u00e9": "Mme", "Ville": "N\u00eemes", "first_name": "Anna\u00efs", "last_name": "Lef\u00e8vre"},
    ),
    "Spain": Case(
        table(
            ["Nombre", "Apellidos", "Tel\u00e9fono m\u00f3vil"],
            ["Luc\u00eda", "Pe\u00f1a Ruiz", "612 345 678"],
            delimiter=";",
        ),
        "ES",
        [("+34612345678", "Luc\u00eda Pe\u00f1a Ruiz")],
    ),
    "Portugal": Case(
        table(["Nome", "Telem\u00f3vel"], ["Jo\u00e3o Silva", "912 345 678"], delimiter=";", charset="cp1252"),
        "PT",
        [("+351912345678", "Jo\u00e3o Silva")],
    ),
    "Brazil": Case(
        table(["Nome", "Sobrenome", "Celular"], ["Ana", "Concei\u00e7\u00e3o", "(11) 98888-7777"]),
        "BR",
        [("+5511988887777", "Ana Concei\u00e7\u00e3o")],
    ),
    "India": Case(
        table(["Customer Name", "Mobile No."], ["Asha Rao", "98765 43210"], ["Ravi Nair", "+91-98123-45678"]),
        "IN",
        [("+919876543210", "Asha Rao"), ("+919812345678", "Ravi Nair")],
    ),
    "United States": Case(
        table(["First Name", "Last Name", "Phone"], ["Ada", "Byron", "(202) 555-0100"], ["G", "H", "1-202-555-0101"]),
        "US",
        [("+12025550100", "Ada Byron"), ("+12025550101", "G H")],
    ),
    "no header": Case(b"Ann,+49302300074,Berlin\nBob,+491701234567,Bonn\n", "", [(DE[0], ""), (DE[1], "")]),
    "one column of numbers": Case(b"+49302300074\n+491701234567\n", "", [(DE[0], ""), (DE[1], "")]),
    "bars": Case(table(["phone", "name"], [DE[0], "Ann Other"], delimiter="|"), "", ANN[:1]),
    "two columns of one name": Case(
        table(["Phone", "Name", "Note", "Note"], [DE[0], "Ann Other", "x", "y"]),
        "",
        ANN[:1],
        {"Note": "x", "Note 2": "y"},
    ),
    "columns without names": Case(table(["Phone", "Name", "", ""], [DE[0], "Ann Other", "", ""]), "", ANN[:1]),
    "an old Mac": Case(
        table(["Name", "Telefon"], ["Ann Other", DE[0]], delimiter=";", charset="mac-roman", line_end="\r"), "", ANN[:1]
    ),
    "cells with line ends": Case(
        table(["Phone", "Address", "Name"], [DE[0], "Street 1\n10115 Berlin", "Ann Other"]), "", ANN[:1]
    ),
    "a title above the header": Case(
        b"Customers of spring;;\r\n;;\r\nTelefon;Name;Ort\r\n+49302300074;Ann Other;Berlin\r\n", "", ANN[:1]
    ),
    "an old Mac, with umlauts": Case(
        table(
            ["Vorname", "Nachname", "Telefon"],
            ["J\u00f6rg", "M\u00fcller", DE[0]],
            ["Zo\u00eb", "Gro\u00df", DE[1]],
            delimiter=";",
            charset="mac-roman",
            line_end="\r",
        ),
        "",
        [(DE[0], "J\u00f6rg M\u00fcller"), (DE[1], "Zo\u00eb Gro\u00df")],
    ),
    "two lines of names": Case(
        b"Customers;;;;\r\n;;;;\r\nKontakt;;;Anschrift;\r\nVorname;Nachname;Telefon;Stra\xc3\x9fe;Ort\r\n"
        b"Ann;Other;+49302300074;Street 1;Berlin\r\nBob;Else;+491701234567;Street 2;Bonn\r\n",
        "",
        ANN,
        {"Ort": "Berlin", "first_name": "Ann", "last_name": "Other"},
    ),
    "short rows": Case(b"Telefon;Name;Ort;Plan\r\n+49302300074;Ann Other\r\n+491701234567;Bob Else;Bonn\r\n", "", ANN),
    "outlook": Case(
        table(OUTLOOK, ["Mr", "Ann", "", "Other", "X Ltd", DE[0], ""], ["", "Bob", "", "Else", "", f"'{DE[1]}", ""]),
        "",
        ANN,
    ),
    "google contacts": Case(
        table(GOOGLE, ["Ann", "Other", "a@example.com", "Mobile", DE[0]], ["Bob", "Else", "", "* Work", DE[1]]), "", ANN
    ),
    "hubspot": Case(
        table(["Record ID", "First Name", "Last Name", "Phone Number"], ["51", "Ann", "Other", "tel:+49-30-2300074"]),
        "",
        ANN[:1],
    ),
    "salesforce": Case(
        b'"Account Name","First Name","Last Name","Phone","Mobile"\n"X","Ann","Other","","0049 30 2300074"\n',
        "",
        ANN[:1],
    ),
    "pandas": Case(b",name,phone\n0,Ann Other,49302300074.0\n", "DE", ANN[:1]),
    "written to stay text": Case(b'Name;Telefon\r\nAnn Other;="0302300074"\r\n', "DE", ANN[:1]),
    "odd blanks and dashes": Case(
        table(
            ["Telefon", "Name"],
            ["030\u00a0230\u202f00\u201174", "Ann Other"],
            ["\u202a0170\u20131234567\u202c", "Bob Else"],
        ),
        "DE",
        ANN,
    ),
    "Japan, full-width digits": Case(
        table(
            ["\u96fb\u8a71", "name"],
            ["\uff10\uff13\uff0d\uff11\uff12\uff13\uff14\uff0d\uff15\uff16\uff17\uff18", "A B"],
        ),
        "JP",
        [("+81312345678", "A B")],
    ),
    "excel numbers": Case(
        workbook(
            ["Telefon", "Name", "Seit", "Saldo", "Neu"], [49302300074.0, "Ann Other", dt.date(2026, 1, 30), 12.5, True]
        ),
        "DE",
        ANN[:1],
        {"Seit": "2026-01-30", "Saldo": "12.5", "Neu": "TRUE"},
    ),
    "excel took the 0": Case(workbook(["Handy", "Name"], [1701234567, "Bob Else"]), "DE", ANN[1:]),
    "excel, empty sheet first": Case(
        workbook(sheets={"Info": [], "Kunden": [["Telefon", "Name"], [DE[0], "Ann Other"]]}), "", ANN[:1]
    ),
    "excel, notes first": Case(
        workbook(
            ["Customers of spring", "Ask Ann, 030 2300074, if something is missing."],
            ["Telephone", "030 999999"],
            sheets={
                "Index": [["Sheet", "Rows"], ["Kunden", 2]],
                "Kunden": [["Telefon", "Name"], [DE[0], "Ann Other"], [DE[1], "Bob Else"]],
                "Alt": [["Telefon", "Name"], ["+4989123456", "Old"], ["+4989123457", "Older"]],
            },
        ),
        "",
        ANN,
    ),
    "excel, an index before a list of one": Case(
        workbook(["Sheet", "Rows"], ["Kunden", 1], sheets={"Kunden": [["Telefon", "Name"], [DE[0], "Ann Other"]]}),
        "",
        ANN[:1],
    ),
    "excel, a broken sheet first": Case(
        with_part(
            workbook(["x"], sheets={"Kunden": [["Telefon", "Name"], [DE[0], "Ann Other"]]}),
            SHEET,
            sheet_of(b'<row><c t="s"><v>99</v></c></row>'),
        ),
        "",
        ANN[:1],
    ),
    "excel, formulas": Case(formulas(), "", [(DE[0], "#REF!")]),
    "excel, merged cells and a title": Case(merged(), "DE", ANN),
    "libreoffice workbook, Germany": Case(
        (FOLDER / "libreoffice-de.xlsx").read_bytes(),
        "DE",
        [(DE[0], "J\u00f6rg M\u00fcller"), (DE[1], "Zo\u00eb Gro\u00df"), ("+4989123456", "Ann Other")],
    ),
    "libreoffice CSV, Germany": Case(
        (FOLDER / "libreoffice-de-ansi.csv").read_bytes(),
        "DE",
        [(DE[0], "J\u00f6rg M\u00fcller"), (DE[1], "Zo\u00eb Gro\u00df"), ("+4989123456", "Ann Other")],
    ),
    "libreoffice workbook, India": Case(
        (FOLDER / "libreoffice-in.xlsx").read_bytes(),
        "IN",
        [("+919876543210", "Asha Rao"), ("+919812345678", "Ravi Nair")],
        {"Amount": "12.5", "When": "2026-01-30"},
    ),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_a_spreadsheet_becomes_contacts(alice: Visitor, api: Caller, database: Database, case: Case) -> None:
    look(alice, "new-campaign/", case.content)
    fields = chosen(alice.page)
    answer = press(alice, region=case.region)
    shown = alice.text(answer.headers["location"].removeprefix("/console/"))
    for number, name in case.contacts:
        assert f"→ {number}" in shown
        assert name in shown
    done = press(alice, **{"import": "1"})
    assert done.status_code == 303, (fields, words(done.text))
    assert "rejected=0" in done.headers["location"]
    results = api.get("contact/", page_size=100)["results"]
    assert stored_in(database, 1) == case.contacts
    if case.variables is not None:
        assert json.loads(results[0]["additional_vars"]).items() >= case.variables.items()


def stored_in(database: Database, book: int) -> list[tuple[str, str]]:
    """Return the numbers in normal form and the names of a phonebook."""
    query = select(Contact.number, Contact.full_name).where(Contact.phonebook_id == book).order_by(Contact.id)
    return database.read_now(lambda connection: [(number, name) for number, name in connection.execute(query)])


def test_another_sheet_than_the_guessed_one_can_be_chosen(alice: Visitor, database: Database) -> None:
    rows = [["Telefon", "Name"], [DE[0], "Ann Other"], [DE[1], "Bob Else"]]
    look(alice, "new-campaign/", workbook(["Telefon", DE[0]], sheets={"Kunden": rows}))
    assert chosen(alice.page)["sheet"] == "Kunden"
    change(alice, sheet="Sheet", header="0")
    press(alice, **{"import": "1"})
    assert stored_in(database, 1) == [(DE[0], "")]


def test_a_refused_cell_that_no_spreadsheet_can_have_is_cut_in_the_files_of_refused_lines(alice: Visitor) -> None:
    content = with_part(workbook(["x"]), SHEET, sheet_of(cells("Telefon") + cells(DE[0]) + cells("=" * 200_000)))
    look(alice, "new-campaign/", content)
    address = alice.page.split('href="/console/lists/', 1)[1].split('format=csv"')[0]
    assert "rejected" in address
    lines = alice.request("GET", unescape(f"lists/{address}format=csv")).text
    book = openpyxl.load_workbook(io.BytesIO(alice.request("GET", unescape(f"lists/{address}format=xlsx")).content))
    sheet: Any = book.active
    row = next(sheet.iter_rows(min_row=2, values_only=True))
    assert row[:2] == (3, "a cell has more than 32,767 characters")
    assert lines.count("=") == 131_071
    assert row[2].count("=") == 32_766


def bomb() -> bytes:
    """Return a small workbook whose sheet unpacks to more than a gigabyte."""
    written = io.BytesIO(workbook(["x"]))
    piece = b" " * (16 * 1024 * 1024)
    with (
        zipfile.ZipFile(written, "a", zipfile.ZIP_DEFLATED, compresslevel=1) as archive,
        archive.open("xl/worksheets/sheet2.xml", "w", force_zip64=True) as part,
    ):
        for _ in range(65):
            part.write(piece)
    return written.getvalue()


def zipped() -> bytes:
    """Return a ZIP file with a CSV file."""
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w") as archive:
        archive.writestr("people.csv", "Phone\n+12025550100\n")
    return written.getvalue()


LAUGHS: Final = b'<!DOCTYPE a [<!ENTITY b "ha"><!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;">]>'
HOSTILE: Final = {
    "zip bomb": (bomb, "The workbook is too large to be read safely. Save the sheet as CSV"),
    "billion laughs": (
        lambda: with_part(workbook(["x"]), SHEET, sheet_of(cells("&c;"), LAUGHS)),
        "parts that no spreadsheet program writes",
    ),
    "billion laughs among shared texts": (
        lambda: with_part(workbook(["x"]), "xl/sharedStrings.xml", LAUGHS + b"<sst/>"),
        "parts that no spreadsheet program writes",
    ),
    "20,000 columns": (
        lambda: table([f"c{number}" for number in range(20_000)]),
        "The header has 20000 columns. Use at most 100.",
    ),
    "many columns in a workbook": (
        lambda: workbook([f"c{number}" for number in range(200)], [DE[0]] * 200),
        "The header has 101 columns. Use at most 100.",
    ),
    "a cell of 10 MB": (
        lambda: with_part(workbook(["x"]), SHEET, sheet_of(cells("Telefon") + cells("x" * 10_000_000))),
        "The workbook is too large to be read safely.",
    ),
    "a cell of 10 MB in CSV": (lambda: b"Telefon\n" + b"x" * 10_000_000, "a cell has more than 131,072 characters"),
    "NUL bytes": (lambda: b"\0" * 5_000, "The file is empty."),
    "NUL bytes in a line": (lambda: b"Telefon,Name\n\0\0\0,Ann\n", "NUL characters"),
    "noise": (lambda: bytes(range(256)) * 40, "NUL characters. Save the file again, as .xlsx or as CSV in UTF-8."),
    "row numbers beyond all": (
        lambda: with_part(workbook(["x"]), SHEET, sheet_of(b'<row r="9999999"><c><v>1</v></c></row>')),
        "The file has no rows.",
    ),
    "a broken workbook": (lambda: workbook(["x"])[:-200], "The workbook cannot be read"),
    "a workbook with a broken sheet": (
        lambda: with_part(workbook(["x"]), SHEET, sheet_of(b"<row><c><v>1</v>")),
        "The workbook cannot be read",
    ),
    "a packed file": (zipped, "The file is packed (ZIP)"),
    "an old workbook": ((FOLDER / "libreoffice-in.xls").read_bytes, "The file is an old Excel file (.xls)"),
    "OpenDocument": ((FOLDER / "libreoffice-in.ods").read_bytes, "The file is an OpenDocument file. Save it as .xlsx"),
    "a web page": ((FOLDER / "libreoffice-in.html").read_bytes, "The file is a web page or XML"),
    "empty": (lambda: b"\xef\xbb\xbf\r\n\r\n", "The file is empty."),
    "an empty workbook": (workbook, "The file has no rows."),
    "shortened numbers": (
        lambda: b"Telefon;Name\n4,91701E+11;Ann\n",
        "was shortened by a spreadsheet, and its last digits are lost. Format the column as text",
    ),
    "extensions": (lambda: b"Phone,Name\n+12025550100 ext. 12,Ann\n", "has an extension, which cannot be dialled."),
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_a_file_that_has_no_contacts_says_what_to_do(alice: Visitor, api: Caller, kind: str) -> None:
    build, sentence = HOSTILE[kind]
    assert sentence in look(alice, "new-campaign/", build())
    answer = press(alice, **{"import": "1"})
    assert (answer.status_code, api.get("contact/")["count"]) == (400, 0)
    assert api.get("phonebook/")["count"] == 0


_SPELLINGS: Final = st.from_regex(
    r"['(]?(\+49|0049|0)?[ (/.-]?(30|170)[ )/.-]?[0-9]{3}[ ./-]?[0-9]{2,4}[ -]?[0-9]{0,2}( ?(x|ext\.|/) ?[0-9]{1,3})?",
    fullmatch=True,
    alphabet="0123456789+'()/.- xet",
)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(spelling=_SPELLINGS, region=st.sampled_from(["DE", "US", ""]), is_workbook=st.booleans())
def test_a_number_is_stored_as_the_page_showed_it(
    alice: Visitor, api: Caller, database: Database, spelling: str, region: str, *, is_workbook: bool
) -> None:
    book = api.create("phonebook", name="Book")["id"]
    rows = (["Telefon", "Name"], [spelling, "Ann Other"])
    content = workbook(*rows) if is_workbook else table(*rows)
    look(alice, f"records/phonebook/{book}/import/", content)
    answer = press(alice, region=region)
    shown = alice.text(answer.headers["location"].removeprefix("/console/"))
    press(alice, **{"import": "1"})
    number = shown.partition("→ ")[2].partition(" ")[0]
    assert stored_in(database, book) == ([(number, "Ann Other")] if number else [])


def test_the_page_that_refuses_a_file_offers_its_characters(alice: Visitor) -> None:
    content = "Name;Telefon\nJ\u00f6rg;+49302300074\n".encode("utf-16-le")
    page = look(alice, "new-campaign/", b"\xff\xfe" + content[:-1] + b"\xd8\x41")
    assert "Read the file again" in page
    assert "Mac Roman (older Macs)" in page
