"""The rejected lines of an import as a CSV file: the line, the reason, and the cells as they were."""

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import IO, Final

from dialer.app.imports.csv_records import LINE_BYTES_MAX, CsvRecord
from dialer.app.imports.headers import DELIMITERS
from dialer.domain.formats.formula_guard import guard, unguard

REJECTED_BYTES_MAX: Final = 10 * 1024 * 1024
"""Bytes after which further rejected lines are left out."""
CELL_MAX: Final = LINE_BYTES_MAX
"""Characters of a cell, as many as a line of CSV may have. A longer one, of a workbook, is cut off."""
_BOM: Final = b"\xef\xbb\xbf"
"""The mark by which spreadsheet programs recognise UTF-8."""


class RejectedLines:
    """A file with the rejected lines of an import, made with the first such line."""

    def __init__(self, path: Path, heads: Sequence[str], delimiter: str) -> None:
        self._path: Final = path
        self._heads: Final = heads
        self._delimiter: Final = delimiter
        self._file: IO[bytes] | None = None
        self._size = 0

    def add(self, record: CsvRecord, reason: str) -> None:
        """Write a rejected line with its reason."""
        if self._file is None:
            self._file = self._path.open("wb")
            self._write(_BOM + self._row(self._heads))
        if self._size < REJECTED_BYTES_MAX:
            self._write(self._row([str(record.line), reason, *record.cells]))

    def close(self) -> None:
        """Close the file of rejected lines."""
        if self._file is not None:
            self._file.close()

    def _write(self, content: bytes) -> None:
        if self._file is not None:
            self._size += self._file.write(content)

    def _row(self, cells: Iterable[str]) -> bytes:
        text = io.StringIO()
        writer = csv.writer(text, delimiter=self._delimiter, lineterminator="\r\n")
        writer.writerow(guard(cell)[:CELL_MAX] for cell in cells)
        return text.getvalue().encode(errors="replace")


def read_rejected(path: Path) -> Iterator[list[str]]:
    """Yield the rows of a file with rejected lines, its heads first, with the cells as they were."""
    with path.open(encoding="utf-8-sig", errors="replace", newline="") as file:
        heads = file.readline()
        file.seek(0)
        # The first two heads are ours, and have no delimiter in them.
        delimiter = next((mark for mark in heads if mark in DELIMITERS), DELIMITERS[0])
        for cells in csv.reader(file, delimiter=delimiter):
            yield list(map(unguard, cells))
