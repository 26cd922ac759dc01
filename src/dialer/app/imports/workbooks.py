"""Workbooks of spreadsheet programs (.xlsx): their rows as records, after a check that the file is harmless."""

import math
import warnings
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime, time
from itertools import islice
from typing import IO, Any, Final
from xml.parsers import expat

from openpyxl import load_workbook

from dialer.app.imports.csv_records import PLAIN_FORM, CsvRecord, TableForm
from dialer.app.imports.headers import COLUMNS_MAX, CsvError, check_names, column_names, wrong_count
from dialer.domain.sentences import Grouped, Listed, Sentence
from dialer.store.formula_guard import unguard

WORKBOOK_BYTES_MAX: Final = 50 * 1024 * 1024
"""Maximum size of a workbook as it is on disk: packed."""
UNPACKED_BYTES_MAX: Final = 1024 * 1024 * 1024
"""Maximum size of all parts together. They are read piece by piece."""
TEXTS_BYTES_MAX: Final = 128 * 1024 * 1024
"""Maximum size of a part that is read as a whole, such as the texts that cells share."""
PARTS_MAX: Final = 2_000
SHEETS_MAX: Final = 200
ROWS_MAX: Final = 1_048_576
"""Maximum number of rows, as in the programs that write such files."""
ROW_BYTES_MAX: Final = 4 * 1024 * 1024
"""Maximum size of one row in the file, with its format."""
CELL_MAX: Final = 32_767
"""Maximum characters of a cell, as in the programs that write such files."""
EMPTY_ROWS_MAX: Final = 10_000
"""Empty rows in a row after which a sheet is taken to be at its end."""
PIECE_BYTES: Final = 65_536
ROOT_BYTES_MAX: Final = 65_536
"""Bytes within which the first element of a part begins."""
ZIP: Final = b"PK\x03\x04"
_SHEETS: Final = "xl/worksheets/"
_ROW_END: Final = b"</row>"
_SAVE: Final = Sentence("Save it as .xlsx or as CSV in your spreadsheet program, and choose that file.")
BROKEN: Final = Sentence("The workbook cannot be read: it is damaged or no .xlsx file. %(remedy)s", remedy=_SAVE)
LOCKED: Final = "The workbook has a password. Save it without one, or as CSV, and choose that file."
TOO_LARGE: Final = "The workbook is too large to be read safely. Save the sheet as CSV, and choose that file."
UNSAFE: Final = Sentence(
    "The workbook has parts that no spreadsheet program writes, so it is not read. %(remedy)s", remedy=_SAVE
)
_FOREIGN: Final = (
    (
        b"\xd0\xcf\x11\xe0",
        "The file is an old Excel file (.xls), or has a password. Save it as .xlsx without a password, or as CSV.",
    ),
    (b"%PDF", Sentence("The file is a PDF, not a table. %(remedy)s", remedy=_SAVE)),
    (b"{\\rtf", Sentence("The file is a text document, not a table. %(remedy)s", remedy=_SAVE)),
    (b"\x1f\x8b", "The file is packed (gzip). Unpack it first, and choose what is inside."),
    (b"\x89PNG", Sentence("The file is a picture, not a table. %(remedy)s", remedy=_SAVE)),
    (b"\xff\xd8\xff", Sentence("The file is a picture, not a table. %(remedy)s", remedy=_SAVE)),
)
_PAGES: Final = (b"<!doctype html", b"<html", b"<table", b"<?xml", b"<meta")


def refuse_foreign(beginning: bytes) -> None:
    """Check that a file is not one of another program, by its first bytes.

    Raises:
        CsvError: it is; the message says what to do.
    """
    message = next((message for start, message in _FOREIGN if beginning.startswith(start)), None)
    if message is None and beginning.removeprefix(b"\xef\xbb\xbf").lstrip()[:14].lower().startswith(_PAGES):
        message = Sentence("The file is a web page or XML, although its name may end in .xls. %(remedy)s", remedy=_SAVE)
    if message is not None:
        raise CsvError(message)


class Workbook:
    """A workbook whose sheets can be read, one after another."""

    def __init__(self, file: IO[bytes]) -> None:
        """Check the parts of a file that can be read at any place.

        Raises:
            CsvError: it is no workbook, or one that is not safe to read.
        """
        _check_parts(file)
        file.seek(0)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # Formats and extensions that are not read.
                self._book: Final = load_workbook(file, read_only=True, data_only=True, keep_links=False)
        except Exception:  # noqa: BLE001 - any error of the library means that the file is broken
            raise CsvError(BROKEN) from None
        self.sheets: Final = [sheet.title for sheet in self._book.worksheets][:SHEETS_MAX]

    def rows(self, sheet: str | None) -> Iterator[tuple[int, list[str]]]:
        """Yield the rows of a sheet that are not empty, with their numbers; for None, those of the first that has any.

        Raises:
            CsvError: there is no such sheet, or it cannot be read.
        """
        if sheet is not None and sheet not in self.sheets:
            raise CsvError(
                Sentence(
                    "The workbook has no sheet %(sheet)r. It has: %(sheets)s.", sheet=sheet, sheets=Listed(self.sheets)
                )
            )
        return self._rows(self.first_sheet() if sheet is None else sheet)

    def first_sheet(self) -> str:
        """Return the name of the first sheet that has rows, else of the first sheet.

        Raises:
            CsvError: there are no sheets, or one cannot be read.
        """
        if not self.sheets:
            raise CsvError("The workbook has no sheets with rows. Choose another file.")
        return next((name for name in self.sheets if next(self._rows(name), None) is not None), self.sheets[0])

    def _rows(self, sheet: str) -> Iterator[tuple[int, list[str]]]:
        source = self._book.worksheets[self.sheets.index(sheet)]
        source.reset_dimensions()  # The file may give a wrong size.
        rows = enumerate(source.iter_rows(values_only=True, max_col=COLUMNS_MAX + 1), 1)
        empty = 0
        while empty <= EMPTY_ROWS_MAX:
            try:
                number, values = next(rows, (0, ()))
                cells = ["" if value is None else _text(value) for value in values]
            except Exception:  # noqa: BLE001 - any error of the library means that the file is broken
                raise CsvError(BROKEN) from None
            if not number:
                return
            if number > ROWS_MAX:
                raise CsvError(TOO_LARGE)
            while cells and not cells[-1].strip():
                cells.pop()
            empty = 0 if cells else empty + 1
            if cells:
                yield number, cells


class SheetFile:
    """A sheet of a workbook: its header at once, its records one by one, like those of a `CsvFile`."""

    columns: tuple[str, ...]

    def __init__(
        self,
        file: IO[bytes],
        *,
        required: str | None,
        renamed: Mapping[str, str] | None = None,
        form: TableForm = PLAIN_FORM,
    ) -> None:
        """Read the header.

        Raises:
            CsvError: the file or its header is not usable.
        """
        self._rows = Workbook(file).rows(form.sheet)
        self._first: list[tuple[int, list[str]]] = []
        names = column_names(self._header(form.header_line))
        renamed = renamed or {}
        self.columns = tuple(renamed.get(name.lower(), name) for name in names)
        if required is not None and required not in {name.lower() for name in self.columns}:
            raise CsvError(
                Sentence(
                    "The sheet has no column %(required)s. It has: %(names)s.",
                    required=required,
                    names=", ".join(names)[:500] or Sentence("none"),
                )
            )
        check_names(names, self.columns, renamed)

    def __iter__(self) -> Iterator[CsvRecord]:
        columns = len(self.columns)
        for rows in (self._first, self._rows):
            for number, cells in rows:
                missing = columns - len(cells)
                problem = None if missing >= 0 else wrong_count(len(cells), columns)
                long = max(map(len, cells)) > CELL_MAX
                problem = (
                    Sentence("a cell has more than %(most)s characters", most=Grouped(CELL_MAX)) if long else problem
                )
                yield CsvRecord(number, cells + [""] * missing, problem)

    def _header(self, line: int | None) -> Sequence[str]:
        """Return the cells of the header; without one, an empty cell for each column of the first rows."""
        if line == 0:
            self._first = list(islice(self._rows, COLUMNS_MAX))
            return [""] * max((len(cells) for _, cells in self._first), default=0)
        for number, cells in self._rows:
            if line is None or number >= line:
                return [" ".join(cell.split()) for cell in cells]
        return []


def _text(value: Any) -> str:  # noqa: ANN401 - a value of a cell
    """Return a cell as people see it: whole numbers without a point, dates as in ISO 8601."""
    if isinstance(value, str):
        return unguard(value.replace("_x000D_", "").replace("\0", "").strip())
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, float):
        return str(int(value)) if math.isfinite(value) and value.is_integer() else str(value)
    if isinstance(value, datetime):
        return str(value.date() if value.time() == time(0) else value)
    return value.isoformat() if isinstance(value, (date, time)) else str(value)


# --- the check -------------------------------------------------------------------------------------------------------


def _check_parts(file: IO[bytes]) -> None:
    """Raise CsvError if a file is no ZIP file of harmless size and content. Nothing of it is unpacked as a whole."""
    file.seek(0, 2)
    if file.tell() > WORKBOOK_BYTES_MAX:
        raise CsvError(TOO_LARGE)
    try:
        with zipfile.ZipFile(file) as archive:
            parts = archive.infolist()
            _check_sizes(parts)
            for part in parts:
                if part.filename.endswith((".xml", ".rels", ".vml")):
                    _check_part(archive, part)
    except CsvError:
        raise
    except Exception:  # noqa: BLE001 - a broken file, packed in a way that is not known
        raise CsvError(BROKEN) from None


def _check_sizes(parts: Sequence[zipfile.ZipInfo]) -> None:
    names = {part.filename for part in parts}
    if "mimetype" in names and "content.xml" in names:
        raise CsvError(Sentence("The file is an OpenDocument file. %(remedy)s", remedy=_SAVE))
    if "[Content_Types].xml" not in names or "xl/workbook.xml" not in {name.lower() for name in names}:
        raise CsvError(Sentence("The file is packed (ZIP), and no workbook. %(remedy)s", remedy=_SAVE))
    if any(part.flag_bits & 1 for part in parts):
        raise CsvError(LOCKED)
    whole = [part.file_size for part in parts if not part.filename.startswith(_SHEETS)]
    if len(parts) > PARTS_MAX or sum(part.file_size for part in parts) > UNPACKED_BYTES_MAX:
        raise CsvError(TOO_LARGE)
    if max(whole, default=0) > TEXTS_BYTES_MAX:
        raise CsvError(TOO_LARGE)


def _check_part(archive: zipfile.ZipFile, part: zipfile.ZipInfo) -> None:
    """Raise CsvError if a part declares a document type, or has too large a row."""
    with archive.open(part) as source:
        beginning = source.read(ROOT_BYTES_MAX)
        _refuse_document_type(beginning)
        if not part.filename.startswith(_SHEETS):
            return
        piece, length = beginning, 0
        while piece:
            first, *others = piece.split(_ROW_END)
            if length + len(first) > ROW_BYTES_MAX or max(map(len, others), default=0) > ROW_BYTES_MAX:
                raise CsvError(TOO_LARGE)
            length = len(others[-1]) if others else length + len(first)
            piece = source.read(PIECE_BYTES)


def _refuse_document_type(beginning: bytes) -> None:
    """Raise CsvError if a part of a workbook declares entities, by which a small file can become a large one."""
    seen: list[str] = []
    parser = expat.ParserCreate()
    parser.StartDoctypeDeclHandler = lambda *_: seen.append("type")
    parser.EntityDeclHandler = lambda *_: seen.append("entity")
    parser.StartElementHandler = lambda name, _: seen.append(f"<{name}")
    try:
        for start in range(0, len(beginning), 256):
            parser.Parse(beginning[start : start + 256], False)  # noqa: FBT003 - the parser takes it by place
            if seen:
                break
    except expat.ExpatError:
        raise CsvError(BROKEN) from None
    if not seen or not seen[0].startswith("<"):
        raise CsvError(UNSAFE)
