#!/usr/bin/env bash
# One would guess: a fast reader of workbooks tells which rows a filter has hidden, as it tells of hidden sheets.
# What happens: python-calamine says which sheets are hidden, and returns hidden rows and columns like all others, without
#   a way to ask. openpyxl's read-only way, the one for large files, has no row_dimensions and no auto_filter either. Only
#   the whole load of openpyxl has both, which by its documentation takes about fifty times the file's size in memory. The rows that somebody filtered out
#   before saving are so called, texted and mailed.
# So: the attribute `hidden` of <row> must be read from the sheet's XML, which is one pass without the cells.
# Versions: python-calamine 0.9.1, openpyxl 3.1.5. Read 2026-11-28.
# Needs: python3 (3.10 or newer) with venv, and PyPI.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --disable-pip-version-check python-calamine==0.9.1 openpyxl==3.1.5

"$folder/venv/bin/python" - "$folder/list.xlsx" <<'PYTHON'
import sys

import openpyxl
from python_calamine import CalamineWorkbook

path = sys.argv[1]
book = openpyxl.Workbook()
sheet = book.active
sheet.append(["phone", "may we call?"])
for n in range(4):
    sheet.append([f"+4930231251{n:02}", "no" if n % 2 else "yes"])
sheet.auto_filter.ref = "A1:B5"
sheet.auto_filter.add_filter_column(1, ["yes"])
for row in (3, 5):
    sheet.row_dimensions[row].hidden = True
book.create_sheet("old").sheet_state = "hidden"
book.save(path)

fast = CalamineWorkbook.from_path(path)
rows = fast.get_sheet_by_name("Sheet").to_python()
words = [name for name in dir(fast.get_sheet_by_name("Sheet")) if "hid" in name.lower() or "visib" in name.lower() or "filter" in name.lower()]
print("calamine: sheets", [(s.name, str(s.visible)) for s in fast.sheets_metadata], "rows", len(rows), "words about hidden rows", words)
lean = openpyxl.load_workbook(path, read_only=True)["Sheet"]
lean_rows = list(lean.iter_rows(values_only=True))
print("openpyxl, read-only: rows", len(lean_rows), "row_dimensions", hasattr(lean, "row_dimensions"), "auto_filter", hasattr(lean, "auto_filter"))
whole = openpyxl.load_workbook(path)["Sheet"]
hidden = [n for n, row in whole.row_dimensions.items() if row.hidden]
print("openpyxl, whole: hidden rows", hidden, "filter", whole.auto_filter.ref)

assert "Hidden" in str(fast.sheets_metadata[1].visible), fast.sheets_metadata
assert len(rows) == 5 and words == [] and sum(row[1] == "no" for row in rows) == 2, (rows, words)
assert len(lean_rows) == 5 and not hasattr(lean, "row_dimensions") and not hasattr(lean, "auto_filter")
assert hidden == [3, 5] and whole.auto_filter.ref == "A1:B5", hidden
PYTHON
