"""Headers of tables: the names of the columns, and the delimiter between them."""

import csv
from collections.abc import Mapping, Sequence
from typing import Final

from dialer.domain.words.sentences import Grouped, Sentence, counting_sentence

COLUMNS_MAX: Final = 100
COLUMN_NAME_MAX: Final = 255
HEADER_SHOWN_MAX: Final = 500
"""Characters of a header that an error repeats."""
DELIMITERS: Final = ",;\t|"
REFUSALS: Final = "phone_number"
"""The column of numbers in a do-not-call list. Such a list takes every number that it can get."""
_KNOWN_BY_NAME: Final = frozenset({"contact", "phone_number", "full_name", "additional_vars"})
"""Columns with a meaning, of which a file has one at most."""


class CsvError(ValueError):
    """An error for a file that cannot be read as a table; the message is for the author of the file."""


def read_header(
    line: str, required: str | None, renamed: Mapping[str, str], *, delimiter: str | None, has_names: bool
) -> tuple[str, tuple[str, ...]]:
    """Return the delimiter of a table, and the names of its columns.

    Raises:
        CsvError: there is no usable header, or `required` is not among its columns.
    """
    for tried in delimiter or DELIMITERS:
        cells = cells_of(line, tried)
        names = column_names(cells if has_names else [""] * len(cells))
        columns = tuple(renamed.get(name.lower(), name) for name in names)
        if required is None or required in {name.lower() for name in columns}:
            check_names(names, columns, renamed)
            return tried, columns
    if not has_names:
        raise CsvError(
            Sentence(
                "No column is read as %(required)s. The columns are named column_1, column_2 and so on.",
                required=required,
            )
        )
    sources = [name for name, target in renamed.items() if target.lower() == required]
    wanted = (
        Sentence("%(source)s (read as %(required)s)", source=sources[0], required=required) if sources else required
    )
    raise CsvError(
        Sentence(
            "The first line must name the columns, with commas, semicolons, tabs or bars, %(wanted)s among them.",
            wanted=wanted,
        )
    )


def cells_of(line: str, delimiter: str) -> list[str]:
    """Return the cells of a line.

    Raises:
        CsvError: it cannot be read.
    """
    try:
        cells = next(csv.reader([line], delimiter=delimiter), [])
    except csv.Error as error:
        raise CsvError(Sentence("The header cannot be read: %(problem)s.", problem=reason_of(error))) from None
    return [" ".join(cell.split()) if "\n" in cell else cell.strip() for cell in cells]


def wrong_count(cells: int, columns: int) -> Sentence:
    """Return the problem of a row that has more or fewer cells than there are columns."""
    return counting_sentence(
        "%(count)s cell, but the header has %(columns)s columns",
        "%(count)s cells, but the header has %(columns)s columns",
        cells,
        columns=columns,
    )


def reason_of(error: csv.Error) -> str:
    """Return the reason of a CSV error, for the user."""
    if "new-line" in str(error):
        return Sentence("a carriage return that ends no line")
    return Sentence("a cell has more than %(most)s characters", most=Grouped(csv.field_size_limit()))


def column_names(cells: Sequence[str]) -> tuple[str, ...]:
    """Return names for columns, each once: `column_3` for one without a name, `City 2` for the second `City`.

    Raises:
        CsvError: they are too many.
    """
    if len(cells) > COLUMNS_MAX:
        raise CsvError(
            Sentence("The header has %(count)s columns. Use at most %(most)s.", count=len(cells), most=COLUMNS_MAX)
        )
    taken = {cell.lower() for cell in cells if cell}
    names: list[str] = []
    for number, cell in enumerate(cells, 1):
        name = cell or _free(f"column_{number}", taken)
        if name.lower() in {other.lower() for other in names} and name.lower() not in _KNOWN_BY_NAME:
            name = _free(cell, taken)
        taken.add(name.lower())
        names.append(name)
    return tuple(names)


def _free(name: str, taken: set[str]) -> str:
    """Return a name that is not taken, with a number behind it if need be."""
    if name.lower() not in taken:
        return name
    return next(f"{name} {number}" for number in range(2, len(taken) + 3) if f"{name} {number}".lower() not in taken)


def check_names(names: Sequence[str], columns: Sequence[str], renamed: Mapping[str, str]) -> None:
    """Check the names of the columns in a file, and those under which they are read.

    Raises:
        CsvError: they are too many or too long, or a name occurs twice, or `renamed` has one that is not there.
    """
    for number, name in enumerate(names, 1):
        if len(name) > COLUMN_NAME_MAX:
            raise CsvError(
                Sentence(
                    "The name of column %(number)s has more than %(most)s characters.",
                    number=number,
                    most=COLUMN_NAME_MAX,
                )
            )
    twice = _repeated(names)
    if twice is not None:
        raise CsvError(Sentence("The header names %(name)s twice.", name=twice))
    unknown = [name for name in renamed if name not in {header_name.lower() for header_name in names}]
    if unknown:
        raise CsvError(
            Sentence(
                "The header has no column %(unknown)r. It has: %(names)s.",
                unknown=unknown[0],
                names=", ".join(names)[:HEADER_SHOWN_MAX],
            )
        )
    twice = _repeated([name for name in columns if name])
    if twice is not None:
        raise CsvError(Sentence("Two columns are read as %(name)s. Give one of them another name.", name=twice.lower()))


def _repeated(names: Sequence[str]) -> str | None:
    folded = [name.lower() for name in names]
    return next((name for place, name in enumerate(names) if folded.index(name.lower()) != place), None)
