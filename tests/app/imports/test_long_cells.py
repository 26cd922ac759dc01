"""Cells of numbers that are pages of text: each is a rejected row, and its length costs nothing."""

import sys
from collections import Counter
from typing import Final

import pytest

from dialer.app.imports.imports import ImportOptions, import_csv
from dialer.app.imports.number_cells import NUMBER_CELL_MAX
from dialer.app.imports.number_rows import ContactRows, DncRows, NumberRows, StoredRows
from dialer.app.imports.report import ImportReport, RowRemark
from dialer.domain.numbers import usual_spellings
from dialer.domain.numbers.usual_spellings import has_second_number

ROWS: Final = 50
LONG: Final = 32_000
NUMBER: Final = "+12025550100"
SHAPES: Final = {
    "slashes": "0/",
    "numbers": f"{NUMBER}, ",
    "tones": ",",
    "brackets": "((1",
    "words": "call 2 or ",
}
KINDS: Final = (ContactRows, DncRows)


def cell(shape: str, size: int) -> str:
    return (f"{NUMBER} a 1" + SHAPES[shape] * size)[:size]


def read(kind: type[NumberRows], content: str) -> ImportReport:
    """Read a file with some equal rows, and return the report."""
    text = f"{kind.column},name\n" + f'"{content}",x\n' * ROWS
    target = kind(0, region="US", user_id=1)
    return import_csv([text.encode()], target, lambda _work: StoredRows(0), ImportOptions(is_dry=True))


def work(kind: type[NumberRows], content: str) -> int:
    """Return how many functions are called to read the rows, those of libraries included."""
    counts: Counter[str] = Counter()
    before = sys.getprofile()
    sys.setprofile(lambda _frame, what, _argument: counts.update((what,)))
    try:
        read(kind, content)
    finally:
        sys.setprofile(before)
    return counts["call"] + counts["c_call"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("shape", SHAPES)
def test_a_longer_cell_takes_no_more_work(kind: type[NumberRows], shape: str) -> None:
    read(kind, cell(shape, LONG))
    assert work(kind, cell(shape, LONG)) < 1.1 * work(kind, cell(shape, 2 * NUMBER_CELL_MAX))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("size", [NUMBER_CELL_MAX + 1, LONG])
def test_each_row_is_reported_with_the_beginning_of_its_cell(kind: type[NumberRows], size: int) -> None:
    content = cell("numbers", size)
    report = read(kind, content)
    wrong = f"{kind.column}: {content[:64]!r} has more than 64 characters."
    remark = RowRemark(2, f"{wrong} Enter 3 to 15 digits with an optional leading +.", "too_long", content[:64])
    assert (report.rejected, report.errors[0]) == (ROWS, remark)


def test_all_of_a_cell_is_read_or_the_row_is_reported() -> None:
    """A contact has no number of a longer cell. A do-not-call list has those of its beginning."""
    numbers = [f"+1202555{last:04}" for last in range(20)]
    whole = " ; ".join(numbers).ljust(NUMBER_CELL_MAX, ".")
    for kind, content, found, kinds in (
        (ContactRows, whole, numbers[:1], []),
        (DncRows, whole, numbers, []),
        (ContactRows, f"{whole}.", [], ["too_long"]),
        (DncRows, f"{whole}.", numbers, ["too_long"]),
    ):
        target = kind(1, region="US")
        target.begin([kind.column])
        rows, error = target.rows_of([content])
        assert [number for number, _ in rows] == found
        assert ([] if error is None else [error.kind]) == kinds


@pytest.mark.parametrize("text", ["0/" * LONG, "1234567/" * LONG, "(/" * LONG])
def test_slashes_are_looked_at_once(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[int] = []

    def count(part: str) -> int:
        seen.append(len(part))
        return sum(map(str.isdigit, part))

    monkeypatch.setattr(usual_spellings, "_digits", count)
    has_second_number(text)
    assert sum(seen) <= 2 * len(text)
