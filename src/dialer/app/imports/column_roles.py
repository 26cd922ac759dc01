"""Columns of a list that say more about the number or about the wish of a row, beside that of the number itself."""

from collections.abc import Mapping, Sequence
from typing import Final

import msgspec

from dialer.app.imports.headers import HEADER_SHOWN_MAX, CsvError
from dialer.app.imports.place_columns import PLACES
from dialer.app.imports.refusals import READERS, RefusalColumn, Wish, strictest
from dialer.domain.words.sentences import Sentence

COUNTRY_CODE: Final = "country_code"
AREA_CODE: Final = "area_code"
NUMBER_TARGETS: Final = frozenset({"contact", "phone_number"})
"""Targets that several columns may have: the later ones are read where the earlier ones have no number."""
ROLE_TARGETS: Final = frozenset({COUNTRY_CODE, AREA_CODE, *(str(kind) for kind in RefusalColumn)})
"""Names under which `columns` reads a column as one with a role."""


class ColumnRoles(msgspec.Struct, frozen=True):
    """The roles of columns, by their names in the file in lower case. The columns are variables as well."""

    further_numbers: tuple[str, ...] = ()
    """Columns with further numbers, in the order in which they are tried."""
    country: str | None = None
    """The column with the country of the number, as a calling code, an ISO 3166 code or a name."""
    area: str | None = None
    """The column with the area code, which the number lacks."""
    refusals: Mapping[str, RefusalColumn] = {}
    """Columns that say who must not be called."""
    places: Mapping[str, str] | None = None
    """Columns that say where the person is, each with a member of `PLACES`; None if their names tell it."""

    @property
    def names(self) -> list[str]:
        """Return the names of all columns with a role."""
        parts = [one for one in (self.country, self.area) if one is not None]
        return [*self.further_numbers, *parts, *self.refusals, *(self.places or ())]

    def check(self, columns: Sequence[str]) -> None:
        """Raise CsvError for a role of a column that the file does not have."""
        known = {name.lower() for name in columns}
        unknown = next((name for name in self.names if name not in known), None)
        if unknown is not None:
            raise CsvError(
                Sentence(
                    "The header has no column %(unknown)r. It has: %(names)s.",
                    unknown=unknown,
                    names=", ".join(columns)[:HEADER_SHOWN_MAX],
                )
            )

    def with_role(self, name: str, target: str) -> "ColumnRoles":
        """Return these roles and that of one more column, of `ROLE_TARGETS`, `NUMBER_TARGETS` or `PLACES`."""
        name = name.lower()
        if target in NUMBER_TARGETS:
            return msgspec.structs.replace(self, further_numbers=(*self.further_numbers, name))
        if target == COUNTRY_CODE:
            return msgspec.structs.replace(self, country=name)
        if target == AREA_CODE:
            return msgspec.structs.replace(self, area=name)
        if target in PLACES:
            return msgspec.structs.replace(self, places={**(self.places or {}), name: target})
        return msgspec.structs.replace(self, refusals={**self.refusals, name: RefusalColumn(target)})


NO_ROLES: Final = ColumnRoles()


class WishCells:
    """The cells of rows that say who must not be called."""

    def __init__(self, columns: Sequence[str], roles: ColumnRoles) -> None:
        places = {name.lower(): place for place, name in enumerate(columns)}
        self._columns = [(columns[places[name]], places[name], READERS[kind]) for name, kind in roles.refusals.items()]
        self.is_used: Final = bool(self._columns)

    def of(self, cells: Sequence[str]) -> Wish:
        """Return the strictest wish of a row."""
        return strictest(read(cells[place]) for _, place, read in self._columns)

    def words(self, cells: Sequence[str]) -> str:
        """Return the names of the columns that refuse calls, each with its cell."""
        refusing = [
            (name, cells[place].strip()) for name, place, read in self._columns if read(cells[place]) is Wish.REFUSED
        ]
        return "; ".join(f"{name}: {cell}" for name, cell in refusing)
