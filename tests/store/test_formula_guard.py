"""Tests of the guard of cells that a spreadsheet would read as formulas."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialer.domain.formats.formula_guard import guard, unguard


@given(st.text() | st.text("'=+-@\t\r\n|\uff1d\uff0b\uff0d\uff201.a"))
def test_a_guarded_text_is_read_back(text: str) -> None:
    assert unguard(guard(text)) == text


@pytest.mark.parametrize("start", ["=", "@", "+", "-", "\t", "\r", "\n", "|", "\uff1d", "\uff0b", "\uff0d", "\uff20"])
def test_every_start_of_a_formula_is_guarded(start: str) -> None:
    """Spreadsheets read full-width signs like plain ones, and a line end or a pipe as a start."""
    for text in (start, f"{start}cmd!A1", f"'{start}1+1"):
        assert guard(text) == f"'{text}"
        assert unguard(guard(text)) == text


@given(st.text() | st.text("'=+-@\t\r\n|\uff1d\uff0b\uff0d\uff201.a"))
def test_no_cell_begins_a_formula(text: str) -> None:
    cell = guard(text)
    assert cell in {text, f"'{text}"}
    assert cell[:1] not in {"=", "@", "\t", "\r", "\n", "|", "\uff1d", "\uff0b", "\uff0d", "\uff20"}


@pytest.mark.parametrize("cell", ["'", "'n Abend", "O'Brien", "'+12025550100", "'12", "''+1", "+12025550100"])
def test_an_apostrophe_that_is_no_guard_stays(cell: str) -> None:
    assert unguard(cell) == cell
