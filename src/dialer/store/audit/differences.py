"""What an audit finds: a value that is not what the other rows make it."""

from typing import Final

import msgspec

ROWS_AT_ONCE: Final = 5_000
"""Rows that are in memory at once, however large the table."""
MISSING: Final = "missing"


class Difference(msgspec.Struct, frozen=True):
    """One value that is wrong: of which record, what stands there, and what should. Money as decimal text."""

    record: str
    """Such as `user 2` or `cdr 17`."""
    field: str
    found: str
    expected: str

    def __str__(self) -> str:
        return f"{self.record}: {self.field} is {self.found}, should be {self.expected}"
