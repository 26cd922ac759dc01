"""Tables as files of a mail, whose size has a limit."""

from typing import Final
from zoneinfo import ZoneInfo

from anyio import to_thread

from dialer.api.answers.spreadsheets import XLSX, Spreadsheet
from dialer.console.parts.people_sheet import LongSheet
from dialer.console.parts.sheets import csv_head, csv_lines, heads_of, spreadsheet_rows
from dialer.domain.words.reports import SentAs
from dialer.mail.letter import MailFile

FILE_BYTES_MAX: Final = 5_000_000
"""Bytes of a file in a mail. Mail servers take 10 MB as a rule, and a file grows by a third on its way."""
_CSV: Final = "text/csv"


class FileTooLargeError(Exception):
    """Raised for a report that is too large for a mail."""


async def write_file(sheet: LongSheet, sent_as: str, name: str, zone: ZoneInfo) -> MailFile:
    """Return a table as a file.

    Raises:
        FileTooLargeError: it has more than `FILE_BYTES_MAX` bytes.
    """
    if sent_as == SentAs.CSV:
        return MailFile(f"{name}.csv", _CSV, await _csv(sheet, zone))
    return MailFile(f"{name}.xlsx", XLSX, await _xlsx(sheet, name, zone))


async def _csv(sheet: LongSheet, zone: ZoneInfo) -> bytes:
    content = bytearray(csv_head(sheet.columns, zone))
    async for chunk in sheet.chunks:
        content += csv_lines(chunk, zone)
        _check_size(len(content))
    return bytes(content)


async def _xlsx(sheet: LongSheet, name: str, zone: ZoneInfo) -> bytes:
    spreadsheet = Spreadsheet(name, heads_of(sheet.columns, zone))
    try:
        async for chunk in sheet.chunks:
            await to_thread.run_sync(spreadsheet.add, list(spreadsheet_rows(chunk, zone)))
            _check_size(spreadsheet.written_bytes)
    except BaseException:
        spreadsheet.drop()
        raise
    with await to_thread.run_sync(spreadsheet.finish) as file:
        content = file.read(FILE_BYTES_MAX + 1)
    _check_size(len(content))
    return content


def _check_size(size: int) -> None:
    """Stop a file that has become too large, before all of it is written."""
    if size > FILE_BYTES_MAX:
        raise FileTooLargeError
