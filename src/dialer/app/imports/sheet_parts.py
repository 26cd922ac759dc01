"""The parts of a workbook (ECMA-376, part 1), read as a stream: sheets, shared texts, formats, and rows of cells.

A workbook is hostile until it is read. No part is kept as a whole, no cell or row grows beyond its limit, and a part
that declares a document type is refused, as entities make much of little.
"""

import zipfile
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import islice
from posixpath import normpath
from typing import IO, TYPE_CHECKING, Final, NamedTuple

from dialer.app.imports.sheet_values import kinds_of_formats, plain_text, text_of_moment, text_of_number

if TYPE_CHECKING:
    from xml.parsers.expat import XMLParserType

CELLS_MAX: Final = 101
"""Cells of a row that are read: one more than a list may have."""
CELL_KEPT: Final = 131_072
"""Characters of a cell that are kept."""
ROW_MAX: Final = 1024 * 1024
"""Maximum characters of a row, those of its shared texts included: many cells may share a long one."""
ELEMENT_BYTES_MAX: Final = 4 * 1024 * 1024
"""Maximum bytes between two elements."""
CHARACTERS_MAX: Final = 200 * 1024 * 1024
"""Maximum characters of all rows of a sheet: as many as a CSV file may have bytes."""
SHEET_NAME_MAX: Final = 255
"""Characters of a sheet's name that are kept; spreadsheet programs take 31."""
ROWS_MAX: Final = 1_048_576
"""Maximum number of rows, as in the programs that write such files. Rows with a larger number are left out."""
SMALL_BYTES_MAX: Final = 16 * 1024 * 1024
"""Maximum size of a part that names sheets or formats."""
TEXTS_MAX: Final = 4_000_000
"""Texts that cells share."""
TEXTS_BYTES_MAX: Final = 256 * 1024 * 1024
SHEETS_MAX: Final = 200
FORMATS_MAX: Final = 100_000
_PIECE_BYTES: Final = 65_536
_LETTERS_MAX: Final = 3
_DIGITS_MAX: Final = 9

Attributes = Mapping[str, str]


class BrokenError(Exception):
    """Raised for a damaged workbook."""


class TooLargeError(Exception):
    """An error for a workbook that is too large to be read."""


class UnsafeError(Exception):
    """An error for a workbook with parts that no spreadsheet program writes."""


class SheetPart(NamedTuple):
    """A sheet of a workbook."""

    name: str
    part: str
    is_hidden: bool


class Row(NamedTuple):
    """A row of a sheet with at least one cell."""

    number: int
    is_hidden: bool
    cells: list[str]


class _Handlers(NamedTuple):
    """Functions for the beginning of an element, its end, and its text. Names have no prefix."""

    start: Callable[[str, Attributes], None]
    end: Callable[[str], None]
    text: Callable[[str], None]


def _nothing(_: str) -> None:
    pass


def _parse(source: IO[bytes], handlers: _Handlers, bytes_max: int) -> Iterator[int]:
    """Parse a part piece by piece, and yield the number of bytes that are read after each.

    Raises:
        BrokenError: it is no XML.
        TooLargeError: it is longer than `bytes_max`, or has too large an element.
        UnsafeError: it declares a document type.
    """
    from xml.parsers import expat  # noqa: PLC0415 - most processes read no workbook

    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.StartDoctypeDeclHandler = _refuse
    parser.StartElementHandler = partial(_begin, parser, handlers)
    fed = 0
    try:
        while piece := source.read(_PIECE_BYTES):
            fed += len(piece)
            parser.Parse(piece, False)  # noqa: FBT003 - the parser takes it by place
            if fed > bytes_max or fed - parser.CurrentByteIndex > ELEMENT_BYTES_MAX:
                raise TooLargeError
            yield fed
        parser.Parse(b"", True)  # noqa: FBT003
        yield fed
    except expat.ExpatError as error:
        no_memory = expat.errors.codes[expat.errors.XML_ERROR_NO_MEMORY]
        raise (TooLargeError if error.code == no_memory else BrokenError) from None


def _begin(parser: "XMLParserType", handlers: _Handlers, root: str, attributes: dict[str, str]) -> None:
    """Set the handlers at the root of a part. Names lose their prefix if the root has one, which is rare and slower."""
    start, end = handlers.start, handlers.end
    if ":" in root:
        parser.StartElementHandler = lambda name, attributes: start(name.rpartition(":")[2], attributes)
        parser.EndElementHandler = lambda name: end(name.rpartition(":")[2])
    else:
        parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.CharacterDataHandler = handlers.text
    parser.StartElementHandler(root, attributes)


def _refuse(*_: object) -> None:
    raise UnsafeError


class Archive:
    """The parts of a workbook, by their names in upper or lower case."""

    def __init__(self, archive: zipfile.ZipFile) -> None:
        self._archive: Final = archive
        self._parts: Final = {part.filename.lower(): part for part in archive.infolist()}

    def size(self, name: str) -> int:
        """Return the size of a part, unpacked, as the archive says."""
        return self._parts[name.lower()].file_size if name.lower() in self._parts else 0

    def parse(self, name: str, handlers: _Handlers, bytes_max: int = SMALL_BYTES_MAX) -> Iterator[int]:
        """Parse a part, if it is there, as `_parse` does."""
        part = self._parts.get(name.lower())
        if part is not None:
            with self._archive.open(part) as source:
                yield from _parse(source, handlers, bytes_max)

    def elements(self, name: str, wanted: str) -> list[tuple[str, dict[str, str]]]:
        """Return the elements of a small part, with their attributes, that have one of some names."""
        found: list[tuple[str, dict[str, str]]] = []
        names = frozenset(wanted.split())

        def start(element: str, attributes: Attributes) -> None:
            if element in names:
                found.append((element, dict(attributes)))
                if len(found) > FORMATS_MAX:
                    raise TooLargeError

        for _ in self.parse(name, _Handlers(start, _nothing, _nothing)):
            pass
        return found


class BookParts:
    """A workbook: its sheets, and what their cells need."""

    def __init__(self, archive: Archive) -> None:
        """Read the names of the sheets, and the formats of the cells.

        Raises:
            BrokenError, TooLargeError, UnsafeError: it cannot be read.
        """
        self._archive: Final = archive
        main = next(
            (target for kind, _, target in _relations(archive, "") if kind == "officeDocument"), "xl/workbook.xml"
        )
        related = {name: (kind, target) for kind, name, target in _relations(archive, main)}
        by_kind = dict(related.values())
        found = archive.elements(main, "sheet workbookPr")
        told = next((attributes for element, attributes in found if element == "workbookPr"), {})
        self.is_1904: Final = told.get("date1904") in {"1", "true"}
        self.sheets: Final = [
            SheetPart(
                attributes.get("name", "")[:SHEET_NAME_MAX], target, attributes.get("state", "visible") != "visible"
            )
            for element, attributes in found
            for kind, target in [related.get(_relation_of(attributes), ("", ""))]
            if element == "sheet" and kind == "worksheet"
        ][:SHEETS_MAX]
        self.texts: Final = SharedTexts(archive, by_kind.get("sharedStrings", "xl/sharedStrings.xml"))
        self.kinds: Final = _kinds(archive, by_kind.get("styles", "xl/styles.xml"))

    def rows(self, sheet: SheetPart) -> Iterator[tuple[float, list[Row], list[int]]]:
        """Yield rows of a sheet that are not empty, with the share that is read, and the places of hidden columns."""
        reader = _SheetReader(self)
        handlers = _Handlers(reader.start, reader.end, reader.text)
        size = max(self._archive.size(sheet.part), 1)
        for fed in self._archive.parse(sheet.part, handlers, size + _PIECE_BYTES):
            rows, reader.rows = reader.rows, []
            yield fed / size, rows, reader.hidden_columns

    def has_rows(self, sheet: SheetPart) -> bool:
        """Return whether a sheet has a row that is not empty, and can be read up to there."""
        try:
            return any(rows for _, rows, _ in self.rows(sheet))
        except BrokenError:
            return False


def _relation_of(attributes: Attributes) -> str:
    return next((value for name, value in attributes.items() if name.rpartition(":")[2] == "id" and ":" in name), "")


def _relations(archive: Archive, part: str) -> Iterator[tuple[str, str, str]]:
    """Yield the kind, the name and the part of everything that a part refers to; an empty part is the whole file."""
    folder, _, name = part.rpartition("/")
    before = f"{folder}/" if folder else ""
    for _, attributes in archive.elements(f"{before}_rels/{name}.rels", "Relationship"):
        target = attributes.get("Target", "")
        path = normpath(target if target.startswith("/") else f"/{before}{target}").lstrip("/")
        yield attributes.get("Type", "").rpartition("/")[2], attributes.get("Id", ""), path


def _kinds(archive: Archive, part: str) -> list[str]:
    """Return for each style of cells whether it shows a date."""
    codes: list[tuple[int, str]] = []
    used: list[int] = []
    within = ""

    def start(name: str, attributes: Attributes) -> None:
        nonlocal within
        if name in {"cellXfs", "cellStyleXfs", "dxfs", "numFmts"}:
            within = name
        elif name == "numFmt" and within == "numFmts":
            codes.append((_number(attributes.get("numFmtId", "")), attributes.get("formatCode", "")[:1_000]))
        elif name == "xf" and within == "cellXfs":
            used.append(_number(attributes.get("numFmtId", "")))
        if len(codes) + len(used) > FORMATS_MAX:
            raise TooLargeError

    for _ in archive.parse(part, _Handlers(start, _nothing, _nothing)):
        pass
    return kinds_of_formats(codes, used)


def _number(text: str, otherwise: int = 0) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) <= _DIGITS_MAX else otherwise


class SharedTexts:
    """The texts that cells of a workbook share, read from the file up to the last one needed."""

    def __init__(self, archive: Archive, part: str) -> None:
        self._texts: Final[list[str]] = []
        self._current: list[str] = []
        self._size = 0
        self._is_read = False
        self._phonetic = 0
        handlers = _Handlers(self._start, self._end, self._text)
        self._reading: Final = archive.parse(part, handlers, TEXTS_BYTES_MAX)
        next(self._reading, None)  # A part that is not safe is refused, although no cell needs it.

    def at(self, place: int) -> str:
        """Return a text by its place.

        Raises:
            BrokenError: there is none.
        """
        while place >= len(self._texts):
            if next(self._reading, None) is None:
                raise BrokenError
        return self._texts[place]

    def _start(self, name: str, _attributes: Attributes) -> None:
        if name == "si":
            self._current, self._size = [], 0
        self._phonetic += name == "rPh"
        self._is_read = name == "t" and not self._phonetic

    def _text(self, text: str) -> None:
        if self._is_read and self._size <= CELL_KEPT:
            self._current.append(text)
            self._size += len(text)

    def _end(self, name: str) -> None:
        self._is_read = False
        self._phonetic -= name == "rPh"
        if name == "si":
            self._texts.append(plain_text("".join(self._current)))
            if len(self._texts) > TEXTS_MAX:
                raise TooLargeError


class _SheetReader:
    """The handlers of a sheet, which make rows of its elements."""

    def __init__(self, book: BookParts) -> None:
        self._book: Final = book
        self.rows: list[Row] = []
        self.hidden_columns: list[int] = []
        self._number = 0
        self._is_hidden = False
        self._cells: list[str] = []
        self._size = self._characters = 0
        self._place = 0
        self._kind = self._style = ""
        self._pieces: list[str] = []
        self._is_read = False
        self._phonetic = 0

    def start(self, name: str, attributes: Attributes) -> None:
        if name == "c":
            place = _place(attributes.get("r", ""))
            self._place = len(self._cells) if place is None else place
            self._kind, self._style = attributes.get("t", "n"), attributes.get("s", "")
            self._pieces = []
        elif name in {"v", "t"}:
            self._is_read = not self._phonetic
        elif name == "row":
            told = _number(attributes.get("r", ""))
            self._number = told if told > self._number else self._number + 1
            self._is_hidden = attributes.get("hidden") in {"1", "true"}
            self._cells, self._size = [], 0
        elif name == "rPh":
            self._phonetic += 1
        elif name == "col" and attributes.get("hidden") in {"1", "true"} and len(self.hidden_columns) < CELLS_MAX:
            first, last = (_number(attributes.get(end, "")) for end in ("min", "max"))
            self.hidden_columns.extend(range(max(first - 1, 0), min(last, CELLS_MAX)))

    def text(self, text: str) -> None:
        if self._is_read:
            self._pieces.append(text)
            self._count(text)

    def _count(self, text: str) -> None:
        self._size += len(text)
        if self._size > ROW_MAX:
            raise TooLargeError

    def end(self, name: str) -> None:
        if name == "c":
            if self._pieces and len(self._cells) <= self._place < CELLS_MAX:
                self._cells.extend([""] * (self._place - len(self._cells)))
                self._cells.append(self._value("".join(self._pieces))[:CELL_KEPT])
            elif len(self._cells) == self._place < CELLS_MAX:
                self._cells.append("")
        elif name in {"v", "t"}:
            self._is_read = False
        elif name == "row":
            self._characters += self._size
            if self._characters > CHARACTERS_MAX:
                raise TooLargeError
            cells = self._cells
            while cells and not cells[-1]:
                cells.pop()
            if cells and self._number <= ROWS_MAX:
                self.rows.append(Row(self._number, self._is_hidden, cells))
        elif name == "rPh":
            self._phonetic -= 1

    def _value(self, text: str) -> str:
        kind = self._kind
        if kind == "s":
            place = _number(text.strip(), -1)
            if place < 0:
                raise BrokenError
            text = self._book.texts.at(place)
            self._count(text)
            return text
        if kind == "n":
            style = _number(self._style)
            kinds = self._book.kinds
            return text_of_number(text.strip(), kinds[style] if style < len(kinds) else "", is_1904=self._book.is_1904)
        if kind == "b":
            return "TRUE" if text.strip() in {"1", "true"} else "FALSE"
        return text_of_moment(text.strip()) if kind == "d" else plain_text(text)


def _place(reference: str) -> int | None:
    """Return the place of a cell in its row, by a reference such as `AB7`; None if it has none."""
    place = 0
    for letter in islice(reference, _LETTERS_MAX):
        if not "A" <= letter <= "Z":
            break
        place = place * 26 + ord(letter) - 64
    return place - 1 if place else None
