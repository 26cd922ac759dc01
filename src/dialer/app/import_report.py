"""The report of an import: counts, and the first rows that were rejected or that look wrong."""

from typing import Final

import msgspec

ERRORS_MAX: Final = 1_000
"""Rows that a report names as rejected, and again as doubtful."""
VALUE_MAX: Final = 64
"""Characters of a rejected value that a report repeats."""


class RowRemark(msgspec.Struct, frozen=True):
    """A remark on a row: the line it begins on, what is wrong with it in words and in a code, and the wrong value."""

    line: int
    reason: str
    kind: str
    value: str


class RowError(ValueError):
    """An error for a row that cannot be imported; the message says why."""

    def __init__(self, kind: str, message: str, value: str) -> None:
        super().__init__(message)
        self.kind: Final = kind
        self.value: Final = value


class ImportReport(msgspec.Struct):
    """The counts and remarks of one import."""

    imported: int = 0
    duplicates: int = 0
    """Rows whose number the file or the list has already."""
    rejected: int = 0
    errors: list[RowRemark] = []
    """The first `ERRORS_MAX` of the rejected rows."""
    warned: int = 0
    """Rows that were not rejected, although no number of their country has that length."""
    warnings: list[RowRemark] = []
    """The first `ERRORS_MAX` of these rows."""

    def reject(self, line: int, error: RowError) -> None:
        """Count a row that cannot be imported."""
        self.rejected += 1
        if len(self.errors) < ERRORS_MAX:
            self.errors.append(RowRemark(line, str(error), error.kind, error.value[:VALUE_MAX]))

    def warn(self, line: int, number: str) -> None:
        """Count a row with a number that is impossible in its country."""
        self.warned += 1
        if len(self.warnings) < ERRORS_MAX:
            reason = f"{number!r} is impossible in its country. Check the number of digits and the country code."
            self.warnings.append(RowRemark(line, reason, "impossible_number", number))
