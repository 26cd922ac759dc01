"""CSV that is read while it arrives: records with their line numbers, and the problem of each."""

import csv
import re
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

import msgspec

from dialer.app.imports.headers import CsvError, read_header, reason_of, wrong_count
from dialer.domain.formats.formula_guard import GUARD, unguard
from dialer.domain.words.sentences import Grouped, Sentence

LINE_BYTES_MAX: Final = 128 * 1024
"""An exported contact fits: its variables are there at most twice, as JSON and as columns."""
RECORD_LINES_MAX: Final = 300
"""The most lines of one record. A longer quoted cell is probably a mistake; a full name may have 255 line ends."""
HEADER_LINES_MAX: Final = 10
"""The most lines of a header whose names have line ends."""
_SEPARATOR: Final = re.compile(r'"?sep=([,;|\t])"?\s*', re.IGNORECASE)
_BOM: Final = b"\xef\xbb\xbf"
_LINE_END: Final = b"\n"
_CHARACTER_BYTES_MAX: Final = 4


class CsvRecord(msgspec.Struct, frozen=True):
    """A record: the number of its first line, its cells without their guard, and its problem, if any."""

    line: int
    cells: list[str]
    problem: str | None


class TableForm(msgspec.Struct, frozen=True):
    """The form of a file with a table. The file itself tells what is None here."""

    charset: str | None = None
    """A key of `dialer.app.imports.charsets.CHARSETS`."""
    delimiter: str | None = None
    """One of `DELIMITERS`."""
    header_line: int | None = None
    """The line with the names of the columns, counted from 1; 0 if there is none. None stands for the first line."""
    sheet: str | None = None
    """The name of a sheet of a workbook; None for the first one that has rows."""
    hidden_rows: bool | None = None
    """True if rows that are hidden in a workbook count, False if not; None for do-not-call lists only."""
    pads_rows: bool = False
    """True if a row with fewer cells than the header counts as one whose last cells are empty."""


PLAIN_FORM: Final = TableForm()


class CsvFile:
    """A table that is read while it arrives: its header at once, its records one by one.

    The header has a column called `required`, in upper or lower case, unless that is None. The delimiter of the header
    is that of the file. Empty lines are skipped. A bad record does not affect the others.
    """

    columns: tuple[str, ...]
    """The names of the columns, as `renamed` has them; empty for a column that is left out."""

    share: Final = 1.0
    """The share of the file that is read, of what has arrived."""
    row_bytes: Final = 0
    """Bytes of the rows that were read, where they may be many more than those of the file. Here they are not."""
    left_out: Final = 0
    """Hidden rows that were left out: such files have none."""

    def __init__(
        self,
        chunks: Iterable[bytes],
        *,
        required: str | None,
        renamed: Mapping[str, str] | None = None,
        form: TableForm = PLAIN_FORM,
    ) -> None:
        """Read the header. `renamed` has other names for columns, by their names in lower case.

        Raises:
            CsvError: the header is not usable.
        """
        self._lines = _LineReader(chunks)
        told = self._lines.delimiter()
        header, problem = self._lines.header(form.header_line)
        if problem:
            raise CsvError(
                Sentence(
                    "The header cannot be read: %(problem)s. Save the file again, as .xlsx or as CSV in UTF-8.",
                    problem=problem,
                )
            )
        self._pads_rows = form.pads_rows
        self._delimiter, self.columns = read_header(
            header, required, renamed or {}, delimiter=form.delimiter or told, has_names=form.header_line != 0
        )

    def __iter__(self) -> Iterator[CsvRecord]:
        reader = csv.reader(self._lines, delimiter=self._delimiter)
        while True:
            yield from self._plain()
            record = self._next(reader)
            if record is None:
                return
            if record.cells or record.problem:
                yield record

    def _plain(self) -> Iterator[CsvRecord]:
        """Yield the next records without quotes, which is the fast path of most files."""
        columns = len(self.columns)
        line, texts = self._lines.plain()
        while texts:
            for number, text in enumerate(texts, line):
                if text:
                    cells = text.split(self._delimiter)
                    if GUARD in text:
                        cells = list(map(unguard, cells))
                    yield CsvRecord(number, cells, None) if len(cells) == columns else self._counted(number, cells)
            line, texts = self._lines.plain()

    def _next(self, reader: Iterator[list[str]]) -> CsvRecord | None:
        """Return the next record, without cells for an empty line; None after the last record."""
        line = self._lines.begin_record()
        try:
            cells = next(reader)
        except StopIteration:
            return None
        except _UnclosedQuoteError:
            # The lines after the quote were read as part of the cell. Read them again as records.
            self._lines.give_back()
            return CsvRecord(line, [], "a quote is opened and not closed")
        except csv.Error as error:
            self._lines.give_back()
            return CsvRecord(line, [], reason_of(error))
        cells = list(map(unguard, cells))
        problem = self._lines.problem
        if cells and problem is None and len(cells) != len(self.columns):
            return self._counted(line, cells)
        return CsvRecord(line, cells, problem)

    def _counted(self, line: int, cells: list[str]) -> CsvRecord:
        """Return a record whose cells are more or fewer than the columns."""
        columns = len(self.columns)
        if not any(map(str.strip, cells[columns:])) and (self._pads_rows or len(cells) > columns):
            return CsvRecord(line, cells[:columns] + [""] * (columns - len(cells)), None)
        return CsvRecord(line, cells, wrong_count(len(cells), columns))


class _UnclosedQuoteError(Exception):
    """An error for a record with more than `RECORD_LINES_MAX` lines, or one that is cut off by the end of the file."""


class _LineReader:
    """A reader of the lines of a file, numbered from 1.

    It reads many lines at once if none has a quote or a problem, else one by one. Lines that were read one by one can
    be given back.
    """

    def __init__(self, chunks: Iterable[bytes]) -> None:
        self._blocks = _blocks(chunks)
        self._block = b""
        self._at = 0
        self._closer_end = 0
        """The end of the part of the block whose lines are read one by one."""
        self._again: deque[tuple[str, str | None]] = deque()
        self._record: list[tuple[str, str | None]] = []
        self._number = 0
        self.problem: str | None = None
        """The problem of a line of the current record, if any."""

    def delimiter(self) -> str | None:
        """Take the line `sep=;`, with which spreadsheets begin some files, and return its delimiter; else None."""
        first = self._read()
        delimiter = None if first is None else _SEPARATOR.fullmatch(first[0])
        if first is not None and delimiter is None:
            self._again.append(first)
        self._number = 0 if delimiter is None else 1
        return None if delimiter is None else delimiter[1]

    def header(self, number: int | None) -> tuple[str, str | None]:
        """Return the line with a number, and its problem, if any; for None the next line.

        For 0, return the first line that is not empty, and leave it as the next one.
        """
        line = self._take()
        while line is not None and (self._number < (number or 0) or (number == 0 and not line[0].strip())):
            line = self._take()
        if line is None:
            return "", None
        if number == 0:
            self._again.appendleft(line)
            self._number -= 1
            return line
        return self._whole(line)

    def _take(self) -> tuple[str, str | None] | None:
        line = self._again.popleft() if self._again else self._read()
        self._number += line is not None
        return line

    def _whole(self, line: tuple[str, str | None]) -> tuple[str, str | None]:
        """Return a line with those after it up to the end of a cell in quotes, if that comes soon."""
        lines = [line]
        while sum(text.count('"') for text, _ in lines) % 2 and len(lines) < HEADER_LINES_MAX:
            following = self._take()
            if following is None:
                break
            lines.append(following)
        if sum(text.count('"') for text, _ in lines) % 2:
            self._again.extend(lines[1:])
            self._number -= len(lines) - 1
            return line
        return "".join(text for text, _ in lines), next((problem for _, problem in lines if problem), None)

    def plain(self) -> tuple[int, list[str]]:
        """Return the number of the next line, and the lines from there on that are complete records without quotes."""
        first = self._number + 1
        if self._again or not self._has_more() or self._at < self._closer_end:
            return first, []
        end = _plain_end(self._block, self._at)
        lines = _as_plain(self._block[self._at : end])
        if lines:
            self._at = end
            self._number += len(lines)
        else:
            self._closer_end = end
        return first, lines

    def begin_record(self) -> int:
        """Begin a new record; return the number of its first line."""
        self._record = []
        self.problem = None
        return self._number + 1

    def give_back(self) -> None:
        """Give back all lines of the record except the first, so that they are read again."""
        self._again.extendleft(reversed(self._record[1:]))
        self._number -= len(self._record) - 1

    def __iter__(self) -> "_LineReader":
        return self

    def __next__(self) -> str:
        line = self._again.popleft() if self._again else self._read()
        if len(self._record) == RECORD_LINES_MAX or (line is None and self._record):
            if line is not None:
                self._again.appendleft(line)
            raise _UnclosedQuoteError
        if line is None:
            raise StopIteration
        self._number += 1
        self._record.append(line)
        text, problem = line
        self.problem = self.problem or problem
        return text

    def _has_more(self) -> bool:
        while self._at == len(self._block):
            block = next(self._blocks, None)
            if block is None:
                return False
            self._block, self._at, self._closer_end = block, 0, 0
        return True

    def _read(self) -> tuple[str, str | None] | None:
        """Return the next line with its end, and its problem, if any; None after the last line."""
        if not self._has_more():
            return None
        start, end = self._at, self._block.find(_LINE_END, self._at)
        if end < 0:
            self._at = len(self._block)
            return _decoded(self._block[start:], "")
        self._at = end + 1
        return _decoded(self._block[start:end], "\n")


def lines_of(chunks: Iterable[bytes]) -> Iterator[tuple[int, str]]:
    """Yield the lines of a text in UTF-8 without their ends, numbered from 1. Overlong lines are cut."""
    lines = (line for block in _blocks(chunks) for line in block.removesuffix(_LINE_END).split(_LINE_END))
    for number, line in enumerate(lines, 1):
        yield number, line.removesuffix(b"\r").decode(errors="replace")


def _blocks(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """Yield blocks of complete lines; the last line may lack its end. Overlong lines are cut."""
    pending = b""
    is_first = True
    for chunk in chunks:
        data = pending + chunk
        end = data.rfind(_LINE_END) + 1
        if end:
            yield data[:end].removeprefix(_BOM) if is_first else data[:end]
            is_first = False
        pending = data[end : end + LINE_BYTES_MAX + 1]
    if pending:
        yield pending.removeprefix(_BOM) if is_first else pending


def _plain_end(block: bytes, start: int) -> int:
    """Return the end of the lines before the next line with a quote."""
    quote = block.find(b'"', start)
    return block.rfind(_LINE_END, start, len(block) if quote < 0 else quote) + 1


def _as_plain(block: bytes) -> list[str]:
    """Return the lines without their ends; none if a line must be read by itself."""
    try:
        text = block.decode().replace("\r\n", "\n")
    except UnicodeDecodeError:
        return []
    if not text or "\r" in text or "\0" in text:
        return []
    lines = text.split("\n")
    lines.pop()
    return lines if len(max(lines, key=len)) * _CHARACTER_BYTES_MAX <= LINE_BYTES_MAX else []


def _decoded(line: bytes, end: str) -> tuple[str, str | None]:
    problem = None
    if len(line) > LINE_BYTES_MAX:
        problem = Sentence("the line has more than %(most)s bytes", most=Grouped(LINE_BYTES_MAX))
    elif b"\0" in line:
        problem = Sentence("NUL characters")
    try:
        return line.decode() + end, problem
    except UnicodeDecodeError:
        return line.decode(errors="replace") + end, problem or Sentence("not UTF-8")
