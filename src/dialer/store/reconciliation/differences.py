"""Differences that an audit finds: values that contradict other rows."""

from typing import Final

import msgspec

ROWS_AT_ONCE: Final = 5_000
"""Maximum number of rows that are in memory at once."""
MISSING: Final = "missing"


class Difference(msgspec.Struct, frozen=True):
    """A wrong value: its record and field, the value found, and the value expected. Money is decimal text."""

    record: str
    """Type and id of the record, such as `user 2` or `cdr 17`."""
    field: str
    found: str
    expected: str

    def __str__(self) -> str:
        return f"{self.record}: {self.field} is {self.found}, should be {self.expected}"
