"""The report of an import: counts, and the first rows that were rejected or look wrong."""

from typing import Annotated, Final

import msgspec

from dialer.domain.numbers.doubts import NumberDoubt, doubt_in_words
from dialer.domain.numbers.entries import READINGS, EntryDoubt, NumberRemark, entry_doubt_in_words
from dialer.domain.words.described import described
from dialer.domain.words.sentences import message_of

ERRORS_MAX: Final = 1_000
"""The most rows in `errors`, and the most rows in `warnings`."""
CSV_ERRORS_MAX: Final = 20_000
"""The most rejected rows in a report that is a CSV."""
VALUE_MAX: Final = 64
"""Characters of a rejected value that a report repeats."""


COUNTS: Final = (
    *("imported", "duplicates", "not_to_be_called", "rejected", "warned", "hidden", "totals"),
    *("on_dnc", "on_other_dnc"),
)
"""The counts of a report, in the order in which they are shown."""


class RowRemark(msgspec.Struct, frozen=True):
    """A remark on a row: its first line, the problem as a text and as a code, and the wrong value."""

    line: Annotated[int, described("The number of the first line of the row in the file; the header is line 1.", 7)]
    reason: Annotated[
        str, described("The problem in a sentence.", "'12' is no phone number: it has 2 digits. Use 3 to 15.")
    ]
    kind: Annotated[str, described("The problem as a word, for programs.", "too_short")]
    value: Annotated[str, described("The start of the wrong value.", "12")]


class FileRemark(msgspec.Struct, frozen=True):
    """A remark on a file as a whole: the problem as a text and as a code."""

    reason: Annotated[
        str,
        described(
            "The problem in a sentence.",
            "14 of 14 numbers without a country look like numbers of FR, and were read as numbers of DE.",
        ),
    ]
    kind: Annotated[str, described("The problem as a word, for programs.", "other_country")]
    column: Annotated[str, described("The column that it concerns; empty for the whole file.", "")] = ""


class RowError(ValueError):
    """An error for a row that cannot be imported; the message says why."""

    def __init__(self, kind: str, message: str, value: str) -> None:
        super().__init__(message)
        self.kind: Final = kind
        self.value: Final = value


class ImportReport(msgspec.Struct):
    """The result of an import: its counts and the remarks on its rows."""

    imported: Annotated[int, described("Number of rows that were stored.", 2)] = 0
    duplicates: Annotated[
        int,
        described("Rows whose number occurs earlier in the file, or is already in the phonebook or on the list.", 0),
    ] = 0
    not_to_be_called: Annotated[
        int,
        described(
            "Rows of people who must not be called, as a column of the file says. They were left out, and their numbers"
            " put on the account's own do-not-call list.",
            0,
        ),
    ] = 0
    rejected: Annotated[int, described("Number of rows that cannot be imported.", 1)] = 0
    errors: Annotated[list[RowRemark], described("The first 1,000 rejected rows.")] = []
    warned: Annotated[
        int,
        described(
            "Remarks on rows that were imported: an impossible number, an unknown time zone, or how a number was read.",
            0,
        ),
    ] = 0
    warnings: Annotated[list[RowRemark], described("The first 1,000 of these remarks.")] = []
    kinds: Annotated[
        dict[str, int],
        described(
            "The number of these remarks by their kind: `cut_extension`, `several_numbers`, `ignored_remark` and"
            " `mended_zero` say how a number was read; `impossible_number`, `unassigned_number`, `lost_zero`,"
            " `no_country` and `short_number` what is wrong with it, and `unknown_zone` what is wrong with the place.",
            {"cut_extension": 2},
        ),
    ] = {}
    file_warnings: Annotated[
        list[FileRemark],
        described("Warnings about the file: its numbers look like those of another country, or a column was not read."),
    ] = []
    hidden: Annotated[
        int,
        described("Rows that a workbook hides, as by a filter, and that were left out. They count only here.", 0),
    ] = 0
    totals: Annotated[
        int,
        described("Rows with a total or a note below a table, that were left out. They count only here.", 0),
    ] = 0

    on_dnc: Annotated[
        int,
        described(
            "Of the people in `imported`, those on a do-not-call list that holds for all campaigns of the account. They"
            " are stored, and not called.",
            0,
        ),
    ] = 0
    on_other_dnc: Annotated[
        int,
        described(
            "Of the other people in `imported`, those on another do-not-call list of the account. Campaigns that name"
            " the list do not call them.",
            0,
        ),
    ] = 0

    @property
    def looks_wrong(self) -> int:
        """Return the number of remarks that are more than how a number was read."""
        return self.warned - sum(self.kinds.get(kind, 0) for kind in READINGS)

    def reject(self, line: int, error: RowError, *, most: int = ERRORS_MAX) -> None:
        """Count a row that cannot be imported, and keep a remark on it if there are fewer than `most`."""
        self.rejected += 1
        if len(self.errors) < most:
            self.errors.append(RowRemark(line, message_of(error), error.kind, error.value[:VALUE_MAX]))

    def warn(self, line: int, number: str, doubt: NumberDoubt | EntryDoubt) -> None:
        """Count a row with a number that is in doubt, and keep a remark on it."""
        if self._counts(doubt.value):
            in_words = (
                doubt_in_words(doubt, number) if isinstance(doubt, NumberDoubt) else entry_doubt_in_words(doubt, number)
            )
            self.warnings.append(RowRemark(line, in_words, doubt.value, number))

    def warn_of(self, line: int, remark: NumberRemark) -> None:
        """Count a remark on a row that is imported, and keep it if there is room."""
        if self._counts(remark.kind):
            self.warnings.append(RowRemark(line, remark.message, remark.kind, remark.value[:VALUE_MAX]))

    def _counts(self, kind: str) -> bool:
        """Count a remark, and return whether there is room for it."""
        self.warned += 1
        self.kinds[kind] = self.kinds.get(kind, 0) + 1
        return len(self.warnings) < ERRORS_MAX
