"""The report of an import: counts, and the first rows that were rejected or look wrong."""

from collections.abc import Sequence
from typing import Annotated, Final, NamedTuple

import msgspec
from msgspec import UNSET, UnsetType

from dialer.domain.described import described
from dialer.domain.sentences import message_of

ERRORS_MAX: Final = 1_000
"""The most rows in `errors`, and the most rows in `warnings`."""
CSV_ERRORS_MAX: Final = 20_000
"""The most rejected rows in a report that is a CSV."""
VALUE_MAX: Final = 64
"""Characters of a rejected value that a report repeats."""


class RowRemark(msgspec.Struct, frozen=True):
    """A remark on a row: its first line, the problem as a text and as a code, and the wrong value."""

    line: Annotated[int, described("The number of the first line of the row in the file; the header is line 1.", 7)]
    reason: Annotated[
        str, described("The problem in a sentence.", "'12' is no phone number: it has 2 digits. Use 3 to 15.")
    ]
    kind: Annotated[str, described("The problem as a word, for programs.", "too_short")]
    value: Annotated[str, described("The start of the wrong value.", "12")]


class RowError(ValueError):
    """An error for a row that cannot be imported; the message says why."""

    def __init__(self, kind: str, message: str, value: str) -> None:
        super().__init__(message)
        self.kind: Final = kind
        self.value: Final = value


class NumberRemark(NamedTuple):
    """A remark on a number that is stored: a word for programs, a sentence, and the number or its spelling."""

    kind: str
    message: str
    value: str


class ImportReport(msgspec.Struct):
    """The result of an import: its counts and the remarks on its rows."""

    imported: Annotated[int, described("Number of rows that were stored.", 2)] = 0
    duplicates: Annotated[
        int,
        described("Rows whose number occurs earlier in the file, or is already in the phonebook or on the list.", 0),
    ] = 0
    rejected: Annotated[int, described("Number of rows that cannot be imported.", 1)] = 0
    errors: Annotated[list[RowRemark], described("The first 1,000 rejected rows.")] = []
    warned: Annotated[
        int,
        described(
            "Rows that were imported with remarks: a number that nobody can have, or that was read kindly, or a time"
            " zone that is unknown.",
            0,
        ),
    ] = 0
    warnings: Annotated[list[RowRemark], described("The first 1,000 of these remarks.")] = []
    kinds: Annotated[
        dict[str, int] | UnsetType,
        described("The number of remarks of each kind, of all rows. Absent if there are none.", {"lost_zero": 2}),
    ] = UNSET
    hidden: Annotated[
        int,
        described("Rows that a workbook hides, as by a filter, and that were left out. They count only here.", 0),
    ] = 0

    def reject(self, line: int, error: RowError, *, most: int = ERRORS_MAX) -> None:
        """Count a row that cannot be imported, and keep a remark on it if there are fewer than `most`."""
        self.rejected += 1
        if len(self.errors) < most:
            self.errors.append(RowRemark(line, message_of(error), error.kind, error.value[:VALUE_MAX]))

    def warn(self, line: int, remarks: Sequence[NumberRemark]) -> None:
        """Count a row that is stored with remarks, and keep them if there are few so far."""
        self.warned += 1
        kinds = self.kinds = {} if isinstance(self.kinds, UnsetType) else self.kinds
        for kind, message, value in remarks:
            kinds[kind] = kinds.get(kind, 0) + 1
            if len(self.warnings) < ERRORS_MAX:
                self.warnings.append(RowRemark(line, message, kind, value[:VALUE_MAX]))
