"""Cells of CSV files that people open in spreadsheets."""

import re
from typing import Final

FORMULA: Final = frozenset("=+-@\t\r")
"""A spreadsheet takes a cell that begins so for a formula, unless it is a number, with or without a sign."""
_NUMBER: Final = re.compile(r"[+-]?[0-9]+(\.[0-9]+)?")


def text_cell(value: str) -> str:
    """Return a text as a cell that no spreadsheet takes for a formula."""
    return f"'{value}" if value[:1] in FORMULA and not _NUMBER.fullmatch(value) else value
