"""A workbook of 212,000 rows and 28 columns, unpacked 380 MB: how long it takes to read, and the memory.

Run `python -m benchmarks.workbooks`, with `--openpyxl` to read it with that library instead.
"""

import resource
import sys
import tempfile
import time
import zipfile
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any, Final

from openpyxl import Workbook, load_workbook
from openpyxl.utils import get_column_letter

from dialer.app.imports.sheet_readers import read_sheet

ROWS: Final = 212_000
COLUMNS: Final = 28
_SHEET: Final = "xl/worksheets/sheet1.xml"


def write_large(path: Path, rows: int = ROWS) -> None:
    """Write the workbook: an ordinary one, with another sheet in place of its own."""
    with tempfile.TemporaryFile() as plain:
        Workbook().save(plain)
        with zipfile.ZipFile(plain) as old, zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as new:
            for name in old.namelist():
                if name != _SHEET:
                    new.writestr(name, old.read(name))
            with new.open(_SHEET, "w", force_zip64=True) as sheet:
                for piece in _sheet(rows):
                    sheet.write(piece.encode())


def _sheet(rows: int) -> Iterator[str]:
    yield '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>'
    yield _row(1, ["Phone", "Name", *(f"Field {place}" for place in range(3, COLUMNS + 1))])
    rest = ["the same remark"] * (COLUMNS - 2)
    for number in range(2, rows + 2):
        yield _row(number, [f"+1202555{number % 10_000:04}", "Ann Example", *rest])
    yield "</sheetData></worksheet>"


def _row(number: int, cells: list[str]) -> str:
    made = (
        f'<c r="{get_column_letter(place)}{number}" t="inlineStr"><is><t>{cell}</t></is></c>'
        for place, cell in zip(count(1), cells, strict=False)
    )
    return f'<row r="{number}">{"".join(made)}</row>'


def main() -> None:
    """Write the workbook, read it, and print what that took."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "large.xlsx")
        write_large(path)
        begun = time.monotonic()
        if "--openpyxl" in sys.argv:
            sheet: Any = load_workbook(path, read_only=True, data_only=True).active
            rows = sum(1 for _ in sheet.iter_rows(values_only=True))
            _tell(rows, begun, begun, resource.RUSAGE_SELF)
            return
        with path.open("rb") as file, read_sheet(file, None) as reader:
            found = reader.rows()
            next(found)
            first = time.monotonic()
            rows = 1 + sum(1 for _ in found)
        _tell(rows, begun, first, resource.RUSAGE_CHILDREN)


def _tell(rows: int, begun: float, first: float, who: int) -> None:
    used = resource.getrusage(who)
    print(f"rows: {rows:,}; first row after {first - begun:.1f} s, the last after {time.monotonic() - begun:.1f} s")
    print(f"CPU of the reader: {used.ru_utime + used.ru_stime:.1f} s; its memory: {used.ru_maxrss // 1024} MB")


if __name__ == "__main__":
    main()
