"""The numbers of a row: in one column or in several, with an area code or a country beside them."""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Final

import msgspec

from dialer.app.imports.column_roles import NO_ROLES, ColumnRoles
from dialer.app.imports.country_words import region_in
from dialer.app.imports.file_country import NumberSample
from dialer.domain.numbers.entries import NumberRemark, kindness_remark
from dialer.domain.numbers.normal_form import NumberError, NumberProblem, digits_of, is_possible, normalise
from dialer.domain.numbers.several_numbers import TEXT_MAX, read_kindly
from dialer.domain.numbers.spreadsheet_numbers import without_decimals

SEVERAL_MIN: Final = 2
NUMBER_CELL_MAX: Final = TEXT_MAX
"""Maximum characters of a cell in a column of numbers, with its area code. A longer one is reported, and not searched.

Of one on a do-not-call list, the numbers of the beginning count all the same.
"""
_SEPARATORS: Final = frozenset(".,'\u2019")
"""A number without any of these has no decimals, and its thousands are not separated."""
_AREA_DECIMALS: Final = re.compile(r"[.,]0{1,2}\Z")


class RowNumber(msgspec.Struct, frozen=True, gc=False):
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
        is_kind: bool = False,
    ) -> None:
        """Take the place of the first number, and the country of numbers without one.

        `check` gets a cell and its number, and raises NumberError for one that must not be stored. `is_exact` leaves
        the cells of an export as they are. `is_kind` reads whatever can be a number, for do-not-call lists.
        """
        places = {name.lower(): place for place, name in enumerate(columns)}
        self._places = [first, *(places[name] for name in roles.further_numbers)]
        self._area = None if roles.area is None else places[roles.area]
        self._country = None if roles.country is None else places[roles.country]
        self.is_plain: Final = len(self._places) == 1 and self._area is None and self._country is None
        """True if the number of a row stands in one cell, and nothing beside it changes it."""
        self._region = region
        self._check = check
        self.sample: Final = NumberSample()
        """Numbers whose rows do not name their country, by which that of the file is judged."""
        self.remarks: Final[list[NumberRemark]] = []
        """Remarks on how the numbers of rows were read. Their reader clears them."""
        self._is_exact = is_exact
        self._is_kind = is_kind

    def written(self, cells: Sequence[str]) -> str:
        """Return the first number of a row as it is written; empty if the row has none."""
        return next((cell for cell in map(self._cell, cells_at(cells, self._places)) if cell), "")

    def first(self, cells: Sequence[str]) -> RowNumber:
        """Return the first number of a row that can be stored.

        Raises:
            NumberError: there is none; the error is that of the first number that is there.
        """
        found = self.usual(cells) if self.is_plain else None
        if found is not None:
            self._check(*found)
            self.count(found[0])
            return RowNumber(found[0], *found)
        each = list(self._each(cells))
        for one in each:
            if isinstance(one, RowNumber):
                return one
        problems = [one for one in each if isinstance(one, NumberError)]
        raise next((one for one in problems if one.problem is not NumberProblem.EMPTY), problems[0])

    def usual(self, cells: Sequence[str]) -> tuple[str, str] | None:
        """Return the text and the normal form of the number of a plain row; None if it is not one number alone.

        It runs for each row of most imports.
        """
        cell = cells[self._places[0]]
        if not self._is_exact:
            cell = cell.strip()
            if not _SEPARATORS.isdisjoint(cell):
                cell = without_decimals(cell)
        try:
            return cell, normalise(cell, self._region)
        except NumberError:
            return None

    def count(self, text: str) -> None:
        """Count a number whose row does not name its country, by which that of the file is judged."""
        self.sample.seen += 1
        if self.sample.seen >= self.sample.next_seen:
            self.sample.keep(text)

    def all(self, cells: Sequence[str]) -> tuple[list[RowNumber], list[NumberError]]:
        """Return all numbers of a row, and the errors of cells that have no valid number."""
        each = list(self._each(cells))
        problems = [one for one in each if isinstance(one, NumberError)]
        filled = [one for one in problems if one.problem is not NumberProblem.EMPTY]
        found = [one for one in each if isinstance(one, RowNumber)]
        return found, filled or ([] if found else problems[:1])

    def _own_region(self, cells: Sequence[str]) -> str | None:
        return None if self._country is None else region_in(cells[self._country])

    def _each(self, cells: Sequence[str]) -> Iterator[RowNumber | NumberError]:
        own = self._own_region(cells)
        for place in self._places:
            cell = self._cell(cells[place])
            try:
                yield self._found(cell, cells, own)
            except NumberError as error:
                yield from self._several(cell, cells, own, error)

    def _several(
        self, cell: str, cells: Sequence[str], own: str | None, error: NumberError
    ) -> Iterator[RowNumber | NumberError]:
        """Yield the numbers of a cell that is not one number, or the error that says why it has none."""
        text = self._with_area(cell, cells)
        is_too_long = len(text) > NUMBER_CELL_MAX
        if is_too_long:
            yield error
        if is_too_long and not self._is_kind:
            return
        try:
            read = read_kindly(text, own or self._region)
        except NumberError:
            read = None
        if read is None or not (self._is_kind or len(read.numbers) >= SEVERAL_MIN):
            yield from () if is_too_long else (error,)
            return
        if read.kindness is not None:
            self.remarks.append(kindness_remark(read.kindness, read.numbers, cell, is_list=self._is_kind))
        for one in read.numbers:
            try:
                self._check(one.text, one.number)
            except NumberError as worse:
                yield worse
            else:
                yield RowNumber(cell, one.text, one.number)

    def _found(self, cell: str, cells: Sequence[str], own: str | None) -> RowNumber:
        text = cell if self._area is None else self._with_area(cell, cells)
        number = normalise(text, self._region) if own is None else _number_in(text, own)
        self._check(cell, number)
        if own is None:
            self.count(text)
        # The cell alone could be another number once it is exported and imported again.
        is_whole = own is None and self._area is None
        return RowNumber(cell, text if is_whole else number, number)

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
