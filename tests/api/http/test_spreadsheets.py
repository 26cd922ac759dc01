"""Tests of spreadsheets: whatever is written is read back by a program of its own, and nothing is a formula."""

import math
from datetime import UTC, date, datetime, timedelta
from typing import Any, Final
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from openpyxl import load_workbook

from dialer.api.answers import spreadsheets
from dialer.api.answers.spreadsheets import Spreadsheet, in_zone
from dialer.domain.formats.formula_guard import guard
from dialer.resources.words.errors import InvalidError
from tests.sizes import examples

XML: Final = st.text(st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\ufffe\uffff"))
STARTS: Final = st.sampled_from(["", "=", "+", "-", "@", "|", "<", "&", "]]>", '"', "'", "#N/A", "_x0041_", "\u202e"])
TEXTS: Final = st.tuples(STARTS, XML).map("".join)
MOMENTS: Final = st.datetimes(datetime(1970, 1, 2), datetime(2199, 1, 1)).map(lambda at: at.replace(microsecond=0))  # noqa: DTZ001 - cells have no zone
NUMBERS: Final = st.integers(-(10**12), 10**12) | st.floats(-1e9, 1e9, allow_subnormal=False)


def read(spreadsheet: Spreadsheet) -> list[list[Any]]:
    with spreadsheet.finish() as file:
        sheet: Any = load_workbook(file).active
        return [list(row) for row in sheet.iter_rows()]


@settings(max_examples=examples(60))
@given(st.lists(st.tuples(TEXTS, MOMENTS, NUMBERS, st.none() | st.booleans()), max_size=8))
def test_cells_are_read_back_as_they_were(rows: list[tuple[str, datetime, float, bool | None]]) -> None:
    spreadsheet = Spreadsheet("Figures: [a/b]*?", ["=text", "moment", "number", "flag"])
    spreadsheet.add(rows)
    found = read(spreadsheet)
    assert [cell.value for cell in found[0]] == ["'=text", "moment", "number", "flag"]
    assert all(cell.data_type != "f" for row in found for cell in row)
    for cells, (text, moment, number, flag) in zip(found[1:], rows, strict=True):
        assert (cells[0].value or "", cells[3].value) == (guard(text), flag)
        assert abs(cells[1].value - moment) < timedelta(seconds=1)
        assert (cells[1].is_date, math.isclose(cells[2].value, number)) == (True, True)


def test_programs_that_read_row_by_row_read_all_rows() -> None:
    spreadsheet = Spreadsheet("Figures", ["place", "text"])
    rows = [(place, "text") for place in range(5)]
    spreadsheet.add(rows)
    with spreadsheet.finish() as file:
        sheet: Any = load_workbook(file, read_only=True).active
        assert list(sheet.iter_rows(values_only=True)) == [("place", "text"), *rows]


def test_characters_that_no_file_can_hold_are_left_out_and_long_texts_are_cut() -> None:
    spreadsheet = Spreadsheet("", ["text"])
    spreadsheet.add([["a\x00b\x1f\ud800c\ufffe"], ["x" * 40_000]])
    assert [row[0].value for row in read(spreadsheet)[1:]] == ["abc", "x" * 32_767]


def test_a_day_and_a_moment_have_formats_of_their_own() -> None:
    spreadsheet = Spreadsheet("t", [str(number) for number in range(30)])
    at_ms = int(datetime(2026, 11, 18, 23, 30, tzinfo=UTC).timestamp() * 1_000)
    spreadsheet.add([[in_zone(at_ms, ZoneInfo("Europe/Madrid")), date(2026, 11, 18)]])
    _, (moment, day, *_) = read(spreadsheet)
    assert [moment.value, day.value] == [datetime(2026, 11, 19, 0, 30), datetime(2026, 11, 18)]  # noqa: DTZ001 - cells have no zone
    assert [moment.number_format, day.number_format] == ["yyyy-mm-dd hh:mm:ss", "yyyy-mm-dd"]


def test_too_many_rows_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spreadsheets, "SPREADSHEET_ROWS_MAX", 2)
    spreadsheet = Spreadsheet("t", ["n"])
    spreadsheet.add([[1], [2]])
    with pytest.raises(InvalidError):
        spreadsheet.add([[3]])
    spreadsheet.drop()
