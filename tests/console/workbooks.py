"""Workbooks and CSV files for tests, built in memory, harmless and hostile ones."""

import csv
import io
import zipfile
from collections.abc import Mapping, Sequence
from typing import Any

import openpyxl

SHEET = "xl/worksheets/sheet1.xml"


def workbook(*rows: Sequence[Any], sheets: Mapping[str, Sequence[Sequence[Any]]] | None = None) -> bytes:
    """Return a workbook with rows on its first sheet, and with further sheets."""
    book = openpyxl.Workbook()
    active: Any = book.active
    for row in rows:
        active.append(row)
    for name, others in (sheets or {}).items():
        sheet = book.create_sheet(name)
        for row in others:
            sheet.append(row)
    return saved(book)


def filtered() -> bytes:
    """Return a workbook with a hidden row, two hidden columns and a hidden sheet."""
    book = openpyxl.Workbook()
    sheet: Any = book.active
    for row in (["contact", "a", "b"], ["+12025550100", "1", "2"], ["+12025550101", "3", "4"], ["+12025550102"]):
        sheet.append(row)
    sheet.row_dimensions[3].hidden = True
    for column in "BC":
        sheet.column_dimensions[column].hidden = True
    old = book.create_sheet("Old")
    old.sheet_state = "hidden"
    old.append(["contact"])
    old.append(["+12025550103"])
    return saved(book)


def saved(book: openpyxl.Workbook) -> bytes:
    """Return a workbook as a file."""
    content = io.BytesIO()
    book.save(content)
    return content.getvalue()


def with_part(content: bytes, name: str, part: bytes) -> bytes:
    """Return a ZIP file with another content of one part."""
    written = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as new:
        for entry in old.namelist():
            if entry != name:
                new.writestr(entry, old.read(entry))
        new.writestr(name, part)
    return written.getvalue()


def sheet_of(rows: bytes, before: bytes = b"") -> bytes:
    """Return the part of a sheet, with rows as XML."""
    head = b'<?xml version="1.0"?>' + before
    name = b"http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    return head + b'<worksheet xmlns="' + name + b'"><sheetData>' + rows + b"</sheetData></worksheet>"


def cells(*texts: str) -> bytes:
    """Return a row as XML, with its texts inside."""
    return b"<row>" + b"".join(b'<c t="inlineStr"><is><t>%b</t></is></c>' % one.encode() for one in texts) + b"</row>"


def table(*rows: Sequence[str], delimiter: str = ",", charset: str = "utf-8", line_end: str = "\r\n") -> bytes:
    """Return a CSV file."""
    text = io.StringIO()
    csv.writer(text, delimiter=delimiter, lineterminator=line_end).writerows(rows)
    return text.getvalue().encode(charset)
