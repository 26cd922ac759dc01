"""The first rows of a list, which are kept while the rest is read: as many as fit into a little memory."""

from collections.abc import Iterable
from typing import Final, Protocol, TypeVar

FIRST_CHARACTERS_MAX: Final = 1024 * 1024
"""Characters after which no further row is kept."""


class HasCells(Protocol):
    """A row of a list."""

    @property
    def cells(self) -> list[str]:
        """The texts of the row's cells."""


_Row = TypeVar("_Row", bound=HasCells)


def first_rows(rows: Iterable[_Row], count: int) -> list[_Row]:
    """Return up to `count` first rows, fewer if they are long, without reading more."""
    found: list[_Row] = []
    characters = 0
    for row in rows:
        found.append(row)
        characters += sum(map(len, row.cells))
        if len(found) == count or characters > FIRST_CHARACTERS_MAX:
            break
    return found
