"""What makes the report of the demonstration worth reading: no figure is printed that was not found in two ways."""

from typing import Final, TypeVar

import msgspec

_Figure = TypeVar("_Figure")


class Check(msgspec.Struct, frozen=True):
    """One figure: as the API gives it, and as it follows from the records themselves."""

    what: str
    api: object
    records: object

    @property
    def holds(self) -> bool:
        """Whether both are the same."""
        return self.api == self.records

    def __str__(self) -> str:
        return f"{self.what}: {self.api} by the API, {self.records} by the records"


class Checks:
    """The figures of one report."""

    def __init__(self) -> None:
        self.all: Final[list[Check]] = []

    def same(self, what: str, api: _Figure, records: _Figure) -> _Figure:
        """The figure of the API, to be printed; whether the records agree is noted."""
        self.all.append(Check(what, api, records))
        return api

    @property
    def differences(self) -> list[Check]:
        """Those that do not agree."""
        return [check for check in self.all if not check.holds]
