"""Workbooks of a few kilobytes that become much, or that hide what they are, each with what is said to its sender."""

import io
import struct
import zipfile
from collections.abc import Callable
from typing import Final, NamedTuple

from tests.console.workbooks import SHEET, cells, sheet_of, with_part, workbook

MAIN: Final = b"http://schemas.openxmlformats.org/spreadsheetml/2006/main"
TEXTS: Final = "xl/sharedStrings.xml"
TOO_LARGE: Final = "The workbook is too large to be read safely. Save the sheet as CSV, and choose that file."
UNSAFE: Final = "The workbook has parts that no spreadsheet program writes, so it is not read."
DAMAGED: Final = "The workbook cannot be read: it is damaged or no .xlsx file."
HARMLESS: Final = ""
NUMBER: Final = "+12025550100"
_DOCTYPE: Final = b'<!DOCTYPE worksheet [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;">]>'
_LIST: Final = cells("contact", "phone_number") + cells(NUMBER, NUMBER)
GRIN: Final = "\U0001f600".encode()
_CENTRAL: Final = b"PK\x01\x02"


class Hostile(NamedTuple):
    """A workbook, and the words with which it is refused; `HARMLESS` if its one number is imported."""

    make: Callable[[], bytes]
    words: str


def named(name: str, part: bytes) -> bytes:
    """Return a workbook whose sheet is the part of another name."""
    relation = b'<Relationship Id="rId1" Type="x/worksheet" Target="worksheets/%b"/>' % name.encode()
    book = with_part(workbook(["x"]), f"xl/worksheets/{name}", part)
    return with_part(book, "xl/_rels/workbook.xml.rels", b"<Relationships>%b</Relationships>" % relation)


def plain(rows: bytes = _LIST, before: bytes = b"") -> bytes:
    """Return an ordinary workbook with these rows."""
    return with_part(workbook(["x"]), SHEET, sheet_of(rows, before))


def shared(text: bytes, cells_of_a_row: int, rows: int) -> bytes:
    """Return a workbook in which many cells share one long text."""
    texts = b'<sst xmlns="%b"><si><t>contact</t></si><si><t>%b</t></si></sst>' % (MAIN, text)
    long_row = b"<row>" + b'<c t="s"><v>1</v></c>' * cells_of_a_row + b"</row>"
    return with_part(plain(b'<row><c t="s"><v>0</v></c></row>' + long_row * rows), TEXTS, texts)


def styled(count: int) -> bytes:
    """Return a workbook with many formats of cells."""
    return with_part(plain(), "xl/styles.xml", b"<styleSheet><cellXfs>" + b"<xf/>" * count + b"</cellXfs></styleSheet>")


def ranges(size: int) -> bytes:
    """Return a workbook with names of ranges of that size."""
    name = b'<definedName name="a">' + b"x" * 1_000_000 + b"</definedName>"
    sheet = b'<sheets><sheet name="S" xmlns:r="r" r:id="rId1"/></sheets>'
    book = b'<workbook xmlns="%b">%b<definedNames>%b</definedNames></workbook>'
    relation = b'<Relationship Id="rId1" Type="x/worksheet" Target="worksheets/sheet1.xml"/>'
    whole = with_part(plain(), "xl/workbook.xml", book % (MAIN, sheet, name * (size // 1_000_000)))
    return with_part(whole, "xl/_rels/workbook.xml.rels", b"<Relationships>%b</Relationships>" % relation)


def types(count: int) -> bytes:
    """Return a workbook with many types of content."""
    listed = b"<Types>" + b'<Default Extension="x" ContentType="y"/>' * count + b"</Types>"
    return with_part(plain(), "[Content_Types].xml", listed)


def people(count: int, text: bytes = GRIN * 15_000) -> bytes:
    """Return a workbook of people who share one long text."""
    texts = b'<sst xmlns="%b"><si><t>%b</t></si></sst>' % (MAIN, text)
    rows = (
        b'<row><c t="inlineStr"><is><t>+1202555%04d</t></is></c><c t="s"><v>0</v></c></row>' % one
        for one in range(count)
    )
    return with_part(plain(cells("contact", "note") + b"".join(rows)), TEXTS, texts)


def claimed(size: int) -> bytes:
    """Return a workbook whose sheet has another size than its archive says."""
    content = bytearray(plain(_LIST * 1_000))
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        place = archive.namelist().index(SHEET)
    at = -1
    for _ in range(place + 1):
        at = content.index(_CENTRAL, at + 1)
    struct.pack_into("<I", content, at + 24, size)
    return bytes(content)


CASES: Final = {
    "a document type in sheet1.xml": Hostile(lambda: plain(before=_DOCTYPE), UNSAFE),
    "a document type in sheet1.XML": Hostile(lambda: named("sheet1.XML", sheet_of(_LIST, _DOCTYPE)), UNSAFE),
    "a document type in sheet1.dat": Hostile(lambda: named("sheet1.dat", sheet_of(cells("&b;"), _DOCTYPE)), UNSAFE),
    "a document type in the shared texts": Hostile(
        lambda: with_part(plain(), TEXTS, _DOCTYPE + b"<sst><si><t>&b;</t></si></sst>"), UNSAFE
    ),
    "a row of 6 MB in sheet1.dat": Hostile(lambda: named("sheet1.dat", sheet_of(cells("x" * 6_000_000))), TOO_LARGE),
    "a row of 6 MB in sheet1.XML": Hostile(lambda: named("sheet1.XML", sheet_of(cells("x" * 6_000_000))), TOO_LARGE),
    "cells that share a long text": Hostile(lambda: shared(GRIN * 32_767, 100, 100), TOO_LARGE),
    "100,001 formats": Hostile(lambda: styled(100_001), TOO_LARGE),
    "17 MB of names of ranges": Hostile(lambda: ranges(17_000_000), TOO_LARGE),
    "a sheet of 3 GB, as the archive says": Hostile(lambda: claimed(3_000_000_000), TOO_LARGE),
    "a sheet of 10 bytes, as the archive says": Hostile(lambda: claimed(10), DAMAGED),
    "3 MB of shared texts": Hostile(
        lambda: with_part(plain(), TEXTS, b"<sst>" + b"<si><t>x</t></si>" * 180_000 + b"</sst>"), HARMLESS
    ),
    "90,000 formats": Hostile(lambda: styled(90_000), HARMLESS),
    "3 MB of names of ranges": Hostile(lambda: ranges(3_000_000), HARMLESS),
    "4 MB of content types": Hostile(lambda: types(100_000), HARMLESS),
    "30 MB of blanks between rows": Hostile(lambda: plain(b" " * 30_000_000 + _LIST), HARMLESS),
    "200,000 empty rows": Hostile(lambda: plain(b"<row/>" * 200_000 + _LIST), HARMLESS),
}
EVERYWHERE: Final = ("a document type in sheet1.dat", "a row of 6 MB in sheet1.XML", "cells that share a long text")
"""The cases that are sent over every way into the service."""
