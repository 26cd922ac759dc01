"""Workbooks are read by processes of their own: as a library reads them, within limits, and no longer than asked."""

import datetime as dt
import io
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from openpyxl.utils.exceptions import IllegalCharacterError

from dialer.app.imports import sheet_parts, sheet_readers
from dialer.app.imports.csv_records import TableForm
from dialer.app.imports.headers import CsvError
from dialer.app.imports.imports import IMPORT_BYTES_MAX
from dialer.app.imports.list_files import open_list
from dialer.app.imports.sheet_process import CPU_S_MAX, MEMORY_BYTES_MAX, read
from dialer.app.imports.sheet_readers import BusyError, read_sheet, reading_for
from tests.console.workbooks import SHEET, cells, filtered, saved, sheet_of, with_part, workbook

MAIN = b"http://schemas.openxmlformats.org/spreadsheetml/2006/main"


def lines(content: bytes, sheet: str | None = None) -> list[list[Any]]:
    return list(read(io.BytesIO(content), sheet))


def rows(content: bytes) -> list[list[str]]:
    return [line[3] for line in lines(content) if line[0] == "row"]


def numbers(content: bytes, form: TableForm) -> tuple[list[str], int]:
    with open_list([content], required="contact", form=form) as file:
        found = [record.cells[0] for record in file]
        return found, file.left_out


def test_hidden_rows_are_left_out_and_counted_unless_they_are_wanted() -> None:
    all_numbers = ["+12025550100", "+12025550101", "+12025550102"]
    assert numbers(filtered(), TableForm()) == (["+12025550100", "+12025550102"], 1)
    assert numbers(filtered(), TableForm(hidden_rows=True)) == (all_numbers, 0)
    with open_list([filtered()], required="phone_number", renamed={"contact": "phone_number"}) as file:
        assert ([record.cells[0] for record in file], file.left_out) == (all_numbers, 0)
    found = lines(filtered())
    assert found[0] == ["sheets", [("Sheet", False), ("Old", True)], "Sheet", True]
    assert found[1] == ["columns", [1, 2]]


VALUES = [
    (7, "General", "7"),
    (12.5, "General", "12.5"),
    (491701234567.0, '"+"0', "491701234567"),
    (301234567, "0####", "301234567"),
    (True, "General", "TRUE"),
    (dt.date(2026, 1, 30), "yyyy-mm-dd", "2026-01-30"),
    (dt.datetime(2026, 1, 30, 17, 5), "dd.mm.yyyy hh:mm", "2026-01-30 17:05:00"),  # noqa: DTZ001 - as in workbooks
    (dt.time(17, 5), "hh:mm", "17:05:00"),
    (dt.timedelta(hours=30, minutes=5), "[h]:mm", "30:05:00"),
    (dt.date(1900, 1, 30), "m/d/yy", "1900-01-30"),
    (3, '0 "days"', "3"),
    (3, r"0\d", "3"),
    (3, "[Red]0.00", "3"),
    (99_999_999, "yyyy-mm-dd", "99999999"),
    ("a_x000D_\nb", "General", "a\nb"),
    (" text ", "@", "text"),
    ("#N/A", "General", "#N/A"),
]


@pytest.mark.parametrize(("value", "form", "expected"), VALUES)
def test_a_cell_is_read_as_people_see_it(value: object, form: str, expected: str) -> None:
    book = openpyxl.Workbook()
    sheet: Any = book.active
    sheet.append([value, "end"])
    sheet["A1"].number_format = form
    assert rows(saved(book)) == [[expected, "end"]]


_CELLS = st.one_of(
    st.none(), st.booleans(), st.integers(-(10**14), 10**14), st.text(st.characters(codec="utf-8"), max_size=9),
    st.dates(dt.date(1901, 1, 1)),
)  # fmt: skip


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.lists(_CELLS, max_size=5), max_size=5))
def test_a_workbook_is_read_as_the_library_that_wrote_it_reads_it(table: Sequence[Sequence[object]]) -> None:
    book = openpyxl.Workbook()
    sheet: Any = book.active
    try:
        for row in table:
            sheet.append([None if isinstance(cell, str) and cell[:1] in {"=", "'"} else cell for cell in row])
    except IllegalCharacterError:
        return
    content = saved(book)
    loaded: Any = openpyxl.load_workbook(io.BytesIO(content), data_only=True).active
    expected = [[_shown(cell) for cell in row] for row in loaded.iter_rows(values_only=True)]
    assert rows(content) == [trimmed for row in expected if (trimmed := _trimmed(row))]


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, dt.datetime):
        return str(value.date())
    text = "" if value is None else str(value).replace("\r\n", "\n").replace("\r", "\n").strip()
    return "".join(mark for mark in text if mark in "\n\t" or mark >= " ")


def _trimmed(row: list[str]) -> list[str]:
    while row and not row[-1]:
        row.pop()
    return row


FAR = b'<row r="1"><c r="XFD1"><v>1</v></c></row><row r="1048576"><c r="A1048576"><v>7</v></c></row>'
GAP = b"<row><c><v>1</v></c></row><row/><row><c><v>2</v></c></row>" + b"<row/>" * 20_000 + cells("x")
PREFIX = (
    b'<x:worksheet xmlns:x="%b"><x:sheetData><x:row><x:c><x:v>7</x:v></x:c></x:row></x:sheetData></x:worksheet>' % MAIN
)


@pytest.mark.parametrize(
    ("part", "expected"),
    [
        (sheet_of(FAR), [["7"]]),
        (sheet_of(b'<row r="5"><c r="C5"><v>7</v></c><c r="A5"><v>8</v></c></row>'), [["", "", "7"]]),
        (sheet_of(GAP), [["1"], ["2"], ["x"]]),
        (PREFIX, [["7"]]),
    ],
)
def test_odd_rows_of_other_programs_are_read(part: bytes, expected: list[list[str]]) -> None:
    assert rows(with_part(workbook(["x"]), SHEET, part)) == expected


def test_texts_that_cells_share_are_read_without_how_they_are_spoken() -> None:
    spoken = b'<rPh sb="0" eb="1"><t>x</t></rPh>'
    texts = b'<sst xmlns="%b"><si><r><t>\xe5\xb1\xb1</t></r><r><t>\xe7\x94\xb0</t></r>%b</si></sst>' % (MAIN, spoken)
    book = with_part(workbook(["x"]), "xl/sharedStrings.xml", texts)
    assert rows(with_part(book, SHEET, sheet_of(b'<row><c t="s"><v>0</v></c></row>'))) == [["\u5c71\u7530"]]


@pytest.mark.parametrize("name", ["sheet1.XML", "sheet1.dat"])
def test_the_name_of_a_part_changes_no_limit(name: str) -> None:
    other = with_part(workbook(["x"]), f"xl/worksheets/{name}", sheet_of(cells("x" * 6_000_000)))
    relation = b'<Relationship Id="rId1" Type="x/worksheet" Target="worksheets/%b"/>' % name.encode()
    relations = b"<Relationships>%b</Relationships>" % relation
    assert lines(with_part(other, "xl/_rels/workbook.xml.rels", relations))[-1] == ["error", "too_large"]


@pytest.mark.parametrize("name", ["sheet1.xml", "sheet1.XML", "sheet1.dat"])
def test_a_document_type_is_refused_whatever_the_name_of_its_part(name: str) -> None:
    declared = b'<!DOCTYPE worksheet [<!ENTITY a "aaaa">]>' + sheet_of(cells("&a;"))
    other = with_part(workbook(["x"]), f"xl/worksheets/{name}", declared)
    relation = b'<Relationship Id="rId1" Type="x/worksheet" Target="worksheets/%b"/>' % name.encode()
    relations = b"<Relationships>%b</Relationships>" % relation
    assert lines(with_part(other, "xl/_rels/workbook.xml.rels", relations))[-1] == ["error", "unsafe"]


LIMITED = """\
import resource
from dialer.app.imports import sheet_process
sheet_process.limit()
kinds = (resource.RLIMIT_AS, resource.RLIMIT_CPU, resource.RLIMIT_FSIZE, resource.RLIMIT_CORE)
print(*(resource.getrlimit(kind)[0] for kind in kinds))
"""


def test_the_process_has_limits_of_memory_and_time_and_writes_no_files() -> None:
    told = subprocess.run([sys.executable, "-c", LIMITED], capture_output=True, text=True, check=True)
    assert told.stdout.split() == [str(MEMORY_BYTES_MAX), str(CPU_S_MAX), "0", "0"]


ENDED = "import os, signal, sys; sys.stdout.write({told!r}); sys.stdout.flush(); os.kill(os.getpid(), signal.{signal})"
ROW = '["sheets",[["S",false]],"S",true]\n["row",1,false,["contact"]]\n'


@pytest.mark.parametrize("signal", ["SIGXCPU", "SIGKILL", "SIGSEGV"])
@pytest.mark.parametrize("told", ["", ROW, ROW + '["row",2,false,["+1202'])
def test_a_process_that_a_limit_ends_is_a_sentence(monkeypatch: pytest.MonkeyPatch, told: str, signal: str) -> None:
    """Wherever it ends: before the first row, between two, or within one."""
    command = (sys.executable, "-c", ENDED.format(told=told, signal=signal))
    monkeypatch.setattr(sheet_readers, "_COMMAND", command)
    with pytest.raises(CsvError, match="too large to be read safely"), open_list([workbook()], required=None) as file:
        list(file)


def test_names_of_sheets_have_a_limit() -> None:
    sheet = b'<sheets><sheet name="%b" xmlns:r="r" r:id="rId1"/></sheets>' % (b"x" * 100_000)
    named = with_part(workbook(["x"]), "xl/workbook.xml", b'<workbook xmlns="%b">%b</workbook>' % (MAIN, sheet))
    assert lines(named)[0][2] == "x" * 255


def test_the_rows_of_a_workbook_may_be_as_long_as_those_of_a_csv_file() -> None:
    assert sheet_parts.CHARACTERS_MAX == IMPORT_BYTES_MAX


def test_cells_that_share_a_text_count_as_often_as_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = b'<sst xmlns="%b"><si><t>%b</t></si></sst>' % (MAIN, b"x" * 1_000)
    book = with_part(workbook(["x"]), "xl/sharedStrings.xml", texts)
    content = with_part(book, SHEET, sheet_of((b"<row>" + b'<c t="s"><v>0</v></c>' * 10 + b"</row>") * 3))
    assert len(rows(content)) == 3
    for name, most in (("ROW_MAX", 9_999), ("CHARACTERS_MAX", 29_999)):
        with monkeypatch.context() as limited:
            limited.setattr(sheet_parts, name, most)
            assert lines(content)[-1] == ["error", "too_large"]


def test_a_process_that_needs_too_much_memory_is_a_sentence() -> None:
    some = b"".join(b"<si><t>%d</t></si>" % place for place in range(10_000))
    texts = b'<sst xmlns="%b">%b</sst>' % (MAIN, some * 450)
    book = with_part(workbook(["x"]), "xl/sharedStrings.xml", texts)
    content = with_part(book, SHEET, sheet_of(b'<row><c t="s"><v>9999999</v></c></row>'))
    with pytest.raises(CsvError, match="too large to be read safely"), open_list([content], required=None) as file:
        list(file)


def test_a_process_ends_with_its_reader_and_a_user_has_a_share(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sheet_readers, "WAIT_S", 0)
    monkeypatch.setattr(sheet_readers, "READERS_OF_A_USER_MAX", 1)
    path = tmp_path / "book.xlsx"
    path.write_bytes(with_part(workbook(["x"]), SHEET, sheet_of(cells("x") * 100_000)))
    with path.open("rb") as file, path.open("rb") as second:
        with reading_for(1), read_sheet(file, None) as sheet:
            assert next(sheet.rows()).cells == ["x"]
            with pytest.raises(BusyError), read_sheet(second, None):
                pass
            with reading_for(2), read_sheet(second, None) as others:
                assert next(others.rows()).number == 1
        with reading_for(1), read_sheet(file, None) as sheet:
            assert sum(1 for _ in sheet.rows()) == 100_000
