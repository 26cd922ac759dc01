"""Files with lists, of whatever kind: CSV in any usual character set and separator, workbooks, and vCards."""

import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from itertools import chain
from typing import IO, TYPE_CHECKING, Final, TypeAlias

from dialer.app.imports.charsets import as_utf8
from dialer.app.imports.csv_records import PLAIN_FORM, CsvFile, TableForm
from dialer.app.imports.headers import CsvError
from dialer.app.imports.vcard_lines import has_vcards
from dialer.app.imports.workbooks import (
    TOO_LARGE_WORKBOOK,
    WORKBOOK_BYTES_MAX,
    ZIP,
    SheetFile,
    open_sheet,
    refuse_foreign,
)

if TYPE_CHECKING:
    from dialer.app.imports.vcards import VCardFile

BEGINNING_BYTES: Final = 4_096
"""Bytes by which the kind of a file is told."""
EMPTY: Final = "The file is empty. Choose one with a number in each line."
ListFile: TypeAlias = "CsvFile | SheetFile | VCardFile"


@contextmanager
def open_list(
    chunks: Iterable[bytes],
    *,
    required: str | None,
    renamed: Mapping[str, str] | None = None,
    form: TableForm = PLAIN_FORM,
) -> Iterator[ListFile]:
    """Open a file that arrives, with its header read. A workbook is kept in a temporary file meanwhile.

    Raises:
        CsvError: it is no file with a list, or its header is not usable.
    """
    beginning, rest = begin(chunks)
    if beginning.startswith(ZIP):
        with tempfile.TemporaryFile() as file:
            _copy(chain([beginning], rest), file)
            with open_sheet(file, form.sheet) as sheet:
                yield SheetFile(sheet, required=required, renamed=renamed, form=form)
        return
    text = text_of(beginning, rest, form.charset)
    if has_vcards(beginning):
        from dialer.app.imports.vcards import VCardFile  # noqa: PLC0415 - few lists are vCards

        yield VCardFile(text, required=required, renamed=renamed)
    else:
        yield CsvFile(text, required=required, renamed=renamed, form=form)


def begin(chunks: Iterable[bytes]) -> tuple[bytes, Iterator[bytes]]:
    """Return the beginning of a file, and the rest.

    Raises:
        CsvError: the file is empty, or of a kind that has no lists.
    """
    arriving = iter(chunks)
    pieces: list[bytes] = []
    size = 0
    while size < BEGINNING_BYTES and (piece := next(arriving, None)) is not None:
        pieces.append(piece)
        size += len(piece)
    beginning = b"".join(pieces)
    if not beginning.strip(b" \t\r\n\0\xef\xbb\xbf\xfe\xff"):
        raise CsvError(EMPTY)
    refuse_foreign(beginning)
    return beginning, arriving


def text_of(beginning: bytes, rest: Iterator[bytes], charset: str | None) -> Iterator[bytes]:
    """Return the text of a file in UTF-8, with line ends of this century."""
    text = as_utf8(chain([beginning], rest), charset)
    first = next(text, b"")
    if b"\r" in first and b"\n" not in first:
        return (piece.replace(b"\r", b"\n") for piece in chain([first], text))
    return chain([first], text)


def _copy(chunks: Iterable[bytes], file: IO[bytes]) -> None:
    for chunk in chunks:
        file.write(chunk)
        if file.tell() > WORKBOOK_BYTES_MAX:
            raise CsvError(TOO_LARGE_WORKBOOK)
