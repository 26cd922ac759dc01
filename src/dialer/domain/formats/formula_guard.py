"""The guard of exported cells: an apostrophe before a text that a spreadsheet would take for a formula.

A text of apostrophes before such a formula is guarded too, so that `unguard(guard(text))` is always `text`.
"""

import re
from typing import Final

GUARD: Final = "'"
FORMULA_STARTS: Final = frozenset("=+-@|\t\r\n\uff1d\uff0b\uff0d\uff20")
"""First characters of a text that a spreadsheet takes for a formula, unless the text is a number.

The last four are the full-width forms of the first four.
"""
_FORMULA: Final = re.compile(rf"'*[{re.escape(''.join(sorted(FORMULA_STARTS)))}]")
_NUMBER: Final = re.compile(r"'*[+-]?[0-9]+(\.[0-9]+)?")


def guard(text: str) -> str:
    """Return the text as an exported cell, with a guard if it needs one."""
    return f"{GUARD}{text}" if _is_guarded(text) else text


def unguard(cell: str) -> str:
    """Return the text of an exported cell, without the guard that `guard` added."""
    return cell[1:] if cell.startswith(GUARD) and _is_guarded(cell) else cell


def _is_guarded(text: str) -> bool:
    return _FORMULA.match(text) is not None and _NUMBER.fullmatch(text) is None
