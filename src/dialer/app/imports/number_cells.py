"""The numbers of a row: in one column or in several, with an area code or a country beside them."""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Final, NamedTuple

from dialer.app.imports.column_roles import NO_ROLES, ColumnRoles
from dialer.app.imports.country_words import region_in
from dialer.app.imports.file_country import NumberSample
from dialer.domain.numbers.normal_form import NumberError, NumberProblem, digits_of, is_possible, normalise
from dialer.domain.numbers.spreadsheet_numbers import without_decimals

PARTS_MIN: Final = 2
NUMBERS_OF_CELL_MAX: Final = 10
"""Maximum numbers of one cell that are tried."""
_AREA_DECIMALS: Final = re.compile(r"[.,]0{1,2}\Z")
_BETWEEN: Final = re.compile(r":::|[,;|&\n]|\s+/\s*|(?<=[0-9]{6})\s*/(?=\s*[+(0])")


class FoundNumber(NamedTuple):
    """A number of a row: as it is written, as it is stored as the text of a contact, and in normal form."""

    written: str
    text: str
    number: str


class NumberCells:
    """The columns of a table that have the numbers of its rows."""

    def __init__(
        self,
        columns: Sequence[str],
        first: int,
        region: str | None,
        roles: ColumnRoles = NO_ROLES,
        *,
        check: Callable[[str, str], None],
        is_exact: bool = False,
    ) -> None:
        """Take the place of the first number, and the country of numbers without one.

        `check` gets a cell and its number, and raises NumberError for one that must not be stored. `is_exact` leaves
        the cells of an export as they are.
        """
        places = {name.lower(): place for place, name in enumerate(columns)}
        self._places = [first, *(places[name] for name in roles.further_numbers)]
        self._area = None if roles.area is None else places[roles.area]
        self._country = None if roles.country is None else places[roles.country]
        self._is_plain = len(self._places) == 1 and self._area is None and self._country is None
        self._region = region
        self._check = check
        self.sample: Final = NumberSample()
        """Numbers whose rows do not name their country, by which that of the file is judged."""
        self._is_exact = is_exact

    def written(self, cells: Sequence[str]) -> str:
        """Return the first number of a row as it is written; empty if the row has none."""
        return next((cell for cell in map(self._cell, cells_at(cells, self._places)) if cell), "")

    def first(self, cells: Sequence[str]) -> FoundNumber:
        """Return the first number of a row that can be stored.

        Raises:
            NumberError: there is none; the error is that of the first number that is there.
        """
        if self._is_plain:
            cell = self._cell(cells[self._places[0]])
            try:
                return self._found(cell, cells, None)
            except NumberError as error:
                if error.problem is not NumberProblem.SEVERAL:
                    raise
        problem: NumberError | None = None
        for found in self._each(cells):
            if isinstance(found, FoundNumber):
                return found
            if problem is None or problem.problem is NumberProblem.EMPTY:
                problem = found
        raise problem or AssertionError("A row has at least one number or one problem.")

    def all(self, cells: Sequence[str]) -> tuple[list[FoundNumber], list[NumberError]]:
        """Return all numbers of a row, and the problems of those that are none, without those of empty cells."""
        each = list(self._each(cells))
        problems = [one for one in each if isinstance(one, NumberError)]
        filled = [one for one in problems if one.problem is not NumberProblem.EMPTY]
        found = [one for one in each if isinstance(one, FoundNumber)]
        return found, filled or ([] if found else problems[:1])

    def _own_region(self, cells: Sequence[str]) -> str | None:
        return None if self._country is None else region_in(cells[self._country])

    def _each(self, cells: Sequence[str]) -> Iterator[FoundNumber | NumberError]:
        own = self._own_region(cells)
        for place in self._places:
            cell = self._cell(cells[place])
            try:
                yield self._found(cell, cells, own)
            except NumberError as error:
                parts = _parts(cell) if error.problem is NumberProblem.SEVERAL else []
                if len(parts) < PARTS_MIN:
                    yield error
                    continue
                for part in parts:
                    try:
                        yield self._found(part, cells, own)
                    except NumberError as worse:
                        yield worse

    def _found(self, cell: str, cells: Sequence[str], own: str | None) -> FoundNumber:
        text = cell if self._area is None else self._with_area(cell, cells)
        number = normalise(text, self._region) if own is None else _number_in(text, own)
        self._check(cell, number)
        if own is None:
            self.sample.add(text)
        # The cell alone could be another number once it is exported and imported again.
        is_whole = own is None and self._area is None
        return FoundNumber(cell, text if is_whole else number, number)

    def _with_area(self, cell: str, cells: Sequence[str]) -> str:
        if self._area is None or not cell or cell.lstrip(" '(").startswith(("+", "00")):
            return cell
        area = _AREA_DECIMALS.sub("", cells[self._area].strip())
        return f"{area} {cell}" if digits_of(area) else cell

    def _cell(self, cell: str) -> str:
        return cell if self._is_exact else without_decimals(cell.strip())


def cells_at(cells: Sequence[str], places: Sequence[int]) -> Iterator[str]:
    """Yield the cells at some places of a row."""
    return (cells[place] for place in places)


def _number_in(text: str, region: str) -> str:
    """Return the normal form of a number whose row names its country.

    A number that is impossible there, and possible with a `+`, has only lost that: 44 beside 442079460018.
    """
    number = normalise(text, region)
    if number.startswith("+") and not is_possible(number) and text[:1] not in {"+", "0"}:
        in_full = normalise(f"+{digits_of(text)}", None)
        return in_full if is_possible(in_full) else number
    return number


def _parts(cell: str) -> list[str]:
    """Return the numbers of a cell that has several."""
    parts = [part.strip() for part in _BETWEEN.split(cell)]
    return [part for part in parts if digits_of(part)][:NUMBERS_OF_CELL_MAX]
