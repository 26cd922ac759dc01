"""CSV as it arrives: records with the lines they stand on, whatever the file does to break that."""

import csv
from collections import deque
from collections.abc import Iterable, Iterator
from typing import Final

import msgspec

LINE_BYTES_MAX: Final = 64 * 1024
RECORD_LINES_MAX: Final = 100
"""Lines of one record: a quoted cell that is longer was most likely never meant to begin."""
COLUMNS_MAX: Final = 100
COLUMN_NAME_MAX: Final = 255
_DELIMITERS: Final = ",;\t"
_BOM: Final = b"\xef\xbb\xbf"


class CsvError(ValueError):
    """Raised for a file that cannot be read as a table at all; the message is for the person who sent it."""


class Record(msgspec.Struct, frozen=True):
    """One record: the line it begins on, its cells, and what is wrong with it as a record, if anything is."""

    line: int
    cells: list[str]
    problem: str | None


class CsvFile:
    """A table that is read while it arrives: its header at once, its records as they are asked for.

    A header line is needed, with a column called `required`, in any case, and tells the delimiter: comma, semicolon
    or tab. Empty lines are passed over. Whatever is wrong with one record concerns that record alone.
    """

    def __init__(self, chunks: Iterable[bytes], *, required: str) -> None:
        """Raises CsvError if the header is not as it must be."""
        self._lines = _Lines(chunks)
        header, problem = self._lines.header()
        if problem:
            raise CsvError(f"The header cannot be read: {problem}.")
        self._delimiter, self.columns = _header(header, required)

    def __iter__(self) -> Iterator[Record]:
        reader = csv.reader(self._lines, delimiter=self._delimiter)
        while (record := self._next(reader)) is not None:
            if record.cells or record.problem:
                yield record

    def _next(self, reader: Iterator[list[str]]) -> Record | None:
        """The next record, without cells for an empty line; None after the last one."""
        line = self._lines.begin_record()
        try:
            cells = next(reader)
        except StopIteration:
            return None
        except _UnclosedQuoteError:
            # What followed the quote was read as part of the cell: all but the line itself is read again.
            self._lines.give_back()
            return Record(line, [], "a quote is opened and not closed")
        except csv.Error as error:
            self._lines.give_back()
            return Record(line, [], _reason(error))
        problem = self._lines.problem
        if cells and problem is None and len(cells) != len(self.columns):
            problem = f"{len(cells)} cells, but the header has {len(self.columns)}"
        return Record(line, cells, problem)


def _reason(error: csv.Error) -> str:
    if "new-line" in str(error):
        return "a carriage return that ends no line"
    return f"a cell has more than {csv.field_size_limit():,} characters"


class _UnclosedQuoteError(Exception):
    """A record has more lines than it may, or the file ends within it."""


class _Lines:
    """The lines of a file, numbered from 1, some of which may be given back."""

    def __init__(self, chunks: Iterable[bytes]) -> None:
        self._source = _split(chunks)
        self._again: deque[tuple[str, str | None]] = deque()
        self._record: list[tuple[str, str | None]] = []
        self._number = 0
        self.problem: str | None = None
        """What is wrong with a line of the current record."""

    def header(self) -> tuple[str, str | None]:
        """The first line, and what is wrong with it."""
        self._number = 1
        return next(self._source, ("", None))

    def begin_record(self) -> int:
        """Begin a new record; the number of its first line."""
        self._record = []
        self.problem = None
        return self._number + 1

    def give_back(self) -> None:
        """Give all lines of the record again, but the first."""
        self._again.extendleft(reversed(self._record[1:]))
        self._number -= len(self._record) - 1

    def __iter__(self) -> "_Lines":
        return self

    def __next__(self) -> str:
        line = self._again.popleft() if self._again else next(self._source, None)
        if len(self._record) == RECORD_LINES_MAX or (line is None and self._record):
            if line is not None:
                self._again.appendleft(line)
            raise _UnclosedQuoteError
        if line is None:
            raise StopIteration
        self._number += 1
        self._record.append(line)
        self.problem = self.problem or line[1]
        return line[0]


def _split(chunks: Iterable[bytes]) -> Iterator[tuple[str, str | None]]:
    """Lines with their ends, and what is wrong with each. Of an overlong line only the beginning is kept."""
    pending = b""
    first = True
    for chunk in chunks:
        lines = (pending + chunk).split(b"\n")
        pending = lines.pop()[: LINE_BYTES_MAX + 1]
        for line in lines:
            yield _decoded(line.removeprefix(_BOM) if first else line, "\n")
            first = False
    if pending:
        yield _decoded(pending.removeprefix(_BOM) if first else pending, "")


def _decoded(line: bytes, end: str) -> tuple[str, str | None]:
    problem = None
    if len(line) > LINE_BYTES_MAX:
        problem = f"the line has more than {LINE_BYTES_MAX:,} bytes"
    elif b"\0" in line:
        problem = "NUL characters"
    try:
        return line.decode() + end, problem
    except UnicodeDecodeError:
        return line.decode(errors="replace") + end, problem or "not UTF-8"


def _header(line: str, required: str) -> tuple[str, tuple[str, ...]]:
    """The delimiter of a table, and the names of its columns, the required one as it is known here."""
    for delimiter in _DELIMITERS:
        names = _names(line, delimiter)
        if required in {name.lower() for name in names}:
            _check_names(names)
            return delimiter, names
    raise CsvError(f"The first line must name the columns, with commas, semicolons or tabs, {required} among them.")


def _names(line: str, delimiter: str) -> tuple[str, ...]:
    try:
        return tuple(name.strip() for name in next(csv.reader([line], delimiter=delimiter), []))
    except csv.Error as error:
        raise CsvError(f"The header cannot be read: {_reason(error)}.") from None


def _check_names(names: tuple[str, ...]) -> None:
    if len(names) > COLUMNS_MAX:
        raise CsvError(f"The header has {len(names)} columns; {COLUMNS_MAX} are allowed.")
    folded = [name.lower() for name in names]
    for number, name in enumerate(names, 1):
        if not name:
            raise CsvError(f"Column {number} of the header has no name.")
        if len(name) > COLUMN_NAME_MAX:
            raise CsvError(f"The name of column {number} has more than {COLUMN_NAME_MAX} characters.")
        if folded.index(name.lower()) != number - 1:
            raise CsvError(f"The header names {name} twice.")
