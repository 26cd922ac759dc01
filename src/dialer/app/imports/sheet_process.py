"""The program that reads one sheet of a workbook, in a process of its own, within limits of memory and time.

Its standard input is the workbook; its argument is the name of a sheet, if one is chosen. It writes lines of JSON,
each an array that begins with its kind: the sheets, the rows one after another, the share that is read, an error, and
the end. Without an end, a limit has ended the process. It writes no files and ends when nobody reads what it writes.
"""

import json
import os
import sys
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import suppress
from typing import IO, Any, Final

from dialer.app.imports.sheet_parts import (
    Archive,
    BookParts,
    BrokenError,
    Row,
    SheetPart,
    TooLargeError,
    UnsafeError,
)

MEMORY_BYTES_MAX: Final = 768 * 1024 * 1024
"""Maximum address space of the process."""
CPU_S_MAX: Final = 300
UNPACKED_BYTES_MAX: Final = 1024 * 1024 * 1024
"""Maximum size of all parts together. They are read piece by piece."""
PARTS_MAX: Final = 2_000
SHARES: Final = 100
"""Steps in which the share that is read is told."""

SHEETS: Final = "sheets"
ROW: Final = "row"
SHARE: Final = "share"
COLUMNS: Final = "columns"
"""The places of hidden columns."""
ERROR: Final = "error"
END: Final = "end"
BROKEN: Final = "broken"
TOO_LARGE: Final = "too_large"
UNSAFE: Final = "unsafe"
LOCKED: Final = "locked"
OPEN_DOCUMENT: Final = "open_document"
NO_WORKBOOK: Final = "no_workbook"
_KNOWN: Final = frozenset({zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED})


class _RefusedError(Exception):
    """An error for a file that is not read, by its word."""


def read(file: IO[bytes], wanted: str | None) -> Iterator[list[Any]]:
    """Yield the lines of the process for a file: see the module."""
    try:
        with zipfile.ZipFile(file) as archive:
            _check(archive.infolist())
            book = BookParts(Archive(archive))
            chosen = _chosen(book, wanted)
            names = [(sheet.name, sheet.is_hidden) for sheet in book.sheets]
            yield [SHEETS, names, chosen.name if chosen else "", bool(chosen) or not wanted]
            yield from _rows(book, chosen) if chosen else ()
            yield [END]
    except _RefusedError as error:
        yield [ERROR, str(error)]
    except UnsafeError:
        yield [ERROR, UNSAFE]
    except (TooLargeError, MemoryError):
        yield [ERROR, TOO_LARGE]
    except (BrokenError, zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, NotImplementedError, KeyError):
        yield [ERROR, BROKEN]


def _check(parts: list[zipfile.ZipInfo]) -> None:
    """Raise an error if an archive has no workbook, or is not of harmless size."""
    names = {part.filename.lower() for part in parts}
    if {"mimetype", "content.xml"} <= names:
        raise _RefusedError(OPEN_DOCUMENT)
    if "[content_types].xml" not in names or not any(name.startswith("xl/") for name in names):
        raise _RefusedError(NO_WORKBOOK)
    if any(part.flag_bits & 1 for part in parts):
        raise _RefusedError(LOCKED)
    if len(parts) > PARTS_MAX or sum(part.file_size for part in parts) > UNPACKED_BYTES_MAX:
        raise TooLargeError
    if not {part.compress_type for part in parts} <= _KNOWN:
        raise BrokenError


def _chosen(book: BookParts, wanted: str | None) -> SheetPart | None:
    """Return the sheet of a name; without a name the first one with rows, those that are not hidden before others."""
    if wanted is not None:
        return next((sheet for sheet in book.sheets if sheet.name == wanted), None)
    order = sorted(book.sheets, key=lambda sheet: sheet.is_hidden)
    return next(filter(book.has_rows, order), order[0] if order else None)


def _rows(book: BookParts, sheet: SheetPart) -> Iterator[list[Any]]:
    told, has_told_columns = 0, False
    for share, rows, hidden_columns in book.rows(sheet):
        if hidden_columns and not has_told_columns:
            has_told_columns = True
            yield [COLUMNS, hidden_columns]
        for row in rows:
            yield _line(row)
        if int(share * SHARES) > told:
            told = int(share * SHARES)
            yield [SHARE, told]


def _line(row: Row) -> list[Any]:
    return [ROW, row.number, row.is_hidden, row.cells]


def limit() -> None:
    """Limit the memory and the processor time of this process."""
    from dialer.store.media.process_limits import limit_process  # noqa: PLC0415 - only this process needs it

    limit_process(MEMORY_BYTES_MAX, CPU_S_MAX)


def main() -> None:
    """Read the workbook of the standard input, and write its lines to the standard output."""
    limit()
    write = sys.stdout.write
    with suppress(BrokenPipeError):
        for line in read(sys.stdin.buffer, sys.argv[1] if len(sys.argv) > 1 else None):
            write(json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n")
        sys.stdout.flush()
    os._exit(0)  # At once: what nobody reads needs no order.


if __name__ == "__main__":
    main()
