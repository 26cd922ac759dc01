"""Workbooks of spreadsheet programs (.xlsx): their rows as records. Processes of their own read them."""

import zipfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import IO, Final, NamedTuple

from dialer.app.imports.csv_records import PLAIN_FORM, CsvRecord, TableForm
from dialer.app.imports.first_rows import first_rows
from dialer.app.imports.headers import COLUMNS_MAX, REFUSALS, CsvError, check_names, column_names, wrong_count
from dialer.app.imports.sheet_process import BROKEN, LOCKED, NO_WORKBOOK, OPEN_DOCUMENT, TOO_LARGE, UNSAFE
from dialer.app.imports.sheet_readers import (
    BusyError,
    SheetReader,
    SheetRow,
    UnknownSheetError,
    UnreadableError,
    read_sheet,
)
from dialer.domain.words.sentences import Grouped, Listed, Sentence

WORKBOOK_BYTES_MAX: Final = 50 * 1024 * 1024
"""Maximum size of a workbook as it is on disk: packed."""
CELL_MAX: Final = 32_767
"""Maximum characters of a cell, as in the programs that write such files."""
ZIP: Final = b"PK\x03\x04"
_SAVE: Final = Sentence("Save it as .xlsx or as CSV in your spreadsheet program, and choose that file.")
_BROKEN: Final = Sentence("The workbook cannot be read: it is damaged or no .xlsx file. %(remedy)s", remedy=_SAVE)
_LOCKED: Final = "The workbook has a password. Save it without one, or as CSV, and choose that file."
TOO_LARGE_WORKBOOK: Final = "The workbook is too large to be read safely. Save the sheet as CSV, and choose that file."
_UNSAFE: Final = Sentence(
    "The workbook has parts that no spreadsheet program writes, so it is not read. %(remedy)s", remedy=_SAVE
)
_BUSY: Final = "Other workbooks are being read just now. Try again in a moment."
_MESSAGES: Final[Mapping[str, str]] = {
    BROKEN: _BROKEN,
    LOCKED: _LOCKED,
    TOO_LARGE: TOO_LARGE_WORKBOOK,
    UNSAFE: _UNSAFE,
    OPEN_DOCUMENT: Sentence("The file is an OpenDocument file. %(remedy)s", remedy=_SAVE),
    NO_WORKBOOK: Sentence("The file is packed (ZIP), and no workbook. %(remedy)s", remedy=_SAVE),
}
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
    """Check by its first bytes that a file is not a workbook of an unsupported program.

    Raises:
        CsvError: it is; the message says what to do.
    """
    message = next((message for start, message in _FOREIGN if beginning.startswith(start)), None)
    if message is None and beginning.removeprefix(b"\xef\xbb\xbf").lstrip()[:14].lower().startswith(_PAGES):
        message = Sentence("The file is a web page or XML, although its name may end in .xls. %(remedy)s", remedy=_SAVE)
    if message is not None:
        raise CsvError(message)


class SheetView(NamedTuple):
    """The beginning of a sheet."""

    rows: list[SheetRow]
    """The first rows that are not empty; without the hidden ones, unless they are wanted."""
    hidden_rows: int
    """The hidden rows before and among them."""
    hidden_columns: list[int]
    """The places of hidden columns."""


class Workbook:
    """A workbook on disk whose sheets can be read, one after another."""

    def __init__(self, file: IO[bytes]) -> None:
        """Read the names of the sheets.

        Raises:
            CsvError: it is no workbook, or one that is not safe to read.
        """
        self._file: Final = file
        with open_sheet(file, "") as sheet:
            self.sheets: Final = sheet.names
            self.hidden_sheets: Final = sheet.hidden_names

    def beginning(self, sheet: str, count: int, *, with_hidden: bool = False) -> SheetView:
        """Return the first rows of a sheet.

        Raises:
            CsvError: there is no such sheet, or it cannot be read.
        """
        with open_sheet(self._file, sheet) as found:
            visible = VisibleRows(found, with_hidden=with_hidden)
            rows = first_rows(visible, count)
            return SheetView(rows, visible.hidden, found.hidden_columns)

    def first_sheet(self) -> str:
        """Return the name of the first sheet that has rows, else of the first sheet.

        Raises:
            CsvError: there are no sheets, or one cannot be read.
        """
        with open_sheet(self._file, None) as found:
            return found.name


def unpacked_bytes(path: Path) -> int:
    """Return the size of a workbook when it is unpacked, as it says itself."""
    with zipfile.ZipFile(path) as archive:
        return sum(part.file_size for part in archive.infolist())


class VisibleRows:
    """The visible rows of a sheet, and the count of its hidden rows. `with_hidden` includes these."""

    def __init__(self, sheet: SheetReader, *, with_hidden: bool) -> None:
        self._rows: Final = sheet.rows()
        self._with_hidden: Final = with_hidden
        self.hidden = 0

    @property
    def left_out(self) -> int:
        """The hidden rows that were left out so far."""
        return 0 if self._with_hidden else self.hidden

    def __iter__(self) -> Iterator[SheetRow]:
        for row in self._rows:
            self.hidden += row.is_hidden
            if self._with_hidden or not row.is_hidden:
                yield row


@contextmanager
def open_sheet(file: IO[bytes], sheet: str | None) -> Iterator[SheetReader]:
    """Open a sheet of a workbook on disk: by default the first with rows, and for an empty name none.

    Within the context, CsvError says what to do with a workbook that cannot be read.

    Raises:
        CsvError: there is no such sheet, or the workbook cannot be read.
    """
    try:
        with read_sheet(file, sheet) as reader:
            if not reader.names:
                raise CsvError("The workbook has no sheets with rows. Choose another file.")
            yield reader
    except UnreadableError as error:
        raise CsvError(_MESSAGES[error.kind]) from None
    except UnknownSheetError as error:
        raise CsvError(
            Sentence(
                "The workbook has no sheet %(sheet)r. It has: %(sheets)s.", sheet=sheet, sheets=Listed(error.names)
            )
        ) from None
    except BusyError:
        raise CsvError(_BUSY) from None


class SheetFile:
    """A sheet of a workbook: its header at once, its records one by one, like those of a `CsvFile`."""

    columns: tuple[str, ...]

    def __init__(
        self,
        sheet: SheetReader,
        *,
        required: str | None,
        renamed: Mapping[str, str] | None = None,
        form: TableForm = PLAIN_FORM,
    ) -> None:
        """Read the header.

        Raises:
            CsvError: the file or its header is not usable.
        """
        self._sheet: Final = sheet
        # A list of refusals takes all numbers that it can get.
        with_hidden = required == REFUSALS if form.hidden_rows is None else form.hidden_rows
        self._visible: Final = VisibleRows(sheet, with_hidden=with_hidden)
        self._rows: Final = iter(self._visible)
        self._first: list[SheetRow] = []
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

    @property
    def share(self) -> float:
        """The share of the sheet that is read: 0 to 1."""
        return self._sheet.share

    @property
    def row_bytes(self) -> int:
        """The bytes of the rows that were read so far."""
        return self._sheet.row_bytes

    @property
    def left_out(self) -> int:
        """The hidden rows that were left out so far."""
        return self._visible.left_out

    def __iter__(self) -> Iterator[CsvRecord]:
        columns = len(self.columns)
        for row in chain(self._first, self._rows):
            cells = row.cells
            missing = columns - len(cells)
            problem = None if missing >= 0 else wrong_count(len(cells), columns)
            if max(map(len, cells)) > CELL_MAX:
                problem = Sentence("a cell has more than %(most)s characters", most=Grouped(CELL_MAX))
            yield CsvRecord(row.number, cells + [""] * missing, problem)

    def _header(self, line: int | None) -> Sequence[str]:
        """Return the cells of the header; without one, an empty cell for each column of the first rows."""
        if line == 0:
            self._first = first_rows(self._rows, COLUMNS_MAX)
            return [""] * max((len(row.cells) for row in self._first), default=0)
        for row in self._rows:
            if line is None or row.number >= line:
                return [" ".join(cell.split()) for cell in row.cells]
        return []
