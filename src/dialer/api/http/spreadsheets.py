"""Spreadsheets (XLSX): rows are written to a temporary file as they come, so memory does not grow with their number."""

import re
import tempfile
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import suppress
from datetime import UTC, date, datetime, tzinfo
from functools import partial
from typing import IO, Any, Final, TypeAlias

import anyio.to_thread
from litestar import Response
from litestar.response import Stream
from openpyxl import Workbook
from openpyxl.cell import WriteOnlyCell
from openpyxl.cell.cell import ERROR_CODES
from openpyxl.styles import Font

from dialer.api.http.downloads import content_disposition, no_content
from dialer.api.http.errors import InvalidError
from dialer.api.http.headers import is_head
from dialer.api.service import ApiRequest
from dialer.store.formula_guard import guard

XLSX: Final = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
SPREADSHEET_ROWS_MAX: Final = 200_000
"""Rows of one spreadsheet. Programs open a million, and take minutes for it."""
PIECE_BYTES: Final = 256 * 1_024
WIDTH: Final = 18
"""Width of columns in characters."""
TITLE_MAX: Final = 31
CELL_MAX: Final = 32_767
"""Characters of a cell. What is longer is cut off."""
_UNSEEN: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
"""Characters that no XML can hold."""
_UNTITLED: Final = re.compile(r"[\\*?:/\[\]]")
_MOMENT: Final = "yyyy-mm-dd hh:mm:ss"
_DAY: Final = "yyyy-mm-dd"

CellValue: TypeAlias = str | int | float | datetime | date | None


class Spreadsheet:
    """A spreadsheet with one sheet that is being written. Its file is removed by `finish` or `drop`."""

    def __init__(self, title: str, heads: Sequence[str]) -> None:
        self._book: Final = Workbook(write_only=True)
        self._sheet: Final[Any] = self._book.create_sheet(_UNTITLED.sub(" ", title)[:TITLE_MAX] or "dialer")
        self._rows = 0
        self._sheet.freeze_panes = "A2"
        for place in range(len(heads)):
            self._sheet.column_dimensions[_letters(place)].width = WIDTH
        bold = Font(bold=True)
        cells = [WriteOnlyCell(self._sheet, _text(head)) for head in heads]
        for cell in cells:
            cell.font = bold
        self._sheet.append(cells)

    def add(self, rows: Iterable[Sequence[CellValue]]) -> None:
        """Write rows. Texts that a program would take for formulas are guarded as in CSV.

        Raises:
            InvalidError: there are too many rows.
        """
        for row in rows:
            self._rows += 1
            if self._rows > SPREADSHEET_ROWS_MAX:
                most = f"{SPREADSHEET_ROWS_MAX:,}"
                raise InvalidError(
                    {"format": [f"A spreadsheet has at most {most} rows. Use CSV, or narrower filters."]}
                )
            self._sheet.append([self._cell(value) for value in row])

    def _cell(self, value: CellValue) -> Any:  # noqa: ANN401 - a value or a cell
        if isinstance(value, str):
            text = _text(value)
            if text not in ERROR_CODES:
                return text
            cell = WriteOnlyCell(self._sheet, text)
            cell.data_type = "s"
            return cell
        if isinstance(value, date):
            cell = WriteOnlyCell(self._sheet, value)
            cell.number_format = _MOMENT if isinstance(value, datetime) else _DAY
            return cell
        return value

    def finish(self) -> IO[bytes]:
        """Return the finished file, which vanishes when it is closed."""
        file: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - the answer closes it
        try:
            self._book.save(file)
            file.seek(0)
        except BaseException:
            file.close()
            self.drop()
            raise
        return file

    def drop(self) -> None:
        """Remove the file of a spreadsheet that is not finished."""
        with suppress(Exception):  # It is removed already, or when the process ends.
            self._sheet.close()
            self._sheet._writer.cleanup()  # noqa: SLF001 - the library removes it only when it is saved


def in_zone(at_ms: int, zone: tzinfo) -> datetime:
    """Return a moment as a cell: the local time in a zone, because cells have no zone."""
    return datetime.fromtimestamp(at_ms / 1_000, UTC).astimezone(zone).replace(tzinfo=None)


async def answer_spreadsheet(request: ApiRequest, spreadsheet: Spreadsheet, name: str) -> Response[Any]:
    """Finish a spreadsheet, and answer with it."""
    file = await anyio.to_thread.run_sync(spreadsheet.finish)
    headers = {"Content-Disposition": content_disposition(f"{name}.xlsx"), "Vary": "Accept"}
    content: AsyncIterator[bytes] = _pieces(file)
    if is_head(request.scope):
        file.close()
        content = no_content()
    return Stream(content, media_type=XLSX, headers=headers)


async def _pieces(file: IO[bytes]) -> AsyncIterator[bytes]:
    with file:
        while piece := await anyio.to_thread.run_sync(partial(file.read, PIECE_BYTES)):
            yield piece


def _text(value: str) -> str:
    return guard(_UNSEEN.sub("", value))[:CELL_MAX]


def _letters(place: int) -> str:
    """Return the name of a column: A to Z, AA to ZZ, and so on."""
    before, last = divmod(place, 26)
    return f"{_letters(before - 1) if before else ''}{chr(ord('A') + last)}"
