"""Spreadsheets (XLSX): rows are written to a temporary file as they come, so memory does not grow with their number."""

import io
import re
import tempfile
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from datetime import UTC, date, datetime, tzinfo
from functools import partial
from html import escape
from typing import IO, Any, Final, TypeAlias
from zipfile import ZIP_DEFLATED, ZipFile

import anyio.to_thread
from litestar import Response
from litestar.response import Stream

from dialer.api.answers.downloads import content_disposition, no_content
from dialer.api.service import ApiRequest
from dialer.domain.formats.formula_guard import guard
from dialer.domain.words.sentences import Sentence
from dialer.resources.words.errors import InvalidError
from dialer.resources.words.headers import is_head

XLSX: Final = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
SPREADSHEET_ROWS_MAX: Final = 200_000
"""Rows of one spreadsheet. Programs open a million, and take minutes for it."""
PIECE_BYTES: Final = 256 * 1_024
WIDTH: Final = 18
"""Width of columns in characters."""
TITLE_MAX: Final = 31
CELL_MAX: Final = 32_767
"""Characters of a cell. A longer text is cut off."""
_UNSEEN: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
"""Characters that no XML can hold."""
COMPRESSION: Final = 1
"""The level of compression: the fastest, as the file is sent once."""
_SHEET: Final = "xl/worksheets/sheet1.xml"
_FIRST_ROW: Final = '<row r="2">'
_DIMENSION: Final = re.compile("<dimension [^>]*/>")
"""The cells that the sheet had before its rows came. Programs that read row by row would read no further."""
_STYLE: Final = re.compile(r' s="([0-9]+)"')
_UNTITLED: Final = re.compile(r"[\\*?:/\[\]]")
_MOMENT: Final = "yyyy-mm-dd hh:mm:ss"
_DAY: Final = "yyyy-mm-dd"

CellValue: TypeAlias = str | int | float | datetime | date | None


class CellLink(str):
    """An address that a spreadsheet opens by a click. In CSV it is a plain text."""

    __slots__ = ()


class Spreadsheet:
    """A spreadsheet with one sheet that is being written into a file, which vanishes when it is closed.

    The library makes the workbook, with its styles and heads. The rows are written here, in a tenth of its time: a long
    table would otherwise keep other requests waiting.
    """

    def __init__(self, title: str, heads: Sequence[str]) -> None:
        # A service starts without the library, and most never need it.
        from openpyxl.utils.datetime import to_excel  # noqa: PLC0415

        self._serial: Final[Callable[[date], float]] = to_excel
        self._file: Final[IO[bytes]] = tempfile.TemporaryFile()  # noqa: SIM115 - `finish` hands it out, `drop` closes it
        self._zip: Final = ZipFile(self._file, "w", ZIP_DEFLATED, compresslevel=COMPRESSION)
        self._rows = 0
        with ZipFile(_workbook(title, heads)) as made:
            for name in made.namelist():
                if name != _SHEET:
                    self._zip.writestr(name, made.read(name))
            begin, rest = made.read(_SHEET).decode().split(_FIRST_ROW)
        self._day, self._moment = _STYLE.findall(rest)[:2]
        self._end: Final = rest[rest.index("</sheetData>") :]
        self._sheet: Final = self._zip.open(_SHEET, "w", force_zip64=True)
        self._sheet.write(_DIMENSION.sub("", begin).encode())

    def add(self, rows: Iterable[Sequence[CellValue]]) -> None:
        """Write rows. Texts that a program would take for formulas are guarded as in CSV.

        Raises:
            InvalidError: there are too many rows.
        """
        lines = [f"<row>{''.join(map(self._cell, row))}</row>" for row in rows]
        self._rows += len(lines)
        if self._rows > SPREADSHEET_ROWS_MAX:
            most = f"{SPREADSHEET_ROWS_MAX:,}"
            message = Sentence("A spreadsheet has at most %(most)s rows. Use CSV, or narrower filters.", most=most)
            raise InvalidError({"format": [message]})
        self._sheet.write("".join(lines).encode())

    @property
    def written_bytes(self) -> int:
        """The bytes of the file until now, without those that are still to be compressed."""
        return self._file.tell()

    def _cell(self, value: CellValue) -> str:
        if value is None:
            return "<c/>"
        if isinstance(value, CellLink):
            return _link(value)
        if isinstance(value, str):
            return f'<c t="inlineStr"><is><t xml:space="preserve">{escape(_text(value), quote=False)}</t></is></c>'
        if isinstance(value, date):
            style = self._moment if isinstance(value, datetime) else self._day
            return f'<c s="{style}"><v>{self._serial(value)}</v></c>'
        return f"<c><v>{value!r}</v></c>" if not isinstance(value, bool) else f'<c t="b"><v>{value:d}</v></c>'

    def finish(self) -> IO[bytes]:
        """Return the finished file, from its beginning."""
        self._sheet.write(self._end.encode())
        self._sheet.close()
        self._zip.close()
        self._file.seek(0)
        return self._file

    def drop(self) -> None:
        """Close the file of a spreadsheet that is not wanted any more."""
        self._sheet.close()
        self._zip.close()
        self._file.close()


def _link(address: str) -> str:
    """Return a cell with a formula that opens an address. Unlike links beside the cells, their number has no limit."""
    text = escape(_UNSEEN.sub("", address), quote=False)
    formula = text.replace('"', '""')
    return f'<c t="str"><f>HYPERLINK("{formula}")</f><v>{text}</v></c>'


def _workbook(title: str, heads: Sequence[str]) -> IO[bytes]:
    """Return a workbook with the heads of a table, and below them a cell of each style."""
    from openpyxl import Workbook  # noqa: PLC0415
    from openpyxl.styles import Font  # noqa: PLC0415
    from openpyxl.utils import get_column_letter  # noqa: PLC0415

    book = Workbook()
    sheet: Any = book.active
    sheet.title = _UNTITLED.sub(" ", title)[:TITLE_MAX] or "dialer"
    sheet.freeze_panes = "A2"
    for place, head in enumerate(heads, 1):
        sheet.column_dimensions[get_column_letter(place)].width = WIDTH
        cell = sheet.cell(1, place, _text(head))
        cell.font = Font(bold=True)
    for place, style in enumerate((_DAY, _MOMENT), 1):
        sheet.cell(2, place, 0).number_format = style
    found = io.BytesIO()
    book.save(found)
    return found


def in_zone(at_ms: int, zone: tzinfo) -> datetime:
    """Return a moment as a cell: the local time in a zone, because cells have no zone."""
    return datetime.fromtimestamp(at_ms / 1_000, UTC).astimezone(zone).replace(tzinfo=None)


async def answer_spreadsheet(request: ApiRequest, spreadsheet: Spreadsheet, name: str) -> Response[Any]:
    """Finish a spreadsheet, and return the response that downloads it."""
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
    """Return a text as a cell has it: guarded, and without characters that no file can hold."""
    return guard(_UNSEEN.sub("", value))[:CELL_MAX]
