"""Checks of the report: every printed figure is computed in two ways, and both are compared."""

from typing import Final, TypeVar

import msgspec

_Figure = TypeVar("_Figure")


class Check(msgspec.Struct, frozen=True):
    """A figure as the API gives it, and as it is computed from the records."""

    what: str
    api: object
    records: object

    @property
    def holds(self) -> bool:
        """True if both are equal."""
        return self.api == self.records

    def __str__(self) -> str:
        return f"{self.what}: {self.api} by the API, {self.records} by the records"


class Checks:
    """The figures of one report, each compared with the records."""

    def __init__(self) -> None:
        self.all: Final[list[Check]] = []

    def same(self, what: str, api: _Figure, records: _Figure) -> _Figure:
        """Compare a figure of the API with that of the records, store the result, and return the figure of the API."""
        self.all.append(Check(what, api, records))
        return api

    @property
    def differences(self) -> list[Check]:
        """The figures that differ from the records."""
        return [check for check in self.all if not check.holds]
