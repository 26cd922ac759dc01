"""A look at a list before it is imported: how it is read, and what its first rows become."""

import csv
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

import phonenumbers
from msgspec.structs import replace

from dialer.app.imports.charsets import charset_of
from dialer.app.imports.csv_records import CsvFile, CsvRecord, TableForm
from dialer.app.imports.first_rows import first_rows
from dialer.app.imports.footers import COUNT_DIGITS_MAX, LEFT_OUT, is_footer
from dialer.app.imports.guessed_columns import NUMBER, guess_columns, is_usual_name, looks_like_number
from dialer.app.imports.headers import DELIMITERS, CsvError
from dialer.app.imports.imports import ImportOptions
from dialer.app.imports.list_files import begin, open_list, text_of
from dialer.app.imports.number_rows import NumberRows
from dialer.app.imports.refusals import Wish
from dialer.app.imports.vcard_lines import has_vcards
from dialer.app.imports.workbooks import ZIP, Workbook, unpacked_bytes
from dialer.domain.numbers.by_the_library import parse
from dialer.domain.numbers.doubts import NumberDoubt, doubt_in_words, doubt_of
from dialer.domain.numbers.normal_form import has_lost_plus
from dialer.domain.words.sentences import Sentence, message_of

PIECE_BYTES: Final = 65_536
ROWS_SEEN_MAX: Final = 100
"""The first rows, by which the form of a file and the meaning of its columns are guessed."""
HEADER_LINE_MAX: Final = 10
"""The last line that may be chosen as that with the names of the columns."""
SHEETS_TRIED_MAX: Final = 20
"""The first sheets of a workbook, among which that with the list is guessed."""
NUMBERS_OF_LIST_MIN: Final = 2
"""Phone numbers in a column by which a sheet is surely a list."""
_LIKELIER: Final = ";\t|,"
"""Delimiters, the one that is least often part of a text first."""
_WRONG_LENGTH: Final = Sentence("Too long or too short for its country.")


Rows = list[tuple[int, list[str]]]
"""Rows with their lines."""


class FileView(NamedTuple):
    """A file as it is read: its whole form, its columns, and its first rows below the header with their lines."""

    form: TableForm
    is_workbook: bool
    sheets: list[str]
    columns: tuple[str, ...]
    rows: list[tuple[int, list[str]]]
    top: list[tuple[int, list[str]]]
    """The first rows of the file, the header among them."""
    is_vcards: bool = False
    """True for contacts of a telephone, whose columns are fixed."""
    bytes_read: int = 0
    """Bytes of the file, for a workbook unpacked."""
    hidden_rows: int = 0
    """Rows that the spreadsheet program hides, among the first ones."""
    hidden_columns: tuple[str, ...] = ()
    hidden_sheets: tuple[str, ...] = ()


class ReadRow(NamedTuple):
    """A row of a file as an import would store it."""

    line: int
    cell: str
    """The number as it is written."""
    number: str
    """The number as it is read; empty if the row is refused."""
    full_name: str
    problem: str
    lost: str
    """The sign that is missing at the beginning of the number as it is written, `0` or `+`; empty if none is."""
    doubt: Sentence | None = None
    """The reason why the number is probably wrong, as the import warns; None if it looks right."""
    is_refused: bool = False
    """True for a person who must not be called, and is left out."""
    further: tuple[str, ...] = ()
    """Further numbers of the row, which go on a do-not-call list as well."""
    remarks: tuple[str, ...] = ()
    """Remarks on how the number was read."""
    place: str = ""
    """The zones and the country of the person, as `tz_code` has them; empty for those of the number."""
    first_line: int = 0
    """The earlier line with the same number, whose person is stored instead; 0 if there is none."""


def pieces_of(path: Path) -> Iterator[bytes]:
    """Yield a file in pieces."""
    with path.open("rb") as file:
        while piece := file.read(PIECE_BYTES):
            yield piece


def look_at(path: Path, chosen: TableForm, region: str | None) -> FileView:
    """Return the reading of a file: columns, first rows and remarks. Choices that `chosen` leaves open are guessed.

    Raises:
        CsvError: the file cannot be read; the message says what to do.
    """
    beginning, _ = begin(pieces_of(path))
    if beginning.startswith(ZIP):
        return _look_at_workbook(path, chosen, region)
    if has_vcards(beginning):
        return _look_at_cards(path, chosen)
    form = _form_of_text(path, chosen)
    rows = _rows(CsvFile(_text(path, form), required=None, form=_with_line(form, 0)))
    return _view(path, _with_header(rows, form, chosen, region), rows)


def _look_at_workbook(path: Path, chosen: TableForm, region: str | None) -> FileView:
    with path.open("rb") as file:
        book = Workbook(file)
        sheet = chosen.sheet if chosen.sheet in book.sheets else _likeliest_sheet(book, region)
        found = book.beginning(sheet, ROWS_SEEN_MAX, with_hidden=bool(chosen.hidden_rows))
    rows = [(row.number, row.cells) for row in found.rows]
    form = TableForm(sheet=sheet, pads_rows=True, hidden_rows=chosen.hidden_rows)
    view = _view(path, _with_header(rows, form, chosen, region), rows)
    return view._replace(
        is_workbook=True,
        sheets=book.sheets,
        bytes_read=unpacked_bytes(path),
        hidden_rows=found.hidden_rows,
        hidden_columns=tuple(view.columns[place] for place in found.hidden_columns if place < len(view.columns)),
        hidden_sheets=tuple(book.hidden_sheets),
    )


def _with_header(rows: Rows, form: TableForm, chosen: TableForm, region: str | None) -> TableForm:
    """Return the form with the line of the header: the chosen or the likeliest one."""
    if not rows:
        raise CsvError("The file has no rows. Choose one with a number in each line.")
    return _with_line(form, _header_line(rows, region) if chosen.header_line is None else chosen.header_line)


def _view(path: Path, form: TableForm, rows: Rows) -> FileView:
    with open_list(pieces_of(path), required=None, form=form) as list_file:
        return FileView(
            form,
            is_workbook=False,
            sheets=[],
            columns=list_file.columns,
            rows=_rows(list_file),
            top=rows,
            bytes_read=path.stat().st_size,
        )


def _look_at_cards(path: Path, chosen: TableForm) -> FileView:
    """Return how a file of vCards is read. It has fixed columns, and no header."""
    charset = chosen.charset or charset_of(pieces_of(path))
    form = TableForm(charset=charset, header_line=0)
    with open_list(pieces_of(path), required=None, form=form) as list_file:
        rows = _rows(list_file)
    return FileView(
        form, is_workbook=False, sheets=[], columns=list_file.columns, rows=rows, top=rows, is_vcards=True
    )._replace(bytes_read=path.stat().st_size)


def read_rows(view: FileView, path: Path, target: NumberRows, options: ImportOptions, count: int) -> list[ReadRow]:
    """Return the first rows of a file as an import would read them.

    Raises:
        CsvError: the file, or the choice of its columns, is wrong.
    """
    opened = open_list(pieces_of(path), required=target.column, renamed=options.columns, form=view.form)
    with opened as list_file:
        target.begin(list_file.columns, joins_names=options.joins_names, roles=options.roles)
        target.mends_zeros = options.mends_zeros
        records = [record for record in first_rows(list_file, ROWS_SEEN_MAX) if any(map(str.strip, record.cells))]
        read = [_read(record.line, record.cells, record.problem, target) for record in records[:count]]
    first_lines: dict[str, int] = {}
    for row in read:
        if row.number:
            first_lines.setdefault(row.number, row.line)
    return [row._replace(first_line=_before(row, first_lines)) for row in read]


def _before(row: ReadRow, first_lines: Mapping[str, int]) -> int:
    first_line = first_lines.get(row.number, row.line)
    return first_line if first_line < row.line else 0


def _read(line: int, cells: list[str], problem: str | None, target: NumberRows) -> ReadRow:
    if problem is not None:
        return ReadRow(line, "", "", "", problem, lost="")
    target.remarks.clear()
    found, error = target.rows_of(cells)
    remarks = tuple(remark.message for remark in target.remarks)
    is_short = target.counts_totals and len(target.cell_in(cells)) <= COUNT_DIGITS_MAX
    if (not found or is_short) and is_footer(cells):
        return ReadRow(line, "", "", "", LEFT_OUT, lost="")
    if not found:
        value, reason = (error.value, message_of(error)) if error else ("", "")
        return ReadRow(line, value, "", "", reason, lost="")
    number, values = found[0]
    cell = target.cell_in(cells)
    return ReadRow(
        line,
        cell,
        number,
        target.name_in(values),
        "",
        _lost(cell, number, target.region),
        _doubt(number),
        is_refused=target.wish_in(cells) is Wish.REFUSED,
        further=tuple(one for one, _ in found[1:]),
        remarks=remarks,
        place=target.place_in(values),
    )


def _doubt(number: str) -> Sentence | None:
    doubt = doubt_of(number)
    if not doubt:
        return None
    return _WRONG_LENGTH if doubt is NumberDoubt.IMPOSSIBLE else doubt_in_words(doubt, number)


def _lost(cell: str, number: str, region: str | None) -> str:
    if number == f"+{cell}" and has_lost_plus(cell, region):
        return "+"
    return "0" if _lost_zero(cell, number) else ""


def _lost_zero(cell: str, number: str) -> bool:
    """Return whether a number lacks the 0 with which it begins within its country, as after a spreadsheet took it."""
    if not cell.isdigit() or cell.startswith("0") or not number.endswith(cell) or len(number) <= len(cell) + 1:
        return False
    parsed = parse(number)
    if parsed is None or not phonenumbers.is_valid_number(parsed):
        return False
    country = phonenumbers.region_code_for_country_code(parsed.country_code or 0)
    return phonenumbers.ndd_prefix_for_region(country, True) == "0"  # noqa: FBT003 - the library takes it by place


def _likeliest_sheet(book: Workbook, region: str | None) -> str:
    """Return the first sheet that looks like a list; without one, the first that has rows."""
    if len(book.sheets) == 1:
        return book.sheets[0]
    tried = sorted(book.sheets[:SHEETS_TRIED_MAX], key=lambda sheet: sheet in book.hidden_sheets)
    return max(tried, key=lambda sheet: _list_signs(book, sheet, region), default="") or book.first_sheet()


def _list_signs(book: Workbook, sheet: str, region: str | None) -> tuple[int, bool, bool]:
    """Return how many numbers of a list a sheet begins with, and whether it has a column for them, and any rows."""
    try:
        rows = [(row.number, row.cells) for row in book.beginning(sheet, ROWS_SEEN_MAX).rows]
    except CsvError:  # Another sheet may be readable.
        return 0, False, False
    line = _header_line(rows, region)
    below = [cells for number, cells in rows if number > line]
    names = next((cells for number, cells in rows if number == line), [""] * max(map(len, below), default=0))
    meanings = guess_columns(names, below, region)
    if NUMBER not in meanings:
        return 0, False, bool(rows)
    place = meanings.index(NUMBER)
    numbers = sum(looks_like_number(cells[place], region) for cells in below if place < len(cells))
    return min(numbers, NUMBERS_OF_LIST_MIN), True, True


def _form_of_text(path: Path, chosen: TableForm) -> TableForm:
    charset = chosen.charset or charset_of(pieces_of(path))
    text = next(_text(path, TableForm(charset=charset)), b"").decode(errors="replace")
    return TableForm(charset=charset, delimiter=chosen.delimiter or guess_delimiter(text), pads_rows=True)


def guess_delimiter(text: str) -> str:
    """Return the delimiter of a table, by its beginning: that which gives the most rows an equal number of cells."""
    lines = text.splitlines()[:ROWS_SEEN_MAX]
    if lines and lines[0].strip('"').lower().startswith("sep="):
        told = lines[0].strip('"')[4:5]
        return told if told in DELIMITERS and told else ","
    best = max(_LIKELIER, key=lambda delimiter: _evenness(lines, delimiter))
    return best if _evenness(lines, best)[0] else ","


def _evenness(lines: Sequence[str], delimiter: str) -> tuple[float, int]:
    """Return the share of the rows that have the commonest number of cells, if that is two or more, and this number."""
    try:
        widths = [len(cells) for cells in csv.reader([f"{line}\n" for line in lines], delimiter=delimiter) if cells]
    except csv.Error:
        return 0.0, 0
    many = [width for width in widths if width > 1]
    if not many:
        return 0.0, 0
    commonest = max(set(many), key=many.count)
    return round(many.count(commonest) / len(widths), 1), commonest


def _text(path: Path, form: TableForm) -> Iterator[bytes]:
    return text_of(*begin(pieces_of(path)), form.charset)


def _rows(records: Iterable[CsvRecord]) -> list[tuple[int, list[str]]]:
    found = first_rows(records, ROWS_SEEN_MAX)
    return [(record.line, record.cells) for record in found if any(map(str.strip, record.cells))]


def _with_line(form: TableForm, line: int) -> TableForm:
    return replace(form, header_line=line)


def _header_line(rows: Sequence[tuple[int, Sequence[str]]], region: str | None) -> int:
    """Return the line with the names of the columns; 0 if there is none."""
    first = rows[:HEADER_LINE_MAX]
    has_numbers = [any(looks_like_number(cell, region) for cell in cells) for _, cells in rows]
    named = [
        (sum(map(is_usual_name, cells)), sum(map(bool, map(str.strip, cells))), -line)
        for (line, cells), has_number in zip(first, has_numbers, strict=False)
        if not has_number and any(map(is_usual_name, cells))
    ]
    if named:  # Of two lines of names, the upper one has groups of columns, and so fewer cells.
        return -max(named)[2]
    with_number = next((place for place, has_number in enumerate(has_numbers) if has_number), 1)
    return rows[with_number - 1][0] if 0 < with_number <= len(first) else 0
